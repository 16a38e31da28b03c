"""Sends the same conversations through both OTLP exporters of the Python SDK.

Usage: send.py GRPC_URL HTTP_URL START_UNIX_S

Each exporter stands for a service of its own. What the conversations count for is worked out
in tests/it/sdk.rs, which calls this script.
"""

import json
import sys

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import (
    OTLPSpanExporter as GrpcExporter,
)
from opentelemetry.exporter.otlp.proto.http.trace_exporter import (
    OTLPSpanExporter as HttpExporter,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode

SECOND = 1_000_000_000

# Seconds from the conversation's start, arguments, result, error type.
CONVERSATIONS = [
    [(0, {"query": "shoes"}, [{"id": 1}], None)],
    [
        (0, {"query": "shoes", "colour": "grey"}, [], None),
        (6, {"query": "grey shoes"}, [{"id": 2}], None),
    ],
    [
        (0, {"query": 7}, None, "-32602"),
        (30, {"query": "7"}, [{"id": 3}], None),
    ],
]
ROUNDS = 5


def call(tracer, start, conversation, arguments, result, error):
    """One tool call as an MCP server tells it, with an ordinary span inside."""
    span = tracer.start_span(
        "tools/call find_goods",
        kind=SpanKind.SERVER,
        start_time=start,
        attributes={
            "mcp.method.name": "tools/call",
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "find_goods",
            "gen_ai.tool.call.arguments": json.dumps(arguments),
            "gen_ai.conversation.id": conversation,
            "mcp.client.name": "python-client",
        },
    )
    if result is not None:
        span.set_attribute("gen_ai.tool.call.result", json.dumps(result))
    if error is not None:
        span.set_attribute("error.type", error)
        span.set_status(Status(StatusCode.ERROR))
    inner = tracer.start_span(
        "SELECT", context=trace.set_span_in_context(span), start_time=start
    )
    inner.end(start + SECOND // 20)
    span.end(start + SECOND // 10)


def send(service, exporter, start):
    """Every conversation, several times, by one exporter."""
    provider = TracerProvider(resource=Resource.create({"service.name": service}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("python-server", "1.0")
    for number in range(ROUNDS * len(CONVERSATIONS)):
        begin = start + number * 60 * SECOND
        for at, arguments, result, error in CONVERSATIONS[number % len(CONVERSATIONS)]:
            name = f"{service}-{number}"
            call(tracer, begin + at * SECOND, name, arguments, result, error)
    if not provider.force_flush():
        sys.exit(f"{service}: the spans could not be delivered")
    provider.shutdown()


def main():
    grpc_url, http_url, start_s = sys.argv[1:]
    start = int(start_s) * SECOND
    send("python-grpc", GrpcExporter(endpoint=grpc_url, insecure=True), start)
    send("python-http", HttpExporter(endpoint=f"{http_url}/v1/traces"), start)


main()
