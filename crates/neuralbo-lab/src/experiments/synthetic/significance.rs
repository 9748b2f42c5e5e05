//! Tables 1 and 2: normality of the final values, and which baselines are significantly worse.

use super::Synthetic;
use crate::experiment::Experiment;
use crate::report::MethodRuns;
use crate::report::average::{Shown, losses, runs_of};
use crate::report::format::p_value;
use crate::report::methods::{BASELINES, baselines};
use crate::report::versus::{RATE, Versus, against, outcomes};
use crate::report::{Cell, Table};
use crate::stats::normality_test;

/// Pairs of problem and baseline whose published outcome is F: not significantly worse than NeuralBO.
const PUBLISHED_F: [(&str, &str); 7] = [
    ("levy-20", "neural-greedy"),
    ("levy-50", "neural-greedy"),
    ("levy-100", "neural-greedy"),
    ("michalewicz-100", "neural-greedy"),
    ("michalewicz-10", "gp-ts"),
    ("michalewicz-50", "gp-ts"),
    ("michalewicz-50", "gp-ei"),
];

/// The published outcome; none for what the paper did not run.
pub fn published(problem: &str, baseline: &str) -> Option<bool> {
    let of_paper = Synthetic.published()?.problems;
    let known = of_paper.iter().any(|name| name == problem) && BASELINES.contains(&baseline);
    known.then(|| !PUBLISHED_F.contains(&(problem, baseline)))
}

/// Table 1.
pub fn normality(shown: &Shown<'_>) -> Table {
    let mut table = Table::new(
        "Table 1. Kolmogorov–Smirnov test of the final values, standardized, against the normal distribution: p-values (small: not \
         normal). A dash: fewer than two different values.",
        ["problem"]
            .into_iter()
            .map(String::from)
            .chain(shown.methods.iter().cloned()),
    );
    for (problem, methods) in &shown.problems {
        let mut row = vec![Cell::from(*problem)];
        row.extend(
            shown
                .methods
                .iter()
                .map(|name| Cell::from(p_value(normality_p(methods, name)))),
        );
        table.row(row);
    }
    table
}

/// p of the test of one method's final values; NaN of fewer than two different ones.
pub fn normality_p(methods: &MethodRuns<'_>, name: &str) -> f64 {
    runs_of(methods, name)
        .and_then(|runs| normality_test(&losses(runs)))
        .map_or(f64::NAN, |test| test.p)
}

/// Table 2 for one of our methods.
pub fn comparison(shown: &Shown<'_>, ours: &str) -> Table {
    let baselines = baselines(&shown.methods);
    let caption = format!(
        "Table 2, {ours}. One-sided t-test (Welch) of each baseline against {ours}, H_a: the baseline's mean is worse. Each cell: p, in \
         brackets the exact p of Wilcoxon's rank sum, our outcome (T: significantly worse, F: not) after Benjamini–Hochberg at {RATE} across \
         the baselines of a problem, and after the slash the published outcome. Bold: ours and the published outcome differ."
    );
    let mut table = Table::new(
        caption,
        ["problem"].into_iter().chain(baselines.iter().copied()),
    );
    for (problem, methods) in &shown.problems {
        let Some(family) = against(methods, ours, &baselines) else {
            continue;
        };
        let better = outcomes(&family).better;
        let mut row = vec![Cell::from(*problem)];
        row.extend(
            baselines
                .iter()
                .zip(family.iter().zip(better))
                .map(|(name, (versus, ours))| cell(problem, name, versus, ours)),
        );
        table.row(row);
    }
    table
}

fn cell(problem: &str, baseline: &str, versus: &Versus, ours: bool) -> Cell {
    if versus.better.is_nan() {
        return "–".into();
    }
    let letter = |outcome: bool| if outcome { "T" } else { "F" };
    let theirs = published(problem, baseline);
    let p = format!(
        "{} ({})",
        p_value(versus.better),
        p_value(versus.exactly_better)
    );
    let text = format!("{p} {} / {}", letter(ours), theirs.map_or("–", letter));
    Cell::marked(text, theirs.is_some_and(|theirs| theirs != ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_outcomes_are_those_of_the_paper() {
        assert_eq!(published("levy-20", "neural-greedy"), Some(false));
        assert_eq!(published("levy-10", "neural-greedy"), Some(true));
        assert_eq!(published("michalewicz-50", "gp-ei"), Some(false));
        assert_eq!(published("ackley-5", "gp-ei"), None);
        assert_eq!(published("ackley-10", "random"), None);
    }

    #[test]
    fn outcomes_that_differ_stand_out() {
        let versus = |better, exactly_better| Versus {
            better,
            worse: 1.0 - better,
            exactly_better,
            exactly_worse: 1.0,
        };
        assert_eq!(
            cell("ackley-10", "rf", &versus(0.2, 0.1), false),
            Cell::marked("0.200 (0.100) F / T", true)
        );
        assert_eq!(
            cell("ackley-10", "rf", &versus(1e-6, 0.004), true),
            Cell::marked("1e-6 (0.004) T / T", false)
        );
        assert_eq!(
            cell("sphere-2", "rf", &versus(0.2, 0.1), false),
            Cell::marked("0.200 (0.100) F / –", false)
        );
    }
}
