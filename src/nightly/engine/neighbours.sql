-- Each call's next one in its session (METHOD section 9): pairs and last words. Calls whose start
-- is not known have no place in the order.
CREATE TABLE pass_neighbours ENGINE = MergeTree ORDER BY tuple() AS
SELECT
    service, tool, client, is_of_tool, is_usable, is_of_day,
    end > 18446744043709551615 OR next_start <= end + 30000000000 AS is_in_time,
    has_next, next_service, next_tool, next_is_of_tool
FROM (
    SELECT
        *,
        leadInFrame(toUInt8(1), 1, toUInt8(0)) OVER of_session AS has_next,
        leadInFrame(service) OVER of_session AS next_service,
        leadInFrame(tool) OVER of_session AS next_tool,
        leadInFrame(is_of_tool) OVER of_session AS next_is_of_tool,
        leadInFrame(start) OVER of_session AS next_start
    FROM pass_placed
    WHERE key != 0 AND is_time_known
    WINDOW of_session AS (PARTITION BY key, client ORDER BY start, end, span, trace
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
)
WHERE is_of_day
