//! Regions where evaluation fails.

use neuralbo::record::{Direction, OutcomeConstraint};

use crate::{Optimum, Problem};

type Predicate = Box<dyn Fn(&[f64]) -> bool + Send + Sync>;

/// A problem whose evaluation fails, with NaN for a value, wherever a predicate holds.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::Sphere;
/// use neuralbo_lab::problems::wrappers::FailureRegion;
///
/// let problem = FailureRegion::new(Sphere::new(2), |x| x[0] > 1.0);
/// assert!(problem.value(&[2.0, 0.0]).is_nan());
/// assert_eq!(problem.value(&[0.5, 0.0]), 0.25);
/// ```
pub struct FailureRegion<P> {
    inner: P,
    fails: Predicate,
}

impl<P: Problem> FailureRegion<P> {
    /// Fails where `fails` holds.
    pub fn new(inner: P, fails: impl Fn(&[f64]) -> bool + Send + Sync + 'static) -> Self {
        Self {
            inner,
            fails: Box::new(fails),
        }
    }

    /// Whether evaluation fails at `x`.
    pub fn fails(&self, x: &[f64]) -> bool {
        (self.fails)(x)
    }
}

impl<P: Problem> Problem for FailureRegion<P> {
    fn name(&self) -> String {
        format!("{}-failing", self.inner.name())
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.inner.bounds()
    }

    fn direction(&self) -> Direction {
        self.inner.direction()
    }

    fn value(&self, x: &[f64]) -> f64 {
        if self.fails(x) {
            f64::NAN
        } else {
            self.inner.value(x)
        }
    }

    /// The inner optimum unless evaluation fails there.
    fn constraints(&self) -> Vec<OutcomeConstraint> {
        self.inner.constraints()
    }

    fn measured(&self, x: &[f64]) -> Vec<f64> {
        self.inner.measured(x)
    }

    fn optimum(&self) -> Option<Optimum> {
        self.inner.optimum().filter(|best| !self.fails(&best.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::Sphere;

    #[test]
    fn an_optimum_that_fails_is_not_one() {
        assert!(
            FailureRegion::new(Sphere::new(1), |x| x[0] < 0.5)
                .optimum()
                .is_none()
        );
        assert!(
            FailureRegion::new(Sphere::new(1), |x| x[0] > 0.5)
                .optimum()
                .is_some()
        );
    }
}
