//! Figure 3: sensitive samples of a digit classifier.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use neuralbo::space::{Space, Value as ParameterValue};
use serde_json::{Value, json};

use super::task::{BoxObjective, Task, seed_of, uniform_design};
use super::trace::Trace;
use super::{Experiment, LabError, write_file};
use crate::Problem;
use crate::problems::sensitive::{DigitSet, Digits, SensitiveSamples, Sensitivity, Tampering, images_svg};

/// The classifier and its tampered copies are the same in all runs.
const CLASSIFIER_SEED: u64 = 1;
const TAMPERING_SEED: u64 = 2;
/// The file with the detection rates.
pub const DETECTION: &str = "detection.csv";
/// The folder with the found images, one picture a method.
pub const IMAGES: &str = "images";

/// The images that give away a tampered classifier; each run finds one.
pub struct Samples {
    problem: SensitiveSamples,
    accuracy: f64,
    evaluations: u64,
}

impl Samples {
    /// Trains the classifier on the digits in a data directory.
    pub fn open(data: &Path, evaluations: u64) -> Result<Self, LabError> {
        let problem = SensitiveSamples::from_data(data, Sensitivity::Jacobian, CLASSIFIER_SEED)?;
        let accuracy = problem.classifier().accuracy(&Digits::read(data, DigitSet::Test)?);
        Ok(Self { problem, accuracy, evaluations })
    }
}

impl Experiment for Samples {
    fn task(&self, problem: &str, run: u32) -> Result<Task, LabError> {
        if problem != self.problem.name() {
            let allowed = format!("its problem: {}", self.problem.name());
            return Err(LabError::UnknownProblem { problem: problem.to_owned(), experiment: "sensitive", allowed });
        }
        let (bounds, seed) = (self.problem.bounds(), seed_of(&["sensitive", problem], run));
        let seen = self.problem.clone();
        let observation = Box::new(move |x: &[f64], _| seen.value(x));
        Ok(Task {
            problem: problem.to_owned(),
            run,
            seed,
            space: Space::from_bounds(&bounds).map_err(|error| LabError::Impossible(error.to_string()))?,
            direction: self.problem.direction(),
            initial: uniform_design(&bounds, bounds.len() + 1, seed),
            objective: Box::new(BoxObjective { problem: self.problem.clone(), observation }),
            noisy: false,
            evaluations: self.evaluations,
        })
    }

    fn facts(&self, _: &[String]) -> Result<Value, LabError> {
        Ok(json!({
            "noise": "none",
            "initial": "d + 1 = 50 uniform points, shared",
            "objective": "Frobenius norm of the full Jacobian (the text's)",
            "classifier_accuracy": self.accuracy,
            "tampered_models": crate::problems::sensitive::MODELS,
            "weight_noise_sd": crate::problems::sensitive::WEIGHT_NOISE,
        }))
    }

    /// The detection rates and a picture of the samples of every method.
    fn conclude(&self, folder: &Path, traces: &[Trace]) -> Result<(), LabError> {
        let tampering = Tampering::new(self.problem.classifier().clone(), TAMPERING_SEED);
        let mut table = String::from("method,samples,rate\n");
        for (method, samples) in samples_by_method(traces) {
            for (i, rate) in tampering.detection_rates(&samples).unwrap_or_default().iter().enumerate() {
                let _ = writeln!(table, "{},{},{rate:?}", quoted(&method), i + 1);
            }
            let slug = method.parse().map_or_else(|_| method.clone(), |spec: crate::method::MethodSpec| spec.slug());
            write_file(&folder.join(IMAGES).join(format!("{slug}.svg")), images_svg(&samples).as_bytes())?;
        }
        write_file(&folder.join(DETECTION), table.as_bytes())
    }
}

/// The best image of each run in the order of the runs; failed runs are left out.
fn samples_by_method(traces: &[Trace]) -> BTreeMap<String, Vec<Vec<f64>>> {
    let mut order: Vec<&Trace> = traces.iter().filter(|trace| trace.header.error.is_none()).collect();
    order.sort_by_key(|trace| trace.header.run);
    let mut samples: BTreeMap<String, Vec<Vec<f64>>> = BTreeMap::new();
    for trace in order {
        let image = trace.header.best_point.iter().filter_map(ParameterValue::as_f64).collect();
        samples.entry(trace.header.method.clone()).or_default().push(image);
    }
    samples
}

/// A field of a CSV file, quoted where it must be.
fn quoted(field: &str) -> String {
    if field.contains([',', '"']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.to_owned() }
}
