-- How often a call of the first tool was followed by one of the next.
CREATE TABLE IF NOT EXISTS day_pairs
(
    day Date32,
    version UInt64,
    first_service String,
    first_tool String,
    next_service String,
    next_tool String,
    times UInt64
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (day, version, first_service, first_tool, next_service, next_tool)
SETTINGS non_replicated_deduplication_window = 1000
