//! The values of a float parameter with a step: low, low + step, … up to high.

/// Most steps between zero and a bound: neighbouring values then differ by many units in the last place.
const MOST_STEPS: f64 = (1_u64 << 44) as f64;
/// The same on a log scale, where positions near the upper bound are closer together.
const MOST_LOG_STEPS: f64 = (1_u64 << 36) as f64;

/// An arithmetic progression of floats; its `k`-th value is its level `k`.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloatGrid {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) step: f64,
}

impl FloatGrid {
    /// How many values; a high that is on the grid up to rounding is one of them.
    pub(super) fn levels(&self) -> u64 {
        let steps = self.steps_to(self.high);
        let rounding =
            4.0 * f64::EPSILON * (steps + (self.low.abs() + self.high.abs()) / self.step);
        (steps + rounding.min(0.01)).floor() as u64 + 1
    }

    /// The value at a level, rounded to the decimals that low and step are written with: the third step of 0.1 is 0.3, not
    /// 0.30000000000000004. Never above high.
    pub(super) fn value(&self, level: f64) -> f64 {
        let exact = self.raw(level);
        let decimals = decimals(self.low).max(decimals(self.step));
        format!("{exact:.decimals$}")
            .parse()
            .unwrap_or(exact)
            .min(self.high)
    }

    /// The level of a number that is on the grid up to rounding (1e-9 of the number).
    pub(super) fn level_of(&self, x: f64) -> Option<f64> {
        let level = self.steps_to(x).round();
        let level = level.clamp(0.0, self.levels() as f64 - 1.0);
        let bounds = self.low.abs().max(self.high.abs());
        let tolerance = 1e-9 * x.abs().max(self.step) + 32.0 * f64::EPSILON * bounds;
        ((x - self.raw(level)).abs() <= tolerance.min(self.step / 4.0)).then_some(level)
    }

    /// How many steps `x` is above low, not a whole number in general.
    pub(super) fn steps_to(&self, x: f64) -> f64 {
        let difference = x - self.low;
        if difference.is_finite() {
            difference / self.step
        } else {
            x / self.step - self.low / self.step
        }
    }

    /// Fused, because the product alone may overflow; so may the sum, where high is the largest float.
    fn raw(&self, level: f64) -> f64 {
        level.mul_add(self.step, self.low).min(self.high)
    }

    /// What is wrong with the step; low < high are finite.
    pub(super) fn check(&self, log: bool) -> Result<(), String> {
        let Self { low, high, step } = *self;
        if !(step.is_finite() && step > 0.0) {
            return Err(format!(
                "step must be a finite number above 0, found step = {step:?}"
            ));
        }
        if step > high - low {
            return Err(format!(
                "step must not be larger than high - low = {:?}, found step = {step:?}, low = {low:?}, high = {high:?}",
                high - low
            ));
        }
        let most = if log { MOST_LOG_STEPS } else { MOST_STEPS };
        if low.abs().max(high.abs()) / step > most {
            return Err(format!(
                "step = {step:?} makes too many values from low = {low:?} to high = {high:?}: a bound must be at most {most} steps from 0; leave out the step"
            ));
        }
        Ok(())
    }
}

/// How many digits after the point the shortest text of `x` has.
fn decimals(x: f64) -> usize {
    let text = format!("{x:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let after_point = digits.split_once('.');
    let after_point = after_point.map_or(0, |(_, fraction)| fraction.len() as i64);
    (after_point - exponent.parse::<i64>().unwrap_or(0)).max(0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(low: f64, high: f64, step: f64) -> Vec<f64> {
        let grid = FloatGrid { low, high, step };
        (0..grid.levels()).map(|l| grid.value(l as f64)).collect()
    }

    #[test]
    fn the_last_value_is_on_the_grid_although_it_would_overflow() {
        let (low, high, step) = (1.0443106625614109e298, f64::MAX, 1.0613060367155288e303);
        let grid = FloatGrid { low, high, step };
        let last = grid.levels() as f64 - 1.0;
        assert_eq!(grid.level_of(grid.value(last)), Some(last));
    }

    #[test]
    fn values_are_the_decimals_one_would_write() {
        let tenths = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
        assert_eq!(values(0.0, 1.0, 0.1), tenths);
        assert_eq!(values(0.1, 0.3, 0.1), [0.1, 0.2, 0.3]);
        assert_eq!(values(-0.25, 0.6, 0.25), [-0.25, 0.0, 0.25, 0.5]);
        assert_eq!(values(1e-7, 4e-7, 1e-7), [1e-7, 2e-7, 3e-7, 4e-7]);
        assert_eq!(values(1e300, 4e300, 1e300), [1e300, 2e300, 3e300, 4e300]);
    }

    #[test]
    fn the_widest_grid_does_not_overflow() {
        let expected = [-1e308, -5e307, 0.0, 5e307, 1e308];
        assert_eq!(values(-1e308, 1e308, 5e307), expected);
    }

    #[test]
    fn decimals_are_those_of_the_shortest_text() {
        let found = [0.0, 5.0, 0.05, 1.25e-3, 1e20, 120.5].map(decimals);
        assert_eq!(found, [0, 0, 2, 5, 0, 1]);
    }

    #[test]
    fn numbers_off_the_grid_have_no_level() {
        let grid = FloatGrid {
            low: 0.0,
            high: 1.0,
            step: 0.1,
        };
        assert_eq!(grid.level_of(0.1 + 0.2), Some(3.0));
        assert_eq!(grid.level_of(0.35), None);
        assert_eq!(grid.level_of(1.1), None);
        assert_eq!(grid.level_of(f64::NAN), None);
    }
}
