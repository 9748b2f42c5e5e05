//! Figure 1 and Tables 1 and 2: Ackley, Levy and Michalewicz with noise.

use neuralbo::space::Space;
use serde_json::{Value, json};

use super::task::{BoxObjective, Task, seed_of, uniform_design};
use super::{Experiment, LabError, NoiseLevel};
use crate::problems::by_name;
use crate::problems::wrappers::{Noisy, spread};

/// Random points over which a function's spread is taken.
const SPREAD_POINTS: usize = 10_000;
const SPREAD_SEED: u64 = 1;

/// The synthetic functions.
pub struct Synthetic {
    /// How large the noise is.
    pub noise: NoiseLevel,
    /// Evaluations after the initial design.
    pub evaluations: u64,
}

impl Synthetic {
    /// The noise's standard deviation on a problem.
    fn noise_sd(&self, problem: &dyn crate::Problem) -> f64 {
        let spread = spread(problem, SPREAD_POINTS, SPREAD_SEED);
        match self.noise {
            NoiseLevel::Code => 0.1 * spread.sd,
            NoiseLevel::Text => (0.01 * spread.range).sqrt(),
        }
    }
}

impl Experiment for Synthetic {
    fn task(&self, problem: &str, run: u32) -> Result<Task, LabError> {
        let function = by_name(problem, None)?;
        let (bounds, direction, seed) = (function.bounds(), function.direction(), seed_of(&["synthetic", problem], run));
        let noisy = Noisy::new(by_name(problem, None)?, self.noise_sd(&function), seed);
        let noisy = noisy.map_err(|error| LabError::Impossible(error.to_string()))?;
        Ok(Task {
            problem: problem.to_owned(),
            run,
            seed,
            space: Space::from_bounds(&bounds).map_err(|error| LabError::Impossible(error.to_string()))?,
            direction,
            initial: uniform_design(&bounds, bounds.len() + 1, seed),
            objective: Box::new(BoxObjective { problem: function, observation: Box::new(move |x, i| noisy.observe(x, i)) }),
            noisy: true,
            evaluations: self.evaluations,
        })
    }

    fn facts(&self, problems: &[String]) -> Result<Value, LabError> {
        let mut noise = serde_json::Map::new();
        for problem in problems {
            noise.insert(problem.clone(), json!(self.noise_sd(&by_name(problem, None)?)));
        }
        Ok(json!({ "noise": self.noise, "noise_sd": noise, "initial": "d + 1 uniform points, shared" }))
    }
}
