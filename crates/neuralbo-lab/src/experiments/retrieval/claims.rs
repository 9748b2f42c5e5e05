//! What section 6.2 says about document retrieval.

use crate::report::Results;
use crate::report::average::Shown;
use crate::report::claims::{Claim, Finding};
use crate::report::format::p_value;
use crate::report::methods::{BASELINES, mean_loss, paper_method};
use crate::report::versus::{against, outcomes};

const GAUSSIAN: [&str; 3] = ["gp-ucb", "gp-ts", "gp-ei"];

/// The claims.
pub static CLAIMS: [Claim; 2] = [
    Claim {
        source: "6.2, Figure 4",
        text: "NeuralBO performs comparably to the others and much better than the GP-based baselines.",
        rule: "significantly better than gp-ucb, gp-ts and gp-ei, and no baseline significantly better",
        decide: |results| decide(results, &GAUSSIAN),
    },
    Claim {
        source: "6.2",
        text: "NeuralBO shows a better performance than the other approaches.",
        rule: "significantly better than every baseline",
        decide: |results| decide(results, &BASELINES),
    },
];

/// Whether NeuralBO is significantly better than all of `rivals` and worse than nobody.
fn decide(results: &Results, rivals: &[&str]) -> Finding {
    let shown = Shown::new(results, mean_loss);
    let Some(ours) = paper_method(&shown.methods) else {
        return Finding::missing("no runs of neuralbo-paper");
    };
    let others: Vec<&str> = BASELINES
        .into_iter()
        .filter(|name| shown.methods.iter().any(|method| method == name))
        .collect();
    let Some((_, methods)) = shown.problems.first() else {
        return Finding::missing("no runs");
    };
    let Some(family) = against(methods, ours, &others).filter(|_| !others.is_empty()) else {
        return Finding::missing("no runs of the baselines on the same problem");
    };
    let outcomes = outcomes(&family);
    let better = |rival: &&str| {
        others
            .iter()
            .position(|name| name == rival)
            .is_some_and(|i| outcomes.better[i])
    };
    let holds = rivals.iter().all(better) && !outcomes.worse.contains(&true);
    let text = |(name, versus): (&&str, &crate::report::versus::Versus)| {
        format!(
            "{name} {} ({})",
            p_value(versus.better),
            p_value(versus.exactly_better)
        )
    };
    let texts: Vec<String> = others.iter().zip(&family).map(text).collect();
    Finding::decided(
        holds,
        format!("p that the baseline is worse (exact): {}", texts.join(", ")),
    )
}
