//! Several studies beside each other: the best so far of each, and bands over those of one group.

use std::collections::BTreeMap;

use neuralbo::record::Direction;
use serde::Serialize;

use super::downsample::{envelope, evenly};
use super::progress::curve;
use super::{Answer, App, Problem};
use crate::cache::{Number, StudyData};
use crate::http::{Query, Reply};

const POINTS: usize = 500;
const MOST_POINTS: usize = 5000;
/// Studies that are compared at a time; each is read as a whole.
const MOST_STUDIES: usize = 64;

#[derive(Serialize)]
struct Comparison {
    studies: Vec<Series>,
    groups: Vec<Group>,
}

#[derive(Serialize)]
struct Series {
    name: String,
    direction: Direction,
    number: Vec<usize>,
    best: Vec<Number>,
}

/// Studies that differ in a number at the end of their names only, as repetitions do.
#[derive(Serialize)]
struct Group {
    name: String,
    number: Vec<usize>,
    mean: Vec<Number>,
    low: Vec<Number>,
    high: Vec<Number>,
    runs: usize,
}

/// The best so far after each complete trial.
struct Best {
    name: String,
    direction: Direction,
    best: Vec<f64>,
    improved: Vec<usize>,
}

impl App {
    pub(super) fn compare(&self, query: &Query) -> Answer {
        let points = query
            .count("points", POINTS, MOST_POINTS)
            .map_err(Problem::bad)?;
        let names = query.list("studies").unwrap_or_default();
        if names.is_empty() || names.len() > MOST_STUDIES {
            return Err(Problem::bad(format!(
                "studies: name 1 to {MOST_STUDIES} studies, separated by commas"
            )));
        }
        let read = |name: &&str| Ok(self.studies.with(name, best_so_far)?);
        let curves: Vec<Best> = names.iter().map(read).collect::<Result<_, Problem>>()?;
        let studies = curves.iter().map(|best| series(best, points)).collect();
        Ok(Reply::json(&Comparison {
            studies,
            groups: groups(&curves, points),
        }))
    }
}

fn best_so_far(data: &StudyData) -> Best {
    let (name, definition) = (data.record.name.clone(), &data.record.definition);
    let found = definition
        .objectives
        .first()
        .map(|objective| curve(data, objective));
    let (best, improved) =
        found.map_or_else(Default::default, |curve| (curve.best, curve.improved));
    Best {
        name,
        direction: definition.direction(),
        best,
        improved,
    }
}

fn series(curve: &Best, points: usize) -> Series {
    let chosen = envelope(&curve.best, points, curve.improved.iter().copied());
    let best = chosen
        .iter()
        .map(|place| Number(curve.best[*place]))
        .collect();
    Series {
        name: curve.name.clone(),
        direction: curve.direction,
        number: chosen.iter().map(|place| place + 1).collect(),
        best,
    }
}

/// `tuning-3` and `tuning/12` belong to `tuning`.
fn group_name(name: &str) -> &str {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match base.strip_suffix(['-', '/']) {
        Some(group) if base.len() < name.len() && !group.is_empty() => group,
        _ => name,
    }
}

fn groups(curves: &[Best], points: usize) -> Vec<Group> {
    let mut members: BTreeMap<&str, Vec<&Best>> = BTreeMap::new();
    for curve in curves {
        members
            .entry(group_name(&curve.name))
            .or_default()
            .push(curve);
    }
    members
        .into_iter()
        .filter(|(_, runs)| runs.len() > 1)
        .map(|(name, runs)| group(name, &runs, points))
        .collect()
}

/// Mean and quartiles over the runs, for as long as all of them go.
fn group(name: &str, runs: &[&Best], points: usize) -> Group {
    let shortest = runs.iter().map(|run| run.best.len()).min().unwrap_or(0);
    let chosen = evenly(shortest, points);
    let (mut mean, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
    for place in &chosen {
        let mut values: Vec<f64> = runs.iter().map(|run| run.best[*place]).collect();
        values.sort_by(f64::total_cmp);
        mean.push(Number(values.iter().sum::<f64>() / values.len() as f64));
        low.push(Number(quantile(&values, 0.25)));
        high.push(Number(quantile(&values, 0.75)));
    }
    Group {
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
    let (below, above) = (
        sorted[place.floor() as usize],
        sorted[place.ceil() as usize],
    );
    below + (above - below) * place.fract()
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
        let run = |name: &str, best: &[f64]| Best {
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
            (Number(4.0), Number(2.0), Number(6.0))
        );
    }
}
