-- The calls of one tool in one session whose start is known, in order (METHOD sections 5 and 9):
-- each with its place, its chain (each call at most 30 s after the one before), whether its
-- arguments differ from those of the call before, and the one parameter whose value was changed,
-- where nothing else was.
CREATE TABLE pass_runs ENGINE = MergeTree ORDER BY (run, layer, start, end, span, trace) AS
SELECT
    *,
    sum(is_chain_start) OVER (PARTITION BY run ORDER BY place
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS chain
FROM (
    SELECT
        * EXCEPT (start_before, layer_before, value_before, parameters_before, prints_before,
            usable_before),
        place = 1 OR start > start_before + 30000000000 AS is_chain_start,
        NOT is_chain_start AND layer != '' AND layer = layer_before AND value != value_before
            AS is_different,
        if(is_different AND is_usable AND usable_before AND parameters = parameters_before
            AND arrayCount((a, b) -> a != b, prints,
                arrayResize(prints_before, length(prints))) = 1,
            arrayFirstIndex((a, b) -> a != b, prints,
                arrayResize(prints_before, length(prints))), 0) AS changed
    FROM (
        SELECT
            *,
            toInt64(row_number() OVER all_of_run) AS place,
            toInt64(count() OVER (PARTITION BY run)) AS calls_of_run,
            lagInFrame(start) OVER all_of_run AS start_before,
            lagInFrame(layer) OVER all_of_run AS layer_before,
            lagInFrame(value) OVER all_of_run AS value_before,
            lagInFrame(parameters) OVER all_of_run AS parameters_before,
            lagInFrame(prints) OVER all_of_run AS prints_before,
            lagInFrame(is_usable) OVER all_of_run AS usable_before
        FROM (
            SELECT
                run, start, end, span, trace, client, service, tool, outcome,
                is_empty, is_usable, is_of_day,
                indexOf(more.1, best) AS at,
                if(at = 0, toString(layer), more[at].1)::LowCardinality(String) AS layer,
                if(at = 0, value, more[at].2) AS value,
                if(at = 0, core, more[at].3) AS core,
                if(at = 0, pos, more[at].4) AS pos,
                if(at = 0, hides, more[at].5) AS hides,
                if(at = 0, shows_pages, more[at].6) AS shows_pages,
                if(at = 0, shows_parameters, more[at].7) AS shows_parameters,
                if(at = 0, parameters, more[at].8::Array(LowCardinality(String))) AS parameters,
                if(at = 0, prints, more[at].9) AS prints
            FROM pass_placed LEFT JOIN pass_chosen USING run
            WHERE run != 0 AND is_time_known
        )
        WINDOW all_of_run AS (PARTITION BY run ORDER BY start, end, span, trace
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    )
)
