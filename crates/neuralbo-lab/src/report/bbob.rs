//! Figure 2: runtimes on COCO's functions.

use std::collections::{BTreeMap, BTreeSet};

use super::difference::note;
use super::document::{Cell, Document, Table};
use super::methods::{PAPER_BEST, grid_nu, looks, ours};
use super::peers::{PeerRuns, ProblemKey};
use super::results::Results;
use crate::experiment::bbob::parse;
use crate::figure::{Axis, Figure, Panel, Series};
use crate::problems::bbob::score::{RUNTIMES, Score, Trace, score, targets};

/// The runs of a method in one dimension.
type Runs = BTreeMap<ProblemKey, Trace>;
/// Methods with their runs, in order.
type Methods = Vec<(String, Runs)>;

/// Adds the section.
pub fn report(document: &mut Document, results: &Results, peers: Option<&PeerRuns>) {
    document.section("COCO / BBOB (Figure 2)");
    let note = note(results);
    let dims: BTreeMap<usize, Methods> = dims(results).into_iter().map(|dim| (dim, methods(results, dim))).collect();
    let svg = ecdf_figure(&dims, &format!("Targets: 51 gaps from 10² to 10⁻⁸. {note}"), None);
    document.figure(
        "figure-2-bbob",
        format!("Figure 2. Share of (function, instance, target) reached against evaluations/D. {note}"),
        svg,
    );
    let caption = format!(
        "Area under the curves of Figure 2 over log10(evaluations/D) from 0.5 to 20, normalized (larger is better), and the mean log10 of \
         the final gap, clipped at 1e-8 (smaller is better). {note}"
    );
    document.table(score_table(&caption, &dims));
    document.table(nu_table(results));
    if let Some(peers) = peers {
        with_peers(document, &dims, peers, &note);
    }
}

fn dims(results: &Results) -> BTreeSet<usize> {
    results.problems().into_iter().filter_map(|problem| parse(problem).map(|(_, dim)| dim)).collect()
}

/// All methods of a dimension, the grid over ν as it is.
fn all_methods(results: &Results, dim: usize) -> Methods {
    let mut methods: Methods = results.manifest.methods.iter().map(|name| (name.clone(), Runs::new())).collect();
    for trace in results.traces.iter().filter(|trace| trace.header.error.is_none()) {
        let Some((function, _)) = parse(&trace.header.problem).filter(|(_, d)| *d == dim) else { continue };
        let mut run = Trace::new(dim);
        trace.rows.iter().for_each(|row| run.record(row.evaluation, row.best));
        if let Some((_, runs)) = methods.iter_mut().find(|(name, _)| *name == trace.header.method) {
            runs.insert((function, trace.header.run), run);
        }
    }
    methods.retain(|(_, runs)| !runs.is_empty());
    methods
}

/// All methods of a dimension, the grid over ν replaced by the one with the largest area.
fn methods(results: &Results, dim: usize) -> Methods {
    let all = all_methods(results, dim);
    let area = |runs: &Runs| score_of(runs).map_or(0.0, |score| score.auc);
    let grid: Vec<_> = all.iter().filter(|(name, _)| grid_nu(name).is_some()).collect();
    let best = grid.iter().max_by(|a, b| area(&a.1).total_cmp(&area(&b.1))).map(|(name, _)| name.clone());
    let Some(best) = best.filter(|_| grid.len() > 1) else { return all };
    let keep = |(name, runs): (String, Runs)| match grid_nu(&name) {
        Some(_) => (name == best).then(|| (PAPER_BEST.to_owned(), runs)),
        None => Some((name, runs)),
    };
    all.into_iter().filter_map(keep).collect()
}

fn score_of(runs: &Runs) -> Option<Score> {
    score(&runs.values().cloned().collect::<Vec<_>>())
}

fn ecdf_figure(dims: &BTreeMap<usize, Methods>, note: &str, title: Option<&str>) -> String {
    let mut figure = Figure::new(title.unwrap_or("Runtime distributions on BBOB")).columns(2).note(note);
    for (dim, methods) in dims {
        let x = Axis::log("evaluations / D").range(RUNTIMES.0, RUNTIMES.1);
        let panel = Panel::new(format!("D = {dim}"), x, Axis::linear("share of targets reached"));
        figure = figure.with(methods.iter().map(|(name, runs)| ecdf(name, runs)).fold(panel, Panel::with));
    }
    figure.to_svg()
}

fn ecdf(name: &str, runs: &Runs) -> Series {
    let runtime = |trace: &Trace| targets().map(|target| trace.runtime(target).unwrap_or(f64::INFINITY)).collect::<Vec<_>>();
    let runtimes: Vec<f64> = runs.values().flat_map(runtime).collect();
    let series = Series::ecdf(name, &runtimes, RUNTIMES.0, RUNTIMES.1);
    looks(name).map_or(series.clone(), |number| series.with_looks(number))
}

/// Methods by dimension; the best of each column stands out.
fn score_table(caption: &str, dims: &BTreeMap<usize, Methods>) -> Table {
    let titles = dims.keys().flat_map(|dim| [format!("D={dim} area"), format!("D={dim} gap"), format!("D={dim} runs")]);
    let mut table = Table::new(caption, ["method".to_owned()].into_iter().chain(titles));
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in dims.values().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let mut row = vec![Cell::from(name.as_str())];
        dims.values().for_each(|methods| row.extend(score_cells(name, methods)));
        table.row(row);
    }
    table
}

fn score_cells(name: &str, methods: &Methods) -> [Cell; 3] {
    let scores: Vec<Score> = methods.iter().filter_map(|(_, runs)| score_of(runs)).collect();
    let own = methods.iter().find(|(method, _)| method == name).and_then(|(_, runs)| Some((score_of(runs)?, runs.len())));
    let Some((score, count)) = own else { return ["–"; 3].map(Cell::from) };
    let largest = scores.iter().map(|s| s.auc).fold(f64::NEG_INFINITY, f64::max);
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
        let scores = crate::experiment::NU_GRID
            .map(|nu| all.iter().find(|(name, _)| grid_nu(name) == Some(nu)).and_then(|(_, runs)| score_of(runs)));
        if scores.iter().flatten().count() < 2 {
            continue;
        }
        let best = scores.iter().flatten().map(|score| score.auc).fold(f64::NEG_INFINITY, f64::max);
        let cell = |score: Option<Score>| {
            score.map_or(Cell::from("–"), |s| Cell::marked(format!("{:.4} / {:.3}", s.auc, s.gap), s.auc == best))
        };
        table.row([Cell::from(dim.to_string())].into_iter().chain(scores.map(cell)).collect());
    }
    table
}

/// Our own methods beside recorded runs of others, on the problems that both have.
fn with_peers(document: &mut Document, dims: &BTreeMap<usize, Methods>, peers: &PeerRuns, note: &str) {
    let mut common: BTreeMap<usize, Methods> = BTreeMap::new();
    let mut slow = Table::new(
        "Peers that have fewer problems: area and mean log10 gap on the problems that they share with our method.",
        ["peer", "D", "problems", "peer's area", "our area", "peer's gap", "our gap", "our method"],
    );
    for (dim, methods) in dims {
        let names: Vec<String> = methods.iter().map(|(name, _)| name.clone()).collect();
        let own = ours(&names).first().map_or(names.first().cloned(), |name| Some((*name).to_owned()));
        let Some((_, own_runs)) = methods.iter().find(|(name, _)| Some(name) == own.as_ref()) else { continue };
        let (problems, full) = peers.common(*dim, &own_runs.keys().copied().collect());
        let mut shown: Methods = methods.iter().map(|(name, runs)| (name.clone(), restricted(runs, &problems))).collect();
        shown.extend(
            peers
                .of_dim(*dim)
                .filter(|(name, _)| full.contains(name))
                .map(|(n, runs)| (n.to_owned(), restricted(runs, &problems))),
        );
        for (peer, runs) in peers.of_dim(*dim).filter(|(name, _)| !full.contains(name)) {
            slow_row(&mut slow, peer, *dim, runs, (own.as_deref().unwrap_or_default(), own_runs));
        }
        if !problems.is_empty() {
            common.insert(*dim, shown);
        }
    }
    if common.is_empty() {
        return;
    }
    let count = common.values().filter_map(|methods| methods.first()).map(|(_, runs)| runs.len()).max().unwrap_or(0);
    let caption =
        format!("Figure 2 with recorded runs of other optimizers on the same problems ({count} per dimension or fewer). {note}");
    let few: BTreeMap<usize, Methods> = common.iter().map(|(dim, methods)| (*dim, for_figure(methods))).collect();
    document.figure(
        "figure-2-peers",
        &caption,
        ecdf_figure(&few, note, Some("Runtime distributions on BBOB, with other optimizers")),
    );
    document.table(score_table(&caption, &common));
    document.table(slow);
}

/// Too many curves cannot be told apart: of ours only those called neuralbo, and all peers.
fn for_figure(methods: &Methods) -> Methods {
    let baseline = |name: &str| looks(name).is_some() && !name.starts_with("neuralbo") && name != "random";
    methods.iter().filter(|(name, _)| !baseline(name)).cloned().collect()
}

fn restricted(runs: &Runs, problems: &BTreeSet<ProblemKey>) -> Runs {
    runs.iter().filter(|(key, _)| problems.contains(key)).map(|(key, run)| (*key, run.clone())).collect()
}

fn slow_row(table: &mut Table, peer: &str, dim: usize, runs: &Runs, (name, own): (&str, &Runs)) {
    let shared: BTreeSet<ProblemKey> = runs.keys().filter(|key| own.contains_key(key)).copied().collect();
    let (Some(theirs), Some(ours)) = (score_of(&restricted(runs, &shared)), score_of(&restricted(own, &shared))) else { return };
    let area = |ours: f64, theirs: f64| Cell::marked(format!("{ours:.4}"), ours > theirs);
    let gap = |ours: f64, theirs: f64| Cell::marked(format!("{ours:.3}"), ours < theirs);
    table.row(vec![
        peer.into(),
        dim.to_string().into(),
        shared.len().to_string().into(),
        area(theirs.auc, ours.auc),
        area(ours.auc, theirs.auc),
        gap(theirs.gap, ours.gap),
        gap(ours.gap, theirs.gap),
        name.into(),
    ]);
}
