//! Outcome constraints: a method that claims them goes on whatever is measured, and one that does not refuses by its name.

use super::search::{TestSearch, branches, cube, goals, grid, mixed, pool, setup, smooth};
use neuralbo::space::Space;
use neuralbo::strategy::presets::{METHODS, Method, Options, Registry};

/// The slacks of two constraints at a row; NaN where one was not measured.
type Slacks = fn(&[f64]) -> [f64; 2];

/// A search under two outcome constraints after some trials.
fn after(
    method: &Method,
    space: &Space,
    seed: u64,
    trials: usize,
    batch: usize,
    slacks: Slacks,
) -> TestSearch {
    let mut search = TestSearch::with_goals(method, space, seed, goals(1, 2));
    search.run_measured(trials, batch, |row| {
        (vec![smooth(row)], slacks(row).to_vec())
    });
    search
}

/// Evaluates some trials, and all differ.
pub(super) fn limited(method: &Method, space: &Space, slacks: Slacks) {
    if method.outcome_constraints {
        for batch in [1, 4] {
            let search = after(method, space, 3, 12, batch, slacks);
            assert_eq!(search.points().len(), 12, "batches of {batch}");
        }
    }
}

/// One that cannot says so before the first trial, and names those that can.
pub(super) fn a_method_without_outcome_constraints_refuses_by_name(method: &Method) {
    let registry = Registry::of(METHODS.iter().copied().chain([*method]));
    let setup = setup(&cube(2), 1, goals(1, 1));
    match registry.build_for(method.name, &setup, &Options::new()) {
        Ok(_) => assert!(method.outcome_constraints),
        Err(error) => {
            assert!(!method.outcome_constraints);
            let (text, name) = (error.to_string(), format!("`{}`", method.name));
            for part in [name.as_str(), "outcome constraints", "neuralbo"] {
                assert!(text.contains(part), "{text}");
            }
        }
    }
}

/// Bytes beside fractions, and values over many orders of magnitude.
pub(super) fn slacks_of_any_size_are_modelled(method: &Method) {
    limited(method, &cube(2), |x| {
        [1e9 * (0.3 - x[0]), 1e-9 * (0.5 + x[1])]
    });
    limited(method, &cube(2), |x| {
        [1e300 * (0.3 - x[0]), -(30.0 * x[1]).exp()]
    });
}

/// Trials that were stopped before a quantity was measured.
pub(super) fn slacks_that_were_not_measured_are_left_out(method: &Method) {
    limited(method, &cube(2), |x| {
        [0.3 - x[0], if x[1] > 0.0 { f64::NAN } else { 1.0 }]
    });
    limited(method, &cube(2), |_| [f64::NAN; 2]);
}

/// Every kind of space.
pub(super) fn mixed_conditional_and_finite_spaces_are_searched_under_outcome_constraints(
    method: &Method,
) {
    for space in [mixed(), branches(), grid(), pool()] {
        limited(method, &space, |x| [0.4 - x[0], 0.9 - x[x.len() - 1]]);
    }
}

/// Failed trials beside infeasible ones.
pub(super) fn failures_and_limits_go_together(method: &Method) {
    if method.outcome_constraints {
        let mut search = TestSearch::with_goals(method, &cube(2), 5, goals(1, 2));
        for trial in 0..12 {
            let row = search.next().row;
            let reward = if trial % 3 == 1 {
                f64::NAN
            } else {
                smooth(&row)
            };
            search.tell_measured(&row, &[reward], &[0.1 - row[0], 0.5]);
        }
        assert_eq!(search.points().len(), 12);
    }
}

/// What is suggested depends on the history and the seed alone.
pub(super) fn a_fresh_strategy_continues_under_outcome_constraints(method: &Method) {
    if method.outcome_constraints {
        let search = |trials| after(method, &cube(2), 9, trials, 1, |x| [0.2 - x[0], 0.5 + x[1]]);
        let (mut kept, mut fresh) = (search(10), search(0));
        fresh.history = kept.history.clone();
        assert_eq!(kept.batch(3), fresh.batch(3));
    }
}
