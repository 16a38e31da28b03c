//! Any bytes as JSON, against `serde_json`'s grammar.

use firstcall::otlp::{DecodeError, Format};
use serde::de::IgnoredAny;

use super::shown::{Shown, Wanted};

/// What is no JSON is refused, and what is JSON is never refused as none; a wrong shape may be
/// refused by its name.
pub fn check(bytes: &[u8]) {
    let all = Shown::of(bytes, Format::Json, Wanted::All);
    let some = Shown::of(bytes, Format::Json, Wanted::Some);
    // serde_json wants no byte order mark, which some writers begin with.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let is_json = serde_json::from_slice::<IgnoredAny>(text).is_ok();
    for shown in [&all, &some] {
        match shown {
            Ok(_) => assert!(is_json, "accepted what is no JSON"),
            Err(DecodeError::Shape(_)) => {}
            Err(error) => assert!(!is_json, "{error}, but it is JSON"),
        }
    }
    // Reading more of a request can find more wrong with it, never less.
    assert!(all.is_err() || some.is_ok());
}
