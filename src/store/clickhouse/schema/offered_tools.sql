-- Tools that servers say they offer. Of each service the rows that were added last count.
CREATE TABLE IF NOT EXISTS offered_tools
(
    -- empty where it was not told
    service String,
    tool String,
    kind Nullable(String),
    schema_bytes Nullable(UInt64),
    imported_at UInt64,
    -- true: the service offers none; `tool` is empty then
    is_none Bool,
    added_at DateTime64(9, 'UTC') DEFAULT now64(9)
)
ENGINE = MergeTree
ORDER BY (service, added_at, tool)
