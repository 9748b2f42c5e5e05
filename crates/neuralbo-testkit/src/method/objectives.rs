//! Several objectives: methods that claim them choose points for two to four of any kind, the others refuse them by name.

use super::search::{TestSearch, branches, constrained, cube, goals, grid, mixed, pool};
use super::search::{quick, rows, setup};
use neuralbo::linalg::Points;
use neuralbo::space::Space;
use neuralbo::strategy::Exhausted;
use neuralbo::strategy::presets::{METHODS, Method, Registry};

/// A search for this many objectives.
fn several(method: &Method, space: &Space, objectives: usize, seed: u64) -> TestSearch {
    TestSearch::with_goals(method, space, seed, goals(objectives, 0))
}

/// Tells rewards at eight rows, then asks for a batch and once more beside what runs.
fn answers(method: &Method, rewards: impl Fn(usize) -> Vec<f64>) {
    let mut search = several(method, &cube(2), rewards(0).len(), 3);
    for (i, row) in rows(&search.space, 8).iter().enumerate() {
        search.tell_measured(row, &rewards(i), &[]);
    }
    let batch = search.batch(4);
    let running = Points::from_rows(2, batch.iter().map(|suggestion| &suggestion.row));
    search.ask(&running, 2).unwrap();
}

/// Objectives that conflict, without outcome constraints.
fn conflict(row: &[f64]) -> (Vec<f64>, Vec<f64>) {
    (conflicting(row, 2), vec![])
}

/// Smooth objectives whose best points differ.
fn conflicting(row: &[f64], objectives: usize) -> Vec<f64> {
    let best = |k: usize, j: usize| if j % objectives == k { 0.4 } else { -0.3 };
    let square = |k: usize, (j, x): (usize, &f64)| (x - best(k, j)).powi(2);
    let sum = |k: usize| row.iter().enumerate().map(|at| square(k, at)).sum::<f64>();
    (0..objectives).map(|k| -sum(k)).collect()
}

pub(super) fn several_objectives_are_searched_or_refused_by_name(method: &Method) {
    if method.objectives {
        for objectives in 2..=4 {
            let mut search = several(method, &cube(3), objectives, 1);
            search.run_measured(9, 1, |row| (conflicting(row, objectives), vec![]));
            search.run_measured(6, 3, |row| (conflicting(row, objectives), vec![]));
        }
        return;
    }
    let setup = setup(&cube(2), 1, goals(3, 0));
    let registry = Registry::of(METHODS.iter().copied().chain([*method]));
    let refusal = registry.build_for(method.name, &setup, &quick(method));
    let refusal = refusal.err().unwrap().to_string();
    for part in [method.name, "3 objectives", "random"] {
        assert!(refusal.contains(part), "{refusal}");
    }
}

/// Objectives of every kind have answers: constant, equal, huge, tiny, with outliers, unknown in part.
pub(super) fn objectives_of_every_kind_have_answers(method: &Method) {
    if !method.objectives {
        return;
    }
    let answers = |rewards: &dyn Fn(usize) -> Vec<f64>| answers(method, rewards);
    let wave = |i: usize| (1.7 * i as f64).sin();
    answers(&|i| vec![wave(i), -wave(i)]);
    answers(&|i| vec![wave(i), wave(i)]);
    answers(&|_| vec![1.0, -2.0]);
    answers(&|i| vec![wave(i), 5.0]);
    answers(&|i| vec![1e300 * wave(i), 1e-300 * wave(i + 1)]);
    let outlier = |hit: bool, value: f64| if hit { -1e300 } else { value };
    answers(&|i| vec![outlier(i == 3, wave(i)), outlier(i == 5, -wave(i))]);
    answers(&|i| vec![wave(i), if i % 2 == 0 { f64::NAN } else { -wave(i) }]);
    answers(&|i| vec![wave(i), f64::NAN]);
    answers(&|i| (0..4).map(|k| wave(i + 2 * k)).collect());
    let mut alone = several(method, &cube(2), 2, 3);
    alone.tell_measured(&[0.1, 0.2], &[2.0, 3.0], &[]);
    alone.batch(3);
}

/// Several objectives are searched in spaces of every kind, over failures, until nothing is left.
pub(super) fn several_objectives_in_spaces_of_every_kind(method: &Method) {
    if !method.objectives {
        return;
    }
    let measure = |row: &[f64]| match row[0] > 0.7 {
        true => (vec![f64::NAN; 2], vec![]),
        false => conflict(row),
    };
    let triangle = constrained(&["x=float(0,1)", "y=float(0,1)"], &["x + y <= 0.5"]);
    for space in [mixed(), branches(), triangle] {
        let mut search = several(method, &space, 2, 5);
        search.run_measured(10, 1, measure);
        search.run_measured(4, 4, measure);
    }
    for (space, points) in [(grid(), 24), (pool(), 30)] {
        let mut search = several(method, &space, 2, 5);
        search.run_measured(points, 5, measure);
        let none = search.nothing();
        assert_eq!(search.ask(&none, 1), Err(Exhausted), "{points} points");
    }
}

/// The same seed and history give the same points for several objectives, in a fresh strategy as in one at work.
pub(super) fn several_objectives_are_repeatable(method: &Method) {
    if !method.objectives {
        return;
    }
    for space in [cube(3), mixed()] {
        let run = |seed| {
            let mut search = several(method, &space, 2, seed);
            search.run_measured(9, 1, conflict);
            search.run_measured(4, 4, conflict);
            search
        };
        let (mut kept, mut fresh) = (run(1), several(method, &space, 2, 1));
        assert_eq!(kept.history, run(1).history);
        assert_ne!(kept.history, run(2).history);
        fresh.history = kept.history.clone();
        assert_eq!(kept.batch(3), fresh.batch(3));
    }
}

/// Several objectives under outcome constraints, feasible in part or nowhere, are searched where the method claims both.
pub(super) fn several_objectives_under_outcome_constraints(method: &Method) {
    if !(method.objectives && method.outcome_constraints) {
        return;
    }
    let search = || TestSearch::with_goals(method, &cube(2), 7, goals(2, 2));
    let limited = |row: &[f64]| (conflicting(row, 2), vec![0.5 - row[0], 0.6 - row[0]]);
    let mut partly = search();
    partly.run_measured(12, 1, limited);
    partly.run_measured(3, 3, limited);
    let mut nowhere = search();
    for row in rows(&cube(2), 8) {
        let slacks = [-1.0 - row[0].abs(), f64::NAN];
        nowhere.tell_measured(&row, &conflicting(&row, 2), &slacks);
    }
    nowhere.batch(3);
}
