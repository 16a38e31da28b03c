-- Last words: sessions whose last call was of the tool, and failed or was empty (METHOD section 9).
SELECT toString(service), toString(tool), toString(client), count(), countIf(NOT is_usable)
FROM pass_neighbours WHERE NOT has_next AND is_of_tool
GROUP BY service, tool, client
