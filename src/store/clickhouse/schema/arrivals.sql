-- What was received, counted: by day and emitter, by hour and source, and the requests that were
-- imported. Each writer adds rows every few seconds; whoever reads adds them up.
CREATE TABLE IF NOT EXISTS arrivals
(
    of Enum8('day' = 0, 'hour' = 1, 'import' = 2),
    day Date32,
    -- since 1970-01-01 00:00 UTC; 0 where `of` is not `hour`
    hour UInt32,
    emitter String,
    scope String,
    kind LowCardinality(String),
    what LowCardinality(String),
    -- the dialect or the reason; of an import the request's digest in hexadecimal
    word String,
    times UInt64
)
ENGINE = SummingMergeTree(times)
ORDER BY (of, day, hour, emitter, scope, kind, what, word)
SETTINGS non_replicated_deduplication_window = 10000
