-- The calls of a day and its margins, folded (METHOD sections 1 and 8), and what a pass makes of
-- them on the way to the figures. Tables of one pass; dropped when it ends and before the next.
-- `key` is a session's: equal digests of two grades are two, and so are those of two services
-- where a service hands them out itself (B) or stands in for one (D) (METHOD section 2).
CREATE TABLE pass_calls (
    trace FixedString(16),
    span FixedString(8),
    digest FixedString(16),
    grade UInt8,
    service LowCardinality(String),
    tool LowCardinality(String),
    is_named UInt8,
    told_client LowCardinality(String),
    start UInt64 CODEC(Delta, LZ4),
    end UInt64 CODEC(Delta, LZ4),
    is_time_known UInt8,
    latency Nullable(UInt64),
    outcome UInt8,
    is_low UInt8,
    emptiness UInt8,
    result_bytes Nullable(UInt64),
    is_sampled UInt8,
    received UInt64 CODEC(Delta, LZ4),
    sightings UInt32,
    duplicates UInt32,
    recovery Array(UInt8),
    layer LowCardinality(String),
    value UInt64,
    core UInt64,
    pos UInt64,
    hides UInt8,
    shows_pages UInt8,
    shows_parameters UInt8,
    parameters Array(LowCardinality(String)),
    prints Array(UInt32),
    more Array(Tuple(String, UInt64, UInt64, UInt64, UInt8, UInt8, UInt8, Array(String), Array(UInt32))),
    key UInt128 DEFAULT if(grade = 4, toUInt128(0), reinterpretAsUInt128(
        sipHash128(grade, digest, if(grade IN (1, 3), toString(service), ''))))
,
    -- large days are judged in slices, each with whole sessions
    slice UInt8 DEFAULT if(key = 0, sipHash64(trace), toUInt64(key % 18446744073709551557)) % {slices}
) ENGINE = MergeTree PARTITION BY slice ORDER BY (key, start, end, span, trace)
