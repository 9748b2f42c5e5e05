//! Studies and their definitions, and queries of trials.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use neuralbo::limits;
use neuralbo::record::{Attributes, Definition, Direction, Limits, Report, Trial, Values};
use neuralbo::store::{
    Counts, NewStudy, StoreError, StudyId, StudyRecord, check_definition, check_name,
    merged_attributes, unknown_study,
};

use super::driver::{Dialect, Session, Stored};
use super::rows::{self, RECORD_VERSION, SqlValue, cells};
use super::statements as sql;

/// A cache of definitions: they never change, and study identifiers are never reused.
#[derive(Default)]
pub(super) struct Definitions(Mutex<HashMap<(i64, u64), Arc<Definition>>>);

impl Definitions {
    pub(super) fn get(
        &self,
        session: &mut dyn Session,
        study: StudyId,
        version: u64,
    ) -> Stored<Arc<Definition>> {
        if let Some(known) = self.lock().get(&(study.0, version)) {
            return Ok(Arc::clone(known));
        }
        let found = session.row(sql::DEFINITION, &cells![study, version], rows::definition)?;
        let definition = Arc::new(found.ok_or_else(gone)?);
        self.lock()
            .insert((study.0, version), Arc::clone(&definition));
        Ok(definition)
    }

    /// The newest version of a study's definition that was needed so far.
    pub(super) fn newest(&self, study: StudyId) -> Option<(u64, Arc<Definition>)> {
        let known = self.lock();
        let of = known.iter().filter(|((id, _), _)| *id == study.0);
        let newest = of.max_by_key(|((_, version), _)| *version);
        newest.map(|((_, version), definition)| (*version, Arc::clone(definition)))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(i64, u64), Arc<Definition>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts in a study's row, which is locked until the transaction ends. A transaction that locks
/// a study and a trial locks the study first.
#[derive(Default)]
pub(super) struct LockedStudy {
    pub(super) version: u64,
    pub(super) finished: u64,
    pub(super) next_number: u64,
}

pub(super) fn lock(session: &mut dyn Session, study: StudyId) -> Stored<LockedStudy> {
    let lock = match session.dialect() {
        Dialect::Sqlite => sql::LOCK_STUDY_SQLITE,
        Dialect::Postgres => sql::LOCK_STUDY_POSTGRES,
    };
    let locked = session.row(lock, &cells![study], |row| {
        row.of("a study");
        Ok(LockedStudy {
            version: row.count()?,
            finished: row.count()?,
            next_number: row.count()?,
        })
    })?;
    locked.ok_or_else(gone)
}

pub(super) fn create(session: &mut dyn Session, study: &NewStudy) -> Stored<StudyRecord> {
    let newest = newest(&study.definitions)?;
    let (version, created_ms) = (study.definitions.len() as u64, session.now_ms()?);
    let mut cells: Vec<SqlValue> = cells![study.name.as_str(), version].to_vec();
    cells.extend(definition_cells(newest));
    cells.extend(limit_cells(&study.limits));
    cells.push(rows::map_cell(&study.attributes)?);
    cells.push(created_ms.into());
    if session.execute(sql::CREATE_STUDY, &cells)? == 0 {
        return Err(StoreError::NameTaken {
            name: study.name.clone(),
        });
    }
    let id = session
        .row(sql::STUDY_ID, &cells![study.name.as_str()], |row| row.int())?
        .map(StudyId)
        .ok_or_else(gone)?;
    for (version, definition) in (1..).zip(&study.definitions) {
        add_definition(session, id, version, definition)?;
    }
    let definition = newest.clone();
    Ok(StudyRecord {
        id,
        name: study.name.clone(),
        version,
        definition,
        limits: study.limits,
        attributes: study.attributes.clone(),
        created_ms,
    })
}

pub(super) fn newest(definitions: &[Definition]) -> Stored<&Definition> {
    definitions
        .last()
        .ok_or_else(|| bad_record("it has no definition"))
}

fn add_definition(
    session: &mut dyn Session,
    study: StudyId,
    version: u64,
    definition: &Definition,
) -> Stored<()> {
    let text = serde_json::to_string(definition).map_err(bad_record)?;
    limits::check("bytes of JSON", text.len(), limits::DEFINITION)
        .map_err(|reason| StoreError::BadDefinition { version, reason })?;
    let now = session.now_ms()?;
    let cells = cells![study, version, RECORD_VERSION, text, now];
    session.execute(sql::ADD_DEFINITION, &cells).map(|_| ())
}

/// The cells direction and attempts, which statements refer to.
fn definition_cells(definition: &Definition) -> [SqlValue; 2] {
    cells![
        definition.direction().to_string(),
        definition.retries.attempts
    ]
}

fn limit_cells(limits: &Limits) -> [SqlValue; 3] {
    cells![limits.trials, limits.target, limits.patience]
}

pub(super) fn by_name(session: &mut dyn Session, name: &str) -> Stored<StudyRecord> {
    // PostgreSQL rejects NUL even in a comparison, and no study has such a name.
    let found = if name.contains('\0') {
        None
    } else {
        session.row(sql::STUDY_BY_NAME, &cells![name], rows::study)?
    };
    if let Some(study) = found {
        return Ok(study);
    }
    let names = names(session)?;
    Err(unknown_study(
        name,
        &names.iter().map(String::as_str).collect::<Vec<_>>(),
    ))
}

pub(super) fn names(session: &mut dyn Session) -> Stored<Vec<String>> {
    let mut names = session.rows(sql::STUDY_NAMES, &[], |row| Ok(row.text()?.to_owned()))?;
    names.sort_unstable();
    Ok(names)
}

pub(super) fn all(session: &mut dyn Session) -> Stored<Vec<StudyRecord>> {
    let mut studies = session.rows(sql::STUDIES, &[], rows::study)?;
    // Not by the database: its text order depends on its locale.
    studies.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(studies)
}

pub(super) fn definitions(session: &mut dyn Session, study: StudyId) -> Stored<Vec<Definition>> {
    let found = session.rows(sql::DEFINITIONS, &cells![study], rows::definition)?;
    if found.is_empty() {
        Err(gone())
    } else {
        Ok(found)
    }
}

pub(super) fn limit(session: &mut dyn Session, study: StudyId, limits: &Limits) -> Stored<()> {
    let [trials, target, patience] = limit_cells(limits);
    changed(session.execute(
        sql::LIMIT_STUDY,
        &[study.0.into(), trials, target, patience],
    )?)
}

pub(super) fn rename(session: &mut dyn Session, study: StudyId, name: &str) -> Stored<()> {
    check_name(name)?;
    lock(session, study)?;
    if session.execute(sql::RENAME_STUDY, &cells![study, name])? == 0 {
        let name = name.to_owned();
        return Err(StoreError::NameTaken { name });
    }
    Ok(())
}

pub(super) fn set_attributes(
    session: &mut dyn Session,
    study: StudyId,
    attributes: &Attributes,
) -> Stored<()> {
    lock(session, study)?;
    let present = session.row(sql::STUDY_ATTRIBUTES, &cells![study], |row| {
        rows::attributes(row.of("a study"))
    })?;
    let all = merged_attributes(None, &present.ok_or_else(gone)?, attributes)?;
    let cells = [study.0.into(), rows::map_cell(&all)?];
    changed(session.execute(sql::SET_STUDY_ATTRIBUTES, &cells)?)
}

pub(super) fn redefine(
    session: &mut dyn Session,
    definitions: &Definitions,
    study: StudyId,
    from: u64,
    definition: &Definition,
) -> Stored<u64> {
    let found = lock(session, study)?.version;
    if found != from {
        return Err(StoreError::Redefined {
            found,
            expected: from,
        });
    }
    let before = definitions.get(session, study, found)?;
    let version = found + 1;
    check_definition(version, definition)?;
    add_definition(session, study, version, definition)?;
    let [direction, attempts] = definition_cells(definition);
    session.execute(
        sql::REDEFINE_STUDY,
        &[study.0.into(), version.into(), direction, attempts],
    )?;
    if before.objective() != definition.objective()
        || before.outcome_constraints != definition.outcome_constraints
    {
        rank_again(session, study, definition)?;
    }
    Ok(version)
}

/// The best trial depends on the first objective and on the outcome constraints.
fn rank_again(session: &mut dyn Session, study: StudyId, definition: &Definition) -> Stored<()> {
    let measured = session.rows(sql::MEASURED, &cells![study], |row| {
        Ok((row.of("a trial").count()?, row.json::<Values>()?))
    })?;
    for (number, values) in measured {
        let [value, feasible] = rows::rank_cells(definition, &values);
        session.execute(sql::RANK, &[study.0.into(), number.into(), value, feasible])?;
    }
    Ok(())
}

pub(super) fn delete(session: &mut dyn Session, study: StudyId) -> Stored<()> {
    lock(session, study)?;
    for statement in [
        sql::DELETE_REPORTS,
        sql::DELETE_TRIALS,
        sql::DELETE_DEFINITIONS,
    ] {
        session.execute(statement, &cells![study])?;
    }
    changed(session.execute(sql::DELETE_STUDY, &cells![study])?)
}

fn changed(rows: u64) -> Stored<()> {
    if rows == 1 { Ok(()) } else { Err(gone()) }
}

/// The error for the id of a deleted study.
pub(super) fn gone() -> StoreError {
    StoreError::UnknownStudy {
        name: "(deleted)".to_owned(),
        known: String::new(),
    }
}

fn bad_record(reason: impl std::fmt::Display) -> StoreError {
    StoreError::Record {
        what: "a study".to_owned(),
        reason: reason.to_string(),
    }
}

pub(super) fn trial(session: &mut dyn Session, study: StudyId, number: u64) -> Stored<Trial> {
    session
        .row(sql::TRIAL, &cells![study, number], rows::trial)?
        .ok_or(StoreError::UnknownTrial { number })
}

pub(super) fn trials(
    session: &mut dyn Session,
    study: StudyId,
    first: u64,
    count: u64,
) -> Stored<Vec<Trial>> {
    let trials = session.rows(sql::TRIALS, &cells![study, first, count], rows::trial)?;
    in_order(trials, first, |trial| Some(trial.number))
}

/// Rows whose keys ascend, the first one at least `first`: those who read on after the last key would read a damaged index for ever.
/// A row without a readable key may be anywhere.
pub(super) fn in_order<T>(
    rows: Vec<T>,
    first: u64,
    key: impl Fn(&T) -> Option<u64>,
) -> Stored<Vec<T>> {
    let mut least = first;
    for found in rows.iter().filter_map(key) {
        if found < least {
            return Err(StoreError::Record {
                what: "the trials of a study".to_owned(),
                reason: "their index is damaged: they are not in its order".to_owned(),
            });
        }
        least = found.saturating_add(1);
    }
    Ok(rows)
}

pub(super) fn best(session: &mut dyn Session, study: StudyId) -> Stored<Option<Trial>> {
    let direction = session.row(sql::DIRECTION, &cells![study], |row| {
        row.of("a study");
        row.text()?
            .parse::<Direction>()
            .map_err(|error| row.wrong(error))
    })?;
    let best = match direction.ok_or_else(gone)? {
        Direction::Minimize => sql::SMALLEST,
        Direction::Maximize => sql::LARGEST,
    };
    session.row(best, &cells![study], rows::trial)
}

pub(super) fn counts(session: &mut dyn Session, study: StudyId) -> Stored<Counts> {
    let counts = session.row(sql::COUNTS, &cells![study], |row| {
        row.of("a study");
        let (running, complete, failed) = (row.count()?, row.count()?, row.count()?);
        Ok(Counts {
            running,
            complete,
            failed,
            pruned: row.count()?,
            known: row.count()?,
        })
    })?;
    counts.ok_or_else(gone)
}

pub(super) fn reports(
    session: &mut dyn Session,
    study: StudyId,
    number: u64,
) -> Stored<Vec<Report>> {
    let mut reports = session.rows(sql::REPORTS, &cells![study, number], |row| {
        row.of("an intermediate value");
        Ok(Report {
            step: row.int()?,
            name: row.text()?.to_owned(),
            value: row.real()?,
        })
    })?;
    // Not by the database: its text order depends on its locale.
    reports.sort_by(|a, b| (a.step, &a.name).cmp(&(b.step, &b.name)));
    Ok(reports)
}
