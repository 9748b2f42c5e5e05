//! Checks of imported trials, names and leases.

use super::{Lease, NewStudy, NewTrial, StoreError};
use crate::limits::{self, NUMBER};
use crate::record::{Attributes, Definition, State, Trial, storable};

/// Checks a study to be made, as new ones are: its name, every version of its definition, when it ends, and its trials. Every
/// store calls it before it writes anything.
pub fn check_study(study: &NewStudy) -> Result<(), StoreError> {
    check_name(&study.name)?;
    check_version(study.definitions.len() as u64)?;
    for (version, definition) in (1..).zip(&study.definitions) {
        check_definition(version, definition)?;
    }
    if let Some(newest) = study.definitions.last() {
        let ends = study.limits.check(newest);
        ends.map_err(|error| bad_definition(study.definitions.len() as u64, error))?;
    }
    merged_attributes(None, &study.attributes, &study.attributes)?;
    check_trials(&study.definitions, &study.trials)
}

/// Checks a version of a definition to be stored; every store calls it.
pub fn check_definition(version: u64, definition: &Definition) -> Result<(), StoreError> {
    check_version(version)?;
    let checked = definition.check();
    checked.map_err(|error| bad_definition(version, error))
}

fn check_version(version: u64) -> Result<(), StoreError> {
    if version == 0 {
        return Err(bad_definition(1, "it is missing"));
    }
    let count = usize::try_from(version).unwrap_or(usize::MAX);
    limits::check("versions", count, limits::VERSIONS)
        .map_err(|reason| bad_definition(version, reason))
}

fn bad_definition(version: u64, reason: impl std::fmt::Display) -> StoreError {
    StoreError::BadDefinition {
        version,
        reason: reason.to_string(),
    }
}

/// The attributes of a trial, or of the study itself, with others added or replaced, if they are within the limits; every store
/// calls it.
pub fn merged_attributes(
    trial: Option<u64>,
    present: &Attributes,
    added: &Attributes,
) -> Result<Attributes, StoreError> {
    let mut all = present.clone();
    all.extend(added.clone());
    if !added.is_empty() {
        attributes_fit(&all).map_err(|reason| StoreError::BadAttributes {
            of: trial.map_or("the study".to_owned(), |number| format!("trial {number}")),
            reason,
        })?;
    }
    Ok(all)
}

fn attributes_fit(attributes: &Attributes) -> Result<(), String> {
    limits::check("attributes", attributes.len(), limits::ATTRIBUTES)?;
    let mut together = 0;
    for (key, value) in attributes {
        let of = |reason| format!("attribute `{}`: {reason}", shortened(key));
        limits::check_name(key).map_err(of)?;
        limits::check_value(value).map_err(of)?;
        together += key.len() + value.to_string().len();
    }
    let (what, limit) = ("bytes of attributes", limits::ATTRIBUTES_TOGETHER);
    limits::check(what, together, limit)
}

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
        if trial.number > NUMBER {
            return Err(bad(format!("its number must be at most {NUMBER}")));
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
        && !later.iter().any(|d| d.space.allows(params).is_ok())
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
    attributes_fit(&trial.attributes)?;
    check_numbers(trial)?;
    check_texts(trial)?;
    let mut objectives = definition.objectives.iter();
    let missing = objectives.find(|objective| trial.value(&objective.name).is_none());
    match missing.filter(|_| trial.state == State::Complete) {
        Some(objective) => Err(format!(
            "a complete trial needs a value for `{}`",
            objective.name
        )),
        None => Ok(()),
    }
}

/// Every number that something is counted, allocated or computed by.
fn check_numbers(trial: &Trial) -> Result<(), String> {
    let times = [
        ("asked_ms", Some(trial.asked_ms)),
        ("started_ms", trial.started_ms),
        ("finished_ms", trial.finished_ms),
    ];
    for (name, time) in times {
        if let Some(time) = time.filter(|time| !(0..=limits::TIME_MS).contains(time)) {
            let most = limits::TIME_MS;
            return Err(format!("{name} must be from 0 to {most}, found {time}"));
        }
    }
    limits::check_number("attempt", trial.attempt)?;
    limits::check_number("seq", trial.seq.unwrap_or(0))?;
    let provenance = trial.provenance.as_ref();
    provenance.map_or(Ok(()), |provenance| provenance.check(trial.number))
}

fn check_texts(trial: &Trial) -> Result<(), String> {
    let message = trial
        .failure()
        .map(|failure| ("failure message", &failure.message));
    let origin = trial
        .provenance
        .as_ref()
        .map(|from| ("origin", &from.origin));
    for (what, text) in message.into_iter().chain(origin) {
        limits::check("bytes", text.len(), limits::MESSAGE)
            .map_err(|reason| format!("{what}: {reason}"))?;
    }
    let mut names = trial.values.keys();
    names.try_for_each(|name| {
        limits::check_name(name).map_err(|r| format!("value `{}`: {r}", shortened(name)))
    })
}

/// Checks the name of a study to be made; every store calls it.
pub fn check_name(name: &str) -> Result<(), StoreError> {
    let reason = if name.trim().is_empty() {
        "it is empty"
    } else if name.chars().count() > limits::NAME {
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

/// The name of a worker or a report as every store keeps it: without NUL and cut at 200 bytes.
pub fn stored_name(name: &str) -> String {
    storable(name, limits::LABEL)
}

/// The error for a late report or result: the trial has ended, or belongs to another worker.
pub fn too_late(lease: &Lease, trial: Option<&Trial>) -> StoreError {
    match trial.filter(|trial| trial.token == lease.token && !trial.is_running()) {
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
