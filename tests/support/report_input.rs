//! A report's input made by hand: eight tools of two services and five clients over 37 days,
//! with two days unknown, one restated, and everything that a page can show.
//!
//! The figures are plain arithmetic on the tables below, so that a test can work a number out.

use std::collections::BTreeMap;

use firstcall::call::{ClientName, Day, Name, Outcome, SessionGrade, ToolKey};
use firstcall::figures::{
    ArrivalCounts, DayFigures, Figures, PairKey, QualityCounts, RetryClass, RewordedCount,
    SessionCounts, UnjudgedReason,
};
use firstcall::report::input::{OfferedTool, RestatedDay, ShownBefore};
use firstcall::report::{Dates, Fold, ReportInput};

/// A report's days before they are added up, so that a test can change one.
#[derive(Clone)]
pub(crate) struct ReportDays {
    pub(crate) from: Day,
    pub(crate) to: Day,
    pub(crate) today: Day,
    pub(crate) as_of: Option<Day>,
    /// The covered days of the range, of the period before, and of the charts.
    pub(crate) days: Vec<DayFigures>,
    pub(crate) previous: Vec<DayFigures>,
    pub(crate) history: Vec<DayFigures>,
    pub(crate) restated: BTreeMap<Day, RestatedDay>,
    pub(crate) arrivals: BTreeMap<Name, ArrivalCounts>,
    pub(crate) has_calls_uncovered: bool,
    pub(crate) offered: Vec<OfferedTool>,
    pub(crate) releases: BTreeMap<Day, Name>,
}

impl ReportDays {
    /// The input that the days add up to.
    pub(crate) fn input(&self) -> ReportInput {
        let dates = Dates { from: self.from, to: self.to, today: self.today, as_of: self.as_of };
        let mut fold = Fold::new(dates, self.restated.clone());
        let all = self.history.iter().chain(&self.previous).chain(&self.days);
        let all: BTreeMap<Day, &DayFigures> = all.map(|day| (day.day, day)).collect();
        for day in all.into_values() {
            for ((tool, client), figures) in &day.tools {
                fold.add(day.day, tool, client, figures.clone());
            }
            fold.close_day(day);
        }
        ReportInput {
            arrivals: self.arrivals.clone(),
            has_calls_uncovered: self.has_calls_uncovered,
            offered: self.offered.clone(),
            releases: self.releases.clone(),
            ..fold.finish()
        }
    }

    /// The same with the range's days, a week earlier, as the period before.
    pub(crate) fn unchanged(self) -> Self {
        let earlier = |day: &DayFigures| DayFigures { day: day.day.minus(7), ..day.clone() };
        let previous: Vec<_> = self.days.iter().map(earlier).collect();
        let first = self.from;
        let mut history = self.history;
        history.retain(|day| day.day >= first);
        history.extend(previous.iter().cloned());
        Self { previous, history, ..self }
    }
}

/// The last covered day of the input.
pub(crate) const AS_OF: &str = "2026-11-29";

/// One tool's habits: calls a day and, of 100 of them, how many are not right the first time.
#[derive(Clone, Copy)]
pub(crate) struct Habit {
    pub(crate) service: &'static str,
    pub(crate) tool: &'static str,
    pub(crate) client: &'static str,
    pub(crate) calls: u64,
    /// Look-alikes among 100 calls: fan-out, paging, sweep.
    pub(crate) look_alikes: [u64; 3],
    /// Confirmed retries among 100 calls: after bad arguments, failure, empty, ok.
    pub(crate) confirmed: [u64; 4],
    /// From this many days before the last on, 26 more of 100 calls are asked again.
    pub(crate) falls_for: u32,
    pub(crate) latency_ms: u64,
}

const fn habit(service: &'static str, tool: &'static str, client: &'static str) -> Habit {
    Habit {
        service,
        tool,
        client,
        calls: 100,
        look_alikes: [0; 3],
        confirmed: [0; 4],
        falls_for: 0,
        latency_ms: 120,
    }
}

const ORDERS: &str = "orders";
const LEDGER: &str = "ledger";

/// What is called, by whom, and how it goes.
pub(crate) const HABITS: [Habit; 22] = [
    Habit {
        calls: 340,
        confirmed: [1, 1, 2, 12],
        falls_for: 4,
        latency_ms: 640,
        look_alikes: [6, 4, 3],
        ..habit(ORDERS, "search_orders", "Claude Code")
    },
    Habit {
        calls: 350,
        confirmed: [2, 1, 3, 6],
        look_alikes: [4, 3, 0],
        latency_ms: 520,
        ..habit(ORDERS, "search_orders", "Cursor")
    },
    Habit {
        calls: 320,
        confirmed: [2, 2, 4, 8],
        look_alikes: [4, 3, 0],
        latency_ms: 560,
        ..habit(ORDERS, "search_orders", "Codex")
    },
    Habit {
        calls: 80,
        confirmed: [1, 1, 3, 6],
        look_alikes: [3, 2, 0],
        latency_ms: 610,
        ..habit(ORDERS, "search_orders", "billing-agent")
    },
    Habit {
        calls: 220,
        confirmed: [0, 1, 0, 1],
        look_alikes: [1, 0, 0],
        latency_ms: 45,
        ..habit(ORDERS, "get_order", "Claude Code")
    },
    Habit {
        calls: 360,
        confirmed: [0, 1, 0, 2],
        look_alikes: [1, 0, 0],
        latency_ms: 48,
        ..habit(ORDERS, "get_order", "Cursor")
    },
    Habit {
        calls: 280,
        confirmed: [0, 0, 1, 1],
        latency_ms: 44,
        ..habit(ORDERS, "get_order", "Codex")
    },
    Habit {
        calls: 370,
        confirmed: [0, 2, 1, 1],
        look_alikes: [1, 0, 0],
        latency_ms: 51,
        ..habit(ORDERS, "get_order", "Copilot CLI")
    },
    Habit {
        calls: 44,
        confirmed: [5, 2, 1, 4],
        latency_ms: 800,
        ..habit(ORDERS, "create_refund", "Claude Code")
    },
    Habit {
        calls: 360,
        confirmed: [6, 3, 1, 4],
        latency_ms: 790,
        ..habit(ORDERS, "create_refund", "Cursor")
    },
    Habit { calls: 2, ..habit(ORDERS, "create_refund", "Codex") },
    Habit {
        calls: 320,
        confirmed: [0, 0, 1, 2],
        look_alikes: [3, 21, 2],
        latency_ms: 390,
        ..habit(LEDGER, "list_invoices", "Claude Code")
    },
    Habit {
        calls: 140,
        confirmed: [0, 0, 1, 2],
        look_alikes: [4, 18, 1],
        latency_ms: 402,
        ..habit(LEDGER, "list_invoices", "Cursor")
    },
    Habit {
        calls: 120,
        confirmed: [0, 1, 1, 2],
        look_alikes: [2, 24, 1],
        latency_ms: 377,
        ..habit(LEDGER, "list_invoices", "Codex")
    },
    Habit {
        calls: 280,
        confirmed: [1, 1, 6, 5],
        look_alikes: [4, 0, 21],
        latency_ms: 230,
        ..habit(ORDERS, "find_customer", "Claude Code")
    },
    Habit {
        calls: 320,
        confirmed: [1, 1, 4, 4],
        look_alikes: [3, 0, 21],
        latency_ms: 240,
        ..habit(ORDERS, "find_customer", "Cursor")
    },
    Habit {
        calls: 330,
        confirmed: [1, 2, 9, 9],
        look_alikes: [5, 0, 26],
        latency_ms: 250,
        ..habit(ORDERS, "find_customer", "Codex")
    },
    Habit { calls: 2, ..habit(ORDERS, "find_customer", "Copilot CLI") },
    Habit {
        calls: 31,
        confirmed: [28, 9, 3, 14],
        latency_ms: 22_000,
        ..habit(LEDGER, "export_ledger", "Claude Code")
    },
    Habit {
        calls: 40,
        confirmed: [26, 8, 2, 12],
        latency_ms: 24_000,
        ..habit(LEDGER, "export_ledger", "billing-agent")
    },
    Habit {
        calls: 45,
        confirmed: [0, 0, 0, 1],
        latency_ms: 180,
        ..habit(ORDERS, "send_receipt", "Claude Code")
    },
    Habit {
        calls: 100,
        confirmed: [0, 1, 0, 1],
        latency_ms: 175,
        ..habit(ORDERS, "send_receipt", "Cursor")
    },
];

/// Seven days to 29 November 2026, the seven before, and the charts' days back to 31 October.
pub(crate) fn usual() -> ReportDays {
    let to: Day = AS_OF.parse().unwrap();
    let from = to.minus(6);
    let all: Vec<DayFigures> = to
        .minus(36)
        .through(to)
        .filter(|day| ![14, 15].contains(&(to.number() - day.number())))
        .map(|day| day_figures(day, to.number() - day.number(), &HABITS))
        .collect();
    let within = |first: Day, last: Day| -> Vec<DayFigures> {
        all.iter().filter(|day| first <= day.day && day.day <= last).cloned().collect()
    };
    let late = all.iter().find(|day| day.day == to.minus(2)).unwrap();
    let shown = late.tools.iter().filter(|((tool, _), _)| tool.tool.as_str() != "send_receipt");
    let mut restated = RestatedDay::default();
    for ((tool, _), figures) in shown {
        restated.tools.entry(tool.clone()).or_default().add(ShownBefore::of(figures));
    }
    ReportDays {
        from,
        to,
        today: to.plus(1),
        as_of: Some(to),
        days: within(from, to),
        previous: within(from.minus(7), from.minus(1)),
        history: within(to.minus(29), to),
        restated: BTreeMap::from([(to.minus(2), restated)]),
        arrivals: arrivals(),
        has_calls_uncovered: true,
        offered: offered(),
        releases: BTreeMap::from([(to.minus(4), Name::cut("orders 2.3"))]),
    }
}

/// Three tools that are called, and two that never are.
fn offered() -> Vec<OfferedTool> {
    let tool = |service: Option<&str>, tool: &str, schema_bytes| OfferedTool {
        service: service.map(str::to_owned),
        tool: tool.to_owned(),
        schema_bytes,
    };
    vec![
        tool(Some(ORDERS), "search_orders", Some(1840)),
        tool(Some(ORDERS), "get_order", Some(412)),
        tool(None, "create_refund", None),
        tool(Some(LEDGER), "close_period", Some(2310)),
        tool(None, "merge_customers", None),
    ]
}

/// The same range with nothing in it.
pub(crate) fn empty() -> ReportDays {
    let to: Day = AS_OF.parse().unwrap();
    ReportDays {
        from: to.minus(6),
        to,
        today: to.plus(1),
        as_of: None,
        days: Vec::new(),
        previous: Vec::new(),
        history: Vec::new(),
        restated: BTreeMap::new(),
        arrivals: BTreeMap::new(),
        has_calls_uncovered: false,
        offered: Vec::new(),
        releases: BTreeMap::new(),
    }
}

/// One covered day with these figures and nothing before it.
pub(crate) fn one_day(
    tools: impl IntoIterator<Item = ((&'static str, &'static str), Figures)>,
) -> ReportDays {
    let to: Day = AS_OF.parse().unwrap();
    let tools = tools
        .into_iter()
        .map(|((tool, client), figures)| (pair_of("orders", tool, client), figures));
    let day = DayFigures { tools: tools.collect(), ..blank_day(to) };
    ReportDays {
        from: to,
        to,
        as_of: Some(to),
        days: vec![day.clone()],
        history: vec![day],
        ..empty()
    }
}

/// Names that try to break out of wherever they stand.
pub(crate) const HOSTILE: [&str; 21] = [
    "<script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)",
    "a|b|c",
    "`` ` ```",
    "`",
    "@octocat and @github/team",
    "#1 GH-2 owner/repo#3",
    "[link](https://example.com)",
    "![image](https://example.com/x.png)",
    "https://example.com www.example.com",
    "../../etc/passwd",
    "line\nbreak\r\n| --- |\n# heading",
    "\u{202e}gnirts\u{2066}",
    "=cmd|' /C calc'!A0",
    "{{ 7 * 7 }} {% raw %}",
    "-->\u{0}<!--",
    "",
    "  ",
    "\\| \\` \\",
    "日本語の道具 🛠️ ünïcödé",
];

/// Hostile names as tools, services, clients, parameters and senders, and one of 1,000 bytes.
pub(crate) fn hostile() -> ReportDays {
    let mut input = usual();
    let long = "x".repeat(1000);
    let names: Vec<&str> = HOSTILE.iter().copied().chain([long.as_str()]).collect();
    for days in [&mut input.days, &mut input.previous, &mut input.history] {
        for day in days {
            *day = hostile_day(day.day, &names);
        }
    }
    input.releases = input
        .to
        .minus(20)
        .through(input.to)
        .zip(names.iter().map(|name| Name::cut(name)))
        .collect();
    let arrival = input.arrivals.values().next().cloned().unwrap();
    let of_names = names.iter().zip(names.iter().rev());
    input.offered = of_names
        .map(|(name, other)| OfferedTool {
            service: Some(format!("{other} offered")),
            tool: (*name).to_owned(),
            schema_bytes: Some(900),
        })
        .collect();
    for name in names {
        let mut arrival = arrival.clone();
        arrival.kept.insert(Name::cut(name), 3);
        input.arrivals.insert(Name::cut(name), arrival);
    }
    input
}

fn hostile_day(day: Day, names: &[&str]) -> DayFigures {
    let mut figures = blank_day(day);
    for (position, name) in (0_u64..).zip(names) {
        let other = names[(usize::try_from(position).unwrap() + 1) % names.len()];
        let is_late = day >= AS_OF.parse::<Day>().unwrap().minus(6);
        let mut of_tool = counted(40 + position, &HABITS[0], if is_late { 0 } else { 9 });
        let count = RewordedCount { retries: of_tool.reworded_known, sessions: 30 };
        of_tool.reworded = BTreeMap::from([(Name::cut(name), count)]);
        let tool = ToolKey { service: Name::cut(other), tool: Name::cut(name) };
        let client = ClientName::new(Name::cut(name));
        figures.unknown_tool_calls.insert(client.clone(), 2);
        figures.sessions.insert(client.clone(), sessions(90, 89, 1));
        figures.tools.insert((tool.clone(), client), of_tool);
        let next = ToolKey { service: Name::cut(name), tool: Name::cut(other) };
        figures.pairs.insert(PairKey { first: tool, next }, 39);
    }
    figures
}

pub(crate) fn pair_of(service: &str, tool: &str, client: &str) -> (ToolKey, ClientName) {
    let tool = ToolKey { service: Name::cut(service), tool: Name::cut(tool) };
    (tool, ClientName::new(Name::cut(client)))
}

/// A covered day on which nothing was called.
pub(crate) fn blank_day(day: Day) -> DayFigures {
    DayFigures {
        day,
        tools: BTreeMap::new(),
        unknown_tool_calls: BTreeMap::new(),
        pairs: BTreeMap::new(),
        sessions: BTreeMap::new(),
        quality: QualityCounts::default(),
    }
}

/// A day, `ago` days before the last one.
pub(crate) fn day_figures(day: Day, ago: u32, habits: &[Habit]) -> DayFigures {
    let mut figures = blank_day(day);
    for habit in habits {
        // Fewer calls at the weekend, and a little more or less from day to day.
        let weekday = if ago % 7 < 2 { 2 } else { 3 };
        let calls = (habit.calls * weekday / 3) * (92 + u64::from(ago * 5 % 17)) / 100;
        let key = pair_of(habit.service, habit.tool, habit.client);
        figures.tools.insert(key, counted(calls.max(1), habit, ago));
    }
    let mut blind = Figures { calls: 40, repeats: 3, ..Figures::default() };
    blind.unjudged.add(UnjudgedReason::NoArgsHash, 40);
    blind.grades.add(SessionGrade::E, 12);
    blind.grades.add(SessionGrade::C, 28);
    blind.outcomes.add(Outcome::Ok, 40);
    (0..40).for_each(|_| blind.latency.record(90_000_000));
    figures.tools.insert(pair_of("orders", "update_address", "unknown"), blind);
    if ago > 7 {
        // A tool that vanished.
        figures
            .tools
            .insert(pair_of("ledger", "old_report", "Cursor"), counted(30, &HABITS[20], 9));
    }
    for client in ["Claude Code", "Cursor", "Codex", "Copilot CLI", "billing-agent"] {
        let client = ClientName::new(Name::cut(client));
        figures.sessions.insert(client, sessions(180, 40, 0));
    }
    figures.sessions.insert(ClientName::unknown(), sessions(60, 59, 1));
    figures.unknown_tool_calls.insert(ClientName::new(Name::cut("Codex")), 4);
    let search = pair_of("orders", "search_orders", "").0;
    let get = pair_of("orders", "get_order", "").0;
    let refund = pair_of("orders", "create_refund", "").0;
    let receipt = pair_of("orders", "send_receipt", "").0;
    figures.pairs.insert(PairKey { first: search, next: get.clone() }, 300);
    figures.pairs.insert(PairKey { first: get, next: refund.clone() }, 120);
    figures.pairs.insert(PairKey { first: refund, next: receipt }, 210);
    figures.quality = QualityCounts {
        sightings: 6200,
        duplicates: 41,
        folded: 2300,
        late: if ago == 2 { 214 } else { 0 },
        sampled: 0,
        unnamed: 5,
    };
    figures
}

fn sessions(total: u64, single_call: u64, shared: u64) -> SessionCounts {
    let mut counts = SessionCounts { single_call, shared, ..SessionCounts::default() };
    counts.sessions.add(SessionGrade::A, total - total / 10);
    counts.sessions.add(SessionGrade::C, total / 10);
    counts
}

/// The figures of `calls` calls by a habit, `ago` days before the last.
pub(crate) fn counted(calls: u64, habit: &Habit, ago: u32) -> Figures {
    let of = |hundredths: u64| calls * hundredths / 100;
    let [fan_out, paging, sweep] = habit.look_alikes.map(of);
    let [bad_args, failure, empty, mut ok] = habit.confirmed.map(of);
    if ago < habit.falls_for {
        ok += of(26);
    }
    let look_alikes = fan_out + paging + sweep;
    let confirmed = bad_args + failure + empty + ok;
    let mut figures = Figures {
        calls,
        judged: calls,
        retried: look_alikes + confirmed,
        first_call_successes: calls - look_alikes - confirmed,
        confirmed_first_call_successes: calls - confirmed,
        empty,
        emptiness_known: (calls - bad_args - failure) * 9 / 10,
        empty_reworded: empty,
        repeats: of(3),
        retry_chains: confirmed / 2,
        usable_chains: confirmed / 3,
        extra_attempts: confirmed / 3 * 12 / 5,
        abandoned_chains: confirmed / 2 - confirmed / 3,
        last_words: calls / 2,
        last_word_failed: (bad_args + failure) / 4,
        unclassified: ok / 9,
        reworded_known: confirmed,
        sessions: calls.div_ceil(3),
        ..Figures::default()
    };
    let classes = [
        (RetryClass::FanOut, fan_out),
        (RetryClass::Paging, paging),
        (RetryClass::Sweep, sweep),
        (RetryClass::AfterBadArgs, bad_args),
        (RetryClass::AfterFailure, failure),
        (RetryClass::AfterEmpty, empty),
        (RetryClass::AfterOk, ok),
    ];
    for (class, times) in classes {
        figures.retry_classes.add(class, times);
    }
    figures.outcomes.add(Outcome::BadArgs, bad_args);
    figures.outcomes.add(Outcome::ToolError, failure - failure / 3);
    figures.outcomes.add(Outcome::Timeout, failure / 3);
    figures.outcomes.add(Outcome::Ok, calls - bad_args - failure);
    figures.grades.add(SessionGrade::A, calls - of(6));
    figures.grades.add(SessionGrade::C, of(6));
    let parameters = [("customer_ref", 83), ("status", 21), ("limit", 9)];
    for (name, share) in parameters {
        let retries = confirmed * share / 100;
        figures.reworded.insert(Name::cut(name), RewordedCount { retries, sessions: retries });
    }
    for call in 0..calls {
        // From half to three times the habit, most of them near it.
        let spread = [50, 70, 80, 90, 95, 100, 105, 110, 130, 160, 220, 300];
        let percent = spread[usize::try_from((call * 7) % 12).unwrap()];
        figures.latency.record(habit.latency_ms * 10_000 * percent);
        figures.result_sizes.record(900 + call * 13 % 4000);
        figures.result_bytes += 900 + call * 13 % 4000;
    }
    figures
}

fn arrivals() -> BTreeMap<Name, ArrivalCounts> {
    let mut orders = ArrivalCounts {
        requests: 1820,
        spans: 96_400,
        kept: BTreeMap::from([(Name::cut("mcp_server"), 31_000), (Name::cut("plain"), 1_204)]),
        not_calls: BTreeMap::from([(Name::cut("tool_list"), 412)]),
        ..ArrivalCounts::default()
    };
    orders.refused.add(firstcall::figures::Refusal::NoToolName, 3);
    orders.repaired.add(firstcall::call::Repair::EndBeforeStart, 2);
    BTreeMap::from([
        (Name::cut("orders"), orders.clone()),
        (Name::cut(""), ArrivalCounts { requests: 12, spans: 40, ..ArrivalCounts::default() }),
    ])
}

/// The first habit of this tool.
pub(crate) fn habit_of(tool: &str) -> Habit {
    *HABITS.iter().find(|habit| habit.tool == tool).unwrap()
}
