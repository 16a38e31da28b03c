//! What the figures were made of: the strip on the overview, and the data-quality page.

use super::facts::Facts;
use super::figures_text::{self, CountRow};
use super::frame::{Frame, Night};
use super::grid::{ClientLabel, clients_by_calls};
use crate::call::{Day, SessionGrade};
use crate::figures::format::{count, counted, plural, share, share_in_column};
use crate::figures::{ArrivalCounts, Counts, SessionCounts};
use crate::report::{dates, names};

/// One item of the strip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StripItem {
    /// What it is.
    pub term: &'static str,
    /// Its value.
    pub value: String,
    /// What stands behind the value.
    pub rest: String,
    /// Whether it is worth a look.
    pub is_doubtful: bool,
    /// Why the verdict is to be read with care, as a part of a sentence; none where it stands.
    pub doubt: Option<String>,
}

/// The data-quality strip; empty where no day is covered.
pub fn strip(facts: &Facts<'_>) -> Vec<StripItem> {
    if facts.now.covered.is_empty() {
        return Vec::new();
    }
    vec![sessions(facts), judged(facts), emptiness(facts), sampling(facts), late(facts)]
}

fn sessions(facts: &Facts<'_>) -> StripItem {
    let grades = &facts.now.overall.grades;
    let total = grades.total();
    let of = |grade| share(grades.get(grade), total);
    let best = SessionGrade::ALL
        .iter()
        .copied()
        .max_by_key(|grade| (grades.get(*grade), std::cmp::Reverse(*grade)));
    let mut rest: Vec<String> = SessionGrade::ALL
        .iter()
        .filter(|grade| Some(**grade) != best && grades.get(**grade) > 0)
        .filter_map(|grade| Some(format!("{} {}", of(*grade)?, grade_words(*grade))))
        .take(2)
        .collect();
    let fragmented = facts.now.fragmented_clients().count() as u64;
    let shared = facts.now.all_sessions().shared;
    if fragmented > 0 {
        rest.push(format!("fragmented in {}", counted(fragmented, "client", "clients")));
    }
    if shared > 0 {
        rest.push(format!("{} shared", counted(shared, "key", "keys")));
    }
    let value = best.and_then(|grade| Some(format!("{} {}", of(grade)?, grade_words(grade))));
    let is_unreal = matches!(best, Some(SessionGrade::D | SessionGrade::E)) && total > 0;
    let doubt = if is_unreal {
        Some("most calls have no session that the telemetry names".to_owned())
    } else {
        unreal_sessions(facts)
    };
    StripItem {
        term: "Sessions",
        value: value.unwrap_or_else(|| "none".to_owned()),
        rest: rest.join(", "),
        is_doubtful: fragmented + shared > 0 || is_unreal,
        doubt,
    }
}

/// A tenth of the calls or of the sessions, from which on the verdict may rest on what is wrong
/// with them.
const fn is_a_tenth(part: u64, whole: u64) -> bool {
    part > 0 && part.saturating_mul(10) >= whole
}

fn unreal_sessions(facts: &Facts<'_>) -> Option<String> {
    let calls = |client| facts.client(client).calls;
    let fragmented: u64 = facts.now.fragmented_clients().map(calls).sum();
    if is_a_tenth(fragmented, facts.now.overall.calls) {
        let share = share(fragmented, facts.now.overall.calls).unwrap_or_default();
        return Some(format!(
            "{share} of the calls are of clients that open a session for every request, where \
             retries cannot be seen"
        ));
    }
    let sessions = facts.now.all_sessions();
    is_a_tenth(sessions.shared, sessions.sessions.total()).then(|| {
        let keys = counted(sessions.shared, "session key is", "session keys are");
        format!("{keys} shared by several conversations")
    })
}

/// How well a session is known, in words.
pub const fn grade_words(grade: SessionGrade) -> &'static str {
    match grade {
        SessionGrade::A => "conversation",
        SessionGrade::B => "transport",
        SessionGrade::C => "trace",
        SessionGrade::D => "inferred",
        SessionGrade::E => "none",
    }
}

fn judged(facts: &Facts<'_>) -> StripItem {
    let overall = &facts.now.overall;
    let most = overall.unjudged.iter().max_by_key(|(_, times)| *times);
    let rest = match most.filter(|(_, times)| *times > 0) {
        Some(_) => {
            let most = if overall.judged == 0 { ":" } else { "; most others:" };
            format!("{most} {}", super::rate_text::main_reason(overall))
        }
        None => String::new(),
    };
    StripItem {
        term: "Judged",
        value: count(overall.judged),
        rest: format!("of {}{rest}", counted(overall.calls, "call", "calls")),
        is_doubtful: overall.judged * 2 < overall.calls,
        doubt: (overall.judged * 2 < overall.calls)
            .then(|| "fewer than half of the calls could be judged".to_owned()),
    }
}

fn emptiness(facts: &Facts<'_>) -> StripItem {
    let overall = &facts.now.overall;
    let ok = overall.outcomes.get(crate::call::Outcome::Ok);
    let low = overall.ok_low_confidence;
    StripItem {
        term: "Emptiness known",
        value: share(overall.emptiness_known, ok).unwrap_or_else(|| "no good answer".to_owned()),
        rest: if low == 0 {
            String::new()
        } else {
            let answers = counted(low, "good answer", "good answers");
            format!("{answers} may hide a failure{}", of_clients(facts))
        },
        is_doubtful: overall.emptiness_known * 2 < ok,
        doubt: (overall.emptiness_known * 2 < ok)
            .then(|| "of most good answers it is not known whether they were empty".to_owned()),
    }
}

/// For which clients, those with the most such answers first.
fn of_clients(facts: &Facts<'_>) -> String {
    let low = |client: &&crate::call::ClientName| {
        facts.now.clients.get(*client).map_or(0, |figures| figures.ok_low_confidence)
    };
    let mut clients: Vec<_> = facts.now.clients.keys().filter(|client| low(client) > 0).collect();
    clients.sort_by_key(|client| std::cmp::Reverse(low(client)));
    let named: Vec<String> =
        clients.iter().take(MAX_NAMED).map(|client| names::shown(client.as_str())).collect();
    match (named.as_slice(), clients.len().saturating_sub(MAX_NAMED)) {
        ([], _) => String::new(),
        (named, 0) => format!(": {}", named.join(", ")),
        (named, more) => format!(": {} and {more} more", named.join(", ")),
    }
}

fn sampling(facts: &Facts<'_>) -> StripItem {
    let sampled = facts.now.overall.sampled.max(facts.now.quality.sampled);
    StripItem {
        term: "Sampling",
        value: if sampled == 0 { "none seen".to_owned() } else { count(sampled) },
        rest: if sampled == 0 {
            String::new()
        } else {
            format!(
                "{} marked; a follow-up may be missing",
                plural(sampled, "call is", "calls are")
            )
        },
        is_doubtful: sampled > 0,
        doubt: (sampled > 0)
            .then(|| "the input is sampled, so a follow-up may be missing".to_owned()),
    }
}

fn late(facts: &Facts<'_>) -> StripItem {
    let late = facts.now.quality.late;
    let restated: Vec<String> = facts.restated_days().map(dates::short).collect();
    let rest = match restated.as_slice() {
        [] => String::new(),
        [one] => format!("{one} restated"),
        [first, .., last] if restated.len() > 3 => {
            format!("{} days restated, {first} to {last}", restated.len())
        }
        days => format!("{} restated", days.join(", ")),
    };
    StripItem {
        term: "Late",
        value: if late == 0 { "none".to_owned() } else { counted(late, "call", "calls") },
        rest,
        is_doubtful: false,
        doubt: None,
    }
}

/// What the data-quality page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QualityPage {
    /// The frame.
    pub frame: Frame,
    /// The strip.
    pub strip: Vec<StripItem>,
    /// Every day of the range.
    pub days: Vec<DayRow>,
    /// Sessions per client.
    pub sessions: Vec<SessionRow>,
    /// Why calls were not judged.
    pub unjudged: Vec<CountRow>,
    /// What arrived, by emitter.
    pub emitters: Vec<EmitterRow>,
    /// What was folded and doubled.
    pub counts: Vec<CountRow>,
}

/// One day of the range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayRow {
    /// The day in words.
    pub day: String,
    /// Its page; none where it is not covered.
    pub night: Option<Night>,
    /// What is known of it: `covered`, `restated`, `not covered`.
    pub state: &'static str,
    /// Its calls; empty where it is not covered.
    pub calls: String,
    /// Calls that arrived after it was covered.
    pub late: String,
}

/// The sessions of one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// The client.
    pub client: ClientLabel,
    /// How many sessions.
    pub total: String,
    /// How many of each grade from A to D.
    pub grades: Vec<String>,
    /// How many hold one call.
    pub single: String,
    /// Keys that several conversations share.
    pub shared: String,
    /// What is wrong with them, in words; empty where nothing is.
    pub sign: &'static str,
}

/// What one emitter sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmitterRow {
    /// Its name as it is shown.
    pub name: String,
    /// Export requests.
    pub requests: String,
    /// Spans in them.
    pub spans: String,
    /// Tool calls among them.
    pub kept: String,
    /// By dialect, in words.
    pub dialects: String,
    /// What looked like a call and was none, in words.
    pub not_calls: String,
    /// What was refused, in words.
    pub refused: String,
    /// What was mended, in words.
    pub repaired: String,
}

/// The grades that have sessions.
pub const SESSION_GRADES: [SessionGrade; 4] =
    [SessionGrade::A, SessionGrade::B, SessionGrade::C, SessionGrade::D];

/// The data-quality page of these facts.
pub fn quality_page(facts: &Facts<'_>) -> QualityPage {
    let none = SessionCounts::default();
    let sessions = clients_by_calls(facts)
        .into_iter()
        .map(|client| session_row(facts, client, facts.now.sessions.get(client).unwrap_or(&none)))
        .collect();
    QualityPage {
        frame: Frame::top(facts, "Data quality"),
        strip: strip(facts),
        days: days(facts),
        sessions,
        unjudged: figures_text::unjudged(&facts.now.overall),
        emitters: facts.input.arrivals.iter().map(|(name, counts)| emitter(name, counts)).collect(),
        counts: sightings(facts),
    }
}

/// The most clients that are named in one line.
const MAX_NAMED: usize = 5;

/// The most days that are listed; a longer range lists its last ones.
const DAYS: u32 = 100;

fn days(facts: &Facts<'_>) -> Vec<DayRow> {
    let (from, to) = (facts.dates.from, facts.dates.to);
    from.max(to.minus(DAYS - 1)).through(to).rev().map(|day| day_row(facts, day)).collect()
}

fn day_row(facts: &Facts<'_>, day: Day) -> DayRow {
    let found = facts.night(day);
    DayRow {
        day: dates::long(day),
        night: found.map(|_| Night::of(day)),
        state: match found {
            None => "not covered",
            Some(night) if night.restated.is_none() => "covered",
            Some(_) => "restated",
        },
        calls: found.map_or_else(String::new, |night| count(night.all.counts().calls)),
        late: found.map_or_else(String::new, |night| count(night.late)),
    }
}

fn session_row(
    facts: &Facts<'_>,
    client: &crate::call::ClientName,
    counts: &SessionCounts,
) -> SessionRow {
    SessionRow {
        client: ClientLabel::of(facts, client),
        total: count(counts.sessions.total()),
        grades: SESSION_GRADES.iter().map(|grade| count(counts.sessions.get(*grade))).collect(),
        single: count(counts.single_call),
        shared: count(counts.shared),
        sign: match (counts.is_fragmented(), counts.shared > 0) {
            (true, true) => "fragmented, shared",
            (true, false) => "fragmented",
            (false, true) => "shared",
            (false, false) => "",
        },
    }
}

fn sightings(facts: &Facts<'_>) -> Vec<CountRow> {
    let quality = &facts.now.quality;
    let row = |label: &str, times: u64| CountRow {
        label: label.to_owned(),
        count: count(times),
        share: share_in_column(times, quality.sightings).unwrap_or_default(),
    };
    vec![
        row("sightings of calls", quality.sightings),
        row("seen twice, counted once", quality.duplicates),
        row("folded into another sighting's call", quality.folded),
        row("of calls whose tool nothing named", quality.unnamed),
        row("of calls that arrived late", quality.late),
        row("with a sampling mark", quality.sampled),
    ]
}

fn emitter(name: &crate::call::Name, counts: &ArrivalCounts) -> EmitterRow {
    let by_name = |names: &std::collections::BTreeMap<crate::call::Name, u64>| {
        let texts = names
            .iter()
            .map(|(name, times)| format!("{} {}", names::shown(name.as_str()), count(*times)));
        texts.collect::<Vec<_>>().join(", ")
    };
    EmitterRow {
        name: if name.as_str().is_empty() {
            "no service.name".to_owned()
        } else {
            names::shown(name.as_str())
        },
        requests: count(counts.requests),
        spans: count(counts.spans),
        kept: count(counts.kept.values().sum()),
        dialects: by_name(&counts.kept),
        not_calls: by_name(&counts.not_calls),
        refused: by_word(&counts.refused),
        repaired: by_word(&counts.repaired),
    }
}

fn by_word<W: crate::figures::counts::Word>(counts: &Counts<W>) -> String {
    let texts = counts
        .iter()
        .filter(|(_, times)| *times > 0)
        .map(|(word, times)| format!("{} {}", word.text().replace('_', " "), count(times)));
    texts.collect::<Vec<_>>().join(", ")
}
