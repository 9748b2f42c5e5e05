//! Several studies beside each other: the best so far of each, and bands over those of one group.

use std::collections::BTreeMap;

use neuralbo::record::Direction;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::downsample::{envelope, evenly};
use super::progress::{BestSoFar, best_so_far};
use super::{ApiError, ApiResult, App, Query, answered};
use crate::cache::{JsonNumber, StudyData, numbers};

const POINTS: usize = 500;
const MOST_POINTS: usize = 5000;
/// Studies that are compared at a time; each is read as a whole.
const MOST_STUDIES: usize = 64;

/// Repetitions: studies whose names differ only in a number at the end.
#[derive(Serialize)]
struct RunGroup {
    name: String,
    number: Vec<usize>,
    mean: Vec<JsonNumber>,
    low: Vec<JsonNumber>,
    high: Vec<JsonNumber>,
    runs: usize,
}

/// The best so far after each complete trial.
struct RunCurve {
    name: String,
    direction: Direction,
    best: Vec<f64>,
    improved: Vec<usize>,
}

impl App {
    pub(super) fn compare(&self, query: &Query) -> ApiResult {
        let points = query.count("points", POINTS, MOST_POINTS)?;
        let names = query.all("study");
        if names.is_empty() || names.len() > MOST_STUDIES {
            return Err(ApiError::bad(format!(
                "study: name 1 to {MOST_STUDIES} studies, each as `study=NAME`"
            )));
        }
        let read = |name: &&str| Ok(self.studies.with(name, curve)?);
        let curves: Vec<RunCurve> = names.iter().map(read).collect::<Result<_, ApiError>>()?;
        answered(json!({
            "studies": curves.iter().map(|curve| series(curve, points)).collect::<Vec<_>>(),
            "groups": groups(&curves, points),
        }))
    }
}

fn curve(data: &StudyData) -> RunCurve {
    let definition = &data.record.definition;
    let first = definition.objectives.first();
    let BestSoFar { best, improved, .. } =
        first.map_or_else(BestSoFar::default, |objective| best_so_far(data, objective));
    RunCurve {
        name: data.record.name.clone(),
        direction: definition.direction(),
        best,
        improved,
    }
}

fn series(curve: &RunCurve, points: usize) -> Json {
    let shown = envelope(&curve.best, points, curve.improved.iter().copied());
    json!({
        "name": curve.name,
        "direction": curve.direction,
        "number": shown.iter().map(|place| place + 1).collect::<Vec<_>>(),
        "best": numbers(shown.iter().map(|place| curve.best[*place])),
    })
}

/// `tuning-3` and `tuning/12` belong to `tuning`.
fn group_name(name: &str) -> &str {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match base.strip_suffix(['-', '/']) {
        Some(group) if base.len() < name.len() && !group.is_empty() => group,
        _ => name,
    }
}

fn groups(curves: &[RunCurve], points: usize) -> Vec<RunGroup> {
    let mut members: BTreeMap<&str, Vec<&RunCurve>> = BTreeMap::new();
    for curve in curves {
        let group = members.entry(group_name(&curve.name)).or_default();
        group.push(curve);
    }
    members
        .into_iter()
        .filter(|(_, runs)| runs.len() > 1)
        .map(|(name, runs)| group(name, &runs, points))
        .collect()
}

/// Mean and quartiles over the runs, for as long as all of them go.
fn group(name: &str, runs: &[&RunCurve], points: usize) -> RunGroup {
    let shortest = runs.iter().map(|run| run.best.len()).min().unwrap_or(0);
    let chosen = evenly(shortest, points);
    let (mut mean, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
    for place in &chosen {
        let mut values: Vec<f64> = runs.iter().map(|run| run.best[*place]).collect();
        values.sort_by(f64::total_cmp);
        mean.push(JsonNumber(values.iter().sum::<f64>() / values.len() as f64));
        low.push(JsonNumber(quantile(&values, 0.25)));
        high.push(JsonNumber(quantile(&values, 0.75)));
    }
    RunGroup {
        name: name.to_owned(),
        number: chosen.iter().map(|place| place + 1).collect(),
        mean,
        low,
        high,
        runs: runs.len(),
    }
}

/// By linear interpolation between neighbours of sorted values.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = sorted[place.floor() as usize];
    below + (sorted[place.ceil() as usize] - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_share_a_name_without_their_number() {
        for (name, group) in [
            ("a-1", "a"),
            ("a/12", "a"),
            ("a1", "a1"),
            ("-3", "-3"),
            ("a-b", "a-b"),
            ("a-", "a-"),
        ] {
            assert_eq!(group_name(name), group);
        }
    }

    #[test]
    fn bands_are_quartiles_of_what_all_runs_have() {
        let run = |name: &str, best: &[f64]| RunCurve {
            name: name.into(),
            direction: Direction::Minimize,
            best: best.to_vec(),
            improved: Vec::new(),
        };
        let runs = [
            run("s-1", &[4.0, 3.0, 1.0]),
            run("s-2", &[8.0, 5.0]),
            run("s-3", &[0.0, 0.0]),
            run("other", &[1.0]),
        ];
        let found = groups(&runs, 10);
        assert_eq!(
            (found.len(), found[0].runs, found[0].number.as_slice()),
            (1, 3, [1, 2].as_slice())
        );
        assert_eq!(
            (found[0].mean[0], found[0].low[0], found[0].high[0]),
            (JsonNumber(4.0), JsonNumber(2.0), JsonNumber(6.0))
        );
    }
}
