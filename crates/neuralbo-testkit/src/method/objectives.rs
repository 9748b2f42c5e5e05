//! Several objectives: methods that claim them choose points for two to four of any kind, the others refuse them by name.

use super::search::{branches, cube, grid, mixed, pool, quick, rows};
use neuralbo::linalg::{Points, Streams};
use neuralbo::space::Space;
use neuralbo::strategy::presets::{METHODS, Method, Registry};
use neuralbo::strategy::{Exhausted, Goals, History, Request, Setup, Strategy, Suggestion};
use std::sync::Arc;

/// A method at work on several objectives.
struct Several {
    setup: Setup,
    history: History,
    strategy: Box<dyn Strategy>,
}

impl Several {
    fn new(method: &Method, space: &Space, goals: Goals, seed: u64) -> Self {
        let history = History::with_goals(space.encoded_dim(), &goals);
        let setup = Setup {
            goals,
            ..Setup::new(Arc::new(space.clone()), Streams::new(seed))
        };
        let strategy = method.strategy_for(&setup, &quick(method)).unwrap();
        Self {
            setup,
            history,
            strategy,
        }
    }

    /// Up to `count` suggestions, each a feasible point of the space with finite predictions, no two the same.
    fn ask(&mut self, pending: &Points, count: usize) -> Result<Vec<Suggestion>, Exhausted> {
        let number = (self.history.len() + pending.len()) as u64;
        let suggestions = self.strategy.suggest(&Request {
            history: &self.history,
            pending,
            number,
            count,
            cancel: None,
        })?;
        assert!((1..=count).contains(&suggestions.len()));
        let space = &self.setup.space;
        for (i, suggestion) in suggestions.iter().enumerate() {
            let row = space.encode(&suggestion.point).unwrap();
            assert!(
                row.iter()
                    .zip(&suggestion.row)
                    .all(|(a, b)| (a - b).abs() < 1e-12),
                "{row:?} of {suggestion:?}"
            );
            assert!(
                suggestion.row.iter().all(|x| (-1.0..=1.0).contains(x)),
                "{:?}",
                suggestion.row
            );
            space.satisfies(&space.params(&suggestion.point)).unwrap();
            assert!(
                suggestion.mean.is_none_or(f64::is_finite)
                    && suggestion.sd.is_none_or(|sd| sd.is_finite() && sd >= 0.0)
            );
            assert!(
                suggestions[..i]
                    .iter()
                    .all(|other| other.point != suggestion.point),
                "{suggestion:?} twice"
            );
            assert!(
                pending.rows().all(|row| row != suggestion.row),
                "{suggestion:?} runs already"
            );
        }
        Ok(suggestions)
    }

    /// Evaluates `trials` suggestions in batches; a first reward of NaN is a failure.
    fn run(&mut self, trials: usize, batch: usize, rewards: impl Fn(&[f64]) -> Vec<f64>) {
        let (none, end) = (
            Points::new(self.setup.space.encoded_dim()),
            self.history.len() + trials,
        );
        while self.history.len() < end {
            for suggestion in self
                .ask(&none, batch.min(end - self.history.len()))
                .unwrap()
            {
                self.tell(&suggestion.row, &rewards(&suggestion.row));
            }
        }
    }

    fn tell(&mut self, row: &[f64], rewards: &[f64]) {
        if rewards[0].is_nan() {
            self.history.push_failed(row);
        } else {
            let slacks: Vec<f64> = (0..self.setup.goals.slacks)
                .map(|k| 0.5 - row[0] + 0.1 * k as f64)
                .collect();
            self.history.push_measured(row, rewards, &slacks);
        }
    }

    /// Tells rewards at eight rows, then asks for a batch and once more beside what runs.
    fn answers(&mut self, rewards: impl Fn(usize) -> Vec<f64>) {
        for (i, row) in rows(&self.setup.space, 8).iter().enumerate() {
            self.tell(row, &rewards(i));
        }
        let none = Points::new(self.setup.space.encoded_dim());
        let batch = self.ask(&none, 4).unwrap();
        let running = Points::from_rows(none.dim(), batch.iter().map(|suggestion| &suggestion.row));
        self.ask(&running, 2).unwrap();
    }
}

/// Smooth objectives whose best points differ.
fn conflicting(row: &[f64], objectives: usize) -> Vec<f64> {
    let best = |k: usize, j: usize| if j % objectives == k { 0.4 } else { -0.3 };
    (0..objectives)
        .map(|k| {
            -row.iter()
                .enumerate()
                .map(|(j, x)| (x - best(k, j)).powi(2))
                .sum::<f64>()
        })
        .collect()
}

/// Several objectives are searched or refused by name.
pub fn several_objectives_are_searched_or_refused_by_name(method: &Method) {
    let goals = Goals::objectives(3);
    if method.objectives {
        for objectives in 2..=4 {
            let mut several = Several::new(method, &cube(3), Goals::objectives(objectives), 1);
            several.run(9, 1, |row| conflicting(row, objectives));
            several.run(6, 3, |row| conflicting(row, objectives));
        }
        return;
    }
    let setup = Setup {
        goals,
        ..Setup::new(Arc::new(cube(2)), Streams::new(1))
    };
    let registry = Registry::of(METHODS.iter().copied().chain([*method]));
    let refusal = registry.build_for(method.name, &setup, &quick(method));
    let refusal = refusal.err().unwrap().to_string();
    assert!(
        refusal.contains(method.name)
            && refusal.contains("3 objectives")
            && refusal.contains("random"),
        "{refusal}"
    );
}

/// Objectives of every kind have answers: constant, equal, huge, tiny, with outliers, unknown in part.
pub fn objectives_of_every_kind_have_answers(method: &Method) {
    if !method.objectives {
        return;
    }
    let space = cube(2);
    let answers = |rewards: &dyn Fn(usize) -> Vec<f64>| {
        Several::new(method, &space, Goals::objectives(rewards(0).len()), 3).answers(rewards);
    };
    let wave = |i: usize| (1.7 * i as f64).sin();
    answers(&|i| vec![wave(i), -wave(i)]);
    answers(&|i| vec![wave(i), wave(i)]);
    answers(&|_| vec![1.0, -2.0]);
    answers(&|i| vec![wave(i), 5.0]);
    answers(&|i| vec![1e300 * wave(i), 1e-300 * wave(i + 1)]);
    answers(&|i| {
        vec![
            if i == 3 { -1e300 } else { wave(i) },
            if i == 5 { -1e300 } else { -wave(i) },
        ]
    });
    answers(&|i| vec![wave(i), if i % 2 == 0 { f64::NAN } else { -wave(i) }]);
    answers(&|i| vec![wave(i), f64::NAN]);
    answers(&|i| (0..4).map(|k| wave(i + 2 * k)).collect());
    let mut alone = Several::new(method, &space, Goals::objectives(2), 3);
    alone.tell(&[0.1, 0.2], &[2.0, 3.0]);
    alone.ask(&Points::new(2), 3).unwrap();
}

/// Several objectives are searched in spaces of every kind, over failures, until nothing is left.
pub fn several_objectives_in_spaces_of_every_kind(method: &Method) {
    if !method.objectives {
        return;
    }
    let rewards = |row: &[f64]| {
        if row[0] > 0.7 {
            vec![f64::NAN; 2]
        } else {
            conflicting(row, 2)
        }
    };
    for space in [
        mixed(),
        branches(),
        super::search::constrained(&["x=float(0,1)", "y=float(0,1)"], &["x + y <= 0.5"]),
    ] {
        let mut several = Several::new(method, &space, Goals::objectives(2), 5);
        several.run(10, 1, rewards);
        several.run(4, 4, rewards);
    }
    for (space, points) in [(grid(), 24), (pool(), 30)] {
        let mut several = Several::new(method, &space, Goals::objectives(2), 5);
        several.run(points, 5, rewards);
        let none = Points::new(space.encoded_dim());
        assert_eq!(several.ask(&none, 1), Err(Exhausted), "{points} points");
    }
}

/// The same seed and history give the same points for several objectives, in a fresh strategy as in one at work.
pub fn several_objectives_are_repeatable(method: &Method) {
    if !method.objectives {
        return;
    }
    for space in [cube(3), mixed()] {
        let run = |seed| {
            let mut several = Several::new(method, &space, Goals::objectives(2), seed);
            several.run(9, 1, |row| conflicting(row, 2));
            several.run(4, 4, |row| conflicting(row, 2));
            several
        };
        let (mut kept, mut fresh) = (
            run(1),
            Several::new(method, &space, Goals::objectives(2), 1),
        );
        assert_eq!(kept.history, run(1).history);
        assert_ne!(kept.history, run(2).history);
        fresh.history = kept.history.clone();
        let none = Points::new(space.encoded_dim());
        assert_eq!(kept.ask(&none, 3), fresh.ask(&none, 3));
    }
}

/// Several objectives under outcome constraints, feasible in part or nowhere, are searched where the method claims both.
pub fn several_objectives_under_outcome_constraints(method: &Method) {
    if !(method.objectives && method.outcome_constraints) {
        return;
    }
    let goals = Goals {
        slacks: 2,
        ..Goals::objectives(2)
    };
    let mut several = Several::new(method, &cube(2), goals.clone(), 7);
    several.run(12, 1, |row| conflicting(row, 2));
    several.run(3, 3, |row| conflicting(row, 2));
    let mut nowhere = Several::new(method, &cube(2), goals, 7);
    for row in rows(&cube(2), 8) {
        nowhere.history.push_measured(
            &row,
            &conflicting(&row, 2),
            &[-1.0 - row[0].abs(), f64::NAN],
        );
    }
    nowhere.ask(&Points::new(2), 3).unwrap();
}
