//! Questions that change nothing.

use neuralbo::record::{Direction, Report, StepReport, Trial};
use neuralbo::store::{Counts, Finished, StoreError, StudyId, stored_name};

use super::driver::Session;
use super::statements as sql;
use super::{rows, studies};

pub(super) fn trial(
    session: &mut dyn Session,
    study: StudyId,
    number: u64,
) -> Result<Trial, StoreError> {
    session
        .row(sql::TRIAL, &[study.0.into(), number.into()], rows::trial)?
        .ok_or(StoreError::UnknownTrial { number })
}

pub(super) fn trials(
    session: &mut dyn Session,
    study: StudyId,
    first: u64,
    count: u64,
) -> Result<Vec<Trial>, StoreError> {
    session.rows(
        sql::TRIALS,
        &[study.0.into(), first.into(), count.into()],
        rows::trial,
    )
}

pub(super) fn trials_since(
    session: &mut dyn Session,
    study: StudyId,
    seq: u64,
    count: u64,
) -> Result<Vec<Trial>, StoreError> {
    session.rows(
        sql::TRIALS_SINCE,
        &[study.0.into(), seq.into(), count.into()],
        rows::trial,
    )
}

pub(super) fn running(session: &mut dyn Session, study: StudyId) -> Result<Vec<Trial>, StoreError> {
    let mut trials = session.rows(sql::RUNNING, &[study.0.into()], rows::trial)?;
    trials.sort_by_key(|trial| trial.number);
    Ok(trials)
}

pub(super) fn finished_since(
    session: &mut dyn Session,
    study: StudyId,
    seq: u64,
    count: u64,
) -> Result<Vec<Finished>, StoreError> {
    session.rows(
        sql::FINISHED_SINCE,
        &[study.0.into(), seq.into(), count.into()],
        rows::finished,
    )
}

pub(super) fn best(session: &mut dyn Session, study: StudyId) -> Result<Option<Trial>, StoreError> {
    let direction = session.row(sql::DIRECTION, &[study.0.into()], |row| {
        row.of("a study");
        row.text()?
            .parse::<Direction>()
            .map_err(|error| row.wrong(error))
    })?;
    let best = match direction.ok_or_else(studies::gone)? {
        Direction::Minimize => sql::SMALLEST,
        Direction::Maximize => sql::LARGEST,
    };
    session.row(best, &[study.0.into()], rows::trial)
}

pub(super) fn counts(session: &mut dyn Session, study: StudyId) -> Result<Counts, StoreError> {
    let counts = session.row(sql::COUNTS, &[study.0.into()], |row| {
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
    counts.ok_or_else(studies::gone)
}

pub(super) fn reports(
    session: &mut dyn Session,
    study: StudyId,
    number: u64,
) -> Result<Vec<Report>, StoreError> {
    let mut reports = session.rows(sql::REPORTS, &[study.0.into(), number.into()], |row| {
        row.of("an intermediate value");
        Ok(Report {
            step: row.int()?,
            name: row.text()?.to_owned(),
            value: row.real()?,
        })
    })?;
    // Not by the database, whose order of texts depends on its locale.
    reports.sort_by(|a, b| (a.step, &a.name).cmp(&(b.step, &b.name)));
    Ok(reports)
}

pub(super) fn curves(
    session: &mut dyn Session,
    study: StudyId,
    name: &str,
    (after, until): (u64, u64),
) -> Result<Vec<(u64, i64, f64)>, StoreError> {
    let cells = [
        study.0.into(),
        after.into(),
        until.into(),
        stored_name(name).into(),
    ];
    session.rows(sql::CURVES, &cells, |row| {
        row.of("an intermediate value");
        Ok((row.count()?, row.int()?, row.real()?))
    })
}

pub(super) fn reports_at(
    session: &mut dyn Session,
    study: StudyId,
    step: i64,
    name: &str,
) -> Result<Vec<StepReport>, StoreError> {
    session.rows(
        sql::REPORTS_AT,
        &[study.0.into(), step.into(), stored_name(name).into()],
        |row| {
            row.of("an intermediate value");
            Ok(StepReport {
                number: row.count()?,
                value: row.real()?,
                complete: row.text()? == "complete",
            })
        },
    )
}
