-- Parameters that confirmed retries reworded, and the sessions in which each was seen (METHOD
-- section 3); of each tool and client the first 1024 names in byte order.
SELECT toString(service), toString(tool), toString(client), name, retries, sessions
FROM (
    SELECT
        *,
        row_number() OVER (PARTITION BY service, tool, client ORDER BY name) AS nth
    FROM (
        SELECT service, tool, client, name,
            countIf(is_retry) AS retries, countIf(NOT is_retry) AS sessions
        FROM (
            SELECT service, tool, client, true AS is_retry, toString(arrayJoin(reworded)) AS name
            FROM pass_judged
            WHERE is_of_day
            UNION ALL
            SELECT service, tool, client, false, name
            FROM (
                SELECT DISTINCT run, service, tool, client, toString(arrayJoin(arrayConcat(
                    parameters, arrayFlatten(more.8)))) AS name
                FROM pass_placed
                WHERE is_of_day AND run != 0
            )
        )
        GROUP BY service, tool, client, name
    )
)
WHERE nth <= 1024
