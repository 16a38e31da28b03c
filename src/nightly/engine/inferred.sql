-- Grade D, where the configuration asks for it (METHOD section 2): calls without a session, of one
-- service and client, split where nothing came for 30 minutes. They stand beside themselves as
-- grade E, which is then left out of account.
INSERT INTO pass_calls (* EXCEPT (key, slice))
SELECT * EXCEPT (key, slice, is_first, nth)
    REPLACE (3 AS grade, sipHash128(toString(service), toString(told_client), nth) AS digest)
FROM (
    SELECT *, sum(is_first) OVER (PARTITION BY service, told_client ORDER BY start, end, span, trace
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS nth
    FROM (
        SELECT *, start > lagInFrame(start) OVER (PARTITION BY service, told_client
            ORDER BY start, end, span, trace
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) + 1800000000000 AS is_first
        FROM pass_calls WHERE grade = 4
    )
)
