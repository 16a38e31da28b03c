//! Names from telemetry as a page shows them.
//!
//! A name is hostile text. Escaping is each output's own work; what all outputs share is here:
//! characters that cannot be seen, or that turn the text around them, are made visible, and
//! what is too long is cut.

use crate::call::hidden::is_hidden;

/// The longest name that is shown, in characters, where other text stands beside it.
pub const SHOWN_CHARACTERS: usize = 60;

/// A name as it is shown beside other text.
pub fn shown(name: &str) -> String {
    shown_up_to(name, SHOWN_CHARACTERS)
}

/// A name as it is shown where it has the place to itself.
pub fn shown_whole(name: &str) -> String {
    shown_up_to(name, usize::MAX)
}

fn shown_up_to(name: &str, most: usize) -> String {
    if name.is_empty() {
        return "(no name)".to_owned();
    }
    let mut text = String::with_capacity(name.len().min(most));
    let mut shown = 0;
    for character in name.chars() {
        let visible = visible(character);
        shown += visible.chars().count();
        if shown > most {
            text.push('…');
            break;
        }
        text.push_str(&visible);
    }
    // Blanks at the ends would be swallowed, and a name of blanks would be none.
    let inner = text.trim_matches(' ');
    let before = text.len() - text.trim_start_matches(' ').len();
    let after = text.len() - text.trim_end_matches(' ').len();
    if before + after == 0 {
        return text;
    }
    if inner.is_empty() {
        return "␣".repeat(text.len());
    }
    format!("{}{inner}{}", "␣".repeat(before), "␣".repeat(after))
}

fn visible(character: char) -> String {
    match character {
        '\n' | '\r' => "⏎".to_owned(),
        '\t' => "⇥".to_owned(),
        hidden if is_hidden(hidden) => format!("⟨{:X}⟩", u32::from(hidden)),
        plain => plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_made_visible() {
        assert_eq!(shown("pay\u{202e}gpj.exe"), "pay⟨202E⟩gpj.exe");
        assert_eq!(shown("a\u{200b}b"), "a⟨200B⟩b");
        assert_eq!(shown("a\nb\tc\0"), "a⏎b⇥c⟨0⟩");
        assert_eq!(shown(" x  "), "␣x␣␣");
        assert_eq!(shown("  "), "␣␣");
        assert_eq!(shown(""), "(no name)");
        assert_eq!(shown("日本語 ünï"), "日本語 ünï");
    }

    #[test]
    fn a_long_name_is_cut_between_characters() {
        assert_eq!(shown(&"é".repeat(60)), "é".repeat(60));
        assert_eq!(shown(&"é".repeat(61)), format!("{}…", "é".repeat(60)));
        assert_eq!(shown_whole(&"é".repeat(500)).chars().count(), 500);
    }
}
