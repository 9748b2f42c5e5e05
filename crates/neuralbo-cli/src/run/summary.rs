//! The result of a run, for people and for programs.

use neuralbo::space::Value;
use neuralbo::study::{Direction, StopReason, Study};
use serde::{Serialize, Serializer};

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
    pub fn new(labels: Labels, study: &Study, recorder: &Recorder, stop: StopReason) -> Self {
        Self {
            study: labels.study,
            method: labels.method,
            seed: labels.seed,
            direction: study.direction(),
            trials: study.finished().len(),
            failed: study.failed(),
            best: best(study, recorder),
            stop,
            elapsed_s: study.elapsed().as_secs_f64(),
        }
    }

    /// A few lines for people.
    pub fn text(&self) -> String {
        let mut text = self.best.as_ref().map_or("no trial returned a value\n".to_owned(), Best::text);
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
        let mut text = format!("best value {} in trial {}\n", self.value, self.trial);
        if let Some(value) = self.true_value.filter(|value| *value != self.value) {
            text += &format!("true value {value} (without noise)\n");
        }
        for (name, value) in &self.params {
            text += &format!("  {name} = {value}\n");
        }
        text
    }
}

fn best(study: &Study, recorder: &Recorder) -> Option<Best> {
    let trial = study.best()?;
    let params = study.space().named(&trial.point).map(|(name, value)| (name.to_owned(), value.clone())).collect();
    Some(Best { trial: trial.number, value: trial.value()?, true_value: recorder.true_value(trial.number), params })
}

fn stop_name<S: Serializer>(stop: &StopReason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(stop.name())
}

fn named<S: Serializer>(params: &[(String, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(params.iter().map(|(name, value)| (name, value)))
}
