//! Results, and trials that nobody will tell.

use neuralbo::record::{
    Attributes, Definition, Ending, Failure, FailureKind, Outcome, Report, Retries, State,
};
use neuralbo::store::{Lease, StoreError, StudyId, Told, stored_name, too_late};

use super::claiming::{lease_cells, lost};
use super::driver::{Dialect, Session};
use super::statements as sql;
use super::studies::Definitions;
use super::{reading, rows, studies};

pub(super) fn tell(
    session: &mut dyn Session,
    definitions: &Definitions,
    lease: &Lease,
    ending: &Ending,
) -> Result<Told, StoreError> {
    let ledger = studies::lock(session, lease.study)?;
    let definition = definitions.get(session, lease.study, ledger.version)?;
    if let State::Failed { failure } = &ending.state
        && retried(session, lease, failure.kind, &definition.retries)?
    {
        return Ok(Told::Retried);
    }
    if finish(session, lease, &definition, ending, ledger.finished)? {
        return Ok(Told::Finished);
    }
    refused(session, lease, ending)
}

/// Makes the trial wait for another attempt, if the policy says so and the lease still holds. A trial that waits already was told
/// so before: the same news twice costs one attempt.
fn retried(
    session: &mut dyn Session,
    lease: &Lease,
    kind: FailureKind,
    retries: &Retries,
) -> Result<bool, StoreError> {
    let found = session.row(sql::LOSSES, &lease_cells(lease), |row| {
        Ok((row.count()?, row.int()?))
    })?;
    let Some((losses, lease_until)) = found else {
        return Ok(false);
    };
    if lease_until == 0 && retries.kinds.contains(&kind) {
        return Ok(true);
    }
    if !retries.again(kind, losses + 1) {
        return Ok(false);
    }
    let mut cells = lease_cells(lease);
    cells.push(1_i64.into());
    Ok(session.execute(sql::GIVE_BACK, &cells)? > 0)
}

/// Ends a running trial of this attempt; whether there was one.
fn finish(
    session: &mut dyn Session,
    lease: &Lease,
    definition: &Definition,
    ending: &Ending,
    finished: u64,
) -> Result<bool, StoreError> {
    let mut cells = lease_cells(lease);
    cells.extend([ending.state.name().into(), (finished + 1).into()]);
    cells.extend(studies::rank_cells(definition, &ending.values));
    cells.push(rows::map_cell(&ending.values)?);
    cells.extend(rows::state_cells(&ending.state));
    cells.push(session.now_ms()?.into());
    if session.execute(sql::FINISH, &cells)? == 0 {
        return Ok(false);
    }
    if let Some(params) = &ending.params {
        session.execute(
            sql::SET_PARAMS,
            &[
                lease.study.0.into(),
                lease.number.into(),
                params.to_json().into(),
            ],
        )?;
    }
    if !ending.attributes.is_empty() {
        set_attributes(session, lease.study, lease.number, &ending.attributes)?;
    }
    let [complete, failed, pruned] = tally(&ending.state);
    session.execute(
        sql::COUNT_FINISHED,
        &[
            lease.study.0.into(),
            complete.into(),
            failed.into(),
            pruned.into(),
        ],
    )?;
    Ok(true)
}

/// What a trial adds to the numbers of complete, failed and pruned ones.
pub(super) fn tally(state: &State) -> [u64; 3] {
    match state {
        State::Running => [0, 0, 0],
        State::Complete => [1, 0, 0],
        State::Failed { .. } => [0, 1, 0],
        State::Pruned { .. } => [0, 0, 1],
    }
}

/// Why a tell changed nothing: the same news twice, a second opinion, or a lease that was lost.
fn refused(session: &mut dyn Session, lease: &Lease, ending: &Ending) -> Result<Told, StoreError> {
    let trial = reading::trial(session, lease.study, lease.number)?;
    if trial.attempt != lease.attempt || trial.is_running() {
        return Err(lost(lease));
    }
    if trial.state == ending.state && trial.values == ending.values {
        return Ok(Told::Already);
    }
    Err(StoreError::AlreadyFinished {
        number: lease.number,
        state: trial.state.name(),
    })
}

/// The leases that have expired on trials without attempts left.
pub(super) fn out_of_attempts(
    session: &mut dyn Session,
    study: StudyId,
) -> Result<Vec<Lease>, StoreError> {
    let now = session.now_ms()?;
    session.rows(sql::LOST, &[study.0.into(), now.into()], |row| {
        Ok(Lease {
            study,
            number: row.count()?,
            attempt: row.count()?,
        })
    })
}

pub(super) fn fail_expired(
    session: &mut dyn Session,
    definitions: &Definitions,
    study: StudyId,
) -> Result<Vec<u64>, StoreError> {
    let ledger = studies::lock(session, study)?;
    let definition = definitions.get(session, study, ledger.version)?;
    let failure = Failure::worker_died(definition.retries.attempts);
    let Some(ending) = definition.ending(Outcome::Failed(failure)) else {
        return Ok(Vec::new());
    };
    let mut failed = Vec::new();
    for lease in out_of_attempts(session, study)? {
        if finish(
            session,
            &lease,
            &definition,
            &ending,
            ledger.finished + failed.len() as u64,
        )? {
            failed.push(lease.number);
        }
    }
    Ok(failed)
}

pub(super) fn report(
    session: &mut dyn Session,
    lease: &Lease,
    reports: &[Report],
) -> Result<(), StoreError> {
    if session
        .row(sql::HAS_LEASE, &lease_cells(lease), |_| Ok(()))?
        .is_none()
    {
        let trial = session.row(
            sql::TRIAL,
            &[lease.study.0.into(), lease.number.into()],
            rows::trial,
        )?;
        return Err(too_late(lease, trial.as_ref()));
    }
    reports
        .iter()
        .filter(|report| report.value.is_finite())
        .try_for_each(|report| write_report(session, lease, report))
}

pub(super) fn write_report(
    session: &mut dyn Session,
    lease: &Lease,
    report: &Report,
) -> Result<(), StoreError> {
    let name = stored_name(&report.name);
    let cells = [
        lease.study.0.into(),
        lease.number.into(),
        report.step.into(),
        name.into(),
        report.value.into(),
    ];
    session.execute(sql::REPORT, &cells).map(|_| ())
}

pub(super) fn set_attributes(
    session: &mut dyn Session,
    study: StudyId,
    number: u64,
    attributes: &Attributes,
) -> Result<(), StoreError> {
    let read = match session.dialect() {
        Dialect::Sqlite => sql::ATTRIBUTES_SQLITE,
        Dialect::Postgres => sql::ATTRIBUTES_POSTGRES,
    };
    let found = session.row(read, &[study.0.into(), number.into()], |row| {
        row.of("a trial").json_or_default::<Attributes>()
    })?;
    let mut all = found.ok_or(StoreError::UnknownTrial { number })?;
    all.extend(attributes.clone());
    session
        .execute(
            sql::SET_ATTRIBUTES,
            &[study.0.into(), number.into(), rows::map_cell(&all)?],
        )
        .map(|_| ())
}
