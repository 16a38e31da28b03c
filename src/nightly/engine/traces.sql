-- Traces that are more than one lone sighting. Where nothing joins their sightings (METHOD section
-- 8) each is a call: all of one kind and scope, none sent twice, none the parent of another, none
-- a label. What tells of recovery (section 11) is gathered with the client spans below. All other
-- traces are shared: they are streamed through the fold.
CREATE TABLE pass_traces ENGINE = MergeTree ORDER BY trace AS
SELECT
    trace_id AS trace,
    max(is_label OR has_recovery OR (outcome = 'timeout' AND kind NOT IN ('server', 'consumer')))
        OR min(kind) != max(kind)
        OR min(scope) != max(scope)
        OR length(groupUniqArray(span_id)) < count()
        OR hasAny(groupUniqArray(parent_span_id), groupUniqArray(span_id)) AS is_shared
FROM sightings
WHERE {near}
GROUP BY trace_id
HAVING is_shared OR count() > 1
