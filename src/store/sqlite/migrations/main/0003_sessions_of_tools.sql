-- In how many sessions of the day each client called each tool. Of days that were covered before
-- it was counted it is 0, beside calls whose session is known.

ALTER TABLE day_figures ADD COLUMN sessions INTEGER NOT NULL DEFAULT 0;
