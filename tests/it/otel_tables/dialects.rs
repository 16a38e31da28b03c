//! Mixed agent traffic in every dialect's shape, in every layout of the tables: the same sightings
//! as over OTLP, one by one and field by field, but for what a layout cannot carry.
#![expect(clippy::indexing_slicing, reason = "helpers of tests")]

use std::collections::{BTreeMap, BTreeSet};

use firstcall::recognise::dialect_names;

use super::traffic::{NOW, Timeless, traffic};
use super::*;
use crate::engine::assert_same;

/// What tables cannot carry, and where in the traffic it matters: layout, dialect, field. The page
/// `docs/existing-traces.md` says the same.
const LOST: &[(Layout, &str, &str)] = &[
    // A record that tells no time of any kind stands in 1970, which is not looked through.
    (Layout::Old, "codex_log", "all"),
    (Layout::Old, "gemini_cli_log", "all"),
    // An argument that is an attribute of its own was a number and is a text.
    (Layout::Old, "semconv_mcp_draft", "arguments"),
    (Layout::Maps, "codex_log", "all"),
    (Layout::Maps, "gemini_cli_log", "all"),
    (Layout::Maps, "semconv_mcp_draft", "arguments"),
    (Layout::Json, "codex_log", "all"),
    (Layout::Json, "gemini_cli_log", "all"),
];

type Key = ([u8; 16], [u8; 8]);

/// A sighting's fields with their names, in words.
fn fields(sighting: &Sighting) -> BTreeMap<&'static str, String> {
    macro_rules! told {
        ($($field:ident)+) => {{
            // Whole, so that no field is forgotten.
            let Sighting { $($field),+ } = sighting;
            [$((stringify!($field), format!("{:?}", $field))),+].into()
        }};
    }
    told!(
        trace_id span_id parent_span_id kind scope dialect emitter service tool client
        client_version session start end is_time_known arguments outcome confidence emptiness
        result_bytes call_id request_id is_sampled recovery is_label received
    )
}

/// Sightings by their ids, each as often as it was sent.
fn by_id(sightings: Vec<Sighting>) -> BTreeMap<Key, Vec<Sighting>> {
    let mut found: BTreeMap<Key, Vec<Sighting>> = BTreeMap::new();
    for one in sightings {
        found.entry((*one.trace_id.as_bytes(), *one.span_id.as_bytes())).or_default().push(one);
    }
    for of_one in found.values_mut() {
        of_one.sort_by_cached_key(|one| format!("{one:?}"));
    }
    found
}

/// What differs between what was sent and what was found, with an example of each.
type Lost = BTreeMap<(Layout, String, &'static str), String>;

fn compare(
    layout: Layout,
    sent: &BTreeMap<Key, Vec<Sighting>>,
    found: &BTreeMap<Key, Vec<Sighting>>,
    lost: &mut Lost,
) {
    let mut lose = |of: &Sighting, field, told: String| {
        lost.entry((layout, of.dialect.to_string(), field)).or_insert(told);
    };
    for (key, of_one) in found.iter().filter(|(key, _)| !sent.contains_key(*key)) {
        lose(&of_one[0], "one that was not sent", format!("{key:?} {:?}", of_one[0]));
    }
    for (key, of_one) in sent {
        let found = found.get(key).map_or(&[][..], Vec::as_slice);
        if found.len() != of_one.len() {
            lose(
                &of_one[0],
                "all",
                format!("{} for {}: {:?}", found.len(), of_one.len(), of_one[0]),
            );
        }
        for (one, found) in of_one.iter().zip(found) {
            let found = fields(found);
            for (field, value) in fields(one).into_iter().filter(|(field, of)| found[field] != *of)
            {
                lose(one, field, format!("{} for {value}", found[field]));
            }
        }
    }
}

#[test]
fn every_dialect_s_sightings_out_of_every_layout_are_those_over_otlp() {
    let bodies = traffic(Timeless::Sent);
    let sent = World::new(NOW, None);
    sent.receive(&bodies);
    let expected = by_id(sent.sightings());
    let seen: BTreeSet<&str> =
        expected.values().flatten().map(|one| one.dialect.as_str()).collect();
    let missing: Vec<_> = dialect_names().filter(|name| !seen.contains(name)).collect();
    assert!(missing.is_empty(), "no sighting of {missing:?}");
    let engine = ClickHouse::start();
    let mut lost = Lost::new();
    for layout in Layout::ALL {
        let read = World::new(NOW, Some(&sent));
        layout.hold(&engine, &bodies);
        read.read(&engine).unwrap();
        compare(layout, &expected, &by_id(read.sightings()), &mut lost);
        assert_eq!(read.attempts(), sent.attempts(), "{layout:?}");
    }
    assert!(!sent.attempts().is_empty());
    let told: Vec<_> =
        LOST.iter().map(|(layout, dialect, field)| (*layout, *dialect, *field)).collect();
    let found: Vec<_> =
        lost.keys().map(|(layout, of, field)| (*layout, of.as_str(), *field)).collect();
    assert_eq!(found, told, "{lost:#?}");
}

/// Into a data folder, and into a database of the engine that holds the tables as well.
#[test]
fn every_dialect_s_figures_out_of_every_layout_are_those_over_otlp_in_either_store() {
    let bodies = traffic(Timeless::LeftOut);
    let sent = World::new(NOW, None);
    sent.receive(&bodies);
    let expected = sent.judge();
    let figures = || expected.iter().flat_map(|day| day.tools.values());
    assert!(figures().map(|of| of.retried).sum::<u64>() > 20);
    assert!(figures().map(|of| of.repeats).sum::<u64>() > 20);
    let place = Place::clickhouse();
    let engine = place.engine().unwrap();
    for layout in Layout::ALL {
        layout.hold(engine, &bodies);
        let read = World::new(NOW, Some(&sent));
        read.read(engine).unwrap();
        let database = World::in_database(NOW, &sent, &place);
        database.read(engine).unwrap();
        // Reading again brings nothing.
        assert_eq!(database.read(engine).unwrap().calls(), 0);
        for world in [&read, &database] {
            let found = world.judge();
            for (found, expected) in found.iter().zip(&expected) {
                assert_same(found, expected);
            }
            assert_eq!(found, expected, "{layout:?}");
        }
    }
}
