//! Marks that senders leave in the place of content: redacted, cut, not serialised.

/// Whole texts that stand in the place of arguments or a result that were not sent.
const NOT_SENT: &[&str] =
    &["None", "N/A", "undefined", "<not serializable>", "<not specified>", "<unserializable>"];

/// Texts that stand in the place of something redacted, without regard to case.
const REDACTED: &[&str] = &["[redacted]", "<redacted>", "__redacted__", "[filtered]", STARS];
const STARS: &str = "***";

/// How texts end that their sender cut, without regard to case.
const CUT: &[&str] = &["...", "…", "[truncated]", "(truncated)", "<truncated>", "<nested>"];

/// Whether `text` stands in the place of content that was not sent: no arguments can be told.
pub(super) fn is_not_sent(text: &str) -> bool {
    let text = text.trim();
    NOT_SENT.contains(&text)
        || REDACTED.iter().any(|mark| text.eq_ignore_ascii_case(mark))
        || starts_with_ignoring_case(text, "failed to serialize")
}

/// Whether `text` ends as its sender's cutting leaves it.
pub(super) fn ends_cut(text: &str) -> bool {
    let text = text.trim_end();
    CUT.iter().any(|mark| ends_with_ignoring_case(text.as_bytes(), mark))
        || text.rfind("[TRUNCATED").is_some_and(|at| text.len() - at < 80)
        // Claude Code: `…[N chars]`.
        || (text.ends_with(" chars]") && text.rfind("…[").is_some_and(|at| text.len() - at < 32))
}

/// The lengths at which senders usually cut a text, without a mark: OpenTelemetry's limit has no
/// default, and these are what it is set to.
const USUAL_LIMITS: &[usize] =
    &[128, 256, 512, 1000, 1024, 2048, 4095, 4096, 8192, 10_000, 16_384, 32_768, 65_536];

/// Whether `text` is exactly as long as a usual limit, counted in bytes, in characters or in UTF-16
/// units, as SDKs count. It may have been cut, so that its equal proves nothing.
pub(super) fn is_as_long_as_a_limit(text: &str) -> bool {
    let is_limit = |length: usize| USUAL_LIMITS.binary_search(&length).is_ok();
    // No shorter text reaches the least limit, however it is counted.
    if text.len() < 128 {
        return false;
    }
    is_limit(text.len())
        || (!text.is_ascii()
            && (is_limit(text.chars().count()) || is_limit(text.encode_utf16().count())))
}

/// Whether a redaction mark stands anywhere in `text`.
pub(super) fn holds_redaction(text: &str) -> bool {
    // One cheap look decides for nearly every text.
    if !text.bytes().any(|byte| matches!(byte, b'[' | b'<' | b'_' | b'*')) {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    REDACTED.iter().any(|mark| match *mark {
        STARS => lower.match_indices(STARS).any(|(at, _)| stands_for_a_value(&lower, at)),
        mark => lower.contains(mark),
    })
}

/// Whether what is at `at` stands in a value's place: after a quote, an equals sign or a colon.
/// Stars alone are a patch's or a text's own: `*** Begin Patch`.
fn stands_for_a_value(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_end_matches(' ');
    before.ends_with(['"', '\'', '=', ':'])
}

/// Whether one string inside arguments, in its canonical form, hides a difference: it is a
/// redaction mark, or it was cut, or may have been.
pub(super) fn leaf_hides(leaf: &[u8]) -> bool {
    if leaf.len() >= 128 && std::str::from_utf8(leaf).is_ok_and(is_as_long_as_a_limit) {
        return true;
    }
    // Every mark ends in one of these, and few other texts do. 0xA6 ends `…`.
    let Some(b'.' | b']' | b')' | b'>' | b'_' | b'*' | 0xA6) = leaf.last() else {
        return false;
    };
    let Ok(text) = std::str::from_utf8(leaf) else { return false };
    REDACTED.iter().any(|mark| text.trim().eq_ignore_ascii_case(mark)) || ends_cut(text)
}

pub(super) fn starts_with_ignoring_case(text: &str, start: &str) -> bool {
    text.as_bytes()
        .get(..start.len())
        .is_some_and(|bytes| bytes.eq_ignore_ascii_case(start.as_bytes()))
}

fn ends_with_ignoring_case(text: &[u8], end: &str) -> bool {
    text.len()
        .checked_sub(end.len())
        .and_then(|from| text.get(from..))
        .is_some_and(|bytes| bytes.eq_ignore_ascii_case(end.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_known_and_ordinary_texts_are_not() {
        for text in ["None", " [REDACTED] ", "__REDACTED__", "Failed to serialize arguments"] {
            assert!(is_not_sent(text), "{text}");
        }
        for text in ["", "none of them", "{\"a\":\"[REDACTED]\"}"] {
            assert!(!is_not_sent(text), "{text}");
        }
        for text in ["select * fr...", "abc…", "x[TRUNCATED: 3 more]", "aaa…[900 chars]"] {
            assert!(ends_cut(text), "{text}");
        }
        assert!(!ends_cut("one. two."));
        assert!(
            is_as_long_as_a_limit(&"é".repeat(128)) && !is_as_long_as_a_limit(&"x".repeat(129))
        );
        assert!(
            leaf_hides("x".repeat(1024).as_bytes()) && !leaf_hides("x".repeat(1023).as_bytes())
        );
        assert!(leaf_hides(b"***") && leaf_hides(b"[Filtered]") && leaf_hides(b"<nested>"));
        assert!(!leaf_hides(b"**bold**x") && !leaf_hides(b"a.") && !leaf_hides(b""));
        assert!(holds_redaction("{'key': '***'}") && holds_redaction("key=***, b=1"));
        assert!(!holds_redaction("*** Begin Patch\n*** Update File: a"));
        assert!(holds_redaction("{'key': '[REDACTED]'}") && !holds_redaction("{'key': 1}"));
    }
}
