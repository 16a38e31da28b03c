use super::junit::junit;
use super::*;
use crate::call::Name;
use crate::figures::ToolFigures;

fn key(service: &str, tool: &str) -> ToolKey {
    ToolKey { service: Name::cut(service), tool: Name::cut(tool) }
}

/// Figures of `judged` calls, of which `window` and `confirmed` were right the first time.
fn figures(window: u64, confirmed: u64, judged: u64) -> Figures {
    Figures {
        calls: judged,
        judged,
        first_call_successes: window,
        confirmed_first_call_successes: confirmed,
        ..Figures::default()
    }
}

fn range(tools: impl IntoIterator<Item = (ToolKey, Figures)>) -> RangeFigures {
    let mut range = RangeFigures::default();
    for (key, figures) in tools {
        range.overall.merge(&figures);
        range.tools.insert(key, ToolFigures { all: figures, ..ToolFigures::default() });
    }
    range
}

fn lines(checks: &[Check], rule: Rule) -> Vec<String> {
    checks.iter().map(|check| check.line(rule).replace('\u{a0}', " ")).collect()
}

#[test]
fn a_least_rate_is_judged_by_the_confirmed_rule_unless_another_is_asked_for() {
    // 60 % by the window rule, 85 % once look-alikes are set aside.
    let now = range([(key("orders", "search"), figures(60, 85, 100))]);
    let gate = Gate { least: "80%".parse().ok(), ..Gate::default() };
    let checks = gate.judge(&now, &RangeFigures::default());
    assert_eq!(
        lines(&checks, gate.rule),
        ["all tools: confirmed first-call success is at least 80 %"]
    );
    let gate = Gate { rule: Rule::Window, ..gate };
    let checks = gate.judge(&now, &RangeFigures::default());
    assert!(checks[0].is_breach());
    // Wilson for 60 of 100: centre (0.6 + 3.841459 / 200) / 1.03841459 = 0.596301,
    // half width 1.959964 * sqrt(0.0024 + 3.841459 / 40000) / 1.03841459 = 0.094300.
    assert_eq!(
        lines(&checks, gate.rule),
        ["all tools: first-call success 60.0 % is below 80 % (95 % 50.2–69.1, n 100)"]
    );
}

#[test]
fn a_tool_is_meant_by_its_name_in_every_service_or_by_service_and_name() {
    let now = range([
        (key("docs", "search"), figures(30, 30, 30)),
        (key("orders", "search"), figures(10, 10, 30)),
        (key("a/b", "c/d"), figures(10, 10, 30)),
    ]);
    let judge = |tool: &str| {
        let gate = Gate { tools: vec![tool.parse().unwrap()], ..Gate::default() };
        gate.judge(&now, &RangeFigures::default())
    };
    let of_both = judge("search=80%");
    assert_eq!(of_both.iter().map(Check::is_breach).collect::<Vec<_>>(), [false, true]);
    let of_one = judge("docs/search=80%");
    assert_eq!(of_one.len(), 1);
    assert_eq!(of_one[0].subject, Subject::Tool(key("docs", "search")));
    assert!(judge("a/b/c/d=80%")[0].is_breach());
    let unknown = judge("serach=80%");
    assert_eq!(unknown[0].outcome, Outcome::NotJudged(NotJudged::NotCalled));
}

#[test]
fn nothing_is_judged_below_the_floor() {
    let now = range([(key("orders", "search"), figures(0, 0, 19))]);
    let before = range([(key("orders", "search"), figures(500, 500, 500))]);
    let gate = Gate {
        least: "80%".parse().ok(),
        tools: vec!["search=1%".parse().unwrap()],
        no_drop: true,
        ..Gate::default()
    };
    let checks = gate.judge(&now, &before);
    assert_eq!(checks.len(), 4);
    for check in &checks {
        assert_eq!(check.outcome, Outcome::NotJudged(NotJudged::Few(19)));
        assert!(!check.is_breach() && !check.is_judged());
    }
    // The same on the other side: nothing to compare with.
    let checks = Gate { no_drop: true, ..Gate::default() }.judge(&before, &now);
    assert!(checks.iter().all(|c| c.outcome == Outcome::NotJudged(NotJudged::NothingBefore)));
}

#[test]
fn a_fall_counts_where_it_leaves_its_interval() {
    // 639 of 900 before and 517 of 892 now: 71.0 to 58.0 %, a fall beyond chance; 15 of 20 and
    // 13 of 20 are not.
    let before = range([
        (key("orders", "search"), figures(639, 639, 900)),
        (key("orders", "get"), figures(15, 15, 20)),
    ]);
    let now = range([
        (key("orders", "search"), figures(517, 517, 892)),
        (key("orders", "get"), figures(13, 13, 20)),
        (key("orders", "new"), figures(5, 5, 50)),
    ]);
    let gate = Gate { no_drop: true, ..Gate::default() };
    let checks = gate.judge(&now, &before);
    let breached: Vec<_> = checks.iter().filter(|c| c.is_breach()).map(|c| &c.subject).collect();
    assert_eq!(breached, [&Subject::Overall, &Subject::Tool(key("orders", "search"))]);
    let line = lines(&checks, gate.rule).pop().unwrap();
    assert!(
        line.starts_with("search of orders: confirmed first-call success fell from 71.0 % to 58.0 % (−13.0 points, 95 % "),
        "{line}"
    );
    assert!(line.ends_with(", n 900 → 892)"), "{line}");
}

#[test]
fn junit_counts_every_check_and_escapes_names() {
    let hostile = "\"/><failure>&\u{0}\u{ffff}]]>";
    let now = range([
        (key("s", hostile), figures(10, 10, 30)),
        (key("s", "few"), figures(1, 1, 3)),
        (key("s", "good"), figures(30, 30, 30)),
    ]);
    let gate = Gate {
        tools: [format!("{hostile}=80%"), "few=80%".to_owned(), "good=80%".to_owned()]
            .iter()
            .map(|text| text.parse().unwrap())
            .collect(),
        ..Gate::default()
    };
    let xml = junit(&gate.judge(&now, &RangeFigures::default()), gate.rule);
    assert!(xml.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""), "{xml}");
    assert_eq!(xml.matches("<testcase ").count(), 3);
    assert_eq!(xml.matches("<failure ").count(), 1);
    assert_eq!(xml.matches("<skipped ").count(), 1);
    assert!(!xml.contains(['\u{0}', '\u{ffff}']) && !xml.contains("<failure>"), "{xml}");
}
