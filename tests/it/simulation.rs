//! The store and the pass under lists of operations: sending, sending again, delays, kills,
//! passes, killed passes, late calls, erasures. Whatever the list, no call is lost after an
//! answer, none is counted twice, and the figures are the oracle's (METHOD sections 8 and 10).
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod operations;
mod world;

use firstcall::nightly::DaysToRun;
use proptest::prelude::*;

use operations::{List, Operation, list};
use world::World;

/// How many lists a run tries, so that it takes about half a minute on a slow machine.
fn cases() -> u32 {
    let wanted = std::env::var("FIRSTCALL_SIMULATION_LISTS").ok();
    wanted.and_then(|wanted| wanted.parse().ok()).unwrap_or(1000)
}

fn play(list: &List) -> World {
    let mut world = World::new(list.messages.clone());
    for operation in &list.operations {
        world.apply(*operation);
    }
    world.end();
    world
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(),
        failure_persistence: None,
        max_shrink_iters: 500,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_list_of_operations_loses_or_doubles_a_call(list in list()) {
        let world = play(&list);
        // Once more over everything that is still open: the same bytes in every table.
        let tables = world.tables();
        world.pass_over_open_days();
        prop_assert_eq!(world.tables(), tables);
        world.assert_days_add_up();
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases().div_ceil(10),
        failure_persistence: None,
        max_shrink_iters: 100,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_pass_per_day_is_a_pass_over_the_range(list in list()) {
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
        prop_assert_eq!(run(true), run(false));
    }
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
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for operations in lists {
        for _ in 0..8 {
            use proptest::strategy::ValueTree;
            let list = list().new_tree(&mut runner).unwrap().current();
            play(&List { messages: list.messages, operations: operations.to_vec() });
        }
    }
}
