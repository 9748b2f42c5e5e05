//! The store on top of a driver: the trait's methods, each one transaction.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use neuralbo::record::{Attributes, Definition, Ending, Limits, Report, StepReport, Trial};
use neuralbo::store::{
    Claim, Claimed, Counts, Finished, Lease, NewStudy, NewTrial, Proposal, Proposed, Store,
    StoreError, StudyId, StudyRecord, Told, check_study, stored_name,
};

use super::checking::{self, Findings};
use super::driver::{Driver, Session, Statement, Stored};
use super::mending::{self, Mended};
use super::rows::{self, SqlRow, SqlValue, cells};
use super::statements as sql;
use super::studies::{Definitions, LockedStudy};
use super::{claiming, studies, telling};
use crate::transfer;

/// Trials of a snapshot are read in portions of this many.
const PORTION: u64 = 1000;

/// Studies in an SQL database.
pub(crate) struct SqlStore {
    url: String,
    driver: Mutex<Box<dyn Driver>>,
    definitions: Definitions,
}

impl SqlStore {
    pub(crate) fn new(url: String, driver: Box<dyn Driver>) -> Self {
        Self {
            url,
            driver: Mutex::new(driver),
            definitions: Definitions::default(),
        }
    }

    fn write<T>(&self, mut work: impl FnMut(&mut dyn Session) -> Stored<T>) -> Stored<T> {
        let mut answer = None;
        let work = &mut |session: &mut dyn Session| work(session).map(|it| answer = Some(it));
        self.lock().write(work)?;
        answer.ok_or_else(|| self.no_answer())
    }

    fn read<T>(&self, mut work: impl FnMut(&mut dyn Session) -> Stored<T>) -> Stored<T> {
        let mut answer = None;
        let work = &mut |session: &mut dyn Session| work(session).map(|it| answer = Some(it));
        self.lock().read(work)?;
        answer.ok_or_else(|| self.no_answer())
    }

    fn lock(&self) -> MutexGuard<'_, Box<dyn Driver>> {
        self.driver.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rows of a statement, after one that locks something, in one round trip; `None`, and nothing was done, without a server.
    fn at_once<T>(
        &self,
        lock: Option<Statement<'_>>,
        statement: Statement<'_>,
        mut read: impl FnMut(&mut SqlRow<'_>) -> Stored<T>,
    ) -> Stored<Option<Vec<T>>> {
        let mut found = Vec::new();
        let each = &mut |row: &mut SqlRow<'_>| read(row).map(|record| found.push(record));
        let is_done = self.lock().at_once(lock, statement, each)?;
        Ok(is_done.then_some(found))
    }

    /// All rows of a query.
    fn rows<T>(
        &self,
        sql: &'static str,
        cells: &[SqlValue],
        mut read: impl FnMut(&mut SqlRow<'_>) -> Stored<T>,
    ) -> Stored<Vec<T>> {
        match self.at_once(None, Statement { sql, cells }, &mut read)? {
            Some(rows) => Ok(rows),
            None => self.read(|session| session.rows(sql, cells, &mut read)),
        }
    }

    /// Checks everything, see [`Findings`].
    pub(crate) fn check(&self) -> Stored<Findings> {
        self.read(checking::check)
    }

    /// Replaces records that cannot be read by what can be read of them.
    pub(crate) fn mend(&self) -> Stored<Mended> {
        self.write(mending::mend)
    }

    /// Passes a snapshot of all studies with all their trials to `each`. After a lost connection it
    /// starts again, with another call of `begin`.
    pub(crate) fn snapshot(
        &self,
        begin: &mut dyn FnMut() -> Stored<()>,
        each: &mut dyn FnMut(&str) -> Stored<()>,
    ) -> Stored<u64> {
        self.read(|session| {
            begin()?;
            let names = studies::names(session)?;
            for name in &names {
                snapshot_study(session, name, each)?;
            }
            Ok(names.len() as u64)
        })
    }

    fn no_answer(&self) -> StoreError {
        StoreError::Database {
            url: self.url.clone(),
            reason: "the transaction ended without an answer".to_owned(),
        }
    }
}

fn snapshot_study(
    session: &mut dyn Session,
    name: &str,
    each: &mut dyn FnMut(&str) -> Stored<()>,
) -> Stored<()> {
    let record = studies::by_name(session, name)?;
    let definitions = studies::definitions(session, record.id)?;
    each(&transfer::study_line(&record, definitions)?)?;
    let mut first = 0;
    loop {
        let trials = studies::trials(session, record.id, first, PORTION)?;
        let Some(last) = trials.last() else {
            return Ok(());
        };
        first = last.number + 1;
        for trial in &trials {
            let reports = studies::reports(session, record.id, trial.number)?;
            each(&transfer::trial_line(trial, &reports)?)?;
        }
    }
}

impl Store for SqlStore {
    fn create_study(&self, study: &NewStudy) -> Stored<StudyRecord> {
        check_study(study)?;
        self.write(|session| {
            let record = studies::create(session, study)?;
            let (id, newest) = (record.id, &record.definition);
            telling::insert(session, id, newest, &study.trials, &LockedStudy::default())?;
            Ok(record)
        })
    }

    fn study(&self, name: &str) -> Stored<StudyRecord> {
        self.read(|session| studies::by_name(session, name))
    }

    fn studies(&self) -> Stored<Vec<StudyRecord>> {
        self.read(studies::all)
    }

    fn study_names(&self) -> Stored<Vec<String>> {
        self.read(studies::names)
    }

    fn definitions(&self, study: StudyId) -> Stored<Vec<Definition>> {
        self.read(|session| studies::definitions(session, study))
    }

    fn limit(&self, study: StudyId, limits: &Limits) -> Stored<()> {
        self.write(|session| studies::limit(session, study, limits))
    }

    fn redefine(&self, study: StudyId, from: u64, definition: &Definition) -> Stored<u64> {
        self.write(|session| studies::redefine(session, &self.definitions, study, from, definition))
    }

    fn rename_study(&self, study: StudyId, name: &str) -> Stored<()> {
        self.write(|session| studies::rename(session, study, name))
    }

    fn set_study_attributes(&self, study: StudyId, attributes: &Attributes) -> Stored<()> {
        self.write(|session| studies::set_attributes(session, study, attributes))
    }

    fn delete_study(&self, study: StudyId) -> Stored<()> {
        self.write(|session| studies::delete(session, study))
    }

    fn claim(&self, study: StudyId, claim: &Claim) -> Stored<Claimed> {
        let cells = &claiming::claim_cells(study, claim);
        let sql = sql::CLAIM_POSTGRES;
        let claimed = self.at_once(None, Statement { sql, cells }, rows::trial)?;
        match claimed.and_then(|mut trials| trials.pop()) {
            Some(trial) => Ok(claiming::claimed(trial)),
            None => self.write(|session| claiming::claim(session, study, claim)),
        }
    }

    fn propose(&self, lease: &Lease, proposal: &Proposal) -> Stored<Proposed> {
        if proposal.provenance.resumes.is_none() {
            let lock = Statement {
                sql: sql::LOCK_POINT,
                cells: &claiming::point_cells(lease, proposal),
            };
            let enter = Statement {
                sql: sql::PROPOSE_POSTGRES,
                cells: &claiming::proposal_cells(lease, proposal, proposal.repeat_allowed),
            };
            let entered = self.at_once(Some(lock), enter, |_| Ok(()))?;
            if entered.is_some_and(|rows| !rows.is_empty()) {
                return Ok(Proposed::Accepted);
            }
        }
        self.write(|session| claiming::propose(session, lease, proposal))
    }

    fn release(&self, lease: &Lease) -> Stored<()> {
        self.write(|session| claiming::release(session, lease))
    }

    fn expire(&self, lease: &Lease) -> Stored<()> {
        self.write(|session| claiming::expire(session, lease))
    }

    fn renew(&self, leases: &[Lease], lease: Duration) -> Stored<Vec<Lease>> {
        self.write(|session| claiming::renew(session, leases, lease))
    }

    fn tell(&self, lease: &Lease, ending: &Ending) -> Stored<Told> {
        if let Some(cells) = &telling::finish_cells(&self.definitions, lease, ending)? {
            let sql = sql::FINISH_POSTGRES;
            let told = self.at_once(None, Statement { sql, cells }, |_| Ok(()))?;
            if told.is_some_and(|rows| !rows.is_empty()) {
                return Ok(Told::Finished);
            }
        }
        self.write(|session| telling::tell(session, &self.definitions, lease, ending))
    }

    fn fail_expired(&self, study: StudyId) -> Stored<Vec<u64>> {
        // Usually there are none; reading first avoids a lock.
        let (sql, cells) = (sql::LOST_POSTGRES, &cells![study]);
        let lost = self.at_once(None, Statement { sql, cells }, |row| {
            telling::lost_lease(study, row)
        })?;
        let lost = match lost {
            Some(lost) => lost,
            None => self.read(|session| telling::out_of_attempts(session, study))?,
        };
        if lost.is_empty() {
            return Ok(Vec::new());
        }
        self.write(|session| telling::fail_expired(session, &self.definitions, study))
    }

    fn report(&self, lease: &Lease, reports: &[Report]) -> Stored<()> {
        self.write(|session| telling::report(session, lease, reports))
    }

    fn set_attributes(&self, study: StudyId, number: u64, attributes: &Attributes) -> Stored<()> {
        self.write(|session| telling::set_attributes(session, study, number, attributes))
    }

    fn add(&self, study: StudyId, trials: &[NewTrial]) -> Stored<Vec<u64>> {
        self.write(|session| telling::add(session, study, trials))
    }

    fn trial(&self, study: StudyId, number: u64) -> Stored<Trial> {
        self.read(|session| studies::trial(session, study, number))
    }

    fn trials(&self, study: StudyId, first: u64, count: u64) -> Stored<Vec<Trial>> {
        self.read(|session| studies::trials(session, study, first, count))
    }

    fn trials_since(&self, study: StudyId, seq: u64, count: u64) -> Stored<Vec<Trial>> {
        let cells = cells![study, seq, count];
        let trials = self.rows(sql::TRIALS_SINCE, &cells, rows::trial)?;
        studies::in_order(trials, seq.saturating_add(1), |trial| trial.seq)
    }

    fn running(&self, study: StudyId) -> Stored<Vec<Trial>> {
        let mut trials = self.rows(sql::RUNNING, &cells![study], rows::trial)?;
        trials.sort_by_key(|trial| trial.number);
        Ok(trials)
    }

    fn finished_since(&self, study: StudyId, seq: u64, count: u64) -> Stored<Vec<Finished>> {
        let cells = cells![study, seq, count];
        let finished = self.rows(sql::FINISHED_SINCE, &cells, rows::finished)?;
        studies::in_order(finished, seq.saturating_add(1), |one| Some(one.seq))
    }

    fn best(&self, study: StudyId) -> Stored<Option<Trial>> {
        self.read(|session| studies::best(session, study))
    }

    fn counts(&self, study: StudyId) -> Stored<Counts> {
        self.read(|session| studies::counts(session, study))
    }

    fn reports(&self, study: StudyId, number: u64) -> Stored<Vec<Report>> {
        self.read(|session| studies::reports(session, study, number))
    }

    fn reports_at(&self, study: StudyId, step: i64, name: &str) -> Stored<Vec<StepReport>> {
        let cells = cells![study, step, stored_name(name)];
        self.rows(sql::REPORTS_AT, &cells, |row| {
            row.of("an intermediate value");
            Ok(StepReport {
                number: row.count()?,
                value: row.real()?,
                complete: row.text()? == "complete",
            })
        })
    }

    fn curves(
        &self,
        study: StudyId,
        name: &str,
        after: u64,
        until: u64,
    ) -> Stored<Vec<(u64, i64, f64)>> {
        let cells = cells![study, after, until, stored_name(name)];
        self.rows(sql::CURVES, &cells, |row| {
            row.of("an intermediate value");
            Ok((row.count()?, row.int()?, row.real()?))
        })
    }

    fn url(&self) -> &str {
        &self.url
    }
}
