-- Figures about recovery, for the rows of day_figures that have any, and the attempts by dependency.
-- The names are those of the report's JSON; docs/data-model.md tells every column in words.

CREATE TABLE day_recovery (
    figures_id INTEGER PRIMARY KEY NOT NULL REFERENCES day_figures (figures_id),
    status_tool TEXT,
    kind_known INTEGER NOT NULL,
    uncertain INTEGER NOT NULL,
    status_checked INTEGER NOT NULL,
    never_checked INTEGER NOT NULL,
    unsafe_replays INTEGER NOT NULL,
    keyed INTEGER NOT NULL,
    key_status_known INTEGER NOT NULL,
    duplicate_key_hits INTEGER NOT NULL,
    key_conflicts INTEGER NOT NULL,
    possible_double_writes INTEGER NOT NULL,
    attempts_known INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    writes INTEGER NOT NULL,
    business_outcome_known INTEGER NOT NULL,
    unknown_outcomes INTEGER NOT NULL,
    unknown_resolved INTEGER NOT NULL,
    budgeted INTEGER NOT NULL,
    budget_ms INTEGER NOT NULL,
    timeout_queue INTEGER NOT NULL,
    timeout_auth INTEGER NOT NULL,
    timeout_downstream INTEGER NOT NULL,
    timeout_transform INTEGER NOT NULL,
    timeout_audit INTEGER NOT NULL,
    fate_answer_lost INTEGER NOT NULL,
    fate_failed INTEGER NOT NULL,
    fate_unknown INTEGER NOT NULL,
    then_replayed_unsafely INTEGER NOT NULL,
    then_checked_known INTEGER NOT NULL,
    then_checked_unknown INTEGER NOT NULL,
    then_replayed_safely INTEGER NOT NULL,
    then_replayed_untold INTEGER NOT NULL,
    then_given_up INTEGER NOT NULL,
    spent_ms_queue INTEGER NOT NULL,
    spent_ms_auth INTEGER NOT NULL,
    spent_ms_downstream INTEGER NOT NULL,
    spent_ms_transform INTEGER NOT NULL,
    spent_ms_audit INTEGER NOT NULL
) STRICT;

CREATE TABLE day_dependencies (
    figures_id INTEGER NOT NULL REFERENCES day_figures (figures_id),
    kind TEXT NOT NULL,
    dependency TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    timed_out INTEGER NOT NULL,
    nanos INTEGER NOT NULL,
    PRIMARY KEY (figures_id, kind, dependency)
) STRICT, WITHOUT ROWID;

-- Tools that a server says it offers, as `firstcall tools import` read them.
CREATE TABLE offered_tools (
    service TEXT NOT NULL,
    tool TEXT NOT NULL,
    kind TEXT,
    schema_bytes INTEGER,
    imported_at INTEGER NOT NULL,
    PRIMARY KEY (service, tool)
) STRICT, WITHOUT ROWID;
