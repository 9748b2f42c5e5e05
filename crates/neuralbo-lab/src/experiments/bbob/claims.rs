//! What section 6.1 says about COCO.

use super::report::{Methods, Runs, dims, methods, score_of};
use crate::problems::bbob::score::{Trace, score};
use crate::report::Results;
use crate::report::claims::{Claim, Finding};
use crate::report::methods::{BASELINES, paper_method};
use crate::report::versus::{Versus, outcomes};

/// The claims.
pub static CLAIMS: [Claim; 1] = [Claim {
    source: "6.1, Figure 2",
    text: "NeuralBO outperforms the other baselines on the COCO framework (2, 3, 5 and 10 dimensions).",
    rule: "the largest area in every dimension, and no baseline significantly ahead, run by run",
    decide: ahead,
}];

fn ahead(results: &Results) -> Finding {
    let found: Vec<(bool, String)> = dims(results)
        .into_iter()
        .filter_map(|dim| of_dim(dim, &methods(results, dim)))
        .collect();
    if found.is_empty() {
        return Finding::missing(
            "no runs of neuralbo-paper and of the baselines on the same functions",
        );
    }
    let evidence: Vec<String> = found.iter().map(|(_, text)| text.clone()).collect();
    Finding::decided(found.iter().all(|(ahead, _)| *ahead), evidence.join("; "))
}

/// Whether NeuralBO is ahead in a dimension; none where it or all baselines are missing.
fn of_dim(dim: usize, methods: &Methods) -> Option<(bool, String)> {
    let names: Vec<String> = methods.iter().map(|(name, _)| name.clone()).collect();
    let of = |name: &str| {
        methods
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, runs)| runs)
    };
    let own = of(paper_method(&names)?)?;
    let others: Vec<(&str, &Runs)> = BASELINES
        .iter()
        .filter_map(|name| Some((*name, of(name)?)))
        .collect();
    let area = |runs: &Runs| score_of(runs).map_or(0.0, |score| score.auc);
    let (best, most) = others
        .iter()
        .map(|(name, runs)| (*name, area(runs)))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    let outcomes = outcomes(
        &others
            .iter()
            .map(|(_, runs)| Versus::paired(&differences(own, runs)))
            .collect::<Vec<_>>(),
    );
    let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count();
    let (worse, better) = (count(&outcomes.worse), count(&outcomes.better));
    let exact = format!(
        "exact tests: {}, {}",
        count(&outcomes.exactly_better),
        count(&outcomes.exactly_worse)
    );
    let text = format!(
        "D = {dim}: area {:.4}, best baseline {most:.4} ({best}); of {} baselines {better} significantly behind, {worse} ahead ({exact})",
        area(own),
        others.len()
    );
    Some((area(own) > most && worse == 0, text))
}

/// Areas of the same runs, ours less theirs: positive where we are better.
fn differences(own: &Runs, theirs: &Runs) -> Vec<f64> {
    let area = |trace: &Trace| score(std::slice::from_ref(trace)).map_or(0.0, |score| score.auc);
    own.iter()
        .filter_map(|(problem, trace)| Some(area(trace) - area(theirs.get(problem)?)))
        .collect()
}
