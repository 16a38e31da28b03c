"""What every scripted agent does, and the tools of the shop it does it with.

The story stands in story.json: the tools with their answers, and two conversations, each a list
of turns, each turn the calls that the model makes at once. Every argument, answer, failure and
prompt carries the mark CANARY, so that a test can look for it where it must not be.
"""

import json
import time
from pathlib import Path

CANARY = "cAnArY"
STORY = json.loads(Path(__file__).with_name("story.json").read_text())
TOOLS = STORY["tools"]
CONVERSATIONS = STORY["conversations"]
# What the model says when it makes no more calls.
LAST_WORDS = f"{CANARY}-done"


def think():
    """The model's time between an answer and the next call: longer than the 250 ms within which
    no model can have read an answer, far shorter than the window."""
    time.sleep(STORY["thinking_ms"] / 1000)


async def think_async():
    """The same for agents on an event loop."""
    import asyncio

    await asyncio.sleep(STORY["thinking_ms"] / 1000)


def schema(tool):
    """The JSON schema of a tool's arguments."""
    parameters = TOOLS[tool]["parameters"]
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in parameters.items()},
        "required": list(parameters),
        "additionalProperties": False,
    }


class PaymentError(Exception):
    """The shop's own failure."""


def price(sku: str) -> str:
    """The price of an article."""
    return TOOLS["price"]["answer"]


def order(sku: str, quantity: int) -> str:
    """Orders an article."""
    return TOOLS["order"]["answer"]


def search(query: str) -> str:
    """Finds articles."""
    return TOOLS["search"]["answer"]


def reviews(sku: str) -> list[str]:
    """What buyers say of an article: nothing yet."""
    return []


def stock(sku: str) -> str:
    """How many of an article are there."""
    return TOOLS["stock"]["answer"]


def convert(amount: int, currency: str) -> str:
    """Converts an amount of euros."""
    time.sleep(0.05)
    return TOOLS["convert"]["answer"]


def pay(order: str) -> str:
    """Pays an order: always fails."""
    raise PaymentError(TOOLS["pay"]["failure"])


FUNCTIONS = [price, order, search, reviews, stock, convert, pay]
