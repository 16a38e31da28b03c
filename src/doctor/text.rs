//! The diagnosis as one screen.

use super::point::{Point, Shortfall};
use super::remedies::{NO_TOOL_CALLS, ONLY_METRICS, Remedy, refusal};
use super::screen::{Look, Paint, Screen, fitted, look_of, percent, wrapped};
use super::{Diagnosis, DialectReport, ServiceReport, SourceReport};
use crate::call::{Name, SessionGrade, UnixNanos};
use crate::figures::format::{count, counted};
use crate::figures::{RecordKind, Refusal};

/// What is to be mended that is told in the screen; the rest is in the JSON.
const TOLD: usize = 6;
/// Sources without calls that are named.
const NAMED: usize = 3;

/// The screen, with colours or without.
pub fn text(diagnosis: &Diagnosis, has_colours: bool) -> String {
    let paint = Paint(has_colours);
    let mut screen = Screen::default();
    table(&mut screen, paint, diagnosis);
    to_mend(&mut screen, paint, diagnosis);
    screen.into_text()
}

/// An instant to the minute: `2026-11-30 20:00 UTC`.
pub fn time(instant: UnixNanos) -> String {
    let minutes = instant.get() / 60_000_000_000 % 1440;
    format!("{} {:02}:{:02} UTC", instant.day(), minutes / 60, minutes % 60)
}

fn heading(screen: &mut Screen, paint: Paint) {
    let line = format!(
        "{:<32}{:>9}{:>8} {:>6} {:>6}  {:<8}{:>6}",
        "service, dialect", "seen", "calls", "hash", "empty", "session", "doubt"
    );
    screen.line(&paint.text(Look::Faint, &line));
}

fn table(screen: &mut Screen, paint: Paint, diagnosis: &Diagnosis) {
    heading(screen, paint);
    for service in &diagnosis.services {
        let name = service.name.as_str();
        let name = match (name.is_empty(), service.has_metrics_only()) {
            (true, true) => "requests of metrics, dropped".to_owned(),
            (true, false) => "(no service.name)".to_owned(),
            (false, _) => fitted(name, 31),
        };
        let line = format!(
            "{}{:>9}{:>8}",
            paint.text(Look::Strong, &format!("{name:<32}")),
            count(service.seen()),
            count(service.calls()),
        );
        screen.line(&line);
        let (with_calls, without): (Vec<_>, Vec<_>) =
            service.sources.iter().partition(|source| source.has_calls());
        for source in &with_calls {
            let is_same = |name: &Name| {
                let all = with_calls.iter().flat_map(|source| &source.dialects);
                all.filter(|each| each.dialect == *name).count() > 1
            };
            of_source(screen, paint, source, is_same);
        }
        if !service.has_metrics_only() {
            of_sources_without_calls(screen, paint, &without);
        }
    }
    if diagnosis.others.seen > 0 {
        let seen = counted(diagnosis.others.seen, "record", "records");
        let line = format!("{seen} more of services and scopes too many to tell apart");
        screen.line(&paint.text(Look::Faint, &line));
    }
    screen.gap();
    let legend = "hash: calls with a hash of their arguments. empty: good answers of which it is \
                  known whether they were empty. session: A conversation, B transport, C trace, \
                  E none. doubt: good outcomes that may hide a failure.";
    screen.paragraph(paint, Look::Faint, 0, legend);
    if diagnosis.examined.read < diagnosis.examined.there {
        let (read, there) = (count(diagnosis.examined.read), count(diagnosis.examined.there));
        screen.line(&format!("Looked at the latest {read} calls of {there}."));
    }
    if let Some(damage) = &diagnosis.damage {
        let told = format!("Not everything could be read: {}", crate::call::hidden::plain(damage));
        screen.paragraph(paint, Look::Bad, 0, &told);
    }
}

/// The lines of a source; a dialect that several have is told with what their scopes end in.
fn of_source(
    screen: &mut Screen,
    paint: Paint,
    source: &SourceReport,
    is_in_several: impl Fn(&Name) -> bool,
) {
    for (place, dialect) in source.dialects.iter().enumerate() {
        let DialectReport { dialect, counts, .. } = dialect;
        let scope = source.scope.as_str().rsplit(['.', '/']).next().unwrap_or_default();
        let name = if is_in_several(dialect) {
            fitted(&format!("{dialect} by {scope}"), 29)
        } else {
            fitted(dialect.as_str(), 29)
        };
        let seen = if place == 0 { count(source.counts.seen) } else { "\"".to_owned() };
        let of_calls = |part| (percent(part, counts.calls), look_of(part, counts.calls));
        let (hash, hash_look) = of_calls(counts.calls - counts.without_arguments);
        let known = counts.ok - counts.without_emptiness;
        let (empty, empty_look) = (percent(known, counts.ok), look_of(known, counts.ok));
        let (session, session_look) = session(dialect_grades(counts));
        let doubt = percent(counts.low_confidence, counts.ok);
        let doubt_look = if counts.low_confidence > 0 { Look::Bad } else { Look::Good };
        let line = format!(
            "  {name:<30}{seen:>9}{:>8} {} {}  {}{}",
            count(counts.calls),
            paint.text(hash_look, &format!("{hash:>6}")),
            paint.text(empty_look, &format!("{empty:>6}")),
            paint.text(session_look, &format!("{session:<8}")),
            paint.text(doubt_look, &format!("{doubt:>6}")),
        );
        screen.line(&line);
    }
    for (dialect, kept) in source.not_looked_at() {
        let name = fitted(dialect.as_str(), 29);
        let line = format!("  {name:<30}{:>9}{:>8}  not looked at", "\"", count(kept));
        screen.line(&paint.text(Look::Faint, &line));
    }
    let of = |what: &str, told: Vec<String>| {
        (!told.is_empty()).then(|| format!("{what}: {}", told.join(", ")))
    };
    let not_calls = source.counts.not_calls.iter();
    let not_calls = not_calls.map(|(why, times)| format!("{} {why}", count(*times))).collect();
    let refused = source.counts.refused.iter().filter(|(_, times)| *times > 0);
    let refused = refused.map(|(why, times)| format!("{} {why}", count(times))).collect();
    let marks = [
        ("sampled", source.dialects.iter().map(|each| each.counts.sampled).sum::<u64>()),
        ("twice", source.dialects.iter().map(|each| each.counts.duplicates).sum()),
    ];
    let marks = marks.iter().filter(|(_, times)| *times > 0);
    let marks = marks.map(|(what, times)| format!("{} {what}", count(*times))).collect();
    let notes = [of("no calls", not_calls), of("refused", refused), of("came", marks)];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    if !notes.is_empty() {
        screen.paragraph(paint, Look::Faint, 4, &notes.join("; "));
    }
}

fn of_sources_without_calls(screen: &mut Screen, paint: Paint, sources: &[&SourceReport]) {
    let seen: u64 = sources.iter().map(|source| source.counts.seen).sum();
    if seen == 0 {
        return;
    }
    let name = |source: &SourceReport| {
        let scope = source.scope.as_str();
        match source.kind {
            RecordKind::Metric => "metrics".to_owned(),
            _ if scope.is_empty() => "(no scope)".to_owned(),
            _ => fitted(scope, 34),
        }
    };
    let mut names: Vec<String> = sources.iter().take(NAMED).map(|source| name(source)).collect();
    if sources.len() > NAMED {
        names.push(format!("{} more", sources.len() - NAMED));
    }
    let all = if sources.len() == 1 { names.join("") } else { format!("{} scopes", sources.len()) };
    let label = fitted(&format!("no calls: {all}"), 29);
    screen.line(&paint.text(Look::Faint, &format!("  {label:<30}{:>9}", count(seen))));
    if sources.len() > 1 {
        screen.paragraph(paint, Look::Faint, 4, &names.join(", "));
    }
    let mut not_calls = std::collections::BTreeMap::new();
    for (why, times) in sources.iter().flat_map(|source| &source.counts.not_calls) {
        *not_calls.entry(why.clone()).or_insert(0_u64) += times;
    }
    if !not_calls.is_empty() {
        let told: Vec<_> =
            not_calls.iter().map(|(why, times)| format!("{} {why}", count(*times))).collect();
        let told = format!("look like calls and are none: {}", told.join(", "));
        screen.paragraph(paint, Look::Faint, 4, &told);
    }
}

/// The share of each grade, the best first, with what the rest of a trace tells.
fn dialect_grades(counts: &super::DialectCounts) -> [(SessionGrade, u64); 4] {
    let of = |grade| counts.grades_in_trace.get(grade);
    [
        (SessionGrade::A, of(SessionGrade::A)),
        (SessionGrade::B, of(SessionGrade::B)),
        (SessionGrade::C, of(SessionGrade::C)),
        (SessionGrade::E, of(SessionGrade::E)),
    ]
}

/// The grade of most calls, with a plus where others are better or worse.
fn session(grades: [(SessionGrade, u64); 4]) -> (String, Look) {
    let total: u64 = grades.iter().map(|(_, calls)| calls).sum();
    let Some((grade, calls)) = grades.into_iter().max_by_key(|(_, calls)| *calls) else {
        return ("-".to_owned(), Look::Faint);
    };
    let look = match grade {
        SessionGrade::A => Look::Good,
        SessionGrade::B | SessionGrade::C | SessionGrade::D => Look::Middling,
        SessionGrade::E => Look::Bad,
    };
    let letter = grade.word().to_uppercase();
    if calls == total {
        (letter, look)
    } else {
        (format!("{letter} {}", percent(calls, total)), look)
    }
}

/// One thing to mend: what is wrong, and the lines.
struct Mend {
    rank: usize,
    calls: u64,
    /// Dialects with their services; without a dialect the services alone.
    of: Vec<(String, Vec<String>)>,
    sentence: String,
    remedy: Remedy,
}

fn to_mend(screen: &mut Screen, paint: Paint, diagnosis: &Diagnosis) {
    let mends = mends(diagnosis);
    screen.gap();
    if mends.is_empty() {
        screen.line(&paint.text(Look::Good, "Nothing to mend: these calls can be judged."));
        return;
    }
    screen.line(&paint.text(Look::Strong, "To mend, the gravest first"));
    let total = mends.len();
    for (number, mend) in mends.into_iter().take(TOLD).enumerate() {
        let who = mend.of.iter().map(who).collect::<Vec<_>>().join("; ");
        let told = format!("{who}: {}", mend.sentence);
        for (place, line) in wrapped(3, &told).iter().enumerate() {
            let line = if place == 0 {
                format!("{:>2} {}", number + 1, line.trim_start())
            } else {
                line.clone()
            };
            screen.line(&line);
        }
        screen.line(&paint.text(Look::Faint, &format!("   {}:", mend.remedy.place)));
        for line in mend.remedy.lines {
            screen.line(&format!("     {line}"));
        }
    }
    if total > TOLD {
        let told = format!("{} more in `firstcall doctor --json`", total - TOLD);
        screen.line(&paint.text(Look::Faint, &told));
    }
    let told = "docs/instrumentation.md has the settings of every instrumentation.";
    screen.line(&paint.text(Look::Faint, told));
}

/// A dialect with its services, the first few of them.
fn who((dialect, services): &(String, Vec<String>)) -> String {
    const NAMED: usize = 2;
    let more = services.len().saturating_sub(NAMED);
    let mut of = services.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if more > 0 {
        of = format!("{of} and {more} more");
    }
    if dialect.is_empty() { of } else { format!("{dialect} of {of}") }
}

/// Everything to mend: what the same lines mend once, whatever it is in.
fn mends(diagnosis: &Diagnosis) -> Vec<Mend> {
    let mut mends: Vec<Mend> = Vec::new();
    for service in &diagnosis.services {
        let name = shown(service);
        for source in &service.sources {
            for dialect in &source.dialects {
                for short in &dialect.shortfalls {
                    add(&mut mends, &name, dialect.dialect.as_str(), short);
                }
            }
        }
        // Beside spans or log records of any program metrics say nothing.
        let has_others = diagnosis.services.iter().any(|each| !each.has_metrics_only());
        if !(has_others && service.has_metrics_only()) {
            mends.extend(of_service(service, &name));
        }
    }
    for mend in &mut mends {
        mend.sentence = mend.sentence.replace("{n}", &count(mend.calls));
    }
    let refused = diagnosis.refused();
    mends.extend(
        refused
            .iter()
            .filter(|(_, times)| *times > 0)
            .map(|(reason, times)| of_refusal(reason, times)),
    );
    mends.sort_by(|a, b| (a.rank, b.calls, &a.of).cmp(&(b.rank, a.calls, &b.of)));
    mends
}

fn shown(service: &ServiceReport) -> String {
    let name = service.name.as_str();
    if name.is_empty() { "a program without service.name".to_owned() } else { fitted(name, 40) }
}

fn add(mends: &mut Vec<Mend>, service: &str, dialect: &str, short: &Shortfall) {
    let rank = 2 + usize::from(short.point.index());
    let same = mends.iter_mut().find(|mend| mend.rank == rank && mend.remedy == short.remedy);
    let (service, dialect) = (service.to_owned(), fitted(dialect, 30));
    let Some(mend) = same else {
        mends.push(Mend {
            rank,
            calls: short.lacking,
            of: vec![(dialect, vec![service])],
            sentence: sentence(short.point).to_owned(),
            remedy: short.remedy,
        });
        return;
    };
    mend.calls += short.lacking;
    match mend.of.iter_mut().find(|(each, _)| *each == dialect) {
        Some((_, services)) if services.contains(&service) => {}
        Some((_, services)) => services.push(service),
        None => mend.of.push((dialect, vec![service])),
    }
}

const fn sentence(point: Point) -> &'static str {
    match point {
        Point::ArgsHash => "{n} calls without a hash of their arguments; they are not judged.",
        Point::NoSession => "{n} calls without a session; they are not judged.",
        Point::Sampled => "{n} calls with a mark of sampling; their retries may be missing.",
        Point::LowConfidence => "{n} good outcomes that may hide a failure.",
        Point::Emptiness => "{n} good answers of which it is not known whether they were empty.",
        Point::OnlyTrace => {
            "{n} calls with no session but their trace; a retry in the next turn is not seen."
        }
        Point::ArgsHidden => "{n} calls with arguments cut or redacted; equal ones prove nothing.",
        Point::Twice => "{n} calls came more than once; they are counted once.",
    }
}

fn of_service(service: &ServiceReport, name: &str) -> Option<Mend> {
    if service.has_calls() || service.seen() == 0 {
        return None;
    }
    let (sentence, remedy) = if service.has_metrics_only() {
        ("only metrics come; tool calls are in its spans or logs.", ONLY_METRICS)
    } else {
        ("none of what it sends is a tool call; its tools may have no spans.", NO_TOOL_CALLS)
    };
    Some(Mend {
        rank: 1,
        calls: service.seen(),
        of: vec![(String::new(), vec![name.to_owned()])],
        sentence: sentence.to_owned(),
        remedy,
    })
}

fn of_refusal(reason: Refusal, times: u64) -> Mend {
    Mend {
        rank: 0,
        calls: times,
        of: vec![(String::new(), vec![format!("{} refused", counted(times, "call", "calls"))])],
        sentence: format!("{reason}."),
        remedy: refusal(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::super::point::shortfalls;
    use super::super::{Diagnosis, DialectCounts};
    use super::*;
    use crate::figures::{Counts, SourceCounts};

    fn dialect(name: &str, lacking: u64) -> DialectReport {
        let mut grades = Counts::default();
        grades.add(SessionGrade::E, lacking);
        let counts = DialectCounts {
            calls: lacking,
            without_arguments: lacking,
            grades_in_trace: grades,
            ..DialectCounts::default()
        };
        let shortfalls = shortfalls(name, &counts);
        DialectReport { dialect: Name::cut(name), counts, shortfalls }
    }

    fn source(
        kind: RecordKind,
        seen: u64,
        kept: u64,
        dialects: Vec<DialectReport>,
    ) -> SourceReport {
        let mut counts = SourceCounts { seen, ..SourceCounts::default() };
        if kept > 0 {
            counts.kept.insert(Name::cut("an_older_dialect"), kept);
        }
        SourceReport { scope: Name::cut("a scope"), kind, counts, dialects }
    }

    fn screen(services: Vec<(&str, SourceReport)>) -> String {
        let services = services
            .into_iter()
            .map(|(name, source)| ServiceReport { name: Name::cut(name), sources: vec![source] })
            .collect();
        let nothing = Diagnosis::nothing(24, UnixNanos::new(1_795_953_600_000_000_000));
        let text = text(&Diagnosis { services, ..nothing }, false);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        text
    }

    #[test]
    fn calls_that_were_not_looked_at_are_told_and_are_no_lack_of_calls() {
        let text = screen(vec![("shop", source(RecordKind::Span, 9, 4, Vec::new()))]);
        assert!(text.contains("an_older_dialect"), "{text}");
        assert!(text.contains("4  not looked at") && text.contains("Nothing to mend"), "{text}");
    }

    #[test]
    fn a_service_of_metrics_alone_is_told_what_to_send() {
        let text = screen(vec![("agent", source(RecordKind::Metric, 3, 0, Vec::new()))]);
        assert!(text.contains("only metrics come"), "{text}");
        assert!(text.contains("export OTEL_LOGS_EXPORTER=otlp"), "{text}");
    }

    #[test]
    fn what_the_same_lines_mend_is_told_once_and_the_gravest_first() {
        let of = |name: &str, calls| source(RecordKind::Span, calls, 0, vec![dialect(name, calls)]);
        let text = screen(vec![
            ("one", of("semconv_mcp_server", 30)),
            ("two", of("semconv_mcp_server", 40)),
            ("three", of("semconv_mcp_client", 50)),
        ]);
        let told = " 1 semconv_mcp_server of one, two; semconv_mcp_client of three: 120 calls";
        assert!(text.contains(told), "{text}");
        assert_eq!(text.matches("without a hash of their arguments").count(), 1, "{text}");
        let place = |part: &str| text.find(part).unwrap();
        assert!(place("without a hash") < place("without a session"));
    }

    #[test]
    fn more_than_fits_is_counted() {
        let of =
            |name: &'static str| (name, source(RecordKind::Span, 5, 0, vec![dialect(name, 5)]));
        let names = ["fastmcp", "csharp_mcp_sdk", "openllmetry", "vercel_ai", "plain"];
        let text = screen(names.into_iter().map(of).collect());
        // Five dialects, each without arguments and without a session; some lines are the same.
        assert!(text.contains(" more in `firstcall doctor --json`"), "{text}");
        assert!(text.contains("\n 6 ") && !text.contains("\n 7 "), "{text}");
    }
}
