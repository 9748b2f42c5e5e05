//! A search is a function of its seed and its history: not of the process it runs in, nor of the number of threads. Suggestions made
//! together differ, and running trials are left alone.

use std::collections::HashSet;

use neuralbo::acquisition::maximize::random_row;
use neuralbo::linalg::{Points, Purpose, Streams};
use neuralbo::space::{Point, Space};
use neuralbo::strategy::History;
use neuralbo::strategy::presets::Method;

use super::search::{TestSearch, branches, cube, grid, mixed, pool, smooth};

fn spaces() -> [Space; 5] {
    [cube(3), mixed(), grid(), pool(), branches()]
}

/// A smooth reward that fails in a corner, so that every part of a method is in use.
fn reward(row: &[f64]) -> f64 {
    if row[0] > 0.5 { f64::NAN } else { smooth(row) }
}

fn history(method: &Method, space: &Space, seed: u64) -> History {
    let mut search = TestSearch::new(method, space, seed);
    search.run(8, 1, reward);
    search.run(4, 4, reward);
    search.history
}

pub(super) fn the_same_seed_gives_the_same_points_and_another_seed_others(method: &Method) {
    for space in spaces() {
        assert_eq!(history(method, &space, 1), history(method, &space, 1));
        assert_ne!(history(method, &space, 1), history(method, &space, 2));
    }
}

pub(super) fn a_fresh_strategy_continues_where_another_stopped(method: &Method) {
    for space in spaces() {
        let mut kept = TestSearch::new(method, &space, 3);
        kept.run(12, 3, reward);
        let mut fresh = TestSearch::new(method, &space, 3);
        fresh.history = kept.history.clone();
        assert_eq!(kept.batch(3), fresh.batch(3));
    }
}

pub(super) fn one_and_two_threads_give_the_same_points(method: &Method) {
    let on_threads = |count, method: &Method| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
        let pool = pool.unwrap();
        pool.install(|| history(method, &cube(3), 9))
    };
    assert_eq!(on_threads(1, method), on_threads(2, method));
}

/// Four random rows of different points that were not evaluated.
fn running(search: &TestSearch) -> Points {
    let mut rng = Streams::new(8).stream(0, Purpose::Design);
    let (mut known, mut pending) = (search.points(), Points::new(search.space.encoded_dim()));
    while pending.len() < 4 {
        let row = random_row(&search.space, &mut rng);
        if known.insert(search.space.decode(&row)) {
            pending.push(&row);
        }
    }
    pending
}

pub(super) fn eight_suggestions_differ_from_each_other_and_from_all_that_is_known_or_running(
    method: &Method,
) {
    for space in [cube(2), mixed(), grid(), pool(), branches()] {
        let mut search = TestSearch::new(method, &space, 5);
        search.run(8, 8, smooth);
        let pending = running(&search);
        let batch = search.ask(&pending, 8).unwrap();
        let new = batch.into_iter().map(|suggestion| suggestion.point);
        let new: HashSet<Point> = new.collect();
        let mut known = search.points();
        known.extend(pending.rows().map(|row| space.decode(row)));
        assert_eq!((known.len(), new.len()), (12, 8));
        assert!(new.is_disjoint(&known));
    }
}

pub(super) fn what_remains_beside_running_trials_is_proposed_and_no_more(method: &Method) {
    let space = grid();
    let mut search = TestSearch::new(method, &space, 6);
    search.run(10, 5, smooth);
    let pending = running(&search);
    let rest = search.ask(&pending, 24).unwrap();
    assert_eq!(rest.len(), 24 - 10 - 4);
}
