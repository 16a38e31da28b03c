//! Spans that look like a tool call and are none, each with the reason that is counted.

use crate::call::outcome::words;

words! {
    /// Why a span that looks like a tool call is none.
    NotACall {
        /// Another MCP method than `tools/call`.
        OtherMethod = "other_method",
        /// A model's or an agent's operation that only mentions a tool.
        ModelOperation = "model_operation",
        /// A marker that a span has started; the span itself follows.
        PendingSpan = "pending_span",
        /// A part of a call that has a span of its own.
        PartOfACall = "part_of_a_call",
        /// What the same agent's log record tells of, and tells better.
        ToldByLog = "told_by_log",
        /// What the same agent's span tells of, and tells better.
        ToldBySpan = "told_by_span",
        /// A session's or a transport's wrapper.
        SessionWrapper = "session_wrapper",
        /// One span made by merging several calls' spans.
        MergedCalls = "merged_calls",
        /// An agent's structured output, not a tool.
        OutputFunction = "output_function",
        /// One agent handing over to another.
        Handoff = "handoff",
        /// A retriever or another step that is not a tool.
        OtherStep = "other_step",
        /// Put off until someone approves it; not run.
        Deferred = "deferred",
        /// A person or a policy refused it before it ran.
        Denied = "denied",
        /// The server asked for more input; the client sends the call again by protocol.
        InputRequired = "input_required",
    }
}
