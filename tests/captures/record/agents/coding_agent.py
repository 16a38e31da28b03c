"""A coding agent from npm against a scripted model and the shop as its MCP server.

Usage: coding_agent.py claude-code|codex|gemini-cli|copilot-cli|qwen-code|opencode [VARIANT]

Each conversation is one run of the agent's command, not interactive, in an empty project folder.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import model
import story

HOME = Path(os.environ["HOME"])
SINK = os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"]
SERVER = [sys.executable, str(Path(__file__).resolve().parents[1] / "shop_server.py")]
SERVER_ENV = {"PYTHONPATH": os.environ["PYTHONPATH"], "PYTHONDONTWRITEBYTECODE": "1"}
TIME_LIMIT_S = 100


def write(path, text):
    path = HOME / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def mcp_servers(**more):
    server = {"command": SERVER[0], "args": SERVER[1:], "env": SERVER_ENV, **more}
    return {"mcpServers": {"shop": server}}


def claude_code(url, variant):
    """Logs and the beta spans; `details` adds arguments and names to the logs."""
    config = write("mcp.json", json.dumps(mcp_servers(type="stdio")))
    variables = {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_ENABLE_TELEMETRY": "1",
        "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA": "1",
        "OTEL_LOGS_EXPORTER": "otlp",
        "OTEL_TRACES_EXPORTER": "otlp",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        # Else the tools of a server are hidden behind a search for them.
        "ENABLE_TOOL_SEARCH": "false",
    }
    if variant == "details":
        variables["OTEL_LOG_TOOL_DETAILS"] = "1"
    command = ["claude", "-p", "--mcp-config", config, "--strict-mcp-config"]
    return [*command, "--allowedTools", "mcp__shop", "--"], variables


AGENTS = {
    "claude-code": claude_code,
}


def main():
    name, variant = sys.argv[1], (sys.argv[2:] or [None])[0]
    scripted = model.Model()
    command, variables = AGENTS[name](scripted.url, variant)
    project = HOME / "project"
    project.mkdir()
    for conversation in story.CONVERSATIONS:
        ended = subprocess.run(
            [*command, conversation["prompt"]],
            cwd=project,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            timeout=TIME_LIMIT_S,
        )
        print(f"{command[0]} ended with {ended.returncode}", flush=True)
    for path, request in scripted.log:
        tools = [each.get("name") or each for each in request.get("tools", [])]
        print(path, sorted(request), str(tools)[:2000], flush=True)


main()
