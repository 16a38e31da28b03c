-- Coverage, daily figures and arrival counts. Days are text, YYYY-MM-DD; instants are
-- nanoseconds since 1970-01-01 UTC. docs/data-model.md tells every column in words.

CREATE TABLE days (
    day TEXT PRIMARY KEY NOT NULL,
    covered_at INTEGER NOT NULL,
    watermark TEXT NOT NULL,
    restated_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE day_figures (
    figures_id INTEGER PRIMARY KEY,
    day TEXT NOT NULL,
    service TEXT NOT NULL,
    tool TEXT NOT NULL,
    client TEXT NOT NULL,
    calls INTEGER NOT NULL,
    judged INTEGER NOT NULL,
    ok_low_confidence INTEGER NOT NULL,
    sampled INTEGER NOT NULL,
    unknown_tool_calls INTEGER NOT NULL,
    empty INTEGER NOT NULL,
    emptiness_known INTEGER NOT NULL,
    empty_accepted INTEGER NOT NULL,
    empty_reworded INTEGER NOT NULL,
    retried INTEGER NOT NULL,
    unclassified INTEGER NOT NULL,
    repeats INTEGER NOT NULL,
    first_call_successes INTEGER NOT NULL,
    confirmed_first_call_successes INTEGER NOT NULL,
    retry_chains INTEGER NOT NULL,
    usable_chains INTEGER NOT NULL,
    extra_attempts INTEGER NOT NULL,
    abandoned_chains INTEGER NOT NULL,
    last_word_failed INTEGER NOT NULL,
    last_words INTEGER NOT NULL,
    result_bytes INTEGER NOT NULL,
    reworded_known INTEGER NOT NULL,
    grade_a INTEGER NOT NULL,
    grade_b INTEGER NOT NULL,
    grade_c INTEGER NOT NULL,
    grade_d INTEGER NOT NULL,
    grade_e INTEGER NOT NULL,
    unjudged_no_time INTEGER NOT NULL,
    unjudged_no_session INTEGER NOT NULL,
    unjudged_no_args_hash INTEGER NOT NULL,
    unjudged_unknown_comparison INTEGER NOT NULL,
    outcome_ok INTEGER NOT NULL,
    outcome_bad_args INTEGER NOT NULL,
    outcome_unknown_tool INTEGER NOT NULL,
    outcome_tool_error INTEGER NOT NULL,
    outcome_crashed INTEGER NOT NULL,
    outcome_timeout INTEGER NOT NULL,
    outcome_cancelled INTEGER NOT NULL,
    outcome_error INTEGER NOT NULL,
    retry_fan_out INTEGER NOT NULL,
    retry_paging INTEGER NOT NULL,
    retry_sweep INTEGER NOT NULL,
    retry_after_bad_args INTEGER NOT NULL,
    retry_after_failure INTEGER NOT NULL,
    retry_after_empty INTEGER NOT NULL,
    retry_after_ok INTEGER NOT NULL,
    latency_zeros INTEGER NOT NULL,
    result_size_zeros INTEGER NOT NULL,
    UNIQUE (day, service, tool, client)
) STRICT;

CREATE TABLE day_latency (
    figures_id INTEGER NOT NULL,
    bucket INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    PRIMARY KEY (figures_id, bucket)
) STRICT, WITHOUT ROWID;

CREATE TABLE day_result_sizes (
    figures_id INTEGER NOT NULL,
    bucket INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    PRIMARY KEY (figures_id, bucket)
) STRICT, WITHOUT ROWID;

CREATE TABLE day_reworded (
    figures_id INTEGER NOT NULL,
    parameter TEXT NOT NULL,
    retries INTEGER NOT NULL,
    sessions INTEGER NOT NULL,
    PRIMARY KEY (figures_id, parameter)
) STRICT, WITHOUT ROWID;

CREATE TABLE day_pairs (
    day TEXT NOT NULL,
    first_service TEXT NOT NULL,
    first_tool TEXT NOT NULL,
    next_service TEXT NOT NULL,
    next_tool TEXT NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (day, first_service, first_tool, next_service, next_tool)
) STRICT, WITHOUT ROWID;

CREATE TABLE day_sessions (
    day TEXT NOT NULL,
    client TEXT NOT NULL,
    sessions_a INTEGER NOT NULL,
    sessions_b INTEGER NOT NULL,
    sessions_c INTEGER NOT NULL,
    sessions_d INTEGER NOT NULL,
    sessions_e INTEGER NOT NULL,
    single_call INTEGER NOT NULL,
    shared INTEGER NOT NULL,
    PRIMARY KEY (day, client)
) STRICT, WITHOUT ROWID;

CREATE TABLE day_unknown_tools (
    day TEXT NOT NULL,
    client TEXT NOT NULL,
    calls INTEGER NOT NULL,
    PRIMARY KEY (day, client)
) STRICT, WITHOUT ROWID;

CREATE TABLE day_quality (
    day TEXT PRIMARY KEY NOT NULL,
    sightings INTEGER NOT NULL,
    duplicates INTEGER NOT NULL,
    folded INTEGER NOT NULL,
    late INTEGER NOT NULL,
    sampled INTEGER NOT NULL,
    unnamed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE restatements (
    day TEXT NOT NULL,
    restatement INTEGER NOT NULL,
    restated_at INTEGER NOT NULL,
    service TEXT NOT NULL,
    tool TEXT NOT NULL,
    judged INTEGER NOT NULL,
    first_call_successes INTEGER NOT NULL,
    confirmed_first_call_successes INTEGER NOT NULL,
    retried INTEGER NOT NULL,
    PRIMARY KEY (day, restatement, service, tool)
) STRICT, WITHOUT ROWID;

CREATE TABLE arrivals (
    day TEXT NOT NULL,
    emitter TEXT NOT NULL,
    what TEXT NOT NULL,
    word TEXT NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (day, emitter, what, word)
) STRICT, WITHOUT ROWID;
