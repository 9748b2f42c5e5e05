//! Figure 3: sensitive samples of a digit classifier.

mod report;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use neuralbo::space::{Space, Value as ParameterValue};
use serde_json::{Value, json};

use crate::experiment::{
    BoxEvaluator, Experiment, LabError, Profile, Settings, Size, Task, Tasks, Trace, seed_of, uniform_design, write_file,
};
use crate::problems::sensitive::{DigitSet, Digits, SensitiveSamples, Tampering, images_svg};
use crate::report::{Document, Section};
use crate::{Problem, data};

const PROBLEM: &str = "sensitive-49";
/// The tampered copies are the same in all runs, as the classifier is.
const TAMPERING_SEED: u64 = 2;
/// The file with the detection rates.
const DETECTION: &str = "detection.csv";
/// The folder with the found images, one picture a method.
const IMAGES: &str = "images";

/// The images that give away a tampered classifier; each run finds one.
pub struct SensitiveImages;

impl Experiment for SensitiveImages {
    fn name(&self) -> &'static str {
        "sensitive"
    }

    fn title(&self) -> &'static str {
        "Sensitive samples (Figure 3)"
    }

    fn size(&self, profile: Profile) -> Size {
        match profile {
            Profile::Quick => Size::new([PROBLEM], 2, 4),
            Profile::Standard => Size::new([PROBLEM], 10, 200),
            Profile::Paper => Size::new([PROBLEM], 10, 1000),
        }
    }

    fn paper_states_evaluations(&self) -> bool {
        false
    }

    fn open(&self, settings: &Settings) -> Result<Box<dyn Tasks>, LabError> {
        let data = data::directory(settings.data.as_deref())?;
        Ok(Box::new(Samples::open(&data, settings.planned_evaluations())?))
    }

    fn differences(&self, facts: &Value) -> Vec<String> {
        let accuracy = facts["classifier_accuracy"].as_f64().map_or(f64::NAN, |a| 100.0 * a);
        vec![
            format!("our classifier ({accuracy:.1} % accuracy; the paper's 93 %)"),
            "7×7 images resized as images (the released code flattens them first)".into(),
        ]
    }

    fn report(&self, document: &mut Document, section: &Section<'_>) {
        report::report(document, section);
    }
}

/// The trained classifier and the budget.
struct Samples {
    problem: SensitiveSamples,
    accuracy: f64,
    evaluations: u64,
}

impl Samples {
    /// Trains the classifier on the digits in a data directory.
    fn open(data: &Path, evaluations: u64) -> Result<Self, LabError> {
        let problem = SensitiveSamples::trained(data)?;
        let accuracy = problem.classifier().accuracy(&Digits::read(data, DigitSet::Test)?);
        Ok(Self { problem, accuracy, evaluations })
    }
}

impl Tasks for Samples {
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
            objective: Box::new(BoxEvaluator { problem: self.problem.clone(), observation }),
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
