-- Format 2. Runs that nobody holds, by the moment at which they wake up, so that due ones are found without a look at those
-- that wait. Only a run that begins or ceases to wait changes these columns, so other appends still rewrite their row in place.
CREATE INDEX runs_free ON runs (workflow, wake_at) WHERE NOT ended AND owner IS NULL;
