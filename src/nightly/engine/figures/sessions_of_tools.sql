-- Sessions in which each tool was called.
SELECT toString(service), toString(tool), toString(client), count()
FROM (
    SELECT any(service) AS service, any(tool) AS tool, any(client) AS client
    FROM pass_placed
    WHERE is_of_day AND run != 0
    GROUP BY run
)
GROUP BY service, tool, client
