"""The emitters: what is installed for each, in fixed versions, and how its agent is run."""

from dataclasses import dataclass, field

SDK = ["opentelemetry-sdk==1.45.2", "opentelemetry-exporter-otlp-proto-http==1.45.2"]


@dataclass(frozen=True)
class Emitter:
    """One recorded program."""

    # The folder of the environment that it runs in; several emitters may share one.
    environment: str
    # Python or npm packages, each with its version.
    packages: list[str]
    # The script in agents/ and its arguments.
    command: list[str]
    kind: str = "python"
    # What is set beside the endpoint.
    variables: dict[str, str] = field(default_factory=dict)


MCP = ["mcp==2.3.0", *SDK]
FASTMCP = ["fastmcp==4.2.3", *SDK]
LANGCHAIN = [
    "langchain==1.5.2",
    "langchain-core==1.8.3",
    "langgraph==1.2.24",
    "openinference-instrumentation-langchain==0.1.80",
    "opentelemetry-instrumentation-langchain==0.62.4",
    *SDK,
]
PYDANTIC_AI = ["pydantic-ai-slim==2.68.0", *SDK]
OPENAI_AGENTS = [
    "openai-agents==0.24.0",
    "openinference-instrumentation-openai-agents==2.6.0",
    "opentelemetry-instrumentation-openai-agents==0.62.4",
    *SDK,
]
OPENLLMETRY_MCP = ["mcp==1.30.0", "opentelemetry-instrumentation-mcp==0.62.4", *SDK]
VERCEL_AI = [
    "ai@7.0.173",
    "@ai-sdk/otel@1.0.173",
    "@opentelemetry/api@1.9.1",
    "@opentelemetry/sdk-trace-node@2.12.1",
    "@opentelemetry/exporter-trace-otlp-proto@0.223.1",
    "zod@4.6.7",
]


def coding_agent(name, package, variant=None):
    """A coding agent from npm."""
    command = ["coding_agent.py", name, *([variant] if variant else [])]
    return Emitter(f"npm-{name}", [package], command, kind="npm")


EMITTERS = {
    "mcp-python": Emitter("python-mcp", MCP, ["mcp_python.py"]),
    "mcp-python-traced": Emitter("python-mcp", MCP, ["mcp_python.py", "traced"]),
    "fastmcp": Emitter("fastmcp", FASTMCP, ["fastmcp_both.py"]),
    "fastmcp-sessions": Emitter(
        "fastmcp",
        FASTMCP,
        ["fastmcp_both.py", "legacy"],
        variables={"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"},
    ),
    "openinference-langchain": Emitter(
        "langchain", LANGCHAIN, ["langchain_agent.py", "openinference"]
    ),
    "openllmetry-langchain": Emitter("langchain", LANGCHAIN, ["langchain_agent.py", "openllmetry"]),
    "both-langchain": Emitter("langchain", LANGCHAIN, ["langchain_agent.py", "both"]),
    "pydantic-ai": Emitter("pydantic-ai", PYDANTIC_AI, ["pydantic_ai_agent.py", "5"]),
    "pydantic-ai-v2": Emitter("pydantic-ai", PYDANTIC_AI, ["pydantic_ai_agent.py", "2"]),
    "openinference-openai-agents": Emitter(
        "openai-agents", OPENAI_AGENTS, ["openai_agents_agent.py", "openinference"]
    ),
    "openllmetry-openai-agents": Emitter(
        "openai-agents", OPENAI_AGENTS, ["openai_agents_agent.py", "openllmetry"]
    ),
    "openllmetry-mcp": Emitter("openllmetry-mcp", OPENLLMETRY_MCP, ["openllmetry_mcp.py"]),
    "vercel-ai": Emitter("npm-ai", VERCEL_AI, ["vercel_ai.mjs", "new"], kind="node"),
    "vercel-ai-legacy": Emitter("npm-ai", VERCEL_AI, ["vercel_ai.mjs", "legacy"], kind="node"),
    "claude-code": coding_agent("claude-code", "@anthropic-ai/claude-code@2.1.332"),
    "claude-code-details": coding_agent(
        "claude-code", "@anthropic-ai/claude-code@2.1.332", "details"
    ),
    "codex": coding_agent("codex", "@openai/codex@0.171.0"),
    "copilot-cli": coding_agent("copilot-cli", "@github/copilot@1.0.102"),
    "copilot-cli-content": coding_agent("copilot-cli", "@github/copilot@1.0.102", "content"),
    "gemini-cli": coding_agent("gemini-cli", "@google/gemini-cli@0.61.0"),
    "qwen-code": coding_agent("qwen-code", "@qwen-code/qwen-code@0.24.4"),
    "opencode": coding_agent("opencode", "opencode-ai@1.18.33"),
}
