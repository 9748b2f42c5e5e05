//! Figure 1 and Tables 1 and 2: Ackley, Levy and Michalewicz with noise.

mod report;
mod significance;

use neuralbo::space::Space;
use serde_json::{Value, json};

use crate::experiment::{
    BoxEvaluator, Experiment, LabError, NoiseLevel, Profile, Settings, Size, Task, Tasks, seed_of, uniform_design,
};
use crate::problems::by_name;
use crate::problems::wrappers::{Noisy, spread};
use crate::report::{Document, Section};

/// Random points over which a function's spread is taken.
const SPREAD_POINTS: usize = 10_000;
const SPREAD_SEED: u64 = 1;

/// The functions of Figure 1.
const FUNCTIONS: [&str; 3] = ["ackley", "levy", "michalewicz"];
/// Their dimensions.
const DIMS: [usize; 4] = [10, 20, 50, 100];

/// The synthetic functions.
pub struct Synthetic;

impl Experiment for Synthetic {
    fn name(&self) -> &'static str {
        "synthetic"
    }

    fn title(&self) -> &'static str {
        "Synthetic functions (Figure 1, Tables 1 and 2)"
    }

    fn size(&self, profile: Profile) -> Size {
        match profile {
            Profile::Quick => Size::new(problems(&[5]), 3, 6),
            Profile::Standard => Size::new(problems(&DIMS), 5, 200),
            Profile::Paper => Size::new(problems(&DIMS), 10, 2000),
        }
    }

    fn open(&self, settings: &Settings) -> Result<Box<dyn Tasks>, LabError> {
        Ok(Box::new(Functions { noise: settings.noise, evaluations: settings.planned_evaluations() }))
    }

    fn differences(&self, facts: &Value) -> Vec<String> {
        vec![match facts["noise"].as_str() {
            Some("text") => "noise variance 1 % of the range over random points (the text's)".into(),
            _ => "noise sd 0.1·std(f) as in the authors' code, where the text says variance 1 % of the range".into(),
        }]
    }

    fn report(&self, document: &mut Document, section: &Section<'_>) {
        report::report(document, section);
    }
}

fn problems(dims: &[usize]) -> Vec<String> {
    FUNCTIONS.iter().flat_map(|name| dims.iter().map(move |dim| format!("{name}-{dim}"))).collect()
}

/// The functions with their noise.
struct Functions {
    noise: NoiseLevel,
    /// Evaluations after the initial design.
    evaluations: u64,
}

impl Functions {
    /// The noise's standard deviation on a problem.
    fn noise_sd(&self, problem: &dyn crate::Problem) -> f64 {
        let spread = spread(problem, SPREAD_POINTS, SPREAD_SEED);
        match self.noise {
            NoiseLevel::Code => 0.1 * spread.sd,
            NoiseLevel::Text => (0.01 * spread.range).sqrt(),
        }
    }
}

impl Tasks for Functions {
    fn task(&self, problem: &str, run: u32) -> Result<Task, LabError> {
        let function = by_name(problem, None)?;
        if !function.constraints().is_empty() {
            return Err(LabError::Impossible(format!("problem `{problem}` has outcome constraints, this experiment has none")));
        }
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
            objective: Box::new(BoxEvaluator { problem: function, observation: Box::new(move |x, i| noisy.observe(x, i)) }),
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
