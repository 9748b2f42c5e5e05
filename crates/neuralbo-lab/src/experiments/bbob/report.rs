//! Figure 2: runtimes on COCO's functions.

use std::collections::{BTreeMap, BTreeSet};

use super::parse;
use crate::figure::{Figure, Panel, PlotAxis, PlotSeries};
use crate::problems::bbob::score::{GapCurve, RUNTIMES, Score, score, targets};
use crate::report::Results;
use crate::report::curves::with_known_looks;
use crate::report::methods::{NU_RUNS, best_nu, grid_nu, looks, with_nu};
use crate::report::{Document, ReportTable, Section, TableCell};
use crate::runner::{NU_GRID, distinct};

/// The runs of a method in one dimension.
type Runs = Vec<GapCurve>;
/// Methods with their runs, in order.
type BbobMethods = Vec<(String, Runs)>;

/// Adds the section.
pub fn report(document: &mut Document, section: &Section<'_>) {
    let (results, note) = (section.results, &section.note);
    let of_dim = |dim| (dim, methods(results, dim));
    let dims: BTreeMap<usize, BbobMethods> = dims(results).into_iter().map(of_dim).collect();
    let targets = format!("Targets: 51 gaps from 10² to 10⁻⁸. {note}");
    let svg = ecdf_figure(&dims, &targets);
    let caption = "Figure 2. Share of (function, instance, target) reached against evaluations/D.";
    document.figure("figure-2-bbob", caption, svg);
    let caption = "Area under the curves of Figure 2 over log10(evaluations/D) from 0.5 to 20, normalized (larger is better), and the mean log10 of \
         the final gap, clipped at 1e-8 (smaller is better).";
    document.table(score_table(caption, &dims));
    document.table(nu_table(results));
}

/// The dimensions that were run.
fn dims(results: &Results) -> BTreeSet<usize> {
    let dim = |problem| Some(parse(problem)?.1);
    results.problems().into_iter().filter_map(dim).collect()
}

/// All methods of a dimension with their runs up to the last one wanted, the grid over ν as it is.
fn all_methods(results: &Results, dim: usize, last_run: u32) -> BbobMethods {
    let mut methods: BbobMethods = results
        .methods()
        .into_iter()
        .map(|name| (name.clone(), Runs::new()))
        .collect();
    for trace in results
        .finished()
        .filter(|trace| trace.header.run <= last_run)
    {
        if parse(&trace.header.problem).is_none_or(|(_, d)| d != dim) {
            continue;
        }
        let mut run = GapCurve::new(dim);
        for row in &trace.rows {
            run.record(row.evaluation, row.best);
        }
        let own = |(name, _): &&mut (String, Runs)| *name == trace.header.method;
        if let Some((_, runs)) = methods.iter_mut().find(own) {
            runs.push(run);
        }
    }
    methods.retain(|(_, runs)| !runs.is_empty());
    methods
}

/// All methods of a dimension, the grid over ν replaced by its chosen member.
fn methods(results: &Results, dim: usize) -> BbobMethods {
    with_nu(all_methods(results, dim, u32::MAX), chosen_nu(results, dim))
}

/// The member of the exploration grid with the largest area on the first instances.
fn chosen_nu(results: &Results, dim: usize) -> Option<String> {
    let area = |runs: &Runs| score_of(runs).map_or(0.0, |score| score.auc);
    best_nu(&all_methods(results, dim, NU_RUNS), |runs| -area(runs))
}

/// The scores of a method's runs.
fn score_of(runs: &Runs) -> Option<Score> {
    score(runs)
}

/// One panel per dimension.
fn ecdf_figure(dims: &BTreeMap<usize, BbobMethods>, note: &str) -> String {
    let mut figure = Figure::new("Runtime distributions on BBOB");
    figure = figure.columns(2).note(note);
    for (dim, methods) in dims {
        let x = PlotAxis::log("evaluations / D").range(RUNTIMES.0, RUNTIMES.1);
        let y = PlotAxis::linear("share of targets reached");
        let panel = Panel::new(format!("D = {dim}"), x, y);
        figure = figure.with(methods.iter().map(ecdf).fold(panel, Panel::with));
    }
    figure.to_svg()
}

fn ecdf((name, runs): &(String, Runs)) -> PlotSeries {
    let runtime = |run: &GapCurve, target| run.runtime(target).unwrap_or(f64::INFINITY);
    let of_run = |run| targets().map(move |target| runtime(run, target));
    let runtimes: Vec<f64> = runs.iter().flat_map(of_run).collect();
    let series = PlotSeries::ecdf(name, &runtimes, RUNTIMES.0, RUNTIMES.1);
    with_known_looks(series, looks(name))
}

/// Methods by dimension; the best of each column stands out.
fn score_table(caption: &str, dims: &BTreeMap<usize, BbobMethods>) -> ReportTable {
    let titles = |dim| ["area", "gap", "runs"].map(|title| format!("D={dim} {title}"));
    let mut table = ReportTable::new(caption, &["method"]).with(dims.keys().flat_map(titles));
    for name in distinct(dims.values().flatten().map(|(name, _)| name)) {
        let cells = dims.values().flat_map(|methods| score_cells(name, methods));
        table.row(&[name], cells);
    }
    table
}

fn score_cells(name: &str, methods: &BbobMethods) -> [TableCell; 3] {
    let score = |(_, runs): &(String, Runs)| score_of(runs);
    let scores: Vec<Score> = methods.iter().filter_map(score).collect();
    let own = methods.iter().find(|(method, _)| method == name);
    let Some((score, count)) = own.and_then(|(_, runs)| Some((score_of(runs)?, runs.len()))) else {
        return ["–"; 3].map(TableCell::from);
    };
    let largest = scores.iter().map(|s| s.auc).fold(0.0, f64::max);
    let smallest = scores.iter().map(|s| s.gap).fold(f64::INFINITY, f64::min);
    [
        TableCell::marked(format!("{:.4}", score.auc), score.auc == largest),
        TableCell::marked(format!("{:.3}", score.gap), score.gap == smallest),
        count.to_string().into(),
    ]
}

fn nu_table(results: &Results) -> ReportTable {
    let mut table = ReportTable::new(
        format!(
            "neuralbo-paper for every ν of the paper's grid: area / mean log10 gap. Bold: the largest area on the first {NU_RUNS} \
             instances, which is shown elsewhere."
        ),
        &["dimension", "ν = 0.1", "ν = 1", "ν = 10"],
    );
    for dim in dims(results) {
        let (all, chosen) = (all_methods(results, dim, u32::MAX), chosen_nu(results, dim));
        let Some(chosen) = chosen else {
            continue;
        };
        let with = |nu| all.iter().find(|(name, _)| grid_nu(name) == Some(nu));
        let score = |nu| with(nu).and_then(|(name, runs)| Some((name, score_of(runs)?)));
        let cell = |nu| match score(nu) {
            Some((name, s)) => {
                TableCell::marked(format!("{:.4} / {:.3}", s.auc, s.gap), *name == chosen)
            }
            None => "–".into(),
        };
        table.row(&[&dim.to_string()], NU_GRID.map(cell));
    }
    table
}
