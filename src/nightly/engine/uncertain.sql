-- Where recovery has to be looked for (METHOD section 11): the calls of one service in one session
-- of which one is uncertain, tells of recovery or is a write. They are streamed, session by session.
CREATE TABLE pass_uncertain ENGINE = MergeTree ORDER BY (key, service) AS
SELECT DISTINCT key, service
FROM pass_placed
WHERE key != 0 AND (notEmpty(recovery) OR outcome = 5 OR kind = 3)
