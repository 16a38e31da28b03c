//! Wrappers around arguments: taken off only by exact sets of keys, and only under attributes
//! known to carry them (args-hash.md section 7).

/// Which wrappers an attribute may carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MayWrap {
    /// Only those that are unmistakable anywhere.
    Unmistakable,
    /// Every known one.
    Any,
    /// The parameters of a JSON-RPC request, whose arguments may be absent.
    Parameters,
}

/// What a wrapper holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside<'k> {
    /// The arguments, or another wrapper of this kind, are under this key.
    Under(&'k str, MayWrap),
    /// A request without arguments.
    NoArguments,
}

/// The member of a LangChain run, as OpenLLMetry records it, that changes with every call.
const RUN_KEYS: &[&str] = &["input_str", "inputs", "kwargs", "metadata", "tags"];

/// What an object with these keys, in any order, wraps; none where it is no wrapper.
/// `is_empty_list` tells whether the value under a key is an empty list, `is_null` whether it
/// is null.
pub(super) fn inside<'k>(
    keys: &[&'k str],
    may_wrap: MayWrap,
    is_empty_list: impl Fn(&str) -> bool,
    is_null: impl Fn(&str) -> bool,
) -> Option<Inside<'k>> {
    let has = |key: &str| keys.contains(&key);
    let only = |allowed: &[&str]| keys.iter().all(|key| allowed.contains(key));
    let under = |key: &'static str, next| Some(Inside::Under(key, next));
    if has("input_str") && keys.len() >= 3 && only(RUN_KEYS) {
        let key = if has("inputs") && !is_null("inputs") { "inputs" } else { "input_str" };
        return under(key, MayWrap::Unmistakable);
    }
    if keys == ["_raw"] {
        return under("_raw", MayWrap::Unmistakable);
    }
    match may_wrap {
        MayWrap::Unmistakable => None,
        MayWrap::Parameters => {
            if has("arguments") {
                under("arguments", MayWrap::Unmistakable)
            } else if only(&["_meta", "name"]) {
                Some(Inside::NoArguments)
            } else {
                None
            }
        }
        MayWrap::Any => {
            if has("method") && has("params") && only(&["id", "jsonrpc", "method", "params"]) {
                under("params", MayWrap::Parameters)
            } else if has("arguments")
                && (has("name") != has("tool_name"))
                && only(&["_meta", "arguments", "name", "tool_name"])
            {
                under("arguments", MayWrap::Unmistakable)
            } else if has("kwargs") && only(&["args", "kwargs"]) && is_empty_list("args") {
                under("kwargs", MayWrap::Unmistakable)
            } else if keys == ["input"] {
                under("input", MayWrap::Unmistakable)
            } else {
                None
            }
        }
    }
}
