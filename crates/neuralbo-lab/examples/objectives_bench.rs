//! One method on problems of several objectives, as quickly as the cores allow: a line of CSV for every run.
//!
//! ```sh
//! cargo run --release -p neuralbo-lab --example objectives_bench -- --problems bbob,zdt,dtlz --dims 2,5 --seeds 1-3 > runs.csv
//! ```
//!
//! Problems: pairs of our own BBOB functions (the ten of COCO's bi-objective suite), measured as COCO does, from the nadir (the
//! value of each at the optimum of the other) in units of the distance to the ideal; ZDT1-3 (2 objectives, 6 parameters) and DTLZ2 and
//! DTLZ7 (3 objectives, 6 parameters), measured from 11 (ZDT) and 1.1 or, for DTLZ7, 15. Options: `--method NAME`, `--problems LIST`, `--dims LIST`
//! (BBOB), `--seeds A-B`, `--budget PER_DIM`, `--batch Q`.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use neuralbo::linalg::{Points, Streams};
use neuralbo::pareto;
use neuralbo::space::Space;
use neuralbo::strategy::presets::Options;
use neuralbo::strategy::{Goals, History, Request, Setup};
use neuralbo_lab::Problem;
use neuralbo_lab::problems::bbob::Bbob;
use rayon::prelude::*;

type Failure = Box<dyn Error + Send + Sync>;
type Values = Box<dyn Fn(&[f64]) -> Vec<f64> + Send + Sync>;

/// The functions of COCO's bi-objective suite.
const PAIRED: [u32; 10] = [1, 2, 6, 8, 13, 14, 15, 17, 20, 21];
/// Parameters of ZDT and DTLZ.
const DIM: usize = 6;

/// Values to be minimized over `[0, 1]^dim`, the reference point and, where it is known, what an ideal front reaches.
struct Task {
    name: String,
    dim: usize,
    values: Values,
    reference: Vec<f64>,
    seed: u64,
}

struct Bench {
    method: String,
    budget: usize,
    batch: usize,
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
    };
    let dims: Vec<usize> = text("dims", "2,3,5,10")
        .split(',')
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let seeds = text("seeds", "1-2");
    let (first, last) = seeds.split_once('-').unwrap_or((&seeds, &seeds));
    let mut tasks = Vec::new();
    for seed in first.parse::<u64>()?..=last.parse()? {
        for problem in text("problems", "bbob,zdt,dtlz").split(',') {
            match problem {
                "bbob" => dims
                    .iter()
                    .try_for_each(|dim| pairs(*dim, seed, &mut tasks))?,
                "zdt" => (1..=3).for_each(|which| tasks.push(zdt(which, seed))),
                "dtlz" => [2, 7]
                    .into_iter()
                    .for_each(|which| tasks.push(dtlz(which, seed))),
                other => {
                    return Err(
                        format!("problem `{other}` is unknown; there are bbob, zdt, dtlz").into(),
                    );
                }
            }
        }
    }
    println!("method,problem,dim,seed,hypervolume,halfway,ms");
    let lines: Vec<String> = tasks
        .par_iter()
        .with_max_len(1)
        .map(|task| bench.run(task))
        .collect::<Result<_, _>>()?;
    lines.iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// Every pair of different functions once a few seeds: ten of the 45 for each seed.
fn pairs(dim: usize, seed: u64, tasks: &mut Vec<Task>) -> Result<(), Failure> {
    let all =
        (0..PAIRED.len()).flat_map(|i| (i..PAIRED.len()).map(move |j| (PAIRED[i], PAIRED[j])));
    for (f, g) in all.skip(seed as usize % 5).step_by(5) {
        let (a, b) = (
            Bbob::new(f, 2 * seed as u32 + 1, dim)?,
            Bbob::new(g, 2 * seed as u32 + 2, dim)?,
        );
        let at = |problem: &Bbob, of: &Bbob| {
            let best = problem.optimum().map(|optimum| optimum.at);
            best.map(|x| of.gap(&x)).ok_or("an optimum is not known")
        };
        let nadir = [at(&b, &a)?, at(&a, &b)?];
        let values = move |x: &[f64]| {
            let x: Vec<f64> = x.iter().map(|x| 10.0 * x - 5.0).collect();
            vec![a.gap(&x) / nadir[0], b.gap(&x) / nadir[1]]
        };
        tasks.push(Task {
            name: format!("bbob-{f}-{g}"),
            dim,
            values: Box::new(values),
            reference: vec![1.0; 2],
            seed,
        });
    }
    Ok(())
}

fn zdt(which: u32, seed: u64) -> Task {
    let values = move |x: &[f64]| {
        let g = 1.0 + 9.0 * x[1..].iter().sum::<f64>() / (x.len() - 1) as f64;
        let share = x[0] / g;
        let h = match which {
            1 => 1.0 - share.sqrt(),
            2 => 1.0 - share * share,
            _ => 1.0 - share.sqrt() - share * (10.0 * std::f64::consts::PI * x[0]).sin(),
        };
        vec![x[0], g * h]
    };
    Task {
        name: format!("zdt{which}"),
        dim: DIM,
        values: Box::new(values),
        reference: vec![1.1; 2],
        seed,
    }
}

fn dtlz(which: u32, seed: u64) -> Task {
    let values = move |x: &[f64]| {
        let tail: f64 = x[2..].iter().map(|x| (x - 0.5).powi(2)).sum();
        let half = std::f64::consts::FRAC_PI_2;
        if which == 2 {
            let (a, b) = ((half * x[0]), (half * x[1]));
            return vec![
                (1.0 + tail) * a.cos() * b.cos(),
                (1.0 + tail) * a.cos() * b.sin(),
                (1.0 + tail) * a.sin(),
            ];
        }
        let g = 1.0 + 9.0 * x[2..].iter().sum::<f64>() / (x.len() - 2) as f64;
        let h: f64 = 3.0
            - x[..2]
                .iter()
                .map(|f| f / (1.0 + g) * (1.0 + (3.0 * std::f64::consts::PI * f).sin()))
                .sum::<f64>();
        vec![x[0], x[1], (1.0 + g) * h]
    };
    let reference = if which == 2 {
        vec![1.1; 3]
    } else {
        vec![1.1, 1.1, 7.0]
    };
    Task {
        name: format!("dtlz{which}"),
        dim: DIM,
        values: Box::new(values),
        reference,
        seed,
    }
}

impl Bench {
    fn run(&self, task: &Task) -> Result<String, Failure> {
        let space = Arc::new(Space::from_bounds(&vec![(0.0, 1.0); task.dim])?);
        let goals = Goals::objectives(task.reference.len());
        let setup = Setup {
            goals: goals.clone(),
            ..Setup::new(space, Streams::new(task.seed))
        };
        let mut strategy =
            neuralbo_paper::registry().build_for(&self.method, &setup, &Options::new())?;
        let (mut history, pending) = (History::with_goals(task.dim, &goals), Points::new(task.dim));
        let budget = self.budget * task.dim;
        let started = Instant::now();
        while history.len() < budget {
            let count = self.batch.min(budget - history.len());
            let request = Request {
                history: &history,
                pending: &pending,
                number: history.len() as u64,
                count,
                cancel: None,
            };
            for suggestion in strategy.suggest(&request)? {
                let x: Vec<f64> = suggestion.row.iter().map(|u| 0.5 * (u + 1.0)).collect();
                let rewards: Vec<f64> = (task.values)(&x).into_iter().map(|value| -value).collect();
                history.push_measured(&suggestion.row, &rewards, &[]);
            }
        }
        let ms = 1e3 * started.elapsed().as_secs_f64() / budget as f64;
        let corner: Vec<f64> = task.reference.iter().map(|value| -value).collect();
        let rewards = history.rewards();
        let volumes = pareto::history(rewards.rows().map(Some), &corner);
        let (last, half) = (volumes[budget - 1], volumes[budget / 2 - 1]);
        Ok(format!(
            "{},{},{},{},{last:.5},{half:.5},{ms:.1}",
            self.method, task.name, task.dim, task.seed
        ))
    }
}
