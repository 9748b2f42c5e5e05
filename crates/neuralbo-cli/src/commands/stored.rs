//! `neuralbo run --study`: a run that is kept.

use std::path::Path;
use std::time::Instant;

use neuralbo::space::Point;
use neuralbo_store::{Provenance, Store, StoredStudy, StudyRecord, TrialRecord, TrialState};

use super::print;
use crate::exit::{CommandError, EXIT_OK};
use crate::interrupt::Interrupt;
use crate::run::args::RunArgs;
use crate::run::summary::Summary;
use crate::run::{known, setup};
use crate::shared::args::storage_error;
use crate::shared::definition::{Wanted, create_or_resume, definition, retries};
use crate::shared::worker::Worker;
use crate::shared::{limits, output, summary};

/// Makes or continues the study and works on it.
pub fn run(args: &RunArgs, name: &str) -> Result<u8, CommandError> {
    let started = Instant::now();
    let interrupt = Interrupt::install().map_err(|error| CommandError::failure("Ctrl-C", error))?;
    let store = args.storage.open()?;
    let wanted = wanted(args, name, &interrupt)?;
    let (record, new) = create_or_resume(store.as_ref(), &wanted)?;
    if let (true, Some(path)) = (new, &args.known) {
        tell_known(store.as_ref(), &record, path)?;
    }
    if args.command.is_empty() && args.function.is_none() {
        return announce(args, &record, new);
    }
    // The stored seed, not a new one: programs and noise must see the same one after a restart.
    let problem = setup::problem(args, record.definition.seed, &interrupt)?;
    let worker = Worker {
        objective: problem.objective.as_ref(),
        jobs: args.jobs,
        args: &args.work,
        time: args.time,
        quiet: args.quiet,
        interrupt: &interrupt,
    };
    let study = StoredStudy::open(store.clone(), record.clone()).map_err(storage_error)?;
    let stop = worker.work(study)?;
    let summary = summary::summary(&store, &record, stop, started.elapsed())?;
    show(&summary, args.json)?;
    Ok(summary::code(&summary))
}

/// Nothing is to be run: the study waits for `neuralbo worker` and `neuralbo ask`.
fn announce(args: &RunArgs, record: &StudyRecord, new: bool) -> Result<u8, CommandError> {
    if args.json {
        output::print_json(&serde_json::json!({ "study": record.name, "new": new, "limits": record.limits }))?;
    } else {
        print(&format!("study `{}` {}\n", record.name, if new { "made" } else { "exists" }))?;
    }
    Ok(EXIT_OK)
}

/// Prints a result for people or for programs.
pub fn show(summary: &Summary, json: bool) -> Result<(), CommandError> {
    if json { output::print_json(summary) } else { print(&summary.text()) }
}

fn wanted(args: &RunArgs, name: &str, interrupt: &std::sync::Arc<Interrupt>) -> Result<Wanted, CommandError> {
    let seed = setup::seed(args);
    let problem = setup::problem(args, seed, interrupt)?;
    setup::strategy(args, &problem.space, seed)?;
    let options = setup::options(args)?;
    let retries = retries(args.attempts, &args.retry)?;
    Ok(Wanted {
        name: name.to_owned(),
        definition: definition(problem.space, problem.direction, &args.method, &options, seed, retries),
        seed_given: args.seed.is_some(),
        limits: limits::given(args),
        default_limits: limits::default(args),
        force: args.force,
    })
}

/// Adds results known from elsewhere.
pub fn tell_known(store: &dyn Store, record: &StudyRecord, path: &Path) -> Result<usize, CommandError> {
    let known = known::read(path, &record.definition.space)?;
    let trials: Vec<_> = known
        .iter()
        .filter(|(_, value)| value.is_finite())
        .enumerate()
        .map(|(index, (point, value))| (known_trial(index as u64, point, *value), Vec::new()))
        .collect();
    store.import(record.id, &trials).map_err(storage_error)?;
    Ok(trials.len())
}

fn known_trial(number: u64, point: &Point, value: f64) -> TrialRecord {
    TrialRecord {
        number,
        params: serde_json::to_string(point).ok(),
        state: TrialState::Complete { value },
        seq: None,
        proposal: Some(Provenance { origin: "known".to_owned(), ..Provenance::default() }),
        worker: String::new(),
        attempt: 1,
        lease_until_ms: 0,
        asked_ms: 0,
        finished_ms: None,
    }
}
