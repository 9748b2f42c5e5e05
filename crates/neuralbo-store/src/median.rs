//! The median stopping rule (Golovin et al. 2017, "Google Vizier", section 3.2.2).

use neuralbo::study::Direction;

/// How many complete trials must have reached a step before the rule says anything about it.
pub const MEDIAN_WARM_UP: usize = 4;

/// Whether a trial should stop: its best intermediate value so far is worse than the median of what the complete trials had at
/// the same step.
///
/// ```
/// use neuralbo::study::Direction;
/// use neuralbo_store::median_says_stop;
///
/// let others = [0.1, 0.2, 0.3, 0.4];
/// assert!(median_says_stop(Direction::Minimize, &[0.9, 0.8], &others));
/// assert!(!median_says_stop(Direction::Minimize, &[0.9, 0.2], &others));
/// assert!(!median_says_stop(Direction::Minimize, &[0.9, 0.8], &others[..3]));
/// ```
pub fn median_says_stop(direction: Direction, own: &[f64], others: &[f64]) -> bool {
    if others.len() < MEDIAN_WARM_UP {
        return false;
    }
    let best = own.iter().copied().reduce(|a, b| if direction.is_better(b, a) { b } else { a });
    best.is_some_and(|best| direction.is_better(median(others), best))
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { 0.5 * (sorted[middle - 1] + sorted[middle]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_at_the_median_goes_on() {
        assert!(!median_says_stop(Direction::Minimize, &[2.5], &[1.0, 2.0, 3.0, 4.0]));
        assert!(median_says_stop(Direction::Minimize, &[2.6], &[1.0, 2.0, 3.0, 4.0]));
        assert!(median_says_stop(Direction::Maximize, &[2.4], &[1.0, 2.0, 3.0, 4.0]));
    }

    #[test]
    fn nothing_reported_is_nothing_to_judge() {
        assert!(!median_says_stop(Direction::Maximize, &[], &[1.0; 9]));
    }
}
