//! Figure 2 with recorded runs of other optimizers.

use std::collections::{BTreeMap, BTreeSet};

use super::report::{Methods, Runs, ecdf_figure, score_of, score_table};
use crate::report::methods::{looks, ours};
use crate::report::peers::{PeerRuns, ProblemKey};
use crate::report::{Cell, Document, Table};

/// Peers drawn in a figure; all are in the table.
const PEERS_SHOWN: usize = 6;
/// From here on looks are those of peers.
const PEER_LOOKS: usize = 11;

/// Our own methods beside recorded runs of others, on the problems that both have.
pub fn compare(
    document: &mut Document,
    dims: &BTreeMap<usize, Methods>,
    peers: &PeerRuns,
    evaluations: u64,
    note: &str,
) {
    let mut slow = Table::new(
        "Peers that have fewer problems: area and mean log10 gap on the problems that they share with our method.",
        [
            "peer",
            "D",
            "problems",
            "peer's area",
            "our area",
            "peer's gap",
            "our gap",
            "our method",
        ],
    );
    let mut common: BTreeMap<usize, Methods> = BTreeMap::new();
    for (dim, methods) in dims {
        if let Some(shown) = side_by_side(*dim, methods, peers, &mut slow) {
            common.insert(*dim, shown);
        }
    }
    if common.is_empty() {
        return;
    }
    let count = common
        .values()
        .filter_map(|methods| methods.first())
        .map(|(_, runs)| runs.len())
        .max()
        .unwrap_or(0);
    let caption = format!(
        "Figure 2 with recorded runs of other optimizers on the same problems (at most {count} per dimension). The recorded runs had \
         20·D evaluations, ours {evaluations}·D."
    );
    let own: Vec<String> = dims
        .values()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect();
    let best = best_peers(&common, &own);
    let few: BTreeMap<usize, Methods> = common
        .iter()
        .map(|(dim, methods)| (*dim, for_figure(methods, &best)))
        .collect();
    let look = |name: &str| {
        looks(name).or_else(|| {
            best.iter()
                .position(|peer| peer == name)
                .map(|i| PEER_LOOKS + i)
        })
    };
    let svg = ecdf_figure(
        "Runtimes on BBOB, with the best of other optimizers",
        &few,
        note,
        look,
    );
    document.figure("figure-2-peers", &caption, svg);
    document.table(score_table(&caption, &common));
    document.table(slow);
}

/// All our methods and the peers with most problems, on the problems they share; the other peers become rows of `slow`.
fn side_by_side(
    dim: usize,
    methods: &Methods,
    peers: &PeerRuns,
    slow: &mut Table,
) -> Option<Methods> {
    let names: Vec<String> = methods.iter().map(|(name, _)| name.clone()).collect();
    let own = ours(&names)
        .first()
        .copied()
        .or(names.first().map(String::as_str))?;
    let (_, own_runs) = methods.iter().find(|(name, _)| name == own)?;
    let (problems, full) = peers.common(dim, &own_runs.keys().copied().collect());
    let mut shown: Methods = methods
        .iter()
        .map(|(name, runs)| (name.clone(), restricted(runs, &problems)))
        .collect();
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
            slow_row(slow, peer, dim, runs, (own, own_runs));
        }
    }
    (!problems.is_empty()).then_some(shown)
}

/// Too many curves cannot be told apart: of ours those called neuralbo and random, and the best peers.
fn for_figure(methods: &Methods, peers: &[String]) -> Methods {
    let own = |name: &str| name.starts_with("neuralbo") || name == "random";
    methods
        .iter()
        .filter(|(name, _)| own(name) || peers.contains(name))
        .cloned()
        .collect()
}

/// The peers with the largest areas over all dimensions, and ours left out.
fn best_peers(common: &BTreeMap<usize, Methods>, ours: &[String]) -> Vec<String> {
    let mut areas: BTreeMap<&str, f64> = BTreeMap::new();
    for (name, runs) in common
        .values()
        .flatten()
        .filter(|(name, _)| !ours.contains(name))
    {
        *areas.entry(name).or_default() += score_of(runs).map_or(0.0, |score| score.auc);
    }
    let mut order: Vec<(&str, f64)> = areas.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    order
        .into_iter()
        .take(PEERS_SHOWN)
        .map(|(name, _)| name.to_owned())
        .collect()
}

fn restricted(runs: &Runs, problems: &BTreeSet<ProblemKey>) -> Runs {
    runs.iter()
        .filter(|(key, _)| problems.contains(key))
        .map(|(key, run)| (*key, run.clone()))
        .collect()
}

fn slow_row(table: &mut Table, peer: &str, dim: usize, runs: &Runs, (name, own): (&str, &Runs)) {
    let shared: BTreeSet<ProblemKey> = runs
        .keys()
        .filter(|key| own.contains_key(key))
        .copied()
        .collect();
    let (Some(theirs), Some(ours)) = (
        score_of(&restricted(runs, &shared)),
        score_of(&restricted(own, &shared)),
    ) else {
        return;
    };
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
