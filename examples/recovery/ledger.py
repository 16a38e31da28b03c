"""The dependency: an HTTP service that books an order, and can be made to fail.

A request's `x-fault` header says how: `503` answers "unavailable" the first eight times that a
booking is asked for, `slow` answers after the caller has stopped waiting.
"""

import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

UNAVAILABLE_FIRST = 8


class Ledger(BaseHTTPRequestHandler):
    refused = Counter()
    lock = threading.Lock()

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        fault = self.headers.get("x-fault", "")
        if fault == "slow":
            time.sleep(0.4)
        with self.lock:
            is_refused = fault == "503" and self.refused[self.path] < UNAVAILABLE_FIRST
            self.refused[self.path] += is_refused
        body = json.dumps({"booked": not is_refused}).encode()
        try:
            self.send_response(503 if is_refused else 200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # the caller has gone

    def log_message(self, *_):
        pass


def start():
    """Serves on a free port of this machine; answers the server and its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Ledger)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}"
