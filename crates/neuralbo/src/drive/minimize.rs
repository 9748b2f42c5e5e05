//! Optimizing a closure in a few lines.

use std::time::Duration;

use super::{DriveError, DriveOptions, DriveSummary, Objective, Observer, drive};
use crate::record::{Definition, Direction, Limits, Pruner, Retries, Trial};
use crate::space::{Params, Space};
use crate::study::Study;

/// Trials of a run for which no limit is given.
const DEFAULT_TRIALS: u64 = 100;

/// Looks for the smallest value of a function.
///
/// ```
/// use neuralbo::space::{Params, Space};
///
/// let space = Space::new(vec!["x=float(-5,10)".parse()?, "y=float(0,15)".parse()?])?;
/// let distance = |p: &Params| {
///     let point = p.float("x").zip(p.float("y")).ok_or("a parameter is missing");
///     point.map(|(x, y)| (x - 3.0).powi(2) + (y - 2.0).powi(2))
/// };
/// let found = neuralbo::minimize(&space, distance).trials(40).seed(1).run()?;
/// assert!(found.value.is_some_and(|value| value < 0.1));
/// println!("{} at {}", found.value.unwrap_or(f64::NAN), found.params);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn minimize<O: Objective>(space: &Space, objective: O) -> Optimization<O> {
    Optimization::new(space, objective, Direction::Minimize)
}

/// Looks for the largest value of a function; see [`minimize`].
pub fn maximize<O: Objective>(space: &Space, objective: O) -> Optimization<O> {
    Optimization::new(space, objective, Direction::Maximize)
}

/// An optimization to be run; made by [`minimize`] and [`maximize`].
pub struct Optimization<O> {
    definition: Definition,
    objective: O,
    limits: Limits,
    options: DriveOptions,
    known: Vec<(Params, f64)>,
}

/// What an optimization found.
#[non_exhaustive]
pub struct Solution {
    /// The parameters of the best trial; empty if no trial returned a value.
    pub params: Params,
    /// Its value; `None` if no trial returned one.
    pub value: Option<f64>,
    /// The best trial.
    pub best: Option<Trial>,
    /// How the run ended.
    pub summary: DriveSummary,
    /// The study, to be looked at or continued.
    pub study: Study,
}

impl<O: Objective> Optimization<O> {
    fn new(space: &Space, objective: O, direction: Direction) -> Self {
        // What fails in this process would fail in it again.
        let definition = Definition {
            retries: Retries::never(),
            ..Definition::new(space.clone(), direction)
        };
        Self {
            definition,
            objective,
            limits: Limits::default(),
            options: DriveOptions::default(),
            known: Vec::new(),
        }
    }

    /// At most this many evaluations; 100 unless any limit is given.
    pub fn trials(mut self, trials: u64) -> Self {
        self.limits.trials = Some(trials);
        self
    }

    /// Begin no evaluation after this time.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = Some(timeout);
        self
    }

    /// Stop when the best value is at least as good as this.
    pub fn target(mut self, target: f64) -> Self {
        self.limits.target = Some(target);
        self
    }

    /// Stop after this many evaluations without an improvement.
    pub fn patience(mut self, patience: u64) -> Self {
        self.limits.patience = Some(patience);
        self
    }

    /// Makes the run repeatable; the same seed gives the same points.
    pub fn seed(mut self, seed: u64) -> Self {
        self.definition.seed = seed;
        self
    }

    /// How points are chosen, see [`Registry::methods`](crate::Registry::methods); options are texts `key=value`.
    pub fn method(mut self, name: &str, options: &[&str]) -> Self {
        self.definition.method = name.to_owned();
        self.definition.options = options.iter().map(|option| (*option).to_owned()).collect();
        self
    }

    /// How many evaluations run at the same time, each on a thread of its own.
    pub fn workers(mut self, workers: usize) -> Self {
        self.options.workers = workers;
        self
    }

    /// Stop evaluations early whose intermediate values are worse than others'.
    pub fn prune(mut self, pruner: Pruner) -> Self {
        self.definition.pruner = Some(pruner);
        self
    }

    /// A result known from elsewhere; may be called often.
    pub fn known(mut self, params: Params, value: f64) -> Self {
        self.known.push((params, value));
        self
    }

    /// Runs it.
    pub fn run(self) -> Result<Solution, DriveError> {
        self.watched(&mut [])
    }

    /// Runs it, watched by observers.
    pub fn watched(mut self, observers: &mut [&mut dyn Observer]) -> Result<Solution, DriveError> {
        if self.limits == Limits::default() && self.options.timeout.is_none() {
            self.limits.trials = Some(DEFAULT_TRIALS);
        }
        let mut study = Study::new(self.definition)?;
        study.set_limits(self.limits)?;
        for (params, value) in self.known {
            study.add_known(params, value)?;
        }
        let summary = drive(&mut study, &self.objective, &self.options, observers)?;
        let best = study.best()?;
        let objective = study.definition().objective();
        let value = best.as_ref().and_then(|trial| trial.value(objective));
        let params = best.as_ref().and_then(|trial| trial.params.clone());
        Ok(Solution {
            params: params.unwrap_or_default(),
            value,
            best,
            summary,
            study,
        })
    }
}
