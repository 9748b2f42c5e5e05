//! Results: of trials that workers tell, of trials whose workers died, of trials from elsewhere.

use neuralbo::record::{
    Attributes, Definition, Ending, Failure, FailureKind, Outcome, Report, Retries, State, Trial,
};
use neuralbo::store::{
    Lease, NewTrial, StoreError, StudyId, Told, check_trials, merged_attributes, stored_name,
    too_late,
};

use super::claiming::lease_lost;
use super::driver::{Dialect, Session, Stored};
use super::rows::{self, SqlRow, SqlValue, add_up, cells, lease_cells, tally};
use super::statements as sql;
use super::studies::{self, Definitions, LockedStudy};

/// What [`sql::FINISH_POSTGRES`] needs; `None` for a tell that is more than a result.
pub(super) fn finish_cells(
    definitions: &Definitions,
    lease: &Lease,
    ending: &Ending,
) -> Stored<Option<Vec<SqlValue>>> {
    let is_result = !matches!(ending.state, State::Failed { .. })
        && ending.params.is_none()
        && ending.attributes.is_empty();
    let Some((version, definition)) = definitions.newest(lease.study).filter(|_| is_result) else {
        return Ok(None);
    };
    let mut cells = ending_cells(lease, &definition, ending, version)?;
    cells.extend(tally(&ending.state).map(SqlValue::from));
    Ok(Some(cells))
}

/// The first ten cells of both statements that end a trial; the fifth is specific to the statement.
fn ending_cells(
    lease: &Lease,
    definition: &Definition,
    ending: &Ending,
    fifth: u64,
) -> Stored<Vec<SqlValue>> {
    let mut cells = lease_cells(lease);
    cells.extend(cells![ending.state.name(), fifth]);
    cells.extend(rows::rank_cells(definition, &ending.values));
    cells.push(rows::map_cell(&ending.values)?);
    cells.extend(rows::state_cells(&ending.state));
    Ok(cells)
}

/// Ends a trial, step by step.
pub(super) fn tell(
    session: &mut dyn Session,
    definitions: &Definitions,
    lease: &Lease,
    ending: &Ending,
) -> Stored<Told> {
    let locked = studies::lock(session, lease.study)?;
    let definition = definitions.get(session, lease.study, locked.version)?;
    if let State::Failed { failure } = &ending.state
        && retried(session, lease, failure.kind, &definition.retries)?
    {
        return Ok(Told::Retried);
    }
    if finish(session, lease, &definition, ending, locked.finished)? {
        return Ok(Told::Finished);
    }
    refused(session, lease, ending)
}

/// Returns the trial to the queue if the retry policy allows it and the lease still holds. A trial
/// that is waiting already was told before: telling twice costs one attempt.
fn retried(
    session: &mut dyn Session,
    lease: &Lease,
    kind: FailureKind,
    retries: &Retries,
) -> Stored<bool> {
    let found = session.row(sql::LOST_ATTEMPTS, &lease_cells(lease), |row| {
        Ok((row.count()?, row.int()?))
    })?;
    let Some((lost, lease_until)) = found else {
        return Ok(false);
    };
    if lease_until == 0 && retries.kinds.contains(&kind) {
        return Ok(true);
    }
    if !retries.again(kind, lost + 1) {
        return Ok(false);
    }
    let mut cells = lease_cells(lease);
    cells.push(1_i64.into());
    Ok(session.execute(sql::GIVE_BACK, &cells)? > 0)
}

/// Ends a running trial of this attempt. Returns whether there was one.
fn finish(
    session: &mut dyn Session,
    lease: &Lease,
    definition: &Definition,
    ending: &Ending,
    finished: u64,
) -> Stored<bool> {
    let mut cells = ending_cells(lease, definition, ending, finished + 1)?;
    cells.push(session.now_ms()?.into());
    if session.execute(sql::FINISH, &cells)? == 0 {
        return Ok(false);
    }
    if let Some(params) = &ending.params {
        let cells = cells![lease.study, lease.number, params.to_json()];
        session.execute(sql::SET_PARAMS, &cells)?;
    }
    if !ending.attributes.is_empty() {
        set_attributes(session, lease.study, lease.number, &ending.attributes)?;
    }
    let [complete, failed, pruned] = tally(&ending.state);
    let cells = cells![lease.study, complete, failed, pruned];
    session.execute(sql::COUNT_FINISHED, &cells)?;
    Ok(true)
}

/// Why a tell changed nothing: told twice, another result, or a lost lease.
fn refused(session: &mut dyn Session, lease: &Lease, ending: &Ending) -> Stored<Told> {
    let trial = studies::trial(session, lease.study, lease.number)?;
    if trial.token != lease.token || trial.is_running() {
        return Err(lease_lost(lease));
    }
    if trial.state == ending.state && trial.values == ending.values {
        return Ok(Told::Already);
    }
    Err(StoreError::AlreadyFinished {
        number: lease.number,
        state: trial.state.name(),
    })
}

/// Expired leases on trials without attempts left.
pub(super) fn out_of_attempts(session: &mut dyn Session, study: StudyId) -> Stored<Vec<Lease>> {
    let now = session.now_ms()?;
    session.rows(sql::LOST, &cells![study, now], |row| lost_lease(study, row))
}

pub(super) fn lost_lease(study: StudyId, row: &mut SqlRow<'_>) -> Stored<Lease> {
    Ok(Lease {
        study,
        number: row.count()?,
        attempt: row.count()?,
        token: rows::token(row)?,
    })
}

pub(super) fn fail_expired(
    session: &mut dyn Session,
    definitions: &Definitions,
    study: StudyId,
) -> Stored<Vec<u64>> {
    let locked = studies::lock(session, study)?;
    let definition = definitions.get(session, study, locked.version)?;
    let failure = Failure::worker_died(definition.retries.attempts);
    let Some(ending) = definition.ending(Outcome::Failed(failure)) else {
        return Ok(Vec::new());
    };
    let mut failed = Vec::new();
    for lease in out_of_attempts(session, study)? {
        let finished = locked.finished + failed.len() as u64;
        if finish(session, &lease, &definition, &ending, finished)? {
            failed.push(lease.number);
        }
    }
    Ok(failed)
}

pub(super) fn report(session: &mut dyn Session, lease: &Lease, reports: &[Report]) -> Stored<()> {
    let held = session.row(sql::HAS_LEASE, &lease_cells(lease), |_| Ok(()))?;
    if held.is_none() {
        let trial = session.row(sql::TRIAL, &cells![lease.study, lease.number], rows::trial)?;
        return Err(too_late(lease, trial.as_ref()));
    }
    write_reports(session, lease, reports)
}

/// Stores the finite values.
fn write_reports(session: &mut dyn Session, lease: &Lease, reports: &[Report]) -> Stored<()> {
    let mut finite = reports.iter().filter(|report| report.value.is_finite());
    finite.try_for_each(|report| write_report(session, lease, report))
}

fn write_report(session: &mut dyn Session, lease: &Lease, report: &Report) -> Stored<()> {
    let name = stored_name(&report.name);
    let cells = cells![lease.study, lease.number, report.step, name, report.value];
    session.execute(sql::REPORT, &cells).map(|_| ())
}

pub(super) fn set_attributes(
    session: &mut dyn Session,
    study: StudyId,
    number: u64,
    attributes: &Attributes,
) -> Stored<()> {
    let read = match session.dialect() {
        Dialect::Sqlite => sql::ATTRIBUTES_SQLITE,
        Dialect::Postgres => sql::ATTRIBUTES_POSTGRES,
    };
    let found = session.row(read, &cells![study, number], |row| {
        rows::attributes(row.of("a trial"))
    })?;
    let present = found.ok_or(StoreError::UnknownTrial { number })?;
    let all = merged_attributes(Some(number), &present, attributes)?;
    let cells = [study.into(), number.into(), rows::map_cell(&all)?];
    session.execute(sql::SET_ATTRIBUTES, &cells).map(|_| ())
}

pub(super) fn add(
    session: &mut dyn Session,
    study: StudyId,
    trials: &[NewTrial],
) -> Stored<Vec<u64>> {
    let locked = studies::lock(session, study)?;
    let definitions = studies::definitions(session, study)?;
    let mut numbered = trials.to_vec();
    for (number, new) in (locked.next_number..).zip(&mut numbered) {
        (new.trial.number, new.trial.version) = (number, locked.version);
    }
    check_trials(&definitions, &numbered)?;
    let newest = studies::newest(&definitions)?;
    insert(session, study, newest, &numbered, &locked)?;
    Ok(numbered.iter().map(|new| new.trial.number).collect())
}

/// Enters checked trials under their numbers, after the finished trials that `before` counts.
pub(super) fn insert(
    session: &mut dyn Session,
    study: StudyId,
    definition: &Definition,
    trials: &[NewTrial],
    before: &LockedStudy,
) -> Stored<()> {
    let (mut finished, mut next) = (before.finished, before.next_number);
    let (mut known, mut states) = (0_u64, [0_u64; 3]);
    for NewTrial { trial, reports } in trials {
        let seq = (!trial.is_running()).then_some(finished + 1);
        insert_trial(session, study, definition, seq, trial)?;
        write_reports(session, &Lease::of(study, trial), reports)?;
        finished = seq.unwrap_or(finished);
        next = next.max(trial.number + 1);
        known += u64::from(trial.is_known());
        add_up(&mut states, tally(&trial.state));
    }
    let asked = trials.len() as u64 - known;
    let [complete, failed, pruned] = states;
    let cells = cells![study, next, asked, known, complete, failed, pruned];
    session.execute(sql::COUNT_ADDED, &cells).map(|_| ())
}

/// Enters a trial as it is.
pub(super) fn insert_trial(
    session: &mut dyn Session,
    study: StudyId,
    definition: &Definition,
    seq: Option<u64>,
    trial: &Trial,
) -> Stored<()> {
    let params = trial.params.as_ref().map(|params| params.to_json());
    let mut cells: Vec<SqlValue> = cells![study, trial.number, trial.version, params, seq].to_vec();
    cells.push(trial.state.name().into());
    cells.extend(ranked(definition, trial));
    cells.push(rows::map_cell(&trial.values)?);
    cells.extend(rows::state_cells(&trial.state));
    cells.push(rows::map_cell(&trial.attributes)?);
    cells.extend(rows::provenance_cells(trial.provenance.as_ref()));
    cells.extend(cells![
        stored_name(&trial.worker),
        trial.attempt,
        trial.asked_ms,
        trial.started_ms,
        trial.finished_ms
    ]);
    session.execute(sql::ADD_TRIAL, &cells).map(|_| ())
}

/// The cells value and feasible.
fn ranked(definition: &Definition, trial: &Trial) -> [SqlValue; 2] {
    match trial.state {
        State::Running => [SqlValue::Null, true.into()],
        _ => rows::rank_cells(definition, &trial.values),
    }
}
