//! Every attribute key that is read, once.

use super::key_table::KeyTable;

/// Declares the keys in the byte order of their texts, each with its meaning. `deciding` keys
/// alone tell that a span may be a tool call.
macro_rules! keys {
    (@decides) => { false };
    (@decides deciding) => { true };
    ($($(#[$doc:meta])* $name:ident = $text:literal $(, $deciding:ident)?;)+) => {
        /// An attribute key that is read.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        #[expect(clippy::enum_variant_names, reason = "one key is called `key`")]
        pub(crate) enum Key { $($(#[$doc])* $name,)+ }

        impl Key {
            /// Every key, in the byte order of their texts.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$name),+];
            const TEXTS: &'static [&'static str] = &[$($text),+];
            const DECIDES: &'static [bool] = &[$(keys!(@decides $($deciding)?)),+];
            const DECIDING_COUNT: usize = 0 $(+ keys!(@decides $($deciding)?) as usize)+;

            /// The key's text.
            pub(crate) const fn text(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }
        }
    };
}

keys! {
    /// One span in so many was kept.
    SampleRate = "SampleRate";
    /// The agent's name, by OpenInference.
    AgentName = "agent.name";
    /// The Vercel AI SDK's operation.
    AiOperationId = "ai.operationId", deciding;
    /// A chat, where the program's author names it.
    AiChatId = "ai.telemetry.metadata.chatId";
    /// A session, where the program's author names it.
    AiSessionId = "ai.telemetry.metadata.sessionId";
    /// A thread, where the program's author names it.
    AiThreadId = "ai.telemetry.metadata.threadId";
    /// Arguments.
    AiToolCallArgs = "ai.toolCall.args";
    /// The model's id for the call.
    AiToolCallId = "ai.toolCall.id";
    /// The tool.
    AiToolCallName = "ai.toolCall.name";
    /// The result.
    AiToolCallResult = "ai.toolCall.result";
    /// The MCP server, as Claude Code knows it.
    AnthropicMcpServerName = "anthropic.mcp.server.name";
    /// The program's version, by coding agents.
    AppVersion = "app.version";
    /// A given hash of the arguments.
    ArgsHash = "args_hash", deciding;
    /// Arguments, by Codex.
    PlainArguments = "arguments";
    /// A given hash of the arguments.
    ArgumentsHash = "arguments_hash", deciding;
    /// The model's id for the call.
    CallId = "call_id";
    /// The calling program.
    PlainClientName = "client_name";
    /// The calling program's version.
    PlainClientVersion = "client_version";
    /// The result, by google-genai.
    CodeReturnValue = "code.function.return.value";
    /// The conversation.
    ConversationId = "conversation.id";
    /// The conversation, as VS Code's Copilot Chat once sent it.
    CopilotChatSessionId = "copilot_chat.chat_session_id";
    /// What a person or a policy said of the call, by coding agents.
    Decision = "decision";
    /// How long the call took, in a log record.
    DurationMs = "duration_ms";
    /// The OAuth client, by FastMCP.
    EnduserId = "enduser.id";
    /// An error's text or a flag.
    Error = "error";
    /// An error's text.
    ErrorMessage = "error.message";
    /// The kind of failure.
    ErrorType = "error.type";
    /// The kind of failure, by Claude Code's spans.
    ErrorClass = "error_class";
    /// The kind of failure, by coding agents.
    PlainErrorType = "error_type";
    /// When it happened, as text, in a log record.
    EventTimestamp = "event.timestamp";
    /// How far the call came, by Qwen Code.
    ExecutionStatus = "execution_status";
    /// The tool, as `tool:name@version`.
    FastmcpComponentKey = "fastmcp.component.key";
    /// The FastMCP server.
    FastmcpServerName = "fastmcp.server.name";
    /// The kind of step, by Future AGI.
    FiSpanKind = "fi.span.kind", deciding;
    /// How often the dependency was tried for the call.
    FirstcallAttempts = "firstcall.attempts";
    /// Time spent writing down what was done.
    FirstcallBudgetAudit = "firstcall.budget.audit_ms";
    /// Time spent asking whether the caller may.
    FirstcallBudgetAuth = "firstcall.budget.auth_ms";
    /// Time spent waiting for a dependency.
    FirstcallBudgetDownstream = "firstcall.budget.downstream_ms";
    /// Time spent waiting to be worked on.
    FirstcallBudgetQueue = "firstcall.budget.queue_ms";
    /// The time that the call was given.
    FirstcallBudgetTotal = "firstcall.budget.total_ms";
    /// Time spent making the answer.
    FirstcallBudgetTransform = "firstcall.budget.transform_ms";
    /// What became of the business operation.
    FirstcallBusinessOutcome = "firstcall.business.outcome";
    /// What the call mainly depends on.
    FirstcallDependency = "firstcall.dependency";
    /// The idempotency key: hashed on arrival.
    FirstcallIdempotencyKey = "firstcall.idempotency.key";
    /// What the server made of the key.
    FirstcallIdempotencyStatus = "firstcall.idempotency.status";
    /// The operation's handle: hashed on arrival.
    FirstcallOperationHandle = "firstcall.operation.handle";
    /// What calling the tool does.
    FirstcallOperationKind = "firstcall.operation.kind";
    /// Whether the call may be sent again as it is.
    FirstcallRetrySafe = "firstcall.retry.safe";
    /// Where the time ran out.
    FirstcallTimeoutStage = "firstcall.timeout.stage";
    /// Arguments, by Gemini CLI and Qwen Code.
    FunctionArgs = "function_args";
    /// The tool, by Gemini CLI and Qwen Code.
    FunctionName = "function_name";
    /// Arguments, by Google ADK.
    AdkArguments = "gcp.vertex.agent.tool_call_args";
    /// The result, by Google ADK.
    AdkResult = "gcp.vertex.agent.tool_response";
    /// The agent.
    GenAiAgentName = "gen_ai.agent.name";
    /// The agent's version.
    GenAiAgentVersion = "gen_ai.agent.version";
    /// The result, by LangSmith.
    GenAiCompletion = "gen_ai.completion";
    /// The conversation.
    GenAiConversationId = "gen_ai.conversation.id";
    /// What a GenAI span does.
    GenAiOperationName = "gen_ai.operation.name", deciding;
    /// Arguments, by LangSmith.
    GenAiPrompt = "gen_ai.prompt";
    /// A model: the span is the model's.
    GenAiRequestModel = "gen_ai.request.model";
    /// The kind of step, by LoongSuite and traceAI.
    GenAiSpanKind = "gen_ai.span.kind", deciding;
    /// How a step ended, by OpenLLMetry.
    GenAiTaskStatus = "gen_ai.task.status";
    /// Arguments.
    GenAiToolCallArguments = "gen_ai.tool.call.arguments";
    /// A given hash of the arguments.
    GenAiToolCallArgumentsHash = "gen_ai.tool.call.arguments_hash", deciding;
    /// The model's id for the call.
    GenAiToolCallId = "gen_ai.tool.call.id";
    /// The result.
    GenAiToolCallResult = "gen_ai.tool.call.result";
    /// The model's id for the call, by Gemini CLI.
    GenAiToolCallIdOld = "gen_ai.tool.call_id";
    /// Arguments, as Mastra once sent them.
    GenAiToolInput = "gen_ai.tool.input";
    /// The tool.
    GenAiToolName = "gen_ai.tool.name", deciding;
    /// The result, as Mastra once sent it.
    GenAiToolOutput = "gen_ai.tool.output";
    /// How the call ended, by Strands.
    GenAiToolStatus = "gen_ai.tool.status";
    /// Whether the call went well.
    GenAiToolSuccess = "gen_ai.tool.success";
    /// Tokens: the span is the model's.
    GenAiUsageInputTokens = "gen_ai.usage.input_tokens";
    /// The MCP server as Copilot's configuration calls it.
    CopilotMcpServerName = "github.copilot.tool.parameters.mcp_server_name";
    /// The MCP server's own name of the tool, by Copilot.
    CopilotMcpToolName = "github.copilot.tool.parameters.mcp_tool_name";
    /// The ordinal of a request that was sent again.
    HttpResendCount = "http.request.resend_count";
    /// Arguments, by Logfire and as Mastra once sent them.
    PlainInput = "input";
    /// Arguments, by OpenInference.
    InputValue = "input.value";
    /// Whether the answer held nothing.
    IsEmpty = "is_empty";
    /// Whether the tool said that it failed.
    IsError = "is_error";
    /// The JSON-RPC request.
    JsonrpcRequestId = "jsonrpc.request.id";
    /// Arguments.
    LangfuseInput = "langfuse.observation.input";
    /// The result.
    LangfuseOutput = "langfuse.observation.output";
    /// The kind of step, by Langfuse.
    LangfuseType = "langfuse.observation.type", deciding;
    /// The session.
    LangfuseSessionId = "langfuse.session.id";
    /// The conversation.
    LangsmithConversationId = "langsmith.metadata.conversation_id";
    /// The session.
    LangsmithSessionId = "langsmith.metadata.session_id";
    /// The thread.
    LangsmithThreadId = "langsmith.metadata.thread_id";
    /// The kind of step, by LangSmith.
    LangsmithSpanKind = "langsmith.span.kind", deciding;
    /// The tool.
    LangsmithTraceName = "langsmith.trace.name";
    /// The MCP server behind the gateway.
    LitellmServerName = "litellm.mcp.server.name";
    /// Logfire's message.
    LogfireMsg = "logfire.msg";
    /// The share of spans that was kept.
    LogfireSampleRate = "logfire.sample_rate";
    /// Whether the span is a start marker.
    LogfireSpanType = "logfire.span_type";
    /// The kind of step, by Mastra.
    MastraSpanType = "mastra.span.type", deciding;
    /// The calling program.
    McpClientName = "mcp.client.name";
    /// The calling program's version.
    McpClientVersion = "mcp.client.version";
    /// The calling program, by MCPCat.
    McpcatClientName = "mcp.client_name";
    /// The calling program's version, by MCPCat.
    McpcatClientVersion = "mcp.client_version";
    /// A JSON-RPC error code.
    McpErrorCode = "mcp.error.code";
    /// An error's text.
    McpErrorMessage = "mcp.error.message";
    /// The MCP method, by its older name.
    McpMethod = "mcp.method", deciding;
    /// The MCP method.
    McpMethodName = "mcp.method.name", deciding;
    /// The MCP operation, by OpenLIT.
    McpOperationName = "mcp.operation.name", deciding;
    /// The MCP protocol's date.
    McpProtocolVersion = "mcp.protocol.version";
    /// The JSON-RPC request, by its older name.
    McpRequestId = "mcp.request.id";
    /// The tool, as the C# SDK first sent it.
    McpRequestParamsName = "mcp.request.params.name";
    /// The request, by OpenLIT.
    McpRequestPayload = "mcp.request.payload";
    /// The tool, by MCPCat.
    McpcatResourceName = "mcp.resource_name";
    /// The response, by OpenLIT.
    McpResponsePayload = "mcp.response.payload";
    /// The MCP server.
    McpServerName = "mcp.server.name";
    /// The transport's session.
    McpSessionId = "mcp.session.id";
    /// The session, by MCPCat.
    McpcatSessionId = "mcp.session_id";
    /// The MCP server behind the gateway.
    McpTarget = "mcp.target";
    /// A given hash of the arguments.
    McpToolArgsHash = "mcp.tool.args_hash", deciding;
    /// Arguments, by OpenLIT.
    McpToolArguments = "mcp.tool.arguments";
    /// Whether the tool said that it failed.
    McpToolError = "mcp.tool.error";
    /// The tool, by its older name.
    McpToolName = "mcp.tool.name", deciding;
    /// The result.
    McpToolResult = "mcp.tool.result";
    /// The result's content, by Sentry.
    McpToolResultContent = "mcp.tool.result.content";
    /// How many parts the result had, by Sentry.
    McpToolResultCount = "mcp.tool.result.content_count";
    /// Whether the tool said that it failed, by Sentry.
    McpToolResultIsError = "mcp.tool.result.is_error";
    /// How the call ended, by MCP Hangar.
    McpToolStatus = "mcp.tool.status";
    /// The MCP server, by Codex.
    PlainMcpServer = "mcp_server";
    /// The MCP server, by Gemini CLI and Qwen Code.
    PlainMcpServerName = "mcp_server_name";
    /// That the tool is an MCP server's, by Claude Code.
    McpServerScope = "mcp_server_scope";
    /// What else is told, as JSON, by Gemini CLI.
    Metadata = "metadata";
    /// Arguments.
    MlflowInputs = "mlflow.spanInputs";
    /// The result.
    MlflowOutputs = "mlflow.spanOutputs";
    /// The kind of step, by MLflow.
    MlflowSpanType = "mlflow.spanType", deciding;
    /// The tool, by Logfire.
    PlainName = "name";
    /// The kind of step, by OpenInference.
    OpeninferenceSpanKind = "openinference.span.kind", deciding;
    /// The Vercel AI SDK's operation, with the function's id.
    OperationName = "operation.name";
    /// The program, by Codex.
    Originator = "originator";
    /// How the call ended.
    Outcome = "outcome";
    /// The result, by Codex.
    Output = "output";
    /// The result, by OpenInference.
    OutputValue = "output.value";
    /// Whether the result was cut, by Codex.
    OutputTruncated = "output_truncated";
    /// A command's exit code.
    ProcessExitCode = "process.exit.code";
    /// The call was put off.
    PydanticDeferral = "pydantic_ai.tool.deferral.name";
    /// Where the call failed.
    PydanticFailureStage = "pydantic_ai.tool.failure_stage";
    /// The request, by Logfire.
    Request = "request";
    /// The response, by Logfire.
    Response = "response";
    /// The result's size.
    ResponseBytes = "response_bytes";
    /// The result's size.
    ResultBytes = "result_bytes";
    /// A JSON-RPC error code, by its older name.
    RpcJsonrpcErrorCode = "rpc.jsonrpc.error_code";
    /// The JSON-RPC request, by its older name.
    RpcJsonrpcRequestId = "rpc.jsonrpc.request_id";
    /// A remote procedure.
    RpcMethod = "rpc.method";
    /// A JSON-RPC error code.
    RpcResponseStatusCode = "rpc.response.status_code";
    /// The kind of remote procedure call.
    RpcSystem = "rpc.system";
    /// What a Sentry span does.
    SentryOp = "sentry.op";
    /// The share of spans that was kept.
    SentrySampleRate = "sentry.sample_rate";
    /// Where a client's server is.
    ServerAddress = "server.address";
    /// The MCP server, by Cline.
    ClineServerName = "serverName";
    /// The session.
    SessionId = "session.id";
    /// The session.
    PlainSessionId = "session_id";
    /// The kind of step, by Claude Code.
    SpanType = "span.type", deciding;
    /// The kind of step, by Spring AI.
    SpringAiKind = "spring.ai.kind", deciding;
    /// Arguments.
    SpringArguments = "spring.ai.tool.call.arguments";
    /// The result.
    SpringResult = "spring.ai.tool.call.result";
    /// The tool.
    SpringToolName = "spring.ai.tool.definition.name";
    /// How the call ended, by coding agents.
    Status = "status";
    /// Whether the call went well.
    Success = "success";
    /// The tool, by Cline.
    ClineTool = "tool";
    /// A given hash of the arguments.
    ToolArgsHash = "tool.args_hash", deciding;
    /// The model's id for the call.
    ToolCallIdDotted = "tool.call_id";
    /// The model's id for the call.
    ToolId = "tool.id";
    /// A given hash of the arguments.
    ToolInputHash = "tool.input_hash", deciding;
    /// The tool.
    ToolName = "tool.name";
    /// Arguments or their schema, by OpenInference.
    ToolParameters = "tool.parameters";
    /// The MCP server's name of the tool, by Cline.
    ClineToolName = "toolName";
    /// Arguments, by Pydantic AI.
    ToolArguments = "tool_arguments";
    /// The model's id for the call.
    ToolCallId = "tool_call.id";
    /// Arguments, by Claude Code.
    ToolInput = "tool_input";
    /// The arguments' size before they were cut, by Claude Code.
    ToolInputSizeBytes = "tool_input_size_bytes";
    /// The tool.
    PlainToolName = "tool_name";
    /// What Claude Code tells of the tool, as JSON.
    ToolParametersText = "tool_parameters";
    /// The result, by Pydantic AI.
    ToolResponse = "tool_response";
    /// The result's size.
    ToolResultSizeBytes = "tool_result_size_bytes";
    /// The model's id for the call.
    ToolUseId = "tool_use_id";
    /// The conversation.
    TraceloopConversationId = "traceloop.association.properties.conversation_id";
    /// The session.
    TraceloopSessionId = "traceloop.association.properties.session_id";
    /// The thread.
    TraceloopThreadId = "traceloop.association.properties.thread_id";
    /// Arguments.
    TraceloopInput = "traceloop.entity.input";
    /// The tool.
    TraceloopEntityName = "traceloop.entity.name";
    /// The result.
    TraceloopOutput = "traceloop.entity.output";
    /// The kind of step, by OpenLLMetry.
    TraceloopSpanKind = "traceloop.span.kind", deciding;
    /// The task, by Cline.
    Ulid = "ulid";
    /// The calling program, as HTTP tells it.
    UserAgent = "user_agent.original";
}

impl Key {
    /// How many keys are read.
    pub(crate) const COUNT: usize = Self::ALL.len();

    /// The key of this text.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        static TABLE: KeyTable = KeyTable::of(Key::TEXTS);
        TABLE.find(text.as_bytes()).and_then(|at| Self::ALL.get(at).copied())
    }

    /// Whether a text is the key of one that alone tells that a span may be a tool call.
    pub(super) fn is_deciding(text: &[u8]) -> bool {
        static TABLE: KeyTable = KeyTable::of(&DECIDING);
        TABLE.find(text).is_some()
    }
}

/// The texts of the deciding keys: a table of their own, for other keys are met a lot.
static DECIDING: [&str; Key::DECIDING_COUNT] = deciding();

#[expect(clippy::indexing_slicing, reason = "in compiling")]
const fn deciding() -> [&'static str; Key::DECIDING_COUNT] {
    let mut texts = [""; Key::DECIDING_COUNT];
    let (mut at, mut next) = (0, 0);
    while at < Key::COUNT {
        if Key::DECIDES[at] {
            texts[next] = Key::TEXTS[at];
            next += 1;
        }
        at += 1;
    }
    texts
}

/// The keys of hashes that come with the telemetry, in the order in which they are asked.
pub(crate) const GIVEN_HASHES: &[Key] = &[
    Key::ArgsHash,
    Key::ArgumentsHash,
    Key::GenAiToolCallArgumentsHash,
    Key::McpToolArgsHash,
    Key::ToolArgsHash,
    Key::ToolInputHash,
];

/// An exception event's name (OpenTelemetry semantic conventions, exceptions on spans).
pub(crate) const EXCEPTION_EVENT: &str = "exception";
/// The exception's class.
pub(crate) const EXCEPTION_TYPE: &str = "exception.type";
/// The exception's text: read to classify, in memory only.
pub(crate) const EXCEPTION_MESSAGE: &str = "exception.message";
/// The program that sends.
pub(crate) const SERVICE_NAME: &str = "service.name";
/// That program's version.
pub(crate) const SERVICE_VERSION: &str = "service.version";
/// Marks of samplers begin so.
pub(crate) const SAMPLING_PREFIX: &str = "sampling.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_by_its_text() {
        assert!(Key::TEXTS.is_sorted());
        for key in Key::ALL {
            assert_eq!(Key::from_text(key.text()), Some(*key));
        }
        assert_eq!(Key::from_text("http.method"), None);
        let decides = |key: &&Key| Key::is_deciding(key.text().as_bytes());
        assert!(GIVEN_HASHES.iter().all(|key| decides(&key)));
        assert_eq!(Key::ALL.iter().filter(decides).count(), Key::DECIDING_COUNT);
        assert!(!Key::is_deciding(Key::AgentName.text().as_bytes()));
    }
}
