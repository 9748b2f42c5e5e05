//! One trial with everything that is stored of it.

use std::collections::BTreeMap;

use neuralbo::record::{Attributes, Report, Trial};
use neuralbo::store::StudyId;
use serde::Serialize;

use super::actions::NOTE;
use super::{Answer, App, Problem};
use crate::cache::{Number, StudyData};
use crate::http::Reply;

/// The attributes under which programs may leave the end of what they printed.
const LOG_KEYS: [&str; 3] = ["log_tail", "log", "stderr"];

#[derive(Serialize)]
struct Full<'a> {
    trial: &'a Trial,
    reports: Vec<Series>,
    attributes: &'a Attributes,
    log_tail: Option<&'a str>,
    feasible: bool,
    on_front: bool,
    note: Option<&'a str>,
    /// The trials that go on with it.
    resumed_by: Vec<u64>,
}

#[derive(Serialize)]
struct Series {
    name: String,
    step: Vec<i64>,
    value: Vec<Number>,
}

fn resumed_by(data: &StudyData, number: u64) -> Vec<u64> {
    let finished = data
        .table
        .rows
        .iter()
        .filter(|row| row.resumes == Some(number))
        .map(|row| row.number);
    let resumes = |trial: &&Trial| {
        trial
            .provenance
            .as_ref()
            .is_some_and(|provenance| provenance.resumes == Some(number))
    };
    finished
        .chain(
            data.running
                .iter()
                .filter(resumes)
                .map(|trial| trial.number),
        )
        .collect()
}

impl App {
    pub(super) fn trial(&self, name: &str, number: &str) -> Answer {
        let number: u64 = number
            .parse()
            .map_err(|_| Problem::unknown(format!("trial `{number}` is unknown")))?;
        let (study, definition, front, resumed_by) = self.studies.with(name, |data| {
            (
                data.record.id,
                data.record.definition.clone(),
                data.log.front(),
                resumed_by(data, number),
            )
        })?;
        let trial = self.store.trial(study, number)?;
        let text = |key: &str| trial.attributes.get(key).and_then(|value| value.as_str());
        Ok(Reply::json(&Full {
            reports: self.series(study, number)?,
            attributes: &trial.attributes,
            log_tail: LOG_KEYS.into_iter().find_map(text),
            feasible: !trial.is_running() && definition.is_feasible(&trial.values),
            on_front: front.contains(&number),
            note: text(NOTE),
            resumed_by,
            trial: &trial,
        }))
    }

    fn series(&self, study: StudyId, number: u64) -> Result<Vec<Series>, Problem> {
        let mut names: BTreeMap<String, (Vec<i64>, Vec<Number>)> = BTreeMap::new();
        for Report { step, name, value } in self.store.reports(study, number)? {
            let (steps, values) = names.entry(name).or_default();
            steps.push(step);
            values.push(Number(value));
        }
        Ok(names
            .into_iter()
            .map(|(name, (step, value))| Series { name, step, value })
            .collect())
    }
}
