//! Tracing products' own SDKs: Langfuse, LangSmith, MLflow.

use super::{Remedies, Remedy};

/// The framework catches what a tool throws; what reaches the span is what is thrown on.
const THROW_ON: Remedy = Remedy::new(
    "Python, of the tool",
    "tool.handle_tool_error = False        # an error reaches the span",
    "tool.handle_validation_error = False  # and a refusal of arguments too",
);
const LANGFUSE_CONTENT: Remedy = Remedy::new(
    "Python",
    "from langfuse import observe",
    "@observe(as_type=\"tool\", capture_input=True, capture_output=True)",
);
const LANGSMITH_CONTENT: Remedy = Remedy::new(
    "shell, of the sending program",
    "export LANGSMITH_HIDE_INPUTS=false LANGSMITH_HIDE_OUTPUTS=false",
    "export LANGSMITH_OTEL_ENABLED=true LANGSMITH_TRACING=true",
);
const MLFLOW_CONTENT: Remedy = Remedy::new(
    "Python",
    "@mlflow.trace(span_type=\"TOOL\")  # inputs and outputs are recorded",
    "def search(query: str): ...",
);

pub(super) const REMEDIES: &[Remedies] = &[
    Remedies {
        dialects: &["langfuse"],
        arguments: LANGFUSE_CONTENT,
        result: LANGFUSE_CONTENT,
        session: Remedy::new(
            "Python, where a conversation goes on",
            "from langfuse import propagate_attributes",
            "with propagate_attributes(session_id=conversation_id): agent.invoke(text)",
        ),
        sampling: Remedy::new(
            "shell, of the sending program",
            "export LANGFUSE_SAMPLE_RATE=1.0",
            "export OTEL_TRACES_SAMPLER=always_on",
        ),
        hidden: Remedy::new(
            "Python",
            "from langfuse import Langfuse",
            "Langfuse(mask=None)  # a mask stands in the place of arguments",
        ),
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["langsmith"],
        arguments: LANGSMITH_CONTENT,
        result: LANGSMITH_CONTENT,
        session: Remedy::new(
            "Python, where a conversation goes on",
            "config = {\"metadata\": {\"session_id\": conversation_id}}",
            "agent.invoke(message, config=config)",
        ),
        failure: Some(THROW_ON),
        sampling: Remedy::new(
            "shell, of the sending program",
            "export LANGSMITH_TRACING_SAMPLING_RATE=1",
            "export OTEL_TRACES_SAMPLER=always_on",
        ),
        hidden: LANGSMITH_CONTENT,
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["mlflow"],
        arguments: MLFLOW_CONTENT,
        result: MLFLOW_CONTENT,
        session: Remedy::new(
            "Python, where a conversation goes on",
            "span = mlflow.get_current_active_span()",
            "span.set_attribute(\"session.id\", conversation_id)",
        ),
        failure: Some(THROW_ON),
        sampling: Remedy::new(
            "shell, of the sending program",
            "export MLFLOW_TRACE_SAMPLING_RATIO=1.0",
            "export OTEL_TRACES_SAMPLER=always_on",
        ),
        ..Remedies::BASE
    },
];
