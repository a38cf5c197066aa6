-- Format 2. Due runs are found without a look at the others. A run that is worked on is not in the first index, so that
-- appends leave it alone.

-- Runs that nobody holds, by the moment from which they may go on: ever since, or, of those that wait, their time. Those
-- that wait for an answer alone have none.
CREATE INDEX runs_free
    ON runs (workflow, CASE status WHEN 'waiting' THEN wake_at ELSE -9223372036854775808 END)
    WHERE ended = 0 AND owner IS NULL;

-- Runs that somebody holds: as many as are worked on. Their leases change with every append.
DROP INDEX runs_held;
CREATE INDEX runs_held ON runs (owner, workflow) WHERE owner IS NOT NULL;

DROP INDEX runs_unfinished;
