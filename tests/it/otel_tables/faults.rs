//! Reading tables again, late rows, an engine that stops, and no content anywhere.

use std::time::{Duration, Instant};

use super::*;
use crate::captures::{CANARY, assert_no_canary, holds};
use crate::support::clickhouse::{Fault, FaultKind};
use crate::support::{RunningServer, stderr, stdout, succeed};

/// The bodies of one capture: an MCP server and its client, all within a few minutes.
fn story() -> Vec<Body> {
    let story: Vec<Body> = capture_bodies()
        .into_iter()
        .filter(|body| body.name.starts_with("mcp-python-traced "))
        .collect();
    assert!(story.len() > 1);
    story
}

fn ids(sightings: &[Sighting]) -> Vec<([u8; 16], [u8; 8])> {
    sightings.iter().map(|one| (*one.trace_id.as_bytes(), *one.span_id.as_bytes())).collect()
}

/// Writes a configuration that reads the engine's tables; its path.
fn configured(engine: &ClickHouse, file: &Path) -> String {
    let (url, database) = (engine.url(), engine.database());
    let mut text = format!(
        "source:\n  clickhouse_otel:\n    url: '{url}'\n    database: {database}\n    since: 366d\n"
    );
    if let Some((user, password)) = engine.user() {
        let kept = file.with_extension("password");
        std::fs::write(&kept, password).unwrap();
        text = format!("{text}    user: {user}\n    password_file: '{}'\n", kept.display());
    }
    std::fs::write(file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn reading_again_brings_nothing_and_late_rows_are_found_once() {
    let engine = ClickHouse::start();
    let story = story();
    Layout::Maps.create(&engine);
    let (first, rest) = story.split_at(story.len() / 2);
    let sent = World::new(story[0].now, None);
    sent.receive(&story);
    let world = World::new(story[0].now, Some(&sent));
    for body in first {
        Layout::Maps.export(&engine, &body.bytes, body.format);
    }
    world.read(&engine).unwrap();
    let again = world.read(&engine).unwrap();
    assert_eq!((again.requests, again.calls()), (0, 0));
    for body in rest {
        Layout::Maps.export(&engine, &body.bytes, body.format);
    }
    // What the exporter sends again after a lost answer is there twice.
    Layout::Maps.export(&engine, &rest[0].bytes, rest[0].format);
    world.read(&engine).unwrap();
    let last = world.read(&engine).unwrap();
    assert_eq!((last.requests, last.calls()), (0, 0));
    let mut found = ids(&world.sightings());
    found.dedup();
    assert_eq!(found, ids(&sent.sightings()));
    let (mut found, mut expected) = (world.judge(), sent.judge());
    // The double is told as one.
    for day in found.iter_mut().chain(&mut expected) {
        (day.quality.sightings, day.quality.duplicates) = (0, 0);
    }
    assert_eq!(found, expected);
}

#[test]
fn an_engine_that_stops_leaves_nothing_half_remembered() {
    let mut engine = ClickHouse::start();
    if !engine.can_fail() {
        return;
    }
    let story = story();
    Layout::Maps.create(&engine);
    for body in &story {
        Layout::Maps.export(&engine, &body.bytes, body.format);
    }
    let sent = World::new(story[0].now, None);
    sent.receive(&story);
    for fault in [
        Fault::new(FaultKind::StopWithin).of("AS is_wanted"),
        Fault::new(FaultKind::StopBefore).of("AS is_wanted"),
        Fault::new(FaultKind::StopBefore).of("GROUP BY slot"),
        Fault::new(FaultKind::StopBefore).of("system.columns"),
    ] {
        let world = World::new(story[0].now, Some(&sent));
        engine.fault(fault);
        let error = world.read(&engine).unwrap_err();
        assert!(matches!(error, ImportError::Tables(_)), "{fault:?}: {error}");
        engine.wait_until_stopped();
        engine.restart();
        world.read(&engine).unwrap();
        assert_eq!(world.sightings().len(), sent.sightings().len(), "{fault:?}");
        assert_eq!(ids(&world.sightings()), ids(&sent.sightings()), "{fault:?}");
        assert_eq!(world.read(&engine).unwrap().calls(), 0, "{fault:?}");
    }
}

#[test]
fn no_content_leaves_the_tables_and_the_command_says_what_it_did() {
    let engine = ClickHouse::start();
    let bodies = capture_bodies();
    assert!(bodies.iter().any(|body| holds(&body.bytes, CANARY)));
    Layout::Maps.create(&engine);
    for body in &bodies {
        Layout::Maps.export(&engine, &body.bytes, body.format);
    }
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let config = configured(&engine, &folder.path().join("firstcall.yaml"));
    let args = ["import", "--config", &config];
    let done = succeed(&data, &[&args[..], &["--log-level", "trace"]].concat());
    for said in [&done.stdout, &done.stderr] {
        assert!(!holds(said, CANARY), "{}", stderr(&done));
    }
    assert!(stderr(&done).contains("tool calls"), "{}", stderr(&done));
    assert_no_canary(folder.path(), "tables");
    assert!(!Store::open(&data).unwrap().sighting_days().unwrap().is_empty());
    // What the engine says of a row is not repeated.
    engine.execute("RENAME TABLE otel_traces TO spans");
    engine.execute(
        "CREATE VIEW otel_traces AS SELECT * REPLACE \
         (toString(throwIf(length(SpanId) > 0, 'cAnArY')) AS StatusMessage) FROM spans",
    );
    let failed = crate::support::firstcall(&folder.path().join("other"), &args);
    assert_eq!(failed.status.code(), Some(3), "{}", stderr(&failed));
    assert!(!holds(&failed.stderr, CANARY) && stdout(&failed).is_empty(), "{}", stderr(&failed));
}

#[test]
fn the_nights_of_a_server_and_the_pass_by_hand_read_the_tables_first() {
    let engine = ClickHouse::start();
    let story = story();
    Layout::Maps.create(&engine);
    for body in &story {
        Layout::Maps.export(&engine, &body.bytes, body.format);
    }
    let folder = tempfile::tempdir().unwrap();
    let config = configured(&engine, &folder.path().join("firstcall.yaml"));
    let config = config.as_str();
    let served = folder.path().join("served");
    let server = RunningServer::start_with(&served, &["--config", config], &[]);
    let since = Instant::now();
    let is_covered = || Store::open(&served).is_ok_and(|it| !it.coverage().unwrap().is_empty());
    while !is_covered() {
        assert!(since.elapsed() < Duration::from_mins(1), "no night has read the tables");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(server.stop().status.success());
    let by_hand = folder.path().join("by-hand");
    let done = succeed(&by_hand, &["nightly", "--config", config]);
    assert!(stderr(&done).contains("covered"), "{}", stderr(&done));
    let of = |data: &Path| Store::open(data).unwrap().coverage().unwrap().len();
    assert_eq!(of(&by_hand), of(&served));
}
