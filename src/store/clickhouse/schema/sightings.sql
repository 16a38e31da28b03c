-- What one span or log record says of a call. Rows are only ever added; a day goes as a whole.
CREATE TABLE IF NOT EXISTS sightings
(
    -- the UTC day of `start`, as days since 1970-01-01
    day UInt32 CODEC(ZSTD(1)),
    date Date32 ALIAS toDate32('1970-01-01') + day,
    trace_id FixedString(16) CODEC(ZSTD(1)),
    span_id FixedString(8) CODEC(NONE),
    -- eight zeros: a root
    parent_span_id FixedString(8) CODEC(ZSTD(1)),
    kind Enum8('unspecified' = 0, 'internal' = 1, 'server' = 2, 'client' = 3, 'producer' = 4, 'consumer' = 5) CODEC(ZSTD(1)),
    scope LowCardinality(String) CODEC(ZSTD(1)),
    dialect LowCardinality(String) CODEC(ZSTD(1)),
    emitter LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    service LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    tool LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    client LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    client_version LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    -- the session that the span itself names: grade A or B; sixteen zeros where it names none
    session_kind Enum8('none' = 0, 'conversation' = 1, 'transport' = 2) CODEC(ZSTD(1)),
    session FixedString(16) CODEC(ZSTD(1)),
    -- nanoseconds since 1970-01-01 00:00 UTC
    start UInt64 CODEC(Delta, ZSTD(1)),
    -- nanoseconds
    duration UInt64 CODEC(T64, ZSTD(1)),
    is_time_known Bool CODEC(ZSTD(1)),
    -- what is kept of the arguments; null where they were not visible
    args_form Nullable(Enum8('json' = 0, 'raw' = 1, 'cut' = 2, 'flat' = 3, 'lower_keys' = 4, 'given' = 5, 'lossy' = 6)) CODEC(ZSTD(1)),
    args_source LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    args_hash Nullable(FixedString(6)) CODEC(ZSTD(1)),
    args_exact Nullable(FixedString(6)) CODEC(ZSTD(1)),
    args_core Nullable(FixedString(6)) CODEC(ZSTD(1)),
    args_pos Nullable(FixedString(6)) CODEC(ZSTD(1)),
    args_hides Bool CODEC(ZSTD(1)),
    -- each top-level parameter's name and four bytes of its value's keyed hash
    print_names Array(LowCardinality(String)) CODEC(ZSTD(1)),
    prints Array(FixedString(4)) CODEC(ZSTD(1)),
    outcome Enum8('ok' = 0, 'bad_args' = 1, 'unknown_tool' = 2, 'tool_error' = 3, 'crashed' = 4, 'timeout' = 5, 'cancelled' = 6, 'error' = 7) CODEC(ZSTD(1)),
    is_low_confidence Bool CODEC(ZSTD(1)),
    emptiness Enum8('yes' = 0, 'no' = 1, 'unknown' = 2) CODEC(ZSTD(1)),
    result_bytes Nullable(UInt64) CODEC(T64, ZSTD(1)),
    call_id Nullable(FixedString(8)) CODEC(ZSTD(1)),
    request_id Nullable(FixedString(8)) CODEC(ZSTD(1)),
    is_sampled Bool CODEC(ZSTD(1)),
    is_label Bool CODEC(ZSTD(1)),
    -- what it tells of recovery; `has_recovery` is false for most
    has_recovery Bool CODEC(ZSTD(1)),
    operation_kind Nullable(Enum8('read' = 0, 'idempotent_write' = 1, 'write' = 2)) CODEC(ZSTD(1)),
    dependency LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    attempts Nullable(UInt32) CODEC(ZSTD(1)),
    timeout_stage Nullable(Enum8('queue' = 0, 'auth' = 1, 'downstream' = 2, 'transform' = 3, 'audit' = 4)) CODEC(ZSTD(1)),
    -- milliseconds: the whole budget, then what each stage took; empty where no budget is told
    budget_ms Array(Nullable(UInt32)) CODEC(ZSTD(1)),
    idempotency_key Nullable(FixedString(8)) CODEC(ZSTD(1)),
    key_status Nullable(Enum8('first' = 0, 'replayed' = 1, 'conflict' = 2, 'in_flight' = 3, 'expired' = 4)) CODEC(ZSTD(1)),
    business_outcome Nullable(Enum8('committed' = 0, 'rejected' = 1, 'unknown' = 2)) CODEC(ZSTD(1)),
    handle Nullable(FixedString(8)) CODEC(ZSTD(1)),
    is_retry_safe Nullable(Bool) CODEC(ZSTD(1)),
    -- when firstcall received it, nanoseconds since 1970-01-01 00:00 UTC
    received UInt64 CODEC(Delta, ZSTD(1)),
    INDEX received received TYPE minmax GRANULARITY 1,
    -- how many rows can touch the figures of which day: kept with each part, so a count is cheap
    PROJECTION edges (SELECT day, multiIf(start % 86400000000000 < 900000000000, 0, start % 86400000000000 >= 82800000000000, 2, 1) AS part, count() GROUP BY day, part)
)
ENGINE = MergeTree
PARTITION BY day
ORDER BY (if(session_kind = 'none', trace_id, session), start, span_id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1
