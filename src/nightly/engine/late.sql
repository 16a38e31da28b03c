-- Where a call failed or was empty and the first different one started before a model could have
-- read its answer, the first different one that started later is the witness (METHOD section 7,
-- `fan_out`), if it is in time.
CREATE TABLE pass_late ENGINE = MergeTree ORDER BY (run, layer, number) AS
SELECT run, layer, number, if(value != later_value, later, later_other) AS witness,
    if(value != later_value, following.start, later_other_start) AS witness_start
FROM (
    SELECT run, layer, number, value, start + 30000000000 AS until, if(end > 18446744073459551615,
        18446744073709551615, end + 250000000) AS read
    FROM pass_layers
    WHERE other > 0 AND other_start <= start + 30000000000 AND NOT is_usable AND other_start <= read
) AS retried
ASOF INNER JOIN (
    -- the first call at each start
    SELECT run, layer, start, max(number) AS later, argMax(value, number) AS later_value,
        argMax(next_other, number) AS later_other,
        argMax(next_other_start, number) AS later_other_start
    FROM pass_layers
    WHERE run IN (SELECT run FROM pass_layers WHERE NOT is_usable AND other > 0)
    GROUP BY run, layer, start
) AS following
ON retried.run = following.run AND retried.layer = following.layer AND following.start > retried.read
WHERE witness > 0 AND witness_start <= until
