"""Hashes tool arguments where they are, so that they never leave the process.

    exporter = ArgsHashExporter(OTLPSpanExporter())
    provider.add_span_processor(BatchSpanProcessor(exporter))

On the spans of tool calls `args_hash` then stands in the place of the arguments: the first
twelve hex digits of SHA-256 over their RFC 8785 form. Where no honest hash can be made (text that
was cut, a redacted value, a lone surrogate) there is none, and the arguments go all the same.

For spans that carry no arguments, such as an MCP server's, the hash is set where they are known:

    @mcp.tool()
    @with_args_hash
    def search(query: str, limit: int = 10): ...
"""

import functools
import hashlib
import inspect
import json
import math
from collections.abc import Mapping
from contextlib import contextmanager
from decimal import Decimal

from opentelemetry import trace
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter

MAX_DEPTH = 128
# Attributes that hold arguments on the spans of tool calls, the best first.
ARGUMENTS = (
    "gen_ai.tool.call.arguments",
    "gcp.vertex.agent.tool_call_args",
    "tool_arguments",
    "ai.toolCall.args",
    "mcp.tool.arguments",
    "traceloop.entity.input",
    "langfuse.observation.input",
    "input.value",
    "mlflow.spanInputs",
    "gen_ai.tool.input",
    "tool_input",
    "gen_ai.prompt",
)
# Further places of the same arguments, in other words or with an attribute for each.
ALSO = ("mcp.request.payload", "tool.parameters", "gen_ai.input.messages", "input.mime_type")
EACH = ("mcp.request.argument.", "code.function.parameters.")
MARKS = ("***", "[redacted]", "<redacted>", "__redacted__", "[filtered]")


def canonical(value, depth=MAX_DEPTH):
    """The RFC 8785 text of a JSON value; ValueError or TypeError where it has none."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number(float(value))
    if isinstance(value, str):
        value.encode()  # a lone surrogate has no UTF-8
        return json.dumps(value, ensure_ascii=False)
    if depth == 0:
        raise ValueError("nested too deep")
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(canonical(each, depth - 1) for each in value) + "]"
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("a key is no text")
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        members = (f"{canonical(key)}:{canonical(value[key], depth - 1)}" for key in keys)
        return "{" + ",".join(members) + "}"
    raise TypeError(f"{type(value).__name__} is no JSON value")


def number(value):
    """A double as ECMAScript writes it; integers beyond 2^53 are doubles too."""
    if not math.isfinite(value):
        raise ValueError("not a finite number")
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    digits = "".join(map(str, digits))
    point = len(digits) + exponent
    if len(digits) <= point <= 21:
        text = digits + "0" * (point - len(digits))
    elif 0 < point <= 21:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        text = f"{digits[0]}{fraction}e{point - 1:+d}"
    return ("-" if sign else "") + text


def parse(text):
    """JSON text as a value; ValueError for what is none, and for a key that stands twice."""

    def members(pairs):
        if len({key for key, _ in pairs}) < len(pairs):
            raise ValueError("a key stands twice")
        return dict(pairs)

    def constant(name):
        raise ValueError(f"{name} is no JSON")

    return json.loads(text, object_pairs_hook=members, parse_constant=constant)


def args_hash(arguments):
    """The args_hash of arguments, a JSON value; None where no honest one can be made."""
    try:
        if hides(arguments):
            return None
        text = canonical({} if arguments is None else arguments)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def hides(value):
    """Whether a redaction stands somewhere in it: what it hides may differ."""
    if isinstance(value, str):
        return value.strip().lower() in MARKS
    if isinstance(value, Mapping):
        return any(hides(each) for each in value.values())
    return isinstance(value, (list, tuple)) and any(hides(each) for each in value)


def hash_of_text(text):
    """The args_hash of arguments as an attribute holds them."""
    text = text.strip()
    if text[:1] not in ("{", "[", '"', ""):
        # A single argument, bare: its bytes are hashed behind a mark that no JSON begins with.
        if text.lower() in MARKS or text.endswith(("...", "…")):
            return None
        try:
            return args_hash(parse(text))
        except ValueError:
            return hashlib.sha256(b"\0r\0" + text.encode()).hexdigest()[:12]
    try:
        return args_hash(unwrapped(parse(text))) if text else args_hash({})
    except (ValueError, RecursionError):
        return None  # cut, or no JSON: nothing honest can be said


def unwrapped(value):
    """The arguments out of what frameworks wrap around them."""
    if isinstance(value, str):
        return unwrapped(parse(value)) if value[:1] in ("{", "[") else value
    keys = set(value) if isinstance(value, Mapping) else set()
    if keys in ({"tool_name", "arguments"}, {"name", "arguments"}):
        return value["arguments"]
    if keys == {"args", "kwargs"} and not value["args"]:
        return value["kwargs"]
    if {"input_str", "inputs", "metadata"} <= keys:
        return value["inputs"] or unwrapped(value["input_str"])
    return value


def is_tool_call(attributes):
    """Whether a span's attributes say that it is a tool's call."""
    return (
        attributes.get("gen_ai.operation.name") in ("execute_tool", "tool_call")
        or attributes.get("mcp.method.name") == "tools/call"
        or str(attributes.get("openinference.span.kind")).upper() == "TOOL"
        or attributes.get("traceloop.span.kind") == "tool"
        or attributes.get("langfuse.observation.type") == "tool"
        or attributes.get("mlflow.spanType") == '"TOOL"'
        or str(attributes.get("ai.operationId")).startswith("ai.toolCall")
        or "tool_arguments" in attributes
    )


def without_arguments(span):
    """The span with `args_hash` in the place of its arguments; others as they are."""
    attributes = dict(span.attributes or {})
    if not is_tool_call(attributes):
        return span
    texts = [str(attributes.pop(key)) for key in ARGUMENTS if key in attributes]
    for event in span.events:
        if event.name == "gen_ai.tool.message" and "content" in (event.attributes or {}):
            texts.append(str(event.attributes["content"]))
    for key in [key for key in attributes if key in ALSO or key.startswith(EACH)]:
        del attributes[key]
    known = hash_of_text(texts[0]) if texts else None
    if known and "args_hash" not in attributes:
        attributes["args_hash"] = known
    events = [
        Event(each.name, {}, each.timestamp) if each.name == "gen_ai.tool.message" else each
        for each in span.events
    ]
    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=attributes,
        events=events,
        links=span.links,
        kind=span.kind,
        status=span.status,
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


class ArgsHashExporter(SpanExporter):
    """Stands before another exporter; what it hands on has hashes and no arguments."""

    def __init__(self, exporter):
        self._exporter = exporter

    def export(self, spans):
        return self._exporter.export([without_arguments(span) for span in spans])

    def shutdown(self):
        return self._exporter.shutdown()

    def force_flush(self, timeout_millis=30_000):
        return self._exporter.force_flush(timeout_millis)


def note_arguments(arguments, span=None):
    """Sets `args_hash` on a span, the current one unless another is given."""
    known = args_hash(arguments)
    if known:
        (span or trace.get_current_span()).set_attribute("args_hash", known)


@contextmanager
def tool_span(tracer, name, arguments):
    """A span of its own around a call of the tool `name`."""
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    with tracer.start_as_current_span(f"execute_tool {name}", attributes=attributes) as span:
        note_arguments(arguments, span)
        yield span


def with_args_hash(tool):
    """A tool's function that notes its arguments on the span in which it runs."""
    signature = inspect.signature(tool)

    def note(args, kwargs):
        given = signature.bind(*args, **kwargs).arguments
        # What a framework hands in beside the arguments is none of them.
        note_arguments(
            {
                key: value.model_dump(mode="json") if hasattr(value, "model_dump") else value
                for key, value in given.items()
                if not type(value).__name__.endswith("Context")
            }
        )

    if inspect.iscoroutinefunction(tool):

        @functools.wraps(tool)
        async def noted(*args, **kwargs):
            note(args, kwargs)
            return await tool(*args, **kwargs)

    else:

        @functools.wraps(tool)
        def noted(*args, **kwargs):
            note(args, kwargs)
            return tool(*args, **kwargs)

    return noted
