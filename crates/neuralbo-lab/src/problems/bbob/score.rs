//! Scores of runs on BBOB: the empirical distribution of runtimes, its area, and the final gap.
//!
//! * gap: best value so far − f_opt
//! * targets: 51 gaps, evenly spaced in their logarithm from 10² to 10⁻⁸
//! * runtime: evaluations divided by the dimension

/// Number of targets.
pub const TARGETS: usize = 51;
/// Runtimes the area is taken over, on a logarithmic axis.
pub const RUNTIMES: (f64, f64) = (0.5, 20.0);
/// Smaller gaps count as this one.
const SMALLEST_GAP: f64 = 1e-8;

/// One run: the evaluations at which the best value improved.
#[derive(Clone, Debug, PartialEq)]
pub struct GapCurve {
    dim: usize,
    improvements: Vec<(u64, f64)>,
}

impl GapCurve {
    /// A run on a problem of `dim` coordinates, before its first evaluation.
    pub fn new(dim: usize) -> Self {
        Self {
            dim,
            improvements: Vec::new(),
        }
    }

    /// Notes the gap of an evaluation, counted from 1; evaluations come in order and those that do not improve are dropped.
    pub fn record(&mut self, evaluation: u64, gap: f64) {
        if self.final_gap().is_none_or(|best| gap < best) && !gap.is_nan() {
            self.improvements.push((evaluation, gap));
        }
    }

    /// The best gap at the end, if any evaluation succeeded.
    pub fn final_gap(&self) -> Option<f64> {
        self.improvements.last().map(|(_, gap)| *gap)
    }

    /// The runtime after which `target` was reached.
    pub fn runtime(&self, target: f64) -> Option<f64> {
        let reached = self.improvements.partition_point(|(_, gap)| *gap > target);
        self.improvements
            .get(reached)
            .map(|(evaluation, _)| *evaluation as f64 / self.dim as f64)
    }
}

/// How well an optimizer did on a set of runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Area under the fraction of (run, target) pairs reached, over the logarithm of the runtime: 0 (none) to 1 (all at once).
    pub auc: f64,
    /// Mean of the decimal logarithm of the final gap; runs without any value are left out.
    pub gap: f64,
}

/// The targets, the easiest first.
pub fn targets() -> impl Iterator<Item = f64> {
    (0..TARGETS).map(|i| 10.0_f64.powf(2.0 - 10.0 * i as f64 / (TARGETS - 1) as f64))
}

/// Scores runs; `None` if there are none or none has a value.
///
/// ```
/// use neuralbo_lab::problems::bbob::score::{GapCurve, score};
///
/// let mut trace = GapCurve::new(2);
/// trace.record(1, 0.0);
/// assert_eq!(score(&[trace]).unwrap().auc, 1.0);
/// ```
pub fn score(traces: &[GapCurve]) -> Option<Score> {
    let gaps: Vec<f64> = traces
        .iter()
        .filter_map(|trace| trace.final_gap())
        .collect();
    if gaps.is_empty() {
        return None;
    }
    let areas: f64 = traces
        .iter()
        .flat_map(|trace| targets().map(|target| area(trace.runtime(target))))
        .sum();
    let logs: f64 = gaps.iter().map(|gap| gap.max(SMALLEST_GAP).log10()).sum();
    Some(Score {
        auc: areas / (traces.len() * TARGETS) as f64,
        gap: logs / gaps.len() as f64,
    })
}

/// The part of the logarithmic axis that is left after a target was reached.
fn area(runtime: Option<f64>) -> f64 {
    let (first, last) = (RUNTIMES.0.log10(), RUNTIMES.1.log10());
    runtime.map_or(0.0, |runtime| {
        ((last - runtime.log10()) / (last - first)).clamp(0.0, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(dim: usize, improvements: &[(u64, f64)]) -> GapCurve {
        let mut trace = GapCurve::new(dim);
        for (evaluation, gap) in improvements {
            trace.record(*evaluation, *gap);
        }
        trace
    }

    #[test]
    fn targets_run_from_a_hundred_to_a_hundred_millionth() {
        let targets: Vec<f64> = targets().collect();
        assert_eq!(targets.len(), 51);
        assert_eq!((targets[0], targets[5]), (100.0, 10.0));
        assert!((targets[50] / 1e-8 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn only_improvements_are_kept() {
        let trace = trace(2, &[(1, 5.0), (2, 7.0), (3, f64::NAN), (4, 5.0), (6, 1.0)]);
        assert_eq!(trace.improvements, [(1, 5.0), (6, 1.0)]);
        let found = (trace.runtime(5.0), trace.runtime(2.0), trace.runtime(0.5));
        assert_eq!(found, (Some(0.5), Some(3.0), None));
    }

    #[test]
    fn one_target_reached_half_way_counts_half_of_its_share() {
        let middle = (0.5_f64 * 20.0).sqrt();
        assert!((area(Some(middle)) - 0.5).abs() < 1e-12);
        let easiest_at_the_start = score(&[trace(2, &[(1, 100.0)])]).unwrap();
        assert!((easiest_at_the_start.auc - 1.0 / 51.0).abs() < 1e-12);
        assert_eq!(easiest_at_the_start.gap, 2.0);
    }

    #[test]
    fn nothing_has_no_score_and_exact_hits_are_clipped() {
        assert_eq!(score(&[]), None);
        assert_eq!(score(&[GapCurve::new(2)]), None);
        let clipped = score(&[trace(2, &[(40, 0.0)])]).unwrap();
        assert_eq!((clipped.auc, clipped.gap), (0.0, -8.0));
    }
}
