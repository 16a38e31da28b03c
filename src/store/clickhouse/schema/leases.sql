-- Who may run a pass. A term is taken by inserting its first row with a deduplication token of its
-- own: of several who try, one row stays. Further rows renew it or give it back.
CREATE TABLE IF NOT EXISTS leases
(
    term UInt64,
    -- a random number that tells who took the term
    holder UInt64,
    owner String,
    -- when the pass began, by its own clock
    since UInt64,
    -- by the server's clock
    written_at DateTime64(3, 'UTC') DEFAULT now64(3),
    -- for how many seconds from then, where nothing renews it
    lasts_s UInt32,
    is_released Bool
)
ENGINE = MergeTree
ORDER BY (term, written_at)
SETTINGS non_replicated_deduplication_window = 10000
