//! Who offers the tool and who called it (METHOD section 1, dialects.md 11.2 and 11.6).

use super::repairs::Repairs;
use crate::call::{ClientName, Name};
use crate::recognise::{ClientFrom, Dialect, Key, SERVICE_VERSION, Seen, Side};

/// Where a caller tells the server's name.
const SERVERS: &[Key] = &[
    Key::McpServerName,
    Key::McpTarget,
    Key::LitellmServerName,
    Key::AnthropicMcpServerName,
    Key::FastmcpServerName,
    Key::PlainMcpServer,
    Key::PlainMcpServerName,
    Key::ClineServerName,
    Key::CopilotMcpServerName,
];

/// Where the calling program is named, with its version.
const CLIENTS: &[(Key, Option<Key>)] = &[
    (Key::McpClientName, Some(Key::McpClientVersion)),
    (Key::PlainClientName, Some(Key::PlainClientVersion)),
    (Key::McpcatClientName, Some(Key::McpcatClientVersion)),
    (Key::GenAiAgentName, Some(Key::GenAiAgentVersion)),
    (Key::AgentName, None),
];

/// Names that instrumentations fill in where they know none.
const DEFAULT_NAMES: &[&str] = &["unknown", "agent", "Agent", "None", "null"];

/// Who offers the tool, where this span tells it. A server tells it by its own name, a caller by
/// the name it knows the server under.
pub(super) fn service(
    seen: &Seen<'_>,
    rules: &Dialect,
    side: Side,
    repairs: &mut Repairs,
) -> Option<Name> {
    if let Some(own) = (rules.service)(seen) {
        return Some(repairs.name(&own));
    }
    let told = SERVERS.iter().find_map(|key| seen.text(*key));
    let service = match side {
        Side::Server => own_name(seen).or(told).or_else(|| seen.emitter()),
        Side::Client => told.or_else(|| seen.text(Key::ServerAddress)),
        // An agent's `server.address` is the model's provider.
        Side::Agent | Side::Untold | Side::ByKind | Side::ByKindElseAgent => told,
    };
    service.map(|name| repairs.name(name))
}

/// The resource's `service.name`, where someone has set it.
fn own_name<'v>(seen: &Seen<'v>) -> Option<&'v str> {
    // `unknown_service:node` and the like are the SDKs' defaults.
    seen.emitter().filter(|name| !name.starts_with("unknown_service"))
}

/// The calling program and its version, where this span tells them. Never the name of the
/// program that serves.
pub(super) fn client(
    seen: &Seen<'_>,
    rules: &Dialect,
    side: Side,
    repairs: &mut Repairs,
) -> (Option<ClientName>, Option<Name>) {
    let named = CLIENTS.iter().find_map(|(name, version)| {
        let name = seen.text(*name).filter(|name| !DEFAULT_NAMES.contains(name))?;
        Some((name, version.and_then(|key| seen.text(key))))
    });
    let told = named.or_else(|| match side {
        Side::Client | Side::Agent => sender(seen, rules),
        Side::Server | Side::Untold | Side::ByKind | Side::ByKindElseAgent => seen
            .text(Key::UserAgent)
            .map(product)
            .or_else(|| oauth_client(seen).map(|name| (name, None))),
    });
    let Some((name, version)) = told else { return (None, None) };
    let client = ClientName::new(repairs.name(name));
    (Some(client), version.map(|version| repairs.name(version)))
}

/// The program that sent this, where it is the calling one. A known program goes by its own name,
/// but for its other editions: a user may have given it any.
fn sender<'v>(seen: &Seen<'v>, rules: &Dialect) -> Option<(&'v str, Option<&'v str>)> {
    let version = seen.resource.attributes.text(SERVICE_VERSION);
    match rules.client {
        ClientFrom::Sender => own_name(seen).map(|name| (name, version)),
        ClientFrom::Known(known) => {
            let is_edition =
                |name: &&str| known.editions.iter().any(|start| name.starts_with(start));
            let name = seen.emitter().filter(is_edition).unwrap_or(known.name);
            let version = version.filter(|_| known.is_service_version_its_own);
            Some((name, seen.text(Key::AppVersion).or(version)))
        }
    }
}

/// FastMCP sends its OAuth client where others send who the user is; a user is no client, and
/// no user's name may reach a report.
fn oauth_client<'v>(seen: &Seen<'v>) -> Option<&'v str> {
    seen.text(Key::EnduserId).filter(|_| seen.is_scope("fastmcp"))
}

/// The first product of a user agent, with its version: `desk/2.1 (Linux)` is `desk`, `2.1`.
fn product(user_agent: &str) -> (&str, Option<&str>) {
    let first = user_agent.split_whitespace().next().unwrap_or(user_agent);
    match first.split_once('/') {
        Some((name, version)) if !name.is_empty() => (name, Some(version)),
        _ => (first, None),
    }
}
