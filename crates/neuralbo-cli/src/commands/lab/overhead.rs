//! `neuralbo lab overhead`: what a suggestion costs.

use std::time::Instant;

use clap::Args;
use neuralbo::acquisition::maximize::random_row;
use neuralbo::linalg::{Points, Purpose, Streams};
use neuralbo::space::Space;
use neuralbo::strategy::presets::{DEFAULT_METHOD, Options};
use neuralbo::strategy::{History, Request, Strategy, Suggestion};
use neuralbo_lab::Problem;
use neuralbo_lab::problems::{LEVY, TestFunction};
use serde::{Deserialize, Serialize};

use crate::commands::print;
use crate::invocation;
use crate::output::{CommandError, EXIT_OK, OrCommandError};
use crate::platform::{Platform, System};
use crate::table::TextTable;

const EXAMPLE: &str = "\
Each number of observations is measured in a process of its own: uniform points of the Levy function are told, one suggestion
warms up, and every further one is asked for after a new observation.

Example:
  neuralbo lab overhead --method neuralbo-paper --dim 14 --at 750,1000,6000";

/// The command.
const NAME: &str = "lab overhead";
/// Seed of the points that are told; the method has its own.
const DATA_SEED: u64 = 0x5eed;

/// Measure the time and the memory of a suggestion.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct OverheadCommand {
    /// The method to measure
    #[arg(long, value_name = "NAME", default_value = DEFAULT_METHOD)]
    method: String,
    /// An option of the method; may be repeated
    #[arg(long = "option", value_name = "KEY=VALUE")]
    options: Vec<String>,
    /// Number of coordinates
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    dim: u64,
    /// Numbers of observations, separated by commas
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', required = true, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    at: Vec<u64>,
    /// Suggestions timed at each number of observations
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    repeats: u64,
    /// Threads of the method [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Measure in this process
    #[arg(long, hide = true)]
    inner: bool,
}

/// What was measured at one number of observations.
#[derive(Debug, Serialize, Deserialize)]
struct Measurement {
    observations: u64,
    /// Median, shortest and longest time of a suggestion, in milliseconds.
    median_ms: f64,
    least_ms: f64,
    most_ms: f64,
    /// Median processor time of a suggestion over all threads, less affected by other load.
    cpu_ms: f64,
    /// Resident set at the end and its highest value, in KiB; `None` where the system does not tell.
    resident_kib: Option<u64>,
    peak_kib: Option<u64>,
    /// Where the last suggestion came from.
    origin: String,
}

#[derive(Serialize)]
struct OverheadReport<'a> {
    method: &'a str,
    options: &'a [String],
    dim: u64,
    repeats: u64,
    measurements: Vec<Measurement>,
}

impl OverheadCommand {
    /// Measures and prints.
    pub fn execute(self) -> Result<u8, CommandError> {
        if self.inner {
            let measurement = self.measure(self.at[0])?;
            print(&(to_json(&measurement)? + "\n"))?;
            return Ok(EXIT_OK);
        }
        self.strategy(&self.space()?)?;
        let measurements: Vec<Measurement> = self
            .at
            .iter()
            .map(|&count| self.in_child(count))
            .collect::<Result<_, _>>()?;
        let report = OverheadReport {
            method: &self.method,
            options: &self.options,
            dim: self.dim,
            repeats: self.repeats,
            measurements,
        };
        print(&if self.json {
            to_json(&report)? + "\n"
        } else {
            table(&report)
        })?;
        Ok(EXIT_OK)
    }

    /// The measurement at `count` observations by a process of its own, so that sizes do not mix.
    fn in_child(&self, count: u64) -> Result<Measurement, CommandError> {
        let mut child = invocation::command().or_failure(NAME)?;
        child.args(["lab", "overhead", "--inner", "--method", &self.method]);
        let numbers = [
            ("dim", Some(self.dim)),
            ("at", Some(count)),
            ("repeats", Some(self.repeats)),
            ("threads", self.threads),
        ];
        let given = numbers
            .iter()
            .filter_map(|(key, number)| Some((key, (*number)?)));
        child.args(given.map(|(key, number)| format!("--{key}={number}")));
        child.args(
            self.options
                .iter()
                .map(|option| format!("--option={option}")),
        );
        let output = child.output().or_failure(NAME)?;
        if !output.status.success() {
            return Err(CommandError::Failure(
                String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            ));
        }
        serde_json::from_slice(&output.stdout).or_failure(NAME)
    }

    fn space(&self) -> Result<Space, CommandError> {
        Space::from_bounds(&LEVY.of(self.dim as usize).bounds()).or_usage("--dim")
    }

    fn strategy(&self, space: &Space) -> Result<Box<dyn Strategy>, CommandError> {
        let options = Options::parse(&self.options).or_usage("--option")?;
        neuralbo_paper::registry()
            .build(&self.method, space, 1, &options)
            .or_usage("--method")
    }

    fn measure(&self, count: u64) -> Result<Measurement, CommandError> {
        if let Some(threads) = self.threads {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads as usize)
                .build_global();
            pool.or_failure("--threads")?;
        }
        let space = self.space()?;
        let mut bench = Bench {
            strategy: self.strategy(&space)?,
            levy: LEVY.of(self.dim as usize),
            history: told(&space, count),
            space,
        };
        let mut last = bench.suggest()?;
        let (mut times, mut cpu) = (Vec::new(), Vec::new());
        for _ in 0..self.repeats {
            bench.observe(&last.row);
            let (start, processor) = (Instant::now(), processor_ms());
            last = bench.suggest()?;
            times.push(1e3 * start.elapsed().as_secs_f64());
            cpu.push(processor_ms() - processor);
        }
        times.sort_by(f64::total_cmp);
        cpu.sort_by(f64::total_cmp);
        Ok(Measurement {
            observations: count,
            median_ms: times[times.len() / 2],
            least_ms: times[0],
            most_ms: times[times.len() - 1],
            cpu_ms: cpu[cpu.len() / 2],
            resident_kib: status("VmRSS:"),
            peak_kib: status("VmHWM:"),
            origin: last.origin.to_string(),
        })
    }
}

/// A strategy and what it has been told.
struct Bench {
    strategy: Box<dyn Strategy>,
    levy: TestFunction,
    history: History,
    space: Space,
}

impl Bench {
    fn suggest(&mut self) -> Result<Suggestion, CommandError> {
        let pending = Points::new(self.space.encoded_dim());
        // Numbers past every initial design, so that the model is always asked.
        let number = self.history.len() as u64 + u64::from(u32::MAX);
        let request = Request {
            history: &self.history,
            pending: &pending,
            number,
            count: 1,
            cancel: None,
        };
        let mut found = self.strategy.suggest(&request).or_failure(NAME)?;
        found
            .pop()
            .ok_or("no suggestion came back")
            .or_failure(NAME)
    }

    fn observe(&mut self, row: &[f64]) {
        let value = self.levy.value(&coordinates(row));
        self.history.push_observed(row, -value);
    }
}

/// From [−1, 1] to the box of the Levy function.
fn coordinates(row: &[f64]) -> Vec<f64> {
    row.iter().map(|x| 10.0 * x).collect()
}

fn told(space: &Space, count: u64) -> History {
    let (mut history, levy) = (
        History::new(space.encoded_dim()),
        LEVY.of(space.encoded_dim()),
    );
    for i in 0..count {
        let row = random_row(
            space,
            &mut Streams::new(DATA_SEED).stream(i, Purpose::Design),
        );
        history.push_observed(&row, -levy.value(&coordinates(&row)));
    }
    history
}

/// Processor time of this process so far, in milliseconds.
fn processor_ms() -> f64 {
    System::processor_time().map_or(f64::NAN, |time| 1e3 * time.as_secs_f64())
}

/// A field of this process's status, in KiB.
fn status(field: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    text.lines()
        .find_map(|line| line.strip_prefix(field))?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}

fn to_json(value: &impl Serialize) -> Result<String, CommandError> {
    serde_json::to_string(value).or_failure("--json")
}

fn table(report: &OverheadReport<'_>) -> String {
    let mib = |kib: Option<u64>| kib.map_or("-".to_owned(), |kib| tenth(kib as f64 / 1024.0));
    let header = "observations,median ms,longest ms,CPU ms,resident MiB,peak MiB,origin";
    let mut table = TextTable::new(header.split(',')).right(0..6);
    for m in &report.measurements {
        table.row([
            m.observations.to_string(),
            tenth(m.median_ms),
            tenth(m.most_ms),
            tenth(m.cpu_ms),
            mib(m.resident_kib),
            mib(m.peak_kib),
            m.origin.clone(),
        ]);
    }
    let OverheadReport {
        method,
        dim,
        repeats,
        ..
    } = report;
    format!("{method}, {dim} coordinates, median of {repeats} suggestions\n") + &table.text(&[])
}

/// One decimal.
fn tenth(value: f64) -> String {
    format!("{value:.1}")
}
