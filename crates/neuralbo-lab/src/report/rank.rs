//! Average ranks.

use super::average::{Shown, runs_of};
use super::document::{Cell, Document, Table};
use super::methods::{looks, mean_loss};
use super::results::Results;
use crate::experiment::{Kind, Trace};
use crate::stats::{average_ranks, mean};

/// Gaps below this are equal.
const SMALLEST_GAP: f64 = 1e-8;

/// Adds the section.
pub fn report(document: &mut Document, experiments: &[Results]) {
    document.section("Average ranks");
    let compared: Vec<&Results> = experiments.iter().filter(|results| results.manifest.experiment != Kind::Memory).collect();
    let ranks: Vec<Vec<(String, f64)>> = compared.iter().map(|results| of_experiment(results)).collect();
    let mut methods: Vec<&String> = ranks.iter().flatten().map(|(method, _)| method).collect();
    methods.sort_by_key(|method| (looks(method).unwrap_or(usize::MAX), method.as_str()));
    methods.dedup();
    let caption = "Mean rank of the mean final value over the problems of each experiment (1: best; bold: best of the experiment). On \
                   BBOB the mean logarithm of the final gap is ranked. Only methods that ran on all problems of an experiment are ranked.";
    let names = compared.iter().map(|results| results.manifest.experiment.name());
    let mut table = Table::new(caption, ["method"].into_iter().chain(names));
    for method in methods {
        let cell = |ranks: &Vec<(String, f64)>| {
            let best = ranks.iter().map(|(_, rank)| *rank).fold(f64::INFINITY, f64::min);
            let own = ranks.iter().find(|(name, _)| name == method).map(|(_, rank)| *rank);
            own.map_or(Cell::from("–"), |rank| Cell::marked(format!("{rank:.2}"), rank == best))
        };
        let mut row = vec![Cell::from(method.as_str())];
        row.extend(ranks.iter().map(cell));
        table.row(row);
    }
    document.table(table);
}

/// The mean rank of each method that ran on all problems.
pub fn of_experiment(results: &Results) -> Vec<(String, f64)> {
    let loss = if results.manifest.experiment == Kind::Bbob { mean_log_gap } else { mean_loss };
    let shown = Shown::new(results, loss);
    let everywhere = |name: &&String| shown.problems.iter().all(|(_, methods)| runs_of(methods, name).is_some());
    let methods: Vec<&String> = shown.methods.iter().filter(everywhere).collect();
    let row = |methods_of: &Vec<(String, Vec<&Trace>)>| -> Vec<f64> {
        methods.iter().map(|name| runs_of(methods_of, name).map_or(f64::NAN, |runs| loss(runs))).collect()
    };
    let table: Vec<Vec<f64>> = shown.problems.iter().map(|(_, methods)| row(methods)).collect();
    let ranks = average_ranks(&table).unwrap_or_default();
    methods.into_iter().cloned().zip(ranks).collect()
}

/// The mean decimal logarithm of the final gaps.
pub fn mean_log_gap(runs: &[&Trace]) -> f64 {
    mean(&runs.iter().filter_map(|trace| Some(trace.last_best()?.max(SMALLEST_GAP).log10())).collect::<Vec<_>>())
}
