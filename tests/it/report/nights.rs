//! Night after night in one folder: the newest in front, the older where links point.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use firstcall::call::Day;
use firstcall::figures::DayFigures;
use firstcall::report::publish::nights_kept;
use firstcall::report::{SiteOptions, publish, site_with};

use super::pages::assert_links_resolve;
use super::report_input::{ReportDays, blank_day, counted, empty, habit_of, pair_of};
use crate::support::files::files_below;

/// The report of the night that covered `to`, over days of which each has a call of `tool_of`
/// it.
fn night(to: Day, covered: &[Day], tool_of: impl Fn(Day) -> &'static str) -> ReportDays {
    let day_of = |day: &Day| {
        let figures = counted(30, &habit_of("get_order"), 0);
        let tools = [(pair_of("orders", tool_of(*day), "ide"), figures)];
        DayFigures { tools: tools.into_iter().collect(), ..blank_day(*day) }
    };
    let within = |first: Day, last: Day| -> Vec<DayFigures> {
        covered.iter().filter(|day| (first..=last).contains(*day)).map(day_of).collect()
    };
    let from = to.minus(6);
    ReportDays {
        from,
        to,
        today: to.plus(1),
        as_of: Some(to),
        days: within(from, to),
        previous: within(from.minus(7), from.minus(1)),
        history: within(to.minus(29), to),
        ..empty()
    }
}

fn publish_night(dir: &Path, input: &ReportDays) {
    let options = SiteOptions { nights_kept: nights_kept(dir), ..SiteOptions::default() };
    publish(dir, site_with(&input.input(), &options)).unwrap();
}

/// The texts of the files below a folder, by their paths in it.
fn texts_below(dir: &Path) -> BTreeMap<String, String> {
    let text = |path: PathBuf| {
        let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(&path).unwrap())
    };
    files_below(dir).into_iter().map(text).collect()
}

#[test]
fn older_nights_stay_and_every_link_still_leads_somewhere() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("site");
    let last: Day = "2026-11-29".parse().unwrap();
    let first = last.minus(44);
    let covered: Vec<Day> = first.through(last).collect();
    // Until the fifth night a tool is called that nobody has called since.
    let tool_of = |day: Day| if day < first.plus(5) { "gone" } else { "search" };
    for to in [first.plus(3), first.plus(4), first.plus(31), last.minus(1), last] {
        let until: Vec<Day> = covered.iter().copied().filter(|day| *day <= to).collect();
        publish_night(&dir, &night(to, &until, tool_of));
        let site = texts_below(&dir);
        // The front page is of the newest night.
        assert!(site["index.html"].contains(&format!("nights/{to}.html")), "{to}");
        assert_links_resolve(&site);
    }
    let site = texts_below(&dir);
    // The list leads to every one of them.
    assert!(covered.iter().all(|day| site["nights/index.html"].contains(&format!("\"{day}.html"))));
    // 45 nights, 30 of them in the charts; each leads to its neighbours, beyond the 30 as well.
    for day in &covered {
        let page = &site[&format!("nights/{day}.html")];
        let before = page.contains(&format!("href=\"{}.html\" rel=\"prev\"", day.minus(1)));
        let after = page.contains(&format!("href=\"{}.html\" rel=\"next\"", day.plus(1)));
        assert_eq!((before, after), (*day != first, *day != last), "{day}");
    }
}

#[test]
fn a_night_published_again_changes_neither_bytes_nor_times() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("site");
    let last: Day = "2026-11-29".parse().unwrap();
    let covered: Vec<Day> = last.minus(9).through(last).collect();
    let input = night(last, &covered, |_| "search");
    publish_night(&dir, &input);
    let first = texts_below(&dir);
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    for name in first.keys() {
        let file = std::fs::File::options().append(true).open(dir.join(name)).unwrap();
        file.set_modified(long_ago).unwrap();
    }
    publish_night(&dir, &input);
    let second = texts_below(&dir);
    assert_eq!(first, second);
    for name in second.keys() {
        let time = std::fs::metadata(dir.join(name)).unwrap().modified().unwrap();
        assert_eq!(time, long_ago, "{name}");
    }
}

#[test]
fn a_nights_page_keeps_its_bytes_while_its_day_and_neighbours_stay_as_they_are() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("site");
    let last: Day = "2026-11-29".parse().unwrap();
    let covered: Vec<Day> = last.minus(20).through(last).collect();
    let mut sites = Vec::new();
    for to in [last.minus(1), last] {
        let until: Vec<Day> = covered.iter().copied().filter(|day| *day <= to).collect();
        publish_night(&dir, &night(to, &until, |_| "search"));
        let site = texts_below(&dir);
        sites.push(site);
    }
    let [first, second] = sites.as_slice() else { unreachable!("two sites") };
    let changed: Vec<&str> = first
        .iter()
        .filter(|(path, text)| path.starts_with("nights/") && second[*path] != **text)
        .map(|(path, _)| path.as_str())
        .collect();
    // The night before the new one now leads to it.
    assert_eq!(changed, ["nights/2026-11-28.html", "nights/index.html"]);
    // A folder that is new has the same pages.
    let afresh = temp.path().join("afresh");
    publish_night(&afresh, &night(last, &covered, |_| "search"));
    let site = texts_below(&afresh);
    assert_eq!(site, *second);
}

#[test]
fn only_pages_of_nights_count_as_nights() {
    let temp = tempfile::tempdir().unwrap();
    assert!(nights_kept(temp.path()).is_empty());
    std::fs::create_dir(temp.path().join("nights")).unwrap();
    for name in
        ["2026-11-29.html", "2026-13-01.html", "x.html", "2026-11-28.md", "+2026-11-27.html"]
    {
        std::fs::write(temp.path().join("nights").join(name), "").unwrap();
    }
    let day: Day = "2026-11-29".parse().unwrap();
    assert_eq!(nights_kept(temp.path()).into_iter().collect::<Vec<_>>(), [day]);
}
