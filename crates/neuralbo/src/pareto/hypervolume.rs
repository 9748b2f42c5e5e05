//! The exact hypervolume: a sweep for two objectives, the recursion of exclusive volumes for more.
//!
//! With the rows sorted, the volume is the sum over rows of what each covers and no later one does. What row `p` shares with the
//! later ones is what these cover after each of their rewards is lowered to that of `p`, so it is a hypervolume of fewer rows
//! (While, Bradstreet, Barone, "A fast way of calculating exact hypervolumes", 2012).

use super::{covers, front};
use crate::limits;
use crate::linalg::Points;

/// The volume of what the rows cover and what covers the reference point.
///
/// Rows that are not better than the reference point in every objective add nothing.
///
/// ```
/// use neuralbo::linalg::Points;
/// use neuralbo::pareto::hypervolume;
///
/// let rewards = Points::from_rows(2, [[3.0, 1.0], [1.0, 2.0]]);
/// assert_eq!(hypervolume(&rewards, &[0.0, 0.0]), 4.0);
/// ```
pub fn hypervolume(rewards: &Points, reference: &[f64]) -> f64 {
    hypervolume_within(rewards, reference, u64::MAX).unwrap_or(f64::NAN)
}

/// The same unless it takes more than `steps` comparisons of rows; with four objectives their number grows with the cube of the
/// rows, and with every further objective by one more power.
///
/// ```
/// use neuralbo::linalg::Points;
/// use neuralbo::pareto::hypervolume_within;
///
/// let rewards = Points::from_rows(2, [[3.0, 1.0], [1.0, 2.0]]);
/// assert_eq!(hypervolume_within(&rewards, &[0.0, 0.0], 100), Some(4.0));
/// assert_eq!(hypervolume_within(&rewards, &[0.0, 0.0], 1), None);
/// ```
pub fn hypervolume_within(rewards: &Points, reference: &[f64], steps: u64) -> Option<f64> {
    let mut edges = edges_from(rewards, reference);
    Some(volume(&mut edges, &mut Steps(steps))?.min(f64::MAX))
}

/// The comparisons of rows that are left.
struct Steps(u64);

impl Steps {
    fn take(&mut self, count: usize) -> Option<()> {
        self.0 = self.0.checked_sub(count as u64)?;
        Some(())
    }

    fn unlimited() -> Self {
        Self(u64::MAX)
    }
}

/// How much the hypervolume of `rewards` grows by one more row.
///
/// ```
/// use neuralbo::linalg::Points;
/// use neuralbo::pareto::improvement;
///
/// let rewards = Points::from_rows(2, [[3.0, 1.0], [1.0, 2.0]]);
/// assert_eq!(improvement(&rewards, &[2.0, 2.0], &[0.0, 0.0]), 1.0);
/// assert_eq!(improvement(&rewards, &[2.0, 1.0], &[0.0, 0.0]), 0.0);
/// ```
pub fn improvement(rewards: &Points, candidate: &[f64], reference: &[f64]) -> f64 {
    let Some(candidate) = edges_of(candidate, reference) else {
        return 0.0;
    };
    gain(&candidate, &edges_from(rewards, reference))
}

fn gain(edges: &[f64], others: &[Vec<f64>]) -> f64 {
    let gain = exclusive(edges, others, &mut Steps::unlimited());
    gain.map_or(f64::NAN, |gain| gain.clamp(0.0, f64::MAX))
}

/// What the hypervolume would lose without each of the rows; 0 for those that others cover.
pub fn contributions(rewards: &Points, reference: &[f64]) -> Vec<f64> {
    let all: Vec<Option<Vec<f64>>> = rewards.rows().map(|row| edges_of(row, reference)).collect();
    let of = |(i, edges): (usize, &Option<Vec<f64>>)| {
        let others = all[..i].iter().chain(&all[i + 1..]).flatten().cloned();
        let gain = |edges: &Vec<f64>| gain(edges, &others.collect::<Vec<_>>());
        edges.as_ref().map_or(0.0, gain)
    };
    all.iter().enumerate().map(of).collect()
}

/// The hypervolume after each trial; a trial without rewards (failed, infeasible) changes nothing. It ends with the trial after
/// which the exact volumes would take more than [`limits::VOLUME_STEPS`] comparisons.
///
/// ```
/// use neuralbo::pareto::history;
///
/// let trials = [Some([1.0, 1.0]), None, Some([0.5, 0.5]), Some([2.0, 0.5])];
/// assert_eq!(history(trials.iter().map(|rewards| rewards.as_ref().map(|r| r.as_slice())), &[0.0, 0.0]), [1.0, 1.0, 1.0, 1.5]);
/// ```
pub fn history<'a>(
    trials: impl IntoIterator<Item = Option<&'a [f64]>>,
    reference: &[f64],
) -> Vec<f64> {
    let (mut members, mut volume): (Vec<Vec<f64>>, f64) = (Vec::new(), 0.0);
    let mut steps = Steps(limits::VOLUME_STEPS);
    let after = |rewards: Option<&'a [f64]>| {
        if let Some(edges) = rewards.and_then(|rewards| edges_of(rewards, reference))
            && !members.iter().any(|member| covers(member, &edges))
        {
            volume = (volume + exclusive(&edges, &members, &mut steps)?.max(0.0)).min(f64::MAX);
            members.retain(|member| !covers(&edges, member));
            members.push(edges);
        }
        Some(volume)
    };
    trials.into_iter().map_while(after).collect()
}

/// The edges of the box between a row and the reference point, if it has a volume.
fn edges_of(row: &[f64], reference: &[f64]) -> Option<Vec<f64>> {
    let both = row.iter().zip(reference);
    let edges: Vec<f64> = both.map(|(reward, corner)| reward - corner).collect();
    edges.iter().all(|edge| *edge > 0.0).then_some(edges)
}

fn edges_from(rewards: &Points, reference: &[f64]) -> Vec<Vec<f64>> {
    let rows = rewards.rows();
    rows.filter_map(|row| edges_of(row, reference)).collect()
}

/// What `edges` covers and none of the others does, in the objectives that `edges` has.
fn exclusive(edges: &[f64], others: &[Vec<f64>], steps: &mut Steps) -> Option<f64> {
    let lowered = |other: &Vec<f64>| -> Vec<f64> {
        other.iter().zip(edges).map(|(o, e)| o.min(*e)).collect()
    };
    let mut shared: Vec<Vec<f64>> = others.iter().map(lowered).collect();
    Some(edges.iter().product::<f64>() - volume(&mut shared, steps)?)
}

fn volume(boxes: &mut [Vec<f64>], steps: &mut Steps) -> Option<f64> {
    steps.take(boxes.len())?;
    match boxes.first().map(Vec::len) {
        None | Some(0) => Some(0.0),
        Some(1) => Some(boxes.iter().map(|edges| edges[0]).fold(0.0, f64::max)),
        Some(2) => Some(sweep(boxes)),
        Some(dim) => {
            let rows = Points::from_rows(dim, boxes.iter());
            steps.take(boxes.len().saturating_mul(boxes.len()) / 2)?;
            let kept = front(&rows).into_iter();
            let mut kept: Vec<Vec<f64>> = kept.map(|i| rows.row(i).to_vec()).collect();
            // The last objective rises: lowered to a row, later ones agree with it there, and the problem loses a dimension.
            kept.sort_by(|a, b| a[dim - 1].total_cmp(&b[dim - 1]));
            let mut below = |i: usize| exclusive(&kept[i][..dim - 1], &kept[i + 1..], steps);
            let layer = |i: usize| Some(kept[i][dim - 1] * below(i)?);
            (0..kept.len()).map(layer).sum()
        }
    }
}

/// The area of two objectives: from the best of the first on, each box adds what rises above all before it.
fn sweep(boxes: &mut [Vec<f64>]) -> f64 {
    boxes.sort_by(|a, b| b[0].total_cmp(&a[0]).then(b[1].total_cmp(&a[1])));
    let mut height = 0.0;
    let area = |edges: &Vec<f64>| {
        let gained = (edges[1] - height).max(0.0);
        height = edges[1].max(height);
        edges[0] * gained
    };
    boxes.iter().map(area).sum()
}
