//! Average ranks.

use super::Ranking;
use super::average::{Shown, runs_of};
use super::document::{Cell, Document, Table};
use super::methods::looks;
use super::results::Results;
use crate::runner::RunTrace;
use crate::stats::average_ranks;

/// Adds the section.
pub fn report(document: &mut Document, experiments: &[Results]) {
    document.section("Average ranks");
    let compared: Vec<(&Results, Ranking)> = experiments
        .iter()
        .filter_map(|results| Some((results, results.experiment.ranking()?)))
        .collect();
    let ranks: Vec<Vec<(String, f64)>> = compared
        .iter()
        .map(|(results, ranking)| of_experiment(results, *ranking))
        .collect();
    let mut methods: Vec<&String> = ranks.iter().flatten().map(|(method, _)| method).collect();
    methods.sort_by_key(|method| (looks(method).unwrap_or(usize::MAX), method.as_str()));
    methods.dedup();
    let names = compared
        .iter()
        .map(|(results, _)| results.experiment.name());
    let mut table = Table::new(caption(&compared), ["method"].into_iter().chain(names));
    for method in methods {
        let cell = |ranks: &Vec<(String, f64)>| {
            let best = ranks
                .iter()
                .map(|(_, rank)| *rank)
                .fold(f64::INFINITY, f64::min);
            let own = ranks
                .iter()
                .find(|(name, _)| name == method)
                .map(|(_, rank)| *rank);
            own.map_or(Cell::from("–"), |rank| {
                Cell::marked(format!("{rank:.2}"), rank == best)
            })
        };
        let mut row = vec![Cell::from(method.as_str())];
        row.extend(ranks.iter().map(cell));
        table.row(row);
    }
    document.table(table);
}

/// How the ranks come about; experiments that rank otherwise say so.
fn caption(compared: &[(&Results, Ranking)]) -> String {
    let remarks = compared.iter().map(|(_, ranking)| ranking.remark);
    let first = "Mean rank of the mean final value over the problems of each experiment (1: best; \
                 bold: best of the experiment). Only methods that ran on all problems of an \
                 experiment are ranked.";
    let sentences = std::iter::once(first).chain(remarks.filter(|remark| !remark.is_empty()));
    sentences.collect::<Vec<_>>().join(" ")
}

/// The mean rank of each method that ran on all problems.
fn of_experiment(results: &Results, Ranking { loss, .. }: Ranking) -> Vec<(String, f64)> {
    let shown = Shown::new(results, loss);
    let everywhere = |name: &&String| {
        shown
            .problems
            .iter()
            .all(|(_, methods)| runs_of(methods, name).is_some())
    };
    let methods: Vec<&String> = shown.methods.iter().filter(everywhere).collect();
    let row = |methods_of: &Vec<(String, Vec<&RunTrace>)>| -> Vec<f64> {
        methods
            .iter()
            .map(|name| runs_of(methods_of, name).map_or(f64::NAN, |runs| loss(runs)))
            .collect()
    };
    let table: Vec<Vec<f64>> = shown
        .problems
        .iter()
        .map(|(_, methods)| row(methods))
        .collect();
    let ranks = average_ranks(&table).unwrap_or_default();
    methods.into_iter().cloned().zip(ranks).collect()
}
