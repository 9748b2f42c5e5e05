//! Claims, proposals and leases.

use std::time::Duration;

use super::driver::{Dialect, Session};
use super::rows;
use super::statements as sql;
use super::{reading, studies};
use crate::outcome::storable;
use crate::{Claim, Claimed, Lease, Proposal, Proposed, StoreError, StudyId, TrialRecord};

/// Longest name of a worker that is kept, in bytes.
const WORKER_KEPT: usize = 200;

pub(super) fn claim(session: &mut dyn Session, study: StudyId, claim: &Claim) -> Result<Claimed, StoreError> {
    if let Some(row) = session.query(sql::CLAIMED_BEFORE, &[study.0.into(), claim.token.as_str().into()])?.pop() {
        return Ok(claimed(study, rows::trial(row)?));
    }
    let number = match take_over(session, study, claim)? {
        Some(number) => Some(number),
        None => create(session, study, claim)?,
    };
    match number {
        Some(number) => Ok(claimed(study, reading::trial(session, study, number)?)),
        None => Ok(Claimed::Full { running: reading::counts(session, study)?.running }),
    }
}

fn claimed(study: StudyId, trial: TrialRecord) -> Claimed {
    Claimed::Trial(Lease { study, number: trial.number, attempt: trial.attempt }, Box::new(trial))
}

/// Takes a trial that waits for a worker; of those who try at once, one succeeds and the others see the next trial.
fn take_over(session: &mut dyn Session, study: StudyId, claim: &Claim) -> Result<Option<u64>, StoreError> {
    let waiting = match session.dialect() {
        Dialect::Sqlite => sql::WAITING_SQLITE,
        Dialect::Postgres => sql::WAITING_POSTGRES,
    };
    let now = session.now_ms();
    let Some(row) = session.query(waiting, &[study.0.into(), now.into()])?.pop() else { return Ok(None) };
    let mut row = row.of("a waiting trial");
    let (number, attempt, losses, lease_until) = (row.count()?, row.count()?, row.count()?, row.int()?);
    let losses = losses + u64::from(lease_until > 0);
    let cells = [
        study.0.into(),
        number.into(),
        attempt.into(),
        storable(&claim.worker, WORKER_KEPT).into(),
        claim.token.as_str().into(),
        losses.into(),
        lease_end(now, claim.lease).into(),
    ];
    if session.execute(sql::TAKE_OVER, &cells)? == 0 {
        return Ok(None);
    }
    session.execute(sql::FORGET_REPORTS, &[study.0.into(), number.into()])?;
    Ok(Some(number))
}

fn create(session: &mut dyn Session, study: StudyId, claim: &Claim) -> Result<Option<u64>, StoreError> {
    let Some(mut row) = session.query(sql::NEXT_NUMBER, &[study.0.into()])?.pop() else { return Ok(None) };
    let (number, now) = (row.count()?, session.now_ms());
    let cells = [
        study.0.into(),
        number.into(),
        storable(&claim.worker, WORKER_KEPT).into(),
        claim.token.as_str().into(),
        lease_end(now, claim.lease).into(),
        now.into(),
    ];
    session.execute(sql::CREATE_TRIAL, &cells)?;
    Ok(Some(number))
}

/// When a lease ends; never 0, which means that a trial waits.
fn lease_end(now: i64, lease: Duration) -> i64 {
    now.saturating_add(i64::try_from(lease.as_millis()).unwrap_or(i64::MAX)).max(1)
}

pub(super) fn propose(session: &mut dyn Session, lease: &Lease, proposal: &Proposal) -> Result<Proposed, StoreError> {
    if session.dialect() == Dialect::Postgres {
        session.query(sql::LOCK_STUDY_POSTGRES, &[lease.study.0.into()])?;
    }
    let same = [lease.study.0.into(), lease.number.into(), proposal.params.as_str().into()];
    if !proposal.repeat_allowed && !session.query(sql::SAME_POINT, &same)?.is_empty() {
        return Ok(Proposed::Repeated);
    }
    let mut cells = lease_cells(lease);
    cells.push(proposal.params.as_str().into());
    cells.extend(rows::provenance_cells(Some(&proposal.provenance)));
    match session.execute(sql::PROPOSE, &cells)? {
        0 => Err(lost(lease)),
        _ => Ok(Proposed::Accepted),
    }
}

pub(super) fn lease_cells(lease: &Lease) -> Vec<super::cell::Cell> {
    vec![lease.study.0.into(), lease.number.into(), lease.attempt.into()]
}

pub(super) fn lost(lease: &Lease) -> StoreError {
    StoreError::LeaseLost { number: lease.number, attempt: lease.attempt }
}

pub(super) fn release(session: &mut dyn Session, lease: &Lease) -> Result<(), StoreError> {
    // The study before the trial, as everywhere: whoever locks both does it in this order.
    if session.dialect() == Dialect::Postgres {
        session.query(sql::LOCK_STUDY_POSTGRES, &[lease.study.0.into()])?;
    }
    if session.execute(sql::FORGET_TRIAL, &lease_cells(lease))? > 0 {
        session.execute(sql::UNCOUNT_TRIAL, &[lease.study.0.into(), lease.number.into()])?;
        return Ok(());
    }
    let mut cells = lease_cells(lease);
    cells.push(0_i64.into());
    session.execute(sql::GIVE_BACK, &cells)?;
    Ok(())
}

pub(super) fn renew(session: &mut dyn Session, leases: &[Lease], duration: Duration) -> Result<Vec<Lease>, StoreError> {
    let until = lease_end(session.now_ms(), duration);
    let mut gone = Vec::new();
    for lease in leases {
        let mut cells = lease_cells(lease);
        cells.push(until.into());
        if session.execute(sql::RENEW, &cells)? == 0 {
            gone.push(*lease);
        }
    }
    Ok(gone)
}

/// The study's row, locked until the transaction ends: finished trials, attempts allowed, retry policy, next number.
pub(super) fn lock_study(session: &mut dyn Session, study: StudyId) -> Result<super::cell::Row, StoreError> {
    let lock = match session.dialect() {
        Dialect::Sqlite => sql::LOCK_STUDY_SQLITE,
        Dialect::Postgres => sql::LOCK_STUDY_POSTGRES,
    };
    let row = session.query(lock, &[study.0.into()])?.pop().ok_or_else(studies::gone)?;
    Ok(row.of("a study"))
}
