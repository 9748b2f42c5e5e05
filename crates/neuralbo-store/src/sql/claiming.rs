//! Claims, proposals and leases.

use std::time::Duration;

use neuralbo::store::{
    Claim, Claimed, Lease, Proposal, Proposed, StoreError, StudyId, stored_name,
};

use super::driver::{Dialect, Session, Stored};
use super::rows::{self, cells, lease_cells};
use super::statements as sql;
use super::studies;

pub(super) fn claim(session: &mut dyn Session, study: StudyId, claim: &Claim) -> Stored<Claimed> {
    let before = session.row(sql::CLAIMED_BEFORE, &cells![study, claim.token], |row| {
        row.count()
    })?;
    let number = match before {
        Some(number) => Some(number),
        None => take_over(session, study, claim)?,
    };
    let number = match number {
        Some(number) => {
            session.execute(sql::RENEW_VERSION, &cells![study, number])?;
            Some(number)
        }
        None => create(session, study, claim)?,
    };
    match number {
        Some(number) => Ok(Claimed::Trial(Box::new(studies::trial(
            session, study, number,
        )?))),
        None => Ok(Claimed::Full {
            running: studies::counts(session, study)?.running,
        }),
    }
}

/// Takes a trial that waits for a worker. Of several workers, one succeeds and the others see the
/// next trial.
fn take_over(session: &mut dyn Session, study: StudyId, claim: &Claim) -> Stored<Option<u64>> {
    let waiting = match session.dialect() {
        Dialect::Sqlite => sql::WAITING_SQLITE,
        Dialect::Postgres => sql::WAITING_POSTGRES,
    };
    let now = session.now_ms()?;
    let found = session.row(waiting, &cells![study, now], |row| {
        row.of("a waiting trial");
        Ok((row.count()?, row.count()?, row.count()?, row.int()?))
    })?;
    let Some((number, attempt, lost, lease_until)) = found else {
        return Ok(None);
    };
    let lost = lost + u64::from(lease_until > 0);
    let cells = cells![
        study,
        number,
        attempt,
        stored_name(&claim.worker),
        claim.token,
        lost,
        lease_end(now, claim.lease)
    ];
    if session.execute(sql::TAKE_OVER, &cells)? == 0 {
        return Ok(None);
    }
    session.execute(sql::FORGET_REPORTS, &cells![study, number])?;
    Ok(Some(number))
}

fn create(session: &mut dyn Session, study: StudyId, claim: &Claim) -> Stored<Option<u64>> {
    let next = session.row(sql::NEXT_NUMBER, &cells![study], |row| {
        Ok((row.count()?, row.count()?))
    })?;
    let (Some((number, version)), now) = (next, session.now_ms()?) else {
        return Ok(None);
    };
    let cells = cells![
        study,
        number,
        version,
        stored_name(&claim.worker),
        claim.token,
        lease_end(now, claim.lease),
        now
    ];
    session.execute(sql::CREATE_TRIAL, &cells)?;
    Ok(Some(number))
}

/// The end of a lease; never 0, which marks a waiting trial.
fn lease_end(now: i64, lease: Duration) -> i64 {
    now.saturating_add(i64::try_from(lease.as_millis()).unwrap_or(i64::MAX))
        .max(1)
}

pub(super) fn propose(
    session: &mut dyn Session,
    lease: &Lease,
    proposal: &Proposal,
) -> Stored<Proposed> {
    if session.dialect() == Dialect::Postgres {
        studies::lock(session, lease.study)?;
    }
    if let Some(resumes) = proposal.provenance.resumes {
        let cells = cells![lease.study, resumes, lease.number];
        if session.row(sql::RESUMED, &cells, |_| Ok(()))?.is_some() {
            return Ok(Proposed::Repeated);
        }
    }
    let params = proposal.params.to_json();
    let same = cells![lease.study, lease.number, params.as_str()];
    if !proposal.repeat_allowed && session.row(sql::SAME_POINT, &same, |_| Ok(()))?.is_some() {
        return Ok(Proposed::Repeated);
    }
    let mut cells = lease_cells(lease);
    cells.extend(cells![proposal.version, params, session.now_ms()?]);
    cells.extend(rows::provenance_cells(Some(&proposal.provenance)));
    match session.execute(sql::PROPOSE, &cells)? {
        0 => Err(lease_lost(lease)),
        _ => Ok(Proposed::Accepted),
    }
}

pub(super) fn lease_lost(lease: &Lease) -> StoreError {
    StoreError::LeaseLost {
        number: lease.number,
        attempt: lease.attempt,
    }
}

pub(super) fn release(session: &mut dyn Session, lease: &Lease) -> Stored<()> {
    if session.dialect() == Dialect::Postgres {
        studies::lock(session, lease.study)?;
    }
    if session.execute(sql::FORGET_TRIAL, &lease_cells(lease))? > 0 {
        session.execute(sql::UNCOUNT_TRIAL, &cells![lease.study, lease.number])?;
        return Ok(());
    }
    let mut cells = lease_cells(lease);
    cells.push(0_i64.into());
    session.execute(sql::GIVE_BACK, &cells).map(|_| ())
}

pub(super) fn expire(session: &mut dyn Session, lease: &Lease) -> Stored<()> {
    let mut cells = lease_cells(lease);
    cells.push(session.now_ms()?.max(1).into());
    session.execute(sql::EXPIRE, &cells).map(|_| ())
}

pub(super) fn renew(
    session: &mut dyn Session,
    leases: &[Lease],
    duration: Duration,
) -> Stored<Vec<Lease>> {
    let until = lease_end(session.now_ms()?, duration);
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
