//! The acquisition that a model-based strategy maximizes.

use std::sync::Arc;

use crate::acquisition::{
    ConfidenceWidth, IndependentThompson, LogExpectedImprovement, UpperConfidence, thompson_sample,
};
use crate::linalg::Rng;
use crate::surrogate::{Dataset, Function, Posterior};

/// Observations among which the reward to improve on is sought.
const BEST_OBSERVATIONS: usize = 64;

/// The rule by which a posterior chooses the next point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AcquisitionRule {
    /// The maximum of a function drawn from the posterior, its deviation widened `nu` times.
    Thompson {
        /// Exploration `ν`; 1 is the posterior itself.
        nu: f64,
    },
    /// The maximum of values drawn for each candidate on its own.
    IndependentThompson {
        /// Exploration `ν`.
        nu: f64,
    },
    /// The maximum of an upper confidence bound.
    UpperConfidence(ConfidenceWidth),
    /// The maximum of the expected improvement.
    ExpectedImprovement,
    /// The maximum of the predicted mean.
    Mean,
}

impl AcquisitionRule {
    /// Its name, as recorded with a suggestion.
    pub fn name(self) -> &'static str {
        match self {
            Self::Thompson { .. } => "thompson",
            Self::IndependentThompson { .. } => "independent-thompson",
            Self::UpperConfidence(_) => "ucb",
            Self::ExpectedImprovement => "ei",
            Self::Mean => "mean",
        }
    }

    /// Whether two calls give different functions: such a rule spreads parallel evaluations by itself.
    pub fn is_random(self) -> bool {
        matches!(
            self,
            Self::Thompson { .. } | Self::IndependentThompson { .. }
        )
    }

    /// Whether it looks at the uncertainty: such a rule avoids points where uncertainty has gone.
    pub fn uses_uncertainty(self) -> bool {
        self != Self::Mean
    }

    /// The function to maximize, given a posterior fitted to `data`.
    pub fn function(
        self,
        posterior: &Arc<dyn Posterior>,
        data: &Dataset,
        rng: &mut Rng,
    ) -> Box<dyn Function> {
        let shared = Arc::clone(posterior);
        let bound = |posterior, width| Box::new(UpperConfidence { posterior, width });
        match self {
            Self::Thompson { nu } => thompson_sample(posterior, nu, rng),
            Self::IndependentThompson { nu } => Box::new(IndependentThompson::new(shared, nu, rng)),
            Self::UpperConfidence(width) => {
                bound(shared, width.at(data.len().max(1), data.rows().dim()))
            }
            Self::ExpectedImprovement => Box::new(LogExpectedImprovement {
                best: best_mean(&**posterior, data),
                posterior: shared,
            }),
            Self::Mean => bound(shared, 0.0),
        }
    }
}

/// The largest predicted mean among the best observations, which noise inflates less than their rewards.
fn best_mean(posterior: &dyn Posterior, data: &Dataset) -> f64 {
    let means = posterior.means(&data.best_rows(BEST_OBSERVATIONS));
    let means = means.into_iter().filter(|mean| mean.is_finite());
    let best = means.fold(f64::NEG_INFINITY, f64::max);
    let observed = || {
        let rewards = data.rewards();
        rewards.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    };
    if best.is_finite() { best } else { observed() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::testing::Quadratic;
    use crate::linalg::{Points, Purpose, Streams};

    #[test]
    fn improvement_is_counted_from_the_best_mean_not_from_noise() {
        let data = Dataset::from_parts(Points::from_rows(1, [[0.2], [0.9]]), vec![0.0, 50.0]);
        assert!(best_mean(&Quadratic, &data).abs() < 1e-15);
    }

    #[test]
    fn each_rule_is_its_acquisition() {
        let posterior: Arc<dyn Posterior> = Arc::new(Quadratic);
        let data = Dataset::from_parts(Points::from_rows(1, [[0.2]]), vec![0.0]);
        let rows = Points::from_rows(1, [[0.6]]);
        let (mean, sd) = (Quadratic::mean(rows.row(0)), Quadratic::sd(rows.row(0)));
        let value = |rule: AcquisitionRule| {
            let mut rng = Streams::new(1).stream(0, Purpose::Sample);
            rule.function(&posterior, &data, &mut rng).value(&rows)[0]
        };
        assert_eq!(value(AcquisitionRule::Mean), mean);
        let bound = AcquisitionRule::UpperConfidence(ConfidenceWidth::Constant(2.0));
        assert_eq!(value(bound), mean + 2.0 * sd);
        let improvement = sd.ln() + crate::linalg::log_ei_unit(mean / sd);
        assert!((value(AcquisitionRule::ExpectedImprovement) - improvement).abs() < 1e-12);
        let deviation = |nu| value(AcquisitionRule::IndependentThompson { nu }) - mean;
        assert!((deviation(4.0) - 4.0 * deviation(1.0)).abs() < 1e-12);
    }
}
