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


def codex(url, variant):
    """Logs only: its traces tell every call once more, and a hundred other spans for each."""
    server = ", ".join(json.dumps(each) for each in SERVER[1:])
    variables = ", ".join(f"{key} = {json.dumps(value)}" for key, value in SERVER_ENV.items())
    write(
        ".codex/config.toml",
        f"""
model = "scripted"
model_provider = "mock"
check_for_update_on_startup = false

[model_providers.mock]
name = "mock"
base_url = "{url}/v1"
env_key = "MOCK_KEY"
wire_api = "responses"

[analytics]
enabled = false

[otel]
exporter = {{ otlp-http = {{ endpoint = "{SINK}/v1/logs", protocol = "{variant or "binary"}" }} }}

[mcp_servers.shop]
command = "{SERVER[0]}"
args = [{server}]
env = {{ {variables} }}
""",
    )
    command = ["codex", "exec", "--skip-git-repo-check"]
    return [*command, "--dangerously-bypass-approvals-and-sandbox"], {"MOCK_KEY": "dummy"}


def gemini_like(name, url, variables):
    """Gemini CLI and its fork: settings in a file, OTLP over HTTP, which is JSON."""
    write(
        f".{name}/settings.json",
        json.dumps(
            {
                **mcp_servers(trust=True),
                "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
                "privacy": {"usageStatisticsEnabled": False},
                "security": {"auth": {"selectedType": variables.pop("auth")}},
            }
        ),
    )
    prefix = name.upper()
    return {
        f"{prefix}_TELEMETRY_ENABLED": "true",
        f"{prefix}_TELEMETRY_TARGET": "local",
        f"{prefix}_TELEMETRY_OTLP_PROTOCOL": "http",
        f"{prefix}_TELEMETRY_OTLP_ENDPOINT": SINK,
        **variables,
    }


def gemini_cli(url, _variant):
    variables = {
        "auth": "gemini-api-key",
        "GEMINI_API_KEY": "dummy",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    variables = gemini_like("gemini", url, variables)
    return ["gemini", "--yolo", "-m", "gemini-2.5-pro", "-p"], variables


def qwen_code(url, _variant):
    variables = {
        "auth": "openai",
        "OPENAI_API_KEY": "dummy",
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_MODEL": "scripted",
    }
    return ["qwen", "--yolo", "-p"], gemini_like("qwen", url, variables)


def copilot_cli(url, variant):
    """Its own JSON exporter. `content` sends names, arguments and answers as they are."""
    config = write("mcp.json", json.dumps(mcp_servers(type="local", tools=["*"])))
    variables = {
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": "dummy",
        "COPILOT_MODEL": "scripted",
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
    }
    if variant == "content":
        variables["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "true"
    command = ["copilot", "--allow-all-tools", "--additional-mcp-config", f"@{config}"]
    return [*command, "--disable-builtin-mcps", "-p"], variables


def opencode(url, _variant):
    server = {"type": "local", "command": SERVER, "environment": SERVER_ENV, "enabled": True}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "mock",
        "options": {"baseURL": f"{url}/v1", "apiKey": "dummy"},
        "models": {"scripted": {"name": "scripted", "tool_call": True}},
    }
    config = {
        "autoupdate": False,
        "share": "disabled",
        "model": "mock/scripted",
        "small_model": "mock/scripted",
        "provider": {"mock": provider},
        "mcp": {"shop": server},
    }
    write(".config/opencode/opencode.json", json.dumps(config))
    variables = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    return ["opencode", "run"], {**variables, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"}


AGENTS = {
    "claude-code": claude_code,
    "codex": codex,
    "copilot-cli": copilot_cli,
    "gemini-cli": gemini_cli,
    "opencode": opencode,
    "qwen-code": qwen_code,
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
        print(path, sorted(request), model.names(request), flush=True)


main()
