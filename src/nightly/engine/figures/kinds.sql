-- What calls that are not streamed are declared to do (METHOD section 11).
SELECT toString(service), toString(tool), toString(client), count(), countIf(kind > 1)
FROM pass_placed
WHERE is_of_day AND is_of_tool AND kind > 0
    AND if(key = 0, empty(recovery), (key, service) NOT IN (SELECT key, service FROM pass_uncertain))
GROUP BY service, tool, client
