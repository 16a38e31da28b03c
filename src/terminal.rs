//! Whether a terminal is shown colours.

use std::io::IsTerminal;

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
