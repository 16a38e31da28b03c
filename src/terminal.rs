//! What is shown on a terminal: names that cannot steer it, and colours where they are wanted.

use std::io::IsTerminal;

/// A name without anything that a terminal or a table would take for an instruction: control
/// characters, and those that turn the direction of writing or cannot be seen.
pub fn plain(name: &str) -> String {
    name.chars().map(|c| if is_hostile(c) { '\u{fffd}' } else { c }).collect()
}

fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Whether colours are wanted on standard output: on a terminal, unless `NO_COLOR` is set
/// (no-color.org); anywhere where `CLICOLOR_FORCE` is.
pub fn wants_colours() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if is_set("NO_COLOR") {
        return false;
    }
    let is_forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    is_forced || (std::io::stdout().is_terminal() && !is_dumb)
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
