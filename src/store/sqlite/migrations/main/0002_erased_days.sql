-- Days whose sightings were erased because they can no longer be restated.

CREATE TABLE erased_days (
    day TEXT PRIMARY KEY NOT NULL,
    erased_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
