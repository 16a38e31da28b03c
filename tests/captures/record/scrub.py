"""Takes this machine's facts and foreign texts out of a request's body.

A body is decoded, its texts are changed, and it is encoded again in the format it came in, so
that lengths and framing stay right. Names, structure, numbers, times and ids are not touched.

- Attributes that describe a machine, a process, a person, an installation or a product's own
  database (SCRUBBED_KEYS) get the value "scrubbed".
- Folders of the recording are replaced by /home/agent, the machine's name by "host".
- Texts of more than LONGEST characters (the products' own prompts, tool descriptions and whole
  conversations) are replaced by a note of their length; an error's text (ERROR_KEYS, a status's
  message) keeps its beginning, which says what failed. The story's arguments and answers are far
  shorter.

`check` then refuses a body in which something of this machine is left.
"""

import functools
import getpass
import json
import os
import re
import socket
import subprocess
import urllib.parse

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

LONGEST = 1200
ERROR_START = 500
SCRUBBED = "scrubbed"
SCRUBBED_KEYS = re.compile(
    r"^(host\.|os\.|user\.(id|email|account)|user_(id|email)$|organization\.id|account[._]|"
    r"installation|device|machine|db\.(query|statement)|"
    r"process\.(pid|parent|executable|command|owner|runtime\.(description|version)|args)|"
    r"service\.instance\.id)"
)
ERROR_KEYS = re.compile(r"^(exception\.|error)")
MESSAGES = {
    "traces": ExportTraceServiceRequest,
    "logs": ExportLogsServiceRequest,
    "metrics": ExportMetricsServiceRequest,
}


@functools.cache
def registries():
    """The hosts that packages come from here, as patterns."""
    asked = [["npm", "config", "get", "registry"], ["pip", "config", "list"]]
    said = [subprocess.run(each, capture_output=True, text=True).stdout for each in asked]
    urls = re.findall(r"https?://[^\s'\"]+", " ".join(said))
    hosts = {urllib.parse.urlsplit(url).hostname for url in urls}
    return [re.escape(host) for host in sorted(filter(None, hosts))]


def signal(path):
    """Which signal a request's path means; a bare path is taken for logs."""
    return next((name for name in MESSAGES if name in path), "logs")


class Scrubber:
    """Scrubs what was recorded under `folders`."""

    def __init__(self, folders):
        self.names = [(os.path.realpath(f), "/home/agent") for f in folders]
        self.names += [(str(f), "/home/agent") for f in folders]
        # opencode tells a folder without its first slash, too.
        self.names += [(name.lstrip("/"), "home/agent") for name, _ in self.names]
        self.names += [(os.path.expanduser("~"), "/home/agent")]
        self.names = sorted({n for n in self.names if len(n[0]) > 1}, key=lambda n: -len(n[0]))
        # A short name may stand within another word.
        self.host = re.compile(rf"\b{re.escape(socket.gethostname())}\b")

    def body(self, path, kind, body):
        """A body without this machine's facts, in the format it came in."""
        if kind == "application/json":
            whole = self.json(json.loads(body))
            body = json.dumps(whole, separators=(",", ":"), ensure_ascii=False).encode()
        else:
            message = MESSAGES[signal(path)].FromString(body)
            self.message(message)
            body = message.SerializeToString()
        self.check(body)
        return body

    def check(self, body):
        """Fails where a fact of this machine is left."""
        text = body.decode(errors="replace")
        forbidden = [re.escape(name) for name, _ in self.names]
        forbidden += [self.host.pattern, *registries()]
        # Folders of any machine's, but not such a folder below another.
        forbidden += [r"(?<![\w.])/(tmp|root|var/folders)/"]
        if getpass.getuser() not in ("root", "agent"):
            forbidden.append(re.escape(getpass.getuser()))
        for pattern in forbidden:
            if found := re.search(pattern, text):
                around = text[max(found.start() - 150, 0) : found.end() + 150]
                raise SystemExit(f"left in a body: {pattern!r} in {around!r}")

    def text(self, text, is_error=False):
        for name, neutral in self.names:
            text = text.replace(name, neutral)
        text = self.host.sub("host", text)
        if len(text) <= LONGEST:
            return text
        start = f"{text[:ERROR_START]}... " if is_error else ""
        return f"{start}{SCRUBBED}: {len(text)} characters"

    def json(self, value, is_error=False):
        if isinstance(value, str):
            return self.text(value, is_error)
        if isinstance(value, list):
            return [self.json(each, is_error) for each in value]
        if not isinstance(value, dict):
            return value
        key = value.get("key")
        if isinstance(key, str) and SCRUBBED_KEYS.match(key):
            return {"key": key, "value": {"stringValue": SCRUBBED}}
        is_error = is_error or (isinstance(key, str) and ERROR_KEYS.match(key) is not None)
        return {key: self.json(each, is_error or key == "status") for key, each in value.items()}

    def message(self, message, is_error=False):
        """Every text of a protobuf message, in place."""
        if message.DESCRIPTOR.name == "KeyValue":
            if SCRUBBED_KEYS.match(message.key):
                message.value.Clear()
                message.value.string_value = SCRUBBED
                return
            is_error = is_error or ERROR_KEYS.match(message.key) is not None
        is_error = is_error or message.DESCRIPTOR.name == "Status"
        for field, value in message.ListFields():
            repeated = hasattr(value, "append")
            if field.type == field.TYPE_MESSAGE:
                for each in value if repeated else [value]:
                    self.message(each, is_error)
            elif field.type == field.TYPE_STRING:
                if repeated:
                    value[:] = [self.text(each, is_error) for each in value]
                else:
                    setattr(message, field.name, self.text(value, is_error))
