//! Runs fuzz targets: `cargo run -p neuralbo-fuzz -- --cases 1000000`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use neuralbo_fuzz::{Mutator, TARGETS, Target};

/// Run fuzz targets on mutations of valid inputs.
#[derive(Debug, Parser)]
struct Args {
    /// Targets [default: all]
    targets: Vec<String>,
    /// Cases per target
    #[arg(long, default_value_t = 10_000)]
    cases: u64,
    /// The first case; with `--cases 1` a single case is repeated
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Seed of the mutations
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the number of every case before it is run, to find cases that abort the process
    #[arg(long)]
    show: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let wanted = |target: &Target| {
        args.targets.is_empty() || args.targets.iter().any(|name| name == target.name)
    };
    let found: u64 = TARGETS
        .into_iter()
        .filter(wanted)
        .map(|target| run(&args, target))
        .sum();
    if found == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs one target. Returns the number of cases that broke a promise.
fn run(args: &Args, target: Target) -> u64 {
    let (mutator, started) = (Mutator::new(target, args.seed), Instant::now());
    let (mut broken, mut accepted, mut longest, mut slowest) = (0, 0_u64, 0.0_f64, 0);
    for case in args.from..args.from + args.cases {
        if args.show {
            eprintln!("{} {case}", target.name);
        }
        let (input, begun) = (mutator.input(case), Instant::now());
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.check)(&input)));
        accepted += u64::from(matches!(outcome, Ok(true)));
        if outcome.is_err() {
            broken += 1;
            println!(
                "{} seed {} case {case}: {:?}",
                target.name,
                args.seed,
                String::from_utf8_lossy(&input[..input.len().min(400)])
            );
        }
        let time = begun.elapsed().as_secs_f64();
        if time > longest {
            (longest, slowest) = (time, case);
        }
    }
    println!(
        "{}: {} cases, {accepted} accepted, {broken} broken, {:.1} s, slowest {:.1} ms (case {slowest})",
        target.name,
        args.cases,
        started.elapsed().as_secs_f64(),
        longest * 1e3
    );
    broken
}
