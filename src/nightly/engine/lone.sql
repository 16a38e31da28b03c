-- Every sighting of a trace that is not shared is a call (METHOD sections 1 and 8): what it says
-- itself, and where it does not say who offers the tool or who called, what its emitter tells.
INSERT INTO pass_calls (trace, span, digest, grade, service, tool, is_named, told_client, start,
    end, is_time_known, latency, outcome, is_low, emptiness, result_bytes, is_sampled, received,
    sightings, duplicates, recovery, layer, value, core, pos, hides, shows_pages, shows_parameters,
    parameters, prints, more)
SELECT
    trace_id, span_id,
    multiIf(session_kind != 'none', session, is_of_trace, trace_id, toFixedString('', 16)),
    multiIf(session_kind = 'conversation', 0, session_kind = 'transport', 1, is_of_trace, 2, 4),
    coalesce(sighting.service, if(is_server, emitter, NULL), if(is_own, emitter, NULL), 'unknown'),
    ifNull(sighting.tool, ''),
    sighting.tool IS NOT NULL,
    coalesce(nullIf(sighting.client, 'unknown'),
        if(is_server OR dialect = 'plain' OR (is_internal AND sighting.service = emitter), NULL,
            emitter), 'unknown'),
    start, start + duration, is_time_known,
    if(is_time_known, duration, NULL),
    toInt8(sighting.outcome),
    is_low_confidence,
    if(sighting.emptiness = 'yes' AND sighting.outcome != 'ok', 2, toInt8(sighting.emptiness)),
    result_bytes, is_sampled, received,
    1, 0, [],
    if(args_form IS NULL, '', concat(toString(toInt8(assumeNotNull(args_form))), ' ', ifNull(args_source, ''))),
    has_args * reinterpretAsUInt64(reverse(assumeNotNull(coalesce(args_exact, args_hash)))),
    has_args * reinterpretAsUInt64(reverse(assumeNotNull(coalesce(args_core, args_exact, args_hash)))),
    multiIf(NOT has_args, 0, args_pos IS NULL, 18446744073709551615, reinterpretAsUInt64(reverse(assumeNotNull(args_pos)))),
    has_args AND (args_hides OR args_form = 'cut'),
    has_args AND (args_core IS NOT NULL OR args_form IN ('json', 'flat', 'lower_keys')) AS pages,
    has_args AND (notEmpty(print_names)
        OR (pages AND args_pos IS NULL AND coalesce(args_core, args_hash) = unhex('44136FA355B3'))),
    print_names,
    arrayMap(print -> byteSwap(reinterpretAsUInt32(print)), sighting.prints),
    []
FROM (
    SELECT
        *,
        args_form IS NOT NULL AS has_args,
        kind IN ('server', 'consumer') AS is_server,
        kind IN ('internal', 'unspecified') AS is_internal,
        is_internal OR dialect = 'plain' AS is_own,
        parent_span_id != toFixedString('', 8)
            OR trace_id IN (SELECT trace FROM pass_traces WHERE NOT is_shared) AS is_of_trace
    FROM sightings
    WHERE {near} AND start <= {last_start}
        AND trace_id NOT IN (SELECT trace FROM pass_traces WHERE is_shared)
) AS sighting
