//! What a suggestion costs in large finite spaces, and what methods find there.
//!
//! ```sh
//! cargo run --release -p neuralbo-lab --example finite_bench -- --space choice --methods neuralbo,gp-ei
//! cargo run --release -p neuralbo-lab --example finite_bench -- --space pool --runs 1-10 --data ../shared/data
//! ```
//!
//! Spaces: `choice` (one choice of 10,000 values, a tenth of them good), `mixed` (the same and two floats), `pool` (17,021 documents of
//! 500 word counts, Figure 4's search for a target from ten documents). A line of CSV for every method and run: the best reward,
//! and the mean and the largest time of a suggestion.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use neuralbo::linalg::{Points, Purpose, Streams};
use neuralbo::space::{Domain, Parameter, Space, Value};
use neuralbo::strategy::presets::Options;
use neuralbo::strategy::{History, Request};
use neuralbo_lab::experiment::seed_of;
use neuralbo_lab::problems::retrieval::{Corpus, TERMS, TargetSearch, TermWeights, Terms};

type Failure = Box<dyn Error + Send + Sync>;

/// Values of the large choice.
const VALUES: usize = 10_000;
/// Documents shown before a search begins.
const SHOWN: usize = 10;

/// The value of a row of a space.
type Reward = Box<dyn Fn(&Space, &[f64]) -> f64>;

/// A space, the rows shown before the search and the reward of a row.
struct Task {
    space: Space,
    shown: Vec<Vec<f64>>,
    reward: Reward,
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
    let (kind, trials) = (text("space", "choice"), text("trials", "50").parse()?);
    let runs = text("runs", "1-1");
    let (first, last) = runs.split_once('-').unwrap_or((&runs, &runs));
    let pool = if kind == "pool" {
        Some(documents(Path::new(&text("data", "../shared/data")))?)
    } else {
        None
    };
    println!("space,method,run,best,mean_ms,largest_ms");
    for run in first.parse::<u32>()?..=last.parse()? {
        let task = match &pool {
            Some((corpus, terms)) => retrieval(corpus, terms, run)?,
            None => choice(kind == "mixed")?,
        };
        for method in text("methods", "neuralbo").split(',') {
            let (best, mean, largest) = search(&task, method, run, trials)?;
            println!("{kind},{method},{run},{best:.4},{mean:.1},{largest:.1}");
        }
    }
    Ok(())
}

fn documents(data: &Path) -> Result<(Corpus, Terms), Failure> {
    let corpus = Corpus::read(data)?;
    let terms = Terms::new(&corpus, TermWeights::Counts, TERMS);
    Ok((corpus, terms))
}

/// The search of Figure 4 in one run, as the lab has it.
fn retrieval(corpus: &Corpus, terms: &Terms, run: u32) -> Result<Task, Failure> {
    let seed = seed_of(&["retrieval"], run);
    let search = TargetSearch::new(corpus, seed);
    let space = Space::from_pool(search.pool(terms))?;
    let mut rng = Streams::new(seed).indexed(0, Purpose::Design, 1);
    let shown = rand::seq::index::sample(&mut rng, search.len(), SHOWN);
    let rows: Vec<Vec<f64>> = shown
        .iter()
        .filter_map(|i| space.nth_row(i as u128))
        .collect();
    let reward = move |space: &Space, row: &[f64]| match space.decode(row).values() {
        [Some(Value::Int(index))] => search.score(*index as usize).unwrap_or(f64::NAN),
        _ => f64::NAN,
    };
    Ok(Task {
        space,
        shown: rows,
        reward: Box::new(reward),
    })
}

/// Values in no order: the reward is a hash of the value, with two floats less their distance from a place.
fn choice(with_floats: bool) -> Result<Task, Failure> {
    let choices = (0..VALUES)
        .map(|i| Value::Text(format!("value-{i}")))
        .collect();
    let mut parameters = vec![Parameter::new("c", Domain::Choice { choices })?];
    if with_floats {
        parameters.extend([
            "x=float(0,1)".parse::<Parameter>()?,
            "y=float(0,1)".parse()?,
        ]);
    }
    let reward = |space: &Space, row: &[f64]| {
        let point = space.decode(row);
        let hash = format!("{:?}", point.values()[0])
            .bytes()
            .fold(17_u64, |h, b| {
                (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
            });
        let floats: f64 = point.values()[1..]
            .iter()
            .flatten()
            .filter_map(Value::as_f64)
            .map(|x| (x - 0.7).powi(2))
            .sum();
        (hash >> 20) as f64 % 1000.0 / 1000.0 - floats
    };
    Ok(Task {
        space: Space::new(parameters)?,
        shown: Vec::new(),
        reward: Box::new(reward),
    })
}

/// The best reward of a run, and the mean and the largest milliseconds of a suggestion.
fn search(task: &Task, method: &str, run: u32, trials: usize) -> Result<(f64, f64, f64), Failure> {
    let told = !task.shown.is_empty() && !matches!(method, "random" | "sobol" | "cma-es");
    let options = if told {
        Options::parse([format!("initial={SHOWN}")])?
    } else {
        Options::new()
    };
    let mut strategy =
        neuralbo_paper::registry().build(method, &task.space, u64::from(run), &options)?;
    let dim = task.space.encoded_dim();
    let (mut history, pending) = (History::new(dim), Points::new(dim));
    task.shown
        .iter()
        .for_each(|row| history.push_observed(row, (task.reward)(&task.space, row)));
    let mut times = Vec::new();
    for _ in 0..trials {
        let started = Instant::now();
        let request = Request {
            history: &history,
            pending: &pending,
            number: history.len() as u64,
            count: 1,
            cancel: None,
        };
        let row = strategy.suggest(&request)?.remove(0).row;
        times.push(1e3 * started.elapsed().as_secs_f64());
        let reward = (task.reward)(&task.space, &row);
        history.push_observed(&row, reward);
    }
    let best = history
        .observed()
        .rewards()
        .iter()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    Ok((
        best,
        times.iter().sum::<f64>() / times.len() as f64,
        times.iter().copied().fold(0.0, f64::max),
    ))
}
