-- Retries and their classes (METHOD sections 5 and 7): first match wins. Every call of a tool in a
-- session whose start is known, with its standing (section 6). `b` is its witness.
CREATE TABLE pass_judged ENGINE = MergeTree ORDER BY (run, place) AS
SELECT
    run, place, chain, start, client, service, tool, outcome, is_empty, is_usable, is_of_day,
    is_different, is_chain_start, place = calls_of_run AS is_last_of_tool,
    is_repeat, is_retried,
    multiIf(
        NOT is_retried, 255,
        is_fan_out, 0,
        is_page_turn, 1,
        is_sweep, 2,
        outcome = 1, 3,
        outcome != 0, 4,
        is_empty, 5,
        6)::UInt8 AS class,
    is_retried AND class > 2 AS is_confirmed,
    is_confirmed AND (NOT shows_pages
        OR (is_usable AND b.is_usable AND NOT (shows_parameters AND b.shows_parameters)))
        AS is_untested,
    multiIf(layer = '', 2, NOT is_retried AND (run, place) IN (SELECT run, place FROM pass_unknowns), 3, 255)::UInt8
        AS unjudged,
    is_confirmed AND shows_parameters AND b.shows_parameters AS is_reworded_known,
    -- the parameters that were changed, added or removed
    if(is_reworded_known, arrayDistinct(arrayConcat(
        arrayFilter((name, print) -> NOT has(arrayZip(b.parameters, b.prints), (name, print)), parameters, prints),
        arrayFilter((name, print) -> NOT has(arrayZip(parameters, prints), (name, print)), b.parameters, b.prints))),
        []) AS reworded
FROM (
    SELECT
        *,
        NOT hides AND NOT b.hides AND core = b.core AND pos != b.pos AS is_page_turn,
        b.loop_first > 0 AND (
            (b.loop_first <= place AND b.place + 1 >= b.loop_first + 4)
            OR (b.place + 1 <= place + 3 AND b.loop_first_1 <= place AND b.place + 2 >= b.loop_first_1 + 4)
            OR (b.place + 2 <= place + 3 AND b.loop_first_2 <= place AND b.place + 3 >= b.loop_first_2 + 4))
            AS is_sweep
    FROM (
        SELECT
            run, layer, place, chain, start, client, service, tool, outcome, is_empty, is_usable,
            is_of_day, is_different, is_chain_start, calls_of_run, is_repeat, is_retried,
            is_fan_out, core, pos, hides, shows_pages, shows_parameters, parameters, prints,
            -- asked for once: every time that a window's value is named it is worked out anew
            nth_value(tuple(place, is_usable, core, pos, hides, shows_parameters, parameters, prints,
                loop_first, loop_first_1, loop_first_2)
                ::Tuple(place Int64, is_usable UInt8, core UInt64, pos UInt64, hides UInt8, shows_parameters UInt8,
                    parameters Array(LowCardinality(String)), prints Array(UInt32), loop_first Int64, loop_first_1 Int64, loop_first_2 Int64),
                greatest(witness, 1)) OVER of_layer AS b
        FROM (
            SELECT
                *,
                other > 0 AND other_start <= start + 30000000000 AS is_retried,
                if(end > 18446744073459551615, 18446744073709551615, end + 250000000) AS read,
                is_retried AND other_start <= read AS is_soon,
                is_soon AND late_witness = 0 AS is_fan_out,
                if(is_soon AND late_witness > 0, late_witness, other) AS witness
            FROM (
                SELECT layers.*, late.witness AS late_witness FROM pass_layers AS layers
                LEFT JOIN pass_late AS late USING (run, layer, number)
            ) AS layers
            LEFT JOIN pass_loops AS loops USING (run, place)
        )
        WINDOW of_layer AS (PARTITION BY run, layer ORDER BY number
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    )
)
UNION ALL
SELECT
    run, place, chain, start, client, service, tool, outcome, is_empty, is_usable, is_of_day,
    is_different, is_chain_start, place = calls_of_run, 0, 0, 255, 0, 0, 2, 0, []
FROM pass_runs WHERE layer = ''
