"""A LangChain agent with a scripted model, watched by OpenInference, OpenLLMetry or both.

Usage: langchain_agent.py openinference|openllmetry|both

OpenInference alone is given a session, OpenLLMetry alone the graph's thread; with both, as where
two teams each installed theirs, neither.
"""

import contextlib
import sys

import telemetry
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool, ToolException

import story


class ScriptedModel(BaseChatModel):
    """Says the next turn of the conversation whose prompt comes first."""

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        story.think()
        prompt = next(each.content for each in messages if each.type == "human")
        turns = next(c["turns"] for c in story.CONVERSATIONS if c["prompt"] == prompt)
        said = sum(1 for each in messages if isinstance(each, AIMessage))
        calls = [
            {"name": tool, "args": arguments, "id": f"call_{said}_{number}"}
            for number, (tool, arguments) in enumerate(turns[said] if said < len(turns) else [])
        ]
        message = AIMessage(content="" if calls else story.LAST_WORDS, tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def bind_tools(self, tools, **kwargs):
        return self

    @property
    def _llm_type(self):
        return "scripted"


def pay(order: str) -> str:
    """Pays an order: always fails."""
    try:
        return story.pay(order)
    except story.PaymentError as error:
        raise ToolException(str(error)) from error


def tools():
    functions = [each for each in story.FUNCTIONS if each is not story.pay]
    tools = [StructuredTool.from_function(each) for each in functions]
    return [*tools, StructuredTool.from_function(pay, handle_tool_error=True)]


def main():
    watchers = sys.argv[1]
    provider = telemetry.start("shop-agent")
    if watchers in ("openinference", "both"):
        from openinference.instrumentation import using_session
        from openinference.instrumentation.langchain import LangChainInstrumentor

        LangChainInstrumentor().instrument(tracer_provider=provider)
    if watchers in ("openllmetry", "both"):
        from opentelemetry.instrumentation.langchain import LangchainInstrumentor

        LangchainInstrumentor().instrument(tracer_provider=provider)
    agent = create_agent(ScriptedModel(), tools())
    for number, conversation in enumerate(story.CONVERSATIONS, 1):
        options, session = {}, contextlib.nullcontext()
        if watchers == "openinference":
            session = using_session(f"conversation-{number}")
        if watchers == "openllmetry":
            options = {"configurable": {"thread_id": f"conversation-{number}"}}
        with session:
            messages = {"messages": [("user", conversation["prompt"])]}
            agent.invoke(messages, {"recursion_limit": 60, **options})
    provider.shutdown()


main()
