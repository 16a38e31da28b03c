//! The session that a span itself names (METHOD section 2, dialects.md 11.5).

use super::context::ReduceContext;
use crate::call::{SessionClaim, SessionKey};
use crate::recognise::{Dialect, Key, Seen, word};

/// Grade A: a conversation.
const CONVERSATIONS: &[Key] = &[
    Key::GenAiConversationId,
    Key::SessionId,
    Key::PlainSessionId,
    Key::LangfuseSessionId,
    Key::ConversationId,
    Key::CopilotChatSessionId,
    Key::Ulid,
    Key::TraceloopSessionId,
    Key::TraceloopThreadId,
    Key::TraceloopConversationId,
    Key::LangsmithSessionId,
    Key::LangsmithThreadId,
    Key::LangsmithConversationId,
    Key::AiSessionId,
    Key::AiThreadId,
    Key::AiChatId,
];

/// Grade B: the transport's session.
const TRANSPORTS: &[Key] = &[Key::McpSessionId, Key::McpcatSessionId];

/// The first protocol without sessions: what is sent under their name is made up per request.
const WITHOUT_SESSIONS: &str = "2026-07-28";

/// Texts that stand in the place of a session that is not known.
const NO_SESSIONS: &[&str] = &["unknown", "none", "null", "undefined", "n/a", "nil"];

/// The session that the span names. The configuration's attributes are asked first: whoever
/// names one knows better.
pub(super) fn claim(
    seen: &Seen<'_>,
    rules: &Dialect,
    context: &ReduceContext<'_>,
) -> Option<SessionClaim> {
    let configured = context.conversation_attributes.iter().filter_map(|name| {
        let span = seen.span.attributes.get(name).and_then(word);
        span.or_else(|| seen.resource.attributes.get(name).and_then(word))
    });
    // Where the transport's session is none, neither is what once had its place.
    let is_one = |key: &&Key| rules.has_transport_session || **key != Key::SessionId;
    let known = CONVERSATIONS.iter().filter(is_one).filter_map(|key| seen.word(*key));
    if let Some(id) = configured.chain(known).find(|id| is_session(id)) {
        return Some(SessionClaim::Conversation(SessionKey::of(&id)));
    }
    if !rules.has_transport_session || has_no_sessions(seen) {
        return None;
    }
    let id = TRANSPORTS.iter().find_map(|key| {
        let id = seen.word(*key).filter(|id| is_session(id))?;
        // One for the whole process is no session.
        let resource = seen.resource.attributes.text(key.text());
        (resource != Some(&*id)).then_some(id)
    })?;
    Some(SessionClaim::Transport(SessionKey::of(&id)))
}

fn has_no_sessions(seen: &Seen<'_>) -> bool {
    // The protocol's versions are dates: they sort as texts.
    seen.text(Key::McpProtocolVersion).is_some_and(|version| version >= WITHOUT_SESSIONS)
}

fn is_session(id: &str) -> bool {
    let id = id.trim();
    !NO_SESSIONS.iter().any(|none| id.eq_ignore_ascii_case(none))
        // A UUID of zeros.
        && !id.bytes().all(|byte| matches!(byte, b'0' | b'-'))
}
