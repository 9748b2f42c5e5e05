//! Random studies have the same log in memory, in SQLite and in PostgreSQL.

use neuralbo_testkit::store::agreement::agree;

use crate::backends::{memory, postgres, sqlite};

const STEPS: usize = 24;

/// Runs the seeds on two threads, each with storages of its own.
fn sequences(count: u64) -> u64 {
    let half = |first: u64| {
        let (memory, sqlite) = (memory(), sqlite());
        (first..count)
            .step_by(2)
            .map(|seed| agree(&[&memory, &sqlite], seed, STEPS))
            .sum::<u64>()
    };
    std::thread::scope(|scope| {
        let (a, b) = (scope.spawn(|| half(0)), scope.spawn(|| half(1)));
        a.join().unwrap() + b.join().unwrap()
    })
}

#[test]
fn memory_and_sqlite_agree_on_two_thousand_random_studies() {
    let finished = sequences(2000);
    println!("2000 sequences, {finished} finished trials");
    assert!(finished > 4000, "{finished}");
}

#[test]
fn all_three_agree_on_two_hundred_random_studies() {
    let Some(postgres) = postgres() else { return };
    let (memory, sqlite) = (memory(), sqlite());
    let finished: u64 = (10_000..10_200)
        .map(|seed| agree(&[&memory, &sqlite, &postgres], seed, STEPS))
        .sum();
    println!("200 sequences, {finished} finished trials");
    assert!(finished > 400, "{finished}");
}
