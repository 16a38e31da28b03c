"""A Pydantic AI agent with a scripted function model, told by its own instrumentation.

Usage: pydantic_ai_agent.py VERSION      (of the instrumentation's attributes)
"""

import sys

import telemetry
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

import story


async def model(messages, info):
    """The next turn of the conversation whose prompt comes first."""
    await story.think_async()
    first = next(each for each in messages if isinstance(each, ModelRequest))
    prompt = next(p.content for p in first.parts if p.part_kind == "user-prompt")
    turns = next(c["turns"] for c in story.CONVERSATIONS if c["prompt"] == prompt)
    said = sum(1 for each in messages if isinstance(each, ModelResponse))
    if said >= len(turns):
        return ModelResponse(parts=[TextPart(story.LAST_WORDS)])
    calls = enumerate(turns[said])
    return ModelResponse(
        parts=[ToolCallPart(tool, args, f"call_{said}_{n}") for n, (tool, args) in calls]
    )


def pay(order: str) -> str:
    """Pays an order: always fails."""
    try:
        return story.pay(order)
    except story.PaymentError as error:
        raise ModelRetry(str(error)) from error


def main():
    provider = telemetry.start("shop-agent")
    settings = InstrumentationSettings(tracer_provider=provider, version=int(sys.argv[1]))
    Agent.instrument_all(settings)
    functions = [each for each in story.FUNCTIONS if each is not story.pay]
    agent = Agent(FunctionModel(model), name="shopper", tools=[*functions, pay], retries=3)
    for conversation in story.CONVERSATIONS:
        agent.run_sync(conversation["prompt"])
    provider.shutdown()


main()
