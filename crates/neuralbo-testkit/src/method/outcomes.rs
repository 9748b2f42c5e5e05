//! Outcome constraints: a method that claims them goes on whatever is measured, and one that does not refuses by its name.

use std::collections::HashSet;
use std::sync::Arc;

use super::search::{branches, cube, grid, mixed, pool, quick, smooth};
use neuralbo::linalg::{Points, Streams};
use neuralbo::space::{Point, Space};
use neuralbo::strategy::presets::{METHODS, Method, Options, Registry};
use neuralbo::strategy::{Goals, History, Request, Setup, Strategy, Suggestion};

/// A method at work under two outcome constraints.
struct LimitedSearch {
    space: Space,
    history: History,
    strategy: Box<dyn Strategy>,
}

/// The slacks of the constraints at a row; NaN where one was not measured.
type Slacks = fn(&[f64]) -> [f64; 2];

impl LimitedSearch {
    fn new(method: &Method, space: &Space, seed: u64) -> Self {
        let goals = Goals {
            slacks: 2,
            ..Goals::default()
        };
        let history = History::with_goals(space.encoded_dim(), &goals);
        let setup = Setup {
            goals,
            ..Setup::new(Arc::new(space.clone()), Streams::new(seed))
        };
        Self {
            space: space.clone(),
            history,
            strategy: method.strategy_for(&setup, &quick(method)).unwrap(),
        }
    }

    fn ask(&mut self, count: usize) -> Vec<Suggestion> {
        let pending = Points::new(self.space.encoded_dim());
        let number = self.history.len() as u64;
        let request = Request {
            history: &self.history,
            pending: &pending,
            number,
            count,
            cancel: None,
        };
        let suggestions = self.strategy.suggest(&request).unwrap();
        for suggestion in &suggestions {
            assert!(
                suggestion.row.iter().all(|x| (-1.0..=1.0).contains(x)),
                "{:?}",
                suggestion.row
            );
            assert!(
                suggestion.mean.is_none_or(f64::is_finite)
                    && suggestion.sd.is_none_or(f64::is_finite),
                "{suggestion:?}"
            );
        }
        suggestions
    }

    fn run(mut self, trials: usize, batch: usize, slacks: Slacks) -> Self {
        while self.history.len() < trials {
            for suggestion in self.ask(batch.min(trials - self.history.len())) {
                let row = suggestion.row;
                self.history
                    .push_measured(&row, &[smooth(&row)], &slacks(&row));
            }
        }
        self
    }

    fn points(&self) -> HashSet<Point> {
        (0..self.history.len())
            .map(|i| self.space.decode(self.history.row(i)))
            .collect()
    }
}

/// Evaluates some trials, and all differ.
fn searched(method: &Method, space: &Space, slacks: Slacks) {
    if method.outcomes {
        for batch in [1, 4] {
            let search = LimitedSearch::new(method, space, 3).run(12, batch, slacks);
            assert_eq!(search.points().len(), 12, "batches of {batch}");
        }
    }
}

/// One that cannot says so before the first trial, and names those that can.
pub fn a_method_without_outcome_constraints_refuses_by_name(method: &Method) {
    let registry = Registry::of(METHODS.iter().copied().chain([*method]));
    let goals = Goals {
        slacks: 1,
        ..Goals::default()
    };
    let setup = Setup {
        goals,
        ..Setup::new(Arc::new(cube(2)), Streams::new(1))
    };
    match registry.build_for(method.name, &setup, &Options::new()) {
        Ok(_) => assert!(method.outcomes),
        Err(error) => {
            let text = error.to_string();
            assert!(
                !method.outcomes && text.contains(&format!("`{}`", method.name)),
                "{text}"
            );
            assert!(
                text.contains("outcome constraints") && text.contains("neuralbo"),
                "{text}"
            );
        }
    }
}

/// A part of the space is feasible.
pub fn a_border_through_the_space_is_searched(method: &Method) {
    searched(method, &cube(3), |x| [0.2 - x[0], x[1] + 0.9]);
}

/// Nothing is.
pub fn the_search_goes_on_where_nothing_is_feasible(method: &Method) {
    searched(method, &cube(2), |x| [-1.0 - x[0] * x[0], 1.0]);
}

/// Everything is.
pub fn constraints_that_always_hold_are_no_hindrance(method: &Method) {
    searched(method, &cube(2), |x| [5.0 + x[0], 1.0 - 0.1 * x[1]]);
}

/// Measured quantities that never change, at the border and beside it.
pub fn constant_slacks_are_modelled(method: &Method) {
    searched(method, &cube(2), |_| [0.0, -3.0]);
}

/// Bytes beside fractions, and values over many orders of magnitude.
pub fn slacks_of_any_size_are_modelled(method: &Method) {
    searched(method, &cube(2), |x| {
        [1e9 * (0.3 - x[0]), 1e-9 * (0.5 + x[1])]
    });
    searched(method, &cube(2), |x| {
        [1e300 * (0.3 - x[0]), -(30.0 * x[1]).exp()]
    });
}

/// Trials that were stopped before a quantity was measured.
pub fn slacks_that_were_not_measured_are_left_out(method: &Method) {
    searched(method, &cube(2), |x| {
        [0.3 - x[0], if x[1] > 0.0 { f64::NAN } else { 1.0 }]
    });
    searched(method, &cube(2), |_| [f64::NAN; 2]);
}

/// Every kind of space.
pub fn mixed_conditional_and_finite_spaces_are_searched_under_outcome_constraints(method: &Method) {
    for space in [mixed(), branches(), grid(), pool()] {
        searched(method, &space, |x| [0.4 - x[0], 0.9 - x[x.len() - 1]]);
    }
}

/// Failed trials beside infeasible ones.
pub fn failures_and_limits_go_together(method: &Method) {
    if method.outcomes {
        let mut search = LimitedSearch::new(method, &cube(2), 5);
        for trial in 0..12 {
            let row = search.ask(1).remove(0).row;
            if trial % 3 == 1 {
                search.history.push_failed(&row);
            } else {
                search
                    .history
                    .push_measured(&row, &[smooth(&row)], &[0.1 - row[0], 0.5]);
            }
        }
        assert_eq!(search.points().len(), 12);
    }
}

/// What is suggested depends on the history and the seed alone.
pub fn a_fresh_strategy_continues_under_outcome_constraints(method: &Method) {
    if method.outcomes {
        let mut search =
            LimitedSearch::new(method, &cube(2), 9).run(10, 1, |x| [0.2 - x[0], 0.5 + x[1]]);
        let mut fresh = LimitedSearch {
            history: search.history.clone(),
            ..LimitedSearch::new(method, &cube(2), 9)
        };
        assert_eq!(search.ask(3), fresh.ask(3));
    }
}
