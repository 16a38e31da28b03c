"""FastMCP: a server with a mounted server in one process, a client in another.

Usage: fastmcp_both.py [PROTOCOL]

The shop is mounted into a hub under the prefix `shop`, so a call passes through two servers:
`shop_price` at the hub is `price` at the shop. PROTOCOL chooses how the client connects.
"""

import asyncio
import contextlib
import sys

import serving
import telemetry
from fastmcp import Client, FastMCP

import story


def serve(port):
    provider = telemetry.start("hub")
    shop = FastMCP("shop")
    for function in story.FUNCTIONS:
        shop.tool(function)
    hub = FastMCP("hub")
    hub.mount(shop, namespace="shop")
    hub.run("http", host="127.0.0.1", port=port, show_banner=False)
    provider.shutdown()


async def call(client, tool, arguments):
    with contextlib.suppress(Exception):
        await client.call_tool(f"shop_{tool}", arguments)


async def converse(url, options):
    for conversation in story.CONVERSATIONS:
        async with Client(url, **options) as client:
            for turn in conversation["turns"]:
                await story.think_async()
                await asyncio.gather(*(call(client, *each) for each in turn))


def main():
    if sys.argv[1:2] == ["serve"]:
        return serve(int(sys.argv[2]))
    provider = telemetry.start("shop-agent")
    options = {"mode": sys.argv[1]} if sys.argv[1:] else {}
    with serving.server(__file__, "serve") as port:
        asyncio.run(converse(f"http://127.0.0.1:{port}/mcp", options))
    provider.shutdown()


main()
