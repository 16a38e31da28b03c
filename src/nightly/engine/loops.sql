-- Loops over one parameter (METHOD section 7, `sweep`): of each call of a chain the first call from
-- which on all up to it are one loop, and the same of the next two calls, without which a loop of
-- four may not be seen yet. Only chains in which one parameter alone was changed three times or
-- more can hold one.
CREATE TABLE pass_loops ENGINE = MergeTree ORDER BY (run, place) AS
SELECT
    run, place, loop_first,
    leadInFrame(loop_first, 1, toInt64(9223372036854775807)) OVER all_of_chain AS loop_first_1,
    leadInFrame(loop_first, 2, toInt64(9223372036854775807)) OVER all_of_chain AS loop_first_2
FROM (
    SELECT
        run, chain, place,
        max(greatest(begins, alike + (alike > 0))) OVER (PARTITION BY run, chain ORDER BY place
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS loop_first
    FROM (
        SELECT
            run, chain, place, alike,
            multiIf(changed = 0, place, changed_before != 0 AND changed_before != changed,
                place - 1, 0) AS begins
        FROM (
            SELECT
                run, chain, place, changed,
                lagInFrame(changed) OVER (PARTITION BY run, chain ORDER BY place
                    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS changed_before,
                -- no two calls of a loop are alike
                if(has_args, lagInFrame(place) OVER (PARTITION BY run, chain, has_args, value
                    ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), 0)
                    AS alike
            FROM (
                SELECT run, chain, place, changed, value, layer != '' AS has_args FROM pass_runs
                WHERE (run, chain) IN (
                    SELECT run, chain FROM pass_runs WHERE changed != 0
                    GROUP BY run, chain HAVING count() >= 3)
            )
        )
    )
)
WINDOW all_of_chain AS (PARTITION BY run, chain ORDER BY place
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
