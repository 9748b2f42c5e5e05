//! The scorer against scores that were computed elsewhere from the same recorded runs of other optimizers.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::GzDecoder;
use neuralbo_lab::problems::bbob::score::{GapCurve, Score, score};

/// The functions all of the slower optimizers were run on.
const TEN: [u32; 10] = [1, 3, 6, 8, 10, 13, 15, 17, 20, 21];

type Problem = (u32, u32);
type Runs = BTreeMap<(String, usize), BTreeMap<Problem, GapCurve>>;

fn recorded() -> Runs {
    let mut text = String::new();
    GzDecoder::new(&include_bytes!("data/bbob_peers.csv.gz")[..])
        .read_to_string(&mut text)
        .unwrap();
    let mut runs = Runs::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let dim = fields[1].parse().unwrap();
        let problem = (fields[2].parse().unwrap(), fields[3].parse().unwrap());
        let traces = runs.entry((fields[0].to_owned(), dim)).or_default();
        let trace = traces.entry(problem).or_insert_with(|| GapCurve::new(dim));
        trace.record(fields[4].parse().unwrap(), fields[5].parse().unwrap());
    }
    runs
}

fn score_of(runs: &Runs, optimizer: &str, dim: usize, wanted: impl Fn(Problem) -> bool) -> Score {
    let traces = &runs[&(optimizer.to_owned(), dim)];
    let chosen: Vec<GapCurve> = traces
        .iter()
        .filter(|(problem, _)| wanted(**problem))
        .map(|(_, trace)| trace.clone())
        .collect();
    score(&chosen).unwrap()
}

#[test]
fn all_functions_in_three_instances() {
    let runs = recorded();
    for (dim, auc, gap) in [(2, 0.129, -0.77), (5, 0.101, 0.08)] {
        let ours = score_of(&runs, "scipy-cobyqa", dim, |_| true);
        assert!(
            (ours.auc - auc).abs() < 6e-4 && (ours.gap - gap).abs() < 6e-3,
            "{dim}: {ours:?}"
        );
    }
}

#[test]
fn ten_functions_in_one_instance() {
    let runs = recorded();
    let published = [
        ("scipy-cobyqa", 0.114, -0.04),
        ("ngopt", 0.092, 0.15),
        ("cma-lq", 0.090, -0.22),
        ("egobox", 0.065, 0.55),
        ("optuna-gp", 0.059, 0.80),
        ("turbo1", 0.058, 1.07),
        ("smac-rf", 0.031, 1.71),
    ];
    for (optimizer, auc, gap) in published {
        let ours = score_of(&runs, optimizer, 5, |(function, instance)| {
            instance == 1 && TEN.contains(&function)
        });
        assert!(
            (ours.auc - auc).abs() < 6e-4 && (ours.gap - gap).abs() < 6e-3,
            "{optimizer}: {ours:?}"
        );
    }
}
