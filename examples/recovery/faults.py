"""Calls both variants of the server and injects the same faults into each.

Usage: faults.py OTLP_HTTP_URL START_UNIX_S

The spans are dated from START_UNIX_S on, so that a day which is over can be judged. What every
figure must be is worked out by hand in tests/it/recovery.rs, which runs this script.
"""

import json
import sys
import time
import urllib.request

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.propagate import inject
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode

import ledger
import orders

PATIENCE = 0.8


def provider(otlp_url, service):
    made = TracerProvider(resource=Resource.create({"service.name": service}))
    exporter = OTLPSpanExporter(endpoint=f"{otlp_url}/v1/traces")
    # Short, so that what is below a call often leaves before the call itself.
    made.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=50))
    return made


class Desk:
    """The client: calls tools on behalf of a model, and gives up waiting after 0.8 s."""

    def __init__(self, url, tracer, now, is_safe):
        self.url, self.tracer, self.now, self.is_safe = url, tracer, now, is_safe
        self.session = ""
        self.numbers = 0

    def order(self):
        """Arguments that were never used before."""
        self.numbers += 1
        return {"number": self.numbers, "item": "secret-item-canary"}

    def key(self, arguments):
        """The key of a business operation: another order, another key."""
        return f"key-canary-{arguments['number']}" if self.is_safe else None

    def create(self, arguments, fault="", key=None):
        key = key or self.key(arguments)
        return self.call("create_order", arguments, fault, key)

    def status(self, **arguments):
        return self.call("get_order_status", arguments)

    def call(self, tool, arguments, fault="", key=None):
        """Answers what the tool said; none where it was not waited for any longer."""
        span = self.tracer.start_span(
            f"tools/call {tool}",
            kind=SpanKind.CLIENT,
            start_time=self.now(),
            attributes={
                "mcp.method.name": "tools/call",
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": tool,
                "gen_ai.tool.call.arguments": json.dumps(arguments),
                "gen_ai.conversation.id": self.session,
            },
        )
        params = {"name": tool, "arguments": arguments, "key": key}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {"x-session": self.session, "x-client": "desk", "x-fault": fault}
        with trace.use_span(span, end_on_exit=False):
            inject(headers)
            # What carries the protocol is a client span as well, and no downstream attempt.
            carrier = self.tracer.start_span(
                "POST",
                kind=SpanKind.CLIENT,
                start_time=self.now(),
                attributes={"http.request.method": "POST", "server.address": "127.0.0.1"},
            )
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        answer, error = None, None
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                answer = json.loads(response.read())
            error = "tool_error" if answer.get("isError") else None
        except (TimeoutError, urllib.error.URLError):
            error = "timeout"
        if error:
            span.set_attribute("error.type", error)
            span.set_status(Status(StatusCode.ERROR))
        carrier.end(self.now())
        span.end(self.now())
        return answer


def play(desk, name):
    """Every fault, each in conversations of its own."""

    def begin(what):
        desk.session = f"{name}-{what}"

    # The answer is dropped after the write.
    for number in range(5):
        begin(f"dropped-{number}")
        arguments = desk.order()
        desk.create(arguments, "drop")
        if desk.is_safe:
            desk.status(key=desk.key(arguments))
        else:
            desk.create(arguments)
    # The ledger is not available at first.
    for number in range(20):
        begin(f"unavailable-{number}")
        arguments = desk.order()
        answer = desk.create(arguments, "503")
        if answer and answer.get("isError"):
            desk.create(arguments)
    # Cut off while the work goes on.
    for number in range(5):
        begin(f"async-{number}")
        answer = desk.create(desk.order(), "async")
        if desk.is_safe:
            handle = json.loads(answer["content"][0]["text"])["accepted"]
            desk.status(handle=handle)
    # Timeouts at each stage.
    for stage in orders.STAGES:
        begin(f"stage-{stage}")
        arguments = desk.order()
        desk.create(arguments, f"stage-{stage}")
        if desk.is_safe:
            desk.status(key=desk.key(arguments))
    # The same order again: with a key by the safe variant, without one by the other.
    for number in range(5):
        begin(f"again-{number}")
        arguments = desk.order()
        desk.create(arguments)
        desk.create(arguments)
    # Another order under the key of the first, where keys are not bound to operations.
    for number in range(3):
        begin(f"key-{number}")
        key = None if desk.is_safe else f"key-canary-session-{number}"
        desk.create(desk.order(), key=key)
        time.sleep(0.3)  # longer than it takes a model to read an answer
        desk.create(desk.order(), key=key)
    # A busy hour.
    for number in range(20):
        begin(f"busy-{number}")
        desk.create(desk.order(), "busy")


def main():
    otlp_url, start_s = sys.argv[1:]
    shift = int(start_s) * 1_000_000_000 - time.time_ns()
    ledger_server, ledger_url = ledger.start()
    for is_safe in (True, False):
        name = "orders-safe" if is_safe else "orders-unsafe"

        def now():
            return time.time_ns() + shift

        serving, calling = provider(otlp_url, name), provider(otlp_url, "desk")
        tools = orders.Orders(is_safe, ledger_url, serving.get_tracer("orders", "1.0"), now)
        server, url = orders.serve(tools, name)
        play(Desk(url, calling.get_tracer("desk", "1.0"), now, is_safe), name)
        server.shutdown()
        server.server_close()
        for each in (serving, calling):
            if not each.force_flush():
                sys.exit("the spans could not be delivered")
            each.shutdown()
    ledger_server.shutdown()


main()
