//! A pass that is killed while it publishes: the day shows the old figures or the new ones, whole
//! (METHOD section 10).
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::Duration;

use firstcall::call::{Day, UnixNanos};
use firstcall::figures::DayFigures;
use firstcall::store::Store;

use super::report::report_input::usual;
use super::support::{FOLDER, start_ignored};

/// The test that is run as a process of its own.
const UNTIL_KILLED: &str = "killed_pass::a_process_that_publishes_until_it_is_killed";
/// Often enough for kills to meet every part of a transaction of some milliseconds.
const KILLS: u64 = 25;

/// A day's figures, and the same day with every count doubled.
pub(crate) fn two_versions() -> [DayFigures; 2] {
    let one = usual().days.pop().unwrap();
    let mut other = one.clone();
    for figures in other.tools.values_mut() {
        let same = figures.clone();
        figures.merge(&same);
    }
    other.pairs.values_mut().for_each(|times| *times *= 2);
    other.unknown_tool_calls.values_mut().for_each(|times| *times *= 2);
    [one, other]
}

fn publish(store: &Store, figures: &DayFigures, at: UnixNanos) {
    let lease = store.begin_pass(at, "the child").unwrap();
    let watermark = store.watermark(figures.day).unwrap();
    store.publish_day(&lease, figures, at, &watermark).unwrap();
}

fn midnight(day: Day) -> UnixNanos {
    day.plus(1).start()
}

#[test]
#[ignore = "run by another test as a process of its own"]
fn a_process_that_publishes_until_it_is_killed() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let store = Store::open(Path::new(&folder)).unwrap();
    let versions = two_versions();
    for figures in versions.iter().rev().cycle() {
        publish(&store, figures, midnight(figures.day));
        let mut output = std::io::stdout().lock();
        writeln!(output, "published").unwrap();
        output.flush().unwrap();
    }
}

#[test]
fn a_kill_while_a_day_is_published_leaves_one_version_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let versions = two_versions();
    let [first, second] = &versions;
    assert_ne!(first, second);
    let day = first.day;
    publish(&store, first, midnight(day));
    let mut seen = [0; 2];
    for kill in 0..KILLS {
        let mut child = start_ignored(UNTIL_KILLED, folder.path());
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        // The versions take turns, so each is the last that was published in every other round.
        let published = usize::try_from(kill % 2).unwrap() + 1;
        let mut is_published = || lines.any(|line| line.contains("published"));
        assert!((0..published).all(|_| is_published()));
        std::thread::sleep(Duration::from_micros(700 * kill));
        child.kill().unwrap(); // SIGKILL
        child.wait().unwrap();
        let shown = store.read_days(day, day).unwrap();
        let version = versions.iter().position(|version| shown == [version.clone()]);
        seen[version.expect("figures of neither version")] += 1;
        // Each restatement keeps what was shown before it, never a part.
        for restatement in store.restatements(day, day).unwrap().iter().rev().take(4) {
            let judged: u64 = restatement.shown_before.values().map(|of| of.judged).sum();
            let of = |version: &DayFigures| -> u64 {
                version.tools.values().map(|figures| figures.judged).sum()
            };
            assert!(judged == of(first) || judged == of(second), "{judged}");
        }
        // Nobody holds the pass, and the next one ends as if nothing had been.
        drop(store.begin_pass(midnight(day), "the parent").unwrap());
    }
    publish(&store, second, midnight(day));
    assert_eq!(store.read_days(day, day).unwrap(), std::slice::from_ref(second));
    assert!(seen.iter().all(|times| *times > 0), "the kills met one version only: {seen:?}");
}
