//! Figure 3: sensitive samples of a digit classifier.

mod rates;
mod report;

use std::path::Path;

use neuralbo::linalg::{Purpose, Streams};
use rand::RngExt;
use serde_json::{Value, json};

use crate::method::MethodSpec;
use crate::problems::sensitive::{
    Classifier, Digits, MODELS, SensitiveSamples, Sensitivity, WEIGHT_NOISE, downscale, images_svg,
};
use crate::report::{Published, Reported};
use crate::runner::{
    BoxEvaluator, Experiment, LabCase, LabError, LabSettings, Profile, RunTrace, Size, Suite,
    seed_of, uniform_design, write_file,
};
use crate::{Problem, data};

/// The problems with what is measured, the text's first. Images near a digit are searched with the released objective.
const PROBLEMS: [(&str, Sensitivity); 4] = [
    ("sensitive-49", Sensitivity::Jacobian),
    ("sensitive-49@scalar", Sensitivity::LargestOutput),
    ("sensitive-49@probability", Sensitivity::Probabilities),
    (NEAR_A_DIGIT, Sensitivity::LargestOutput),
];
const NEAR_A_DIGIT: &str = "sensitive-49@digit";
/// The problems of the profiles: the text's and the released objective.
const RUN: [&str; 2] = [PROBLEMS[0].0, PROBLEMS[1].0];
/// The folder with the found images, one picture per problem and method.
const IMAGES: &str = "images";

/// The images that give away a tampered classifier; each run finds one.
pub static SENSITIVE: Reported = Reported {
    published: || {
        Some(Published {
            evaluations: None,
            ..Published::of(size(Profile::Paper))
        })
    },
    ..Reported::new(
        Experiment::new("sensitive", size, open),
        "Sensitive samples (Figure 3)",
        differences,
        report::report,
    )
};

fn size(profile: Profile) -> Size {
    match profile {
        Profile::Quick => Size::new(RUN, 2, 4),
        Profile::Standard => Size::new(RUN, 10, 200),
        Profile::Paper => Size::new(RUN, 10, 1000),
    }
}

fn open(settings: &LabSettings) -> Result<Box<dyn Suite>, LabError> {
    let data = data::directory(settings.data.as_deref())?;
    Ok(Box::new(Samples::open(&data)?))
}

fn differences(facts: &Value) -> Vec<String> {
    let accuracy = facts["classifier_accuracy"]
        .as_f64()
        .map_or(f64::NAN, |a| 100.0 * a);
    vec![
        format!("our classifier ({accuracy:.1} % accuracy; the paper's 93 %)"),
        "7×7 images resized as images (the released code flattens them first)".into(),
    ]
}

/// The trained classifier, the digits it was trained on.
struct Samples {
    classifier: Classifier,
    digits: Digits,
    accuracy: f64,
}

impl Samples {
    /// Trains the classifier on the digits in a data directory.
    fn open(data: &Path) -> Result<Self, LabError> {
        let digits = Digits::train(data)?;
        let classifier = Classifier::protected(&digits);
        let accuracy = classifier.accuracy(&Digits::test(data)?);
        Ok(Self {
            classifier,
            digits,
            accuracy,
        })
    }

    /// The problem of this name in the run of this seed.
    fn problem(&self, name: &str, seed: u64) -> Option<SensitiveSamples> {
        if name == NEAR_A_DIGIT {
            return SensitiveSamples::near(self.classifier.clone(), downscale(&self.digit(seed))?);
        }
        let (_, sensitivity) = PROBLEMS.into_iter().find(|(known, _)| *known == name)?;
        Some(SensitiveSamples::new(self.classifier.clone(), sensitivity))
    }

    /// The training digit of a run.
    fn digit(&self, seed: u64) -> Vec<f64> {
        let at = Streams::new(seed)
            .stream(1, Purpose::Design)
            .random_range(0..self.digits.len());
        let digit = self.digits.columns(at..at + 1);
        digit.col(0).iter().copied().collect()
    }
}

impl Suite for Samples {
    fn case(&self, problem: &str, run: u32) -> Result<LabCase, LabError> {
        let seed = seed_of(&["sensitive", problem], run);
        let Some(samples) = self.problem(problem, seed) else {
            let names = PROBLEMS.map(|(name, _)| name);
            return Err(LabError::unknown(problem, "sensitive", &names));
        };
        let bounds = samples.bounds();
        Ok(LabCase {
            initial: uniform_design(&bounds, bounds.len() + 1, seed),
            ..LabCase::on_box(problem, run, seed, BoxEvaluator::exact(Box::new(samples)))?
        })
    }

    fn facts(&self, _: &[String]) -> Result<Value, LabError> {
        Ok(json!({
            "noise": "none",
            "initial": "d + 1 = 50 uniform points, shared",
            "objective": "the text's: Frobenius norm of the Jacobian of the log-probabilities; \
                          @scalar, the released code's: norm of the gradient of the largest log-probability",
            "classifier_accuracy": self.accuracy,
            "tampered_models": MODELS,
            "weight_noise_sd": WEIGHT_NOISE,
        }))
    }

    /// The detection rates, and a picture of the samples of every problem and method.
    fn conclude(&self, folder: &Path, traces: &[RunTrace]) -> Result<(), LabError> {
        let found = rates::FoundSamples::collect(traces);
        let table = rates::to_csv(&rates::detection(&self.classifier, &found))
            .map_err(LabError::Impossible)?;
        write_file(&folder.join(rates::FILE), &table)?;
        for found in found {
            let path = folder.join(picture(&found.problem, &found.method));
            write_file(&path, images_svg(&found.samples).as_bytes())?;
        }
        Ok(())
    }
}

/// Where the picture of the samples is, in the folder of the experiment.
fn picture(problem: &str, method: &str) -> std::path::PathBuf {
    let slug = method
        .parse()
        .map_or_else(|_| method.to_owned(), |spec: MethodSpec| spec.slug());
    Path::new(IMAGES).join(problem).join(format!("{slug}.svg"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::real;

    #[test]
    fn every_problem_calls_itself_by_its_name_and_runs_have_their_digit() {
        let Some(data) = real("mnist") else { return };
        let samples = Samples::open(&data).unwrap();
        for (name, _) in PROBLEMS {
            assert_eq!(samples.problem(name, 1).unwrap().name(), name);
            assert_eq!(samples.case(name, 1).unwrap().initial.len(), 50);
        }
        let near = |run| samples.case(NEAR_A_DIGIT, run).unwrap().space;
        assert_eq!(near(1), near(1));
        assert_ne!(near(1), near(2));
        let refusal = samples.case("sensitive-50", 1).err().unwrap().to_string();
        for part in ["sensitive-50", "sensitive-49@scalar"] {
            assert!(refusal.contains(part), "{refusal}");
        }
    }
}
