//! Average ranks.

use super::Ranking;
use super::average::{Shown, runs_of};
use super::document::{Document, ReportTable, TableCell};
use super::methods::looks;
use super::results::{MethodRuns, Results};
use crate::stats::average_ranks;

/// Adds the section.
pub fn report(document: &mut Document, experiments: &[Results]) {
    document.section("Average ranks");
    let compared: Vec<(&Results, Ranking)> = experiments
        .iter()
        .filter_map(|results| Some((results, results.experiment.ranking?)))
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
        .map(|(results, _)| results.experiment.run.name);
    let mut table = ReportTable::new(caption(&compared), &["method"]).with(names);
    for method in methods {
        let cell = |ranks: &Vec<(String, f64)>| {
            let best = ranks
                .iter()
                .fold(f64::INFINITY, |best, (_, rank)| best.min(*rank));
            match ranks.iter().find(|(name, _)| name == method) {
                Some((_, rank)) => TableCell::marked(format!("{rank:.2}"), *rank == best),
                None => "–".into(),
            }
        };
        table.row(&[method], ranks.iter().map(cell));
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
    let mut methods = shown.methods.clone();
    methods.retain(|name| {
        let mut problems = shown.problems.iter();
        problems.all(|(_, methods)| runs_of(methods, name).is_some())
    });
    let row = |(_, of_problem): &(&str, MethodRuns<'_>)| -> Vec<f64> {
        let loss = |name: &String| runs_of(of_problem, name).map_or(f64::NAN, |runs| loss(runs));
        methods.iter().map(loss).collect()
    };
    let table: Vec<Vec<f64>> = shown.problems.iter().map(row).collect();
    let ranks = average_ranks(&table).unwrap_or_default();
    methods.into_iter().zip(ranks).collect()
}
