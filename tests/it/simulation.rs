//! The store and the pass under lists of operations: sending, sending again, delays, kills,
//! passes, killed passes, late calls, erasures. Whatever the list, no call is lost after an
//! answer, none is counted twice, and the figures are the oracle's (METHOD sections 8 and 10).
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests")]

mod operations;
mod world;

use std::time::{Duration, Instant};

use firstcall::nightly::DaysToRun;
use proptest::prelude::ProptestConfig;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::support::clickhouse::ClickHouse;
use crate::support::stores::Place;
use operations::{List, Operation, list};
use world::World;

/// For how long random lists are tried: long enough for hundreds, and for thousands with
/// `FIRSTCALL_SIMULATION_SECONDS=600`.
fn budget() -> Duration {
    let wanted = std::env::var("FIRSTCALL_SIMULATION_SECONDS").ok();
    Duration::from_secs(wanted.and_then(|wanted| wanted.parse().ok()).unwrap_or(20))
}

fn play(list: &List) -> World<'_> {
    played(World::new(list.messages.clone()), list)
}

fn played<'p>(mut world: World<'p>, list: &List) -> World<'p> {
    for operation in &list.operations {
        world.apply(*operation);
    }
    world.end();
    world
}

/// Tries random lists until the time is over, and at least a few; says how many there were.
fn try_lists(budget: Duration, test: impl Fn(List)) {
    try_lists_at_a_time(10, budget, test);
}

fn try_lists_at_a_time(cases: u32, budget: Duration, test: impl Fn(List)) {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 300,
        ..ProptestConfig::default()
    };
    let started = Instant::now();
    let mut tried = 0;
    while tried == 0 || started.elapsed() < budget {
        let mut runner = TestRunner::new(config.clone());
        let result = runner.run(&list(), |list| {
            test(list);
            Ok(())
        });
        assert!(result.is_ok(), "{}", result.unwrap_err());
        tried += cases;
    }
    eprintln!("{tried} lists tried");
}

#[test]
fn no_list_of_operations_loses_or_doubles_a_call() {
    try_lists(budget(), |list| {
        let world = play(&list);
        // Once more over everything that is still open: the same bytes in every table.
        let tables = world.tables();
        world.pass_over_open_days();
        assert_eq!(world.tables(), tables);
        world.assert_days_add_up();
    });
}

#[test]
fn no_list_of_operations_loses_or_doubles_a_call_in_a_database() {
    let place = Place::clickhouse();
    if !place.engine().is_some_and(ClickHouse::can_fail) {
        return;
    }
    try_lists_at_a_time(2, budget(), |list| {
        let world = played(World::in_database(&place, list.messages.clone()), &list);
        let tables = world.tables();
        world.pass_over_open_days();
        assert_eq!(world.tables(), tables);
        world.assert_days_add_up();
    });
}

#[test]
fn a_pass_per_day_is_a_pass_over_the_range() {
    try_lists(budget() / 5, |list| {
        let run = |per_day: bool| {
            let mut world = World::new(list.messages.clone());
            (0..list.messages.len()).for_each(|message| world.apply(Operation::Send(message)));
            world.apply(Operation::Advance(24 * 20));
            let days = world.days();
            if per_day {
                // Backwards, so that the order of the days cannot matter either.
                days.rev().for_each(|day| world.pass(DaysToRun::Range { from: day, to: day }));
            } else if let (Some(from), Some(to)) = (days.clone().next(), days.clone().next_back()) {
                world.pass(DaysToRun::Range { from, to });
            }
            world.shown()
        };
        assert_eq!(run(true), run(false));
    });
}

/// Lists that once found a fault, or that are worth trying every time.
#[test]
fn fixed_lists_hold() {
    use Operation::{
        Advance, CrashAfterCommit, CrashBeforeCommit, Erase, KilledErase, KilledPass, Pass, Send,
    };
    let lists: &[&[Operation]] = &[
        // Late calls for a day that was covered, with the server killed in between.
        &[Send(0), Advance(72), Pass, CrashAfterCommit(1), Pass, Send(1), Pass],
        // Killed before the commit, sent again, counted once.
        &[CrashBeforeCommit(0), Send(0), Send(0), Advance(48), Pass],
        // Killed between reading and publishing, and between two days.
        &[Send(0), Send(1), Send(2), Advance(120), KilledPass(1), KilledPass(3), Pass],
        // Late calls while the day is open, and for the same day once it is closed.
        &[Send(0), Advance(72), Pass, Send(1), Pass, Advance(96), Pass, Erase, Send(2), Pass],
        // Erased, killed in the middle of it, and sent to again.
        &[Send(0), Advance(72), Pass, Advance(96), Pass, KilledErase, Send(1), Pass, Erase, Pass],
    ];
    let mut runner = TestRunner::deterministic();
    for operations in lists {
        for _ in 0..4 {
            let list = list().new_tree(&mut runner).unwrap().current();
            play(&List { messages: list.messages, operations: operations.to_vec() });
        }
    }
}
