"""Sends tool calls through the OpenTelemetry SDK, with their arguments or with their hashes.

Usage: send_hashed.py HTTP_URL CASES_JSON START_UNIX_S hashed|whole ARGS_HASH_FOLDER

The cases are [span name, attributes] each; tests/it/args_hash.rs writes them and looks at what
firstcall keeps.
"""

import json
import sys

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, set_tracer_provider

URL, CASES, START, FORM, FOLDER = sys.argv[1:]
sys.path.insert(0, FOLDER)

from args_hash import ArgsHashExporter, tool_span, with_args_hash  # noqa: E402

SECOND = 1_000_000_000


def main():
    exporter = OTLPSpanExporter(endpoint=f"{URL}/v1/traces")
    if FORM == "hashed":
        exporter = ArgsHashExporter(exporter)
    provider = TracerProvider(resource=Resource.create({"service.name": f"python-{FORM}"}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    set_tracer_provider(provider)
    tracer = provider.get_tracer("openinference.instrumentation.example")
    begin = int(START) * SECOND
    with open(CASES, encoding="utf-8") as file:
        cases = json.load(file)
    for number, (name, attributes) in enumerate(cases):
        start = begin + number * SECOND
        span = tracer.start_span(name, attributes=attributes, start_time=start)
        span.end(start + SECOND // 10)
    # A span that is no tool call keeps what it has.
    tracer.start_span("chat", attributes={"input.value": "a prompt"}).end()

    # Spans that carry no arguments get their hash where they are known.
    @with_args_hash
    def noted(b, a="y"):
        return f"{a}{b}"

    attributes = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "noted"}
    with tracer.start_as_current_span(
        "tools/call noted", kind=SpanKind.SERVER, attributes=attributes
    ):
        noted(1, a="x")
    with tool_span(tracer, "spanned", {"b": 1, "a": "x"}):
        pass
    if not provider.force_flush():
        sys.exit("the spans could not be delivered")
    provider.shutdown()


main()
