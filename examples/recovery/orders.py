"""A small MCP-like server with one tool that writes, in two variants.

`create_order` books an order with the ledger over HTTP and keeps it in SQLite;
`get_order_status` tells what became of one. Both variants do the same work and send the same
spans. What the safe one does beside it:

- It takes an idempotency key, and answers a key that it knows from the first result.
- It retries the ledger once and then says that the call may be sent again, instead of trying on
  while the caller waits.
- It refuses early instead of letting a call spend its time in the queue.
- Its timeouts and unknown outcomes come with something to ask `get_order_status` with.
"""

import json
import sqlite3
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry import trace
from opentelemetry.propagate import extract
from opentelemetry.trace import SpanKind, Status, StatusCode

STAGES = ("queue", "auth", "downstream", "transform", "audit")


class ToolError(Exception):
    """The tool ran and says that it failed."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


class Orders:
    """The tools. `now` is the clock of the spans, in nanoseconds."""

    def __init__(self, is_safe, ledger_url, tracer, now):
        self.is_safe = is_safe
        self.ledger_url = ledger_url
        self.tracer = tracer
        self.now = now
        self.lock = threading.Lock()
        self.database = sqlite3.connect(":memory:", check_same_thread=False)
        self.database.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, body TEXT, key TEXT)")

    # What lies below a call: each a client span of its own.

    def query(self, statement, *values):
        span = self.tracer.start_span(
            statement.split()[0],
            kind=SpanKind.CLIENT,
            start_time=self.now(),
            attributes={"db.system.name": "sqlite", "db.query.text": statement},
        )
        with self.lock:
            rows = self.database.execute(statement, values).fetchall()
            self.database.commit()
        span.end(self.now())
        return rows

    def book(self, number, fault, attempt):
        """Asks the ledger once; answers whether it booked."""
        variant = "safe" if self.is_safe else "unsafe"
        url = f"{self.ledger_url}/{variant}/bookings/{number}"
        span = self.tracer.start_span(
            "POST",
            kind=SpanKind.CLIENT,
            start_time=self.now(),
            attributes={
                "http.request.method": "POST",
                "url.full": url,
                "server.address": "127.0.0.1",
                "peer.service": "ledger",
            },
        )
        if attempt:
            span.set_attribute("http.request.resend_count", attempt)
        request = urllib.request.Request(url, data=b"{}", headers={"x-fault": fault})
        error = None
        try:
            urllib.request.urlopen(request, timeout=0.15).close()
        except urllib.error.HTTPError as refused:
            error = str(refused.code)
            refused.close()
        except (TimeoutError, urllib.error.URLError):
            error = "timeout"
        if error:
            span.set_attribute("error.type", error)
            span.set_status(Status(StatusCode.ERROR))
        span.end(self.now())
        return error

    def book_with_retries(self, number, fault):
        tries = 2 if self.is_safe else 10
        for attempt in range(tries):
            error = self.book(number, fault, attempt)
            if error is None:
                return
            if error == "timeout":
                raise ToolError("timeout", self.advice("the ledger did not answer in time"))
        raise ToolError("tool_error", "the ledger is not available; send the call again later")

    def advice(self, text):
        if self.is_safe:
            return f"{text}. The order may exist: ask get_order_status with the same key"
        return text

    # The tools.

    def create_order(self, span, arguments, key, fault):
        span.set_attribute(
            "firstcall.operation.kind", "idempotent_write" if self.is_safe else "write"
        )
        if key:
            span.set_attribute("firstcall.idempotency.key", key)
        self.wait_in_queue(span, fault)
        self.time_out(span, fault, "queue")
        self.time_out(span, fault, "auth")
        if self.is_safe:
            known = self.query("SELECT id FROM orders WHERE key = ?", key)
            span.set_attribute("firstcall.idempotency.status", "replayed" if known else "first")
            if known:
                span.set_attribute("firstcall.business.outcome", "committed")
                return {"order": known[0][0]}
        if fault == "async":
            # The booking goes on after the answer; nobody knows yet how it ends.
            number = self.insert(arguments, key)
            span.set_attribute("firstcall.business.outcome", "unknown")
            span.set_attribute("firstcall.operation.handle", f"handle-canary-{number}")
            return {"accepted": f"handle-canary-{number}"}
        number = arguments["number"]
        try:
            self.book_with_retries(number, {"503": "503", "stage-downstream": "slow"}.get(fault, ""))
        except ToolError as error:
            if error.kind == "timeout":
                span.set_attribute("firstcall.timeout.stage", "downstream")
                span.set_attribute("firstcall.dependency", "ledger")
            elif self.is_safe:
                span.set_attribute("firstcall.business.outcome", "rejected")
                span.set_attribute("firstcall.retry.safe", True)
            raise
        order = self.insert(arguments, key)
        self.time_out(span, fault, "transform")
        self.time_out(span, fault, "audit")
        span.set_attribute("firstcall.business.outcome", "committed")
        return {"order": order}

    def insert(self, arguments, key):
        body = json.dumps(arguments, sort_keys=True)
        rows = self.query("INSERT INTO orders (body, key) VALUES (?, ?) RETURNING id", body, key)
        return rows[0][0]

    def wait_in_queue(self, span, fault):
        if fault != "busy":
            return
        began = time.monotonic()
        # The safe variant keeps its queue short and refuses what would not be done in time.
        time.sleep(0.005 if self.is_safe else 0.06)
        waited = (time.monotonic() - began) * 1000
        span.set_attribute("firstcall.budget.total_ms", 100)
        span.set_attribute("firstcall.budget.queue_ms", waited)

    def time_out(self, span, fault, stage):
        if fault == f"stage-{stage}":
            span.set_attribute("firstcall.timeout.stage", stage)
            raise ToolError("timeout", self.advice(f"ran out of time: {stage}"))

    def get_order_status(self, span, arguments, _key, _fault):
        span.set_attribute("firstcall.operation.kind", "read")
        if "handle" in arguments:
            span.set_attribute("firstcall.operation.handle", arguments["handle"])
        rows = self.query(
            "SELECT count(*) FROM orders WHERE key = ? OR 'handle-canary-' || id = ?",
            arguments.get("key"),
            arguments.get("handle"),
        )
        found = rows[0][0] > 0
        span.set_attribute("firstcall.business.outcome", "committed" if found else "rejected")
        return {"state": "committed" if found else "unknown to us: it was not done"}


def serve(orders, name):
    """Serves the tools over HTTP; answers the server and its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            params, fault = body["params"], self.headers.get("x-fault", "")
            tool, arguments = params["name"], params["arguments"]
            span = orders.tracer.start_span(
                f"tools/call {tool}",
                context=extract({key.lower(): value for key, value in self.headers.items()}),
                kind=SpanKind.SERVER,
                start_time=orders.now(),
                attributes={
                    "mcp.method.name": "tools/call",
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": tool,
                    "gen_ai.tool.call.arguments": json.dumps(arguments),
                    "gen_ai.conversation.id": self.headers["x-session"],
                    "mcp.client.name": self.headers["x-client"],
                },
            )
            with trace.use_span(span, end_on_exit=False):
                answer = self.answer(span, tool, arguments, params.get("key"), fault)
            if fault == "drop":
                # The write is done; the answer comes after the caller has gone.
                time.sleep(1.2)
            span.end(orders.now())
            self.send(answer)

        def answer(self, span, tool, arguments, key, fault):
            try:
                result = getattr(orders, tool)(span, arguments, key, fault)
            except ToolError as error:
                span.set_attribute("error.type", error.kind)
                span.set_status(Status(StatusCode.ERROR))
                return {"isError": True, "content": [{"type": "text", "text": str(error)}]}
            result = {"content": [{"type": "text", "text": json.dumps(result)}]}
            span.set_attribute("gen_ai.tool.call.result", json.dumps(result))
            return result

        def send(self, answer):
            body = json.dumps(answer).encode()
            try:
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                pass  # the caller has gone

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False  # closing waits for the answers that nobody waits for
    server.service_name = name
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}"
