-- Days whose sightings were erased.
CREATE TABLE IF NOT EXISTS erased_days
(
    day Date32,
    erased_at UInt64
)
ENGINE = MergeTree
ORDER BY (day, erased_at)
