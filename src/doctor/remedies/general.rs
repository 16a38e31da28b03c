//! What mends shortfalls whatever the dialect.

use super::Remedy;
use crate::figures::Refusal;

/// Arguments on the span of a tool that one makes oneself.
pub(super) const ARGUMENTS: Remedy = Remedy::new(
    "Python, in the tool; TypeScript alike",
    "from args_hash import note_arguments  # examples/args-hash/python",
    "note_arguments(arguments)             # sets args_hash on the current span",
);

/// The result beside them.
pub(super) const RESULT: Remedy = Remedy::new(
    "Python, where the tool answers",
    "span = trace.get_current_span()",
    "span.set_attribute(\"gen_ai.tool.call.result\", json.dumps(result))",
);

/// A conversation on the span.
pub(super) const SESSION: Remedy = Remedy::new(
    "Python, where the tool is called",
    "span = trace.get_current_span()",
    "span.set_attribute(\"gen_ai.conversation.id\", conversation_id)",
);

/// An outcome that can be believed.
pub(super) const FAILURE: Remedy = Remedy::new(
    "Python, where the tool fails",
    "span.set_attribute(\"error.type\", \"tool_error\")",
    "span.set_status(Status(StatusCode.ERROR))",
);

/// Every span.
pub(super) const SAMPLING: Remedy = Remedy::new(
    "shell, of the sending program",
    "export OTEL_TRACES_SAMPLER=always_on",
    "# in a Collector: export here before anything samples",
);

/// Whole arguments.
pub(super) const HIDDEN: Remedy = Remedy::new(
    "shell, of the sending program",
    "unset OTEL_{,SPAN_}ATTRIBUTE_VALUE_LENGTH_LIMIT",
    "# or hash before anything is cut or redacted: examples/args-hash",
);

/// Each span once.
pub(super) const TWICE: Remedy = Remedy::new(
    "shell, of the sending program",
    "export OTEL_EXPORTER_OTLP_TIMEOUT=30000  # what is late is sent again",
    "# and one exporter to here: not one beside a Collector's",
);

/// Spans of a service of which none is a tool call.
pub(in crate::doctor) const NO_TOOL_CALLS: Remedy = Remedy::new(
    "Python, where tools run",
    "with tracer.start_as_current_span(f\"execute_tool {name}\") as span:",
    "    span.set_attribute(\"gen_ai.operation.name\", \"execute_tool\")",
);

/// Metrics and nothing else.
pub(in crate::doctor) const ONLY_METRICS: Remedy = Remedy::new(
    "shell, of the sending program",
    "export OTEL_TRACES_EXPORTER=otlp",
    "export OTEL_LOGS_EXPORTER=otlp",
);

/// What mends that calls are refused.
pub(in crate::doctor) const fn refusal(reason: Refusal) -> Remedy {
    match reason {
        Refusal::BadId => Remedy::new(
            "the sending program",
            "traceId: 32 hex digits, spanId: 16, neither all zeros",
            "# JSON by hand or by protobuf's own mapping writes base64: use hex",
        ),
        Refusal::NoToolName => Remedy::new(
            "Python, where tools run",
            "span = trace.get_current_span()",
            "span.set_attribute(\"gen_ai.tool.name\", name)",
        ),
        Refusal::ToolNameTooLong => Remedy::new(
            "Python, where tools run",
            "name = tool.name  # at most 1024 bytes: a name, not a description",
            "span.set_attribute(\"gen_ai.tool.name\", name)",
        ),
        Refusal::FarFuture => Remedy::new(
            "shell, on the sending machine",
            "timedatectl set-ntp true",
            "timedatectl status",
        ),
        Refusal::TooOld => Remedy::new("firstcall.yaml", "limits:", "  max_past_days: 800"),
        Refusal::DayClosed => Remedy::new(
            "firstcall.yaml",
            "nightly:",
            "  restate_days: 14  # for later days; a closed day stays as it is",
        ),
    }
}
