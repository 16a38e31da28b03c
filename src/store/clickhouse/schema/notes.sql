-- Single values: the schema's version, this installation's secret, a running import, receivers. Of
-- each key the row that was written last counts.
CREATE TABLE IF NOT EXISTS notes
(
    key String,
    value String,
    written_at DateTime64(9, 'UTC') DEFAULT now64(9)
)
ENGINE = ReplacingMergeTree(written_at)
ORDER BY key
SETTINGS non_replicated_deduplication_window = 1000
