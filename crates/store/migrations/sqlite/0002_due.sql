-- Format 2. Due runs are found without a look at the others. A run that is worked on is not in the first index, so that
-- appends leave it alone.

-- Runs that nobody holds, by the moment from which they may go on: a run that does not wait may go on at
-- any time, one that waits at its own. Those that wait for an answer alone have none. The index of format 1 stays, since a program of
-- that format may still be at work and names it.
CREATE INDEX runs_free
    ON runs (workflow, CASE status WHEN 'waiting' THEN wake_at ELSE -9223372036854775808 END)
    WHERE ended = 0 AND owner IS NULL;

-- Runs that somebody holds: as many as are worked on. Their leases change with every append.
DROP INDEX runs_held;
CREATE INDEX runs_held ON runs (owner, workflow) WHERE owner IS NOT NULL;
