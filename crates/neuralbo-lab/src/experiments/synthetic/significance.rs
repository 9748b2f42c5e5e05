//! Tables 1 and 2: normality of the final values, and which baselines are significantly worse.

use super::SYNTHETIC;
use crate::report::average::{Shown, losses, runs_of};
use crate::report::format::p_value;
use crate::report::methods::{BASELINES, baselines};
use crate::report::{ReportTable, TableCell};
use crate::stats::{benjamini_hochberg, mean_is_larger, normality_test, rank_sum_test};

/// The false discovery rate of Table 2.
const RATE: f64 = 0.05;

/// p-values of one comparison of losses, H_a: theirs are worse; NaN where there is nothing to test.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PValues {
    /// Welch's t-test.
    t: f64,
    /// The exact test of Wilcoxon's rank sum.
    exact: f64,
}

impl PValues {
    fn of(ours: &[f64], theirs: &[f64]) -> Self {
        Self {
            t: mean_is_larger(theirs, ours).unwrap_or(f64::NAN),
            exact: rank_sum_test(theirs, ours).unwrap_or(f64::NAN),
        }
    }
}

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
fn published(problem: &str, baseline: &str) -> Option<bool> {
    let of_paper = (SYNTHETIC.published)()?.problems;
    let known = of_paper.iter().any(|name| name == problem) && BASELINES.contains(&baseline);
    known.then(|| !PUBLISHED_F.contains(&(problem, baseline)))
}

/// Table 1.
pub fn normality(shown: &Shown<'_>) -> ReportTable {
    let caption = "Table 1. Kolmogorov–Smirnov test of the final values, standardized, against the normal distribution: p-values (small: not \
         normal). A dash: fewer than two different values.";
    shown.table(caption, |_, runs| {
        p_value(normality_test(&losses(runs)).unwrap_or(f64::NAN)).into()
    })
}

/// Table 2 for one of our methods.
pub fn comparison(shown: &Shown<'_>, ours: &str) -> ReportTable {
    let baselines = baselines(&shown.methods);
    let caption = format!(
        "Table 2, {ours}. One-sided t-test (Welch) of each baseline against {ours}, H_a: the baseline's mean is worse. Each cell: p, in \
         brackets the exact p of Wilcoxon's rank sum, our outcome (T: significantly worse, F: not) after Benjamini–Hochberg at {RATE} across \
         the baselines of a problem, and after the slash the published outcome. Bold: ours and the published outcome differ."
    );
    let mut table = ReportTable::new(caption, &["problem"]).with(baselines.iter().copied());
    for (problem, methods) in &shown.problems {
        let Some(own) = runs_of(methods, ours).map(|runs| losses(runs)) else {
            continue;
        };
        let test = |name: &&str| {
            let theirs = runs_of(methods, name).map(|runs| losses(runs));
            PValues::of(&own, &theirs.unwrap_or_default())
        };
        let family: Vec<PValues> = baselines.iter().map(test).collect();
        let p_values: Vec<f64> = family.iter().map(|test| test.t).collect();
        let adjusted = benjamini_hochberg(&p_values);
        let tests = baselines.iter().zip(family.iter().zip(adjusted));
        let cells = tests.map(|(name, (test, p))| cell(problem, name, test, p <= RATE));
        table.row(&[problem], cells);
    }
    table
}

fn cell(problem: &str, baseline: &str, test: &PValues, ours: bool) -> TableCell {
    if test.t.is_nan() {
        return "–".into();
    }
    let letter = |outcome: bool| if outcome { "T" } else { "F" };
    let theirs = published(problem, baseline);
    let p = format!("{} ({})", p_value(test.t), p_value(test.exact));
    let text = format!("{p} {} / {}", letter(ours), theirs.map_or("–", letter));
    TableCell::marked(text, theirs.is_some_and(|theirs| theirs != ours))
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
    fn worse_baselines_are_told_by_both_tests_and_nothing_by_none() {
        let (good, bad) = ([1.0, 1.1, 0.9, 1.05], [2.0, 2.2, 1.9, 2.1]);
        let (worse, better) = (PValues::of(&good, &bad), PValues::of(&bad, &good));
        assert!(worse.t < 0.01 && worse.exact < 0.02, "{worse:?}");
        assert!(better.t > 0.9 && better.exact > 0.9, "{better:?}");
        let nothing = PValues::of(&[1.0], &[]);
        assert!(nothing.t.is_nan() && nothing.exact.is_nan());
    }

    #[test]
    fn outcomes_that_differ_stand_out() {
        let test = |t, exact| PValues { t, exact };
        let found = cell("ackley-10", "rf", &test(0.2, 0.1), false);
        assert_eq!(found, TableCell::marked("0.200 (0.100) F / T", true));
        let found = cell("ackley-10", "rf", &test(1e-6, 0.004), true);
        assert_eq!(found, TableCell::marked("1e-6 (0.004) T / T", false));
        let found = cell("sphere-2", "rf", &test(0.2, 0.1), false);
        assert_eq!(found, TableCell::marked("0.200 (0.100) F / –", false));
    }
}
