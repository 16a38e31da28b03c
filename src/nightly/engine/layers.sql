-- The window rule's first half (METHOD section 5): within one layer of a run, hashes compare. Rows
-- are numbered from the last call to the first. `next_other` is the next call with another value,
-- `next_start` the first with a later start; equal starts are not "again". Together they give the
-- first call that starts later and has other arguments: the witness, if it is in time.
CREATE TABLE pass_layers ENGINE = MergeTree ORDER BY (run, layer, number) AS
SELECT
    * EXCEPT (next_start),
    nth_value(start, greatest(other, 1)) OVER of_layer AS other_start,
    nth_value(start, greatest(next_other, 1)) OVER of_layer AS next_other_start
FROM (
    SELECT
        * EXCEPT (start_alike),
        -- whether an earlier call, at most 30 s before, had the same arguments
        start_alike > 0 AND start <= start_alike + 30000000000 AS is_repeat,
        multiIf(next_start = 0, 0,
            nth_value(value, greatest(next_start, 1)) OVER of_layer != value, next_start,
            nth_value(next_other, greatest(next_start, 1)) OVER of_layer) AS other
    FROM (
        SELECT
            * EXCEPT (value_after, start_after),
            max(if(number = 1 OR value_after != value, number, 0)) OVER so_far - 1 AS next_other,
            max(if(number = 1 OR start_after != start, number, 0)) OVER so_far - 1 AS next_start,
            if(hides, 0, max(start) OVER (PARTITION BY run, layer, value, hides ORDER BY start
                RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS start_alike
        FROM (
            SELECT
                * EXCEPT (span, trace, at, changed),
                toInt64(row_number() OVER of_layer) AS number,
                lagInFrame(value) OVER of_layer AS value_after,
                lagInFrame(start) OVER of_layer AS start_after
            FROM pass_runs
            WHERE layer != ''
            WINDOW of_layer AS (PARTITION BY run, layer
                ORDER BY start DESC, end DESC, span DESC, trace DESC
                ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
        )
        WINDOW so_far AS (PARTITION BY run, layer ORDER BY number
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    )
    WINDOW of_layer AS (PARTITION BY run, layer ORDER BY number
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
)
WINDOW of_layer AS (PARTITION BY run, layer ORDER BY number
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
