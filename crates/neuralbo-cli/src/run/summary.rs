//! The result of a run, for people and for programs.

use neuralbo::space::{Point, Space, Value};
use neuralbo::study::{Direction, Recommendation, StopReason, Study};
use serde::{Serialize, Serializer};

use super::progress::short;
use super::recorder::Recorder;

/// The result of a run; its JSON form is what `--json` prints.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// What was optimized.
    pub study: String,
    /// How points were chosen.
    pub method: String,
    /// Repeats the run.
    pub seed: u64,
    /// Which way is better.
    pub direction: Direction,
    /// How many trials have finished, failed ones included.
    pub trials: usize,
    /// How many of them failed.
    pub failed: u64,
    /// The best trial, if any has a value.
    pub best: Option<Best>,
    /// The trial to rely on under noise, where the method has a model and it is another point than the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommended: Option<Recommended>,
    /// Why the run ended.
    #[serde(serialize_with = "stop_name")]
    pub stop: StopReason,
    /// How long it took, in seconds.
    pub elapsed_s: f64,
}

/// The best trial.
#[derive(Debug, Serialize)]
pub struct Best {
    /// Its number.
    pub trial: u64,
    /// Its value.
    pub value: f64,
    /// Its value without noise, for built-in functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub true_value: Option<f64>,
    /// Its parameters in order.
    #[serde(serialize_with = "named")]
    pub params: Vec<(String, Value)>,
}

/// The finished trial whose noise-free value the method's model believes best.
#[derive(Debug, Serialize)]
pub struct Recommended {
    /// Its number.
    pub trial: u64,
    /// Its value as it was observed.
    pub value: f64,
    /// Its value without noise, for built-in functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub true_value: Option<f64>,
    /// Its value without noise as the model predicts it.
    pub mean: f64,
    /// Standard deviation of that prediction.
    pub sd: f64,
    /// Its parameters in order.
    #[serde(serialize_with = "named")]
    pub params: Vec<(String, Value)>,
}

/// What a run was, beside its study.
pub struct Labels {
    /// What was optimized.
    pub study: String,
    /// How points were chosen.
    pub method: String,
    /// The seed.
    pub seed: u64,
}

impl Summary {
    /// The result of a study that ended for this reason.
    pub fn new(labels: Labels, study: &mut Study, recorder: &Recorder, stop: StopReason) -> Self {
        let (elapsed_s, best) = (study.elapsed().as_secs_f64(), best(study, recorder));
        let recommended = best.as_ref().and_then(|best| recommended(study, recorder, best));
        Self {
            study: labels.study,
            method: labels.method,
            seed: labels.seed,
            direction: study.direction(),
            trials: study.finished().len(),
            failed: study.failed(),
            best,
            recommended,
            stop,
            elapsed_s,
        }
    }

    /// A few lines for people.
    pub fn text(&self) -> String {
        let mut text = self.best.as_ref().map_or("no trial returned a value\n".to_owned(), Best::text);
        text += &self.recommended.as_ref().map_or(String::new(), Recommended::text);
        text += &format!(
            "{} trials ({} failed) in {:.1} s; method {}, seed {}\n",
            self.trials, self.failed, self.elapsed_s, self.method, self.seed
        );
        text
    }
}

impl Best {
    /// A few lines for people.
    pub fn text(&self) -> String {
        let head = format!("best value {} in trial {}\n", self.value, self.trial);
        head + &details(self.value, self.true_value, &self.params)
    }
}

impl Recommended {
    /// A few lines for people.
    pub fn text(&self) -> String {
        let head = format!(
            "if values are noisy, rely on trial {}: value {}, predicted {} ± {} without noise\n",
            self.trial,
            self.value,
            short(self.mean),
            short(self.sd)
        );
        head + &details(self.value, self.true_value, &self.params)
    }
}

/// The true value, where it is another one, and the parameters.
fn details(value: f64, true_value: Option<f64>, params: &[(String, Value)]) -> String {
    let mut text = String::new();
    if let Some(true_value) = true_value.filter(|true_value| *true_value != value) {
        text += &format!("true value {true_value} (without noise)\n");
    }
    for (name, value) in params {
        text += &format!("  {name} = {value}\n");
    }
    text
}

fn best(study: &Study, recorder: &Recorder) -> Option<Best> {
    let trial = study.best()?;
    let params = with_names(study.space(), &trial.point);
    Some(Best { trial: trial.number, value: trial.value()?, true_value: recorder.true_value(trial.number), params })
}

fn recommended(study: &mut Study, recorder: &Recorder, best: &Best) -> Option<Recommended> {
    let Recommendation { number, point, mean, sd } = study.recommend().ok()?;
    let params = with_names(study.space(), &point);
    let value = study.finished().find(|trial| trial.number == number)?.value()?;
    let found = Recommended { trial: number, value, true_value: recorder.true_value(number), mean, sd, params };
    (found.params != best.params).then_some(found)
}

fn with_names(space: &Space, point: &Point) -> Vec<(String, Value)> {
    space.named(point).map(|(name, value)| (name.to_owned(), value.clone())).collect()
}

fn stop_name<S: Serializer>(stop: &StopReason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(stop.name())
}

fn named<S: Serializer>(params: &[(String, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(params.iter().map(|(name, value)| (name, value)))
}
