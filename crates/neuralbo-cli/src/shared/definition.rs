//! Create or resume: the same command again continues the same study.

use neuralbo::space::Space;
use neuralbo::strategy::presets::Options;
use neuralbo::study::{Direction, FailureKind};
use neuralbo_store::{Definition, Difference, Limits, Retries, Store, StoreError, StudyRecord};

use super::args::storage_error;
use crate::exit::CommandError;

/// A study as the command line describes it.
pub struct Wanted {
    /// Its name.
    pub name: String,
    /// What it is; the seed is the one to use if the study is new.
    pub definition: Definition,
    /// Whether the seed was given.
    pub seed_given: bool,
    /// The rules that were given.
    pub limits: Limits,
    /// The rules of a new study for which none was given.
    pub default_limits: Limits,
    /// Whether a study that differs is changed.
    pub force: bool,
}

/// The study in the store, made or continued; and whether it is new.
pub fn create_or_resume(store: &dyn Store, wanted: &Wanted) -> Result<(StudyRecord, bool), CommandError> {
    let limits = if wanted.limits == Limits::default() { wanted.default_limits } else { wanted.limits };
    match store.study(&wanted.name) {
        Ok(record) => Ok((resume(store, wanted, record)?, false)),
        Err(StoreError::UnknownStudy { .. }) => match store.create_study(&wanted.name, &wanted.definition, &limits) {
            Ok(record) => Ok((record, true)),
            // Somebody was faster.
            Err(StoreError::NameTaken { .. }) => {
                let record = store.study(&wanted.name).map_err(storage_error)?;
                Ok((resume(store, wanted, record)?, false))
            }
            Err(error) => Err(storage_error(error)),
        },
        Err(error) => Err(storage_error(error)),
    }
}

fn resume(store: &dyn Store, wanted: &Wanted, mut record: StudyRecord) -> Result<StudyRecord, CommandError> {
    let differences = differences(wanted, &record.definition);
    if !differences.is_empty() {
        if !wanted.force {
            return Err(CommandError::Usage(refusal(&wanted.name, &differences)));
        }
        let seed = if wanted.seed_given { wanted.definition.seed } else { record.definition.seed };
        record.definition = Definition { seed, ..wanted.definition.clone() };
        store.redefine(record.id, &record.definition).map_err(storage_error)?;
    }
    if wanted.limits != Limits::default() && wanted.limits != record.limits {
        record.limits = wanted.limits;
        store.limit(record.id, &record.limits).map_err(storage_error)?;
    }
    Ok(record)
}

fn differences(wanted: &Wanted, stored: &Definition) -> Vec<Difference> {
    let mut differences = stored.differences(&wanted.definition);
    if wanted.seed_given && stored.seed != wanted.definition.seed {
        let (stored, given) = (stored.seed.to_string(), wanted.definition.seed.to_string());
        differences.push(Difference { field: "seed".to_owned(), stored, given });
    }
    differences
}

fn refusal(name: &str, differences: &[Difference]) -> String {
    let lines: String = differences.iter().map(|difference| format!("\n  {difference}")).collect();
    format!(
        "study `{name}` exists and is a different one:{lines}\ngive the study another name, or --force to go on with what is given now"
    )
}

/// A definition from the parts of a command line.
pub fn definition(
    space: Space,
    direction: Direction,
    method: &str,
    options: &Options,
    seed: u64,
    retries: Retries,
) -> Definition {
    let options = options.keys().map(|key| format!("{key}={}", options.text(key).unwrap_or_default())).collect();
    Definition { space, direction, method: method.to_owned(), options, seed, retries }
}

/// The retry policy that the options describe.
pub fn retries(attempts: u64, kinds: &[String]) -> Result<Retries, CommandError> {
    let kinds: Result<Vec<FailureKind>, _> = kinds.iter().filter(|kind| !kind.is_empty()).map(|kind| kind.parse()).collect();
    Ok(Retries { attempts, kinds: kinds.map_err(|error| CommandError::usage("--retry", error))? })
}
