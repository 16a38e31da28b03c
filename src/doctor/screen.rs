//! Drawing on a terminal of eighty columns: colours, columns, lines that wrap.

use std::fmt::Write;

use crate::call::hidden::plain;

/// How many columns the screen has.
pub(super) const WIDTH: usize = 80;

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Strong,
    Faint,
    Good,
    Middling,
    Bad,
}

/// Paints, or leaves everything as it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint(pub(super) bool);

impl Paint {
    /// `text` in this look. Widths are counted before painting.
    pub(super) fn text(self, look: Look, text: &str) -> String {
        let code = match look {
            Look::Strong => "1",
            Look::Faint => "2",
            Look::Good => "32",
            Look::Middling => "33",
            Look::Bad => "31",
        };
        if self.0 && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

/// A name that fits `width` columns, with an ellipsis in the place of its middle. Characters
/// that a terminal would obey are replaced.
pub(super) fn fitted(name: &str, width: usize) -> String {
    let shown: Vec<char> = plain(name).chars().collect();
    if shown.len() <= width {
        return shown.into_iter().collect();
    }
    let end = width.saturating_sub(1) / 2;
    let start = width.saturating_sub(1).saturating_sub(end);
    let first = shown.iter().take(start);
    let last = shown.iter().skip(shown.len().saturating_sub(end));
    first.chain(&['…']).chain(last).collect()
}

/// `words` in lines of at most [`WIDTH`] columns, each after `indent` spaces.
pub(super) fn wrapped(indent: usize, words: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        let length = line.chars().count() + word.chars().count() + 1;
        if !line.is_empty() && indent + length > WIDTH {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines.into_iter().map(|line| format!("{:indent$}{line}", "")).collect()
}

/// A share in whole percent, so that nothing reads as none or all that is not: `<1 %`, `99 %`.
pub(super) fn percent(part: u64, whole: u64) -> String {
    match (part, whole) {
        (_, 0) => "-".to_owned(),
        (0, _) => "0 %".to_owned(),
        (part, whole) if part >= whole => "100 %".to_owned(),
        (part, whole) => match u128::from(part) * 100 / u128::from(whole) {
            0 => "<1 %".to_owned(),
            whole_percent => format!("{whole_percent} %"),
        },
    }
}

/// How a share looks that is better the higher it is.
pub(super) fn look_of(part: u64, whole: u64) -> Look {
    if whole == 0 {
        Look::Faint
    } else if u128::from(part) * 20 >= u128::from(whole) * 19 {
        Look::Good
    } else if part.saturating_mul(2) >= whole {
        Look::Middling
    } else {
        Look::Bad
    }
}

/// Text that grows line by line.
#[derive(Debug, Default)]
pub(super) struct Screen(String);

impl Screen {
    /// Adds a line.
    pub(super) fn line(&mut self, line: &str) {
        // Writing to a text cannot fail.
        writeln!(self.0, "{}", line.trim_end()).ok();
    }

    /// Adds words in as many lines as they take.
    pub(super) fn paragraph(&mut self, paint: Paint, look: Look, indent: usize, words: &str) {
        for line in wrapped(indent, words) {
            self.line(&paint.text(look, &line));
        }
    }

    /// Adds an empty line.
    pub(super) fn gap(&mut self) {
        self.0.push('\n');
    }

    /// Everything.
    pub(super) fn into_text(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_loses_its_middle_and_a_hostile_one_its_power() {
        assert_eq!(fitted("opentelemetry.instrumentation", 10), "opent…tion");
        assert_eq!(fitted("short", 10), "short");
        assert_eq!(fitted("a\u{1b}[31m", 10), "a\u{fffd}[31m");
    }

    #[test]
    fn a_share_never_reads_as_none_or_all_that_is_not() {
        assert_eq!(
            [(0, 3), (1, 1000), (999, 1000), (3, 3), (0, 0)].map(|(part, all)| percent(part, all)),
            ["0 %", "<1 %", "99 %", "100 %", "-"]
        );
    }

    #[test]
    fn words_are_wrapped_at_eighty_columns() {
        let words = "word ".repeat(40);
        let lines = wrapped(4, &words);
        assert!(lines.len() > 2 && lines.iter().all(|line| line.chars().count() <= WIDTH));
        assert!(lines.iter().all(|line| line.starts_with("    word")));
    }
}
