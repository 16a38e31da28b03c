//! Instrumentations of Python's agent libraries: OpenInference, OpenLLMetry, Pydantic AI.

use super::mcp::{LOGFIRE_SAMPLING, TRACELOOP_CONTENT, TRACELOOP_HIDDEN, TRACELOOP_SESSION};
use super::{Remedies, Remedy};

const OPENINFERENCE_CONTENT: Remedy = Remedy::new(
    "shell, of the sending program",
    "unset OPENINFERENCE_HIDE_INPUTS OPENINFERENCE_HIDE_INPUT_TEXT",
    "unset OPENINFERENCE_HIDE_OUTPUTS OPENINFERENCE_HIDE_OUTPUT_TEXT",
);
/// The framework catches what a tool throws; what reaches the span is what is thrown on.
const THROW_ON: Remedy = Remedy::new(
    "Python, of the tool",
    "tool.handle_tool_error = False  # LangChain: an error reaches the span",
    "# OpenAI Agents: @function_tool(failure_error_function=None)",
);

pub(super) const REMEDIES: &[Remedies] = &[
    Remedies {
        dialects: &["openinference"],
        arguments: OPENINFERENCE_CONTENT,
        result: OPENINFERENCE_CONTENT,
        session: Remedy::new(
            "Python, where a conversation goes on",
            "from openinference.instrumentation import using_session",
            "with using_session(conversation_id): agent.invoke(message)",
        ),
        failure: Some(THROW_ON),
        hidden: OPENINFERENCE_CONTENT,
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["openllmetry"],
        arguments: TRACELOOP_CONTENT,
        result: TRACELOOP_CONTENT,
        session: TRACELOOP_SESSION,
        failure: Some(THROW_ON),
        hidden: TRACELOOP_HIDDEN,
        ..Remedies::BASE
    },
    Remedies {
        dialects: &["pydantic_ai"],
        arguments: PYDANTIC_CONTENT,
        result: PYDANTIC_CONTENT,
        session: Remedy::new(
            "Python, where the agent is asked",
            "history = previous.all_messages()  # its conversation goes on",
            "await agent.run(message, message_history=history)",
        ),
        sampling: LOGFIRE_SAMPLING,
        hidden: PYDANTIC_CONTENT,
        ..Remedies::BASE
    },
];

const PYDANTIC_CONTENT: Remedy = Remedy::new(
    "Python",
    "from pydantic_ai.agent import Agent, InstrumentationSettings",
    "Agent.instrument_all(InstrumentationSettings(include_content=True))",
);
