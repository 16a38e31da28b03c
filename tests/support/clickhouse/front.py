"""ClickHouse's HTTP interface in front of the real engine, for tests.

Usage: front.py DATA_DIR PORT

The engine is ClickHouse itself, as a library (chdb-core): types, SQL, MergeTree and its kin, their
deduplication of inserts by token, FINAL, mutations, partitions and TTL are the real ones, on disk
in DATA_DIR. Each request has a connection of its own, so requests run side by side. The program
says `listening ADDRESS` once, and ends when its standard input does.

What it cannot show, and what must be tried on a real server by FIRSTCALL_TEST_CLICKHOUSE_URL:

- replication, quorum, Keeper, Distributed tables and what a network between them does. Settings
  such as `insert_quorum` are parsed by the engine and then mean nothing;
- asynchronous inserts: the setting is taken, and every insert is synchronous all the same;
- an insert that is half read. The body is read whole before it is run, so an insert that its
  client gave up has never begun; a server may have written whole blocks of it by then;
- users, roles, quotas, TLS, sessions (`session_id`), system.query_log;
- speed: requests and answers go through Python, so no figure of throughput is to be taken here.
"""

import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import chdb

import faults
import wire

FAULTS = faults.Faults()
# Parameters of a URL that are no settings of the engine. Who asks is never looked at.
OF_HTTP = {
    "query", "database", "default_format", "decompress", "compress", "query_id", "user",
    "password", "role", "wait_end_of_query", "buffer_size", "enable_http_compression",
    "client_protocol_version",
}  # fmt: skip
INSERT = re.compile(r"\s*(INSERT\s+INTO\s.*?)\s+FORMAT\s+(\w+)\s*;?\s*", re.S | re.I)
READS = re.compile(r"[\s(]*(SELECT|WITH)\b", re.I)
OWN_FORMAT = re.compile(r"\bFORMAT\s+(\w+)\s*;?\s*$", re.I)
# Formats whose parts can be put behind one another; the second repeats its header in each.
PLAIN_STREAMS = {"RowBinary", "TabSeparated", "TSV", "JSONEachRow", "CSV"}
HEADED_STREAM = "RowBinaryWithNamesAndTypes"
CODE = re.compile(r"Code: (\d+)")
UNKNOWN_EXCEPTION = "1002"
# Around an exception that comes after the answer has begun.
TAG = "firstcalltagtest"


class Request:
    """What a client asks for."""

    def __init__(self, url, headers, body):
        fields = dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))
        if "multipart/form-data" in headers.get("Content-Type", ""):
            fields.update(wire.multipart(headers["Content-Type"], body))
            body = b""
        if fields.get("decompress") == "1":
            body = wire.inflate(body)
        found = INSERT.fullmatch(fields.get("query", ""))
        self.insert, self.input_format = found.groups() if found else (None, None)
        self.body = body if found else b""
        parts = [fields.get("query", "")] + ([] if found else [body.decode()])
        self.statement = "\n".join(part for part in parts if part)
        own = OWN_FORMAT.search(self.statement)
        self.format = own.group(1) if own else fields.get("default_format", "TabSeparated")
        self.database = fields.get("database")
        self.query_id = fields.get("query_id", "")
        self.is_whole = fields.get("wait_end_of_query") == "1"
        self.params = {k[6:]: v for k, v in fields.items() if k.startswith("param_")}
        self.settings = {
            k: v for k, v in fields.items() if k not in OF_HTTP and not k.startswith("param_")
        }

    def connect(self):
        """A connection with this request's database and settings."""
        connection = chdb.connect(sys.argv[1])
        for name, value in self.settings.items():
            if not re.fullmatch(r"\w+", name):
                raise ValueError(f"Code: 115. DB::Exception: no setting is called {name!r}")
            quoted = value.replace("\\", "\\\\").replace("'", "\\'")
            connection.query(f"SET {name} = '{quoted}'")
        if self.database:
            connection.query(f"USE `{self.database}`")
        return connection


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 64 * 1024
    disable_nagle_algorithm = True
    is_answering = False

    def log_message(self, *_):
        pass

    def do_GET(self):
        if urlsplit(self.path).path == "/ping":
            return self.reply(200, b"Ok.\n")
        return self.do_POST()

    def do_POST(self):
        self.is_answering = False
        try:
            body = wire.read_body(self.headers, self.rfile)
            if urlsplit(self.path).path == "/faults":
                FAULTS.set(json.loads(body)) if body else FAULTS.heal()
                return self.reply(200, b"")
            request = Request(self.path, self.headers, body)
            happening = FAULTS.take(request.statement)
            faults.before(happening)
            for statement in faults.first(happening):
                self.run_between(request, statement)
            self.run(request, happening)
        except (faults.Refused, EOFError, ConnectionError):
            self.close_connection = True
        except Exception as error:  # whatever the engine says goes to the client
            self.fail(str(error))

    def run_between(self, request, statement):
        connection = request.connect()
        try:
            connection.query(statement)
        finally:
            connection.close()

    def run(self, request, happening):
        connection = request.connect()
        try:
            if request.insert is not None:
                self.insert(connection, request, happening)
            elif READS.match(request.statement) and not request.is_whole and (
                request.format in PLAIN_STREAMS or request.format == HEADED_STREAM
            ):
                self.stream(connection, request, happening)
            else:
                self.answer(self.whole(connection, request), request, happening)
        finally:
            connection.close()

    def insert(self, connection, request, happening):
        inserter = connection.send_insert(request.insert, request.input_format)
        try:
            if request.body:
                inserter.append(request.body)
            rows = inserter.finish().rows_written
        finally:
            inserter.close()
        faults.after(happening)
        self.reply(200, b"", {**summary(written_rows=rows), **told(request)})

    def whole(self, connection, request):
        arguments = {"params": request.params} if request.params else {}
        return connection.query(request.statement, request.format, **arguments)

    def answer(self, result, request, happening):
        faults.after(happening)
        rows = summary(read_rows=result.rows_read(), written_rows=result.rows_written())
        self.reply(200, result.bytes() or b"", {**rows, **told(request)})

    def stream(self, connection, request, happening):
        """Sends rows as the engine finds them."""
        arguments = {"params": request.params} if request.params else {}
        parts = connection.send_query(request.statement, request.format, **arguments)
        header = None
        try:
            for part in parts:
                content = part.bytes()
                if not content:
                    continue
                if header is None:
                    faults.after(happening)
                    is_headed = request.format == HEADED_STREAM
                    header = content[: wire.row_binary_header(content)] if is_headed else b""
                    self.begin(request)
                    self.wfile.write(wire.chunk(content))
                    continue
                faults.within(happening)
                if not content.startswith(header):
                    raise RuntimeError("Code: 1002. DB::Exception: a part without its header")
                if len(content) > len(header):
                    self.wfile.write(wire.chunk(content[len(header) :]))
        finally:
            parts.close()
        if header is None:
            # No part, no header: only a whole answer has one.
            return self.answer(self.whole(connection, request), request, happening)
        faults.within(happening)
        self.wfile.write(wire.chunk(b""))

    def begin(self, request):
        self.is_answering = True
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("X-ClickHouse-Exception-Tag", TAG)
        for name, value in told(request).items():
            self.send_header(name, value)
        self.end_headers()

    def reply(self, status, content, headers={}):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def fail(self, text):
        """Tells an error: in the status, or, where the answer has begun, at its end."""
        found = CODE.search(text)
        text = text[found.start() :] if found else text
        if self.is_answering:
            self.wfile.write(wire.chunk(wire.late_exception(text, TAG)))
            self.close_connection = True
            return
        code = found.group(1) if found else UNKNOWN_EXCEPTION
        self.reply(500, text.encode(), {"X-ClickHouse-Exception-Code": code})


def summary(**counts):
    told = {name: str(count) for name, count in counts.items()}
    return {"X-ClickHouse-Summary": json.dumps(told)}


def told(request):
    return {"X-ClickHouse-Query-Id": request.query_id, "X-ClickHouse-Format": request.format}


class Front(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main():
    # Held open, so that the engine stays between requests.
    engine = chdb.connect(sys.argv[1])
    front = Front(("127.0.0.1", int(sys.argv[2])), Handler)
    print("listening {}:{}".format(*front.server_address), flush=True)
    threading.Thread(target=front.serve_forever, daemon=True).start()
    sys.stdin.buffer.read()
    engine.close()


main()
