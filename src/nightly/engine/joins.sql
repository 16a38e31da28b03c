-- And so are traces that may be one call with others: the same session and request or call id in
-- several traces, seen from two layers or in a trace that is shared already (METHOD section 8).
INSERT INTO pass_traces
SELECT DISTINCT trace, 1
FROM (
    SELECT
        groupUniqArray(trace_id) AS traces,
        min(kind) != max(kind) OR min(scope) != max(scope)
            OR max(trace_id IN (SELECT trace FROM pass_traces WHERE is_shared)) AS may_meet
    FROM (
        SELECT trace_id, kind, scope, session_kind, session,
            arrayJoin([(1, request_id), (2, call_id)]) AS id
        FROM sightings
        WHERE {near}
            AND session_kind != 'none' AND (request_id IS NOT NULL OR call_id IS NOT NULL)
    )
    WHERE id.2 IS NOT NULL
    GROUP BY session_kind, session, id
    HAVING length(traces) > 1 AND may_meet
)
ARRAY JOIN traces AS trace
