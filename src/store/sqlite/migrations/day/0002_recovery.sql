-- What the sightings of a batch tell of recovery, and the downstream attempts that came with it.
-- Most batches have neither. docs/data-model.md tells their form.

ALTER TABLE batches ADD COLUMN recovery BLOB;
ALTER TABLE batches ADD COLUMN attempts BLOB;
