-- Traces with client spans that may be below a call (METHOD section 11) are shared as well.
INSERT INTO pass_traces
SELECT DISTINCT trace_id, 1
FROM attempts
WHERE {near}
