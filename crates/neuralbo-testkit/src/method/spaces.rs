//! Spaces of every kind: one dimension and many, mixed, small, listed, and with nothing to choose.

use super::search::{TestSearch, branches, cube, mixed, small_tree, smooth};
use neuralbo::space::Space;
use neuralbo::strategy::Exhausted;
use neuralbo::strategy::presets::Method;

/// All points differ, and the model chooses some of the next.
pub(super) fn searched(method: &Method, space: &Space, trials: usize) {
    let mut search = TestSearch::new(method, space, 3);
    search.run(trials, 1, smooth);
    assert_eq!(search.points().len(), trials);
    search.assert_next_by_model();
}

pub(super) fn a_tree_of_conditions_is_used_up_and_then_exhausted(method: &Method) {
    // a; b with n below and from 4 on; c: twice for the flag but for a.
    assert_eq!(small_tree().cardinality(), Some(1 + 2 * (3 + 2 * 3) + 2));
    used_up(method, &small_tree(), 4);
}

/// Every point once, in batches, then a clean stop.
pub(super) fn used_up(method: &Method, space: &Space, batch: usize) {
    let points = space.cardinality().unwrap() as usize;
    let mut search = TestSearch::new(method, space, 7);
    search.run(points, batch, smooth);
    assert_eq!(search.points().len(), points);
    for count in [1, 3] {
        let none = search.nothing();
        assert_eq!(search.ask(&none, count), Err(Exhausted));
    }
}

/// Trials that were made under another definition: beyond the bounds, or without some of the parameters.
pub(super) fn rows_beyond_the_space_are_knowledge_only(method: &Method) {
    for space in [cube(2), mixed(), branches()] {
        let mut search = TestSearch::new(method, &space, 4);
        search.tell_all(6, |i| i as f64);
        search.tell(&vec![1.7; space.encoded_dim()], 20.0);
        search.tell(&vec![-2.5; space.encoded_dim()], -20.0);
        search.tell(&vec![0.0; space.encoded_dim()], 3.0);
        search.tell(&vec![2.0; space.encoded_dim()], f64::NAN);
        search.run(6, 1, smooth);
    }
}
