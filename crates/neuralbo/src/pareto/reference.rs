//! The corner from which the hypervolume is measured.

use crate::linalg::Points;

/// How far beyond the worst of the front an inferred reference point lies, as a part of the front's range.
const BEYOND: f64 = 0.1;

/// The reference point as given, and where it is not: in each objective the worst reward of the front, made worse by a tenth of
/// the front's range; by a tenth of its size where the range is 0. `None` of an empty front that has to be asked.
///
/// ```
/// use neuralbo::linalg::Points;
/// use neuralbo::pareto::reference_point;
///
/// let front = Points::from_rows(2, [[0.0, 5.0], [10.0, 5.0]]);
/// assert_eq!(reference_point(&front, &[None, None]), Some(vec![-1.0, 4.5]));
/// assert_eq!(reference_point(&front, &[Some(-7.0), None]), Some(vec![-7.0, 4.5]));
/// assert_eq!(reference_point(&Points::new(2), &[None, None]), None);
/// ```
pub fn reference_point(front: &Points, given: &[Option<f64>]) -> Option<Vec<f64>> {
    let corner = |(k, given): (usize, &Option<f64>)| given.or_else(|| inferred(front, k));
    given.iter().enumerate().map(corner).collect()
}

fn inferred(front: &Points, objective: usize) -> Option<f64> {
    let rewards = || front.rows().map(|row| row[objective]);
    let worst = rewards().reduce(f64::min)?;
    // Half the values first: the range of finite numbers may not be finite.
    let half = rewards().fold(worst, f64::max) / 2.0 - worst / 2.0;
    let size = if worst == 0.0 { 1.0 } else { worst.abs() };
    let step = match half > 0.0 {
        true => 2.0 * BEYOND * half,
        false => BEYOND * size,
    };
    Some((worst - step).max(-f64::MAX))
}
