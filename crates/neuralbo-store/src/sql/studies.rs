//! Studies: made, found, changed, removed.

use super::cell::Cell;
use super::driver::Session;
use super::rows::{self, direction_name};
use super::schema::RECORD_VERSION;
use super::statements as sql;
use crate::{Definition, Limits, StoreError, StudyId, StudyRecord};

/// Longest name of a study, in characters; indices of PostgreSQL take no more than 2,700 bytes.
const LONGEST_NAME: usize = 200;
/// How many studies an error lists.
const LISTED: usize = 10;

pub(super) fn check_name(name: &str) -> Result<(), StoreError> {
    let reason = if name.trim().is_empty() {
        "it is empty"
    } else if name.chars().count() > LONGEST_NAME {
        "it is too long"
    } else if name.chars().any(char::is_control) {
        "it has a control character"
    } else {
        return Ok(());
    };
    Err(StoreError::BadName { name: shortened(name), reason })
}

fn shortened(name: &str) -> String {
    name.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

pub(super) fn create(
    session: &mut dyn Session,
    name: &str,
    definition: &Definition,
    limits: &Limits,
) -> Result<StudyRecord, StoreError> {
    let mut cells: Vec<Cell> = vec![name.into(), RECORD_VERSION.into()];
    cells.extend(definition_cells(definition)?);
    cells.extend(limit_cells(limits));
    cells.push(session.now_ms().into());
    if session.execute(sql::CREATE_STUDY, &cells)? == 0 {
        return Err(StoreError::NameTaken { name: name.to_owned() });
    }
    by_name(session, name)
}

/// The cells space, direction, method, options, seed, retries, attempts.
fn definition_cells(definition: &Definition) -> Result<[Cell; 7], StoreError> {
    let wrong = |error: serde_json::Error| StoreError::Record { what: "a study".to_owned(), reason: error.to_string() };
    Ok([
        serde_json::to_string(&definition.space).map_err(wrong)?.into(),
        direction_name(definition.direction).into(),
        definition.method.as_str().into(),
        serde_json::to_string(&definition.options).map_err(wrong)?.into(),
        definition.seed.to_string().into(),
        serde_json::to_string(&definition.retries).map_err(wrong)?.into(),
        definition.retries.attempts.into(),
    ])
}

fn limit_cells(limits: &Limits) -> [Cell; 3] {
    [limits.trials.into(), limits.target.into(), limits.patience.into()]
}

pub(super) fn by_name(session: &mut dyn Session, name: &str) -> Result<StudyRecord, StoreError> {
    // PostgreSQL takes no NUL even in a comparison, and no study has such a name.
    let found = if name.contains('\0') { None } else { session.query(sql::STUDY_BY_NAME, &[name.into()])?.pop() };
    match found {
        Some(row) => rows::study(row),
        None => Err(unknown(session, name)),
    }
}

fn unknown(session: &mut dyn Session, name: &str) -> StoreError {
    let studies = all(session).unwrap_or_default();
    let mut names: Vec<String> = studies.iter().take(LISTED).map(|study| format!("`{}`", study.name)).collect();
    if studies.len() > LISTED {
        names.push("…".to_owned());
    }
    let known =
        if names.is_empty() { "; the storage has no studies".to_owned() } else { format!("; studies: {}", names.join(", ")) };
    StoreError::UnknownStudy { name: shortened(name), known }
}

pub(super) fn all(session: &mut dyn Session) -> Result<Vec<StudyRecord>, StoreError> {
    session.query(sql::STUDIES, &[])?.into_iter().map(rows::study).collect()
}

pub(super) fn limit(session: &mut dyn Session, study: StudyId, limits: &Limits) -> Result<(), StoreError> {
    let [trials, target, patience] = limit_cells(limits);
    changed(session.execute(sql::LIMIT_STUDY, &[study.0.into(), trials, target, patience])?)
}

pub(super) fn redefine(session: &mut dyn Session, study: StudyId, definition: &Definition) -> Result<(), StoreError> {
    let mut cells: Vec<Cell> = vec![study.0.into()];
    cells.extend(definition_cells(definition)?);
    changed(session.execute(sql::REDEFINE_STUDY, &cells)?)
}

pub(super) fn delete(session: &mut dyn Session, study: StudyId) -> Result<(), StoreError> {
    session.execute(sql::DELETE_REPORTS, &[study.0.into()])?;
    session.execute(sql::DELETE_TRIALS, &[study.0.into()])?;
    changed(session.execute(sql::DELETE_STUDY, &[study.0.into()])?)
}

fn changed(rows: u64) -> Result<(), StoreError> {
    if rows == 1 { Ok(()) } else { Err(gone()) }
}

/// The study of an id that was valid once.
pub(super) fn gone() -> StoreError {
    StoreError::UnknownStudy { name: "(deleted)".to_owned(), known: String::new() }
}
