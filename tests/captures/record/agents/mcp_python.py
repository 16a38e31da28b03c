"""The Python MCP SDK: an MCPServer in one process, a Client in another, over streamable HTTP.

Usage: mcp_python.py [traced]

Both sides tell what the SDK itself tells. With `traced` the agent has a span of its own around
each conversation, as an agent with any tracing has.
"""

import asyncio
import contextlib
import sys

import serving
import telemetry
from mcp import Client
from mcp.server.mcpserver import MCPServer
from opentelemetry import trace

import story


def serve(port):
    provider = telemetry.start("shop")
    server = MCPServer("shop")
    for function in story.FUNCTIONS:
        server.add_tool(function)
    server.run("streamable-http", host="127.0.0.1", port=port)
    provider.shutdown()


async def call(client, tool, arguments):
    # An unknown tool is answered with a protocol error, which the client raises.
    with contextlib.suppress(Exception):
        await client.call_tool(tool, arguments)


async def converse(url, is_traced):
    tracer = trace.get_tracer("shop-agent")
    for conversation in story.CONVERSATIONS:
        around = tracer.start_as_current_span("turns") if is_traced else contextlib.nullcontext()
        async with Client(url) as client:
            with around:
                for turn in conversation["turns"]:
                    await story.think_async()
                    await asyncio.gather(*(call(client, *each) for each in turn))


def main():
    if sys.argv[1:2] == ["serve"]:
        return serve(int(sys.argv[2]))
    provider = telemetry.start("shop-agent")
    with serving.server(__file__, "serve") as port:
        asyncio.run(converse(f"http://127.0.0.1:{port}/mcp", "traced" in sys.argv))
    provider.shutdown()


main()
