//! Which tool was called (dialects.md 11.2).

use std::borrow::Cow;

use crate::recognise::{Key, Seen, ToolFrom, hashed_parts, short_hash};

/// Names that stand in the place of one that is not known.
const NO_NAMES: &[&str] =
    &["unknown", "unknown_tool", "mcp_tool", "(merged tools)", "execute_tool", "tools/call"];

/// The tool's name, byte for byte as sent; none where the span does not name it.
pub(super) fn tool<'v>(seen: &Seen<'v>, places: &[ToolFrom]) -> Option<Cow<'v, str>> {
    places.iter().find_map(|place| {
        let name = read(seen, *place)?;
        (!name.trim().is_empty() && !NO_NAMES.contains(&&*name)).then_some(name)
    })
}

fn read<'v>(seen: &Seen<'v>, place: ToolFrom) -> Option<Cow<'v, str>> {
    let name: &'v str = &seen.span.name;
    match place {
        ToolFrom::Key(key) => seen.text(key).map(Cow::Borrowed),
        ToolFrom::NameAfter(start) => name.strip_prefix(start).map(Cow::Borrowed),
        ToolFrom::NameBefore(end) => name.strip_suffix(end).map(Cow::Borrowed),
        ToolFrom::Name => Some(Cow::Borrowed(name)),
        ToolFrom::Unprefixed(key, server) => {
            let name = seen.text(key)?;
            let server = seen.text(server);
            Some(Cow::Borrowed(server.map_or(name, |server| without_server(name, server))))
        }
        ToolFrom::HashedPart(key) => {
            let (_, tool) = hashed_parts(seen.text(key)?)?;
            Some(Cow::Owned(short_hash(tool)))
        }
        ToolFrom::Member(key, member) => seen.member(key, member).map(Cow::Owned),
        ToolFrom::RequestIn(key) => request_name(seen.text(key)?).map(Cow::Owned),
        // `tool:name@version`.
        ToolFrom::ComponentKey => {
            let key = seen.text(Key::FastmcpComponentKey)?.strip_prefix("tool:")?;
            Some(Cow::Borrowed(key.rsplit_once('@').map_or(key, |(name, _)| name)))
        }
    }
}

/// The tool's own name, where `name` has the server's before it as agents put it there:
/// `mcp__notes__echo`, `mcp_notes_echo`, `notes-echo`. Any other name stays as it was sent.
fn without_server<'v>(name: &'v str, server: &str) -> &'v str {
    let rest = name.strip_prefix("mcp__").or_else(|| name.strip_prefix("mcp_")).unwrap_or(name);
    let own = rest.strip_prefix(server).and_then(|rest| {
        ["__", "_", "-", ".", "/", ":"].iter().find_map(|separator| rest.strip_prefix(separator))
    });
    own.filter(|own| !own.is_empty()).unwrap_or(name)
}

/// `.params.name` of a JSON-RPC request, or OpenLIT's first positional argument; everything
/// else in it is skipped over.
fn request_name(request: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Request {
        params: Params,
    }
    #[derive(serde::Deserialize)]
    struct Params {
        name: Option<String>,
        #[serde(default)]
        args: Vec<serde_json::Value>,
    }
    let params = serde_json::from_str::<Request>(request).ok()?.params;
    params.name.or_else(|| params.args.first()?.as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_goes_by_its_own_name_where_its_server_is_known() {
        for name in ["mcp__notes__echo", "mcp_notes_echo", "notes-echo", "notes_echo", "echo"] {
            assert_eq!(without_server(name, "notes"), "echo", "{name}");
        }
        for name in ["notes_", "mcp_other_echo", "notesecho"] {
            assert_eq!(without_server(name, "notes"), name);
        }
    }
}
