-- What is declared of the day's tools (METHOD sections 4 and 11); most have no row.
CREATE TABLE pass_terms (
    service LowCardinality(String),
    tool LowCardinality(String),
    kind UInt8,
    returns_nothing UInt8
) ENGINE = MergeTree ORDER BY (service, tool)
