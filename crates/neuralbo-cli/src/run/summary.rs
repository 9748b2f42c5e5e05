//! The result of a study, as text and as JSON.

use neuralbo::drive::DriveSummary;
use neuralbo::record::{Definition, Direction, OutcomeConstraint, StopReason, Trial};
use neuralbo::space::Params;
use neuralbo::study::{Study, StudyError};
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use super::evaluator::RunObjective;
use super::front::{FrontSummary, Violation, measured};
use crate::number::{duration, number};
use crate::output::{CommandError, counted, lines, object};

/// The result of a run; its JSON form is what `--json` prints.
#[derive(Debug, Serialize)]
pub struct RunSummary {
    /// What was optimized.
    pub study: String,
    method: String,
    seed: u64,
    /// Of the only objective.
    #[serde(skip_serializing_if = "Option::is_none")]
    direction: Option<Direction>,
    trials: u64,
    failed: u64,
    pruned: u64,
    /// The best trial, or the Pareto front.
    #[serde(flatten)]
    pub found: StudyResult,
    /// Why the run ended.
    #[serde(serialize_with = "stop_name")]
    pub stop: StopReason,
    elapsed_s: f64,
}

/// What the trials of a study say.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum StudyResult {
    /// Of one objective.
    One {
        /// `None` if no trial has a value, or none is feasible.
        best: Option<BestTrial>,
        /// The one to rely on under noise; `None` without a model, or when it is the best point.
        #[serde(skip_serializing_if = "Option::is_none")]
        recommended: Option<RecommendedTrial>,
        /// The trial closest to feasible, while none is.
        #[serde(skip_serializing_if = "Option::is_none")]
        least_violation: Option<Violation>,
    },
    /// Of several objectives.
    Several(FrontSummary),
}

/// The best trial.
#[derive(Debug, Serialize)]
pub struct BestTrial {
    trial: u64,
    /// Its value.
    pub value: f64,
    /// Everything that was measured, where outcome constraints limit some of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Json>,
    /// Its value without noise, for built-in functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    true_value: Option<f64>,
    /// Its parameters in the order of the space.
    params: Json,
    #[serde(skip)]
    details: String,
}

/// The finished trial whose noise-free value is best by the method's model.
#[derive(Debug, Serialize)]
pub struct RecommendedTrial {
    trial: u64,
    /// As it was observed.
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    true_value: Option<f64>,
    /// Without noise, as the model predicts it.
    mean: f64,
    sd: f64,
    params: Json,
    /// Whether the model finds noise; without any the best trial is the answer.
    noisy: bool,
    #[serde(skip)]
    details: String,
}

impl RunSummary {
    /// The result of a study for which a run ended.
    pub fn new(
        label: String,
        study: &mut Study,
        evaluator: &RunObjective,
        run: DriveSummary,
    ) -> Result<Self, CommandError> {
        let found = StudyResult::new(study, |params| evaluator.true_value(params))?;
        let counts = study.store().counts(study.record().id)?;
        let definition = study.definition();
        Ok(Self {
            study: label,
            method: definition.method.clone(),
            seed: definition.seed,
            direction: (!definition.is_multi_objective()).then(|| definition.direction()),
            trials: counts.finished(),
            failed: counts.failed,
            pruned: counts.pruned,
            found,
            stop: run.stop,
            elapsed_s: run.elapsed.as_secs_f64(),
        })
    }

    /// A few lines of text.
    pub fn text(&self) -> String {
        let (trials, time) = (counted(self.trials, "trial"), duration(self.elapsed_s));
        let (failed, method, seed) = (self.failed, &self.method, self.seed);
        let pruned = match self.pruned {
            0 => String::new(),
            count => format!(", {count} pruned"),
        };
        let found = self.found.text();
        let found = found.unwrap_or_else(|| {
            "no trial returned a value
"
            .to_owned()
        });
        format!(
            "{found}{trials} ({failed} failed{pruned}); this run took {time}; method {method}, seed {seed}
"
        )
    }
}

impl StudyResult {
    /// What the trials of a study say.
    pub fn new(
        study: &mut Study,
        true_value: impl Fn(&Params) -> Option<f64>,
    ) -> Result<Self, CommandError> {
        if study.definition().is_multi_objective() {
            return Ok(Self::Several(FrontSummary::new(study)?));
        }
        let (mut recommended, mut least_violation) = (None, None);
        let best = study.best()?;
        let best = best.and_then(|best| BestTrial::new(study.definition(), &best, &true_value));
        if let Some(best) = &best {
            let found = RecommendedTrial::new(study, &true_value)?;
            recommended = found.filter(|found| found.params != best.params);
        } else {
            least_violation = Violation::least(study)?;
        }
        Ok(Self::One {
            best,
            recommended,
            least_violation,
        })
    }

    /// Whether there is a best trial, or a front.
    pub fn has_result(&self) -> bool {
        match self {
            Self::One { best, .. } => best.is_some(),
            Self::Several(front) => !front.is_empty(),
        }
    }

    /// Whether any trial has values, feasible or not.
    pub fn has_values(&self) -> bool {
        self.has_result() || self.least_violation().is_some()
    }

    fn least_violation(&self) -> Option<&Violation> {
        match self {
            Self::One {
                least_violation, ..
            } => least_violation.as_ref(),
            Self::Several(front) => front.least_violation(),
        }
    }

    /// A few lines of text; `None` if no trial has a value.
    pub fn text(&self) -> Option<String> {
        let found = match self {
            Self::One {
                best, recommended, ..
            } => {
                let text = |best| one_text(best, recommended.as_ref());
                best.as_ref().map(text)
            }
            Self::Several(front) => front.text(),
        };
        found.or_else(|| self.least_violation().map(Violation::text))
    }
}

fn one_text(best: &BestTrial, recommended: Option<&RecommendedTrial>) -> String {
    let (trial, value) = (best.trial, number(best.value));
    let mut text = format!("best value {value} in trial {trial}\n{}", best.details);
    if let Some(found) = recommended.filter(|found| found.noisy) {
        let (mean, sd) = (number(found.mean), number(found.sd));
        text += &format!(
            "values look noisy; recommended is trial {}: value {}, predicted {mean} ± {sd} without noise\n{}",
            found.trial,
            number(found.value),
            found.details
        );
    }
    text
}

impl BestTrial {
    /// A complete trial under the present names of its parameters.
    pub fn new(
        definition: &Definition,
        trial: &Trial,
        true_value: impl Fn(&Params) -> Option<f64>,
    ) -> Option<Self> {
        let value = trial.value(definition.objective())?;
        let params = definition.renamed(trial.params.as_ref()?, trial.version);
        let true_value = true_value(&params);
        let limited = !definition.outcome_constraints.is_empty();
        let values = limited.then(|| measured(definition, &trial.values));
        let quantities = quantities(definition, trial);
        let details = quantities + &details(definition, value, true_value, &params);
        Some(Self {
            trial: trial.number,
            value,
            values,
            true_value,
            params: object(&definition.space, &params),
            details,
        })
    }
}

impl RecommendedTrial {
    fn new(
        study: &mut Study,
        true_value: impl Fn(&Params) -> Option<f64>,
    ) -> Result<Option<Self>, CommandError> {
        let found = match study.recommend() {
            Err(StudyError::NoModel(_)) => return Ok(None),
            found => found?,
        };
        let trial = study.store().trial(study.record().id, found.number)?;
        let definition = study.definition();
        let Some(value) = trial.value(definition.objective()) else {
            return Ok(None);
        };
        let true_value = true_value(&found.params);
        Ok(Some(Self {
            trial: found.number,
            value,
            true_value,
            mean: found.mean,
            sd: found.sd,
            params: object(&definition.space, &found.params),
            noisy: found.noisy,
            details: details(definition, value, true_value, &found.params),
        }))
    }
}

/// What was measured of what outcome constraints limit.
fn quantities(definition: &Definition, trial: &Trial) -> String {
    let line = |c: &OutcomeConstraint| {
        let value = number(trial.value(&c.name)?);
        Some(format!("with {} = {value} ({c})\n", c.name))
    };
    definition
        .outcome_constraints
        .iter()
        .filter_map(line)
        .collect()
}

/// The true value, where it is another one, and the parameters.
fn details(
    definition: &Definition,
    value: f64,
    true_value: Option<f64>,
    params: &Params,
) -> String {
    let truth = true_value.filter(|truth| *truth != value);
    truth.map_or(String::new(), |truth| {
        format!("true value {} (without noise)\n", number(truth))
    }) + &lines(&definition.space, params)
}

fn stop_name<S: Serializer>(stop: &StopReason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(stop.name())
}
