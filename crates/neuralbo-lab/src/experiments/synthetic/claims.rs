//! What section 6.1 says about the synthetic functions.

use super::significance::{normality_p, published};
use crate::experiment::Experiment;
use crate::report::average::Shown;
use crate::report::claims::{Claim, Finding, Verdict};
use crate::report::methods::{BASELINES, mean_loss, paper_method};
use crate::report::versus::{against, outcomes};

/// The reason that is told apart by the controls.
const CENTRE: &str =
    "the optimum is in or near the centre of the box: with the optimum moved it does not";
/// This part of the published outcomes must be seen again.
const AGAIN: f64 = 0.9;

/// The claims.
pub static CLAIMS: [Claim; 4] = [
    Claim {
        source: "6.1, Figure 1",
        text: "NeuralBO is comparable to or better than all other baselines.",
        rule: "no baseline is significantly better on any function",
        decide: |results| controlled(&Shown::new(results, mean_loss), |count| count.worse == 0),
    },
    Claim {
        source: "6.1, Table 2",
        text: "NeuralBO is significantly better than the baselines (65 of 72 cells T).",
        rule: "nine of ten published T are T again",
        decide: |results| {
            controlled(&Shown::new(results, mean_loss), |count| {
                count.better_again as f64 >= AGAIN * count.published as f64
            })
        },
    },
    Claim {
        source: "6.1",
        text: "NeuralBO is promising for high dimensions.",
        rule: "significantly better than random search on every function in 50 and 100 dimensions",
        decide: |results| high_dimensions(&Shown::new(results, mean_loss)),
    },
    Claim {
        source: "6.1, Table 1",
        text: "The final values of all methods can be considered normal (every p of the KS test above 0.05).",
        rule: "every p above 0.05",
        decide: |results| normality(&Shown::new(results, mean_loss)),
    },
];

/// Cells of Table 2 on originals or on controls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    cells: usize,
    better: usize,
    worse: usize,
    exactly_better: usize,
    exactly_worse: usize,
    /// Cells with a published T, and those of them that are T again.
    published: usize,
    better_again: usize,
}

impl Count {
    fn of(shown: &Shown<'_>, ours: &str, others: &[&str]) -> Self {
        let mut count = Self::default();
        for (problem, methods) in &shown.problems {
            let Some(family) = against(methods, ours, others) else {
                continue;
            };
            let outcomes = outcomes(&family);
            let original = problem.split('@').next().unwrap_or(problem);
            for (i, other) in others
                .iter()
                .enumerate()
                .filter(|(i, _)| !family[*i].better.is_nan())
            {
                let sure = published(original, other) == Some(true);
                count.cells += 1;
                count.better += usize::from(outcomes.better[i]);
                count.worse += usize::from(outcomes.worse[i]);
                count.exactly_better += usize::from(outcomes.exactly_better[i]);
                count.exactly_worse += usize::from(outcomes.exactly_worse[i]);
                count.published += usize::from(sure);
                count.better_again += usize::from(sure && outcomes.better[i]);
            }
        }
        count
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            cells,
            better,
            worse,
            exactly_better,
            exactly_worse,
            published,
            better_again,
        } = self;
        write!(
            f,
            "of {cells} cells {better} better, {worse} worse (exact tests: {exactly_better}, {exactly_worse})"
        )?;
        if *published > 0 {
            write!(f, "; {better_again} of {published} published T")
        } else {
            Ok(())
        }
    }
}

/// A rule on originals, and whether it still holds on the moved functions.
fn controlled(shown: &Shown<'_>, holds: fn(&Count) -> bool) -> Finding {
    let Some(ours) = paper_method(&shown.methods) else {
        return Finding::missing("no runs of neuralbo-paper");
    };
    let original = Count::of(
        &shown.only(|problem| !problem.contains('@')),
        ours,
        &BASELINES,
    );
    let moved = Count::of(
        &shown.only(|problem| problem.ends_with("@moved")),
        ours,
        &BASELINES,
    );
    finding(
        original.cells,
        moved.cells,
        holds(&original),
        holds(&moved),
        format!("originals: {original}"),
        format!("moved: {moved}"),
    )
}

fn finding(
    cells: usize,
    controls: usize,
    holds: bool,
    controlled: bool,
    original: String,
    moved: String,
) -> Finding {
    if cells == 0 {
        return Finding::missing("no runs of the baselines on the same problems");
    }
    if controls == 0 {
        return Finding::decided(holds, format!("{original}; no controls were run"));
    }
    let verdict = match (holds, controlled) {
        (true, true) => Verdict::Holds,
        (true, false) => Verdict::HoldsOnlyBecause(CENTRE),
        (false, _) => Verdict::DoesNotHold,
    };
    Finding {
        verdict,
        evidence: format!("{original}; {moved}"),
    }
}

fn high_dimensions(shown: &Shown<'_>) -> Finding {
    let Some(ours) = paper_method(&shown.methods) else {
        return Finding::missing("no runs of neuralbo-paper");
    };
    let high = |problem: &str| super::Synthetic.load(problem, 1).dim >= 50;
    let of = |keep: &dyn Fn(&str) -> bool| {
        Count::of(
            &shown.only(|problem| high(problem) && keep(problem)),
            ours,
            &["random"],
        )
    };
    let (original, moved) = (
        of(&|problem| !problem.contains('@')),
        of(&|problem| problem.ends_with("@moved")),
    );
    let text = |name: &str, count: Count| {
        format!(
            "{name}: better than random on {} of {} functions",
            count.better, count.cells
        )
    };
    let all = |count: Count| count.better == count.cells;
    finding(
        original.cells,
        moved.cells,
        all(original),
        all(moved),
        text("originals", original),
        text("moved", moved),
    )
}

fn normality(shown: &Shown<'_>) -> Finding {
    let of_paper = |method: &&String| {
        BASELINES.contains(&method.as_str())
            || Some(method.as_str()) == paper_method(&shown.methods)
    };
    let originals = shown.only(|problem| !problem.contains('@'));
    let p: Vec<f64> = originals
        .problems
        .iter()
        .flat_map(|(_, methods)| {
            shown
                .methods
                .iter()
                .filter(of_paper)
                .map(|method| normality_p(methods, method))
        })
        .filter(|p| !p.is_nan())
        .collect();
    if p.is_empty() {
        return Finding::missing("no method has two different final values");
    }
    let (small, least) = (
        p.iter().filter(|p| **p <= 0.05).count(),
        p.iter().copied().fold(1.0, f64::min),
    );
    let caution = "a test against a normal distribution with the sample's own mean and deviation hardly ever rejects so few values";
    Finding::decided(
        small == 0,
        format!(
            "{small} of {} p-values at most 0.05, the smallest {least:.3}; {caution}",
            p.len()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::Synthetic;
    use crate::report::testing::results;

    const LOW: [f64; 5] = [0.1, 0.12, 0.09, 0.11, 0.1];
    const HIGH: [f64; 5] = [19.1, 19.0, 19.2, 19.05, 19.1];
    const MIDDLE: [f64; 5] = [5.1, 5.0, 5.2, 4.9, 5.1];

    /// The verdicts on the first three claims when NeuralBO ends with these values on Ackley's function and on the moved one.
    fn verdicts(original: &[f64], moved: &[f64]) -> Vec<Verdict> {
        let ours = "neuralbo-paper:nu=1";
        let mut runs: Vec<(&str, &str, &[f64])> = Vec::new();
        for (problem, values) in [("ackley-100", original), ("ackley-100@moved", moved)] {
            runs.extend([
                (problem, ours, values),
                (problem, "gp-ei", &MIDDLE),
                (problem, "random", &HIGH),
            ]);
        }
        let results = results(&Synthetic, 2000, &runs);
        CLAIMS[..3]
            .iter()
            .map(|claim| (claim.decide)(&results).verdict)
            .collect()
    }

    #[test]
    fn verdicts_follow_from_the_final_values() {
        assert_eq!(verdicts(&LOW, &LOW), vec![Verdict::Holds; 3]);
        assert_eq!(
            verdicts(&LOW, &HIGH),
            vec![Verdict::HoldsOnlyBecause(CENTRE); 3]
        );
        assert_eq!(verdicts(&HIGH, &LOW), vec![Verdict::DoesNotHold; 3]);
        // As good as a baseline: comparable, but not better; still better than random search.
        assert_eq!(
            verdicts(&MIDDLE, &MIDDLE),
            [Verdict::Holds, Verdict::DoesNotHold, Verdict::Holds]
        );
    }

    #[test]
    fn claims_without_the_runs_they_need_are_missing() {
        let results = results(&Synthetic, 2000, &[("ackley-100", "random", &HIGH)]);
        assert!(
            CLAIMS[..3]
                .iter()
                .all(|claim| (claim.decide)(&results).verdict == Verdict::Missing)
        );
    }

    #[test]
    fn what_fails_on_the_controls_holds_only_because_of_the_centre() {
        let verdict = |holds, controlled| {
            finding(6, 6, holds, controlled, String::new(), String::new()).verdict
        };
        assert_eq!(verdict(true, true), Verdict::Holds);
        assert_eq!(verdict(true, false), Verdict::HoldsOnlyBecause(CENTRE));
        assert_eq!(verdict(false, true), Verdict::DoesNotHold);
        assert_eq!(
            finding(0, 6, true, true, String::new(), String::new()).verdict,
            Verdict::Missing
        );
        assert_eq!(
            finding(6, 0, true, false, String::new(), String::new()).verdict,
            Verdict::Holds
        );
    }
}
