"""The Python MCP SDK 1 on both sides of stdio, instrumented by OpenLLMetry.

Usage: openllmetry_mcp.py
"""

import asyncio
import contextlib
import os
import sys

import telemetry
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from opentelemetry.instrumentation.mcp import McpInstrumentor

import story


def serve():
    provider = telemetry.start("shop")
    McpInstrumentor().instrument(tracer_provider=provider)
    from mcp.server.fastmcp import FastMCP

    server = FastMCP("shop")
    for function in story.FUNCTIONS:
        server.add_tool(function)
    server.run("stdio")
    provider.shutdown()


async def call(session, tool, arguments):
    with contextlib.suppress(Exception):
        await session.call_tool(tool, arguments)


async def converse():
    command = StdioServerParameters(
        command=sys.executable, args=[__file__, "serve"], env=dict(os.environ)
    )
    for conversation in story.CONVERSATIONS:
        async with stdio_client(command) as (reader, writer):
            async with ClientSession(reader, writer) as session:
                await session.initialize()
                for turn in conversation["turns"]:
                    await story.think_async()
                    await asyncio.gather(*(call(session, *each) for each in turn))


def main():
    if sys.argv[1:] == ["serve"]:
        return serve()
    provider = telemetry.start("shop-agent")
    McpInstrumentor().instrument(tracer_provider=provider)
    asyncio.run(converse())
    provider.shutdown()


main()
