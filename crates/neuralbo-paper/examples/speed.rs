//! The values that a method reaches, to compare two versions of it; with `time`, what its suggestions cost.
//!
//! ```sh
//! cargo build --release -p neuralbo-paper --example speed
//! RAYON_NUM_THREADS=1 bash -c 'time target/release/examples/speed rf levy 20 100 10'      # method, function, dimensions, evaluations, seeds
//! ```
//!
//! A seed has its own optimum, moved by up to 0.6 of half the box in every coordinate; that of `levy@original` is where it was.

use neuralbo::linalg::{Points, Purpose, Streams};
use neuralbo::space::Space;
use neuralbo::strategy::presets::Options;
use neuralbo::strategy::{History, Request};
use rand::RngExt;
use std::error::Error;
use std::f64::consts::{E, PI};

const USAGE: &str =
    "speed METHOD[:KEY=VALUE,…] ackley|levy[@original] DIMENSIONS EVALUATIONS SEEDS";
const FARTHEST: f64 = 0.6;

/// A function on a box around 0.
#[derive(Clone, Copy)]
struct Target {
    function: fn(&[f64]) -> f64,
    /// Half a side of the box.
    half: f64,
    /// Farthest that its optimum is moved, as a share of that.
    farthest: f64,
}

impl Target {
    fn named(name: &str) -> Option<Self> {
        let (name, farthest) = match name.strip_suffix("@original") {
            Some(name) => (name, 0.0),
            None => (name, FARTHEST),
        };
        let (function, half): (fn(&[f64]) -> f64, f64) = match name {
            "ackley" => (ackley, 32.768),
            "levy" => (levy, 10.0),
            _ => return None,
        };
        Some(Self {
            function,
            half,
            farthest,
        })
    }
}

fn ackley(x: &[f64]) -> f64 {
    let mean = |f: &dyn Fn(f64) -> f64| x.iter().map(|&v| f(v)).sum::<f64>() / x.len() as f64;
    let (square, cosine) = (mean(&|v| v * v), mean(&|v| (2.0 * PI * v).cos()));
    20.0 + E - 20.0 * (-0.2 * square.sqrt()).exp() - cosine.exp()
}

fn levy(x: &[f64]) -> f64 {
    let w: Vec<f64> = x.iter().map(|v| 0.75 + 0.25 * v).collect();
    let inner = |w: &f64| (w - 1.0).powi(2) * (1.0 + 10.0 * (PI * w + 1.0).sin().powi(2));
    let last = w[w.len() - 1];
    (PI * w[0]).sin().powi(2)
        + w[..w.len() - 1].iter().map(inner).sum::<f64>()
        + (last - 1.0).powi(2) * (1.0 + (2.0 * PI * last).sin().powi(2))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [method, function, numbers @ ..] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let target = Target::named(function).ok_or(USAGE)?;
    let numbers: Vec<usize> = numbers
        .iter()
        .map(|n| n.parse())
        .collect::<Result<_, _>>()?;
    let &[dim, evaluations, seeds] = numbers.as_slice() else {
        return Err(USAGE.into());
    };
    if dim == 0 || seeds == 0 {
        return Err(USAGE.into());
    }
    let runs = (0..seeds as u64).map(|seed| best(method, target, dim, evaluations, seed));
    let values: Vec<f64> = runs.collect::<Result<_, _>>()?;
    let mean = values.iter().sum::<f64>() / seeds as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let error = (squares / (seeds.max(2) - 1) as f64 / seeds as f64).sqrt();
    println!("{method} {function} {numbers:?}: {mean:.3} ± {error:.3}");
    Ok(())
}

/// The best value of a run.
fn best(
    method: &str,
    target: Target,
    dim: usize,
    evaluations: usize,
    seed: u64,
) -> Result<f64, Box<dyn Error>> {
    let mut rng = Streams::new(1000 + seed).stream(0, Purpose::Noise);
    let optimum: Vec<f64> = (0..dim)
        .map(|_| target.farthest * rng.random_range(-1.0..1.0))
        .collect();
    let (name, options) = method.split_once(':').unwrap_or((method, ""));
    let options = Options::parse(options.split_terminator(','))?;
    let space = Space::from_bounds(&vec![(-1.0, 1.0); dim])?;
    let mut strategy = neuralbo_paper::registry().build(name, &space, seed, &options)?;
    let (mut history, none) = (History::new(dim), Points::new(dim));
    let mut best = f64::INFINITY;
    for number in 0..evaluations as u64 {
        let request = Request::new(&history, &none, number, 1);
        let row = strategy.suggest(&request)?.remove(0).row;
        let moved: Vec<f64> = row
            .iter()
            .zip(&optimum)
            .map(|(x, o)| target.half * (x - o))
            .collect();
        let value = (target.function)(&moved);
        best = best.min(value);
        history.push_observed(&row, -value);
    }
    Ok(best)
}
