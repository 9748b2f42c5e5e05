//! Checks of imported trials, names and leases.

use super::{Lease, NewTrial, StoreError};
use crate::record::{Definition, State, Trial, storable};

/// Largest number of a trial: far beyond any study, and exact in every format.
pub const LARGEST_NUMBER: u64 = (1 << 40) - 1;

/// Checks trials from elsewhere against the versions of a study's definition; every store calls it before it writes anything.
///
/// The error names the first trial that cannot be taken and why: parameters outside of the space of its version (and of every
/// later one: a trial may meet a parameter while it runs), values that are missing or not finite, a number that is too large or
/// given twice.
pub fn check_trials(definitions: &[Definition], trials: &[NewTrial]) -> Result<(), StoreError> {
    let mut numbers = std::collections::HashSet::with_capacity(trials.len());
    for NewTrial { trial, .. } in trials {
        let bad = |reason: String| StoreError::BadTrial {
            number: trial.number,
            reason,
        };
        if trial.number > LARGEST_NUMBER {
            return Err(bad(format!("its number must be at most {LARGEST_NUMBER}")));
        }
        if !numbers.insert(trial.number) {
            return Err(bad("its number is not unique".to_owned()));
        }
        let version = usize::try_from(trial.version)
            .ok()
            .and_then(|version| version.checked_sub(1));
        let (definition, later) = version
            .and_then(|version| definitions.get(version..)?.split_first())
            .ok_or_else(|| {
                bad(format!(
                    "version {} of the definition is unknown; there are versions 1 to {}",
                    trial.version,
                    definitions.len()
                ))
            })?;
        check(definition, later, trial).map_err(bad)?;
    }
    Ok(())
}

fn check(definition: &Definition, later: &[Definition], trial: &Trial) -> Result<(), String> {
    if let Some(params) = &trial.params
        && let Err(error) = definition.space.allows(params)
        && !later
            .iter()
            .any(|definition| definition.space.allows(params).is_ok())
    {
        return Err(error.to_string());
    }
    if trial.params.is_none() && matches!(trial.state, State::Complete | State::Pruned { .. }) {
        return Err(format!(
            "a {} trial needs its parameters",
            trial.state.name()
        ));
    }
    if let Some((name, value)) = trial.values.iter().find(|(_, value)| !value.is_finite()) {
        return Err(format!("{name} = {value} is not finite"));
    }
    let missing = definition
        .objectives
        .iter()
        .find(|objective| trial.value(&objective.name).is_none());
    match missing.filter(|_| trial.state == State::Complete) {
        Some(objective) => Err(format!(
            "a complete trial needs a value for `{}`",
            objective.name
        )),
        None => Ok(()),
    }
}

/// Longest name of a study, in characters; indices of PostgreSQL take no more than 2,700 bytes.
const LONGEST_NAME: usize = 200;

/// Checks the name of a study to be made; every store calls it.
pub fn check_name(name: &str) -> Result<(), StoreError> {
    let reason = if name.trim().is_empty() {
        "it is empty"
    } else if name.chars().count() > LONGEST_NAME {
        "it is too long"
    } else if name.chars().any(char::is_control) {
        "it has a control character"
    } else {
        return Ok(());
    };
    Err(StoreError::BadName {
        name: shortened(name),
        reason,
    })
}

/// Longest name of a worker or a report that is kept, in bytes.
const NAME_KEPT: usize = 200;

/// The name of a worker or a report as every store keeps it: without NUL and cut at 200 bytes.
pub fn stored_name(name: &str) -> String {
    storable(name, NAME_KEPT)
}

/// The error for a late report or result: the trial has ended, or belongs to another worker.
pub fn too_late(lease: &Lease, trial: Option<&Trial>) -> StoreError {
    match trial.filter(|trial| trial.attempt == lease.attempt && !trial.is_running()) {
        Some(trial) => StoreError::AlreadyFinished {
            number: lease.number,
            state: trial.state.name(),
        },
        None => StoreError::LeaseLost {
            number: lease.number,
            attempt: lease.attempt,
        },
    }
}

/// What an unknown name is answered with: some of the names there are.
pub fn unknown_study(name: &str, known: &[&str]) -> StoreError {
    const LISTED: usize = 10;
    let mut names: Vec<String> = known
        .iter()
        .take(LISTED)
        .map(|name| format!("`{name}`"))
        .collect();
    if known.len() > LISTED {
        names.push("…".to_owned());
    }
    let known = if names.is_empty() {
        "; the storage is empty".to_owned()
    } else {
        format!("; studies: {}", names.join(", "))
    };
    StoreError::UnknownStudy {
        name: shortened(name),
        known,
    }
}

fn shortened(name: &str) -> String {
    name.chars()
        .take(40)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}
