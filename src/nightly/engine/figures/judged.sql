-- What was found about the calls of sessions (METHOD sections 5 to 7 and 9).
SELECT
    toString(service), toString(tool), toString(client),
    sumForEach([unjudged = 255, unjudged = 2, unjudged = 3, is_retried, is_untested, is_repeat,
        unjudged = 255 AND is_usable AND NOT is_retried,
        unjudged = 255 AND is_usable AND NOT is_confirmed,
        is_empty AND is_last_of_tool, is_empty AND is_confirmed, is_reworded_known]),
    sumForEach(arrayMap(word -> class = word, range(7)))
FROM pass_judged
WHERE is_of_day
GROUP BY service, tool, client
