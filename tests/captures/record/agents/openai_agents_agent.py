"""An agent of the OpenAI Agents SDK with a scripted model, watched by one instrumentation.

Usage: openai_agents_agent.py openinference|openllmetry

Tools that fail answer with a text, as the SDK has it by default. An unknown tool ends a run of
this SDK, so that turn is left out.
"""

import asyncio
import json
import sys

import telemetry
from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
from agents.tracing import set_trace_processors
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

import story


class ScriptedModel(Model):
    """Says the next turn of one conversation."""

    def __init__(self, turns):
        self.turns = [turn for turn in turns if turn[0][0] != "ship_by_drone"]
        self.said = 0

    async def get_response(self, *args, **kwargs):
        await story.think_async()
        self.said += 1
        if self.said > len(self.turns):
            text = ResponseOutputText(text=story.LAST_WORDS, type="output_text", annotations=[])
            output = ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )
            return ModelResponse(output=[output], usage=Usage(), response_id=None)
        calls = [
            ResponseFunctionToolCall(
                arguments=json.dumps(arguments),
                call_id=f"call_{self.said}_{number}",
                name=tool,
                type="function_call",
            )
            for number, (tool, arguments) in enumerate(self.turns[self.said - 1])
        ]
        return ModelResponse(output=calls, usage=Usage(), response_id=None)

    def stream_response(self, *args, **kwargs):
        raise NotImplementedError


async def converse():
    tools = [function_tool(each) for each in story.FUNCTIONS]
    for number, conversation in enumerate(story.CONVERSATIONS, 1):
        agent = Agent("shopper", model=ScriptedModel(conversation["turns"]), tools=tools)
        config = RunConfig(workflow_name="shopping", group_id=f"conversation-{number}")
        await Runner.run(agent, conversation["prompt"], run_config=config, max_turns=20)


def main():
    provider = telemetry.start("shop-agent")
    # Nothing to the model's maker.
    set_trace_processors([])
    if sys.argv[1] == "openinference":
        from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
    else:
        from opentelemetry.instrumentation.openai_agents import OpenAIAgentsInstrumentor
    OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)
    asyncio.run(converse())
    provider.shutdown()


main()
