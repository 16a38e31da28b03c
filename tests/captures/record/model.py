"""A scripted model behind the interfaces that coding agents speak, on loopback.

Anthropic Messages, OpenAI Responses and Chat Completions, Gemini generateContent; whole or
streamed, as the client asks. It knows the conversation by its prompt, and the turn by how many
calls' turns the client shows it back. A tool is asked for by the name under which the client
offers it; one that is not offered, by its own name.
"""

import http.server
import json
import re
import threading
import uuid

import story

# How most clients name a tool of the server `shop`.
PREFIX = "mcp__shop__"


class Turn:
    """What the model says next: calls, or its last words."""

    def __init__(self, text, said, offered):
        found = [c for c in story.CONVERSATIONS if c["prompt"] in text]
        turns = found[0]["turns"] if found else []
        self.calls = []
        if found and offered and said < len(turns):
            story.think()
            self.calls = [(name_of(tool, offered), tool, args) for tool, args in turns[said]]
        self.text = "" if self.calls else story.LAST_WORDS


def name_of(tool, offered):
    """The name that a client gives a tool of the shop: ends in the tool's own. The client's own
    tools may end so too; the shop's come first."""
    ends = re.compile(rf"(^|[^a-z]){tool}$")
    found = [name for name in offered if ends.search(name) and "shop" in name]
    if found or tool not in story.TOOLS:
        return next(iter(found), tool)
    # Not shown until it is searched for, but there; or offered without the server's name.
    return tool if tool in offered else f"{PREFIX}{tool}"


def names(request):
    """Every tool's name in a request, whatever its form."""
    return re.findall(r'"name": "([\w.-]+)"', json.dumps(request.get("tools", [])))


def new_id(prefix):
    return f"{prefix}{uuid.uuid4().hex[:24]}"


def texts(value):
    """Every text within a request's messages."""
    return json.dumps(value, ensure_ascii=False)


def anthropic(request):
    messages = request["messages"]
    said = sum(
        1
        for m in messages
        if m["role"] == "assistant"
        and any(isinstance(b, dict) and b.get("type") == "tool_use" for b in m["content"])
    )
    turn = Turn(texts(messages), said, [t["name"] for t in request.get("tools", [])])
    blocks = [
        {"type": "tool_use", "id": new_id("toolu_"), "name": name, "input": args}
        for name, _, args in turn.calls
    ] or [{"type": "text", "text": turn.text}]
    message = {
        "id": new_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": blocks,
        "stop_reason": "tool_use" if turn.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    if not request.get("stream"):
        return json.dumps(message), "application/json"
    start = {**message, "content": [], "stop_reason": None}
    events = [("message_start", {"message": start})]
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            opened, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            opened = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events.append(("content_block_start", {"index": index, "content_block": opened}))
        events.append(("content_block_delta", {"index": index, "delta": delta}))
        events.append(("content_block_stop", {"index": index}))
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events.append(("message_delta", {"delta": ended, "usage": {"output_tokens": 1}}))
    events.append(("message_stop", {}))
    return server_sent(events), "text/event-stream"


def server_sent(events):
    return "".join(
        f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n" for kind, data in events
    )


def responses(request):
    """OpenAI Responses; a tool may stand in a namespace."""
    items = request["input"] if isinstance(request["input"], list) else []
    # Calls of one turn follow each other; an answer stands between turns.
    kinds = [item.get("type") for item in items if "call" in str(item.get("type"))]
    said = sum(
        1
        for before, kind in zip([None, *kinds], kinds)
        if kind == "function_call" and before != "function_call"
    )
    namespaces, offered = {}, []
    for tool in request.get("tools", []):
        if tool.get("type") == "namespace":
            for inner in tool.get("tools", []):
                offered.append(inner["name"])
                namespaces[inner["name"]] = tool["name"]
        elif "name" in tool:
            offered.append(tool["name"])
    turn = Turn(texts(request["input"]), said, offered)
    output = []
    for name, _, args in turn.calls:
        call = {
            "type": "function_call",
            "id": new_id("fc_"),
            "call_id": new_id("call_"),
            "name": name,
            "arguments": json.dumps(args),
            "status": "completed",
        }
        if name in namespaces:
            call["namespace"] = namespaces[name]
        output.append(call)
    if not output:
        content = [{"type": "output_text", "text": turn.text, "annotations": []}]
        output = [
            {
                "type": "message",
                "id": new_id("msg_"),
                "role": "assistant",
                "status": "completed",
                "content": content,
            }
        ]
    response = {
        "id": new_id("resp_"),
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": request.get("model", "scripted"),
        "output": output,
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        },
    }
    if not request.get("stream"):
        return json.dumps(response), "application/json"
    opened = {**response, "status": "in_progress", "output": []}
    events = [("response.created", {"response": opened})]
    for index, item in enumerate(output):
        place = {"output_index": index, "item": item}
        events.append(("response.output_item.added", place))
        events.append(("response.output_item.done", place))
    events.append(("response.completed", {"response": response}))
    return server_sent(events), "text/event-stream"


def chat(request):
    messages = request["messages"]
    said = sum(1 for m in messages if m["role"] == "assistant" and m.get("tool_calls"))
    offered = [t["function"]["name"] for t in request.get("tools", []) if "function" in t]
    turn = Turn(texts(messages), said, offered)
    calls = [
        {
            "index": index,
            "id": new_id("call_"),
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(args)},
        }
        for index, (name, _, args) in enumerate(turn.calls)
    ]
    reason = "tool_calls" if calls else "stop"
    message = {"role": "assistant", "content": turn.text or None}
    if calls:
        message["tool_calls"] = calls
    whole = {"id": new_id("chatcmpl-"), "created": 0, "model": request.get("model", "scripted")}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if not request.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": reason}
        body = {**whole, "object": "chat.completion", "choices": [choice], "usage": usage}
        return json.dumps(body), "application/json"
    pieces = [
        {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {"choices": [], "usage": usage},
    ]
    lines = [
        f"data: {json.dumps({**whole, 'object': 'chat.completion.chunk', **piece})}\n\n"
        for piece in pieces
    ]
    return "".join(lines) + "data: [DONE]\n\n", "text/event-stream"


def gemini(request, is_streamed):
    contents = request["contents"]
    said = sum(
        1
        for c in contents
        if c.get("role") == "model" and any("functionCall" in p for p in c["parts"])
    )
    offered = [
        f["name"] for t in request.get("tools", []) for f in t.get("functionDeclarations", [])
    ]
    turn = Turn(texts(contents), said, offered)
    parts = [{"functionCall": {"name": name, "args": args}} for name, _, args in turn.calls]
    body = {
        "candidates": [
            {
                "content": {"role": "model", "parts": parts or [{"text": turn.text}]},
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 1,
            "candidatesTokenCount": 1,
            "totalTokenCount": 2,
        },
        "modelVersion": "scripted",
    }
    if is_streamed:
        return f"data: {json.dumps(body)}\r\n\r\n", "text/event-stream"
    return json.dumps(body), "application/json"


def answer(path, request):
    """The answer to a request for a model's words, and its type; none for anything else."""
    path = path.split("?")[0]
    if path.endswith("/messages"):
        return anthropic(request)
    if path.endswith("/responses"):
        return responses(request)
    if path.endswith("/chat/completions"):
        return chat(request)
    if "GenerateContent" in path or "generateContent" in path:
        return gemini(request, "stream" in path)
    if path.endswith("/count_tokens") or path.endswith(":countTokens"):
        return json.dumps({"input_tokens": 1, "totalTokens": 1}), "application/json"
    return None


class Model:
    """Listens on a free port. `log` holds what was asked, for finding faults."""

    def __init__(self):
        self.log = []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                try:
                    request = json.loads(body or b"{}")
                except ValueError:
                    request = {}
                model.log.append((self.path, request))
                self.reply(answer(self.path, request))

            def do_GET(self):
                model.log.append((self.path, {}))
                models = {"object": "list", "data": [{"id": "scripted", "object": "model"}]}
                is_list = self.path.split("?")[0].endswith("/models")
                self.reply((json.dumps(models), "application/json") if is_list else None)

            def reply(self, said):
                text, kind = said or ("{}", "application/json")
                self.send_response(200 if said else 404)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        """The base URL, without a path."""
        return f"http://127.0.0.1:{self.server.server_port}"
