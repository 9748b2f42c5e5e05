//! Keeping a search away from where an evaluation is likely to be wasted.

use super::FailureProbability;
use crate::linalg::Points;
use crate::surrogate::Function;

/// Probability from which on the penalty becomes steep: what is more likely to go wrong than not is proposed only where
/// nothing else is left.
const EVEN: f64 = 0.5;

/// The probability of something to avoid, as a smooth function of rows.
pub trait Probability: Send + Sync {
    /// The probability at each row.
    fn probabilities(&self, rows: &Points) -> Vec<f64>;

    /// The same with gradients.
    fn probabilities_with_gradient(&self, rows: &Points) -> (Vec<f64>, Points);
}

/// What is lost where something goes wrong, in the units of the acquisition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// The value above which there is something to lose; infinite where values are not rewards.
    pub reference: f64,
    /// The loss beside that.
    pub loss: f64,
    /// Further loss per probability above one half.
    pub steepness: f64,
}

impl Penalty {
    /// The same loss at every value.
    pub fn flat(loss: f64) -> Self {
        Self {
            reference: f64::INFINITY,
            loss,
            steepness: 0.0,
        }
    }

    /// What is lost of `value` at a probability `p`, and by how much it grows with `p`.
    fn at(&self, value: f64, p: f64) -> (f64, f64) {
        let slope = (value - self.reference).max(0.0) + self.loss;
        match p - EVEN {
            beyond if beyond > 0.0 => (p * slope + self.steepness * beyond, slope + self.steepness),
            _ => (p * slope, slope),
        }
    }
}

/// `v − p (max(v − reference, 0) + loss) − steepness max(p − ½, 0)` with `v` the acquisition: a gain over the reference is made
/// only where nothing goes wrong, and what goes wrong costs something itself.
pub struct Avoid {
    /// The acquisition to steer.
    pub inner: Box<dyn Function>,
    /// What to avoid.
    pub probability: Box<dyn Probability>,
    /// What it costs.
    pub penalty: Penalty,
}

/// The acquisition kept away from where evaluations fail, by the rows of failed and of successful trials. The penalty is asked
/// for only where trials have failed.
pub fn avoiding_failures(
    inner: Box<dyn Function>,
    failed: &Points,
    succeeded: &Points,
    penalty: impl FnOnce(&dyn Function) -> Penalty,
) -> Box<dyn Function> {
    if failed.is_empty() {
        return inner;
    }
    let penalty = penalty(&*inner);
    Box::new(Avoid {
        inner,
        probability: Box::new(FailureProbability::new(failed, succeeded)),
        penalty,
    })
}

impl Function for Avoid {
    fn value(&self, rows: &Points) -> Vec<f64> {
        let values = self.inner.value(rows).into_iter();
        let values = values.zip(self.probability.probabilities(rows));
        values
            .map(|(value, p)| value - self.penalty.at(value, p).0)
            .collect()
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let (mut values, mut gradient) = self.inner.value_and_gradient(rows)?;
        let (probabilities, slopes) = self.probability.probabilities_with_gradient(rows);
        for (i, (value, p)) in values.iter_mut().zip(probabilities).enumerate() {
            let (loss, steepness) = self.penalty.at(*value, p);
            let kept = if *value > self.penalty.reference {
                1.0 - p
            } else {
                1.0
            };
            let entries = gradient.row_mut(i).iter_mut().zip(slopes.row(i));
            entries.for_each(|(slot, slope)| *slot = kept * *slot - steepness * slope);
            *value -= loss;
        }
        Some((values, gradient))
    }
}
