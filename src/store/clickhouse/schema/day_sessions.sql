-- Sessions per client, by grade.
CREATE TABLE IF NOT EXISTS day_sessions
(
    day Date32,
    version UInt64,
    client String,
    single_call UInt64,
    shared UInt64,
    sessions_a UInt64,
    sessions_b UInt64,
    sessions_c UInt64,
    sessions_d UInt64,
    sessions_e UInt64
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (day, version, client)
SETTINGS non_replicated_deduplication_window = 1000
