-- Sessions of the day by client and grade, and the signs of unreal ones (METHOD section 2).
SELECT toString(client), sumForEach(arrayMap(word -> grade = word, range(5))), sum(calls = 1),
    sum(is_shared)
FROM (
    SELECT key, client, any(grade) AS grade, any(is_shared) AS is_shared,
        countIf(is_of_day) AS calls
    FROM pass_placed
    WHERE key != 0
    GROUP BY key, client
    HAVING calls > 0
)
GROUP BY client
