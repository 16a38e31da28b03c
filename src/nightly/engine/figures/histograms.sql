-- Latencies and sizes of results by the least value of their bucket (METHOD section 9).
SELECT toString(service), toString(tool), toString(client), is_size,
    roundDown(assumeNotNull(number), {bounds}) AS least, count()
FROM (
    SELECT service, tool, client,
        arrayJoin([(0, latency), (1, result_bytes)]) AS value,
        value.1 AS is_size, value.2 AS number
    FROM pass_placed
    WHERE is_of_day AND is_of_tool
)
WHERE number IS NOT NULL
GROUP BY service, tool, client, is_size, least
