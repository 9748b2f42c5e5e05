//! Figures 5 and 6: robot pushing; the 60-dimensional rover as an extra.

use neuralbo::linalg::{Purpose, Streams};
use neuralbo::space::Space;
use serde_json::{Value, json};

use super::task::{BoxObjective, Objective, Task, seed_of, uniform_design};
use super::{Experiment, LabError};
use crate::Problem;
use crate::problems::push::RobotPushing;
use crate::problems::rover::Rover;

/// Points of the shared initial design.
const PUSH_INITIAL: usize = 15;

/// Robot pushing and the rover.
pub struct Robots {
    /// Evaluations after the initial design.
    pub evaluations: u64,
}

impl Experiment for Robots {
    fn task(&self, problem: &str, run: u32) -> Result<Task, LabError> {
        let seed = seed_of(&["push", problem], run);
        let streams = Streams::new(seed);
        match problem {
            "push-14" => {
                let observation = Box::new(move |x: &[f64], i| RobotPushing.observe(x, &mut streams.stream(i, Purpose::Noise)));
                let objective = BoxObjective { problem: RobotPushing, observation };
                self.on_box(&RobotPushing, PUSH_INITIAL, Box::new(objective), run, seed)
            }
            "rover-60" => {
                let rover = Rover::new();
                let seen = rover.clone();
                let observation = Box::new(move |x: &[f64], i| seen.observe(x, &mut streams.stream(i, Purpose::Noise)));
                let objective = BoxObjective { problem: rover.clone(), observation };
                self.on_box(&rover, rover.dim() + 1, Box::new(objective), run, seed)
            }
            _ => Err(LabError::UnknownProblem {
                problem: problem.to_owned(),
                experiment: "push",
                allowed: "its problems: push-14, rover-60".into(),
            }),
        }
    }

    fn facts(&self, _: &[String]) -> Result<Value, LabError> {
        Ok(json!({
            "noise": "push: N(0, 0.01²) on the four commanded velocities; rover: N(0, 0.0001²) on the mapped coordinates",
            "initial": "push: 15, rover: 61 uniform points, shared",
        }))
    }
}

impl Robots {
    fn on_box(
        &self,
        problem: &dyn Problem,
        initial: usize,
        objective: Box<dyn Objective>,
        run: u32,
        seed: u64,
    ) -> Result<Task, LabError> {
        let bounds = problem.bounds();
        Ok(Task {
            problem: problem.name(),
            run,
            seed,
            space: Space::from_bounds(&bounds).map_err(|error| LabError::Impossible(error.to_string()))?,
            direction: problem.direction(),
            initial: uniform_design(&bounds, initial, seed),
            objective,
            noisy: true,
            evaluations: self.evaluations,
        })
    }
}
