-- Sessions (METHOD section 2): a key's calls of an unknown client get its only known client; a key
-- with two or more, or with calls over more than 24 hours, is shared. Calls of one client under
-- one key are a session, and those of one tool in it are a run.
CREATE TABLE pass_placed ENGINE = MergeTree ORDER BY (run, start, end, span, trace) AS
SELECT
    *,
    is_named AND outcome != 2 AS is_of_tool,
    outcome = 0 AND emptiness = 0 AS is_empty,
    outcome = 0 AND emptiness != 0 AS is_usable,
    start >= {day_start} AND start < {day_end} AS is_of_day,
    if(key = 0 OR NOT is_of_tool, toUInt128(0), reinterpretAsUInt128(
        sipHash128(key, toString(client), toString(service), toString(tool)))) AS run
FROM (
    SELECT
        called.* EXCEPT (told_client, digest, slice, emptiness),
        -- an answer that holds nothing by design has no emptiness (section 4)
        if(is_named AND terms.returns_nothing, 2, emptiness)::UInt8 AS emptiness,
        -- what calling the tool is declared to do, from 1 on (section 11)
        if(is_named, terms.kind, 0) AS kind
    FROM (
        SELECT
            * EXCEPT (known, least_known, most_known, first_start, last_start),
            if(told_client = 'unknown' AND known > 0 AND least_known = most_known,
                least_known, toString(told_client))::LowCardinality(String) AS client,
            (known > 0 AND least_known != most_known)
                OR last_start - first_start > 86400000000000 AS is_shared
        FROM (
            SELECT
                *,
                countIf(told_client != 'unknown') OVER of_key AS known,
                minIf(toString(told_client), told_client != 'unknown') OVER of_key AS least_known,
                maxIf(toString(told_client), told_client != 'unknown') OVER of_key AS most_known,
                min(start) OVER of_key AS first_start,
                max(start) OVER of_key AS last_start
            FROM pass_calls
            WHERE slice = {slice} AND key != 0
            WINDOW of_key AS (PARTITION BY key)
        )
        UNION ALL
        SELECT *, told_client AS client, false AS is_shared
        FROM pass_calls
        WHERE slice = {slice} AND key = 0 AND NOT {is_inferring}
    ) AS called
    LEFT JOIN pass_terms AS terms ON called.service = terms.service AND called.tool = terms.tool
)
