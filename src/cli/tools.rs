//! `firstcall tools import`: what MCP servers say they offer.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::Deserialize;

use super::{ExitCode, Failure, Globals, tell};
use crate::call::{Name, OperationKind};
use crate::clock::{Clock, SystemClock};
use crate::store::{OfferedTool, Store};

/// The largest list that is read, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Arguments of `firstcall tools`.
#[derive(Debug, Args)]
pub struct ToolsArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Keep a server's list of tools: its annotations tell reads from writes, and tools that are
    /// offered and never called show
    Import(ImportArgs),
}

#[derive(Debug, Args)]
struct ImportArgs {
    /// The answer to `tools/list` as JSON, or `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The server that offers the tools, by the name that reports show
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
}

/// Runs the command.
pub fn run(args: &ToolsArgs, globals: &Globals) -> Result<(), Failure> {
    let Action::Import(args) = &args.action;
    let config = globals.load()?;
    let text = read(&args.file)?;
    let service = args.service.as_deref().map(|name| {
        Name::exact(name).filter(|name| !name.as_str().trim().is_empty()).ok_or_else(|| {
            let error = "the server's name is empty or longer than 1024 bytes";
            Failure::new(ExitCode::Usage, error).with_hint("give the name that reports show")
        })
    });
    let service = service.transpose()?;
    let tools = tools(&text, service.as_ref()).map_err(|error| {
        let hint = "it must hold a list of tools under `tools` or `result.tools`, as MCP's \
                    tools/list answers, each with a `name`";
        let error = format!("`{}` is no list of tools: {error}", args.file.display());
        Failure::new(ExitCode::Usage, error).with_hint(hint)
    })?;
    let store = Store::create_configured(&config.store)?;
    store.replace_offered_tools(service.as_ref(), &tools, SystemClock.now())?;
    let known = tools.iter().filter(|tool| tool.kind.is_some()).count();
    tell(&format!(
        "{} tools are kept, {known} of them with annotations that tell reads from writes",
        tools.len(),
    ));
    Ok(())
}

fn read(file: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let taken = if file == Path::new("-") {
        std::io::stdin().lock().take(MAX_BYTES).read_to_string(&mut text)
    } else {
        std::fs::File::open(file).and_then(|open| open.take(MAX_BYTES).read_to_string(&mut text))
    };
    taken.map_err(|error| {
        let error = format!("cannot read `{}`: {error}", file.display());
        Failure::new(ExitCode::Usage, error).with_hint("check the path and its permissions")
    })?;
    Ok(text)
}

/// The answer to `tools/list`, as a JSON-RPC response, its result, or the list alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum Listed {
    Response { result: ToolList },
    Result(ToolList),
    Tools(Vec<Tool>),
}

#[derive(Deserialize)]
struct ToolList {
    tools: Vec<Tool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tool {
    name: String,
    #[serde(default)]
    input_schema: Option<serde_json::Value>,
    #[serde(default)]
    annotations: Option<Annotations>,
}

/// MCP's tool annotations, all of them hints.
#[expect(clippy::struct_field_names, reason = "the fields are the protocol's names")]
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Annotations {
    read_only_hint: Option<bool>,
    destructive_hint: Option<bool>,
    idempotent_hint: Option<bool>,
}

fn tools(text: &str, service: Option<&Name>) -> Result<Vec<OfferedTool>, String> {
    // The general error of a choice tells nothing; the reader's own tells line and column.
    let json: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let listed = Listed::deserialize(json).map_err(|_error| "no tools are listed in it".to_owned());
    let listed = match listed? {
        Listed::Response { result } | Listed::Result(result) => result.tools,
        Listed::Tools(tools) => tools,
    };
    let offered = |tool: Tool| {
        let name = Name::exact(&tool.name).filter(|name| !name.as_str().trim().is_empty());
        let name = name.ok_or("a tool's name is empty or longer than 1024 bytes")?;
        Ok(OfferedTool {
            service: service.cloned(),
            tool: name,
            kind: tool.annotations.and_then(|annotations| annotations.kind()),
            schema_bytes: tool.input_schema.map(|schema| schema.to_string().len() as u64),
        })
    };
    listed.into_iter().map(offered).collect()
}

impl Annotations {
    /// What calling the tool does, where a hint tells it. By MCP's defaults a tool that is not
    /// read-only may destroy and is not idempotent; without any hint nothing is told.
    const fn kind(&self) -> Option<OperationKind> {
        match (self.read_only_hint, self.idempotent_hint, self.destructive_hint) {
            (Some(true), ..) => Some(OperationKind::Read),
            (_, Some(true), _) => Some(OperationKind::IdempotentWrite),
            (None, None, None) => None,
            _ => Some(OperationKind::Write),
        }
    }
}

#[cfg(test)]
mod tests {
    use OperationKind::{IdempotentWrite, Read, Write};

    use super::*;

    fn kinds(text: &str) -> Vec<(String, Option<OperationKind>, Option<u64>)> {
        let found = tools(text, None).unwrap();
        found.into_iter().map(|t| (t.tool.as_str().to_owned(), t.kind, t.schema_bytes)).collect()
    }

    #[test]
    fn annotations_tell_reads_from_writes() {
        let list = r#"[
            {"name":"a","annotations":{"readOnlyHint":true}},
            {"name":"b","annotations":{"idempotentHint":true,"readOnlyHint":false}},
            {"name":"c","annotations":{"destructiveHint":false}},
            {"name":"d","annotations":{"title":"D"}},
            {"name":"e","inputSchema":{"type": "object"}}
        ]"#;
        let expected = [
            ("a", Some(Read), None),
            ("b", Some(IdempotentWrite), None),
            ("c", Some(Write), None),
            ("d", None, None),
            ("e", None, Some(17)),
        ]
        .map(|(name, kind, bytes)| (name.to_owned(), kind, bytes));
        assert_eq!(kinds(list), expected);
        for wrapped in [
            format!(r#"{{"tools":{list}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":{list},"nextCursor":"x"}}}}"#),
        ] {
            assert_eq!(kinds(&wrapped), expected);
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for text in ["", "{}", "7", r#"[{"title":"x"}]"#, r#"[{"name":""}]"#] {
            assert!(tools(text, None).is_err(), "{text}");
        }
    }
}
