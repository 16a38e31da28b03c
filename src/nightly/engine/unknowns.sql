-- Calls that a call of the same tool follows within 30 s that cannot be compared with them (METHOD
-- section 6): one without arguments or of another layer, one whose start is not known, or one where
-- equality proves nothing. Of calls that are not retried every other one that follows is alike.
-- Only runs in which not any two calls compare are looked at. A frame may not be as wide as 30 s of
-- nanoseconds; so every call asks twice, when it starts (-1) and when the window ends (+1), how many
-- have started so far, and the difference is how many follow.
CREATE TABLE pass_unknowns ENGINE = MergeTree ORDER BY (run, place) AS
SELECT run, place
FROM (
    SELECT
        run, place, sign, hides,
        countIf(sign = 0) OVER (PARTITION BY run ORDER BY at, abs(sign)
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS started,
        countIf(sign = 0 AND NOT hides) OVER (PARTITION BY run, layer_or_none ORDER BY at, abs(sign)
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS comparable
    FROM (
        SELECT run, place, hides, layer_or_none, asked.1 AS sign, start + asked.2 AS at
        FROM (
            SELECT run, place, start, hides, toString(layer) AS layer_or_none FROM pass_runs
            WHERE run IN (SELECT run FROM pass_unlike)
            UNION ALL
            SELECT run, toInt64(0), start, toUInt8(1), '' FROM pass_placed
            WHERE run != 0 AND NOT is_time_known
        )
        ARRAY JOIN [(0, 0), (-1, 0), (1, 30000000000)] AS asked
    )
)
WHERE place > 0 AND sign != 0
GROUP BY run, place
HAVING sum(toInt64(started) * sign) > sum(toInt64(comparable) * sign)
    OR (any(hides) AND sum(toInt64(started) * sign) > 0)
