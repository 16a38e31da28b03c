//! `firstcall import`, by the real binary: both forms of the Collector's files give the same
//! figures as the socket, nothing is counted twice, and what is damaged costs nothing else.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use firstcall::call::{CallDuration, Day, Name, UnixNanos};
use firstcall::clock::{Clock, ManualClock, SystemClock};
use firstcall::config::{Config, Folder};
use firstcall::figures::{ArrivalCounts, Refusal};
use firstcall::import::{self, Damage, Listener, Place, Source};
use firstcall::nightly::{self, DaysToRun};
use firstcall::store::{Store, StoreError};
use serde_json::json;

use crate::dialects::body::protobuf;
use crate::receive::client::post;
use crate::receive::spans::gzip;
use crate::support::{self, RunningServer, stderr};

const SECOND: u64 = 1_000_000_000;

pub(crate) fn yesterday() -> Day {
    SystemClock.now().day().minus(1)
}

fn text(key: &str, value: &str) -> serde_json::Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

/// One conversation: a call, the same tool with other words six seconds later, and a span that
/// is no call. So two calls, one of them retried and one a first-call success.
fn conversation(number: u64, day: Day) -> String {
    let call = |place: u64| {
        let start = day.start().get() + (3600 + number * 20 + place * 6) * SECOND;
        json!({
            "traceId": format!("{:032x}", number + 1),
            "spanId": format!("{:016x}", number * 4 + place + 1),
            "name": "tools/call find",
            "kind": 2,
            "startTimeUnixNano": start.to_string(),
            "endTimeUnixNano": (start + SECOND / 10).to_string(),
            "attributes": [
                text("mcp.method.name", "tools/call"),
                text("gen_ai.tool.name", "find"),
                text("gen_ai.tool.call.arguments", &format!("{{\"q\":\"{number} {place}\"}}")),
                text("gen_ai.tool.call.result", "[{\"id\":1}]"),
                text("gen_ai.conversation.id", &format!("conversation {number}")),
            ],
        })
    };
    let mut ordinary = call(3);
    ordinary["name"] = "GET /".into();
    ordinary["attributes"] = json!([text("http.route", "/")]);
    json!({ "resourceSpans": [{
        "resource": { "attributes": [text("service.name", "shop")] },
        "scopeSpans": [{ "scope": { "name": "tools" }, "spans": [call(0), call(1), ordinary] }],
    }] })
    .to_string()
}

pub(crate) fn conversations(count: u64) -> Vec<String> {
    (0..count).map(|number| conversation(number, yesterday())).collect()
}

pub(crate) fn lines(requests: &[String]) -> Vec<u8> {
    requests.iter().flat_map(|request| [request.as_bytes(), b"\n"].concat()).collect()
}

fn prefixed(message: &[u8]) -> Vec<u8> {
    [&u32::try_from(message.len()).unwrap().to_be_bytes()[..], message].concat()
}

fn messages(requests: &[String]) -> Vec<u8> {
    requests.iter().flat_map(|request| prefixed(&protobuf(request))).collect()
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn import(data_dir: &Path, files: &[&Path]) -> Output {
    let args: Vec<&Path> = [Path::new("import")].into_iter().chain(files.iter().copied()).collect();
    support::firstcall(data_dir, &args)
}

#[track_caller]
fn imported(data_dir: &Path, file: &Path) -> String {
    let output = import(data_dir, &[file]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stderr(&output)
}

/// The figures of yesterday, as the report's JSON has them.
fn figures(data_dir: &Path) -> serde_json::Value {
    support::succeed(data_dir, &["nightly", "--day", &yesterday().to_string()]);
    let site = data_dir.with_extension("site");
    let day = yesterday().to_string();
    let range = ["--from", &day, "--to", &day, "--out", site.to_str().unwrap()];
    support::succeed(data_dir, &[&["report"][..], &range].concat());
    serde_json::from_slice(&fs::read(site.join("report.json")).unwrap()).unwrap()
}

/// The figures without what tells that a pass had run while calls still came in.
pub(crate) fn settled(mut report: serde_json::Value) -> serde_json::Value {
    let forget = |of: &mut serde_json::Value| {
        if let Some(object) = of.as_object_mut() {
            object.remove("restated");
        }
    };
    forget(&mut report["overall"]);
    for list in ["tools", "clients"] {
        report[list].as_array_mut().unwrap().iter_mut().for_each(forget);
    }
    for tool in report["tools"].as_array_mut().unwrap() {
        tool["clients"].as_array_mut().unwrap().iter_mut().for_each(forget);
    }
    let quality = report["quality"].as_object_mut().unwrap();
    quality.remove("late");
    quality.remove("restated_days");
    report
}

/// How many sightings are on disk, and what is counted as arrived today.
fn kept(data_dir: &Path) -> (u64, BTreeMap<Name, ArrivalCounts>) {
    let Ok(store) = Store::open(data_dir) else { return (0, BTreeMap::new()) };
    let mut sightings = 0;
    let read = store.read_received(UnixNanos::new(0), u64::MAX, &mut |_sighting| sightings += 1);
    let today = SystemClock.now().day();
    let arrivals = store.arrival_counts(today.minus(1), today);
    match (read, arrivals) {
        (Ok(_), Ok(arrivals)) => (sightings, arrivals),
        _ => (0, BTreeMap::new()),
    }
}

#[track_caller]
fn assert_counted_once(data_dir: &Path, conversations: u64) {
    let (sightings, arrivals) = kept(data_dir);
    assert_eq!(sightings, conversations * 2, "sightings");
    let shop = &arrivals[&Name::cut("shop")];
    assert_eq!(shop.spans, conversations * 3, "spans");
    assert_eq!(shop.kept.values().sum::<u64>(), conversations * 2, "kept");
    let store = Store::open(data_dir).unwrap();
    let since = SystemClock.now().saturating_sub(CallDuration::from_secs(86_400));
    let seen: u64 = store.sources(since).unwrap().iter().map(|(_, counts)| counts.seen).sum();
    assert_eq!(seen, conversations * 3, "seen");
}

#[tokio::test]
async fn every_form_of_file_gives_the_figures_of_the_socket() {
    let folder = tempfile::tempdir().unwrap();
    let requests = conversations(30);
    let by_socket = folder.path().join("socket");
    let server = RunningServer::start(&by_socket);
    for (at, request) in requests.iter().enumerate() {
        let answer = post(server.http, &protobuf(request), &[]).await;
        assert_eq!(answer.status, 200);
        if at == 10 {
            // As the server's own pass may come in between: the day is restated afterwards.
            figures(&by_socket);
        }
    }
    server.stop();
    let expected = settled(figures(&by_socket));
    assert_eq!(expected["overall"]["calls"], 60);
    assert_eq!(expected["overall"]["retried"], 30);
    assert_eq!(expected["overall"]["first_call_success"]["rate"].as_f64(), Some(0.5));

    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
    let legacy: Vec<u8> =
        requests.iter().flat_map(|each| prefixed(&zstd(each.as_bytes()))).collect();
    for (name, bytes) in [
        ("lines.jsonl", lines(&requests)),
        ("lines.jsonl.gz", gzip(&lines(&requests))),
        ("lines.jsonl.zst", zstd(&lines(&requests))),
        ("messages.bin", messages(&requests)),
        ("messages.bin.zst", zstd(&messages(&requests))),
        ("compressed-messages", legacy),
    ] {
        let data_dir = folder.path().join(format!("data-{name}"));
        let said = imported(&data_dir, &write(folder.path(), name, &bytes));
        for part in ["requests    30 taken", "spans       90", "tool calls  60 kept"] {
            assert!(said.contains(part), "{name}: no `{part}` in {said}");
        }
        assert_eq!(settled(figures(&data_dir)), expected, "{name}");
        assert_counted_once(&data_dir, 30);
    }
}

#[test]
fn a_second_import_counts_nothing_twice_whatever_file_the_requests_stand_in() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let requests = conversations(20);
    let file = write(folder.path(), "a.jsonl", &lines(&requests));
    imported(&data_dir, &file);
    let first = figures(&data_dir);
    let said = imported(&data_dir, &file);
    assert!(said.contains("20 imported before, left out"), "{said}");
    // The same requests in another file, and one that grew.
    imported(&data_dir, &write(folder.path(), "b.jsonl.gz", &gzip(&lines(&requests))));
    assert_eq!(figures(&data_dir), first);
    assert_counted_once(&data_dir, 20);
    let said = imported(&data_dir, &write(folder.path(), "a.jsonl", &lines(&conversations(25))));
    assert!(said.contains("requests    5 taken"), "{said}");
    assert_counted_once(&data_dir, 25);
}

/// Waits until `is_reached` of what is kept.
#[track_caller]
fn wait_until(data_dir: &Path, is_reached: impl Fn(u64, &BTreeMap<Name, ArrivalCounts>) -> bool) {
    let since = Instant::now();
    loop {
        let (sightings, arrivals) = kept(data_dir);
        if is_reached(sightings, &arrivals) {
            return;
        }
        assert!(since.elapsed() < Duration::from_mins(1), "{sightings} sightings, {arrivals:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Imports the first lines from a pipe that stays open, and kills the program once `is_reached`.
fn import_and_kill(
    data_dir: &Path,
    requests: &[String],
    is_reached: impl Fn(u64, &BTreeMap<Name, ArrivalCounts>) -> bool,
) {
    let mut command = support::command(data_dir);
    command.args(["import", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(&lines(requests)).unwrap();
    wait_until(data_dir, is_reached);
    // SIGKILL, with the pipe still open.
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn an_import_that_was_killed_goes_on_where_it_ended_and_counts_everything_once() {
    let folder = tempfile::tempdir().unwrap();
    let requests = conversations(3000);
    let file = write(folder.path(), "all.jsonl", &lines(&requests));
    let whole = folder.path().join("whole");
    imported(&whole, &file);
    let expected = figures(&whole);
    assert_eq!(expected["overall"]["calls"], 6000);

    let data_dir = folder.path().join("killed");
    // A thousand requests make a commit. The first kill comes before anything of it is noted,
    // the second after some of it is and more is on disk.
    import_and_kill(&data_dir, &requests[..1500], |sightings, _| sightings >= 2000);
    import_and_kill(&data_dir, &requests[..2500], |sightings, arrivals| {
        sightings >= 4000 && !arrivals.is_empty()
    });
    let said = imported(&data_dir, &file);
    assert!(said.contains("requests"), "{said}");
    assert_counted_once(&data_dir, 3000);
    assert_eq!(figures(&data_dir), expected);
}

#[test]
fn a_torn_last_line_is_told_and_read_once_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let whole = lines(&conversations(5));
    for (name, whole, place) in [
        ("torn.jsonl", whole, "torn.jsonl:5: the last line is cut"),
        ("torn.bin", messages(&conversations(5)), "the last message is cut"),
    ] {
        let data_dir = data_dir.with_extension(name);
        let file = write(folder.path(), name, &whole[..whole.len() - 20]);
        let output = import(&data_dir, &[&file]);
        assert_eq!(output.status.code(), Some(8), "{}", stderr(&output));
        assert!(stderr(&output).contains(place), "{}", stderr(&output));
        assert_counted_once(&data_dir, 4);
        write(folder.path(), name, &whole);
        imported(&data_dir, &file);
        assert_counted_once(&data_dir, 5);
    }
}

#[test]
fn damage_is_told_with_its_place_and_the_rest_is_imported() {
    const CANARY: &str = "cAnArY";
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let requests = conversations(4);
    let damaged = [
        requests[0].clone(),
        format!("{{\"resourceSpans\": [{{\"{CANARY}\": }}]}}"),
        format!("{{\"something\": \"{CANARY}\"}}"),
        requests[1].clone(),
        format!("plain text {CANARY}"),
    ];
    let file = write(folder.path(), "damaged.jsonl", &lines(&damaged));
    // Field 1 with a length that reaches past the message's end.
    let mut content = prefixed(&protobuf(&requests[2]));
    let second = content.len();
    content.extend(prefixed(b"\x0a\x7fcAnArY"));
    content.extend(prefixed(&protobuf(&requests[3])));
    let binary = write(folder.path(), "damaged.bin", &content);
    let output = import(&data_dir, &[&file, &binary]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(8), "{said}");
    for place in ["damaged.jsonl:2: ", "damaged.jsonl:3: ", "damaged.jsonl:5: "] {
        assert!(said.contains(place), "no {place} in {said}");
    }
    assert!(said.contains(&format!("damaged.bin, byte {second}: ")), "{said}");
    assert!(said.contains("4 damaged, left out") && said.contains("error: 4 parts"), "{said}");
    assert!(!said.contains(CANARY), "{said}");
    assert_counted_once(&data_dir, 4);
    for entry in fs::read_dir(&data_dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = fs::read(&path).unwrap();
            let holds = bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes());
            assert!(!holds, "{}", path.display());
        }
    }
}

#[test]
fn traces_logs_and_metrics_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let mut requests = conversations(2);
    requests.push(r#"{"resourceMetrics":[{"scopeMetrics":[]}]}"#.to_owned());
    requests.push("{}".to_owned());
    let said = imported(&data_dir, &write(folder.path(), "mixed.jsonl", &lines(&requests)));
    assert!(said.contains("1 of metrics, dropped"), "{said}");
    assert_counted_once(&data_dir, 2);
}

#[test]
fn beside_a_running_server_it_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let server = RunningServer::start(&data_dir);
    let file = write(folder.path(), "a.jsonl", &lines(&conversations(1)));
    let output = import(&data_dir, &[&file]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains(&format!("process {}", server.id())), "{said}");
    assert!(said.contains("hint: ") && said.contains("stop `firstcall serve`, import"), "{said}");
    server.stop();
    imported(&data_dir, &file);
    assert_counted_once(&data_dir, 1);
}

#[test]
fn a_file_that_cannot_be_opened_leaves_nothing_begun() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let file = write(folder.path(), "a.jsonl", &lines(&conversations(1)));
    for missing in [folder.path().join("no-such.jsonl"), folder.path().to_owned()] {
        let output = import(&data_dir, &[&file, &missing]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(&missing.display().to_string()), "{}", stderr(&output));
        assert!(!data_dir.exists());
    }
}

/// Hears nothing.
struct Deaf;

impl Listener for Deaf {
    fn begin(&mut self, _source: &Source) {}
    fn advance(&mut self, _bytes: u64) {}
    fn damaged(&mut self, _source: &Source, _place: Place, damage: &Damage) {
        panic!("{damage}");
    }
}

#[test]
fn calls_of_closed_days_are_refused_and_their_days_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.store.sqlite.data_dir = Folder::new(folder.path().join("data"));
    let first: Day = "2026-11-02".parse().unwrap();
    let import_at = |now: UnixNanos, name: &str, requests: &[String]| {
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(now));
        let source = Source::of(&write(folder.path(), name, &lines(requests)));
        import::run(&[source], &config, &clock, &mut Deaf).unwrap()
    };
    let night =
        |after: u32| first.plus(after).start().saturating_add(CallDuration::from_secs(7200));
    import_at(night(1), "first.jsonl", &[conversation(0, first)]);
    let store = Store::open(config.store.sqlite.data_dir.as_path()).unwrap();
    for after in 1..=20 {
        let clock = ManualClock::at(night(after));
        nightly::run(&store, DaysToRun::Due, &clock, &mut |_event| {}).unwrap();
        nightly::erase(&store, config.nightly.restate_days, &clock).unwrap();
    }
    let late = [conversation(1, first), conversation(2, first.plus(18))];
    let summary = import_at(night(20), "late.jsonl", &late);
    assert_eq!((summary.kept, summary.refused.get(Refusal::DayClosed)), (2, 2));
    assert_eq!(summary.closed_days, BTreeMap::from([(first, 2)]));
    assert_eq!(summary.days.iter().copied().collect::<Vec<_>>(), [first.plus(18)]);
    let since = night(0).saturating_sub(CallDuration::from_secs(86_400));
    let sources = store.sources(since).unwrap();
    let refused: u64 =
        sources.iter().map(|(_, counts)| counts.refused.get(Refusal::DayClosed)).sum();
    assert_eq!(refused, 2);
    // A second writer is refused while one imports; here none does any longer.
    assert!(!matches!(
        import::run(&[], &config, &(Arc::new(SystemClock) as Arc<dyn Clock>), &mut Deaf),
        Err(import::ImportError::Store(StoreError::WriterRunning { .. }))
    ));
}
