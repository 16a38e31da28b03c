//! A parameter's name is shown only where enough sessions had it (METHOD section 3), in no file.

use firstcall::call::Name;
use firstcall::figures::RewordedCount;

use super::report_input::{ReportDays, usual};
use super::site;

/// The usual days, with a parameter in so many sessions of each of two tools on the last day.
pub(crate) fn with_a_rare_name(sessions: u64) -> ReportDays {
    let mut input = usual();
    let tools = &mut input.days.last_mut().unwrap().tools;
    let first = tools.keys().next().unwrap().0.clone();
    let second = tools.keys().find(|(tool, _)| *tool != first).unwrap().0.clone();
    for tool in [first, second] {
        let (_, figures) = tools.iter_mut().find(|((key, _), _)| *key == tool).unwrap();
        figures.reworded_known += 1;
        figures.reworded.insert(Name::cut("rare_name"), RewordedCount { retries: 1, sessions });
    }
    input
}

#[test]
fn a_name_that_no_tool_saw_in_five_sessions_is_in_no_file() {
    // Four sessions of each of two tools may be four sessions in all, and not eight.
    let holding = |sessions| {
        let site = site(&with_a_rare_name(sessions));
        site.into_iter()
            .filter(|(_, text)| text.contains("rare_name"))
            .map(|(path, _)| path)
            .collect::<Vec<_>>()
    };
    assert_eq!(holding(4), [""; 0]);
    assert!(holding(5).iter().any(|path| path.ends_with("report.json")));
}
