//! The Pareto front of a study with several objectives, and the trial that is closest to feasible while none is.

use neuralbo::pareto::Hypervolume;
use neuralbo::record::{Definition, ObjectiveSpec, OutcomeConstraint, Trial, Values};
use neuralbo::space::{Parameter, Params};
use neuralbo::store::{Store, StoreError, StudyRecord, each_finished};
use neuralbo::study::{Event, Log, Study};
use serde::Serialize;
use serde_json::Value as Json;

use crate::number::number;
use crate::output::{CommandError, counted, lines, object, shown};
use crate::table::TextTable;

/// The message while all complete trials violate the outcome constraints.
pub const NO_FEASIBLE: &str = "no feasible trial yet";

/// The Pareto front; its JSON form is part of what `run --json` and `best --json` print.
#[derive(Debug, Serialize)]
pub struct FrontSummary {
    objectives: Vec<ObjectiveSpec>,
    /// Its trials, from the best value of the first objective on.
    front: Vec<FrontMember>,
    /// `None` while the front is empty.
    hypervolume: Option<f64>,
    /// Where it is measured from, by objective.
    reference: Option<Json>,
    /// The trial closest to feasible, while none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    least_violation: Option<Violation>,
    #[serde(skip)]
    table: String,
}

/// A trial of the front.
#[derive(Debug, Serialize)]
struct FrontMember {
    trial: u64,
    values: Json,
    params: Json,
}

/// A complete trial that violates outcome constraints less than all others do.
#[derive(Debug, Serialize)]
pub struct Violation {
    trial: u64,
    values: Json,
    /// The outcome constraints that it violates.
    violated: Vec<String>,
    /// By how much in all, each in units of the median violation seen.
    violation: f64,
    params: Json,
    #[serde(skip)]
    details: String,
}

/// What happened in a study so far; also of one whose method this version does not have.
pub fn log(store: &dyn Store, record: &StudyRecord) -> Result<Log, CommandError> {
    let mut log = Log::new(record.definition.clone());
    each_finished(store, record.id, 0, None, |finished| {
        log.apply(Event::Told(finished));
        Ok::<(), StoreError>(())
    })?;
    Ok(log)
}

/// Values by name as a JSON object: those a trial must measure, in their order.
pub fn measured(definition: &Definition, values: &Values) -> Json {
    let entry = |name: &str| Some((name.to_owned(), Json::from(*values.get(name)?)));
    let entries = definition.measured().into_iter().filter_map(entry);
    Json::Object(entries.collect())
}

impl FrontSummary {
    /// The front of a study.
    pub fn new(study: &mut Study) -> Result<Self, CommandError> {
        let (mut trials, hypervolume) = (study.front()?, study.hypervolume()?);
        let none = trials.is_empty();
        let least_violation = none.then(|| Violation::least(study)).transpose()?;
        let definition = study.definition();
        let first = |trial: &Trial| {
            let value = trial.value(definition.objective());
            value.map_or(f64::NAN, |value| definition.direction().reward(value))
        };
        let member = |trial: &Trial| FrontMember {
            trial: trial.number,
            values: measured(definition, &trial.values),
            params: object(&definition.space, &params(definition, trial)),
        };
        let found = hypervolume.as_ref();
        let reference = found.map(|found| reference(definition, found));
        trials.sort_by(|a, b| first(b).total_cmp(&first(a)));
        Ok(Self {
            objectives: definition.objectives.clone(),
            front: trials.iter().map(member).collect(),
            reference,
            hypervolume: hypervolume.and_then(|found| found.value),
            least_violation: least_violation.flatten(),
            table: table(definition, &trials),
        })
    }

    /// Whether any trial is on it.
    pub fn is_empty(&self) -> bool {
        self.front.is_empty()
    }

    /// The trial closest to feasible, while none is.
    pub fn least_violation(&self) -> Option<&Violation> {
        self.least_violation.as_ref()
    }

    /// A table and the hypervolume; `None` for an empty front.
    pub fn text(&self) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let (table, count) = (&self.table, counted(self.front.len() as u64, "trial"));
        let reference = self.reference.as_ref();
        let reference = reference.map_or(String::new(), |values| numbers(values, "=", ","));
        let not_computed = || "not computed (too many trials on the front)".to_owned();
        let volume = self.hypervolume.map_or_else(not_computed, number);
        Some(format!(
            "Pareto front: {count}\n{table}hypervolume {volume} with reference {reference}\n"
        ))
    }
}

impl Violation {
    /// Of a study without a feasible trial; `None` if no trial is complete.
    pub fn least(study: &mut Study) -> Result<Option<Self>, CommandError> {
        if study.definition().outcome_constraints.is_empty() {
            return Ok(None);
        }
        let Some((trial, violation)) = study.least_violation()? else {
            return Ok(None);
        };
        let definition = study.definition();
        let exceeded = |constraint: &&OutcomeConstraint| {
            let value = trial.value(&constraint.name);
            value.is_some_and(|value| constraint.violation(value) > 0.0)
        };
        let violated = definition.outcome_constraints.iter().filter(exceeded);
        let params = params(definition, &trial);
        Ok(Some(Self {
            trial: trial.number,
            values: measured(definition, &trial.values),
            violated: violated.map(ToString::to_string).collect(),
            violation,
            details: lines(&definition.space, &params),
            params: object(&definition.space, &params),
        }))
    }

    /// A few lines of text.
    pub fn text(&self) -> String {
        let values = numbers(&self.values, " = ", ", ");
        let violated = self.violated.join(", ");
        let Self { trial, details, .. } = self;
        format!(
            "{NO_FEASIBLE}\nsmallest violation in trial {trial}: {values}; violated: {violated}\n{details}"
        )
    }
}

/// The numbers of an object as text.
fn numbers(object: &Json, equals: &str, separator: &str) -> String {
    let shown = |value: &Json| value.as_f64().map_or_else(|| value.to_string(), number);
    let entries = object.as_object().into_iter().flatten();
    let texts = entries.map(|(name, value)| format!("{name}{equals}{}", shown(value)));
    texts.collect::<Vec<_>>().join(separator)
}

/// The parameters of a trial under their present names.
pub fn params(definition: &Definition, trial: &Trial) -> Params {
    definition.renamed(&trial.params.clone().unwrap_or_default(), trial.version)
}

fn reference(definition: &Definition, found: &Hypervolume) -> Json {
    let objectives = definition.objectives.iter().zip(&found.reference);
    let entry =
        |(objective, value): (&ObjectiveSpec, &f64)| (objective.name.clone(), Json::from(*value));
    Json::Object(objectives.map(entry).collect())
}

fn table(definition: &Definition, trials: &[Trial]) -> String {
    let measured = definition.measured();
    let parameters = || definition.space.parameters().iter().map(Parameter::name);
    let heading = ["trial"].into_iter().chain(measured.iter().copied());
    let mut table = TextTable::new(heading.chain(parameters())).right(0..=measured.len());
    for trial in trials {
        let params = params(definition, trial);
        let value = |name: &&str| trial.value(name).map_or(String::new(), number);
        let values = measured.iter().map(value);
        let named = parameters().map(|name| params.get(name).map_or(String::new(), shown));
        let first = [trial.number.to_string()];
        table.row(first.into_iter().chain(values).chain(named));
    }
    table.plain()
}
