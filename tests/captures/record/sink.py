"""A loopback OTLP/HTTP receiver that keeps every request's body as it came."""

import gzip
import http.server
import threading


class Sink:
    """Listens on a free port; `requests` holds (path, content type, encoding, body), in order."""

    def __init__(self):
        self.requests = []
        lock = threading.Lock()
        sink = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.read_body()
                kind = self.headers.get("content-type", "").split(";")[0].strip()
                encoding = self.headers.get("content-encoding", "identity")
                with lock:
                    sink.requests.append((self.path, kind, encoding, body))
                answer = b"{}" if kind == "application/json" else b""
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def read_body(self):
                if self.headers.get("transfer-encoding", "").lower() != "chunked":
                    return self.rfile.read(int(self.headers.get("content-length", 0)))
                body = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        """The base URL, without a path."""
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()


def inflated(encoding, body):
    """A body without its content encoding."""
    return gzip.decompress(body) if encoding == "gzip" else body
