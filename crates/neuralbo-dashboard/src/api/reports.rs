//! Learning curves.

use std::collections::{BTreeMap, BTreeSet};

use neuralbo::record::Rule;
use neuralbo::store::StudyId;
use serde_json::json;

use super::columns::best;
use super::{ApiError, ApiResult, App, Query, answered};
use crate::cache::{End, JsonNumber, StudyData};

const CURVES: usize = 200;
const MOST_CURVES: usize = 1000;
/// Longest curve that is sent complete.
const STEPS: usize = 500;
/// The best trials are always included.
const BEST: usize = 20;
const MOST_RUNGS: usize = 30;

/// Steps and values by name.
type ReportsByName = BTreeMap<String, (Vec<i64>, Vec<JsonNumber>)>;

impl App {
    pub(super) fn curves(&self, name: &str, query: &Query) -> ApiResult {
        let count = query.count("curves", CURVES, MOST_CURVES)?;
        let (study, objective, wanted, rungs, total) = self.studies.with(name, |data| {
            let objective = data.record.definition.objective().to_owned();
            (
                data.record.id,
                objective,
                wanted(data, count),
                rungs(data),
                data.table.rows.len() + data.running.len(),
            )
        })?;
        let shown = query.get("name").unwrap_or(&objective);
        let (mut names, mut curves) = (BTreeSet::new(), Vec::new());
        for (number, state) in wanted {
            let mut by_name = self.reports_by_name(study, number, STEPS)?;
            names.extend(by_name.keys().cloned());
            if let Some((step, value)) = by_name.remove(shown) {
                curves.push(
                    json!({ "number": number, "state": state, "step": step, "value": value }),
                );
            }
        }
        answered(json!({ "names": names, "curves": curves, "rungs": rungs, "total": total }))
    }

    /// The intermediate values of a trial by name, at most `most` of each.
    pub(super) fn reports_by_name(
        &self,
        study: StudyId,
        number: u64,
        most: usize,
    ) -> Result<ReportsByName, ApiError> {
        let mut names = ReportsByName::new();
        for report in self.store.reports(study, number)? {
            let (steps, values) = names.entry(report.name).or_default();
            steps.push(report.step);
            values.push(JsonNumber(report.value));
        }
        for (steps, values) in names.values_mut().filter(|(steps, _)| steps.len() > most) {
            let kept = super::downsample::evenly(steps.len(), most);
            *steps = kept.iter().map(|place| steps[*place]).collect();
            *values = kept.iter().map(|place| values[*place]).collect();
        }
        Ok(names)
    }
}

/// The steps at which successive halving or Hyperband compares trials.
fn rungs(data: &StudyData) -> Vec<i64> {
    let pruner = data.record.definition.pruner.as_ref();
    match pruner.map(|pruner| &pruner.rule) {
        Some(Rule::Halving(halving) | Rule::Hyperband(halving)) => {
            halving.rungs(0).take(MOST_RUNGS).collect()
        }
        _ => Vec::new(),
    }
}

/// Numbers and states of the running trials, the best ones, and the latest with values.
fn wanted(data: &StudyData, count: usize) -> Vec<(u64, &'static str)> {
    let rows = &data.table.rows;
    let best = best(data, data.record.definition.objective(), BEST.min(count));
    let mut places = BTreeSet::from_iter(best);
    let measured = |place: &usize| !matches!(rows[*place].end, End::Failed(_));
    for place in (0..rows.len()).rev().filter(measured) {
        if places.len() >= count {
            break;
        }
        places.insert(place);
    }
    let running = data.running.iter().map(|trial| (trial.number, "running"));
    let finished = places.into_iter().map(|place| &rows[place]);
    let finished = finished.map(|row| (row.number, row.end.name()));
    finished.chain(running).collect()
}
