-- Pairs: a tool, then a different one, the next call of the session (METHOD section 9).
SELECT toString(service), toString(tool), toString(next_service), toString(next_tool), count()
FROM pass_neighbours
WHERE has_next AND is_in_time AND is_of_tool AND next_is_of_tool
    AND (service, tool) != (next_service, next_tool)
GROUP BY service, tool, next_service, next_tool
