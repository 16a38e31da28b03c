-- Client spans of programs that serve tools: what a call asked of others. Which call each is below
-- is found at night.
CREATE TABLE IF NOT EXISTS attempts
(
    day UInt32 CODEC(ZSTD(1)),
    date Date32 ALIAS toDate32('1970-01-01') + day,
    trace_id FixedString(16) CODEC(ZSTD(1)),
    span_id FixedString(8) CODEC(NONE),
    parent_span_id FixedString(8) CODEC(ZSTD(1)),
    emitter LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    kind Enum8('http' = 0, 'rpc' = 1, 'database' = 2) CODEC(ZSTD(1)),
    dependency LowCardinality(String) CODEC(ZSTD(1)),
    -- what was asked: four bytes of a keyed hash
    operation FixedString(4) CODEC(ZSTD(1)),
    start UInt64 CODEC(Delta, ZSTD(1)),
    duration UInt64 CODEC(T64, ZSTD(1)),
    ended Enum8('answered' = 0, 'failed' = 1, 'timed_out' = 2) CODEC(ZSTD(1)),
    resends UInt32 CODEC(ZSTD(1)),
    received UInt64 CODEC(Delta, ZSTD(1)),
    PROJECTION edges (SELECT day, multiIf(start % 86400000000000 < 900000000000, 0, start % 86400000000000 >= 82800000000000, 2, 1) AS part, count() GROUP BY day, part)
)
ENGINE = MergeTree
PARTITION BY day
ORDER BY (trace_id, start, span_id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1
