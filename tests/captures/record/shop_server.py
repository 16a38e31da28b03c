"""The shop as an MCP server on stdio, for clients that bring their own. Tells nothing itself.

Answers initialize, tools/list and tools/call, one line of JSON each; arguments that do not fit
are refused with isError and the text that the TypeScript SDK gives.
"""

import json
import sys
import time

import story

KINDS = {"string": str, "integer": int}


def result(tool, arguments):
    """What the tool answers, or why it does not."""
    if tool not in story.TOOLS:
        return failure(f"Tool {tool} not found")
    parameters = story.TOOLS[tool]["parameters"]
    fits = set(arguments) == set(parameters) and all(
        isinstance(arguments[name], KINDS[kind]) for name, kind in parameters.items()
    )
    if not fits:
        return failure(f"Input validation error: Invalid arguments for tool {tool}")
    if tool == "convert":
        time.sleep(0.05)
    told = story.TOOLS[tool]
    if "failure" in told:
        return failure(told["failure"])
    answer = told["answer"]
    return {"content": [] if answer is None else [{"type": "text", "text": answer}]}


def failure(text):
    return {"content": [{"type": "text", "text": text}], "isError": True}


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params.get("protocolVersion", "2025-06-18"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "shop", "version": "1.0.0"},
        }
    if method == "tools/list":
        tools = [
            {"name": name, "description": told["about"], "inputSchema": story.schema(name)}
            for name, told in story.TOOLS.items()
        ]
        return {"tools": tools}
    if method == "tools/call":
        return result(params["name"], params.get("arguments") or {})
    return {} if method == "ping" else None


def main():
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        reply = {"jsonrpc": "2.0", "id": request["id"]}
        said = answer(request["method"], request.get("params") or {})
        if said is None:
            reply["error"] = {"code": -32601, "message": "Method not found"}
        else:
            reply["result"] = said
        print(json.dumps(reply), flush=True)


main()
