//! What is kept of the arguments (METHOD section 3, args-hash.md sections 7 to 10). The
//! arguments themselves end here.

use std::borrow::Cow;

use super::canonical_json::{self, Canonical};
use super::context::ReduceContext;
use super::given::given;
use super::hash::Hasher;
use super::material::{Looked, Material, look};
use super::messages;
use super::paging::paging;
use super::prints::prints;
use super::wrappers::MayWrap;
use crate::call::{ArgsForm, Arguments, Name};
use crate::otlp::Value;
use crate::recognise::{ArgumentsFrom, Dialect, Seen};

/// What is kept of the arguments; none where no hash came and no arguments were visible.
pub(super) fn arguments(
    seen: &Seen<'_>,
    rules: &Dialect,
    tool: Option<&str>,
    context: &ReduceContext<'_>,
) -> Option<Arguments> {
    let visible = rules.arguments.iter().find_map(|place| read(seen, *place));
    let hasher =
        if context.limits.keyed_hashes { Hasher::keyed(context.keys) } else { Hasher::plain() };
    let scope = &seen.scope.name;
    // These SDKs add a text in which the model says why it calls: no two calls have the same.
    let adds_context = ["agentcat", "mcpcat"].iter().any(|sdk| scope.contains(sdk));
    let ignored = adds_context.then_some("context");
    let kept = Keeping { hasher: &hasher, tool, ignored, context };
    let Some(given) = given(seen) else {
        let (looked, attribute) = visible?;
        let source = Name::cut(&format!("{scope} {attribute} {}", hasher.algorithm()));
        return Some(kept.visible(&looked, source));
    };
    // A given hash compares only with others of its emitter (METHOD section 8).
    let emitter = seen.emitter().unwrap_or_default();
    let keyed = if context.limits.keyed_hashes { hasher.algorithm() } else { String::new() };
    let attribute = given.key.text();
    let algorithm = given.algorithm;
    let source = Name::cut(&format!("{scope} {attribute} {algorithm}{keyed} by {emitter}"));
    let hash = if context.limits.keyed_hashes {
        hasher.form(ArgsForm::Given, given.hash.as_bytes())
    } else {
        given.hash
    };
    let mut arguments = match visible {
        // What the arguments themselves tell stands beside the given hash.
        Some((looked, _)) => kept.visible(&looked, source.clone()),
        None => Arguments {
            form: ArgsForm::Given,
            source: source.clone(),
            hash,
            exact: None,
            core: None,
            pos: None,
            hides: false,
            prints: Vec::new(),
        },
    };
    if arguments.form == ArgsForm::Json {
        // A first page has no paging parameters: its core is the whole, by our own hash.
        arguments.core = arguments.core.or(arguments.exact).or(Some(arguments.hash));
    }
    Some(Arguments { form: ArgsForm::Given, source, hash, hides: false, ..arguments })
}

/// What a visible place holds, and the attribute's name for the source.
fn read<'v>(seen: &Seen<'v>, place: ArgumentsFrom) -> Option<(Looked, Cow<'static, str>)> {
    let is_repaired = seen.span.is_utf8_repaired;
    let of = |value: &'v Value<'v>, may_wrap| look(Material::of(value)?, may_wrap, is_repaired);
    match place {
        ArgumentsFrom::Key(key) => {
            Some((of(seen.value(key)?, MayWrap::Unmistakable)?, key.text().into()))
        }
        ArgumentsFrom::Wrapped(key) => {
            Some((of(seen.value(key)?, MayWrap::Any)?, key.text().into()))
        }
        ArgumentsFrom::NotASchema(key) => {
            let looked = of(seen.value(key)?, MayWrap::Unmistakable)?;
            (!looked.is_schema()).then_some((looked, key.text().into()))
        }
        ArgumentsFrom::NotBare(key) => {
            let looked = of(seen.value(key)?, MayWrap::Unmistakable)?;
            (looked.bytes() != b"{}").then_some((looked, key.text().into()))
        }
        ArgumentsFrom::Lossy(key, size) => {
            let looked = of(seen.value(key)?, MayWrap::Unmistakable)?;
            let size = seen.word(size).unwrap_or_default();
            Some((looked.lossy(&size), key.text().into()))
        }
        ArgumentsFrom::Event(event, key) => {
            let found = seen.span.events.iter().rev().find(|each| each.name == event)?;
            let value = found.attributes.get(key)?;
            Some((of(value, MayWrap::Any)?, format!("{event}/{key}").into()))
        }
        ArgumentsFrom::Messages(event, key) => {
            let found = seen.span.events.iter().rev().find(|each| each.name == event)?;
            let call = messages::part(found.attributes.text(key)?, "tool_call", &["arguments"])?;
            let looked = look(Material::Text(call.into()), MayWrap::Unmistakable, is_repaired)?;
            Some((looked, format!("{event}/{key}").into()))
        }
        ArgumentsFrom::Flattened(prefix) => {
            let members = members(seen, prefix, "")?;
            let canonical = canonical_json::exact_value(&Value::Kvlist(members)).ok()?;
            Some((Looked::rebuilt(ArgsForm::Flat, canonical), format!("{prefix}*").into()))
        }
        ArgumentsFrom::LowerKeys(prefix) => {
            let canonical = rebuilt_from_json(&members(seen, prefix, "")?)?;
            Some((Looked::rebuilt(ArgsForm::LowerKeys, canonical), format!("{prefix}*").into()))
        }
        ArgumentsFrom::Between(prefix, suffix) => {
            let canonical = rebuilt_from_json(&members(seen, prefix, suffix)?)?;
            Some((Looked::rebuilt(ArgsForm::Flat, canonical), format!("{prefix}*{suffix}").into()))
        }
    }
}

type Members<'v> = Vec<(Cow<'v, str>, Value<'v>)>;

/// Arguments with an attribute each; none where there is no such attribute. Where a key
/// repeats, the last one holds.
fn members<'v>(seen: &Seen<'v>, prefix: &str, suffix: &str) -> Option<Members<'v>> {
    let mut members = std::collections::BTreeMap::new();
    for (key, value) in seen.span.attributes.iter() {
        let inner = key.strip_prefix(prefix).and_then(|key| key.strip_suffix(suffix));
        if let Some(inner) = inner.filter(|inner| !inner.is_empty()) {
            members.insert(inner, value.clone());
        }
    }
    let members = members.into_iter().map(|(key, value)| (Cow::Borrowed(key), value));
    Some(members.collect()).filter(|members: &Members<'v>| !members.is_empty())
}

/// An object whose members' values are JSON text, or else plain texts.
fn rebuilt_from_json(members: &Members<'_>) -> Option<Canonical> {
    let mut text = String::from("{");
    for (key, value) in members {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&serde_json::to_string(key).ok()?);
        text.push(':');
        match value.as_str() {
            Some(json) if canonical_json::canonicalise_text(json).is_ok() => text.push_str(json),
            _ => text.push_str(canonical_json::value_as_received(value).ok()?.as_str()),
        }
    }
    text.push('}');
    canonical_json::exact_text(&text).ok()
}

/// How visible arguments are kept.
struct Keeping<'a> {
    hasher: &'a Hasher<'a>,
    tool: Option<&'a str>,
    /// A parameter that says nothing of what is asked for.
    ignored: Option<&'a str>,
    context: &'a ReduceContext<'a>,
}

impl Keeping<'_> {
    fn visible(&self, looked: &Looked, source: Name) -> Arguments {
        let Self { hasher, context, .. } = self;
        let form = looked.form;
        let hash = hasher.form(form, looked.bytes());
        let exact = looked.exact.as_ref().map(|text| hasher.form(form, text.as_str().as_bytes()));
        let finest = looked.exact.as_ref().or(looked.canonical.as_ref());
        let object = finest.filter(|text| text.is_object());
        let declared = self.tool.and_then(|tool| context.paging.tools.get(tool));
        let split = object.map(|object| paging(object, declared, self.ignored)).unwrap_or_default();
        let part = |text: Option<String>| text.map(|text| hasher.form(form, text.as_bytes()));
        let prints = object
            .filter(|_| context.limits.prints)
            .map(|object| prints(object, context.keys))
            .unwrap_or_default();
        Arguments {
            form,
            source,
            hash,
            // What compares: without what says nothing.
            exact: part(split.meant).or(exact),
            core: part(split.core),
            pos: part(split.pos),
            hides: looked.hides,
            prints,
        }
    }
}
