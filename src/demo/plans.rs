//! How often each conversation is held: two weeks, in which the order search gets worse for
//! one client, and a few calls of today, which no report may show yet.

use super::plays::{
    DOCS_PAGED, DOCS_PAGED_BY_HASH, DOCS_SEARCHED_AND_READ, DOCS_WITH_A_GAP, LEDGER, LOOKUP,
    LOOKUP_FAN_OUT, LOOKUP_SWEEP, LOOKUP_WITHOUT_SESSION, NO_SUCH_TOOL, PAGE_READ_UNTOLD,
    REFUND_AFTER_BAD_ARGS, REFUND_DECLINED, REFUND_GIVEN_UP, REFUND_RIGHT, SEARCH_ACROSS_MIDNIGHT,
    SEARCH_AFTER_EMPTY, SEARCH_AFTER_OK, SEARCH_RIGHT, STATUS_POLLED, SYNC_CRASHED,
    SYNC_CRASHED_TWICE, SYNC_TIMED_OUT,
};
use super::scenario::{Client, Plan, Play, Wire};
use super::world::{CLAUDE_CODE, CODEX, CURSOR, SUPPORT_AGENT, UNKNOWN, VS_CODE};

type Week = [u8; 7];

const fn plan(
    play: &'static Play,
    (client, wire): (&'static Client, Wire),
    first_week: Week,
    second_week: Week,
) -> Plan {
    Plan { play, client, wire, first_week, second_week, today: 0 }
}

const fn and_today(mut plan: Plan, times: u8) -> Plan {
    plan.today = times;
    plan
}

type Source = (&'static Client, Wire);
const CLAUDE: Source = (&CLAUDE_CODE, Wire::McpWithConversation);
const OPENAI: Source = (&CODEX, Wire::McpWithTransportSession);
const EDITOR: Source = (&CURSOR, Wire::Plain);
const AGENT: Source = (&SUPPORT_AGENT, Wire::GenAiTurn);
const SERVER: Source = (&VS_CODE, Wire::McpServerOnly);
const NOBODY: Source = (&UNKNOWN, Wire::PlainAlone);

/// Every plan of the demo.
pub static PLANS: &[Plan] = &[
    and_today(plan(&SEARCH_RIGHT, CLAUDE, [9, 10, 9, 11, 10, 4, 3], [9, 9, 10, 10, 9, 4, 3]), 3),
    plan(&SEARCH_RIGHT, OPENAI, [5, 6, 5, 6, 5, 2, 1], [6, 5, 6, 5, 5, 2, 1]),
    plan(&SEARCH_RIGHT, EDITOR, [7, 7, 8, 7, 7, 2, 2], [4, 4, 3, 4, 3, 1, 1]),
    plan(&SEARCH_AFTER_EMPTY, CLAUDE, [2, 1, 2, 2, 1, 1, 0], [2, 2, 1, 2, 2, 0, 1]),
    and_today(plan(&SEARCH_AFTER_EMPTY, EDITOR, [2, 2, 1, 2, 2, 1, 0], [7, 8, 8, 7, 8, 3, 2]), 2),
    plan(&SEARCH_AFTER_EMPTY, AGENT, [1, 1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 0, 0]),
    plan(&SEARCH_AFTER_OK, CLAUDE, [0, 1, 0, 0, 1, 0, 0], [1, 0, 1, 0, 1, 0, 0]),
    plan(&SEARCH_AFTER_OK, EDITOR, [1, 1, 0, 1, 1, 0, 0], [3, 3, 4, 3, 3, 1, 1]),
    plan(&SEARCH_ACROSS_MIDNIGHT, CLAUDE, [0, 0, 1, 0, 0, 0, 1], [0, 0, 0, 0, 1, 0, 1]),
    plan(&REFUND_RIGHT, CLAUDE, [1, 1, 0, 1, 1, 0, 0], [1, 0, 1, 1, 1, 0, 0]),
    plan(&REFUND_AFTER_BAD_ARGS, CLAUDE, [1, 1, 1, 1, 1, 0, 0], [1, 1, 2, 1, 1, 0, 0]),
    plan(&REFUND_AFTER_BAD_ARGS, OPENAI, [1, 0, 1, 1, 0, 0, 0], [1, 1, 0, 1, 1, 0, 0]),
    plan(&REFUND_GIVEN_UP, OPENAI, [1, 0, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 0, 0]),
    plan(&REFUND_DECLINED, AGENT, [1, 0, 1, 0, 1, 0, 0], [1, 1, 0, 0, 1, 0, 0]),
    plan(&LOOKUP, CLAUDE, [6, 6, 7, 6, 6, 2, 2], [6, 7, 6, 6, 7, 2, 1]),
    plan(&LOOKUP, OPENAI, [3, 3, 3, 3, 3, 1, 1], [3, 3, 3, 3, 3, 1, 1]),
    plan(&LOOKUP_WITHOUT_SESSION, NOBODY, [2, 2, 2, 2, 2, 1, 1], [2, 3, 2, 2, 2, 1, 1]),
    plan(&LOOKUP_FAN_OUT, CLAUDE, [2, 2, 2, 2, 2, 1, 0], [2, 2, 3, 2, 2, 1, 0]),
    plan(&LOOKUP_SWEEP, AGENT, [1, 1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 0, 0]),
    plan(&STATUS_POLLED, CLAUDE, [1, 1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 0, 1]),
    plan(&STATUS_POLLED, OPENAI, [2, 2, 1, 2, 2, 0, 0], [2, 2, 2, 2, 1, 0, 0]),
    plan(&DOCS_SEARCHED_AND_READ, CLAUDE, [4, 5, 4, 5, 4, 1, 1], [5, 4, 5, 4, 5, 1, 1]),
    plan(&DOCS_SEARCHED_AND_READ, EDITOR, [3, 3, 3, 3, 3, 1, 1], [3, 3, 3, 3, 3, 1, 1]),
    plan(&DOCS_PAGED, CLAUDE, [1, 1, 2, 1, 1, 0, 0], [1, 2, 1, 1, 1, 0, 0]),
    plan(&DOCS_PAGED_BY_HASH, EDITOR, [1, 0, 1, 0, 1, 0, 0], [0, 1, 0, 1, 0, 1, 0]),
    plan(&DOCS_WITH_A_GAP, EDITOR, [1, 0, 1, 0, 0, 0, 0], [0, 1, 0, 1, 0, 0, 0]),
    plan(&PAGE_READ_UNTOLD, SERVER, [4, 4, 5, 4, 4, 1, 1], [5, 4, 4, 4, 5, 1, 0]),
    plan(&SYNC_CRASHED, CLAUDE, [1, 0, 1, 1, 0, 1, 0], [1, 1, 0, 1, 1, 0, 1]),
    plan(&SYNC_CRASHED_TWICE, OPENAI, [2, 1, 1, 1, 2, 0, 0], [1, 2, 1, 2, 1, 1, 0]),
    plan(&SYNC_TIMED_OUT, AGENT, [0, 1, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 1, 0]),
    plan(&LEDGER, CLAUDE, [0, 1, 0, 1, 0, 0, 0], [1, 0, 1, 0, 1, 0, 0]),
    plan(&LEDGER, OPENAI, [0, 0, 1, 0, 0, 0, 0], [0, 1, 0, 0, 1, 0, 0]),
    plan(&NO_SUCH_TOOL, OPENAI, [1, 0, 1, 0, 1, 0, 0], [1, 1, 0, 1, 0, 1, 0]),
    plan(&NO_SUCH_TOOL, EDITOR, [0, 1, 0, 0, 1, 0, 0], [1, 0, 0, 1, 0, 0, 0]),
];
