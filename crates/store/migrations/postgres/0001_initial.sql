-- The first format of the log. Records are bytes made and checked by `row.rs`: JSON strings may hold
-- NUL characters, which neither text nor jsonb can. Text columns are copies for queries only.

-- Every append rewrites its run's row. The free room in each page and the lack of indexes on what
-- appends change let PostgreSQL do so in place (HOT), whatever the number of appends.
CREATE TABLE runs (
    id          uuid        PRIMARY KEY,
    rev         bigint      NOT NULL,
    fence       bigint      NOT NULL,
    nonce       bigint      NOT NULL,
    created_at  bigint      NOT NULL, -- microseconds since 1970, as all whole-number times
    updated_at  bigint      NOT NULL,
    wake_at     bigint,
    lease_until timestamptz,          -- by the database's clock; null when nobody holds the run
    ended       boolean     NOT NULL,
    cancel      text        NOT NULL DEFAULT 'no', -- or 'wanted': no flipped bit turns one into the other
    status      text        NOT NULL,
    workflow    text        NOT NULL,
    title       text        NOT NULL, -- in lower case, to be searched
    owner       text,                 -- null when nobody holds the run
    keep        text        NOT NULL, -- 'kept' or 'may expire', for the same reason
    about       bytea       NOT NULL,
    about_sum   bytea       NOT NULL,
    head        bytea       NOT NULL,
    head_sum    bytea       NOT NULL
) WITH (fillfactor = 70);

CREATE INDEX runs_by_age ON runs (created_at, id);
CREATE INDEX runs_unfinished ON runs (created_at, id) WHERE NOT ended;
CREATE INDEX runs_held ON runs (owner) WHERE owner IS NOT NULL;

-- Bytes stored once under their hash.
CREATE TABLE blobs (
    hash  bytea PRIMARY KEY,
    bytes bytea NOT NULL
);

-- Who needs which blob. The foreign key locks a blob that is being referred to, so that a blob goes
-- with its last reference and never between the look and the reference.
CREATE TABLE blob_refs (
    run  uuid  NOT NULL,
    hash bytea NOT NULL REFERENCES blobs,
    PRIMARY KEY (run, hash)
);

CREATE INDEX blob_refs_by_hash ON blob_refs (hash);

-- Of `body` and `blob` (the hash of a large body) at most one is set.
CREATE TABLE steps (
    run  uuid    NOT NULL,
    step bigint  NOT NULL,
    base boolean NOT NULL, -- whether the body is a whole state
    meta bytea   NOT NULL,
    body bytea,
    blob bytea,
    sum  bytea   NOT NULL,
    PRIMARY KEY (run, step)
);

CREATE INDEX steps_whole ON steps (run, step) WHERE base;

CREATE TABLE snapshots (
    run  uuid   NOT NULL,
    step bigint NOT NULL,
    meta bytea  NOT NULL,
    body bytea,
    blob bytea,
    sum  bytea  NOT NULL,
    PRIMARY KEY (run, step)
);

-- Keys go into the index as hashes, since they may be longer than an index can hold.
CREATE TABLE entries (
    run  uuid     NOT NULL,
    step bigint   NOT NULL,
    part smallint NOT NULL, -- 0 opened, 1 answered
    key  bytea    NOT NULL,
    meta bytea    NOT NULL,
    body bytea,
    blob bytea,
    sum  bytea    NOT NULL
);

CREATE UNIQUE INDEX entries_once ON entries (run, step, part, sha256(key));

-- The events of one append, in one row.
CREATE TABLE events (
    run   uuid   NOT NULL,
    first bigint NOT NULL,
    last  bigint NOT NULL,
    meta  bytea  NOT NULL,
    sum   bytea  NOT NULL,
    PRIMARY KEY (run, first)
);
