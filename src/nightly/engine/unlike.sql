-- Runs in which not any two calls compare.
CREATE TABLE pass_unlike ENGINE = MergeTree ORDER BY run AS
SELECT run FROM pass_placed WHERE run != 0 GROUP BY run
HAVING min(is_time_known) = 0
UNION DISTINCT
SELECT run FROM pass_runs GROUP BY run
HAVING min(layer) != max(layer) OR max(hides) OR min(layer) = ''
