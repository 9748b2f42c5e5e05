//! Functions 21 and 22: Gallagher's Gaussian peaks at random places, of random shapes.

use super::matrix::Matrix;
use super::random::{permutation, uniforms};
use super::setup::{BbobSetup, Landscape};
use super::transforms::{oscillate, position};

/// Largest condition of a peak; those of the other peaks are its powers in random order.
const MAX_CONDITION: f64 = 1000.0;
const BEST_HEIGHT: f64 = 10.0;
/// Heights of the lowest and the highest of the other peaks.
const OTHER_HEIGHTS: (f64, f64) = (1.1, 9.1);
/// Draws the best peak towards the middle.
const BEST_SHRINK: f64 = 0.8;
/// Separates the streams of the peaks.
const PEAK_STREAM: u64 = 1000;

/// How the two functions differ.
pub(super) struct Peaks {
    number: usize,
    half_width: f64,
    best_condition: f64,
}

/// f21: 101 peaks.
pub(super) fn many(setup: &BbobSetup) -> Landscape {
    let peaks = Peaks {
        number: 101,
        half_width: 5.0,
        best_condition: MAX_CONDITION.sqrt(),
    };
    gallagher(setup, &peaks)
}

/// f22: 21 peaks.
pub(super) fn few(setup: &BbobSetup) -> Landscape {
    let peaks = Peaks {
        number: 21,
        half_width: 4.9,
        best_condition: MAX_CONDITION,
    };
    gallagher(setup, &peaks)
}

/// One peak in rotated coordinates.
struct Peak {
    height: f64,
    centre: Vec<f64>,
    scales: Vec<f64>,
}

impl Peak {
    fn value(&self, x: &[f64]) -> f64 {
        let distance = |((v, c), scale): ((&f64, &f64), &f64)| scale * (v - c) * (v - c);
        let places = x.iter().zip(&self.centre).zip(&self.scales);
        let sum: f64 = places.map(distance).sum();
        self.height * (-0.5 / x.len() as f64 * sum).exp()
    }
}

fn gallagher(setup: &BbobSetup, peaks: &Peaks) -> Landscape {
    let rotation = setup.q();
    let centres = centres(setup, peaks);
    let x_opt = centres[0].clone();
    let peaks = shapes(setup, peaks, &centres, &rotation);
    let core = move |x: &[f64]| {
        let rotated = rotation.apply(x);
        let heights = peaks.iter().map(|peak| peak.value(&rotated));
        let highest = heights.fold(0.0, f64::max);
        oscillate(BEST_HEIGHT - highest).powi(2)
    };
    Landscape::new(x_opt, core).penalized(1.0)
}

/// Where the peaks are, the best one first.
fn centres(setup: &BbobSetup, peaks: &Peaks) -> Vec<Vec<f64>> {
    let draws = uniforms(setup.dim * peaks.number, setup.seed);
    let place =
        |shrink: f64| move |u: &f64| shrink * (2.0 * peaks.half_width * u - peaks.half_width);
    let shrink = |i| if i == 0 { BEST_SHRINK } else { 1.0 };
    draws
        .chunks_exact(setup.dim)
        .enumerate()
        .map(|(i, chunk)| chunk.iter().map(place(shrink(i))).collect())
        .collect()
}

fn shapes(setup: &BbobSetup, peaks: &Peaks, centres: &[Vec<f64>], rotation: &Matrix) -> Vec<Peak> {
    let others = peaks.number - 1;
    let order = permutation(others, setup.seed);
    let (lowest, highest) = OTHER_HEIGHTS;
    let shape = |(i, centre): (usize, &Vec<f64>)| {
        let (height, condition) = match i.checked_sub(1) {
            None => (BEST_HEIGHT, peaks.best_condition),
            Some(k) => (
                lowest + (highest - lowest) * position(k, others),
                MAX_CONDITION.powf(position(order[k], others)),
            ),
        };
        Peak {
            height,
            centre: rotation.apply(centre),
            scales: scales(setup, i as u64, condition),
        }
    };
    centres.iter().enumerate().map(shape).collect()
}

/// The diagonal of a peak's Hessian: the powers of its condition between −½ and ½, in random order.
fn scales(setup: &BbobSetup, peak: u64, condition: f64) -> Vec<f64> {
    let order = permutation(setup.dim, setup.seed + PEAK_STREAM * peak);
    let scale = |k| condition.powf(position(k, setup.dim) - 0.5);
    order.into_iter().map(scale).collect()
}
