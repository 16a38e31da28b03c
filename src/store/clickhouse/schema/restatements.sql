-- What a day showed, per tool, before the publication of this number changed it. Rows count only
-- where `days` has that publication.
CREATE TABLE IF NOT EXISTS restatements
(
    day Date32,
    publication UInt64,
    restated_at UInt64,
    service String,
    tool String,
    judged UInt64,
    first_call_successes UInt64,
    confirmed_first_call_successes UInt64,
    retried UInt64
)
ENGINE = MergeTree
ORDER BY (day, publication, service, tool)
SETTINGS non_replicated_deduplication_window = 1000
