//! Figure 1 and Tables 1 and 2: Ackley, Levy and Michalewicz with noise, and the same with the optimum moved.

mod claims;
mod controls;
mod report;
mod significance;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use neuralbo::space::Space;
use serde_json::{Value, json};

use crate::experiment::{
    BoxEvaluator, Experiment, LabError, NoiseLevel, Profile, Published, Settings, Size, Task,
    Tasks, known_methods, paper_methods, seed_of, uniform_design,
};
use crate::method::MethodSpec;
use crate::problems::wrappers::{Noisy, range, spread};
use crate::problems::{Control, by_name};
use crate::report::{Claim, Document, Section};

/// Random points over which a function's standard deviation is taken.
const SPREAD_POINTS: usize = 10_000;
const SPREAD_SEED: u64 = 1;
/// The text's noise: this part of the function's range is its variance.
const TEXT_VARIANCE: f64 = 0.01;

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
            Profile::Paper => {
                Size::new([problems(&DIMS), moved(problems(&DIMS))].concat(), 5, 2000)
            }
        }
    }

    fn published(&self) -> Option<Published> {
        Some(Published {
            problems: problems(&DIMS),
            runs: 10,
            evaluations: Some(2000),
        })
    }

    fn methods(&self) -> Vec<MethodSpec> {
        [paper_methods(), known_methods(["centre"])].concat()
    }

    fn open(&self, settings: &Settings) -> Result<Box<dyn Tasks>, LabError> {
        Ok(Box::new(Functions::new(settings)))
    }

    fn claims(&self) -> &'static [Claim] {
        &claims::CLAIMS
    }

    fn differences(&self, facts: &Value) -> Vec<String> {
        vec![match facts["noise"].as_str() {
            Some("text") => "noise variance 1 % of the function's range over its box (the text's)".into(),
            _ => "noise sd 0.1·std(f) as in the authors' code, where the text says variance 1 % of the range".into(),
        }]
    }

    fn report(&self, document: &mut Document, section: &Section<'_>) {
        report::report(document, section);
    }
}

fn problems(dims: &[usize]) -> Vec<String> {
    FUNCTIONS
        .iter()
        .flat_map(|name| dims.iter().map(move |dim| format!("{name}-{dim}")))
        .collect()
}

fn moved(problems: Vec<String>) -> Vec<String> {
    problems
        .into_iter()
        .map(|problem| format!("{problem}@{}", Control::Moved.name()))
        .collect()
}

/// The functions with their noise.
struct Functions {
    noise: NoiseLevel,
    /// Evaluations after the initial design.
    evaluations: u64,
    /// What [`Functions::noise_sd`] has found.
    known: Mutex<BTreeMap<String, f64>>,
}

impl Functions {
    fn new(settings: &Settings) -> Self {
        Self {
            noise: settings.noise,
            evaluations: settings.planned_evaluations(),
            known: Mutex::default(),
        }
    }

    /// The noise's standard deviation on a problem; controls have that of the original.
    fn noise_sd(&self, original: &str) -> Result<f64, LabError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sd) = known.get(original) {
            return Ok(*sd);
        }
        let problem = by_name(original, None)?;
        let sd = match self.noise {
            NoiseLevel::Code => 0.1 * spread(&problem, SPREAD_POINTS, SPREAD_SEED).sd,
            NoiseLevel::Text => {
                let (low, high) = range(&problem);
                (TEXT_VARIANCE * (high - low)).sqrt()
            }
        };
        known.insert(original.to_owned(), sd);
        Ok(sd)
    }
}

impl Tasks for Functions {
    fn task(&self, problem: &str, run: u32) -> Result<Task, LabError> {
        let function = by_name(problem, None)?;
        if !function.constraints().is_empty() {
            return Err(LabError::Impossible(format!(
                "problem `{problem}` has outcome constraints, this experiment has none"
            )));
        }
        // A control has the initial points and the noise of its original: what differs is the function alone.
        let (original, _) = Control::split(problem)?;
        let (bounds, direction, seed) = (
            function.bounds(),
            function.direction(),
            seed_of(&["synthetic", original], run),
        );
        let noisy = Noisy::new(by_name(problem, None)?, self.noise_sd(original)?, seed);
        let noisy = noisy.map_err(|error| LabError::Impossible(error.to_string()))?;
        Ok(Task {
            problem: problem.to_owned(),
            run,
            seed,
            space: Space::from_bounds(&bounds)
                .map_err(|error| LabError::Impossible(error.to_string()))?,
            direction,
            initial: uniform_design(&bounds, bounds.len() + 1, seed),
            objective: Box::new(BoxEvaluator {
                problem: function,
                observation: Box::new(move |x, i| noisy.observe(x, i)),
            }),
            noisy: true,
            evaluations: self.evaluations,
        })
    }

    fn facts(&self, problems: &[String]) -> Result<Value, LabError> {
        let mut noise = serde_json::Map::new();
        for problem in problems {
            noise.insert(
                problem.clone(),
                json!(self.noise_sd(Control::split(problem)?.0)?),
            );
        }
        Ok(
            json!({ "noise": self.noise, "noise_sd": noise, "initial": "d + 1 uniform points, shared" }),
        )
    }
}
