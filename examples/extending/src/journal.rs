//! A store: an append-only file of changes, shared by any number of processes on one machine.
//!
//! The state is the library's store in memory; the file lists its changes with their times. Opening
//! the file replays them. A writer locks the file, applies the changes appended by others, then its
//! own, and appends it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use neuralbo::record::{Attributes, Definition, Ending, Limits, Report, StepReport, Trial};
use neuralbo::store::{
    Claim, Claimed, Counts, Finished, Lease, MemoryStore, NewStudy, NewTrial, Proposal, Proposed,
    Store, StoreError, StudyId, StudyRecord, Told,
};
use serde::{Deserialize, Serialize};

/// One appended change.
#[derive(Clone, Serialize, Deserialize)]
enum Change {
    Create(NewStudy),
    Limit(StudyId, Limits),
    Redefine(StudyId, u64, Box<Definition>),
    Rename(StudyId, String),
    StudyAttributes(StudyId, Attributes),
    Delete(StudyId),
    Claim(StudyId, Claim),
    Propose(Lease, Proposal),
    Release(Lease),
    Expire(Lease),
    Renew(Vec<Lease>, Duration),
    Tell(Lease, Ending),
    FailExpired(StudyId),
    Report(Lease, Vec<Report>),
    Attributes(StudyId, u64, Attributes),
    Add(StudyId, Vec<NewTrial>),
}

impl Change {
    /// Replays the change, which succeeded the first time.
    fn repeat(self, store: &MemoryStore) -> Result<(), StoreError> {
        match self {
            Self::Create(study) => store.create_study(&study).map(|_| ()),
            Self::Limit(study, limits) => store.limit(study, &limits),
            Self::Redefine(study, from, definition) => {
                store.redefine(study, from, &definition).map(|_| ())
            }
            Self::Rename(study, name) => store.rename_study(study, &name),
            Self::StudyAttributes(study, attributes) => {
                store.set_study_attributes(study, &attributes)
            }
            Self::Delete(study) => store.delete_study(study),
            Self::Claim(study, claim) => store.claim(study, &claim).map(|_| ()),
            Self::Propose(lease, proposal) => store.propose(&lease, &proposal).map(|_| ()),
            Self::Release(lease) => store.release(&lease),
            Self::Expire(lease) => store.expire(&lease),
            Self::Renew(leases, lease) => store.renew(&leases, lease).map(|_| ()),
            Self::Tell(lease, ending) => store.tell(&lease, &ending).map(|_| ()),
            Self::FailExpired(study) => store.fail_expired(study).map(|_| ()),
            Self::Report(lease, reports) => store.report(&lease, &reports),
            Self::Attributes(study, number, attributes) => {
                store.set_attributes(study, number, &attributes)
            }
            Self::Add(study, trials) => store.add(study, &trials).map(|_| ()),
        }
    }
}

/// Studies in a file of JSON lines.
pub struct JournalStore {
    url: String,
    journal: Mutex<Journal>,
}

struct Journal {
    file: File,
    /// The part of the file that has been applied.
    read: u64,
    clock: Arc<AtomicI64>,
    state: MemoryStore,
}

impl JournalStore {
    /// Opens or creates a file.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let url = format!("journal://{}", path.display());
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path);
        let file = opened.map_err(|error| broken(&url, &error))?;
        let clock = Arc::new(AtomicI64::new(0));
        let state = MemoryStore::with_clock(clock.clone());
        Ok(Self {
            url,
            journal: Mutex::new(Journal {
                file,
                read: 0,
                clock,
                state,
            }),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the latest state.
    fn look<T>(
        &self,
        look: impl FnOnce(&MemoryStore) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut journal = self.lock();
        journal
            .file
            .lock_shared()
            .map_err(|error| broken(&self.url, &error))?;
        let caught_up = journal.catch_up();
        let unlocked = journal.file.unlock();
        caught_up
            .and(unlocked)
            .map_err(|error| broken(&self.url, &error))?;
        look(&journal.state)
    }

    /// Changes the latest state and appends the change unless it fails.
    fn change<T>(
        &self,
        change: Change,
        act: impl FnOnce(&MemoryStore) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut journal = self.lock();
        journal
            .file
            .lock()
            .map_err(|error| broken(&self.url, &error))?;
        let answer = journal.caught_up_and_changed(&change, act);
        let unlocked = journal.file.unlock();
        let answer = answer.map_err(|error| broken(&self.url, &error))?;
        unlocked.map_err(|error| broken(&self.url, &error))?;
        answer
    }
}

fn broken(url: &str, error: &std::io::Error) -> StoreError {
    StoreError::Database {
        url: url.to_owned(),
        reason: error.to_string(),
    }
}

impl Journal {
    /// Applies the changes of others. An unterminated last line comes from a crash and is ignored.
    fn catch_up(&mut self) -> std::io::Result<()> {
        self.file.seek(SeekFrom::Start(self.read))?;
        let mut text = String::new();
        self.file.read_to_string(&mut text)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        for line in text[..whole].lines() {
            let (now, change): (i64, Change) = serde_json::from_str(line)?;
            self.clock.store(now, Ordering::SeqCst);
            change.repeat(&self.state).map_err(std::io::Error::other)?;
        }
        self.read += whole as u64;
        Ok(())
    }

    fn caught_up_and_changed<T>(
        &mut self,
        change: &Change,
        act: impl FnOnce(&MemoryStore) -> Result<T, StoreError>,
    ) -> std::io::Result<Result<T, StoreError>> {
        self.catch_up()?;
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let now = i64::try_from(since.as_millis())
            .unwrap_or(i64::MAX)
            .max(self.clock.load(Ordering::SeqCst));
        self.clock.store(now, Ordering::SeqCst);
        let answer = act(&self.state);
        if answer.is_ok() {
            let line = serde_json::to_string(&(now, change))? + "\n";
            if let Err(error) = self.append(line.as_bytes()) {
                // The state is ahead of the file: rebuild it from the file at the next read.
                self.clock = Arc::new(AtomicI64::new(0));
                self.state = MemoryStore::with_clock(self.clock.clone());
                self.read = 0;
                return Err(error);
            }
        }
        Ok(answer)
    }

    fn append(&mut self, line: &[u8]) -> std::io::Result<()> {
        self.file.set_len(self.read)?;
        self.file.seek(SeekFrom::Start(self.read))?;
        self.file.write_all(line)?;
        self.file.sync_data()?;
        self.read += line.len() as u64;
        Ok(())
    }
}

impl Store for JournalStore {
    fn create_study(&self, study: &NewStudy) -> Result<StudyRecord, StoreError> {
        self.change(Change::Create(study.clone()), |state| {
            state.create_study(study)
        })
    }
    fn study(&self, name: &str) -> Result<StudyRecord, StoreError> {
        self.look(|state| state.study(name))
    }
    fn studies(&self) -> Result<Vec<StudyRecord>, StoreError> {
        self.look(|state| state.studies())
    }
    fn definitions(&self, study: StudyId) -> Result<Vec<Definition>, StoreError> {
        self.look(|state| state.definitions(study))
    }
    fn limit(&self, study: StudyId, limits: &Limits) -> Result<(), StoreError> {
        self.change(Change::Limit(study, *limits), |state| {
            state.limit(study, limits)
        })
    }
    fn redefine(
        &self,
        study: StudyId,
        from: u64,
        definition: &Definition,
    ) -> Result<u64, StoreError> {
        self.change(
            Change::Redefine(study, from, Box::new(definition.clone())),
            |state| state.redefine(study, from, definition),
        )
    }
    fn rename_study(&self, study: StudyId, name: &str) -> Result<(), StoreError> {
        self.change(Change::Rename(study, name.to_owned()), |state| {
            state.rename_study(study, name)
        })
    }
    fn set_study_attributes(
        &self,
        study: StudyId,
        attributes: &Attributes,
    ) -> Result<(), StoreError> {
        self.change(
            Change::StudyAttributes(study, attributes.clone()),
            |state| state.set_study_attributes(study, attributes),
        )
    }
    fn delete_study(&self, study: StudyId) -> Result<(), StoreError> {
        self.change(Change::Delete(study), |state| state.delete_study(study))
    }
    fn claim(&self, study: StudyId, claim: &Claim) -> Result<Claimed, StoreError> {
        self.change(Change::Claim(study, claim.clone()), |state| {
            state.claim(study, claim)
        })
    }
    fn propose(&self, lease: &Lease, proposal: &Proposal) -> Result<Proposed, StoreError> {
        self.change(Change::Propose(*lease, proposal.clone()), |state| {
            state.propose(lease, proposal)
        })
    }
    fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        self.change(Change::Release(*lease), |state| state.release(lease))
    }
    fn expire(&self, lease: &Lease) -> Result<(), StoreError> {
        self.change(Change::Expire(*lease), |state| state.expire(lease))
    }
    fn renew(&self, leases: &[Lease], lease: Duration) -> Result<Vec<Lease>, StoreError> {
        self.change(Change::Renew(leases.to_vec(), lease), |state| {
            state.renew(leases, lease)
        })
    }
    fn tell(&self, lease: &Lease, ending: &Ending) -> Result<Told, StoreError> {
        self.change(Change::Tell(*lease, ending.clone()), |state| {
            state.tell(lease, ending)
        })
    }
    fn fail_expired(&self, study: StudyId) -> Result<Vec<u64>, StoreError> {
        self.change(Change::FailExpired(study), |state| {
            state.fail_expired(study)
        })
    }
    fn report(&self, lease: &Lease, reports: &[Report]) -> Result<(), StoreError> {
        let finite: Vec<Report> = reports
            .iter()
            .filter(|report| report.value.is_finite())
            .cloned()
            .collect();
        self.change(Change::Report(*lease, finite), |state| {
            state.report(lease, reports)
        })
    }
    fn set_attributes(
        &self,
        study: StudyId,
        number: u64,
        attributes: &Attributes,
    ) -> Result<(), StoreError> {
        self.change(
            Change::Attributes(study, number, attributes.clone()),
            |state| state.set_attributes(study, number, attributes),
        )
    }
    fn add(&self, study: StudyId, trials: &[NewTrial]) -> Result<Vec<u64>, StoreError> {
        self.change(Change::Add(study, trials.to_vec()), |state| {
            state.add(study, trials)
        })
    }
    fn trial(&self, study: StudyId, number: u64) -> Result<Trial, StoreError> {
        self.look(|state| state.trial(study, number))
    }
    fn trials(&self, study: StudyId, first: u64, count: u64) -> Result<Vec<Trial>, StoreError> {
        self.look(|state| state.trials(study, first, count))
    }
    fn running(&self, study: StudyId) -> Result<Vec<Trial>, StoreError> {
        self.look(|state| state.running(study))
    }
    fn finished_since(
        &self,
        study: StudyId,
        seq: u64,
        count: u64,
    ) -> Result<Vec<Finished>, StoreError> {
        self.look(|state| state.finished_since(study, seq, count))
    }
    fn best(&self, study: StudyId) -> Result<Option<Trial>, StoreError> {
        self.look(|state| state.best(study))
    }
    fn counts(&self, study: StudyId) -> Result<Counts, StoreError> {
        self.look(|state| state.counts(study))
    }
    fn reports(&self, study: StudyId, number: u64) -> Result<Vec<Report>, StoreError> {
        self.look(|state| state.reports(study, number))
    }
    fn reports_at(
        &self,
        study: StudyId,
        step: i64,
        name: &str,
    ) -> Result<Vec<StepReport>, StoreError> {
        self.look(|state| state.reports_at(study, step, name))
    }
    fn url(&self) -> &str {
        &self.url
    }
}
