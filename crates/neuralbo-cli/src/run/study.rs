//! Create, resume or change: the same command again continues the same study.

use std::path::PathBuf;
use std::sync::Arc;

use neuralbo::record::{Definition, Difference, Pruner, Retries, Trial};
use neuralbo::space::Change;
use neuralbo::store::{MemoryStore, NewStudy, Store, StoreError, StudyRecord};
use neuralbo::study::{Study, strategy_of};
use neuralbo_store::worker::take_over_dead;
use neuralbo_store::{Access, Spool};

use super::args::{RunArgs, StorageArgs, WorkArgs};
use super::known::{self, KnownResult};
use super::{definition, trace};
use crate::number::number;
use crate::output::{CommandError, OrCommandError, counted, say, time_of_day, who};

/// The internal name of a study in memory.
const UNNAMED: &str = "study";
/// How many running trials are listed one by one.
const LISTED: usize = 4;

/// A study as the command line describes it, completely checked.
pub struct StudyRequest<'a> {
    args: &'a RunArgs,
    /// The name of the problem.
    pub label: String,
    definition: Definition,
    known: Vec<KnownResult>,
}

impl<'a> StudyRequest<'a> {
    /// Reads and checks everything that the options name.
    pub fn new(args: &'a RunArgs) -> Result<Self, CommandError> {
        let (definition, problem) = definition::read(args)?;
        let limits = args.limits().check(&definition);
        limits.or_usage("--target")?;
        if args.trace.is_some() || args.known.is_some() {
            trace::check_names(&definition)?;
        }
        strategy_of(&definition, &neuralbo_paper::registry())?;
        let read = |path: &PathBuf| known::read(path, &definition.space, &definition.measured());
        let known = args.known.as_ref().map_or(Ok(Default::default()), read)?;
        if known.skipped > 0 {
            let rows = counted(known.skipped, "row");
            say(&format!("--known: {rows} without all values skipped"));
        }
        Ok(Self {
            args,
            label: args.study.clone().unwrap_or(problem),
            definition,
            known: known.results,
        })
    }

    /// Makes the study or continues it; and whether it is new.
    pub fn open(&self) -> Result<(Study, bool), CommandError> {
        let store: Arc<dyn Store> = match self.args.study {
            Some(_) => self.args.storage.open(Access::Create)?,
            None => Arc::new(MemoryStore::new()),
        };
        let name = self.args.study.as_deref().unwrap_or(UNNAMED);
        match store.study(name) {
            Ok(record) => Ok((self.resume(store, record)?, false)),
            Err(StoreError::UnknownStudy { .. }) => self.create(store, name),
            Err(error) => Err(error.into()),
        }
    }

    fn create(&self, store: Arc<dyn Store>, name: &str) -> Result<(Study, bool), CommandError> {
        if let Some((old, _)) = self.args.renames.first() {
            let reason = format!("study `{name}` does not exist, so its `{old}` cannot be renamed");
            return Err(CommandError::usage("--rename", reason));
        }
        let mut new = NewStudy::new(name, self.definition.clone(), self.args.new_limits());
        new.trials = known::trials(&self.known);
        match store.create_study(&new) {
            Ok(record) => {
                let study = Study::open(store, record, neuralbo_paper::registry())?;
                Ok((study, true))
            }
            // Somebody was faster.
            Err(StoreError::NameTaken { .. }) => {
                let record = store.study(name)?;
                Ok((self.resume(store, record)?, false))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn resume(&self, store: Arc<dyn Store>, record: StudyRecord) -> Result<Study, CommandError> {
        let limits = record.limits.updated(&self.args.limits());
        let mut study = Study::open(store, record, neuralbo_paper::registry())?;
        self.change(&mut study)?;
        if limits != study.limits() {
            study.set_limits(limits)?;
        }
        self.add_known(&mut study)?;
        Ok(study)
    }

    /// Changes the study to the given definition, if allowed.
    fn change(&self, study: &mut Study) -> Result<(), CommandError> {
        let stored = study.definition();
        let given = Definition {
            seed: self.args.seed.unwrap_or(stored.seed),
            retries: self.args.retries(&stored.retries)?,
            pruner: given_pruner(&self.args.work, stored),
            ..self.definition.clone()
        };
        let renames = self.renames(stored);
        let differences = differences(study, &given, &renames)?;
        if differences.is_empty() {
            return Ok(());
        }
        if !self.args.force && !differences.iter().all(is_asked_for) {
            let refusal = refusal(&study.record().name, &differences);
            return Err(CommandError::Usage(refusal));
        }
        study.redefine(given, &renames)?;
        say_changed(study, &differences);
        Ok(())
    }

    /// The renames that are still to be done: the same command again finds them done.
    fn renames(&self, stored: &Definition) -> Vec<(String, String)> {
        let done = |from: &str, to: &str| {
            let mut aliases = stored.aliases.iter();
            let known = aliases.any(|alias| alias.from == from && alias.to == to);
            known && stored.space.parameter(from).is_none() && stored.space.parameter(to).is_some()
        };
        let mut renames = self.args.renames.clone();
        renames.retain(|(from, to)| !done(from, to));
        renames
    }

    fn add_known(&self, study: &mut Study) -> Result<(), CommandError> {
        if self.known.is_empty() {
            return Ok(());
        }
        let new = known::missing(study.definition(), &self.known, &study.trials()?);
        study.add(&known::trials(&new))?;
        let added = counted(new.len() as u64, "result");
        let old = self.known.len() - new.len();
        say(&format!(
            "--known: {added} added, {old} already in the study"
        ));
        Ok(())
    }
}

/// Whether an option says nothing else than that this be changed.
fn is_asked_for(difference: &Difference) -> bool {
    matches!(
        difference,
        Difference::Space(Change::Renamed { .. })
            | Difference::Field {
                field: "pruner",
                ..
            }
    )
}

/// The pruner of the options, or else the study's.
fn given_pruner(work: &WorkArgs, stored: &Definition) -> Option<Pruner> {
    match &work.prune {
        Some(prune) => prune.0.clone(),
        None => stored.pruner.clone(),
    }
}

/// Makes the pruner of a study the one that was given; all workers follow it from their next trial on.
pub fn change_pruner(study: &mut Study, work: &WorkArgs) -> Result<(), CommandError> {
    let stored = study.definition();
    let given = Definition {
        pruner: given_pruner(work, stored),
        ..stored.clone()
    };
    let differences = study.redefine(given, &[])?;
    if !differences.is_empty() {
        say_changed(study, &differences);
    }
    Ok(())
}

fn say_changed(study: &Study, differences: &[Difference]) {
    let (name, version) = (&study.record().name, study.record().version);
    say(&format!(
        "study `{name}` changed (definition version {version}); its trials are kept:"
    ));
    for difference in differences {
        say(&format!("  {difference}"));
    }
}

/// What differs, the seed and the retry policy included where they were given.
fn differences(
    study: &Study,
    given: &Definition,
    renames: &[(String, String)],
) -> Result<Vec<Difference>, CommandError> {
    let mut differences = study.differences(given, renames).or_usage("--rename")?;

    let mut compare = |field, read: &dyn Fn(&Definition) -> String| {
        let (stored, given) = (read(study.definition()), read(given));
        if stored != given {
            differences.push(Difference::Field {
                field,
                stored,
                given,
            });
        }
    };
    compare("seed", &|definition| definition.seed.to_string());
    compare("attempts", &|definition| {
        definition.retries.attempts.to_string()
    });
    compare("retry", &|definition| kinds(&definition.retries));
    Ok(differences)
}

fn kinds(retries: &Retries) -> String {
    let mut names: Vec<&str> = retries.kinds.iter().map(|kind| kind.name()).collect();
    names.sort_unstable();
    names.dedup();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(","),
    }
}

fn refusal(name: &str, differences: &[Difference]) -> String {
    let line = |difference: &Difference| format!("\n  {difference}");
    let lines: String = differences.iter().map(line).collect();
    let is_added = |d: &Difference| matches!(d, Difference::Space(Change::Added(_)));
    let is_removed = |d: &Difference| matches!(d, Difference::Space(Change::Removed(_)));
    let hint = match differences.iter().any(is_added) && differences.iter().any(is_removed) {
        true => "; --rename OLD=NEW renames a parameter and keeps its values",
        false => "",
    };
    format!(
        "study `{name}` exists with a different definition:{lines}\nuse another name, or --force to change the study; its trials are kept{hint}"
    )
}

/// Stores results that earlier processes could not store, takes over the trials of dead processes, and
/// prints the state of the study.
pub fn continue_study(
    study: &Study,
    storage: &StorageArgs,
    quiet: bool,
) -> Result<(), CommandError> {
    let store = study.store().as_ref();
    // Without a folder there is nothing; the run says so.
    if let Ok(spool) = Spool::of_user() {
        recover(&spool, store, storage);
    }
    let taken = take_over_dead(store, study.record().id)?;
    if quiet {
        return Ok(());
    }
    let (name, counts) = (&study.record().name, store.counts(study.record().id)?);
    let finished = counted(counts.finished(), "trial");
    let (best, running) = (so_far(study)?, running(&store.running(study.record().id)?));
    say(&format!("study `{name}`: {finished} so far{best}{running}"));
    for trial in taken {
        let (number, worker) = (trial.number, who(&trial.worker));
        say(&format!(
            "trial {number} is taken over: process {worker} has ended"
        ));
    }
    Ok(())
}

fn recover(spool: &Spool, store: &dyn Store, storage: &StorageArgs) {
    match spool.recover(store, storage.url()) {
        Ok(recovered) => {
            for line in recovered.late.iter().chain(&recovered.left) {
                say(line);
            }
            if recovered.told > 0 {
                let results = counted(recovered.told, "result");
                say(&format!("{results} of earlier workers stored"));
            }
        }
        Err(error) => say(&format!(
            "results of earlier workers cannot be stored: {error}"
        )),
    }
}

/// The best trial of a study that is continued, or how many are on its front.
fn so_far(study: &Study) -> Result<String, CommandError> {
    let definition = study.definition();
    if definition.is_multi_objective() {
        return Ok(String::new());
    }
    let best = study
        .best()?
        .and_then(|trial| Some((trial.value(definition.objective())?, trial.number)));
    Ok(best.map_or(String::new(), |(value, trial)| {
        format!(", best {} in trial {trial}", number(value))
    }))
}

/// Who has the running trials and until when, and how many wait.
fn running(trials: &[Trial]) -> String {
    let (waiting, leased): (Vec<&Trial>, Vec<&Trial>) =
        trials.iter().partition(|trial| trial.is_waiting());
    let holder = |trial: &&Trial| {
        let (worker, until) = (who(&trial.worker), time_of_day(trial.lease_until_ms));
        format!("worker {worker}, lease until {until} UTC")
    };
    let mut text = String::new();
    if !leased.is_empty() {
        let mut holders: Vec<String> = leased.iter().take(LISTED).map(holder).collect();
        if leased.len() > LISTED {
            holders.push("…".to_owned());
        }
        let (count, holders) = (leased.len(), holders.join("; "));
        text += &format!(", {count} running elsewhere ({holders})");
    }
    if !waiting.is_empty() {
        text += &format!(", {} waiting for a worker", waiting.len());
    }
    text
}
