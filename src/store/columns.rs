//! The columns that are written to each table of `firstcall.sqlite`, one constant a table.
//!
//! Statements are made from these, and a test prepares every one of them against the schema.

/// A table and the columns that are written to it, in the order in which values are bound.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) columns: &'static [&'static str],
}

impl Table {
    /// The statement that adds one row.
    pub(super) fn insert(self) -> String {
        insert_into(self.name, self.columns)
    }

    /// The query for the columns of all rows that `rest` (a `WHERE` and an `ORDER BY`) tells.
    pub(super) fn select(self, rest: &str) -> String {
        format!("SELECT {} FROM {} {rest}", self.columns.join(", "), self.name)
    }
}

/// The statement that adds one row with these columns to `table`.
pub(super) fn insert_into(table: &str, columns: &[&str]) -> String {
    let places = vec!["?"; columns.len()].join(", ");
    format!("INSERT INTO {table} ({}) VALUES ({places})", columns.join(", "))
}

pub(super) const DAYS: Table =
    Table { name: "days", columns: &["day", "covered_at", "watermark", "restated_at"] };

pub(super) const ERASED_DAYS: Table = Table { name: "erased_days", columns: &["day", "erased_at"] };

/// How many columns of [`DAY_FIGURES`] come before the numbers.
pub(super) const DAY_FIGURES_KEYS: usize = 5;

pub(super) const DAY_FIGURES: Table = Table {
    name: "day_figures",
    columns: &[
        "figures_id",
        "day",
        "service",
        "tool",
        "client",
        "calls",
        "judged",
        "ok_low_confidence",
        "sampled",
        "unknown_tool_calls",
        "empty",
        "emptiness_known",
        "empty_accepted",
        "empty_reworded",
        "retried",
        "unclassified",
        "repeats",
        "first_call_successes",
        "confirmed_first_call_successes",
        "retry_chains",
        "usable_chains",
        "extra_attempts",
        "abandoned_chains",
        "last_word_failed",
        "last_words",
        "result_bytes",
        "reworded_known",
        "sessions",
        "grade_a",
        "grade_b",
        "grade_c",
        "grade_d",
        "grade_e",
        "unjudged_no_time",
        "unjudged_no_session",
        "unjudged_no_args_hash",
        "unjudged_unknown_comparison",
        "outcome_ok",
        "outcome_bad_args",
        "outcome_unknown_tool",
        "outcome_tool_error",
        "outcome_crashed",
        "outcome_timeout",
        "outcome_cancelled",
        "outcome_error",
        "retry_fan_out",
        "retry_paging",
        "retry_sweep",
        "retry_after_bad_args",
        "retry_after_failure",
        "retry_after_empty",
        "retry_after_ok",
        "latency_zeros",
        "result_size_zeros",
    ],
};

pub(super) const DAY_LATENCY: Table =
    Table { name: "day_latency", columns: &["figures_id", "bucket", "calls"] };

pub(super) const DAY_RESULT_SIZES: Table =
    Table { name: "day_result_sizes", columns: &["figures_id", "bucket", "calls"] };

pub(super) const DAY_REWORDED: Table =
    Table { name: "day_reworded", columns: &["figures_id", "parameter", "retries", "sessions"] };

pub(super) const DAY_RECOVERY: Table = Table {
    name: "day_recovery",
    columns: &[
        "figures_id",
        "status_tool",
        "kind_known",
        "uncertain",
        "status_checked",
        "never_checked",
        "unsafe_replays",
        "keyed",
        "key_status_known",
        "duplicate_key_hits",
        "key_conflicts",
        "possible_double_writes",
        "attempts_known",
        "attempts",
        "writes",
        "business_outcome_known",
        "unknown_outcomes",
        "unknown_resolved",
        "budgeted",
        "budget_ms",
        "timeout_queue",
        "timeout_auth",
        "timeout_downstream",
        "timeout_transform",
        "timeout_audit",
        "fate_answer_lost",
        "fate_failed",
        "fate_unknown",
        "then_replayed_unsafely",
        "then_checked_known",
        "then_checked_unknown",
        "then_replayed_safely",
        "then_replayed_untold",
        "then_given_up",
        "spent_ms_queue",
        "spent_ms_auth",
        "spent_ms_downstream",
        "spent_ms_transform",
        "spent_ms_audit",
    ],
};

pub(super) const DAY_DEPENDENCIES: Table = Table {
    name: "day_dependencies",
    columns: &["figures_id", "kind", "dependency", "attempts", "failed", "timed_out", "nanos"],
};

pub(super) const OFFERED_TOOLS: Table = Table {
    name: "offered_tools",
    columns: &["service", "tool", "kind", "schema_bytes", "imported_at"],
};

pub(super) const DAY_PAIRS: Table = Table {
    name: "day_pairs",
    columns: &["day", "first_service", "first_tool", "next_service", "next_tool", "times"],
};

pub(super) const DAY_SESSIONS: Table = Table {
    name: "day_sessions",
    columns: &[
        "day",
        "client",
        "single_call",
        "shared",
        "sessions_a",
        "sessions_b",
        "sessions_c",
        "sessions_d",
        "sessions_e",
    ],
};

pub(super) const DAY_UNKNOWN_TOOLS: Table =
    Table { name: "day_unknown_tools", columns: &["day", "client", "calls"] };

pub(super) const DAY_QUALITY: Table = Table {
    name: "day_quality",
    columns: &["day", "sightings", "duplicates", "folded", "late", "sampled", "unnamed"],
};

pub(super) const RESTATEMENTS: Table = Table {
    name: "restatements",
    columns: &[
        "day",
        "restatement",
        "restated_at",
        "service",
        "tool",
        "judged",
        "first_call_successes",
        "confirmed_first_call_successes",
        "retried",
    ],
};

pub(super) const ARRIVALS: Table =
    Table { name: "arrivals", columns: &["day", "emitter", "what", "word", "times"] };

pub(super) const SOURCES: Table =
    Table { name: "sources", columns: &["source_id", "emitter", "scope", "kind"] };

pub(super) const SOURCE_HOURS: Table =
    Table { name: "source_hours", columns: &["hour", "source_id", "what", "word", "times"] };

pub(super) const IMPORTED_REQUESTS: Table =
    Table { name: "imported_requests", columns: &["digest", "day"] };

/// The tables that [`super::publish`] replaces, by day.
pub(super) const BY_DAY: &[Table] =
    &[DAY_FIGURES, DAY_PAIRS, DAY_SESSIONS, DAY_UNKNOWN_TOOLS, DAY_QUALITY];

/// The tables that hang on [`DAY_FIGURES`].
pub(super) const BY_FIGURES: &[Table] =
    &[DAY_LATENCY, DAY_RESULT_SIZES, DAY_REWORDED, DAY_RECOVERY, DAY_DEPENDENCIES];
