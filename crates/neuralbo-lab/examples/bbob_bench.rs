//! One method on BBOB, as quickly as the cores allow: a line of CSV for every run.
//!
//! ```sh
//! cargo run --release -p neuralbo-lab --example bbob_bench -- --dims 2,5 --instances 1-5 > runs.csv
//! python3 scripts/bbob_table.py runs.csv
//! ```
//!
//! Options: `--method NAME`, `--dims LIST`, `--functions A-B`, `--instances A-B`, `--budget PER_DIM`, `--batch Q` (synchronous
//! batches), `--noise SHARE` (standard deviation, as a share of the median absolute deviation of the function's values over the
//! box), `--seed N`. A line is printed when its run ends.

use std::collections::BTreeMap;
use std::error::Error;
use std::ops::RangeInclusive;
use std::time::Instant;

use neuralbo::linalg::{Points, Purpose, Streams};
use neuralbo::space::Space;
use neuralbo::strategy::presets::Options;
use neuralbo::strategy::{History, Request};
use neuralbo_lab::Problem;
use neuralbo_lab::problems::bbob::Bbob;
use neuralbo_lab::problems::bbob::score::{Trace, score};
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

/// Evaluations per dimension at which the best gap is printed.
const CHECKPOINTS: [f64; 8] = [0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 100.0];
/// Random points over which the spread of a function is taken.
const SPREAD_POINTS: usize = 1001;

type Failure = Box<dyn Error + Send + Sync>;

struct Bench {
    method: String,
    budget: usize,
    batch: usize,
    noise: f64,
    seed: u64,
}

/// Function, instance and dimension.
type Task = (u32, u32, usize);

/// What a run is reported by.
struct Outcome {
    trace: Trace,
    gaps: Vec<f64>,
    inside: usize,
    predicted: usize,
    seconds: f64,
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
        budget: text("budget", "20").parse()?,
        batch: text("batch", "1").parse()?,
        noise: text("noise", "0").parse()?,
        seed: text("seed", "0").parse()?,
    };
    let dims: Vec<usize> = text("dims", "2,3,5,10")
        .split(',')
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let (functions, instances) = (
        range(&text("functions", "1-24"))?,
        range(&text("instances", "1-5"))?,
    );
    let mut tasks: Vec<Task> = Vec::new();
    for &dim in &dims {
        tasks.extend(
            functions
                .clone()
                .flat_map(|f| instances.clone().map(move |i| (f, i, dim))),
        );
    }
    // The longest first, so that no core is left with one of them at the end, and one instance after the other.
    tasks.sort_by_key(|task| (std::cmp::Reverse(task.2), task.1));
    let checkpoints: Vec<String> = CHECKPOINTS.iter().map(|at| format!("gap_{at}")).collect();
    println!(
        "method,dim,function,instance,area,{},inside90,predicted,ms",
        checkpoints.join(",")
    );
    tasks
        .into_iter()
        .par_bridge()
        .try_for_each(|task| line(&bench, task).map(|line| println!("{line}")))
}

fn range(text: &str) -> Result<RangeInclusive<u32>, std::num::ParseIntError> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Ok(first.parse()?..=last.parse()?)
}

fn line(bench: &Bench, task: Task) -> Result<String, Failure> {
    let (function, instance, dim) = task;
    let outcome = bench.run(&Bbob::new(function, instance, dim)?)?;
    let area = score(std::slice::from_ref(&outcome.trace)).map_or(0.0, |score| score.auc);
    let at = |per_dim: &f64| match (per_dim * dim as f64).ceil() as usize {
        evaluation if evaluation <= outcome.gaps.len() => {
            format!("{:.3e}", outcome.gaps[evaluation - 1])
        }
        _ => String::new(),
    };
    let gaps: Vec<String> = CHECKPOINTS.iter().map(at).collect();
    let ms = 1e3 * outcome.seconds / outcome.gaps.len() as f64;
    let (method, gaps) = (&bench.method, gaps.join(","));
    Ok(format!(
        "{method},{dim},{function},{instance},{area:.5},{gaps},{},{},{ms:.2}",
        outcome.inside, outcome.predicted
    ))
}

impl Bench {
    fn run(&self, problem: &Bbob) -> Result<Outcome, Failure> {
        let (dim, space) = (problem.dim(), Space::from_bounds(&problem.bounds())?);
        let seed = u64::from(problem.function() * 1000 + problem.instance()) + (self.seed << 32);
        let mut strategy =
            neuralbo_paper::registry().build(&self.method, &space, seed, &Options::new())?;
        let noise = Streams::new(seed.wrapping_add(1));
        let noise_sd = self.noise
            * if self.noise > 0.0 {
                deviation(problem)
            } else {
                0.0
            };
        let (mut history, pending) = (History::new(dim), Points::new(dim));
        let mut outcome = Outcome {
            trace: Trace::new(dim),
            gaps: Vec::new(),
            inside: 0,
            predicted: 0,
            seconds: 0.0,
        };
        while history.len() < self.budget * dim {
            let count = self.batch.min(self.budget * dim - history.len());
            let started = Instant::now();
            let request = Request {
                history: &history,
                pending: &pending,
                number: history.len() as u64,
                count,
                cancel: None,
            };
            let suggestions = strategy.suggest(&request)?;
            outcome.seconds += started.elapsed().as_secs_f64();
            for suggestion in suggestions {
                let x: Vec<f64> = suggestion.row.iter().map(|u| 5.0 * u).collect();
                let index = history.len() as u64;
                let normal: f64 = noise.stream(index, Purpose::Noise).sample(StandardNormal);
                let reward = -problem.value(&x) + noise_sd * normal;
                if let (Some(mean), Some(sd)) = (suggestion.mean, suggestion.sd) {
                    outcome.predicted += 1;
                    outcome.inside += usize::from((reward - mean).abs() <= 1.645 * sd);
                }
                history.push_observed(&suggestion.row, reward);
                outcome.trace.record(index + 1, problem.gap(&x));
                outcome.gaps.push(
                    problem
                        .gap(&x)
                        .min(outcome.gaps.last().copied().unwrap_or(f64::INFINITY)),
                );
            }
        }
        Ok(outcome)
    }
}

/// The median absolute deviation of the function's values over the box.
fn deviation(problem: &Bbob) -> f64 {
    let mut rng = Streams::new(1).stream(0, Purpose::Design);
    let mut value = || {
        problem.value(
            &(0..problem.dim())
                .map(|_| rng.random_range(-5.0..=5.0))
                .collect::<Vec<f64>>(),
        )
    };
    let values: Vec<f64> = (0..SPREAD_POINTS).map(|_| value()).collect();
    let center = median(values.clone());
    median(values.iter().map(|value| (value - center).abs()).collect())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
