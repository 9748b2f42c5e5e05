//! One method on noisy functions with shared random starts: a line of CSV for every run.
//!
//! ```sh
//! cargo run --release -p neuralbo-lab --example noisy_bench -- --problems ackley-10,levy-10 --runs 1-20
//! ```
//!
//! Options: `--method NAME`, `--problems LIST`, `--runs A-B`, `--initial POINTS` (shared uniform points), `--at LIST` (numbers
//! of evaluations at which the best value is printed; the last one ends the run),
//! `--noise SHARE` and `--of range|sd` (standard deviation of the noise, as a share of the range or the standard deviation of the
//! function's values over the box), `--batch Q`. With `--starts FILE` nothing is run: the shared points, their true and observed
//! values and the noise's standard deviation are written to the file, for `scripts/synthetic_peers.py`.
//!
//! `best` is the best true value that was evaluated; `z` the mean of (observed − predicted)/sd and `inside90` the share inside the
//! 90 % intervals; `recommended` the true value at the recommended point and `recommended_z` its error in predicted standard deviations.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::time::Instant;

use neuralbo::linalg::{Points, Purpose, Streams};
use neuralbo::space::Space;
use neuralbo::strategy::presets::Options;
use neuralbo::strategy::{History, Request};
use neuralbo_lab::Problem;
use neuralbo_lab::problems::by_name;
use neuralbo_lab::problems::wrappers::{Noisy, range, spread};
use rand::RngExt;
use rayon::prelude::*;

/// Random points over which the spread of a function is taken.
const SPREAD_POINTS: usize = 10_000;
/// Half width of a central 90 % interval in standard deviations.
const NINETY: f64 = 1.645;

type Failure = Box<dyn Error + Send + Sync>;

struct Bench {
    method: String,
    initial: usize,
    at: Vec<usize>,
    batch: usize,
    noise: f64,
    of_range: bool,
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given: BTreeMap<&str, &str> = arguments
        .chunks(2)
        .filter_map(|pair| Some((pair[0].strip_prefix("--")?, pair.get(1)?.as_str())))
        .collect();
    let text = |key: &str, default: &'static str| {
        given
            .get(key)
            .map_or(default.to_owned(), |text| (*text).to_owned())
    };
    let bench = Bench {
        method: text("method", "neuralbo"),
        initial: text("initial", "20").parse()?,
        at: text("at", "200")
            .split(',')
            .map(str::parse)
            .collect::<Result<_, _>>()?,
        batch: text("batch", "1").parse()?,
        noise: text("noise", "0.01").parse()?,
        of_range: text("of", "range") == "range",
    };
    let runs = text("runs", "1-8");
    let (first, last) = runs.split_once('-').unwrap_or((&runs, &runs));
    let (first, last): (u64, u64) = (first.parse()?, last.parse()?);
    let problems = text("problems", "ackley-10,levy-10,michalewicz-10");
    let tasks: Vec<(&str, u64)> = (first..=last)
        .flat_map(|run| problems.split(',').map(move |name| (name, run)))
        .collect();
    if let Some(file) = given.get("starts") {
        let lines = tasks
            .into_iter()
            .map(|(name, run)| bench.starts(name, run))
            .collect::<Result<String, _>>()?;
        return Ok(std::fs::write(
            file,
            format!("problem,run,index,sd,value,observed,x\n{lines}"),
        )?);
    }
    let best: Vec<String> = bench.at.iter().map(|at| format!("best_{at}")).collect();
    println!(
        "method,problem,run,{},z,inside90,recommended,recommended_z,ms",
        best.join(",")
    );
    tasks
        .into_iter()
        .par_bridge()
        .try_for_each(|(name, run)| bench.line(name, run).map(|line| println!("{line}")))
}

fn width((low, high): (f64, f64)) -> f64 {
    high - low
}

/// The point of the box at encoded coordinates in [−1, 1].
fn decoded(row: &[f64], bounds: &[(f64, f64)]) -> Vec<f64> {
    row.iter()
        .zip(bounds)
        .map(|(u, (l, h))| l + (h - l) * (u + 1.0) / 2.0)
        .collect()
}

impl Bench {
    /// The problem with the noise of a run.
    fn noisy(&self, name: &str, run: u64) -> Result<Noisy<Box<dyn Problem>>, Failure> {
        let problem = by_name(name, None)?;
        let sd = self.noise
            * if self.of_range {
                width(range(&problem))
            } else {
                spread(&problem, SPREAD_POINTS, 1).sd
            };
        Ok(Noisy::new(problem, sd, run)?)
    }

    /// The encoded points that every method starts with.
    fn shared(&self, dim: usize, run: u64) -> Vec<Vec<f64>> {
        let mut design = Streams::new(run).stream(0, Purpose::Design);
        (0..self.initial)
            .map(|_| (0..dim).map(|_| design.random_range(-1.0..=1.0)).collect())
            .collect()
    }

    fn starts(&self, name: &str, run: u64) -> Result<String, Failure> {
        let problem = self.noisy(name, run)?;
        let (bounds, mut lines) = (problem.bounds(), String::new());
        for (index, row) in self.shared(problem.dim(), run).iter().enumerate() {
            let x = decoded(row, &bounds);
            let place = x.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
            let (sd, value, observed) = (
                problem.sd(),
                problem.value(&x),
                problem.observe(&x, index as u64),
            );
            writeln!(
                lines,
                "{name},{run},{index},{sd},{value},{observed},{place}"
            )?;
        }
        Ok(lines)
    }

    fn line(&self, name: &str, run: u64) -> Result<String, Failure> {
        let problem = self.noisy(name, run)?;
        let (bounds, dim) = (problem.bounds(), problem.dim());
        let space = Space::from_bounds(&bounds)?;
        let mut options = Options::new();
        if self.method != "random" {
            options = Options::parse([format!("initial={}", self.initial).as_str()])?;
        }
        let mut strategy = neuralbo_paper::registry().build(&self.method, &space, run, &options)?;
        let at = |row: &[f64]| decoded(row, &bounds);
        let (mut history, pending) = (History::new(dim), Points::new(dim));
        let (mut values, mut errors, mut seconds) = (Vec::new(), Vec::new(), 0.0);
        let evals = self.at.iter().copied().max().unwrap_or(0);
        for (index, row) in self.shared(dim, run).iter().enumerate() {
            values.push(problem.value(&at(row)));
            history.push_observed(row, -problem.observe(&at(row), index as u64));
        }
        while history.len() < evals {
            let started = Instant::now();
            let count = self.batch.min(evals - history.len());
            let request = Request {
                history: &history,
                pending: &pending,
                number: history.len() as u64,
                count,
                cancel: None,
            };
            let suggestions = strategy.suggest(&request)?;
            seconds += started.elapsed().as_secs_f64();
            for suggestion in suggestions {
                let x = at(&suggestion.row);
                values.push(problem.value(&x));
                let reward = -problem.observe(&x, history.len() as u64);
                if let (Some(mean), Some(sd)) = (suggestion.mean, suggestion.sd) {
                    errors.push((reward - mean) / sd.max(f64::MIN_POSITIVE));
                }
                history.push_observed(&suggestion.row, reward);
            }
        }
        let count = errors.len().max(1) as f64;
        let z = errors.iter().sum::<f64>() / count;
        let inside = errors.iter().filter(|error| error.abs() <= NINETY).count() as f64 / count;
        let safest = strategy
            .local_model(&history)
            .ok()
            .and_then(|model| model.safest(history.observed().rows()));
        let (recommended, recommended_z) = safest.map_or((f64::NAN, f64::NAN), |(i, mean, sd)| {
            let truth = problem.value(&at(history.observed().rows().row(i)));
            (truth, (-truth - mean) / sd.max(f64::MIN_POSITIVE))
        });
        let ms = 1e3 * seconds / (evals - self.initial).max(1) as f64;
        let best = |evals: &usize| {
            format!(
                "{:.4}",
                values
                    .iter()
                    .take(*evals)
                    .copied()
                    .fold(f64::INFINITY, f64::min)
            )
        };
        let (method, best) = (
            &self.method,
            self.at.iter().map(best).collect::<Vec<_>>().join(","),
        );
        Ok(format!(
            "{method},{name},{run},{best},{z:.3},{inside:.3},{recommended:.4},{recommended_z:.3},{ms:.2}"
        ))
    }
}
