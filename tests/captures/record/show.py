"""Prints the spans and log records of a capture, for people.

Usage, with an interpreter that has opentelemetry-proto: show.py FOLDER [WORD]
Shows those whose name, body or event.name holds WORD; all of them without one.
"""

import gzip
import json
import sys
from pathlib import Path

from google.protobuf.json_format import MessageToDict

from scrub import MESSAGES, signal


def requests(folder):
    """Each request's entry in the list, and its body as a dictionary."""
    for entry in json.loads((folder / "requests.json").read_text())["requests"]:
        body = gzip.decompress((folder / entry["file"]).read_bytes())
        if entry["content_type"] == "application/json":
            yield entry, json.loads(body)
        else:
            message = MESSAGES[signal(entry["path"])].FromString(body)
            yield entry, MessageToDict(message)


def attributes(item):
    """Attributes by key, each value without its type."""
    pairs = item.get("attributes", [])
    return {pair["key"]: next(iter(pair["value"].values()), None) for pair in pairs}


def show(item, word):
    told = attributes(item)
    name = f"{item.get('name') or item.get('body')} {told.get('event.name', '')}"
    if word not in name:
        return
    start = int(item.get("startTimeUnixNano") or item.get("timeUnixNano") or 0)
    end = int(item.get("endTimeUnixNano") or start)
    print(f"  {name} kind {item.get('kind')} start {start} took {end - start} ns")
    ids = {key: item.get(key) for key in ("traceId", "spanId", "parentSpanId")}
    print(f"    {ids} status {item.get('status')}")
    for key, value in told.items():
        print(f"    {key} = {str(value)[:300]}")
    for event in item.get("events", []):
        print(f"    event {event.get('name')} {str(attributes(event))[:300]}")


def main():
    folder, word = Path(sys.argv[1]), (sys.argv[2:] or [""])[0]
    for entry, request in requests(folder):
        print(entry)
        for resource in request.get("resourceSpans", []) + request.get("resourceLogs", []):
            print(" resource", attributes(resource.get("resource", {})))
            for scope in resource.get("scopeSpans", []) + resource.get("scopeLogs", []):
                print(" scope", scope.get("scope", {}).get("name"))
                for item in scope.get("spans", []) + scope.get("logRecords", []):
                    show(item, word)


main()
