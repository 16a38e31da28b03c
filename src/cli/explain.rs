//! `firstcall nightly --explain`: why each call of a tool counted as it did.

use std::fmt::Write;

use super::{ExitCode, Failure, print};
use crate::call::UnixNanos;
use crate::call::hidden::plain;
use crate::nightly::{self, ChainKind, Declared, ExplainedCall, Question, Standing, Terms};
use crate::store::Store;

/// Prints a table of the calls, with tabs between its columns.
pub(super) fn print_calls(
    store: &Store,
    terms: Terms,
    declared: &Declared,
    question: &Question,
) -> Result<(), Failure> {
    let calls = nightly::explain(store, terms, declared, question)?;
    if calls.is_empty() {
        let error = format!("no call of `{}` on {}", plain(&question.tool), question.day);
        let hint = "a tool is given by its name, or as service/name; \
                    `firstcall export calls` lists a day's calls";
        return Err(Failure::new(ExitCode::NothingToReport, error).with_hint(hint));
    }
    let mut table = String::from(
        "start\tservice\ttool\tclient\tsession\tgrade\toutcome\tis_empty\tjudged\tretry\tchain\
         \trecovery\n",
    );
    for call in &calls {
        let cells = cells(call);
        // Writing to a text cannot fail.
        writeln!(table, "{}", cells.join("\t")).ok();
    }
    print(&table)
}

fn cells(call: &ExplainedCall) -> [String; 12] {
    let judged = match call.standing {
        Standing::Judged => "yes".to_owned(),
        Standing::Unjudged(reason) => format!("no: {reason}"),
        Standing::OfNoTool => "no: unknown_tool".to_owned(),
    };
    let retry = call.retry.map_or_else(
        || if call.is_repeat { "repeat".to_owned() } else { "-".to_owned() },
        |retry| {
            let untested = if retry.is_untested { ", unclassified" } else { "" };
            format!("{} by {}{untested}", retry.class, time_of_day(retry.witness_start))
        },
    );
    let chain = call.chain.map_or_else(
        || "-".to_owned(),
        |chain| {
            let kind = match chain.kind {
                ChainKind::NotOfRetries => "no rewording".to_owned(),
                ChainKind::Usable { extra_attempts } => {
                    format!("usable after {extra_attempts} more")
                }
                ChainKind::Abandoned => "abandoned".to_owned(),
            };
            format!("{} {kind}", time_of_day(chain.start))
        },
    );
    [
        time_of_day(call.start),
        plain(&call.service),
        plain(&call.tool),
        plain(&call.client),
        call.session.map_or_else(|| "-".to_owned(), |session| session.to_string()),
        call.grade.word().to_uppercase(),
        call.outcome.to_string(),
        call.emptiness.to_string(),
        judged,
        retry,
        chain,
        call.recovery.map_or_else(|| "-".to_owned(), |recovery| recovery.to_string()),
    ]
}

/// `23:59:50.000`.
fn time_of_day(instant: UnixNanos) -> String {
    let millis = instant.get() / 1_000_000 % 86_400_000;
    let (seconds, millis) = (millis / 1000, millis % 1000);
    format!("{:02}:{:02}:{:02}.{millis:03}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_day_is_read_off_the_instant() {
        // 2026-11-29 is day 20,786; 23:59:50.25 is 86,390.25 s into it.
        let instant = UnixNanos::new((20_786 * 86_400 + 86_390) * 1_000_000_000 + 250_000_000);
        assert_eq!(time_of_day(instant), "23:59:50.250");
    }
}
