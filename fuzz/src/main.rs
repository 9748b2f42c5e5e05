//! Runs fuzz targets: `cargo run -p neuralbo-fuzz -- --cases 1000000`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
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
    /// Write the valid inputs and the words of the targets into this folder, as libFuzzer reads them, and run nothing
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let wanted = |target: &Target| {
        args.targets.is_empty() || args.targets.iter().any(|name| name == target.name)
    };
    let targets = TARGETS.into_iter().filter(wanted);
    let good = match &args.corpus {
        Some(folder) => write_corpus(folder, targets),
        None => targets.map(|target| run(&args, target)).sum::<u64>() == 0,
    };
    if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Writes a folder of valid inputs and a dictionary per target. Returns whether that was possible.
fn write_corpus(folder: &Path, targets: impl Iterator<Item = Target>) -> bool {
    for target in targets {
        let inputs = folder.join(target.name);
        let dictionary: String = target.words.iter().map(|word| quoted(word)).collect();
        let written = std::fs::create_dir_all(&inputs)
            .and_then(|()| std::fs::write(folder.join(format!("{}.dict", target.name)), dictionary))
            .and_then(|()| {
                let mut numbered = (target.seeds)().into_iter().enumerate();
                numbered.try_for_each(|(number, seed)| {
                    std::fs::write(inputs.join(format!("seed-{number}")), seed)
                })
            });
        if let Err(error) = written {
            eprintln!("{}: {error}", folder.display());
            return false;
        }
        println!("{}", target.name);
    }
    true
}

/// A word as a line of a dictionary of libFuzzer.
fn quoted(word: &str) -> String {
    let byte = |byte: u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02X}"),
    };
    format!("\"{}\"\n", word.bytes().map(byte).collect::<String>())
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
