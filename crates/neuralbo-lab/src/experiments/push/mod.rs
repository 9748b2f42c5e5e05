//! Figure 5: robot pushing; the other simulations as extras.

mod claims;
mod report;

use neuralbo::linalg::{Purpose, Streams};
use neuralbo::space::{Point, Space};
use serde_json::{Value, json};

use crate::Simulation;
use crate::experiment::{
    Evaluator, Experiment, LabError, Profile, Published, Settings, Size, Task, Tasks, coordinates,
    seed_of, uniform_design,
};
use crate::problems::{Build, PROBLEMS};
use crate::report::{Claim, Document, Section};

/// Robot pushing.
pub struct Pushing;

impl Experiment for Pushing {
    fn name(&self) -> &'static str {
        "push"
    }

    fn title(&self) -> &'static str {
        "Robot pushing (Figure 5)"
    }

    fn size(&self, profile: Profile) -> Size {
        match profile {
            Profile::Quick => Size::new(["push-14"], 2, 4),
            Profile::Standard => Size::new(["push-14"], 5, 500),
            Profile::Paper => Size::new(["push-14"], 3, 6000).with_default_runs(5),
        }
    }

    fn published(&self) -> Option<Published> {
        Some(Published::of(self.size(Profile::Paper)).with_runs(10))
    }

    fn open(&self, settings: &Settings) -> Result<Box<dyn Tasks>, LabError> {
        Ok(Box::new(Robots {
            evaluations: settings.planned_evaluations(),
        }))
    }

    fn claims(&self) -> &'static [Claim] {
        &claims::CLAIMS
    }

    fn differences(&self, _: &Value) -> Vec<String> {
        vec!["own physics engine, bit-exact to the original on recorded pushes".into()]
    }

    fn report(&self, document: &mut Document, section: &Section<'_>) {
        report::report(document, section);
    }
}

/// Robot pushing and the other simulations with their noise.
struct Robots {
    /// Evaluations after the initial design.
    evaluations: u64,
}

impl Tasks for Robots {
    fn task(&self, problem: &str, run: u32) -> Result<Task, LabError> {
        let (_, build) = simulations()
            .find(|(name, _)| name == problem)
            .ok_or_else(|| LabError::UnknownProblem {
                problem: problem.to_owned(),
                experiment: "push",
                allowed: format!(
                    "its problems: {}",
                    simulations()
                        .map(|(name, _)| name)
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
            })?;
        let (simulation, seed) = (build(), seed_of(&["push", problem], run));
        let bounds = simulation.bounds();
        Ok(Task {
            problem: problem.to_owned(),
            run,
            seed,
            space: Space::from_bounds(&bounds)
                .map_err(|error| LabError::Impossible(error.to_string()))?,
            direction: simulation.direction(),
            initial: uniform_design(&bounds, bounds.len() + 1, seed),
            objective: Box::new(Simulated {
                simulation,
                streams: Streams::new(seed),
            }),
            noisy: true,
            evaluations: self.evaluations,
        })
    }

    /// The words are compared when a folder is continued: they stay what they were when there were two simulations.
    fn facts(&self, _: &[String]) -> Result<Value, LabError> {
        Ok(json!({
            "noise": "push: N(0, 0.01²) on the four commanded velocities; rover: N(0, 0.0001²) on the mapped coordinates",
            "initial": "push: 15, rover: 61 uniform points, shared",
        }))
    }
}

/// The simulations among all problems, by their full names.
fn simulations() -> impl Iterator<Item = (String, fn() -> Box<dyn Simulation>)> {
    PROBLEMS.iter().filter_map(|entry| match entry.build {
        Build::Simulation(build) => Some((entry.full_name(), build)),
        _ => None,
    })
}

/// A simulation with the random numbers of one run.
struct Simulated {
    simulation: Box<dyn Simulation>,
    streams: Streams,
}

impl Evaluator for Simulated {
    fn observe(&self, point: &Point, index: u64) -> f64 {
        self.simulation.observe(
            &coordinates(point),
            &mut self.streams.stream(index, Purpose::Noise),
        )
    }

    fn truth(&self, point: &Point) -> f64 {
        self.simulation.value(&coordinates(point))
    }
}
