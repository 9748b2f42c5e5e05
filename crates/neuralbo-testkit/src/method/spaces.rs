//! Spaces of every kind: one dimension and many, mixed, small, listed, and with nothing to choose.

use super::search::{
    TestSearch, branches, cube, grid, layers, many_choices, mixed, parse, pool, small_tree, smooth,
    values,
};
use neuralbo::space::Space;
use neuralbo::strategy::Exhausted;
use neuralbo::strategy::presets::Method;

fn searched(method: &Method, space: &Space, trials: usize) -> TestSearch {
    let mut search = TestSearch::new(method, space, 3);
    search.run(trials, 1, smooth);
    assert_eq!(search.points().len(), trials);
    search
}

pub(super) fn one_dimension(method: &Method) {
    searched(method, &cube(1), 10).assert_next_by_model();
}

pub(super) fn a_hundred_dimensions(method: &Method) {
    searched(method, &cube(100), 6).assert_next_by_model();
}

pub(super) fn mixed_parameters(method: &Method) {
    searched(method, &mixed(), 12).assert_next_by_model();
}

pub(super) fn conditions_on_a_choice_are_respected(method: &Method) {
    searched(method, &branches(), 16).assert_next_by_model();
}

/// Conditions on numbers and on several parameters are respected.
pub(super) fn conditions_on_numbers_are_respected(method: &Method) {
    searched(method, &layers(), 16).assert_next_by_model();
}

/// Ordered choices, steps and values of every type.
pub(super) fn values_of_every_type(method: &Method) {
    searched(method, &values(), 12).assert_next_by_model();
}

pub(super) fn ten_thousand_choices(method: &Method) {
    searched(method, &many_choices(), 6).assert_next_by_model();
}

pub(super) fn a_tree_of_conditions_is_used_up_and_then_exhausted(method: &Method) {
    // a; b with n below and from 4 on; c: twice for the flag but for a.
    assert_eq!(small_tree().cardinality(), Some(1 + 2 * (3 + 2 * 3) + 2));
    used_up(method, &small_tree(), 4);
}

/// Every point once, in batches, then a clean stop.
fn used_up(method: &Method, space: &Space, batch: usize) {
    let points = space.cardinality().unwrap() as usize;
    let mut search = TestSearch::new(method, space, 7);
    search.run(points, batch, smooth);
    assert_eq!(search.points().len(), points);
    for count in [1, 3] {
        let none = search.nothing();
        assert_eq!(search.ask(&none, count), Err(Exhausted));
    }
}

pub(super) fn three_choices_are_used_up_and_then_exhausted(method: &Method) {
    used_up(method, &parse(&["c=choice(a,b,c)"]), 1);
    used_up(method, &parse(&["c=choice(a,b,c)"]), 8);
}

pub(super) fn a_grid_is_used_up_and_then_exhausted(method: &Method) {
    used_up(method, &grid(), 7);
}

pub(super) fn a_pool_is_used_up_and_then_exhausted(method: &Method) {
    used_up(method, &pool(), 7);
}

pub(super) fn fixed_values_make_one_point(method: &Method) {
    used_up(method, &parse(&["seed=4"]), 3);
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
