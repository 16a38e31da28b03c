//! Agent frameworks and their own telemetry.

use super::{Remedies, Remedy};

const VERCEL_RECORD: Remedy = Remedy::new(
    "TypeScript, where the model is called",
    "const on = { isEnabled: true, recordInputs: true, recordOutputs: true };",
    "await generateText({ model, tools, experimental_telemetry: on });",
);
const VERCEL_SESSION: Remedy = Remedy::new(
    "TypeScript, where the model is called",
    "const on = { isEnabled: true, metadata: { sessionId: chatId } };",
    "await generateText({ model, tools, experimental_telemetry: on });",
);
const ADK_CONTENT: Remedy = Remedy::new(
    "shell, of the agent",
    "export ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true",
    "export OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY",
);
const SK_CONTENT: Remedy = Remedy::new(
    "environment of the agent",
    "SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS=true",
    "SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE=true",
);
const SPRING_CONTENT: Remedy = Remedy::new(
    "application.properties",
    "spring.ai.tools.observations.include-content=true",
    "management.tracing.sampling.probability=1.0",
);
const GENAI_CONTENT: Remedy = Remedy::new(
    "shell, of the agent",
    "export OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true",
    "export OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental",
);
const MCP_SERVER_TOO: Remedy = Remedy::new(
    "shell, of the MCP server that is called",
    "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318",
    "export OTEL_TRACES_EXPORTER=otlp  # its spans tell what the agent's hide",
);

pub(super) const REMEDIES: &[Remedies] = &[
    Remedies {
        dialects: &["vercel_ai_legacy", "vercel_ai"],
        arguments: VERCEL_RECORD,
        result: VERCEL_RECORD,
        session: VERCEL_SESSION,
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["google_adk"],
        arguments: ADK_CONTENT,
        result: ADK_CONTENT,
        session: Remedy::new(
            "Python, of the agent",
            "session = await sessions.create_session(app_name=app, user_id=user)",
            "runner.run_async(user_id=user, session_id=session.id, new_message=message)",
        ),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["strands"],
        session: Remedy::new(
            "Python, of the agent",
            "attributes = {\"session.id\": conversation_id}",
            "agent = Agent(tools=tools, trace_attributes=attributes)",
        ),
        ..Remedies::BASE
    },
    Remedies { dialects: &["autogen"], failure: Some(MCP_SERVER_TOO), ..Remedies::BASE },
    Remedies {
        dialects: &["semantic_kernel"],
        arguments: SK_CONTENT,
        result: SK_CONTENT,
        failure: Some(MCP_SERVER_TOO),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["mastra"],
        arguments: Remedy::new(
            "TypeScript, of the agent",
            "const observability = new Observability({ configs,",
            "  sensitiveDataFilter: false }); // it redacts by the names of fields",
        ),
        result: Remedy::new(
            "TypeScript, of the agent",
            "const observability = new Observability({ configs,",
            "  sensitiveDataFilter: false }); // it redacts by the names of fields",
        ),
        session: Remedy::new(
            "TypeScript, where the agent is asked",
            "const memory = { thread: chatId, resource: userId };",
            "await agent.generate(message, { memory });",
        ),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["spring_ai"],
        arguments: SPRING_CONTENT,
        result: SPRING_CONTENT,
        session: Remedy::new(
            "Java, where the model is asked",
            "var span = Span.current();",
            "span.setAttribute(\"gen_ai.conversation.id\", conversationId);",
        ),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["google_genai"],
        arguments: GENAI_CONTENT,
        result: GENAI_CONTENT,
        ..Remedies::BASE
    },
];
