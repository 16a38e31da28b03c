-- The sightings that start on one UTC day. Rows are only ever added.
-- docs/data-model.md tells every column in words.

-- One row: a random number that tells this file from another one put in its place.
CREATE TABLE file (
    token INTEGER PRIMARY KEY NOT NULL
) STRICT;
INSERT INTO file (token) SELECT random() & 9223372036854775807;

CREATE TABLE names (
    id INTEGER PRIMARY KEY NOT NULL,
    name TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;

CREATE TABLE batches (
    id INTEGER PRIMARY KEY NOT NULL,
    sightings INTEGER NOT NULL,
    min_start INTEGER NOT NULL,
    max_start INTEGER NOT NULL,
    received INTEGER NOT NULL,
    touches_head INTEGER NOT NULL,
    touches_tail INTEGER NOT NULL,
    head_checksum INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    packed BLOB NOT NULL
) STRICT;

-- Most batches touch neither edge of their day and cost these nothing.
CREATE INDEX batches_head ON batches (id) WHERE touches_head = 1;
CREATE INDEX batches_tail ON batches (id) WHERE touches_tail = 1;
