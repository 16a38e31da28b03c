-- Retry chains (METHOD section 9): chains that hold a confirmed retry, by the day of their first
-- call; how many ended usable, and how often the hash changed on the way there.
SELECT
    toString(service), toString(tool), toString(client),
    count(), countIf(has_ended_usable), sumIf(changes, has_ended_usable)
FROM (
    SELECT
        any(service) AS service, any(tool) AS tool, any(client) AS client,
        argMin(is_of_day, place) AS begins_on_day,
        max(is_confirmed) AS has_confirmed,
        argMax(is_usable, place) AS has_ended_usable,
        sum(is_different) AS changes
    FROM pass_judged
    GROUP BY run, chain
    HAVING count() > 1 AND begins_on_day AND has_confirmed
)
GROUP BY service, tool, client
