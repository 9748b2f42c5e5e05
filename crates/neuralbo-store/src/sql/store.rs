//! The store on top of a driver: the trait's methods, each one transaction.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::driver::{Driver, Session};
use super::{claiming, reading, studies, telling, transferring};
use crate::{
    Claim, Claimed, Counts, Definition, Finished, Lease, Limits, Outcome, Proposal, Proposed, Report, Store, StoreError, StudyId,
    StudyRecord, Told, TrialRecord,
};

/// Studies in an SQL database.
pub(crate) struct SqlStore {
    url: String,
    driver: Mutex<Box<dyn Driver>>,
}

impl SqlStore {
    pub(crate) fn new(url: String, driver: Box<dyn Driver>) -> Self {
        Self { url, driver: Mutex::new(driver) }
    }

    fn write<T>(&self, mut work: impl FnMut(&mut dyn Session) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut answer = None;
        let mut driver = self.driver.lock().unwrap_or_else(PoisonError::into_inner);
        driver.write(&mut |session| work(session).map(|value| answer = Some(value)))?;
        answer.ok_or_else(|| self.no_answer())
    }

    fn read<T>(&self, mut work: impl FnMut(&mut dyn Session) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut answer = None;
        let mut driver = self.driver.lock().unwrap_or_else(PoisonError::into_inner);
        driver.read(&mut |session| work(session).map(|value| answer = Some(value)))?;
        answer.ok_or_else(|| self.no_answer())
    }

    fn no_answer(&self) -> StoreError {
        StoreError::Database { url: self.url.clone(), reason: "the transaction ended without an answer".to_owned() }
    }
}

impl Store for SqlStore {
    fn create_study(&self, name: &str, definition: &Definition, limits: &Limits) -> Result<StudyRecord, StoreError> {
        studies::check_name(name)?;
        self.write(|session| studies::create(session, name, definition, limits))
    }

    fn study(&self, name: &str) -> Result<StudyRecord, StoreError> {
        self.read(|session| studies::by_name(session, name))
    }

    fn studies(&self) -> Result<Vec<StudyRecord>, StoreError> {
        self.read(studies::all)
    }

    fn limit(&self, study: StudyId, limits: &Limits) -> Result<(), StoreError> {
        self.write(|session| studies::limit(session, study, limits))
    }

    fn redefine(&self, study: StudyId, definition: &Definition) -> Result<(), StoreError> {
        self.write(|session| studies::redefine(session, study, definition))
    }

    fn delete_study(&self, study: StudyId) -> Result<(), StoreError> {
        self.write(|session| studies::delete(session, study))
    }

    fn claim(&self, study: StudyId, claim: &Claim) -> Result<Claimed, StoreError> {
        self.write(|session| claiming::claim(session, study, claim))
    }

    fn propose(&self, lease: &Lease, proposal: &Proposal) -> Result<Proposed, StoreError> {
        self.write(|session| claiming::propose(session, lease, proposal))
    }

    fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        self.write(|session| claiming::release(session, lease))
    }

    fn renew(&self, leases: &[Lease], lease: Duration) -> Result<Vec<Lease>, StoreError> {
        self.write(|session| claiming::renew(session, leases, lease))
    }

    fn tell(&self, lease: &Lease, outcome: &Outcome) -> Result<Told, StoreError> {
        self.write(|session| telling::tell(session, lease, outcome))
    }

    fn fail_expired(&self, study: StudyId) -> Result<Vec<u64>, StoreError> {
        // Looking first costs no lock in the usual case that there are none.
        if self.read(|session| telling::hopeless(session, study))?.is_empty() {
            return Ok(Vec::new());
        }
        self.write(|session| telling::fail_expired(session, study))
    }

    fn report(&self, lease: &Lease, reports: &[Report]) -> Result<(), StoreError> {
        self.write(|session| telling::report(session, lease, reports))
    }

    fn import(&self, study: StudyId, trials: &[(TrialRecord, Vec<Report>)]) -> Result<(), StoreError> {
        self.write(|session| transferring::import(session, study, trials))
    }

    fn trial(&self, study: StudyId, number: u64) -> Result<TrialRecord, StoreError> {
        self.read(|session| reading::trial(session, study, number))
    }

    fn trials(&self, study: StudyId, first: u64, count: u64) -> Result<Vec<TrialRecord>, StoreError> {
        self.read(|session| reading::trials(session, study, first, count))
    }

    fn running(&self, study: StudyId) -> Result<Vec<TrialRecord>, StoreError> {
        self.read(|session| reading::running(session, study))
    }

    fn finished_since(&self, study: StudyId, seq: u64, count: u64) -> Result<Vec<Finished>, StoreError> {
        self.read(|session| reading::finished_since(session, study, seq, count))
    }

    fn best(&self, study: StudyId) -> Result<Option<TrialRecord>, StoreError> {
        self.read(|session| reading::best(session, study))
    }

    fn counts(&self, study: StudyId) -> Result<Counts, StoreError> {
        self.read(|session| reading::counts(session, study))
    }

    fn reports(&self, study: StudyId, number: u64) -> Result<Vec<Report>, StoreError> {
        self.read(|session| reading::reports(session, study, number))
    }

    fn reports_at(&self, study: StudyId, step: i64, name: &str) -> Result<Vec<f64>, StoreError> {
        self.read(|session| reading::reports_at(session, study, step, name))
    }

    fn url(&self) -> &str {
        &self.url
    }
}
