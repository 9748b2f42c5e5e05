//! One method against others on one problem, by the paper's statistics and by exact ones.

use super::average::{losses, runs_of};
use super::results::MethodRuns;
use crate::stats::{
    Variances, benjamini_hochberg, mean_is_larger, mean_is_positive, rank_sum_test,
    signed_rank_test,
};

/// The false discovery rate of Table 2.
pub const RATE: f64 = 0.05;

/// p-values of one comparison of losses; NaN where there is nothing to test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Versus {
    /// H_a: our mean is the better one; a t-test.
    pub better: f64,
    /// H_a: our mean is the worse one.
    pub worse: f64,
    /// H_a: ours are better; an exact test of ranks.
    pub exactly_better: f64,
    /// H_a: ours are worse.
    pub exactly_worse: f64,
}

impl Versus {
    /// Independent runs: Welch's t-test and Wilcoxon's rank sum.
    pub fn independent(ours: &[f64], theirs: &[f64]) -> Self {
        let t = |a, b| mean_is_larger(a, b, Variances::Separate).map_or(f64::NAN, |test| test.p);
        let exact = |a, b| rank_sum_test(a, b).unwrap_or(f64::NAN);
        Self {
            better: t(theirs, ours),
            worse: t(ours, theirs),
            exactly_better: exact(theirs, ours),
            exactly_worse: exact(ours, theirs),
        }
    }

    /// Runs in pairs, by the differences theirs − ours: the paired t-test and Wilcoxon's signed ranks.
    pub fn paired(differences: &[f64]) -> Self {
        let reversed: Vec<f64> = differences.iter().map(|difference| -difference).collect();
        let t = |values: &[f64]| mean_is_positive(values).map_or(f64::NAN, |test| test.p);
        let exact = |values: &[f64]| signed_rank_test(values).unwrap_or(f64::NAN);
        Self {
            better: t(differences),
            worse: t(&reversed),
            exactly_better: exact(differences),
            exactly_worse: exact(&reversed),
        }
    }
}

/// One method against several on a problem, in their order; none where it has no runs.
pub fn against(methods: &MethodRuns<'_>, ours: &str, others: &[&str]) -> Option<Vec<Versus>> {
    let own = losses(runs_of(methods, ours)?);
    let theirs = |name: &&str| runs_of(methods, name).map_or_else(Vec::new, |runs| losses(runs));
    Some(
        others
            .iter()
            .map(|name| Versus::independent(&own, &theirs(name)))
            .collect(),
    )
}

/// Which of several comparisons are significant after Benjamini and Hochberg's correction across them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcomes {
    /// Ours is better.
    pub better: Vec<bool>,
    /// Ours is worse.
    pub worse: Vec<bool>,
    /// Ours is better, by the exact test.
    pub exactly_better: Vec<bool>,
    /// Ours is worse, by the exact test.
    pub exactly_worse: Vec<bool>,
}

/// The outcomes of a family of comparisons, in its order.
pub fn outcomes(family: &[Versus]) -> Outcomes {
    let corrected = |p: fn(&Versus) -> f64| {
        benjamini_hochberg(&family.iter().map(p).collect::<Vec<_>>(), RATE).significant
    };
    Outcomes {
        better: corrected(|versus| versus.better),
        worse: corrected(|versus| versus.worse),
        exactly_better: corrected(|versus| versus.exactly_better),
        exactly_worse: corrected(|versus| versus.exactly_worse),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_losses_are_better_by_every_test() {
        let (good, bad) = ([1.0, 1.1, 0.9, 1.05], [2.0, 2.2, 1.9, 2.1]);
        let differences = [1.0, 1.1, 1.0, 1.05];
        for versus in [
            Versus::independent(&good, &bad),
            Versus::paired(&differences),
        ] {
            assert!(
                versus.better < 0.01 && versus.exactly_better < 0.07,
                "{versus:?}"
            );
            assert!(
                versus.worse > 0.9 && versus.exactly_worse > 0.9,
                "{versus:?}"
            );
        }
        let family = [
            Versus::independent(&good, &bad),
            Versus::independent(&bad, &good),
            Versus::independent(&good, &good),
        ];
        let outcomes = outcomes(&family);
        assert_eq!(
            (outcomes.better, outcomes.worse),
            (vec![true, false, false], vec![false, true, false])
        );
    }

    #[test]
    fn what_cannot_be_tested_is_not_significant() {
        let nothing = Versus::independent(&[1.0], &[]);
        assert!(nothing.better.is_nan() && nothing.exactly_worse.is_nan());
        assert_eq!(outcomes(&[nothing]).better, [false]);
    }
}
