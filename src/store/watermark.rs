//! How far the arrivals had come that a day's figures were made from.

use std::fmt;

/// What has arrived that can touch one day's figures: the day's own file, the last hour of the
/// day before and the first quarter of an hour of the day after. Compared for equality: where a
/// covered day's watermark is no longer the one its figures were made from, the pass runs again.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Watermark {
    pub(super) before: Option<FileMark>,
    pub(super) own: Option<FileMark>,
    pub(super) after: Option<FileMark>,
}

/// How far one part of a day has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FileMark {
    /// Random number of the file or the database, so that one put in another's place is told apart.
    pub(super) file: u64,
    /// The last batch's id, or in a database the number of rows: it only ever grows.
    pub(super) last_batch: u64,
}

impl FileMark {
    /// Whether everything that was there `then` is there now.
    const fn has_all_of(self, then: Self) -> bool {
        self.file == then.file && self.last_batch >= then.last_batch
    }
}

impl Watermark {
    /// Whether nothing has arrived that belongs to the day itself.
    pub const fn is_empty(&self) -> bool {
        self.own.is_none()
    }

    /// This watermark beside the one that published figures were made from: a file that is gone
    /// or was replaced since then counts as unchanged, for figures outlive their sightings.
    pub(super) fn since(self, published: &Self) -> Self {
        let merge = |now: Option<FileMark>, then: Option<FileMark>| match (now, then) {
            (Some(now), Some(then)) if now.has_all_of(then) => Some(now),
            (now, None) => now,
            (_, then) => then,
        };
        Self {
            before: merge(self.before, published.before),
            own: merge(self.own, published.own),
            after: merge(self.after, published.after),
        }
    }

    /// Whether all of the day's own that `published` was taken from is still there.
    pub(super) fn holds_own_of(&self, published: &Self) -> bool {
        published.own.is_none_or(|then| self.own.is_some_and(|now| now.has_all_of(then)))
    }

    /// The watermark in a text that [`fmt::Display`] wrote.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let mut marks = text.split(' ').map(|word| {
            if word == "-" {
                return Some(None);
            }
            let (file, last_batch) = word.split_once('/')?;
            let file = u64::from_str_radix(file, 16).ok()?;
            Some(Some(FileMark { file, last_batch: last_batch.parse().ok()? }))
        });
        let found = Self { before: marks.next()??, own: marks.next()??, after: marks.next()?? };
        marks.next().is_none().then_some(found)
    }
}

/// Three words, of the day before, the day and the day after: `-` for nothing, else the file's
/// random number and the last batch's id.
impl fmt::Display for Watermark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, mark) in [self.before, self.own, self.after].into_iter().enumerate() {
            if position > 0 {
                f.write_str(" ")?;
            }
            match mark {
                Some(mark) => write!(f, "{:x}/{}", mark.file, mark.last_batch)?,
                None => f.write_str("-")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn mark(file: u64, last_batch: u64) -> FileMark {
        FileMark { file, last_batch }
    }

    #[test]
    fn its_text_leads_back_to_it() {
        let watermark =
            Watermark { before: None, own: Some(mark(255, 7)), after: Some(mark(u64::MAX, 1)) };
        assert_eq!(watermark.to_string(), "- ff/7 ffffffffffffffff/1");
        assert_eq!(Watermark::from_text(&watermark.to_string()), Some(watermark));
        for text in ["", "- -", "- - - -", "x/1 - -", "1/x - -", "1 - -"] {
            assert_eq!(Watermark::from_text(text), None, "{text}");
        }
    }

    #[test]
    fn a_file_that_is_gone_or_replaced_counts_as_unchanged() {
        let published = Watermark { before: Some(mark(1, 5)), own: Some(mark(2, 6)), after: None };
        let gone = Watermark::default();
        assert_eq!(gone.since(&published), published);
        let replaced = Watermark { before: Some(mark(1, 5)), own: Some(mark(9, 1)), after: None };
        assert!(!replaced.holds_own_of(&published));
        assert_eq!(replaced.since(&published), published);
        let fewer = Watermark { own: Some(mark(2, 5)), ..published.clone() };
        assert!(!fewer.holds_own_of(&published) && published.holds_own_of(&published));
        assert_eq!(fewer.since(&published), published);
        let grown =
            Watermark { before: Some(mark(1, 5)), own: Some(mark(2, 8)), after: Some(mark(3, 1)) };
        assert_eq!(grown.clone().since(&published), grown);
    }
}
