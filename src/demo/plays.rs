//! The conversations, each with what it counts for by METHOD, worked out by hand.
//!
//! Within a conversation the calls stand apart far enough for a model to read the answer, that
//! is more than 250 ms, and close enough for the window of 30 s, except where a comment says so.

use super::scenario::{Counted, Play, Step};
use super::world::{
    CANCEL_ORDER, CREATE_REFUND, EXPORT_LEDGER, GET_ORDER, ORDER_STATUS, READ_PAGE, SEARCH_DOCS,
    SEARCH_ORDERS, SYNC_INVOICES,
};
use crate::call::Outcome::{BadArgs, Crashed, Ok, Timeout, ToolError, UnknownTool};
use crate::figures::RetryClass::{
    AfterBadArgs, AfterEmpty, AfterFailure, AfterOk, FanOut, Paging, Sweep,
};
use crate::figures::UnjudgedReason::{NoArgsHash, NoSession, UnknownComparison};

const fn play(name: &'static str, steps: &'static [Step], counts: &'static [Counted]) -> Play {
    Play { name, starts_at_s: None, steps, counts, counts_next_day: &[] }
}

/// One call, one good answer.
const fn right_at_once(tool: &'static super::scenario::Tool) -> Counted {
    Counted {
        outcomes: &[(Ok, 1)],
        emptiness_known: 1,
        first_call_successes: 1,
        confirmed_first_call_successes: 1,
        ..Counted::of(tool)
    }
}

/// An order search that is right at once.
pub static SEARCH_RIGHT: Play = play(
    "an order search that is right at once",
    &[Step::call(&SEARCH_ORDERS, 0, r#"{"customer":"Ines","status":"paid"}"#)],
    &[right_at_once(&SEARCH_ORDERS)],
);

/// The first call finds nothing and is retried; only the second is a success.
pub static SEARCH_AFTER_EMPTY: Play = play(
    "an order search reworded after an empty answer",
    &[
        Step::call(&SEARCH_ORDERS, 0, r#"{"customer":"Ines","status":"complete"}"#).empty(),
        Step::call(&SEARCH_ORDERS, 6_000, r#"{"customer":"Ines","status":"completed"}"#),
    ],
    &[Counted {
        outcomes: &[(Ok, 2)],
        emptiness_known: 2,
        empty: 1,
        retries: &[(AfterEmpty, 1)],
        first_call_successes: 1,
        confirmed_first_call_successes: 1,
        usable_chains: 1,
        extra_attempts: 1,
        ..Counted::of(&SEARCH_ORDERS)
    }],
);

/// Two good answers that the model still could not use. Three calls are no sweep.
pub static SEARCH_AFTER_OK: Play = play(
    "an order search reworded twice after good answers",
    &[
        Step::call(&SEARCH_ORDERS, 0, r#"{"query":"unpaid"}"#),
        Step::call(&SEARCH_ORDERS, 8_000, r#"{"query":"status:unpaid"}"#),
        Step::call(&SEARCH_ORDERS, 17_000, r#"{"status":"open"}"#),
    ],
    &[Counted {
        outcomes: &[(Ok, 3)],
        emptiness_known: 3,
        retries: &[(AfterOk, 2)],
        first_call_successes: 1,
        confirmed_first_call_successes: 1,
        usable_chains: 1,
        extra_attempts: 2,
        ..Counted::of(&SEARCH_ORDERS)
    }],
);

/// 23:59:50 is retried at 00:00:05: each call belongs to the day in which it starts, the chain
/// to the day of its first call.
pub static SEARCH_ACROSS_MIDNIGHT: Play = Play {
    name: "an order search reworded across midnight",
    starts_at_s: Some(86_390),
    steps: &[
        Step::call(&SEARCH_ORDERS, 0, r#"{"customer":"Teo","status":"late"}"#).empty(),
        Step::call(&SEARCH_ORDERS, 15_000, r#"{"customer":"Teo","status":"overdue"}"#),
    ],
    counts: &[Counted {
        outcomes: &[(Ok, 1)],
        emptiness_known: 1,
        empty: 1,
        retries: &[(AfterEmpty, 1)],
        usable_chains: 1,
        extra_attempts: 1,
        ..Counted::of(&SEARCH_ORDERS)
    }],
    counts_next_day: &[right_at_once(&SEARCH_ORDERS)],
};

/// A refund that is right at once.
pub static REFUND_RIGHT: Play = play(
    "a refund that is right at once",
    &[Step::call(&CREATE_REFUND, 0, r#"{"order_id":"A-1001","amount":4250}"#)],
    &[right_at_once(&CREATE_REFUND)],
);

/// Refused twice before the tool's own code ran.
pub static REFUND_AFTER_BAD_ARGS: Play = play(
    "a refund whose arguments are refused twice",
    &[
        Step::call(&CREATE_REFUND, 0, r#"{"order_id":"A-1001","amount":"42.50"}"#).failed(BadArgs),
        Step::call(&CREATE_REFUND, 5_000, r#"{"order_id":"A-1001","amount":42.5}"#).failed(BadArgs),
        Step::call(&CREATE_REFUND, 11_000, r#"{"order_id":"A-1001","amount":4250}"#),
    ],
    &[Counted {
        outcomes: &[(Ok, 1), (BadArgs, 2)],
        emptiness_known: 1,
        retries: &[(AfterBadArgs, 2)],
        first_call_successes: 1,
        confirmed_first_call_successes: 1,
        usable_chains: 1,
        extra_attempts: 2,
        ..Counted::of(&CREATE_REFUND)
    }],
);

/// Refused twice; the model gave up, and the chain is abandoned.
pub static REFUND_GIVEN_UP: Play = play(
    "a refund given up after refused arguments",
    &[
        Step::call(&CREATE_REFUND, 0, r#"{"order":"A-1001"}"#).failed(BadArgs),
        Step::call(&CREATE_REFUND, 9_000, r#"{"order":"A-1001","amount":"all"}"#).failed(BadArgs),
    ],
    &[Counted {
        outcomes: &[(BadArgs, 2)],
        retries: &[(AfterBadArgs, 1)],
        abandoned_chains: 1,
        ..Counted::of(&CREATE_REFUND)
    }],
);

/// The tool ran and said no; then a smaller amount passed.
pub static REFUND_DECLINED: Play = play(
    "a refund declined and asked for again with less",
    &[
        Step::call(&CREATE_REFUND, 0, r#"{"order_id":"A-1002","amount":9900}"#).failed(ToolError),
        Step::call(&CREATE_REFUND, 7_000, r#"{"order_id":"A-1002","amount":4900}"#),
    ],
    &[Counted {
        outcomes: &[(Ok, 1), (ToolError, 1)],
        emptiness_known: 1,
        retries: &[(AfterFailure, 1)],
        first_call_successes: 1,
        confirmed_first_call_successes: 1,
        usable_chains: 1,
        extra_attempts: 1,
        ..Counted::of(&CREATE_REFUND)
    }],
);

/// One order, right at once.
pub static LOOKUP: Play = play(
    "one order looked up",
    &[Step::call(&GET_ORDER, 0, r#"{"order_id":"A-1001"}"#)],
    &[right_at_once(&GET_ORDER)],
);

/// The same where no session is told: counted, never judged.
pub static LOOKUP_WITHOUT_SESSION: Play = play(
    "one order looked up by someone who tells no session",
    &[Step::call(&GET_ORDER, 0, r#"{"order_id":"A-1001"}"#)],
    &[Counted {
        outcomes: &[(Ok, 1)],
        emptiness_known: 1,
        unjudged: &[(NoSession, 1)],
        ..Counted::of(&GET_ORDER)
    }],
);

/// Three orders asked for at once: no model read the first answer in between.
pub static LOOKUP_FAN_OUT: Play = play(
    "three orders looked up at once",
    &[
        Step::call(&GET_ORDER, 0, r#"{"order_id":"A-1001"}"#),
        Step::call(&GET_ORDER, 15, r#"{"order_id":"A-1002"}"#),
        Step::call(&GET_ORDER, 30, r#"{"order_id":"A-1003"}"#),
    ],
    &[Counted {
        outcomes: &[(Ok, 3)],
        emptiness_known: 3,
        retries: &[(FanOut, 2)],
        first_call_successes: 1,
        confirmed_first_call_successes: 3,
        ..Counted::of(&GET_ORDER)
    }],
);

/// A loop over six ids: by the window rule five calls are retried, none of them a rewording.
pub static LOOKUP_SWEEP: Play = play(
    "six orders looked up one after the other",
    &[
        Step::call(&GET_ORDER, 0, r#"{"order_id":"A-1001"}"#),
        Step::call(&GET_ORDER, 2_000, r#"{"order_id":"A-1002"}"#),
        Step::call(&GET_ORDER, 4_000, r#"{"order_id":"A-1003"}"#),
        Step::call(&GET_ORDER, 6_000, r#"{"order_id":"A-1004"}"#),
        Step::call(&GET_ORDER, 8_000, r#"{"order_id":"A-1005"}"#),
        Step::call(&GET_ORDER, 10_000, r#"{"order_id":"A-1006"}"#),
    ],
    &[Counted {
        outcomes: &[(Ok, 6)],
        emptiness_known: 6,
        retries: &[(Sweep, 5)],
        first_call_successes: 1,
        confirmed_first_call_successes: 6,
        ..Counted::of(&GET_ORDER)
    }],
);

/// The same question four times: repeats, and every call a success.
pub static STATUS_POLLED: Play = play(
    "an order's status polled",
    &[
        Step::call(&ORDER_STATUS, 0, r#"{"order_id":"A-1001"}"#),
        Step::call(&ORDER_STATUS, 10_000, r#"{"order_id":"A-1001"}"#),
        Step::call(&ORDER_STATUS, 20_000, r#"{"order_id":"A-1001"}"#),
        Step::call(&ORDER_STATUS, 30_000, r#"{"order_id":"A-1001"}"#),
    ],
    &[Counted {
        outcomes: &[(Ok, 4)],
        emptiness_known: 4,
        repeats: 3,
        first_call_successes: 4,
        confirmed_first_call_successes: 4,
        ..Counted::of(&ORDER_STATUS)
    }],
);

/// A different tool is never a retry: it is a pair.
pub static DOCS_SEARCHED_AND_READ: Play = play(
    "a page searched for and read",
    &[
        Step::call(&SEARCH_DOCS, 0, r#"{"query":"refunds"}"#),
        Step::call(&READ_PAGE, 3_000, r#"{"page":"refunds.md"}"#),
    ],
    &[right_at_once(&SEARCH_DOCS), right_at_once(&READ_PAGE)],
);

const PAGES: &[Step] = &[
    Step::call(&SEARCH_DOCS, 0, r#"{"query":"states"}"#),
    Step::call(&SEARCH_DOCS, 4_000, r#"{"query":"states","cursor":"b2"}"#),
    Step::call(&SEARCH_DOCS, 8_000, r#"{"query":"states","cursor":"b3"}"#),
];

/// Two page turns: only the cursor changed.
pub static DOCS_PAGED: Play = play(
    "three pages of hits",
    PAGES,
    &[Counted {
        outcomes: &[(Ok, 3)],
        emptiness_known: 3,
        retries: &[(Paging, 2)],
        first_call_successes: 1,
        confirmed_first_call_successes: 3,
        ..Counted::of(&SEARCH_DOCS)
    }],
);

/// The same seen by hash alone: without arguments a page turn cannot be told from a rewording.
pub static DOCS_PAGED_BY_HASH: Play = play(
    "three pages of hits, told by hash alone",
    PAGES,
    &[Counted {
        outcomes: &[(Ok, 3)],
        emptiness_known: 3,
        retries: &[(AfterOk, 2)],
        first_call_successes: 1,
        confirmed_first_call_successes: 1,
        usable_chains: 1,
        extra_attempts: 2,
        ..Counted::of(&SEARCH_DOCS)
    }],
);

/// The second call's hash is missing: the first cannot be judged, nor can the second.
pub static DOCS_WITH_A_GAP: Play = play(
    "a search followed by one whose hash is missing",
    &[
        Step::call(&SEARCH_DOCS, 0, r#"{"query":"limits"}"#),
        Step::call(&SEARCH_DOCS, 5_000, "{}").untold(),
    ],
    &[Counted {
        outcomes: &[(Ok, 2)],
        emptiness_known: 2,
        unjudged: &[(UnknownComparison, 1), (NoArgsHash, 1)],
        ..Counted::of(&SEARCH_DOCS)
    }],
);

/// A call of which only the server tells, without arguments and result.
pub static PAGE_READ_UNTOLD: Play = play(
    "a page read without telling the arguments",
    &[Step::call(&READ_PAGE, 0, "{}").untold()],
    &[Counted { outcomes: &[(Ok, 1)], unjudged: &[(NoArgsHash, 1)], ..Counted::of(&READ_PAGE) }],
);

/// The broken tool crashes whatever the arguments are.
pub static SYNC_CRASHED_TWICE: Play = play(
    "a broken tool tried with other arguments",
    &[
        Step::call(&SYNC_INVOICES, 0, r#"{"since":"2026-01-01"}"#).failed(Crashed),
        Step::call(&SYNC_INVOICES, 10_000, r#"{"since":"2026-01-01","full":true}"#).failed(Crashed),
    ],
    &[Counted {
        outcomes: &[(Crashed, 2)],
        retries: &[(AfterFailure, 1)],
        abandoned_chains: 1,
        ..Counted::of(&SYNC_INVOICES)
    }],
);

/// The broken tool, tried once.
pub static SYNC_CRASHED: Play = play(
    "a broken tool tried once",
    &[Step::call(&SYNC_INVOICES, 0, r#"{"since":"2026-02-01"}"#).failed(Crashed)],
    &[Counted { outcomes: &[(Crashed, 1)], ..Counted::of(&SYNC_INVOICES) }],
);

/// The broken tool, waited for in vain.
pub static SYNC_TIMED_OUT: Play = play(
    "a broken tool waited for in vain",
    &[Step::call(&SYNC_INVOICES, 0, r#"{"since":"2020-01-01"}"#).failed(Timeout)],
    &[Counted { outcomes: &[(Timeout, 1)], ..Counted::of(&SYNC_INVOICES) }],
);

/// A tool that is called too seldom for a verdict.
pub static LEDGER: Play = play(
    "the ledger written",
    &[Step::call(&EXPORT_LEDGER, 0, r#"{"month":"2026-10"}"#)],
    &[right_at_once(&EXPORT_LEDGER)],
);

/// A tool that is not there: counted for the client, never as a call of that tool.
pub static NO_SUCH_TOOL: Play = play(
    "a tool asked for that is not there",
    &[Step::call(&CANCEL_ORDER, 0, r#"{"order_id":"A-1001"}"#).failed(UnknownTool)],
    &[],
);
