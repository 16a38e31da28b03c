//! Characters of names that cannot be seen, or that turn the text around them.
//!
//! A name is hostile text. What stands in for such a character is each output's own matter; which
//! they are is said here once.

/// Whether a character has no shape of its own, or changes the direction of its neighbours.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}'
            | '\u{70f}' | '\u{115f}' | '\u{1160}' | '\u{1680}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180e}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}'
            | '\u{205f}'..='\u{206f}' | '\u{2800}' | '\u{3000}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// A name without anything that a terminal or a table would take for an instruction: control
/// characters, and those that turn the direction of writing or cannot be seen.
pub fn plain(name: &str) -> String {
    name.chars().map(|c| if is_hidden(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_steer_the_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\tc\u{202e}d"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d");
        assert_eq!(
            plain("\u{9b}31m\u{2066}x\u{61c}\u{e0041}"),
            "\u{fffd}31m\u{fffd}x\u{fffd}\u{fffd}"
        );
        assert_eq!(plain("mcp-server.Größe 数"), "mcp-server.Größe 数");
    }
}
