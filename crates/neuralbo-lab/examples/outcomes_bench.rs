//! One method on the problems with outcome constraints: a line of CSV for every run.
//!
//! ```sh
//! cargo run --release -p neuralbo-lab --example outcomes_bench -- --problems g06,gramacy --seeds 1-10 > runs.csv
//! ```
//!
//! Options: `--method NAME`, `--problems LIST`, `--seeds A-B`, `--budget PER_DIM`. The columns are the method, the problem, its
//! dimension, the seed, the trial that was feasible first, the relative gaps of the best feasible value to the known one after 5,
//! 10, 20, 50 and 100 evaluations a dimension (`inf` while nothing is feasible), and the seconds spent on suggestions.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use neuralbo::record::{Definition, Direction, Outcome, Values};
use neuralbo::space::{Space, Value};
use neuralbo::study::Study;
use neuralbo_lab::Problem;
use neuralbo_lab::problems::{PROBLEMS, by_name};
use rayon::prelude::*;

/// Evaluations per dimension at which the gap is printed.
const CHECKPOINTS: [usize; 5] = [5, 10, 20, 50, 100];

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given: BTreeMap<&str, &str> =
        arguments.chunks(2).filter_map(|pair| Some((pair[0].strip_prefix("--")?, pair.get(1)?.as_str()))).collect();
    let text = |key: &str, default: &str| given.get(key).map_or(default.to_owned(), |text| (*text).to_owned());
    let all: Vec<&str> = PROBLEMS.iter().filter(|entry| entry.about == "outcome constraints").map(|entry| entry.name).collect();
    let (problems, seeds) = (text("problems", &all.join(",")), text("seeds", "1-10"));
    let (first, last) = seeds.split_once('-').ok_or("--seeds is A-B")?;
    let (method, budget) = (text("method", "neuralbo"), text("budget", "100").parse::<usize>()?);
    let seeds = first.parse::<u64>()?..=last.parse::<u64>()?;
    let runs: Vec<(&str, u64)> = problems.split(',').flat_map(|name| seeds.clone().map(move |seed| (name, seed))).collect();
    println!("method,problem,dim,seed,first_feasible,gap5,gap10,gap20,gap50,gap100,seconds");
    runs.par_iter().try_for_each(|&(name, seed)| {
        println!("{}", run(&method, name, seed, budget)?);
        Ok(())
    })
}

fn run(method: &str, name: &str, seed: u64, budget: usize) -> Result<String, Failure> {
    let problem = by_name(name, None)?;
    let best = problem.optimum().ok_or("the best value is not known")?.value;
    let space = Space::from_bounds(&problem.bounds())?;
    let constraints = problem.constraints();
    let definition =
        Definition { constraints, method: method.to_owned(), seed, ..Definition::new(space.clone(), Direction::Minimize) };
    let mut study = Study::new(definition)?;
    let (mut gaps, mut feasible, mut seconds) = (Vec::new(), None, 0.0);
    for trial in 0..budget * problem.dim() {
        let start = Instant::now();
        let asked = study.ask_one()?;
        seconds += start.elapsed().as_secs_f64();
        let params = asked.params.clone().ok_or("a trial without parameters")?;
        let x: Vec<f64> =
            space.parameters().iter().filter_map(|parameter| params.get(parameter.name()).and_then(Value::as_f64)).collect();
        study.tell(&asked, Outcome::Values(measured(&*problem, &x)))?;
        let gap = study.best()?.and_then(|best| best.values.get("value").copied()).map_or(f64::INFINITY, |value| {
            feasible = feasible.or(Some(trial));
            (value - best) / best.abs()
        });
        if CHECKPOINTS.contains(&((trial + 1) / problem.dim())) && (trial + 1).is_multiple_of(problem.dim()) {
            gaps.push(format!("{gap:.3e}"));
        }
    }
    gaps.resize(CHECKPOINTS.len(), String::new());
    let feasible = feasible.map_or(String::new(), |trial| trial.to_string());
    Ok(format!("{method},{name},{},{seed},{feasible},{},{seconds:.1}", problem.dim(), gaps.join(",")))
}

fn measured(problem: &dyn Problem, x: &[f64]) -> Values {
    let quantities = problem.constraints().into_iter().map(|constraint| constraint.name).zip(problem.measured(x));
    std::iter::once(("value".to_owned(), problem.value(x))).chain(quantities).collect()
}
