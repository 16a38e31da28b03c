//! What is expected of a span, and what became of it, in one shape.

use firstcall::call::{
    ArgsForm, ArgsHash, Arguments, CallDuration, Confidence, Emptiness, Outcome, SessionClaim,
    SessionKey,
};
use firstcall::figures::Refusal;
use firstcall::recognise::NotACall;
use firstcall::reduce::Reduced;
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// An expectation as it is written down. What is not written is expected to be absent, except
/// the outcome, which is `ok`, and the times, which are those of most bodies.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    /// Why this case is here; not compared.
    #[serde(default, rename = "because")]
    _because: Option<String>,
    ordinary: Option<bool>,
    not_a_call: Option<String>,
    refused: Option<String>,
    pub(super) dialect: Option<String>,
    tool: Option<String>,
    service: Option<String>,
    client: Option<String>,
    client_version: Option<String>,
    conversation: Option<String>,
    transport: Option<String>,
    arguments: Option<ExpectedArguments>,
    outcome: Option<String>,
    #[serde(default)]
    is_low_confidence: bool,
    #[serde(default)]
    is_label: bool,
    is_empty: Option<bool>,
    result_bytes: Option<u64>,
    call_id: Option<String>,
    request_id: Option<String>,
    #[serde(default)]
    is_sampled: bool,
    #[serde(default)]
    is_time_unknown: bool,
    duration_ns: Option<u64>,
    /// Compared where it is written.
    pub(super) start_ns: Option<u64>,
    #[serde(default)]
    repairs: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedArguments {
    /// What is hashed, before the form's own first bytes.
    text: Option<String>,
    exact: Option<String>,
    core: Option<String>,
    pos: Option<String>,
    #[serde(default)]
    hides: bool,
    /// Where these are not those of the text.
    print_names: Option<Vec<String>>,
    /// A given hash.
    hash: Option<String>,
    form: Option<String>,
    source: String,
}

/// What became of a span.
#[derive(Debug, PartialEq, Eq, Default)]
pub(super) struct Shown {
    fate: String,
    dialect: Option<String>,
    tool: Option<String>,
    service: Option<String>,
    client: Option<String>,
    client_version: Option<String>,
    session: Option<String>,
    arguments: Option<ShownArguments>,
    outcome: Option<String>,
    confidence: Option<&'static str>,
    is_label: bool,
    emptiness: Option<&'static str>,
    result_bytes: Option<u64>,
    call_id: Option<String>,
    request_id: Option<String>,
    is_sampled: bool,
    is_time_known: bool,
    duration_ns: Option<u64>,
    pub(super) start_ns: Option<u64>,
    repairs: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
struct ShownArguments {
    form: String,
    source: String,
    hash: String,
    exact: Option<String>,
    core: Option<String>,
    pos: Option<String>,
    hides: bool,
    print_names: Vec<String>,
}

impl Expected {
    pub(super) fn shown(self) -> Shown {
        let fate = match (self.ordinary, &self.not_a_call, &self.refused) {
            (Some(true), None, None) => "ordinary".to_owned(),
            (None, Some(reason), None) => format!("not a call: {reason}"),
            (None, None, Some(reason)) => format!("refused: {reason}"),
            (None, None, None) => "call".to_owned(),
            _ => panic!("more than one fate"),
        };
        if fate != "call" {
            return Shown { fate, ..Shown::default() };
        }
        let conversation = self.conversation.map(|id| format!("a {:?}", SessionKey::of(&id)));
        let transport = self.transport.map(|id| format!("b {:?}", SessionKey::of(&id)));
        let emptiness = match self.is_empty {
            Some(true) => Emptiness::Yes,
            Some(false) => Emptiness::No,
            None => Emptiness::Unknown,
        };
        let confidence = if self.is_low_confidence { Confidence::Low } else { Confidence::High };
        let key = |id: String| format!("{:?}", firstcall::call::CallKey::of(&id));
        Shown {
            fate,
            dialect: self.dialect,
            tool: self.tool,
            service: self.service,
            client: self.client,
            client_version: self.client_version,
            session: conversation.or(transport),
            arguments: self.arguments.map(ExpectedArguments::shown),
            outcome: Some(self.outcome.unwrap_or_else(|| Outcome::Ok.word().to_owned())),
            confidence: Some(confidence.word()),
            is_label: self.is_label,
            emptiness: Some(emptiness.word()),
            result_bytes: self.result_bytes,
            call_id: self.call_id.map(key),
            request_id: self.request_id.map(key),
            is_sampled: self.is_sampled,
            is_time_known: !self.is_time_unknown,
            // Most bodies' spans take a quarter of a second.
            duration_ns: Some(self.duration_ns.unwrap_or(250_000_000)),
            start_ns: self.start_ns,
            repairs: self.repairs,
        }
    }
}

impl ExpectedArguments {
    fn shown(self) -> ShownArguments {
        let form = self.form.unwrap_or_else(|| {
            if self.hash.is_some() { ArgsForm::Given } else { ArgsForm::Json }.word().to_owned()
        });
        // args-hash.md section 7: every form but JSON has first bytes of its own. Beside a given
        // hash the parts are hashed as the JSON that they are.
        let prefix: &[u8] = match form.as_str() {
            "json" | "given" => b"",
            "raw" => b"\0r\0",
            "cut" => b"\0c\0",
            "flat" => b"\0f\0",
            "lower_keys" => b"\0l\0",
            "lossy" => b"\0s\0",
            other => panic!("unknown form {other}"),
        };
        let hash = |text: &String| {
            let digest: [u8; 32] = Sha256::digest([prefix, text.as_bytes()].concat()).into();
            let (head, _) = digest.as_chunks::<6>();
            ArgsHash::from_bytes(*head.first().unwrap()).to_string()
        };
        let names = |text: &String| {
            let object: Option<serde_json::Map<String, serde_json::Value>> =
                serde_json::from_str(text).ok();
            let mut names: Vec<_> = object.into_iter().flatten().map(|(name, _)| name).collect();
            names.sort();
            names
        };
        let is_object = matches!(form.as_str(), "json" | "given" | "flat" | "lower_keys");
        let print_names = self.text.as_ref().filter(|_| is_object).map(names);
        ShownArguments {
            hash: self.hash.unwrap_or_else(|| hash(self.text.as_ref().unwrap())),
            form,
            source: self.source,
            exact: self.exact.as_ref().map(hash),
            core: self.core.as_ref().map(hash),
            pos: self.pos.as_ref().map(hash),
            hides: self.hides,
            print_names: self.print_names.or(print_names).unwrap_or_default(),
        }
    }
}

impl Shown {
    pub(super) fn of(reduced: &Reduced) -> Self {
        let sighting = &reduced.sighting;
        let text = |name: &firstcall::call::Name| name.as_str().to_owned();
        Self {
            fate: "call".to_owned(),
            dialect: Some(text(&sighting.dialect)),
            tool: sighting.tool.as_ref().map(text),
            service: sighting.service.as_ref().map(text),
            client: sighting.client.as_ref().map(|client| client.as_str().to_owned()),
            client_version: sighting.client_version.as_ref().map(text),
            session: sighting.session.map(|claim| match claim {
                SessionClaim::Conversation(key) => format!("a {key:?}"),
                SessionClaim::Transport(key) => format!("b {key:?}"),
            }),
            arguments: sighting.arguments.as_ref().map(ShownArguments::of),
            outcome: Some(sighting.outcome.word().to_owned()),
            confidence: Some(sighting.confidence.word()),
            is_label: sighting.is_label,
            emptiness: Some(sighting.emptiness.word()),
            result_bytes: sighting.result_bytes,
            call_id: sighting.call_id.map(|key| format!("{key:?}")),
            request_id: sighting.request_id.map(|key| format!("{key:?}")),
            is_sampled: sighting.is_sampled,
            is_time_known: sighting.is_time_known,
            duration_ns: sighting.end.since(sighting.start).map(CallDuration::as_nanos),
            start_ns: Some(sighting.start.get()),
            repairs: reduced.repairs.iter().map(|repair| repair.word().to_owned()).collect(),
        }
    }

    pub(super) fn refused(refusal: Refusal) -> Self {
        Self { fate: format!("refused: {refusal}"), ..Self::default() }
    }

    pub(super) fn not_a_call(reason: NotACall) -> Self {
        Self { fate: format!("not a call: {reason}"), ..Self::default() }
    }

    pub(super) fn ordinary() -> Self {
        Self { fate: "ordinary".to_owned(), ..Self::default() }
    }
}

impl ShownArguments {
    fn of(arguments: &Arguments) -> Self {
        Self {
            form: arguments.form.word().to_owned(),
            source: arguments.source.as_str().to_owned(),
            hash: arguments.hash.to_string(),
            exact: arguments.exact.map(|hash| hash.to_string()),
            core: arguments.core.map(|hash| hash.to_string()),
            pos: arguments.pos.map(|hash| hash.to_string()),
            hides: arguments.hides,
            print_names: arguments.prints.iter().map(|p| p.name.as_str().to_owned()).collect(),
        }
    }
}
