-- Format 1. A record lies in `meta` (JSON), `body` (JSON bytes) or `blob` (the hash of a body kept
-- apart), and `sum`, the checksum over all of it; row.rs makes and checks them. The other columns
-- are there for queries to look at. Times are microseconds since 1970.

-- All tables keep their rows in the order they are written, and find them by an index. When many
-- runs are at work, the rows of one commit then fill a few pages instead of touching one a run.

CREATE TABLE runs (
    id          BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    about       BLOB    NOT NULL,
    about_sum   BLOB    NOT NULL,
    head        BLOB    NOT NULL,
    head_sum    BLOB    NOT NULL,
    rev         INTEGER NOT NULL,
    status      TEXT    NOT NULL,
    ended       INTEGER NOT NULL CHECK (ended IN (0, 1)),
    workflow    TEXT    NOT NULL,
    title       TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    wake_at     INTEGER,
    -- Words, not bits: a flipped bit in a word gives no other word, so it is seen.
    keep        TEXT    NOT NULL CHECK (keep IN ('kept', 'may expire')),
    cancel      TEXT    NOT NULL DEFAULT 'no' CHECK (cancel IN ('no', 'wanted')),
    fence       INTEGER NOT NULL,
    -- Of the last append; a run that was only created has none.
    nonce       INTEGER,
    -- Set together while somebody holds the run.
    owner       TEXT,
    lease_until INTEGER
) STRICT;

-- No index holds a column that every append changes.
CREATE INDEX runs_newest ON runs (created_at DESC, id DESC);
CREATE INDEX runs_unfinished ON runs (id) WHERE ended = 0;
CREATE INDEX runs_held ON runs (owner) WHERE owner IS NOT NULL;

CREATE TABLE steps (
    run  BLOB    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    step INTEGER NOT NULL,
    -- 1 for a whole state after the first; step 0 is always one, and costs no entry in the index.
    base INTEGER NOT NULL CHECK (base IN (0, 1)),
    meta BLOB    NOT NULL,
    body BLOB,
    blob BLOB,
    sum  BLOB    NOT NULL,
    PRIMARY KEY (run, step)
) STRICT;

CREATE INDEX steps_base ON steps (run, step) WHERE base = 1;

CREATE TABLE snapshots (
    run  BLOB    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    step INTEGER NOT NULL,
    meta BLOB    NOT NULL,
    body BLOB,
    blob BLOB,
    sum  BLOB    NOT NULL,
    PRIMARY KEY (run, step)
) STRICT;

CREATE TABLE entries (
    run  BLOB    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    step INTEGER NOT NULL,
    key  TEXT    NOT NULL,
    part INTEGER NOT NULL, -- 0 opened, 1 answered
    meta BLOB    NOT NULL,
    body BLOB,
    blob BLOB,
    sum  BLOB    NOT NULL,
    PRIMARY KEY (run, step, key, part)
) STRICT;

-- One row for the events of one append.
CREATE TABLE events (
    run   BLOB    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    first INTEGER NOT NULL,
    last  INTEGER NOT NULL,
    meta  BLOB    NOT NULL,
    sum   BLOB    NOT NULL,
    PRIMARY KEY (run, first)
) STRICT;

CREATE TABLE blobs (
    hash  BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    bytes BLOB NOT NULL
) STRICT;

-- Which runs need a blob; it goes with the last of them.
CREATE TABLE blob_refs (
    run  BLOB NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    hash BLOB NOT NULL REFERENCES blobs (hash),
    PRIMARY KEY (run, hash)
) STRICT;

CREATE INDEX blob_refs_by_hash ON blob_refs (hash);
