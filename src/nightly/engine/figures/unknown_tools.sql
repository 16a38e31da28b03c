-- Calls of tools that are not there (METHOD section 4).
SELECT toString(client), count() FROM pass_placed WHERE is_of_day AND outcome = 2 GROUP BY client
