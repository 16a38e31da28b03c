//! MCP SDKs, servers, and instrumentations of MCP alone.

use super::{Remedies, Remedy};

/// The SDKs that carry no arguments: the tool's own span is current while it runs.
const PYTHON_TOOL: Remedy = Remedy::new(
    "Python, of the server",
    "from args_hash import with_args_hash  # examples/args-hash/python",
    "mcp.tool()(with_args_hash(search))    # in place of mcp.tool()(search)",
);
const PYTHON_RESULT: Remedy = Remedy::new(
    "Python, in the server's tool",
    "span = trace.get_current_span()",
    "span.set_attribute(\"gen_ai.tool.call.result\", json.dumps(result))",
);
const AGENT_SESSION: Remedy = Remedy::new(
    "Python, of the agent that calls",
    "span = trace.get_current_span()  # the agent's turn, above the call",
    "span.set_attribute(\"gen_ai.conversation.id\", conversation_id)",
);
/// A failure that the client's span hides is told by the server's.
const SERVER_TOO: Remedy = Remedy::new(
    "shell, of the MCP server",
    "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318",
    "export OTEL_TRACES_EXPORTER=otlp  # its spans tell what the client's hide",
);

pub(super) const REMEDIES: &[Remedies] = &[
    Remedies {
        dialects: &["csharp_mcp_sdk"],
        arguments: Remedy::new(
            "C#, in the tool",
            "var json = JsonSerializer.Serialize(context.Params.Arguments);",
            "Activity.Current?.SetTag(\"gen_ai.tool.call.arguments\", json);",
        ),
        result: Remedy::new(
            "C#, in the tool",
            "var json = JsonSerializer.Serialize(result);",
            "Activity.Current?.SetTag(\"gen_ai.tool.call.result\", json);",
        ),
        session: Remedy::new(
            "C#, of the agent that calls",
            "var id = conversation.Id;  // mcp.session.id is random per handler here",
            "Activity.Current?.SetTag(\"gen_ai.conversation.id\", id);",
        ),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["python_mcp_sdk_server"],
        arguments: PYTHON_TOOL,
        result: PYTHON_RESULT,
        session: AGENT_SESSION,
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["python_mcp_sdk_client"],
        arguments: Remedy::new(
            "Python, of the agent that calls",
            "with tool_span(tracer, name, arguments):  # examples/args-hash/python",
            "    result = await session.call_tool(name, arguments)",
        ),
        result: SERVER_TOO,
        session: AGENT_SESSION,
        failure: Some(SERVER_TOO),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["adot_mcp"],
        // Both are on where its own exporter does not move them off the span.
        arguments: ADOT_EXPORTER,
        result: ADOT_EXPORTER,
        session: AGENT_SESSION,
        failure: Some(Remedy::new(
            "shell, of the client",
            "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318",
            "export OTEL_TRACES_EXPORTER=otlp",
        )),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["fastmcp"],
        arguments: PYTHON_TOOL,
        result: PYTHON_RESULT,
        session: AGENT_SESSION,
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["sentry_mcp"],
        arguments: Remedy::new(
            "TypeScript, of the server",
            "const options = { recordInputs: true, recordOutputs: true };",
            "const server = Sentry.wrapMcpServerWithSentry(mcpServer, options);",
        ),
        result: Remedy::new(
            "TypeScript, of the server",
            "const options = { recordInputs: true, recordOutputs: true };",
            "const server = Sentry.wrapMcpServerWithSentry(mcpServer, options);",
        ),
        session: Remedy::new(
            "TypeScript, of the server",
            "const id = extra._meta?.[\"conversation\"];",
            "Sentry.getActiveSpan()?.setAttribute(\"gen_ai.conversation.id\", id);",
        ),
        sampling: Remedy::new(
            "TypeScript, of the server",
            "const rate = 1.0;",
            "Sentry.init({ dsn, tracesSampleRate: rate });",
        ),
        hidden: Remedy::new(
            "TypeScript, of the server",
            "const options = { recordInputs: true, recordOutputs: true };",
            "Sentry.init({ dsn, sendDefaultPii: true, maxValueLength: 100_000 });",
        ),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["logfire_openai_agents"],
        arguments: Remedy::new(
            "Python",
            "logfire.configure(scrubbing=False)  # only where firstcall alone receives",
            "logfire.instrument_openai_agents()  # its spans carry `input`",
        ),
        result: Remedy::new(
            "Python",
            "logfire.configure()",
            "logfire.instrument_openai_agents()  # its spans carry `output`",
        ),
        session: AGENT_SESSION,
        failure: Some(Remedy::new(
            "Python, beside it",
            "logfire.configure()",
            "logfire.instrument_mcp()  # a span with its `response` tells isError",
        )),
        sampling: LOGFIRE_SAMPLING,
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["logfire_mcp_client", "logfire_mcp_server"],
        arguments: Remedy::new(
            "Python",
            "logfire.configure(scrubbing=False)  # only where firstcall alone receives",
            "logfire.instrument_mcp()            # its spans carry `request`",
        ),
        result: Remedy::new(
            "Python, of both sides",
            "logfire.configure()",
            "logfire.instrument_mcp()  # the span that waits for the answer carries it",
        ),
        session: AGENT_SESSION,
        failure: Some(Remedy::new(
            "Python, of both sides",
            "logfire.configure()",
            "logfire.instrument_mcp()  # a span with its `response` tells isError",
        )),
        sampling: LOGFIRE_SAMPLING,
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["openllmetry_mcp"],
        arguments: TRACELOOP_CONTENT,
        result: TRACELOOP_CONTENT,
        session: TRACELOOP_SESSION,
        hidden: TRACELOOP_HIDDEN,
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["hyperdx_mcp", "mcpcat"],
        arguments: Remedy::new(
            "TypeScript, in the tool's handler",
            "import { noteArguments } from \"./args-hash.js\"; // examples/args-hash",
            "noteArguments(args); // sets args_hash on the active span",
        ),
        result: Remedy::new(
            "TypeScript, in the tool's handler",
            "const json = JSON.stringify(result);",
            "trace.getActiveSpan()?.setAttribute(\"gen_ai.tool.call.result\", json);",
        ),
        session: Remedy::new(
            "TypeScript, in the tool's handler",
            "const id = extra.sessionId;",
            "trace.getActiveSpan()?.setAttribute(\"session.id\", id);",
        ),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["openlit_mcp"],
        arguments: Remedy::new(
            "Python",
            "import openlit",
            "openlit.init(capture_message_content=True)",
        ),
        result: Remedy::new(
            "Python",
            "import openlit",
            "openlit.init(capture_message_content=True)",
        ),
        session: AGENT_SESSION,
        ..Remedies::BASE
    },
];

/// ADOT's own exporter to AWS moves content off the span; OTLP's leaves it there.
const ADOT_EXPORTER: Remedy = Remedy::new(
    "shell, of both sides",
    "export OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
    "export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://127.0.0.1:4318/v1/traces",
);
/// Logfire keeps every trace.
pub(super) const LOGFIRE_SAMPLING: Remedy = Remedy::new(
    "shell, of the sending program",
    "export LOGFIRE_TRACE_SAMPLE_RATE=1.0",
    "# and no sampling= of its own in logfire.configure()",
);
/// OpenLLMetry's switch for content.
pub(super) const TRACELOOP_CONTENT: Remedy = Remedy::new(
    "shell, of the sending program",
    "export TRACELOOP_TRACE_CONTENT=true",
    "export TRACELOOP_BASE_URL=http://127.0.0.1:4318",
);
/// OpenLLMetry's way to name a session.
pub(super) const TRACELOOP_SESSION: Remedy = Remedy::new(
    "Python, where a conversation goes on",
    "from traceloop.sdk import Traceloop",
    "Traceloop.set_association_properties({\"session_id\": conversation_id})",
);
/// OpenLLMetry cuts by OpenTelemetry's own limit.
pub(super) const TRACELOOP_HIDDEN: Remedy = Remedy::new(
    "shell, of the sending program",
    "unset OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT  # it cuts its JSON there",
    "unset OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT",
);
