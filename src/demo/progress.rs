//! One line that says what the demo is doing; a few plain lines where nobody watches.

use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};

/// Shows how far the demo is, on standard error.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A line that moves on a terminal; plain lines elsewhere.
    pub fn start() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(0);
            if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos:>4}/{len} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar }
    }

    /// A new step of `length` parts begins.
    pub fn step(&self, what: &str, length: u64) {
        match &self.bar {
            Some(bar) => {
                bar.set_length(length);
                bar.set_position(0);
                bar.set_message(what.to_owned());
            }
            None => {
                // When standard error is gone there is nobody left to tell.
                writeln!(std::io::stderr(), "{what}").ok();
            }
        }
    }

    /// One part of the step is done.
    pub fn advance(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    /// Everything is done; the line goes away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
