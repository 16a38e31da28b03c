//! The canonical form of arguments, against another implementation of RFC 8785.

use firstcall::reduce::canonical_json::canonicalise;

/// The same texts have a canonical form, and it is the same; it is its own canonical form.
pub fn check(bytes: &[u8]) {
    let ours = canonicalise(bytes).ok().map(|text| text.as_str().to_owned());
    let theirs = jcs_admit::admit(bytes).ok();
    assert_eq!(ours.as_ref().map(String::as_bytes), theirs.as_deref());
    if let Some(text) = ours {
        let again = canonicalise(text.as_bytes()).map(|again| again.as_str().to_owned());
        assert_eq!(again.as_ref(), Ok(&text));
    }
}
