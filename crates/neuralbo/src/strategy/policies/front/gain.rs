//! What a candidate would add to the hypervolume of the front, as a function of its row.
//!
//! With two objectives the volume is exact. With more it is an average over directions `λ` of the positive sphere: with
//! `s_λ(y) = min_k (y_k − r_k)/λ_k` the hypervolume is proportional to the mean of `max_y s_λ(y)^m` (Zhang & Golovin 2020), so that
//! the gain of a candidate is the mean of what its `s_λ^m` has over the front's. Its cost does not depend on the front.
//!
//! A candidate that adds nothing is worth less the farther it is from adding something, so that an ascent knows where to go: the
//! negative of the smallest step in all objectives at once that would bring it there. What adds something is worth the `m`-th
//! root of the gain, a length as well.

use rand::RngExt;
use rand_distr::StandardNormal;

use super::super::constants::DIRECTIONS;
use crate::linalg::{Points, Purpose, Rng, Streams, add_scaled};
use crate::pareto;
use crate::surrogate::Function;
use crate::surrogate::tangent::WeightFunction;

/// Keeps the directions apart from the other random numbers of a study.
const STREAM: u64 = 7;

/// The front in units, as what a candidate's gain is computed from.
pub(super) enum FrontVolume {
    /// Two objectives: the strips of the staircase, from the best of the first objective on. A strip is between `low` and `high`
    /// in the first objective, and what is above `floor` in the second is not covered.
    Strips(Vec<Strip>),
    /// More: directions with what the front reaches along them.
    Rays(Vec<Ray>),
}

pub(super) struct Strip {
    low: f64,
    high: f64,
    floor: f64,
}

pub(super) struct Ray {
    corner: Vec<f64>,
    lambda: Vec<f64>,
    reached: f64,
}

impl FrontVolume {
    /// The directions are the same for all fronts of a study.
    pub(super) fn new(front: &Points, corner: &[f64], streams: &Streams) -> Self {
        if front.dim() == 2 {
            return Self::Strips(strips(front, corner));
        }
        let mut directions = directions(corner, streams);
        for direction in &mut directions {
            let reaches = front.rows().map(|row| direction.reach(row).0);
            direction.reached = reaches.fold(0.0, f64::max);
        }
        Self::Rays(directions)
    }

    /// What rewards would add to the hypervolume, as a part of it; infinite where there is none yet.
    pub(super) fn relative_gain(&self, y: &[f64]) -> f64 {
        let mut slope = vec![0.0; y.len()];
        match self {
            Self::Strips(strips) => {
                let floor = strips.first().map_or(0.0, |first| first.floor);
                let area_of = |s: &Strip| (s.high - s.low) * (s.floor - floor);
                let covered: f64 = strips.iter().skip(1).map(area_of).sum();
                area(strips, y, &mut slope) / covered
            }
            Self::Rays(directions) => {
                let power = |direction: &Ray| direction.reached.powi(y.len() as i32);
                let covered = directions.iter().map(power).sum::<f64>() / directions.len() as f64;
                mean_power(directions, y, &mut slope) / covered
            }
        }
    }

    /// The worth of rewards in units, and its derivatives.
    pub(super) fn worth(&self, y: &[f64], slope: &mut [f64]) -> f64 {
        slope.fill(0.0);
        let gain = match self {
            Self::Strips(strips) => area(strips, y, slope),
            Self::Rays(directions) => mean_power(directions, y, slope),
        };
        if gain > 0.0 {
            let root = gain.powf(1.0 / y.len() as f64);
            let factor = root / (y.len() as f64 * gain);
            slope.iter_mut().for_each(|slope| *slope *= factor);
            return root;
        }
        slope.fill(0.0);
        let (missing, k) = match self {
            Self::Strips(strips) => smallest(
                strips
                    .iter()
                    .map(|strip| largest(&[strip.low - y[0], strip.floor - y[1]])),
            ),
            Self::Rays(directions) => smallest(directions.iter().map(|d| d.missing(y))),
        };
        slope[k] = 1.0;
        -missing
    }
}

fn largest(values: &[f64]) -> (f64, usize) {
    let values = values.iter().copied().zip(0..);
    let larger = |a: (f64, usize), b: (f64, usize)| if b.0 > a.0 { b } else { a };
    values.fold((f64::NEG_INFINITY, 0), larger)
}

fn smallest(values: impl Iterator<Item = (f64, usize)>) -> (f64, usize) {
    let smaller = |a: (f64, usize), b: (f64, usize)| if b.0 < a.0 { b } else { a };
    values.fold((f64::INFINITY, 0), smaller)
}

fn strips(front: &Points, corner: &[f64]) -> Vec<Strip> {
    let within = |row: &[f64]| (row[0].max(corner[0]), row[1].max(corner[1]));
    let mut steps: Vec<(f64, f64)> = front.rows().map(within).collect();
    steps.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
    let (mut found, mut high, mut floor) = (Vec::new(), f64::INFINITY, corner[1]);
    for (low, top) in steps {
        found.push(Strip { low, high, floor });
        (high, floor) = (low, top.max(floor));
    }
    let low = corner[0];
    found.push(Strip { low, high, floor });
    found
}

fn area(strips: &[Strip], y: &[f64], slope: &mut [f64]) -> f64 {
    let mut area = 0.0;
    for strip in strips {
        let (width, height) = (y[0].min(strip.high) - strip.low, y[1] - strip.floor);
        if width > 0.0 && height > 0.0 {
            area += width * height;
            slope[1] += width;
            slope[0] += if y[0] < strip.high { height } else { 0.0 };
        }
    }
    area
}

fn directions(corner: &[f64], streams: &Streams) -> Vec<Ray> {
    let mut rng: Rng = streams.indexed(0, Purpose::Candidates, STREAM);
    let mut draw = || {
        let mut normal = || rng.sample::<f64, _>(StandardNormal).abs().max(1e-9);
        let mut lambda: Vec<f64> = corner.iter().map(|_| normal()).collect();
        let length = lambda.iter().map(|l| l * l).sum::<f64>().sqrt();
        lambda.iter_mut().for_each(|l| *l /= length);
        Ray {
            corner: corner.to_vec(),
            lambda,
            reached: 0.0,
        }
    };
    (0..DIRECTIONS).map(|_| draw()).collect()
}

/// What the hypervolume of the front would lose without each of its rows, up to a factor.
pub(super) fn lost_without(front: &Points, corner: &[f64], streams: &Streams) -> Vec<f64> {
    if front.dim() == 2 {
        return pareto::contributions(front, corner);
    }
    let (mut lost, power) = (vec![0.0; front.len()], front.dim() as i32);
    for direction in directions(corner, streams) {
        // The row that reaches farthest, and what is left without it.
        let (mut farthest, mut first, mut second) = (0, 0.0, 0.0);
        for (i, row) in front.rows().enumerate() {
            let reach = direction.reach(row).0;
            if reach > first {
                (farthest, first, second) = (i, reach, first);
            } else if reach > second {
                second = reach;
            }
        }
        lost[farthest] += first.powi(power) - second.powi(power);
    }
    lost
}

impl Ray {
    /// `s_λ(y)` and the objective that limits it.
    fn reach(&self, y: &[f64]) -> (f64, usize) {
        let reach = |k: usize| (y[k] - self.corner[k]) / self.lambda[k];
        smallest((0..y.len()).map(|k| (reach(k), k)))
    }

    /// The step in all objectives that leads beyond what the front reaches here, and the objective that needs it.
    fn missing(&self, y: &[f64]) -> (f64, usize) {
        let missing = |k: usize| self.corner[k] + self.lambda[k] * self.reached - y[k];
        largest(&(0..y.len()).map(missing).collect::<Vec<f64>>())
    }
}

fn mean_power(directions: &[Ray], y: &[f64], slope: &mut [f64]) -> f64 {
    let (power, share) = (y.len() as i32, 1.0 / directions.len() as f64);
    let mut gain = 0.0;
    for direction in directions {
        let (reach, k) = direction.reach(y);
        if reach > direction.reached {
            gain += share * (reach.powi(power) - direction.reached.powi(power));
            slope[k] += share * f64::from(power) * reach.powi(power - 1) / direction.lambda[k];
        }
    }
    gain
}

/// The worth of the rewards that some functions give: the means of all objectives, or a sample of each.
pub(super) struct HypervolumeGain {
    pub(super) functions: Vec<WeightFunction>,
    pub(super) volume: FrontVolume,
}

impl Function for HypervolumeGain {
    fn value(&self, rows: &Points) -> Vec<f64> {
        let values: Vec<Vec<f64>> = self.functions.iter().map(|f| f.value(rows)).collect();
        let mut slope = vec![0.0; values.len()];
        let at = |i: usize| values.iter().map(|values| values[i]).collect::<Vec<f64>>();
        let worth = |i: usize| self.volume.worth(&at(i), &mut slope);
        (0..rows.len()).map(worth).collect()
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let parts = self.functions.iter().map(|f| f.value_and_gradient(rows));
        let parts: Vec<(Vec<f64>, Points)> = parts.collect::<Option<_>>()?;
        let mut gradients = Points::zeros(rows.dim(), rows.len());
        let mut values = Vec::with_capacity(rows.len());
        let mut slope = vec![0.0; parts.len()];
        for i in 0..rows.len() {
            let y: Vec<f64> = parts.iter().map(|(values, _)| values[i]).collect();
            values.push(self.volume.worth(&y, &mut slope));
            for ((_, inner), slope) in parts.iter().zip(&slope) {
                add_scaled(gradients.row_mut(i), *slope, inner.row(i));
            }
        }
        Some((values, gradients))
    }
}
