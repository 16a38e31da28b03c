-- Of calls that several layers saw, every call's arguments are taken from the same layer (METHOD
-- section 8): the one that saw most of them; of such, one that hashed JSON, then the outermost.
CREATE TABLE pass_chosen ENGINE = MergeTree ORDER BY run AS
SELECT run, argMax(layer_of, (times, startsWith(layer_of, '0 '), -ranks, first_seen)) AS best
FROM (
    SELECT run, layer_of, count() AS times, toInt64(sum(rank)) AS ranks,
        min((start, end, span, trace, rank)) AS first_seen
    FROM (
        SELECT run, start, end, span, trace, arrayConcat([toString(layer)], more.1) AS layers
        FROM pass_placed
        WHERE run != 0 AND is_time_known AND layer != ''
            AND run IN (SELECT run FROM pass_placed WHERE run != 0 AND is_time_known AND notEmpty(more))
    )
    ARRAY JOIN layers AS layer_of, arrayEnumerate(layers) AS rank
    GROUP BY run, layer_of
)
GROUP BY run
