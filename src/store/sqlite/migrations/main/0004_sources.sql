-- What arrived in each hour by source (emitter, scope and kind), for `firstcall doctor`; and the
-- requests that were imported from files, so that none is counted twice.

CREATE TABLE sources (
    source_id INTEGER PRIMARY KEY NOT NULL,
    emitter TEXT NOT NULL,
    scope TEXT NOT NULL,
    kind TEXT NOT NULL,
    UNIQUE (emitter, scope, kind)
) STRICT;

CREATE TABLE source_hours (
    hour INTEGER NOT NULL,
    source_id INTEGER NOT NULL,
    what TEXT NOT NULL,
    word TEXT NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (hour, source_id, what, word)
) STRICT, WITHOUT ROWID;

CREATE TABLE imported_requests (
    digest BLOB PRIMARY KEY NOT NULL,
    day TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row while an import runs, or after one was cut short.
CREATE TABLE running_import (
    noted_through INTEGER NOT NULL
) STRICT;
