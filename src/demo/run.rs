//! The demo from an empty folder to a report.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::DemoError;
use super::plans::PLANS;
use super::programs::Programs;
use super::progress::Progress;
use super::scenario::{DAYS, Plan};
use super::spans::Telling;
use crate::call::{CallDuration, Day, UnixNanos};
use crate::clock::{Clock, ManualClock};
use crate::config::{Config, Endpoint, Folder};
use crate::nightly::{self, DaysToRun, PassEvent};
use crate::report;
use crate::server::Server;
use crate::shutdown::Stop;

/// The file that tells a folder to be a demo's, which the next demo may replace.
const MARK: &str = "firstcall-demo.txt";
const MARK_TEXT: &str =
    "Made by `firstcall demo`, which replaces this folder when it runs again.\n";
/// The time of day of the first conversation on a whole day.
const MORNING: CallDuration = CallDuration::from_secs(6 * 3600);
/// From one conversation to the next on a whole day; 90 of them end before nine in the evening.
const APART: CallDuration = CallDuration::from_secs(10 * 60);
/// The same for today, of which there may be little yet: nothing lies more than an hour ahead.
const TODAY_FIRST: CallDuration = CallDuration::from_secs(5 * 60);
const TODAY_APART: CallDuration = CallDuration::from_secs(2 * 60);

/// What the demo made.
#[derive(Debug)]
pub struct Finished {
    /// How many spans were sent.
    pub spans: u64,
    /// How many days the pass covered.
    pub days: usize,
    /// The data folder.
    pub data_dir: PathBuf,
    /// The folder of the reports.
    pub report: PathBuf,
    /// The summary for a pull request, as Markdown.
    pub summary: String,
}

/// Plays the demo in the folder `out`; its days end with the one before `clock`'s today.
pub fn run(out: &Path, clock: &dyn Clock, progress: &Progress) -> Result<Finished, DemoError> {
    // The day may end while the demo runs; for the demo it does not.
    let now = clock.now();
    let today = now.day();
    let days = u32::try_from(DAYS).unwrap_or(u32::MAX);
    let (first, last) = (today.minus(days), today.minus(1));
    prepare(out)?;
    let data_dir = out.join("data");
    let spans = play(&data_dir, now, first, progress)?;

    progress.step("judging the days, night by night", u64::from(days));
    let store = crate::store::Store::open(&data_dir)?;
    let clock = ManualClock::at(now);
    let range = DaysToRun::Range { from: first, to: last };
    let mut note = |event| {
        if let PassEvent::Published(_) = event {
            progress.advance();
        }
    };
    let pass = nightly::run(&store, range, &clock, &mut note)?;
    progress.step("writing the reports", 1);
    let input = report::read(&store, report::Range::Last(7), today)?;
    let folder = out.join("report");
    report::rewrite(&folder, &input, report::Assets::default())?;
    Ok(Finished {
        spans,
        days: pass.days.len(),
        data_dir,
        report: folder,
        summary: report::pull_request_summary(&input),
    })
}

/// Makes the folder, or empties an earlier demo's.
fn prepare(out: &Path) -> Result<(), DemoError> {
    let failed = |source: io::Error| DemoError::Folder { path: out.to_owned(), source };
    match fs::read_dir(out) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
        Ok(mut entries) => {
            if entries.next().is_some() && !out.join(MARK).is_file() {
                return Err(DemoError::NotOurs(out.to_owned()));
            }
            for part in ["data", "report"] {
                match fs::remove_dir_all(out.join(part)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(failed(error));
                    }
                    _ => {}
                }
            }
        }
    }
    fs::create_dir_all(out).map_err(failed)?;
    fs::write(out.join(MARK), MARK_TEXT).map_err(failed)
}

/// Starts the receiver, sends every conversation to it, and stops it; returns how many spans
/// were sent.
fn play(
    data_dir: &Path,
    now: UnixNanos,
    first: Day,
    progress: &Progress,
) -> Result<u64, DemoError> {
    let mut config = Config::default();
    config.store.sqlite.data_dir = Folder::new(data_dir);
    config.receivers.otlp.protocols.grpc.endpoint = Endpoint::loopback(0);
    config.receivers.otlp.protocols.http.endpoint = Endpoint::loopback(0);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime =
        runtime.map_err(|source| DemoError::Folder { path: data_dir.to_owned(), source })?;
    let stop = Stop::new();
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(now));
    let server = runtime.block_on(Server::start(&config, clock, stop.clone()))?;
    let grpc = server.grpc_address();
    let running = runtime.spawn(server.run());

    let within = runtime.enter();
    let programs = Programs::start(PLANS, grpc, first)?;
    progress.step("sending two weeks of traffic over OTLP", 15);
    let mut spans = 0;
    for (day, number) in first.through(now.day()).zip(0..) {
        spans += send_day(&programs, day, number)?;
        programs.flush()?;
        progress.advance();
    }
    programs.stop()?;
    drop(within);
    stop.request();
    runtime.block_on(running).map_err(crate::server::ServerError::Defect)??;
    Ok(spans)
}

/// Sends the conversations of one day, `number` counted from the first.
fn send_day(programs: &Programs, day: Day, number: usize) -> Result<u64, DemoError> {
    let mut spans = 0;
    let mut place = 0;
    for (index, plan) in PLANS.iter().enumerate() {
        for time in 0..plan.times(number) {
            let start = start_of(plan, day, number, place);
            place += 1;
            let session = format!("{day}/{index}/{time}");
            spans += Telling::new(programs, plan, session, start).tell()?;
        }
    }
    Ok(spans)
}

/// When the conversation in place `place` of the day starts.
fn start_of(plan: &Plan, day: Day, number: usize, place: u64) -> UnixNanos {
    let (first, apart) = if number == DAYS { (TODAY_FIRST, TODAY_APART) } else { (MORNING, APART) };
    let at = match plan.play.starts_at_s {
        Some(seconds) => CallDuration::from_secs(seconds),
        None => CallDuration::from_nanos(first.as_nanos() + place * apart.as_nanos()),
    };
    day.start().saturating_add(at)
}
