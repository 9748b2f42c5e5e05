//! The 24 functions, in their order and groups: separable (1–5), of low or moderate conditioning (6–9), unimodal with high
//! conditioning (10–14), multi-modal with a global structure (15–19) and with a weak one (20–24).

use std::f64::consts::TAU;

use super::HALF_WIDTH;
use super::random::{Matrix, normals, permutation, uniforms};
use super::setup::{
    BbobSetup, Landscape, asymmetric, conditioning, oscillate, oscillate_all, position, powers,
    round_half_up, scaled,
};

/// A function by its number.
pub(super) fn landscape(function: u32, setup: &BbobSetup) -> Option<Landscape> {
    Some(match function {
        1 => sphere(setup),
        2 => ellipsoid(setup),
        3 => rastrigin(setup),
        4 => bueche_rastrigin(setup),
        5 => linear_slope(setup),
        6 => attractive_sector(setup),
        7 => step_ellipsoid(setup),
        8 => rosenbrock(setup),
        9 => rotated_rosenbrock(setup),
        10 => rotated_ellipsoid(setup),
        11 => discus(setup),
        12 => bent_cigar(setup),
        13 => sharp_ridge(setup),
        14 => different_powers(setup),
        15 => rotated_rastrigin(setup),
        16 => weierstrass(setup),
        17 => schaffer(setup, 10.0),
        18 => schaffer(setup, 1000.0),
        19 => griewank_rosenbrock(setup),
        20 => schwefel(setup),
        21 => gallagher(setup, 101, 5.0, MAX_CONDITION.sqrt()),
        22 => gallagher(setup, 21, 4.9, MAX_CONDITION),
        23 => katsuura(setup),
        24 => lunacek(setup),
        _ => return None,
    })
}

/// f1: ‖z‖².
fn sphere(setup: &BbobSetup) -> Landscape {
    Landscape::around(setup.x_opt(), |z| z.iter().map(|v| v * v).sum())
}

/// f2: an axis-parallel ellipsoid of condition 10⁶.
fn ellipsoid(setup: &BbobSetup) -> Landscape {
    let weights = powers(1e6, setup.dim);
    Landscape::around(setup.x_opt(), move |z| {
        weighted_squares(&weights, &oscillate_all(z))
    })
}

/// f3: Rastrigin's function, stretched and bent.
fn rastrigin(setup: &BbobSetup) -> Landscape {
    let lambda = conditioning(10.0, setup.dim);
    Landscape::around(setup.x_opt(), move |z| {
        rastrigin_sum(&scaled(asymmetric(oscillate_all(z), 0.2), &lambda))
    })
}

/// f4: Büche–Rastrigin, whose odd coordinates (counted from 1) have tenfold steeper positive sides.
fn bueche_rastrigin(setup: &BbobSetup) -> Landscape {
    let lambda = conditioning(10.0, setup.dim);
    let mut x_opt = setup.x_opt();
    x_opt.iter_mut().step_by(2).for_each(|x| *x = x.abs());
    let core = move |z| {
        let mut z = scaled(oscillate_all(z), &lambda);
        z.iter_mut()
            .step_by(2)
            .filter(|v| **v > 0.0)
            .for_each(|v| *v *= 10.0);
        rastrigin_sum(&z)
    };
    Landscape::around(x_opt, core).penalized(100.0)
}

/// f5: a slope down to a corner of the box, flat beyond it.
fn linear_slope(setup: &BbobSetup) -> Landscape {
    let signs: Vec<f64> = setup.x_opt().iter().map(|x| x.signum()).collect();
    let corner = signs.iter().map(|sign| HALF_WIDTH * sign).collect();
    let slopes = powers(10.0, setup.dim);
    let core = move |x: &[f64]| {
        let to_edge = |(v, sign): (&f64, &f64)| (HALF_WIDTH - sign * v).max(0.0);
        let distances = x.iter().zip(&signs).map(to_edge);
        distances
            .zip(&slopes)
            .map(|(distance, slope)| slope * distance)
            .sum()
    };
    Landscape::new(corner, core)
}

/// Σ wᵢ zᵢ².
fn weighted_squares(weights: &[f64], z: &[f64]) -> f64 {
    let weighted = |(v, weight): (&f64, &f64)| weight * v * v;
    z.iter().zip(weights).map(weighted).sum()
}

/// 10(D − Σ cos 2πzᵢ) + ‖z‖².
fn rastrigin_sum(z: &[f64]) -> f64 {
    let cosines: f64 = z.iter().map(|v| (TAU * v).cos()).sum();
    10.0 * (z.len() as f64 - cosines) + z.iter().map(|v| v * v).sum::<f64>()
}

/// f6: attractive sector, steep except in one hypercone.
fn attractive_sector(setup: &BbobSetup) -> Landscape {
    let map = setup.r_lambda_q(10.0);
    let x_opt = setup.x_opt();
    let directions = x_opt.clone();
    let core = move |z: Vec<f64>| {
        let steepness = |(v, o): (&f64, &f64)| (if v * o > 0.0 { 100.0 * v } else { *v }).powi(2);
        let steep: f64 = map.apply(&z).iter().zip(&directions).map(steepness).sum();
        oscillate(steep).powf(0.9)
    };
    Landscape::around(x_opt, core)
}

/// f7: an ellipsoid of plateaus.
fn step_ellipsoid(setup: &BbobSetup) -> Landscape {
    let inner = setup.q().scaled(&conditioning(10.0, setup.dim));
    let outer = setup.r();
    let weights = powers(100.0, setup.dim);
    let core = move |z: Vec<f64>| {
        let z_hat = inner.apply(&z);
        let stepped: Vec<f64> = z_hat.iter().map(|v| step(*v)).collect();
        0.1 * weighted_squares(&weights, &outer.apply(&stepped)).max(z_hat[0].abs() / 1e4)
    };
    Landscape::around(setup.x_opt(), core).penalized(1.0)
}

/// Plateaus of width 1, of width 0.1 near zero.
fn step(z: f64) -> f64 {
    if z.abs() > 0.5 {
        round_half_up(z)
    } else {
        round_half_up(10.0 * z) / 10.0
    }
}

/// f8: Rosenbrock's function.
fn rosenbrock(setup: &BbobSetup) -> Landscape {
    let stretch = setup.rosenbrock_stretch();
    let x_opt = setup.x_opt().iter().map(|x| 0.75 * x).collect();
    let core = move |z: Vec<f64>| {
        let z: Vec<f64> = z.iter().map(|v| stretch * v + 1.0).collect();
        z.windows(2).map(rosenbrock_term).sum()
    };
    Landscape::around(x_opt, core)
}

/// f9: Rosenbrock's function, rotated about the origin.
fn rotated_rosenbrock(setup: &BbobSetup) -> Landscape {
    rotated_pairs(setup, |z| z.windows(2).map(rosenbrock_term).sum())
}

/// A function of s·Q·x + ½, best where that is one everywhere.
fn rotated_pairs(
    setup: &BbobSetup,
    of: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
) -> Landscape {
    let (stretch, rotation) = (setup.rosenbrock_stretch(), setup.q());
    let x_opt = (rotation.transposed()).apply(&vec![0.5 / stretch; setup.dim]);
    Landscape::new(x_opt, move |x: &[f64]| {
        let mut z = rotation.apply(x);
        z.iter_mut().for_each(|v| *v = stretch * *v + 0.5);
        of(&z)
    })
}

/// 100(a² − b)² + (a − 1)² of two neighbours.
fn rosenbrock_term(pair: &[f64]) -> f64 {
    let (a, b) = (pair[0], pair[1]);
    100.0 * (a * a - b).powi(2) + (a - 1.0).powi(2)
}

/// Of the discus and the bent cigar.
const CONDITION: f64 = 1e6;

/// f10: the ellipsoid of f2, rotated.
fn rotated_ellipsoid(setup: &BbobSetup) -> Landscape {
    rotated_squares(setup, powers(CONDITION, setup.dim))
}

/// f11: one direction a thousand times more sensitive than the rest.
fn discus(setup: &BbobSetup) -> Landscape {
    let mut weights = vec![1.0; setup.dim];
    weights[0] = CONDITION;
    rotated_squares(setup, weights)
}

fn rotated_squares(setup: &BbobSetup, weights: Vec<f64>) -> Landscape {
    let rotation = setup.r();
    Landscape::around(setup.x_opt(), move |z| {
        weighted_squares(&weights, &oscillate_all(rotation.apply(&z)))
    })
}

/// f12: a narrow bent ridge.
fn bent_cigar(setup: &BbobSetup) -> Landscape {
    let rotation = setup.r();
    let mut weights = vec![CONDITION; setup.dim];
    weights[0] = 1.0;
    let core = move |z: Vec<f64>| {
        let bent = asymmetric(rotation.apply(&z), 0.5);
        weighted_squares(&weights, &rotation.apply(&bent))
    };
    Landscape::around(setup.second().x_opt(), core)
}

/// f13: a ridge that is not differentiable.
fn sharp_ridge(setup: &BbobSetup) -> Landscape {
    let map = setup.r_lambda_q(10.0);
    let core = move |z: Vec<f64>| {
        let z = map.apply(&z);
        let across: f64 = z[1..].iter().map(|v| v * v).sum();
        z[0] * z[0] + 100.0 * across.sqrt()
    };
    Landscape::around(setup.x_opt(), core)
}

/// f14: sensitivities that differ more and more near the optimum.
fn different_powers(setup: &BbobSetup) -> Landscape {
    let rotation = setup.r();
    let dim = setup.dim;
    let core = move |z: Vec<f64>| {
        let power = |(i, v): (usize, &f64)| v.abs().powf(2.0 + 4.0 * position(i, dim));
        let powers = rotation.apply(&z);
        powers.iter().enumerate().map(power).sum::<f64>().sqrt()
    };
    Landscape::around(setup.x_opt(), core)
}

/// Terms of the Weierstrass series.
const SUMMANDS: i32 = 12;

/// f15: Rastrigin's function of f3, rotated.
fn rotated_rastrigin(setup: &BbobSetup) -> Landscape {
    let first = setup.r();
    let second = setup.r_lambda_q(10.0);
    let core = move |z: Vec<f64>| {
        rastrigin_sum(&second.apply(&asymmetric(oscillate_all(first.apply(&z)), 0.2)))
    };
    Landscape::around(setup.x_opt(), core)
}

/// f16: Weierstrass' function, rugged and with many global optima.
fn weierstrass(setup: &BbobSetup) -> Landscape {
    let first = setup.r();
    let second = setup.r_lambda_q(0.01);
    let dim = setup.dim as f64;
    let lowest = weierstrass_term(0.0);
    let core = move |z: Vec<f64>| {
        let z = second.apply(&oscillate_all(first.apply(&z)));
        let mean = z.iter().map(|v| weierstrass_term(*v)).sum::<f64>() / dim;
        10.0 * (mean - lowest).powi(3)
    };
    Landscape::around(setup.x_opt(), core).penalized(10.0 / dim)
}

/// Σ 2⁻ᵏ cos(2π·3ᵏ(z + ½)).
fn weierstrass_term(z: f64) -> f64 {
    (0..SUMMANDS)
        .map(|k| 0.5_f64.powi(k) * (TAU * (z + 0.5) * 3.0_f64.powi(k)).cos())
        .sum()
}

/// f17 (condition 10) and f18 (condition 1000): Schaffer's F7, whose frequency and amplitude vary.
fn schaffer(setup: &BbobSetup, condition: f64) -> Landscape {
    let first = setup.r();
    let second = setup.q().scaled(&conditioning(condition, setup.dim));
    let pairs = (setup.dim - 1) as f64;
    let core = move |z: Vec<f64>| {
        let z = second.apply(&asymmetric(first.apply(&z), 0.5));
        let sum: f64 = z.windows(2).map(schaffer_term).sum();
        (sum / pairs).powi(2)
    };
    Landscape::around(setup.x_opt(), core).penalized(10.0)
}

/// √s (1 + sin²(50 s^⅕)) with s = √(a² + b²).
fn schaffer_term(pair: &[f64]) -> f64 {
    let square = pair[0] * pair[0] + pair[1] * pair[1];
    square.powf(0.25) * (1.0 + (50.0 * square.powf(0.1)).sin().powi(2))
}

/// f19: Griewank's function of Rosenbrock's.
fn griewank_rosenbrock(setup: &BbobSetup) -> Landscape {
    let pairs = (setup.dim - 1) as f64;
    let term = |pair: &[f64]| {
        let s = rosenbrock_term(pair);
        s / 4000.0 - s.cos()
    };
    rotated_pairs(setup, move |z| {
        10.0 + 10.0 * z.windows(2).map(term).sum::<f64>() / pairs
    })
}

/// Schwefel's best coordinate over a hundred, as the transformations use it.
const SCHWEFEL_CENTRE: f64 = 4.2096874637;
/// The same as the best point is named; it differs in the last digit.
const SCHWEFEL_BEST: f64 = 4.2096874633;
/// Makes the best value zero.
const SCHWEFEL_OFFSET: f64 = 418.9828872724339;
/// Schwefel's own box, beyond which he is penalized.
const SCHWEFEL_HALF_WIDTH: f64 = 500.0;
/// Binary digits Katsuura's function looks at.
const KATSUURA_DIGITS: i32 = 32;
/// Centre of the better funnel of Lunacek's function.
const LUNACEK_CENTRE: f64 = 2.5;

/// f20: Schwefel's function; the best point is near a corner, away from the next best ones.
fn schwefel(setup: &BbobSetup) -> Landscape {
    let signs = signs(uniforms(setup.dim, setup.seed), 0.5);
    let x_opt = signs
        .iter()
        .map(|sign| 0.5 * SCHWEFEL_BEST * sign)
        .collect();
    let lambda = conditioning(10.0, setup.dim);
    let core = move |x: &[f64]| {
        let x_hat = doubled(x, &signs);
        let coupled = |i: usize| match i {
            0 => 0.0,
            _ => 0.25 * (x_hat[i - 1] - SCHWEFEL_CENTRE),
        };
        let z_hat = |i| x_hat[i] + coupled(i) - SCHWEFEL_CENTRE;
        let mut z = scaled((0..x.len()).map(z_hat).collect(), &lambda);
        z.iter_mut()
            .for_each(|v| *v = 100.0 * (*v + SCHWEFEL_CENTRE));
        schwefel_mean(&z)
    };
    Landscape::new(x_opt, core)
}

/// −1 for numbers below the threshold, 1 for the others.
fn signs(mut numbers: Vec<f64>, threshold: f64) -> Vec<f64> {
    let sign = |number: &mut f64| *number = if *number < threshold { -1.0 } else { 1.0 };
    numbers.iter_mut().for_each(sign);
    numbers
}

/// 2·x with signs.
fn doubled(x: &[f64], signs: &[f64]) -> Vec<f64> {
    x.iter()
        .zip(signs)
        .map(|(v, sign)| 2.0 * v * sign)
        .collect()
}

fn schwefel_mean(z: &[f64]) -> f64 {
    let outside = |v: &f64| (v.abs() - SCHWEFEL_HALF_WIDTH).max(0.0).powi(2);
    let penalty: f64 = z.iter().map(outside).sum();
    let mean = z.iter().map(|v| v * v.abs().sqrt().sin()).sum::<f64>() / z.len() as f64;
    0.01 * (penalty + SCHWEFEL_OFFSET - mean)
}

/// f23: Katsuura's function, rugged everywhere and repetitive.
fn katsuura(setup: &BbobSetup) -> Landscape {
    let map = setup.r_lambda_q(100.0);
    let dim = setup.dim as f64;
    let core = move |z: Vec<f64>| {
        let factor = |(v, i): (&f64, i32)| 1.0 + f64::from(i) * distances_to_dyadics(*v);
        let z = map.apply(&z);
        let factors = z.iter().zip(1..).map(factor);
        10.0 / (dim * dim) * (factors.product::<f64>().powf(10.0 / dim.powf(1.2)) - 1.0)
    };
    Landscape::around(setup.x_opt(), core).penalized(1.0)
}

/// Σ |2ʲz − [2ʲz]| / 2ʲ.
fn distances_to_dyadics(z: f64) -> f64 {
    let distance = |j: i32| {
        let power = 2.0_f64.powi(j);
        (power * z - round_half_up(power * z)).abs() / power
    };
    (1..=KATSUURA_DIGITS).map(distance).sum()
}

/// f24: Lunacek's double funnel with Rastrigin's ripples; the wider funnel is the wrong one.
///
/// s and μ₁ place the second funnel; μ₀ = 2.5 and d = 1.
fn lunacek(setup: &BbobSetup) -> Landscape {
    let signs = signs(normals(setup.dim, setup.seed), 0.0);
    let x_opt = signs
        .iter()
        .map(|sign| 0.5 * LUNACEK_CENTRE * sign)
        .collect();
    let map = setup.r_lambda_q(100.0);
    let dim = setup.dim as f64;
    let s = 1.0 - 0.5 / ((dim + 20.0).sqrt() - 4.1);
    let mu_1 = -((LUNACEK_CENTRE * LUNACEK_CENTRE - 1.0) / s).sqrt();
    let core = move |x: &[f64]| {
        let x_hat = doubled(x, &signs);
        let from_centre: Vec<f64> = x_hat.iter().map(|v| v - LUNACEK_CENTRE).collect();
        let good: f64 = from_centre.iter().map(|v| v * v).sum();
        let wide: f64 = x_hat.iter().map(|v| (v - mu_1).powi(2)).sum();
        let rotated = map.apply(&from_centre);
        let cosines: f64 = rotated.iter().map(|v| (TAU * v).cos()).sum();
        good.min(dim + s * wide) + 10.0 * (dim - cosines)
    };
    Landscape::new(x_opt, core).penalized(1e4)
}

/// Largest condition of a peak; those of the other peaks are its powers in random order.
const MAX_CONDITION: f64 = 1000.0;
const BEST_HEIGHT: f64 = 10.0;
/// Heights of the lowest and the highest of the other peaks.
const OTHER_HEIGHTS: (f64, f64) = (1.1, 9.1);
/// Draws the best peak towards the middle.
const BEST_SHRINK: f64 = 0.8;
/// Separates the streams of the peaks.
const PEAK_STREAM: u64 = 1000;

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

/// f21 (101 peaks) and f22 (21 peaks): Gallagher's Gaussian peaks at random places, of random shapes.
fn gallagher(setup: &BbobSetup, number: usize, half_width: f64, condition: f64) -> Landscape {
    let rotation = setup.q();
    let centres = centres(setup, number, half_width);
    let x_opt = centres[0].clone();
    let peaks = shapes(setup, condition, &centres, &rotation);
    let core = move |x: &[f64]| {
        let rotated = rotation.apply(x);
        let heights = peaks.iter().map(|peak| peak.value(&rotated));
        let highest = heights.fold(0.0, f64::max);
        oscillate(BEST_HEIGHT - highest).powi(2)
    };
    Landscape::new(x_opt, core).penalized(1.0)
}

/// Where the peaks are, the best one first.
fn centres(setup: &BbobSetup, number: usize, half_width: f64) -> Vec<Vec<f64>> {
    let draws = uniforms(setup.dim * number, setup.seed);
    let place = |shrink: f64| move |u: &f64| shrink * (2.0 * half_width * u - half_width);
    let shrink = |i| if i == 0 { BEST_SHRINK } else { 1.0 };
    let points = draws.chunks_exact(setup.dim).enumerate();
    let centre = |(i, point): (usize, &[f64])| point.iter().map(place(shrink(i))).collect();
    points.map(centre).collect()
}

fn shapes(
    setup: &BbobSetup,
    best_condition: f64,
    centres: &[Vec<f64>],
    rotation: &Matrix,
) -> Vec<Peak> {
    let others = centres.len() - 1;
    let order = permutation(others, setup.seed);
    let (lowest, highest) = OTHER_HEIGHTS;
    let shape = |(i, centre): (usize, &Vec<f64>)| {
        let (height, condition) = match i.checked_sub(1) {
            None => (BEST_HEIGHT, best_condition),
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
