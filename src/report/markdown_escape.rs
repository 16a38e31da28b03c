//! Escaping for Markdown.
//!
//! askama writes `.md` templates unescaped unless told otherwise; `askama.toml` names
//! [`MarkdownEscaper`] for them. It is the safety net under every value. Names from telemetry
//! do not rely on it: templates show them through the `filters::code` filter, in a code span
//! from which nothing comes alive: no link, image, HTML, mention or reference.

use std::fmt;

use crate::report::names;

/// Writes text so that a Markdown reader shows it as it is.
#[derive(Debug, Clone, Copy)]
pub struct MarkdownEscaper;

impl askama::filters::Escaper for MarkdownEscaper {
    fn write_escaped_str<W: fmt::Write>(&self, mut dest: W, string: &str) -> fmt::Result {
        string.chars().try_for_each(|character| write_escaped(&mut dest, character))
    }
}

fn write_escaped(dest: &mut impl fmt::Write, character: char) -> fmt::Result {
    match character {
        // A line break would end a table row or a paragraph.
        '\n' | '\r' | '\t' => dest.write_char(' '),
        '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '&' | '~' | '$' | '/' => {
            dest.write_char('\\')?;
            dest.write_char(character)
        }
        // A backslash does not keep hosts from finding mentions and references: they look at
        // the text after it was read. A word joiner does.
        '@' | '#' => {
            dest.write_char('\\')?;
            dest.write_char(character)?;
            dest.write_char('\u{2060}')
        }
        '!' => dest.write_str("\\!"),
        hidden if hidden.is_control() => dest.write_char('\u{fffd}'),
        plain => dest.write_char(plain),
    }
}

/// A name as a code span. It holds no line break and no pipe, so that it fits a table cell
/// whatever reads the table, and its fence is longer than any run of backticks in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeSpan(String);

impl CodeSpan {
    /// The code span of a name.
    pub fn of(name: &str) -> Self {
        Self::around(&names::shown(name))
    }

    /// The code span of a text that may be long, such as a command.
    pub fn whole(text: &str) -> Self {
        Self::around(&names::shown_whole(text))
    }

    fn around(shown: &str) -> Self {
        // Readers disagree on a backslash before a pipe; another bar reads the same.
        let text = shown.replace('|', "¦");
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat(longest + 1);
        let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
        Self(format!("{fence}{pad}{text}{pad}{fence}"))
    }
}

impl fmt::Display for CodeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Filters for Markdown templates; the module's name is the one by which askama finds them.
#[expect(
    clippy::inline_always,
    clippy::unused_self,
    clippy::unnecessary_wraps,
    unreachable_pub,
    reason = "askama's macro writes the function around ours"
)]
pub(super) mod filters {
    use askama::filters::Safe;

    use super::CodeSpan;
    use crate::report::link::ReportUrl;

    /// A text of our own as a code span, uncut.
    #[askama::filter_fn]
    pub(crate) fn whole_code<T: AsRef<str>>(
        text: T,
        _values: &dyn askama::Values,
    ) -> askama::Result<Safe<CodeSpan>> {
        Ok(Safe(CodeSpan::whole(text.as_ref())))
    }

    /// An address as a link's destination; its type holds nothing that could end one.
    #[askama::filter_fn]
    pub(crate) fn url(
        url: &ReportUrl,
        _values: &dyn askama::Values,
    ) -> askama::Result<Safe<String>> {
        Ok(Safe(url.to_string()))
    }

    /// A name as a code span.
    #[askama::filter_fn]
    pub(crate) fn code<T: AsRef<str>>(
        name: T,
        _values: &dyn askama::Values,
    ) -> askama::Result<Safe<CodeSpan>> {
        Ok(Safe(CodeSpan::of(name.as_ref())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use askama::filters::Escaper as _;

    fn escaped(text: &str) -> String {
        let mut out = String::new();
        MarkdownEscaper.write_escaped_str(&mut out, text).unwrap();
        out
    }

    #[test]
    fn text_keeps_its_words_and_loses_its_powers() {
        assert_eq!(escaped("71 % → 58 %: it fell."), "71 % → 58 %: it fell.");
        assert_eq!(escaped("a|b\nc"), "a\\|b c");
        assert_eq!(escaped("@team #12"), "\\@\u{2060}team \\#\u{2060}12");
        assert_eq!(escaped("https://x"), "https:\\/\\/x");
        assert_eq!(escaped("![i](u)<b>"), "\\!\\[i\\](u)\\<b\\>");
    }

    #[test]
    fn a_code_span_outgrows_the_backticks_in_it() {
        assert_eq!(CodeSpan::of("search_orders").to_string(), "`search_orders`");
        assert_eq!(CodeSpan::of("a`b``c").to_string(), "```a`b``c```");
        assert_eq!(CodeSpan::of("`x`").to_string(), "`` `x` ``");
        assert_eq!(CodeSpan::of("a|b\nc").to_string(), "`a¦b⏎c`");
        assert_eq!(CodeSpan::of("").to_string(), "`(no name)`");
    }
}
