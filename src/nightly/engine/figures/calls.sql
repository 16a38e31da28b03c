-- Calls by tool and client, and what can be said of each alone (METHOD sections 4 and 6).
SELECT
    toString(service), toString(tool), toString(client),
    count(),
    sumForEach([is_sampled, outcome = 0 AND is_low, outcome = 0 AND emptiness != 2, is_empty,
        NOT is_time_known, is_time_known AND key = 0]),
    sumForEach(arrayMap(word -> grade = word, range(5))),
    sumForEach(arrayMap(word -> outcome = word, range(8))),
    least(sum(toUInt128(ifNull(result_bytes, 0))), 18446744073709551615)::UInt64
FROM pass_placed
WHERE is_of_day AND is_of_tool
GROUP BY service, tool, client
