//! How far the files have come that can touch one day's figures.

use super::day_file::{Part, mark};
use super::folder::Folder;
use crate::call::Day;
use crate::store::error::StoreError;
use crate::store::watermark::Watermark;

/// What the files hold now.
pub(super) fn watermark(folder: &Folder, day: Day) -> Result<Watermark, StoreError> {
    let neighbour = |other: Day, part: Part| {
        if other == day { Ok(None) } else { mark(&folder.day_file(other), part) }
    };
    Ok(Watermark {
        before: neighbour(day.minus(1), Part::Tail)?,
        own: mark(&folder.day_file(day), Part::Whole)?,
        after: neighbour(day.plus(1), Part::Head)?,
    })
}
