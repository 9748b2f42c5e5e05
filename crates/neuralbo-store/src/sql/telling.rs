//! Results, and trials that nobody will tell.

use neuralbo::study::{Failure, FailureKind};

use super::claiming::{lease_cells, lock_study, lost};
use super::driver::Session;
use super::statements as sql;
use super::{reading, rows};
use crate::{Lease, Outcome, Report, Retries, StoreError, StudyId, Told, TrialState};

/// What of a study a tell needs.
struct Ledger {
    finished: u64,
    attempts: u64,
    retries: Retries,
}

fn ledger(session: &mut dyn Session, study: StudyId) -> Result<Ledger, StoreError> {
    let mut row = lock_study(session, study)?;
    Ok(Ledger { finished: row.count()?, attempts: row.count()?, retries: row.json()? })
}

pub(super) fn tell(session: &mut dyn Session, lease: &Lease, outcome: &Outcome) -> Result<Told, StoreError> {
    let ledger = ledger(session, lease.study)?;
    let state = outcome.clone().into_state();
    if let TrialState::Failed { failure } = &state
        && retried(session, lease, failure.kind, &ledger.retries)?
    {
        return Ok(Told::Retried);
    }
    if finish(session, lease, &state, ledger.finished)? {
        return Ok(Told::Finished);
    }
    refused(session, lease, &state)
}

/// Makes the trial wait for another attempt, if the policy says so and the lease still holds.
fn retried(session: &mut dyn Session, lease: &Lease, kind: FailureKind, retries: &Retries) -> Result<bool, StoreError> {
    let Some(mut row) = session.query(sql::LOSSES, &[lease.study.0.into(), lease.number.into()])?.pop() else { return Ok(false) };
    if !retries.again(kind, row.count()? + 1) {
        return Ok(false);
    }
    let mut cells = lease_cells(lease);
    cells.push(1_i64.into());
    Ok(session.execute(sql::GIVE_BACK, &cells)? > 0)
}

/// Ends a running trial of this attempt; whether there was one.
fn finish(session: &mut dyn Session, lease: &Lease, state: &TrialState, finished: u64) -> Result<bool, StoreError> {
    let [name, value, kind, message] = rows::state_cells(state);
    let mut cells = lease_cells(lease);
    cells.extend([name, (finished + 1).into(), value, kind, message, session.now_ms().into()]);
    if session.execute(sql::FINISH, &cells)? == 0 {
        return Ok(false);
    }
    let [complete, failed, pruned] = tally(state);
    session.execute(sql::COUNT_FINISHED, &[lease.study.0.into(), complete.into(), failed.into(), pruned.into()])?;
    Ok(true)
}

/// What a trial adds to the numbers of complete, failed and pruned ones.
pub(super) fn tally(state: &TrialState) -> [u64; 3] {
    match state {
        TrialState::Running => [0, 0, 0],
        TrialState::Complete { .. } => [1, 0, 0],
        TrialState::Failed { .. } => [0, 1, 0],
        TrialState::Pruned { .. } => [0, 0, 1],
    }
}

/// Why a tell changed nothing: the same news twice, a second opinion, or a lease that was lost.
fn refused(session: &mut dyn Session, lease: &Lease, state: &TrialState) -> Result<Told, StoreError> {
    let trial = reading::trial(session, lease.study, lease.number)?;
    if trial.attempt != lease.attempt || trial.state == TrialState::Running {
        return Err(lost(lease));
    }
    if trial.state == *state {
        return Ok(Told::Already);
    }
    Err(StoreError::AlreadyFinished { number: lease.number, state: trial.state.name() })
}

/// The leases that have expired on trials without attempts left.
pub(super) fn hopeless(session: &mut dyn Session, study: StudyId) -> Result<Vec<Lease>, StoreError> {
    let now = session.now_ms();
    let found = session.query(sql::HOPELESS, &[study.0.into(), now.into()])?;
    found.into_iter().map(|mut row| Ok(Lease { study, number: row.count()?, attempt: row.count()? })).collect()
}

pub(super) fn fail_expired(session: &mut dyn Session, study: StudyId) -> Result<Vec<u64>, StoreError> {
    let Ledger { mut finished, attempts, .. } = ledger(session, study)?;
    let message = format!("its worker died in each of {attempts} attempts");
    let state = TrialState::Failed { failure: Failure::new(FailureKind::Lost, message) };
    let mut failed = Vec::new();
    for lease in hopeless(session, study)? {
        if finish(session, &lease, &state, finished)? {
            finished += 1;
            failed.push(lease.number);
        }
    }
    Ok(failed)
}

pub(super) fn report(session: &mut dyn Session, lease: &Lease, reports: &[Report]) -> Result<(), StoreError> {
    if session.query(sql::HAS_LEASE, &lease_cells(lease))?.is_empty() {
        return Err(lost(lease));
    }
    reports.iter().filter(|report| report.value.is_finite()).try_for_each(|report| write_report(session, lease, report))
}

pub(super) fn write_report(session: &mut dyn Session, lease: &Lease, report: &Report) -> Result<(), StoreError> {
    let name = crate::outcome::storable(&report.name, 200);
    let cells = [lease.study.0.into(), lease.number.into(), report.step.into(), name.into(), report.value.into()];
    session.execute(sql::REPORT, &cells).map(|_| ())
}
