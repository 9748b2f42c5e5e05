//! Figure 2 with recorded runs of other optimizers.

use std::collections::BTreeMap;

use super::report::{BbobMethods, ecdf_figure, score_of, score_table};
use crate::report::methods::{looks, ours};
use crate::report::peers::{GapCurves as Runs, PeerRuns, ProblemKeys};
use crate::report::{Document, ReportTable, Section, TableCell};

/// Peers drawn in a figure; all are in the table.
const PEERS_SHOWN: usize = 6;
/// From here on looks are those of peers.
const PEER_LOOKS: usize = 11;

/// Our own methods beside recorded runs of others, on the problems that both have.
pub fn compare(
    document: &mut Document,
    dims: &BTreeMap<usize, BbobMethods>,
    peers: &PeerRuns,
    section: &Section<'_>,
) {
    let columns = "peer,D,problems,peer's area,our area,peer's gap,our gap,our method";
    let caption = "Peers that have fewer problems: area and mean log10 gap on the problems that they share with our method.";
    let mut slow = ReportTable::new(caption, &[]).with(columns.split(','));
    let both = |(dim, methods): (&usize, &BbobMethods)| {
        Some((*dim, side_by_side(*dim, methods, peers, &mut slow)?))
    };
    let common: BTreeMap<usize, BbobMethods> = dims.iter().filter_map(both).collect();
    if common.is_empty() {
        return;
    }
    let problems = |methods: &BbobMethods| methods.first().map(|(_, runs)| runs.len());
    let count = common.values().filter_map(problems).max().unwrap_or(0);
    let evaluations = section.results.manifest.evaluations;
    let caption = format!(
        "Figure 2 with recorded runs of other optimizers on the same problems (at most {count} per dimension). The recorded runs had \
         20·D evaluations, ours {evaluations}·D."
    );
    let own: Vec<&String> = dims.values().flatten().map(|(name, _)| name).collect();
    let best = best_peers(&common, &own);
    let few = common
        .iter()
        .map(|(dim, methods)| (*dim, for_figure(methods, &best)));
    let place = |name: &str| best.iter().position(|peer| peer == name);
    let look = |name: &str| looks(name).or_else(|| Some(PEER_LOOKS + place(name)?));
    let title = "Runtimes on BBOB, with the best of other optimizers";
    let svg = ecdf_figure(title, &few.collect(), &section.note, look);
    document.figure("figure-2-peers", &caption, svg);
    document.table(score_table(&caption, &common));
    document.table(slow);
}

/// All our methods and the peers with most problems, on the problems they share; the other peers become rows of `slow`.
fn side_by_side(
    dim: usize,
    methods: &BbobMethods,
    peers: &PeerRuns,
    slow: &mut ReportTable,
) -> Option<BbobMethods> {
    let names: Vec<String> = methods.iter().map(|(name, _)| name.clone()).collect();
    let own = *ours(&names)
        .first()
        .or(names.first().map(String::as_str).as_ref())?;
    let (_, own_runs) = methods.iter().find(|(name, _)| name == own)?;
    let (problems, full) = peers.common(dim, &own_runs.keys().copied().collect());
    let on_shared = |(name, runs): &(String, Runs)| (name.clone(), restricted(runs, &problems));
    let mut shown: BbobMethods = methods.iter().map(on_shared).collect();
    for (peer, runs) in peers.of_dim(dim) {
        if full.contains(&peer) {
            // A recorded run of a method that has the name of one of ours.
            let name = if names.iter().any(|name| name == peer) {
                format!("{peer} (recorded)")
            } else {
                peer.to_owned()
            };
            shown.push((name, restricted(runs, &problems)));
        } else {
            slow.rows
                .extend(slow_row([peer, own], dim, [runs, own_runs]));
        }
    }
    (!problems.is_empty()).then_some(shown)
}

/// Too many curves cannot be told apart: of ours those called neuralbo and random, and the best peers.
fn for_figure(methods: &BbobMethods, peers: &[String]) -> BbobMethods {
    let own = |name: &str| name.starts_with("neuralbo") || name == "random";
    let mut shown = methods.clone();
    shown.retain(|(name, _)| own(name) || peers.contains(name));
    shown
}

/// The peers with the largest areas over all dimensions, and ours left out.
fn best_peers(common: &BTreeMap<usize, BbobMethods>, ours: &[&String]) -> Vec<String> {
    let mut areas: BTreeMap<&String, f64> = BTreeMap::new();
    for (name, runs) in common.values().flatten() {
        *areas.entry(name).or_default() += score_of(runs).map_or(0.0, |score| score.auc);
    }
    areas.retain(|name, _| !ours.contains(name));
    let mut order: Vec<_> = areas.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    order.truncate(PEERS_SHOWN);
    order.into_iter().map(|(name, _)| name.clone()).collect()
}

fn restricted(runs: &Runs, problems: &ProblemKeys) -> Runs {
    let shared = runs.iter().filter(|(key, _)| problems.contains(key));
    shared.map(|(key, run)| (*key, run.clone())).collect()
}

/// A row for a peer and our method, each with its name and runs; none where they share no problem.
fn slow_row(names: [&str; 2], dim: usize, runs: [&Runs; 2]) -> Option<Vec<TableCell>> {
    let shared = runs[0].keys().filter(|key| runs[1].contains_key(key));
    let shared: ProblemKeys = shared.copied().collect();
    let theirs = score_of(&restricted(runs[0], &shared))?;
    let ours = score_of(&restricted(runs[1], &shared))?;
    let area = |ours: f64, theirs: f64| TableCell::marked(format!("{ours:.4}"), ours > theirs);
    let gap = |ours: f64, theirs: f64| TableCell::marked(format!("{ours:.3}"), ours < theirs);
    Some(vec![
        names[0].into(),
        dim.to_string().into(),
        shared.len().to_string().into(),
        area(theirs.auc, ours.auc),
        area(ours.auc, theirs.auc),
        gap(theirs.gap, ours.gap),
        gap(ours.gap, theirs.gap),
        names[1].into(),
    ])
}
