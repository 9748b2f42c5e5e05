//! The regret of `neuralbo-theory` on functions of the theorem's own space, beside its bound and beside √T.
//!
//! ```sh
//! cargo run --release -p neuralbo-lab --example regret -- regret.svg > regret.csv
//! ```
//!
//! The network has a constant input, so that its inputs `(x, 1)` lie on the shell `1 ≤ ‖(x, 1)‖ ≤ √(d + 1)`. A function is a random
//! combination of the analytic kernel H at random points, with standard deviation 1 over the box; its norm B in the kernel's space is
//! therefore known. Of 600 draws the first ten are
//! taken whose maximum is inside the box.
//!
//! Of each run the regret is printed every ten rounds, and what the bound of Theorem 1 is then, with 1 in the place of its unstated
//! constants and the information gain of greedily chosen grid points in the place of γ_T.

use std::error::Error;

use neuralbo::linalg::{Points, Purpose, Streams};
use neuralbo::space::Space;
use neuralbo::strategy::presets::Options;
use neuralbo::strategy::{History, Request};
use neuralbo_lab::figure::{Figure, Panel, PlotAxis, PlotSeries};
use neuralbo_paper::theory::{
    NeuralTangentKernel, RegretBound, cumulative_regret, log_discretization_size,
};
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

type Failure = Box<dyn Error + Send + Sync>;

const DIM: usize = 2;
const LAYERS: usize = 2;
const ROUNDS: usize = 200;
const FUNCTIONS: usize = 10;
/// Functions among which those are sought whose maximum is inside.
const DRAWS: u64 = 600;
const WIDTH: usize = 128;
const NOISE: f64 = 0.1;
const ALPHA: f64 = 0.1;
const LAMBDA: f64 = 1.0 + 1.0 / ROUNDS as f64;
/// Points whose kernel functions are combined.
const CENTRES: usize = 60;
/// Grid points of a side of the box.
const SIDE: usize = 41;
/// Largest coordinate of a maximum.
const INSIDE: f64 = 0.8;
/// Rounds between two lines of the table.
const EVERY: usize = 10;

/// What chooses the points; `B` stands for the norm of the function.
const METHODS: [(&str, &str, &str); 3] = [
    (
        "neuralbo-theory, trained",
        "neuralbo-theory",
        "rewards=raw,norm-bound=B",
    ),
    (
        "neuralbo-theory, trained, B = 0",
        "neuralbo-theory",
        "rewards=raw,norm-bound=0",
    ),
    ("random", "random", ""),
];

/// A function of the kernel's space with its norm and its largest value.
struct Target {
    centres: Points,
    weights: Vec<f64>,
    norm: f64,
    best: (Vec<f64>, f64),
}

fn main() -> Result<(), Failure> {
    let file = std::env::args().nth(1);
    let file = file.ok_or("which file shall the figure be written to?")?;
    println!("method,function,norm,round,regret,bound");
    let gains = greedy_gains()?;
    let drawn = (0..DRAWS).into_par_iter().map(target);
    let mut targets: Vec<Target> = drawn.filter_map(inside).collect();
    targets.truncate(FUNCTIONS);
    let mut curves = Vec::new();
    for (label, method, options) in METHODS {
        let runs = targets.par_iter().enumerate();
        let regrets = runs.map(|(number, target)| run(target, method, options, number as u64));
        let mut total = vec![0.0; ROUNDS];
        for (number, regret) in regrets
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .enumerate()
        {
            let norm = targets[number].norm;
            for round in (EVERY..=ROUNDS).step_by(EVERY) {
                let bound = bound(norm, round, gains[round - 1])?;
                let regret = regret[round - 1];
                println!("\"{label}\",{number},{norm:.4},{round},{regret:.4},{bound:.1}");
            }
            let sums = total.iter_mut().zip(regret);
            sums.for_each(|(sum, regret)| *sum += regret / targets.len() as f64);
        }
        curves.push((label, total));
    }
    let mean_norm = targets.iter().map(|target| target.norm).sum::<f64>() / targets.len() as f64;
    let bounds = (1..=ROUNDS).map(|round| bound(mean_norm, round, gains[round - 1]));
    curves.push((
        "bound of Theorem 1, constants 1",
        bounds.collect::<Result<_, _>>()?,
    ));
    std::fs::write(file, figure(&curves, mean_norm))?;
    Ok(())
}

/// Inputs of the network.
fn with_constant(rows: impl IntoIterator<Item = Vec<f64>>) -> Points {
    let extended = rows.into_iter().map(|row| [row, vec![1.0]].concat());
    Points::from_rows(DIM + 1, extended)
}

fn kernel(rows: &Points) -> faer::Mat<f64> {
    match NeuralTangentKernel::new(LAYERS, 2.0) {
        Ok(kernel) => kernel.matrices(rows).definition(),
        Err(error) => unreachable!("{error}"),
    }
}

fn grid() -> Vec<Vec<f64>> {
    let place = |k: usize| 2.0 * k as f64 / (SIDE - 1) as f64 - 1.0;
    let point = |k: usize| vec![place(k % SIDE), place(k / SIDE)];
    (0..SIDE * SIDE).map(point).collect()
}

/// A random combination of the kernel at random points, with standard deviation 1 on the grid.
fn target(seed: u64) -> Target {
    let mut rng = Streams::new(seed).stream(0, Purpose::Design);
    let mut row = || (0..DIM).map(|_| rng.random_range(-1.0..1.0)).collect();
    let centres = with_constant((0..CENTRES).map(|_| row()).collect::<Vec<Vec<f64>>>());
    let weights: Vec<f64> = (0..CENTRES).map(|_| rng.sample(StandardNormal)).collect();
    let mut target = Target {
        centres,
        weights,
        norm: 0.0,
        best: (Vec::new(), 0.0),
    };
    let values = target.values(&grid());
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let sd = (squares / values.len() as f64).sqrt();
    target.weights.iter_mut().for_each(|weight| *weight /= sd);
    let matrix = kernel(&target.centres);
    let term = |i: usize, j: usize| target.weights[i] * matrix[(i, j)] * target.weights[j];
    let square: f64 = (0..CENTRES)
        .map(|i| (0..CENTRES).map(|j| term(i, j)).sum::<f64>())
        .sum();
    target.norm = square.sqrt();
    target.best = target.maximum();
    target
}

/// A function whose maximum is inside the box.
fn inside(target: Target) -> Option<Target> {
    target
        .best
        .0
        .iter()
        .all(|x| x.abs() <= INSIDE)
        .then_some(target)
}

impl Target {
    fn value(&self, row: &[f64]) -> f64 {
        self.values(&[row.to_vec()])[0]
    }

    /// Values at rows, in parts: the kernel is computed between all rows of a part.
    fn values(&self, rows: &[Vec<f64>]) -> Vec<f64> {
        let of_part = |part: &[Vec<f64>]| {
            let mut inputs = self.centres.clone();
            inputs.extend(&with_constant(part.iter().cloned()));
            let matrix = kernel(&inputs);
            let value = |row: usize| -> f64 {
                let terms = self.weights.iter().enumerate();
                terms
                    .map(|(j, weight)| weight * matrix[(CENTRES + row, j)])
                    .sum()
            };
            (0..part.len()).map(value).collect::<Vec<_>>()
        };
        rows.chunks(CENTRES).flat_map(of_part).collect()
    }

    /// The best grid point, then the best of its neighbours at half the distance, again and again.
    fn maximum(&self) -> (Vec<f64>, f64) {
        let scored = self.values(&grid()).into_iter().zip(grid());
        let best = scored.max_by(|a, b| a.0.total_cmp(&b.0));
        let (mut value, mut at) = best.unwrap_or_default();
        let mut step = 2.0 / (SIDE - 1) as f64;
        while step > 1e-5 {
            step *= 0.5;
            for k in 0..9 {
                let offset = [k % 3, k / 3].map(|i| step * (f64::from(i) - 1.0));
                let next: Vec<f64> = at
                    .iter()
                    .zip(offset)
                    .map(|(x, o)| (x + o).clamp(-1.0, 1.0))
                    .collect();
                let found = self.value(&next);
                if found > value {
                    (value, at) = (found, next);
                }
            }
        }
        (at, value)
    }
}

/// Regret after each round.
fn run(target: &Target, method: &str, options: &str, seed: u64) -> Result<Vec<f64>, Failure> {
    let norm = target.norm.to_string();
    let mut words: Vec<String> = options
        .split_terminator(',')
        .map(|o| o.replace('B', &norm))
        .collect();
    if method == "neuralbo-theory" {
        words.extend([
            format!("width={WIDTH}"),
            format!("horizon={ROUNDS}"),
            format!("noise={NOISE}"),
            format!("alpha={ALPHA}"),
        ]);
    }
    let space = Space::from_bounds(&[(-1.0, 1.0); DIM])?;
    let mut strategy =
        neuralbo_paper::registry().build(method, &space, seed, &Options::parse(words)?)?;
    let (mut history, pending) = (History::new(DIM), Points::new(DIM));
    let mut noise = Streams::new(seed).stream(0, Purpose::Noise);
    let mut truths = Vec::new();
    for number in 0..ROUNDS as u64 {
        let request = Request {
            history: &history,
            pending: &pending,
            number,
            count: 1,
            cancel: None,
        };
        let row = strategy.suggest(&request)?.remove(0).row;
        let truth = target.value(&row);
        truths.push(truth);
        history.push_observed(&row, truth + NOISE * noise.sample::<f64, _>(StandardNormal));
    }
    Ok(cumulative_regret(target.best.1, &truths))
}

/// Information gains of grid points that are chosen one by one, each with the largest variance given those before: at least
/// 1 − 1/e of the largest gain of as many grid points.
fn greedy_gains() -> Result<Vec<f64>, Failure> {
    let rows = with_constant(grid());
    let matrix = kernel(&rows);
    let count = rows.len();
    let mut variances: Vec<f64> = (0..count).map(|i| matrix[(i, i)]).collect();
    let (mut columns, mut gain, mut gains) = (Vec::<Vec<f64>>::new(), 0.0, Vec::new());
    for _ in 0..ROUNDS {
        let largest = (0..count).max_by(|a, b| variances[*a].total_cmp(&variances[*b]));
        let chosen = largest.ok_or("no grid point")?;
        gain += 0.5 * (variances[chosen] / LAMBDA).ln_1p();
        gains.push(gain);
        let root = (variances[chosen] + LAMBDA).sqrt();
        let left = |i: usize| {
            let known: f64 = columns
                .iter()
                .map(|column| column[i] * column[chosen])
                .sum();
            (matrix[(i, chosen)] - known) / root
        };
        let column: Vec<f64> = (0..count).map(left).collect();
        variances
            .iter_mut()
            .zip(&column)
            .for_each(|(v, c)| *v -= c * c);
        columns.push(column);
    }
    Ok(gains)
}

fn bound(norm_bound: f64, rounds: usize, information_gain: f64) -> Result<f64, Failure> {
    let norms = (1.0, ((DIM + 1) as f64).sqrt());
    let bound = RegretBound {
        norm_bound,
        noise: NOISE,
        alpha: ALPHA,
        lambda: LAMBDA,
        layers: LAYERS,
        rounds,
        information_gain,
        log_discretization: log_discretization_size(
            norms.1 - norms.0,
            norm_bound,
            1.0,
            rounds,
            DIM,
        ),
        input_norms: norms,
        constants: (1.0, 1.0),
    };
    Ok(bound.value()?)
}

fn figure(curves: &[(&str, Vec<f64>)], norm: f64) -> String {
    let [x, y] = ["round T", "regret R_T"].map(PlotAxis::log);
    let series = |label: &str, values: &dyn Fn(usize) -> f64| {
        let points = (EVERY..=ROUNDS)
            .step_by(EVERY)
            .map(|round| (round as f64, values(round)));
        PlotSeries::line(label, points.collect())
    };
    let measured = |(label, values): &(&str, Vec<f64>)| series(label, &|round| values[round - 1]);
    let start = curves[0].1[EVERY - 1] / (EVERY as f64).sqrt();
    let root = series("√T", &|round| start * (round as f64).sqrt());
    let all = curves.iter().map(measured).chain([root]);
    let panel = Panel::new("Regret on functions of the kernel's space", x, y, all);
    let note = format!(
        "Mean of {FUNCTIONS} functions in {DIM} dimensions, mean norm B = {norm:.1}, noise sd {NOISE}, width {WIDTH}, T = {ROUNDS}."
    );
    Figure::new("Regret of neuralbo-theory", [panel], note).to_svg()
}
