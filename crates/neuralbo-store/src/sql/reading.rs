//! Questions that change nothing.

use neuralbo::study::Direction;

use super::driver::Session;
use super::statements as sql;
use super::{rows, studies};
use crate::{Counts, Finished, Report, StoreError, StudyId, TrialRecord};

pub(super) fn trial(session: &mut dyn Session, study: StudyId, number: u64) -> Result<TrialRecord, StoreError> {
    let row = session.query(sql::TRIAL, &[study.0.into(), number.into()])?.pop();
    rows::trial(row.ok_or(StoreError::UnknownTrial { number })?)
}

pub(super) fn trials(session: &mut dyn Session, study: StudyId, first: u64, count: u64) -> Result<Vec<TrialRecord>, StoreError> {
    session.query(sql::TRIALS, &[study.0.into(), first.into(), count.into()])?.into_iter().map(rows::trial).collect()
}

pub(super) fn running(session: &mut dyn Session, study: StudyId) -> Result<Vec<TrialRecord>, StoreError> {
    let found = session.query(sql::RUNNING, &[study.0.into()])?;
    let mut trials: Vec<TrialRecord> = found.into_iter().map(rows::trial).collect::<Result<_, _>>()?;
    trials.sort_by_key(|trial| trial.number);
    Ok(trials)
}

pub(super) fn finished_since(
    session: &mut dyn Session,
    study: StudyId,
    seq: u64,
    count: u64,
) -> Result<Vec<Finished>, StoreError> {
    session.query(sql::FINISHED_SINCE, &[study.0.into(), seq.into(), count.into()])?.into_iter().map(rows::finished).collect()
}

pub(super) fn best(session: &mut dyn Session, study: StudyId) -> Result<Option<TrialRecord>, StoreError> {
    let mut row = session.query(sql::DIRECTION, &[study.0.into()])?.pop().ok_or_else(studies::gone)?;
    let best = match rows::direction(&mut row)? {
        Direction::Minimize => sql::SMALLEST,
        Direction::Maximize => sql::LARGEST,
    };
    session.query(best, &[study.0.into()])?.pop().map(rows::trial).transpose()
}

pub(super) fn counts(session: &mut dyn Session, study: StudyId) -> Result<Counts, StoreError> {
    let mut row = session.query(sql::COUNTS, &[study.0.into()])?.pop().ok_or_else(studies::gone)?;
    Ok(Counts { running: row.count()?, complete: row.count()?, failed: row.count()?, pruned: row.count()?, known: row.count()? })
}

pub(super) fn reports(session: &mut dyn Session, study: StudyId, number: u64) -> Result<Vec<Report>, StoreError> {
    let found = session.query(sql::REPORTS, &[study.0.into(), number.into()])?;
    let report = |row: super::cell::Row| {
        let mut row = row.of("an intermediate value");
        let (step, name, value) = (row.int()?, row.text()?, row.maybe_real()?);
        Ok(Report { step, name, value: value.ok_or_else(|| row.wrong("the value is missing"))? })
    };
    found.into_iter().map(report).collect()
}

pub(super) fn reports_at(session: &mut dyn Session, study: StudyId, step: i64, name: &str) -> Result<Vec<f64>, StoreError> {
    let found = session.query(sql::REPORTS_AT, &[study.0.into(), step.into(), name.into()])?;
    found.into_iter().filter_map(|mut row| row.maybe_real().transpose()).collect()
}
