//! Figure 1 and Tables 1 and 2: Ackley, Levy and Michalewicz with noise, and the same with the optimum moved.

mod report;
mod significance;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::problems::noise::GaussianNoise;
use crate::problems::{Control, by_name};
use crate::report::{Published, Reported};
use crate::runner::{
    BoxEvaluator, Experiment, LabCase, LabError, LabSettings, NoiseLevel, Profile, Size, Suite,
    known_methods, paper_methods, seed_of, uniform_design,
};

/// The functions of Figure 1.
const FUNCTIONS: [&str; 3] = ["ackley", "levy", "michalewicz"];
/// Their dimensions.
const DIMS: [usize; 4] = [10, 20, 50, 100];

/// The synthetic functions.
pub static SYNTHETIC: Reported = Reported {
    published: || {
        Some(Published {
            problems: problems(&DIMS),
            ..Published::of(size(Profile::Paper))
        })
    },
    ..Reported::new(
        Experiment {
            methods: || [paper_methods(), known_methods(["centre"])].concat(),
            ..Experiment::new("synthetic", size, open)
        },
        "Synthetic functions (Figure 1, Tables 1 and 2)",
        differences,
        report::report,
    )
};

fn size(profile: Profile) -> Size {
    let all = || problems(&DIMS);
    match profile {
        Profile::Quick => Size::new(problems(&[5]), 3, 6),
        Profile::Standard => Size::new(all(), 5, 200),
        Profile::Paper => Size::new([all(), moved(all())].concat(), 10, 2000),
    }
}

pub(super) fn open(settings: &LabSettings) -> Result<Box<dyn Suite>, LabError> {
    Ok(Box::new(NoisyFunctions::new(settings)))
}

pub(super) fn differences(facts: &Value) -> Vec<String> {
    vec![match facts["noise"].as_str() {
        Some("text") => "noise variance 1 % of the function's range over its box (the text's)".into(),
        Some("code") => "noise sd 0.1·std(f) as in the authors' code, where the text says variance 1 % of the range".into(),
        other => format!("noise {}", other.unwrap_or("unknown")),
    }]
}

fn problems(dims: &[usize]) -> Vec<String> {
    let of = |name| dims.iter().map(move |dim| format!("{name}-{dim}"));
    FUNCTIONS.iter().flat_map(of).collect()
}

fn moved(problems: Vec<String>) -> Vec<String> {
    let moved = |problem| format!("{problem}@{}", Control::MOVED.name());
    problems.into_iter().map(moved).collect()
}

/// The functions with their noise.
struct NoisyFunctions {
    noise: NoiseLevel,
    /// Shared points, where not one more than coordinates.
    initial: Option<usize>,
    /// What [`NoisyFunctions::noise_sd`] has found.
    known: Mutex<BTreeMap<String, f64>>,
}

impl NoisyFunctions {
    fn new(settings: &LabSettings) -> Self {
        Self {
            noise: settings.noise.unwrap_or(NoiseLevel::Code),
            initial: settings.initial,
            known: Mutex::default(),
        }
    }

    /// The noise's standard deviation on a problem; controls have that of the original.
    fn noise_sd(&self, original: &str) -> Result<f64, LabError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sd) = known.get(original) {
            return Ok(*sd);
        }
        let sd = self.noise.sd(&*by_name(original, None)?);
        known.insert(original.to_owned(), sd);
        Ok(sd)
    }
}

impl Suite for NoisyFunctions {
    fn case(&self, problem: &str, run: u32) -> Result<LabCase, LabError> {
        let function = Control::of_run(problem, run)?;
        if !function.outcome_constraints().is_empty() {
            let reason =
                format!("problem `{problem}` has outcome constraints, this experiment has none");
            return Err(LabError::Impossible(reason));
        }
        // A control has the initial points and the noise of its original: what differs is the function alone.
        let (original, _) = Control::split(problem)?;
        let (bounds, seed) = (function.bounds(), seed_of(&["synthetic", original], run));
        let sd = self.noise_sd(original)?;
        let noise = GaussianNoise::new(sd, seed).map_err(LabError::impossible)?;
        let evaluator = BoxEvaluator::new(function, move |problem, x, index| {
            problem.value(x) + noise.at(index)
        });
        Ok(LabCase {
            initial: uniform_design(&bounds, self.initial.unwrap_or(bounds.len() + 1), seed),
            noisy: sd > 0.0,
            ..LabCase::on_box(problem, run, seed, evaluator)?
        })
    }

    fn facts(&self, problems: &[String]) -> Result<Value, LabError> {
        let mut noise = serde_json::Map::new();
        for problem in problems {
            let sd = self.noise_sd(Control::split(problem)?.0)?;
            noise.insert(problem.clone(), sd.into());
        }
        let count = self.initial.map_or("d + 1".to_owned(), |n| n.to_string());
        Ok(json!({
            "noise": self.noise,
            "noise_sd": noise,
            "initial": format!("{count} uniform points, shared"),
        }))
    }
}
