//! A search is a function of its seed and its history: not of the process it runs in, nor of the number of threads.

use super::search::{TestSearch, branches, cube, grid, mixed, pool, smooth};
use neuralbo::space::Space;
use neuralbo::strategy::History;
use neuralbo::strategy::presets::Method;

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
