"""Prints the tool-call side of a capture for people. Usage: run with the recorder's interpreter:
show.py FOLDER [all]"""

import gzip
import json
import sys
from pathlib import Path

from google.protobuf.json_format import MessageToDict

from scrub import MESSAGES, signal


def value(any_value):
    (kind,) = any_value.keys() or ("",)
    return any_value.get(kind)


def main():
    folder, everything = Path(sys.argv[1]), "all" in sys.argv
    for one in json.loads((folder / "requests.json").read_text())["requests"]:
        body = gzip.decompress((folder / one["file"]).read_bytes())
        print(f"== {one} {len(body)} bytes")
        if one["content_type"] == "application/json":
            whole = json.loads(body)
        else:
            whole = MessageToDict(MESSAGES[signal(one["path"])].FromString(body))
        for resource in whole.get("resourceSpans", []) + whole.get("resourceLogs", []):
            attributes = resource.get("resource", {}).get("attributes", [])
            print(" resource", {a["key"]: value(a["value"]) for a in attributes if everything or a["key"].startswith("service")})
            for scope in resource.get("scopeSpans", []) + resource.get("scopeLogs", []):
                print("  scope", scope.get("scope"))
                for item in scope.get("spans", []) + scope.get("logRecords", []):
                    start = int(item.get("startTimeUnixNano", item.get("timeUnixNano", 0)))
                    end = int(item.get("endTimeUnixNano", start))
                    print(
                        "   ", item.get("name", item.get("body")), item.get("kind"),
                        f"{start / 1e9 % 1000:.3f} +{(end - start) / 1e6:.1f}ms",
                        "trace", item.get("traceId"), "span", item.get("spanId"), "parent", item.get("parentSpanId"),
                        item.get("status", ""),
                    )
                    print("      ", {a["key"]: str(value(a["value"]))[:90] for a in item.get("attributes", []) if everything or not a["key"].startswith(("llm.","metadata","thread."))})
                    for event in item.get("events", []):
                        print("       event", event.get("name"), {a["key"]: str(value(a["value"]))[:200] for a in event.get("attributes", [])})


main()
