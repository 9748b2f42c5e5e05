//! Keeping a search away from where an evaluation is likely to be wasted.

use crate::linalg::Points;
use crate::surrogate::Function;

/// Where the wall begins: nothing is proposed that is more likely to go wrong than not, if anything else is left.
const EVEN: f64 = 0.5;

/// The chance of something to avoid, as a smooth function of rows.
pub trait Chance: Send + Sync {
    /// The chance at each row, from 0 to 1.
    fn chances(&self, rows: &Points) -> Vec<f64>;

    /// The same with gradients.
    fn chances_with_gradient(&self, rows: &Points) -> (Vec<f64>, Points);
}

/// `v − p (max(v − reference, 0) + penalty) − wall max(p − ½, 0)` with `v` the acquisition to steer: what would be gained over the
/// reference is gained only where nothing goes wrong; what goes wrong has a price of its own; and where it is more likely than not,
/// a wall begins.
pub struct Avoid {
    /// The acquisition to steer.
    pub inner: Box<dyn Function>,
    /// What to avoid.
    pub chance: Box<dyn Chance>,
    /// The value above which there is something to lose; infinite where the values of `inner` are no rewards.
    pub reference: f64,
    /// The price, in the units of `inner`.
    pub penalty: f64,
    /// How steeply the wall rises, in the same units.
    pub wall: f64,
}

impl Avoid {
    /// What is lost at a chance `p`, and by how much it grows with `p`.
    fn loss(&self, value: f64, chance: f64) -> (f64, f64) {
        let price = (value - self.reference).max(0.0) + self.penalty;
        let beyond = chance - EVEN;
        if beyond > 0.0 {
            (chance * price + self.wall * beyond, price + self.wall)
        } else {
            (chance * price, price)
        }
    }
}

impl Function for Avoid {
    fn value(&self, rows: &Points) -> Vec<f64> {
        let values = self.inner.value(rows);
        values
            .into_iter()
            .zip(self.chance.chances(rows))
            .map(|(value, chance)| value - self.loss(value, chance).0)
            .collect()
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let (mut values, mut gradient) = self.inner.value_and_gradient(rows)?;
        let (chances, slopes) = self.chance.chances_with_gradient(rows);
        for (i, (value, chance)) in values.iter_mut().zip(chances).enumerate() {
            let (loss, steepness) = self.loss(*value, chance);
            let kept = if *value > self.reference {
                1.0 - chance
            } else {
                1.0
            };
            gradient
                .row_mut(i)
                .iter_mut()
                .zip(slopes.row(i))
                .for_each(|(slot, slope)| *slot = kept * *slot - steepness * slope);
            *value -= loss;
        }
        Some((values, gradient))
    }
}
