//! Studies and their definitions: made, found, changed, removed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use neuralbo::record::{Definition, Limits, Values};
use neuralbo::store::{NewStudy, StoreError, StudyId, StudyRecord, unknown_study};

use super::cell::Cell;
use super::driver::{Dialect, Session};
use super::schema::RECORD_VERSION;
use super::statements as sql;
use super::{adding, rows};

/// Definitions that were read before: they never change, and identifiers of studies are never used again.
#[derive(Default)]
pub(super) struct Definitions(Mutex<HashMap<(i64, u64), Arc<Definition>>>);

impl Definitions {
    pub(super) fn get(
        &self,
        session: &mut dyn Session,
        study: StudyId,
        version: u64,
    ) -> Result<Arc<Definition>, StoreError> {
        if let Some(known) = self.lock().get(&(study.0, version)) {
            return Ok(Arc::clone(known));
        }
        let found = session.row(
            sql::DEFINITION,
            &[study.0.into(), version.into()],
            rows::definition,
        )?;
        let definition = Arc::new(found.ok_or_else(gone)?);
        self.lock()
            .insert((study.0, version), Arc::clone(&definition));
        Ok(definition)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(i64, u64), Arc<Definition>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The study's row, locked until the transaction ends: whoever locks a study and a trial does it in this order.
pub(super) struct Ledger {
    pub(super) version: u64,
    pub(super) finished: u64,
    pub(super) next_number: u64,
}

pub(super) fn lock(session: &mut dyn Session, study: StudyId) -> Result<Ledger, StoreError> {
    let lock = match session.dialect() {
        Dialect::Sqlite => sql::LOCK_STUDY_SQLITE,
        Dialect::Postgres => sql::LOCK_STUDY_POSTGRES,
    };
    let ledger = session.row(lock, &[study.0.into()], |row| {
        row.of("a study");
        Ok(Ledger {
            version: row.count()?,
            finished: row.count()?,
            next_number: row.count()?,
        })
    })?;
    ledger.ok_or_else(gone)
}

pub(super) fn create(
    session: &mut dyn Session,
    study: &NewStudy,
) -> Result<StudyRecord, StoreError> {
    let newest = newest(&study.definitions)?;
    let (version, created_ms) = (study.definitions.len() as u64, session.now_ms()?);
    let mut cells: Vec<Cell> = vec![study.name.as_str().into(), version.into()];
    cells.extend(definition_cells(newest));
    cells.extend(limit_cells(&study.limits));
    cells.push(created_ms.into());
    if session.execute(sql::CREATE_STUDY, &cells)? == 0 {
        return Err(StoreError::NameTaken {
            name: study.name.clone(),
        });
    }
    let id = session
        .row(sql::STUDY_ID, &[study.name.as_str().into()], |row| {
            row.int()
        })?
        .map(StudyId)
        .ok_or_else(gone)?;
    for (version, definition) in (1..).zip(&study.definitions) {
        add_definition(session, id, version, definition)?;
    }
    adding::insert(session, id, newest, &study.trials, 0, 0)?;
    let definition = newest.clone();
    Ok(StudyRecord {
        id,
        name: study.name.clone(),
        version,
        definition,
        limits: study.limits,
        created_ms,
    })
}

pub(super) fn newest(definitions: &[Definition]) -> Result<&Definition, StoreError> {
    let missing = || StoreError::Record {
        what: "a study".to_owned(),
        reason: "it has no definition".to_owned(),
    };
    definitions.last().ok_or_else(missing)
}

fn add_definition(
    session: &mut dyn Session,
    study: StudyId,
    version: u64,
    definition: &Definition,
) -> Result<(), StoreError> {
    let wrong = |error: serde_json::Error| StoreError::Record {
        what: "a study".to_owned(),
        reason: error.to_string(),
    };
    let text = serde_json::to_string(definition).map_err(wrong)?;
    let now = session.now_ms()?;
    let cells = [
        study.0.into(),
        version.into(),
        RECORD_VERSION.into(),
        text.into(),
        now.into(),
    ];
    session.execute(sql::ADD_DEFINITION, &cells).map(|_| ())
}

/// The cells direction and attempts, which statements need.
fn definition_cells(definition: &Definition) -> [Cell; 2] {
    [
        definition.direction().to_string().into(),
        definition.retries.attempts.into(),
    ]
}

fn limit_cells(limits: &Limits) -> [Cell; 3] {
    [
        limits.trials.into(),
        limits.target.into(),
        limits.patience.into(),
    ]
}

pub(super) fn by_name(session: &mut dyn Session, name: &str) -> Result<StudyRecord, StoreError> {
    // PostgreSQL takes no NUL even in a comparison, and no study has such a name.
    let found = if name.contains('\0') {
        None
    } else {
        session.row(sql::STUDY_BY_NAME, &[name.into()], rows::study)?
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

pub(super) fn names(session: &mut dyn Session) -> Result<Vec<String>, StoreError> {
    let mut names = session.rows(sql::STUDY_NAMES, &[], |row| Ok(row.text()?.to_owned()))?;
    names.sort_unstable();
    Ok(names)
}

pub(super) fn all(session: &mut dyn Session) -> Result<Vec<StudyRecord>, StoreError> {
    let mut studies = session.rows(sql::STUDIES, &[], rows::study)?;
    // Not by the database, whose order of texts depends on its locale.
    studies.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(studies)
}

pub(super) fn definitions(
    session: &mut dyn Session,
    study: StudyId,
) -> Result<Vec<Definition>, StoreError> {
    let found = session.rows(sql::DEFINITIONS, &[study.0.into()], rows::definition)?;
    if found.is_empty() {
        Err(gone())
    } else {
        Ok(found)
    }
}

pub(super) fn limit(
    session: &mut dyn Session,
    study: StudyId,
    limits: &Limits,
) -> Result<(), StoreError> {
    let [trials, target, patience] = limit_cells(limits);
    changed(session.execute(
        sql::LIMIT_STUDY,
        &[study.0.into(), trials, target, patience],
    )?)
}

pub(super) fn redefine(
    session: &mut dyn Session,
    definitions: &Definitions,
    study: StudyId,
    from: u64,
    definition: &Definition,
) -> Result<u64, StoreError> {
    let found = lock(session, study)?.version;
    if found != from {
        return Err(StoreError::Redefined {
            found,
            expected: from,
        });
    }
    let before = definitions.get(session, study, found)?;
    let version = found + 1;
    add_definition(session, study, version, definition)?;
    let [direction, attempts] = definition_cells(definition);
    session.execute(
        sql::REDEFINE_STUDY,
        &[study.0.into(), version.into(), direction, attempts],
    )?;
    if before.objective() != definition.objective() || before.constraints != definition.constraints
    {
        rank_again(session, study, definition)?;
    }
    Ok(version)
}

/// Which trial is the best depends on the first objective and on the constraints.
fn rank_again(
    session: &mut dyn Session,
    study: StudyId,
    definition: &Definition,
) -> Result<(), StoreError> {
    let measured = session.rows(sql::MEASURED, &[study.0.into()], |row| {
        Ok((row.of("a trial").count()?, row.json::<Values>()?))
    })?;
    for (number, values) in measured {
        let [value, feasible] = rank_cells(definition, &values);
        session.execute(sql::RANK, &[study.0.into(), number.into(), value, feasible])?;
    }
    Ok(())
}

/// The cells value and feasible.
pub(super) fn rank_cells(definition: &Definition, values: &Values) -> [Cell; 2] {
    [
        values.get(definition.objective()).copied().into(),
        definition.is_feasible(values).into(),
    ]
}

pub(super) fn delete(session: &mut dyn Session, study: StudyId) -> Result<(), StoreError> {
    lock(session, study)?;
    for statement in [
        sql::DELETE_REPORTS,
        sql::DELETE_TRIALS,
        sql::DELETE_DEFINITIONS,
    ] {
        session.execute(statement, &[study.0.into()])?;
    }
    changed(session.execute(sql::DELETE_STUDY, &[study.0.into()])?)
}

fn changed(rows: u64) -> Result<(), StoreError> {
    if rows == 1 { Ok(()) } else { Err(gone()) }
}

/// The study of an id that was valid once.
pub(super) fn gone() -> StoreError {
    StoreError::UnknownStudy {
        name: "(deleted)".to_owned(),
        known: String::new(),
    }
}
