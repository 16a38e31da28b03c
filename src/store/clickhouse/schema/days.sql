-- One row per publication of a day, never changed: of each day the row with the highest
-- `publication` counts, and names the version of its figures.
CREATE TABLE IF NOT EXISTS days
(
    day Date32,
    -- the lease's term, times 2^24, and a number within it
    publication UInt64,
    -- `version` in the tables of figures
    version UInt64,
    -- when the day was first covered, nanoseconds since 1970-01-01 00:00 UTC
    covered_at UInt64,
    -- what the figures were made from
    watermark String,
    -- when the figures last changed after they had been shown; null where they never did
    restated_at Nullable(UInt64),
    -- quality counts
    sightings UInt64,
    duplicates UInt64,
    folded UInt64,
    late UInt64,
    sampled UInt64,
    unnamed UInt64
)
ENGINE = MergeTree
ORDER BY (day, publication)
SETTINGS non_replicated_deduplication_window = 1000
