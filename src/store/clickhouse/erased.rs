//! Erasing the sightings of a day: noted first, then its partitions are dropped.

use serde_json::json;

use super::engine::Engine;
use crate::call::{Day, UnixNanos};
use crate::store::erased::ErasedDays;
use crate::store::error::StoreError;

/// The days whose sightings were erased.
pub(super) fn read(engine: &Engine) -> Result<ErasedDays, StoreError> {
    let rows = engine.rows("SELECT DISTINCT day FROM erased_days")?.into_iter();
    rows.map(|mut row| row.day().ok_or_else(|| engine.damaged("day"))).collect()
}

/// Notes that the day's sightings are erased, and erases them. A kill in between leaves a day that
/// is closed, and the next erasure finds what is left.
pub(super) fn erase(engine: &Engine, day: Day, now: UnixNanos) -> Result<(), StoreError> {
    if !read(engine)?.contains(day) {
        let row = vec![json!(day.to_string()), json!(now.get())];
        engine.insert("erased_days", &["day", "erased_at"], &[row], &engine.token())?;
    }
    for table in ["sightings", "attempts"] {
        let table = engine.local(table);
        engine.execute(&format!("ALTER TABLE {table} DROP PARTITION {}", day.number()))?;
    }
    Ok(())
}
