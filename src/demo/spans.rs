//! One conversation as spans, in the vocabulary of its client's instrumentation.

use opentelemetry::KeyValue;
use opentelemetry::trace::{Event, SpanContext, SpanKind, Status};

use super::DemoError;
use super::programs::{Program, Programs, Told, system_time};
use super::scenario::{Plan, Step, Wire};
use crate::call::{CallDuration, Outcome, UnixNanos};
use crate::reduce::hash::args_hash_of_text;

/// From the client's side of a call to the server's, and back.
const WAY: CallDuration = CallDuration::from_millis(3);
/// How long before a call its model starts to think.
const THOUGHT: CallDuration = CallDuration::from_millis(200);

/// A conversation that is being told.
pub(super) struct Telling<'a> {
    programs: &'a Programs,
    plan: &'a Plan,
    session: String,
    start: UnixNanos,
    /// How many spans were sent.
    spans: u64,
}

impl<'a> Telling<'a> {
    /// The conversation `session` of `plan`, which starts at `start`.
    pub(super) fn new(
        programs: &'a Programs,
        plan: &'a Plan,
        session: String,
        start: UnixNanos,
    ) -> Self {
        Self { programs, plan, session, start, spans: 0 }
    }

    /// Tells the whole conversation; returns how many spans it took.
    pub(super) fn tell(mut self) -> Result<u64, DemoError> {
        let turn = match self.plan.wire {
            Wire::McpWithTransportSession | Wire::GenAiTurn => Some(self.turn(self.start)?),
            Wire::McpWithConversation | Wire::Plain | Wire::PlainAlone | Wire::McpServerOnly => {
                None
            }
        };
        for step in self.plan.play.steps {
            match self.plan.wire {
                Wire::McpWithConversation => {
                    let turn = self.turn(self.at(step))?;
                    self.mcp_call(&turn, step)?;
                }
                Wire::McpWithTransportSession => {
                    if let Some(turn) = &turn {
                        self.mcp_call(turn, step)?;
                    }
                }
                Wire::GenAiTurn => {
                    if let Some(turn) = &turn {
                        self.genai_call(turn, step)?;
                    }
                }
                Wire::Plain | Wire::PlainAlone => self.plain_call(step)?,
                Wire::McpServerOnly => self.server_call(step)?,
            }
        }
        Ok(self.spans)
    }

    fn at(&self, step: &Step) -> UnixNanos {
        self.start.saturating_add(CallDuration::from_millis(step.at_ms))
    }

    fn send(&mut self, program: &Program, parent: Option<&SpanContext>, told: Told) -> SpanContext {
        self.spans += 1;
        program.tell(parent, told)
    }

    /// An agent's turn with the model's own span in it: neither is a tool call.
    fn turn(&mut self, before: UnixNanos) -> Result<SpanContext, DemoError> {
        let program = self.programs.get(self.plan.client.program)?;
        let start = before.saturating_sub(THOUGHT);
        let agent = self.plan.client.name;
        let turn = Told {
            attributes: vec![
                KeyValue::new("gen_ai.operation.name", "invoke_agent"),
                KeyValue::new("gen_ai.agent.name", agent),
            ],
            ..told(format!("invoke_agent {agent}"), SpanKind::Internal, start, THOUGHT)
        };
        let turn = self.send(program, None, turn);
        let chat = Told {
            attributes: vec![
                KeyValue::new("gen_ai.operation.name", "chat"),
                KeyValue::new("gen_ai.request.model", "large-1"),
                KeyValue::new("gen_ai.usage.input_tokens", 1840),
            ],
            ..told("chat large-1".to_owned(), SpanKind::Client, start, THOUGHT)
        };
        self.send(program, Some(&turn), chat);
        Ok(turn)
    }

    /// A call seen by the MCP client and by the MCP server.
    fn mcp_call(&mut self, turn: &SpanContext, step: &Step) -> Result<(), DemoError> {
        let program = self.programs.get(self.plan.client.program)?;
        let mut attributes = vec![
            KeyValue::new("mcp.method.name", "tools/call"),
            KeyValue::new("gen_ai.operation.name", "execute_tool"),
            KeyValue::new("gen_ai.tool.name", step.tool.name),
            KeyValue::new("mcp.client.name", self.plan.client.name),
            KeyValue::new("mcp.client.version", self.plan.client.version),
        ];
        attributes.push(match self.plan.wire {
            Wire::McpWithTransportSession => KeyValue::new("mcp.session.id", self.session.clone()),
            _ => KeyValue::new("gen_ai.conversation.id", self.session.clone()),
        });
        content(step, &mut attributes);
        let (status, error) = ended(step);
        attributes.extend(error);
        let start = self.at(step);
        let client = Told {
            attributes,
            status,
            ..told(format!("tools/call {}", step.tool.name), SpanKind::Client, start, outer(step))
        };
        let client = self.send(program, Some(turn), client);
        self.served(Some(&client), step)
    }

    /// A call seen by an agent framework and by the MCP server.
    fn genai_call(&mut self, turn: &SpanContext, step: &Step) -> Result<(), DemoError> {
        let program = self.programs.get(self.plan.client.program)?;
        let mut attributes = vec![
            KeyValue::new("gen_ai.operation.name", "execute_tool"),
            KeyValue::new("gen_ai.tool.name", step.tool.name),
            KeyValue::new("gen_ai.tool.type", "function"),
            KeyValue::new("gen_ai.agent.name", self.plan.client.name),
        ];
        content(step, &mut attributes);
        let (status, error) = ended(step);
        attributes.extend(error);
        let start = self.at(step);
        let name = format!("execute_tool {}", step.tool.name);
        let agent =
            Told { attributes, status, ..told(name, SpanKind::Internal, start, outer(step)) };
        let agent = self.send(program, Some(turn), agent);
        self.served(Some(&agent), step)
    }

    /// The server's side of a call by the MCP conventions, and its database.
    fn served(&mut self, parent: Option<&SpanContext>, step: &Step) -> Result<(), DemoError> {
        let program = self.programs.get(step.tool.service)?;
        let mut attributes = vec![
            KeyValue::new("mcp.method.name", "tools/call"),
            KeyValue::new("gen_ai.operation.name", "execute_tool"),
            KeyValue::new("gen_ai.tool.name", step.tool.name),
            KeyValue::new("mcp.protocol.version", "2025-11-25"),
        ];
        if self.plan.wire == Wire::McpServerOnly {
            attributes.push(KeyValue::new("mcp.session.id", self.session.clone()));
            attributes.push(KeyValue::new("mcp.client.name", self.plan.client.name));
        }
        let (status, error) = ended(step);
        attributes.extend(error);
        let start = self.at(step).saturating_add(WAY);
        let events = match step.outcome {
            Outcome::Crashed => vec![Event::new(
                "exception",
                system_time(start),
                vec![KeyValue::new("exception.type", "RuntimeError")],
                0,
            )],
            _ => Vec::new(),
        };
        let name = format!("tools/call {}", step.tool.name);
        let lasts = CallDuration::from_millis(step.tool.lasts_ms);
        let served =
            Told { attributes, status, events, ..told(name, SpanKind::Server, start, lasts) };
        let served = self.send(program, parent, served);
        let query = Told {
            attributes: vec![KeyValue::new("db.system.name", "postgresql")],
            ..told("SELECT".to_owned(), SpanKind::Client, start, lasts)
        };
        self.send(program, Some(&served), query);
        Ok(())
    }

    /// A call of which only the server tells, and a listing of tools, which is no call.
    fn server_call(&mut self, step: &Step) -> Result<(), DemoError> {
        let program = self.programs.get(step.tool.service)?;
        let listing = Told {
            attributes: vec![KeyValue::new("mcp.method.name", "tools/list")],
            ..told("tools/list".to_owned(), SpanKind::Server, self.start, WAY)
        };
        self.send(program, None, listing);
        self.served(None, step)
    }

    /// A call told by the server in the plain vocabulary, below the HTTP request it came with.
    fn plain_call(&mut self, step: &Step) -> Result<(), DemoError> {
        let program = self.programs.get(step.tool.service)?;
        let mut attributes = vec![
            KeyValue::new("tool_name", step.tool.name),
            KeyValue::new("outcome", step.outcome.word()),
            KeyValue::new("is_empty", step.is_empty),
        ];
        let hash = step.arguments.map_or_else(
            || Ok("000000000000".to_owned()),
            |arguments| {
                args_hash_of_text(arguments.as_bytes()).map(|hashed| hashed.hash.to_string())
            },
        );
        let hash = hash.map_err(|error| DemoError::Arguments(error.to_string()))?;
        attributes.push(KeyValue::new("args_hash", hash));
        let start = self.at(step).saturating_add(WAY);
        let lasts = CallDuration::from_millis(step.tool.lasts_ms);
        let parent = if self.plan.wire == Wire::Plain {
            attributes.push(KeyValue::new("session_id", self.session.clone()));
            attributes.push(KeyValue::new("client_name", self.plan.client.name));
            let request =
                told("POST /mcp".to_owned(), SpanKind::Server, self.at(step), outer(step));
            Some(self.send(program, None, request))
        } else {
            None
        };
        let status = if step.outcome == Outcome::Ok { Status::Unset } else { Status::error("") };
        let name = format!("tool {}", step.tool.name);
        let call = Told { attributes, status, ..told(name, SpanKind::Server, start, lasts) };
        self.send(program, parent.as_ref(), call);
        Ok(())
    }
}

/// A span of which only name, kind and time are told.
fn told(name: String, kind: SpanKind, start: UnixNanos, lasts: CallDuration) -> Told {
    Told {
        name,
        kind,
        start,
        end: start.saturating_add(lasts),
        attributes: Vec::new(),
        status: Status::Unset,
        events: Vec::new(),
    }
}

/// Arguments and result as JSON text, as instrumentation with capture on sends them.
fn content(step: &Step, attributes: &mut Vec<KeyValue>) {
    if let Some(arguments) = step.arguments {
        attributes.push(KeyValue::new("gen_ai.tool.call.arguments", arguments));
    }
    if step.outcome == Outcome::Ok {
        let result = if step.is_empty { "[]" } else { step.tool.answer };
        attributes.push(KeyValue::new("gen_ai.tool.call.result", result));
    }
}

/// How long the client waits: the server's time and both ways.
const fn outer(step: &Step) -> CallDuration {
    CallDuration::from_millis(step.tool.lasts_ms.saturating_add(6))
}

/// A call's status and error attributes by the MCP conventions.
fn ended(step: &Step) -> (Status, Vec<KeyValue>) {
    let (kind, message) = match step.outcome {
        Outcome::Ok => return (Status::Unset, Vec::new()),
        Outcome::BadArgs => ("-32602", "Invalid params"),
        Outcome::UnknownTool => ("-32602", "Unknown tool"),
        Outcome::ToolError => ("tool_error", "declined"),
        Outcome::Crashed => ("RuntimeError", "connection refused"),
        Outcome::Timeout => ("timeout", "deadline exceeded"),
        Outcome::Cancelled => ("cancelled", "cancelled"),
        Outcome::Error => ("_OTHER", "failed"),
    };
    (Status::error(message), vec![KeyValue::new("error.type", kind)])
}
