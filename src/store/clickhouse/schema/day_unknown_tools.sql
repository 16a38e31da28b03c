-- Calls per client that asked for a tool that is not there.
CREATE TABLE IF NOT EXISTS day_unknown_tools
(
    day Date32,
    version UInt64,
    client String,
    calls UInt64
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (day, version, client)
SETTINGS non_replicated_deduplication_window = 1000
