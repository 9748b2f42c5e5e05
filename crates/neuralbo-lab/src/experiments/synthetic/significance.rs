//! Tables 1 and 2: normality of the final values, and which baselines are significantly worse.

use super::Synthetic;
use crate::experiment::{Experiment, Profile};
use crate::report::average::{Shown, losses, runs_of};
use crate::report::format::p_value;
use crate::report::methods::{BASELINES, baselines};
use crate::report::{Cell, Table};
use crate::stats::{Variances, benjamini_hochberg, mean_is_larger, normality_test};

/// The false discovery rate of Table 2.
const RATE: f64 = 0.05;

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
    let of_paper = Synthetic.size(Profile::Paper);
    let known = of_paper.problems.iter().any(|name| name == problem) && BASELINES.contains(&baseline);
    known.then(|| !PUBLISHED_F.contains(&(problem, baseline)))
}

/// Table 1.
pub fn normality(shown: &Shown<'_>) -> Table {
    let mut table = Table::new(
        "Table 1. Kolmogorov–Smirnov test of the final values, standardized, against the normal distribution: p-values (small: not \
         normal). A dash: fewer than two different values.",
        ["problem"].into_iter().map(String::from).chain(shown.methods.iter().cloned()),
    );
    for (problem, methods) in &shown.problems {
        let p = |name: &String| runs_of(methods, name).and_then(|runs| normality_test(&losses(runs))).map_or(f64::NAN, |t| t.p);
        let mut row = vec![Cell::from(*problem)];
        row.extend(shown.methods.iter().map(|name| Cell::from(p_value(p(name)))));
        table.row(row);
    }
    table
}

/// Table 2 for one of our methods.
pub fn comparison(shown: &Shown<'_>, ours: &str) -> Table {
    let baselines = baselines(&shown.methods);
    let caption = format!(
        "Table 2, {ours}. One-sided t-test (Welch) of each baseline against {ours}, H_a: the baseline's mean is worse. Each cell: p, our \
         outcome (T: significantly worse, F: not) after Benjamini–Hochberg at {RATE} across the baselines of a problem, and after the \
         slash the published outcome. Bold: ours and the published outcome differ."
    );
    let mut table = Table::new(caption, ["problem"].into_iter().chain(baselines.iter().copied()));
    for (problem, methods) in &shown.problems {
        let Some(own) = runs_of(methods, ours).map(|runs| losses(runs)) else { continue };
        let p = |baseline: &&str| {
            let theirs = runs_of(methods, baseline).map(|runs| losses(runs))?;
            mean_is_larger(&theirs, &own, Variances::Separate).map(|test| test.p)
        };
        let p_values: Vec<f64> = baselines.iter().map(|baseline| p(baseline).unwrap_or(f64::NAN)).collect();
        let outcome = benjamini_hochberg(&p_values, RATE).significant;
        let mut row = vec![Cell::from(*problem)];
        row.extend(baselines.iter().zip(p_values.iter().zip(outcome)).map(|(name, (p, ours))| cell(problem, name, *p, ours)));
        table.row(row);
    }
    table
}

fn cell(problem: &str, baseline: &str, p: f64, ours: bool) -> Cell {
    if p.is_nan() {
        return "–".into();
    }
    let letter = |outcome: bool| if outcome { "T" } else { "F" };
    let theirs = published(problem, baseline);
    let text = format!("{} {} / {}", p_value(p), letter(ours), theirs.map_or("–", letter));
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
        assert_eq!(cell("ackley-10", "rf", 0.2, false), Cell::marked("0.200 F / T", true));
        assert_eq!(cell("ackley-10", "rf", 1e-6, true), Cell::marked("1e-6 T / T", false));
        assert_eq!(cell("sphere-2", "rf", 0.2, false), Cell::marked("0.200 F / –", false));
    }
}
