//! Figure 2: runtimes on COCO's functions.

use std::collections::{BTreeMap, BTreeSet};

use super::parse;
use super::peers;
use crate::figure::{Axis, Figure, Panel, Series};
use crate::problems::bbob::score::{GapCurve, RUNTIMES, Score, score, targets};
use crate::report::Results;
use crate::report::methods::{grid_nu, looks, with_best_nu};
use crate::report::peers::ProblemKey;
use crate::report::{Cell, Document, Section, Table};

/// The runs of a method in one dimension.
pub type Runs = BTreeMap<ProblemKey, GapCurve>;
/// Methods with their runs, in order.
pub type Methods = Vec<(String, Runs)>;

/// Adds the section.
pub fn report(document: &mut Document, section: &Section<'_>) {
    let (results, note) = (section.results, &section.note);
    let dims: BTreeMap<usize, Methods> = dims(results)
        .into_iter()
        .map(|dim| (dim, methods(results, dim)))
        .collect();
    let svg = ecdf_figure(
        "Runtime distributions on BBOB",
        &dims,
        &format!("Targets: 51 gaps from 10² to 10⁻⁸. {note}"),
        looks,
    );
    document.figure(
        "figure-2-bbob",
        "Figure 2. Share of (function, instance, target) reached against evaluations/D.",
        svg,
    );
    let caption = "Area under the curves of Figure 2 over log10(evaluations/D) from 0.5 to 20, normalized (larger is better), and the mean log10 of \
         the final gap, clipped at 1e-8 (smaller is better).";
    document.table(score_table(caption, &dims));
    document.table(nu_table(results));
    if let Some(recorded) = section.peers {
        peers::compare(
            document,
            &dims,
            recorded,
            results.manifest.evaluations,
            note,
        );
    }
}

/// The dimensions that were run.
pub fn dims(results: &Results) -> BTreeSet<usize> {
    results
        .problems()
        .into_iter()
        .filter_map(|problem| parse(problem).map(|(_, dim)| dim))
        .collect()
}

/// All methods of a dimension, the grid over ν as it is.
fn all_methods(results: &Results, dim: usize) -> Methods {
    let mut methods: Methods = results
        .methods()
        .into_iter()
        .map(|name| (name.clone(), Runs::new()))
        .collect();
    for trace in results
        .traces
        .iter()
        .filter(|trace| trace.header.error.is_none())
    {
        let Some((function, _)) = parse(&trace.header.problem).filter(|(_, d)| *d == dim) else {
            continue;
        };
        let mut run = GapCurve::new(dim);
        trace
            .rows
            .iter()
            .for_each(|row| run.record(row.evaluation, row.best));
        if let Some((_, runs)) = methods
            .iter_mut()
            .find(|(name, _)| *name == trace.header.method)
        {
            runs.insert((function, trace.header.run), run);
        }
    }
    methods.retain(|(_, runs)| !runs.is_empty());
    methods
}

/// All methods of a dimension, the grid over ν replaced by the one with the largest area.
pub fn methods(results: &Results, dim: usize) -> Methods {
    let area = |runs: &Runs| score_of(runs).map_or(0.0, |score| score.auc);
    with_best_nu(all_methods(results, dim), |runs| -area(runs))
}

/// The scores of a method's runs.
pub fn score_of(runs: &Runs) -> Option<Score> {
    score(&runs.values().cloned().collect::<Vec<_>>())
}

/// One panel a dimension; `look` numbers the looks of a method.
pub fn ecdf_figure(
    title: &str,
    dims: &BTreeMap<usize, Methods>,
    note: &str,
    look: impl Fn(&str) -> Option<usize>,
) -> String {
    let mut figure = Figure::new(title).columns(2).note(note);
    for (dim, methods) in dims {
        let x = Axis::log("evaluations / D").range(RUNTIMES.0, RUNTIMES.1);
        let panel = Panel::new(
            format!("D = {dim}"),
            x,
            Axis::linear("share of targets reached"),
        );
        figure = figure.with(
            methods
                .iter()
                .map(|(name, runs)| ecdf(name, runs, look(name)))
                .fold(panel, Panel::with),
        );
    }
    figure.to_svg()
}

fn ecdf(name: &str, runs: &Runs, look: Option<usize>) -> Series {
    let runtime = |trace: &GapCurve| {
        targets()
            .map(|target| trace.runtime(target).unwrap_or(f64::INFINITY))
            .collect::<Vec<_>>()
    };
    let runtimes: Vec<f64> = runs.values().flat_map(runtime).collect();
    let series = Series::ecdf(name, &runtimes, RUNTIMES.0, RUNTIMES.1);
    look.map_or(series.clone(), |number| series.with_looks(number))
}

/// Methods by dimension; the best of each column stands out.
pub fn score_table(caption: &str, dims: &BTreeMap<usize, Methods>) -> Table {
    let titles = dims.keys().flat_map(|dim| {
        [
            format!("D={dim} area"),
            format!("D={dim} gap"),
            format!("D={dim} runs"),
        ]
    });
    let mut table = Table::new(caption, ["method".to_owned()].into_iter().chain(titles));
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in dims.values().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let mut row = vec![Cell::from(name.as_str())];
        dims.values()
            .for_each(|methods| row.extend(score_cells(name, methods)));
        table.row(row);
    }
    table
}

fn score_cells(name: &str, methods: &Methods) -> [Cell; 3] {
    let scores: Vec<Score> = methods
        .iter()
        .filter_map(|(_, runs)| score_of(runs))
        .collect();
    let own = methods
        .iter()
        .find(|(method, _)| method == name)
        .and_then(|(_, runs)| Some((score_of(runs)?, runs.len())));
    let Some((score, count)) = own else {
        return ["–"; 3].map(Cell::from);
    };
    let largest = scores
        .iter()
        .map(|s| s.auc)
        .fold(f64::NEG_INFINITY, f64::max);
    let smallest = scores.iter().map(|s| s.gap).fold(f64::INFINITY, f64::min);
    [
        Cell::marked(format!("{:.4}", score.auc), score.auc == largest),
        Cell::marked(format!("{:.3}", score.gap), score.gap == smallest),
        count.to_string().into(),
    ]
}

fn nu_table(results: &Results) -> Table {
    let mut table = Table::new(
        "neuralbo-paper for every ν of the paper's grid: area / mean log10 gap. The best area (bold) is what is shown elsewhere.",
        ["dimension", "ν = 0.1", "ν = 1", "ν = 10"],
    );
    for dim in dims(results) {
        let all = all_methods(results, dim);
        let scores = crate::runner::NU_GRID.map(|nu| {
            all.iter()
                .find(|(name, _)| grid_nu(name) == Some(nu))
                .and_then(|(_, runs)| score_of(runs))
        });
        if scores.iter().flatten().count() < 2 {
            continue;
        }
        let best = scores
            .iter()
            .flatten()
            .map(|score| score.auc)
            .fold(f64::NEG_INFINITY, f64::max);
        let cell = |score: Option<Score>| {
            score.map_or(Cell::from("–"), |s| {
                Cell::marked(format!("{:.4} / {:.3}", s.auc, s.gap), s.auc == best)
            })
        };
        table.row(
            [Cell::from(dim.to_string())]
                .into_iter()
                .chain(scores.map(cell))
                .collect(),
        );
    }
    table
}
