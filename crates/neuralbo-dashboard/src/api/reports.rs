//! Learning curves.

use std::collections::{BTreeMap, BTreeSet};

use neuralbo::record::Rule;
use neuralbo::store::StudyId;
use serde::Serialize;

use super::columns::best;
use super::{Answer, App, Problem};
use crate::cache::{End, Number, StudyData};
use crate::http::{Query, Reply};

const CURVES: usize = 200;
const MOST_CURVES: usize = 1000;
/// Longest curve that is sent as it is.
const STEPS: usize = 500;
/// The best trials that are always among them.
const BEST: usize = 20;
const MOST_RUNGS: usize = 30;

#[derive(Serialize)]
struct Reports {
    names: BTreeSet<String>,
    curves: Vec<Curve>,
    rungs: Vec<i64>,
    total: usize,
}

#[derive(Serialize)]
struct Curve {
    number: u64,
    state: &'static str,
    step: Vec<i64>,
    value: Vec<Number>,
}

/// Steps and values by name.
type ByName = BTreeMap<String, (Vec<i64>, Vec<Number>)>;

/// A trial whose curve is wanted.
struct Wanted {
    number: u64,
    state: &'static str,
}

impl App {
    pub(super) fn curves(&self, name: &str, query: &Query) -> Answer {
        let count = query
            .count("curves", CURVES, MOST_CURVES)
            .map_err(Problem::bad)?;
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
        for trial in wanted {
            let mut by_name = self.by_name(study, trial.number)?;
            names.extend(by_name.keys().cloned());
            if let Some((step, value)) = by_name.remove(shown) {
                curves.push(Curve {
                    number: trial.number,
                    state: trial.state,
                    step,
                    value,
                });
            }
        }
        Ok(Reply::json(&Reports {
            names,
            curves,
            rungs,
            total,
        }))
    }

    /// The intermediate values of a trial by name, thinned where there are many.
    fn by_name(&self, study: StudyId, number: u64) -> Result<ByName, Problem> {
        let mut names = ByName::new();
        for report in self.store.reports(study, number)? {
            let (steps, values) = names.entry(report.name).or_default();
            steps.push(report.step);
            values.push(Number(report.value));
        }
        for (steps, values) in names.values_mut().filter(|(steps, _)| steps.len() > STEPS) {
            let kept = super::downsample::evenly(steps.len(), STEPS);
            *steps = kept.iter().map(|place| steps[*place]).collect();
            *values = kept.iter().map(|place| values[*place]).collect();
        }
        Ok(names)
    }
}

/// The steps at which successive halving or Hyperband compares trials.
fn rungs(data: &StudyData) -> Vec<i64> {
    match data
        .record
        .definition
        .pruner
        .as_ref()
        .map(|pruner| &pruner.rule)
    {
        Some(Rule::Halving(halving) | Rule::Hyperband(halving)) => {
            halving.rungs(0).take(MOST_RUNGS).collect()
        }
        _ => Vec::new(),
    }
}

/// The running trials, the best ones, and the latest that have values.
fn wanted(data: &StudyData, count: usize) -> Vec<Wanted> {
    let rows = &data.table.rows;
    let mut places: BTreeSet<usize> =
        best(data, data.record.definition.objective(), BEST.min(count))
            .into_iter()
            .collect();
    let measured = (0..rows.len())
        .rev()
        .filter(|place| !matches!(rows[*place].end, End::Failed(_)));
    for place in measured {
        if places.len() >= count {
            break;
        }
        places.insert(place);
    }
    let running = data.running.iter().map(|trial| Wanted {
        number: trial.number,
        state: "running",
    });
    let finished = places.into_iter().map(|place| Wanted {
        number: rows[place].number,
        state: rows[place].end.name(),
    });
    finished.chain(running).collect()
}
