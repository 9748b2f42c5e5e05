//! A store that fails: late, before it has done its work, after it, or for a while.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::RngExt;

use neuralbo::linalg::{Purpose, Rng, Streams};
use neuralbo::record::{Attributes, Definition, Ending, Limits, Report, StepReport, Trial};
use neuralbo::store::{
    Claim, Claimed, Counts, Finished, Lease, NewStudy, NewTrial, Proposal, Proposed, Store,
    StoreError, StudyId, StudyRecord, Told,
};

/// How often each fault happens, of 1 for every call.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    /// The call takes a few milliseconds longer.
    pub stall: f64,
    /// Nothing is done, and the storage cannot be reached.
    pub before: f64,
    /// Everything is done, but the answer is lost: the storage cannot be reached.
    pub after: f64,
    /// Neither this call nor the next few are done.
    pub lost: f64,
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            stall: 0.1,
            before: 0.1,
            after: 0.1,
            lost: 0.02,
        }
    }
}

/// A store behind a bad connection. The same seed gives the same faults for the same calls.
///
/// ```
/// use std::sync::Arc;
/// use neuralbo::store::{MemoryStore, Store};
/// use neuralbo_testkit::store::{Faults, Faulty};
///
/// let store = Faulty::new(Arc::new(MemoryStore::new()), 7, Faults { before: 1.0, ..Faults::default() });
/// assert!(store.studies().is_err_and(|error| error.is_outage()));
/// assert_eq!(store.injected(), 1);
/// ```
pub struct Faulty {
    inner: Arc<dyn Store>,
    faults: Faults,
    state: Mutex<(Rng, u64)>,
    injected: AtomicU64,
}

enum Fault {
    None,
    Stall(Duration),
    Before,
    After,
}

impl Faulty {
    /// A store that fails as often as `faults` says.
    pub fn new(inner: Arc<dyn Store>, seed: u64, faults: Faults) -> Self {
        let rng = Streams::new(seed).stream(0, Purpose::Noise);
        Self {
            inner,
            faults,
            state: Mutex::new((rng, 0)),
            injected: AtomicU64::new(0),
        }
    }

    /// How many faults there were.
    pub fn injected(&self) -> u64 {
        self.injected.load(Ordering::SeqCst)
    }

    fn draw(&self) -> Fault {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (rng, lost) = &mut *state;
        if *lost > 0 {
            *lost -= 1;
            return Fault::Before;
        }
        let Faults {
            stall,
            before,
            after,
            lost: often,
        } = self.faults;
        let at: f64 = rng.random();
        if at < stall {
            Fault::Stall(Duration::from_micros(rng.random_range(100..4000)))
        } else if at < stall + before {
            Fault::Before
        } else if at < stall + before + after {
            Fault::After
        } else if at < stall + before + after + often {
            *lost = rng.random_range(1..6);
            Fault::Before
        } else {
            Fault::None
        }
    }

    fn away(&self) -> StoreError {
        StoreError::Unreachable {
            url: self.inner.url().to_owned(),
            reason: "a fault for a test".to_owned(),
        }
    }

    fn call<T>(
        &self,
        work: impl FnOnce(&dyn Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let fault = self.draw();
        self.injected
            .fetch_add(u64::from(!matches!(fault, Fault::None)), Ordering::SeqCst);
        match fault {
            Fault::None => work(self.inner.as_ref()),
            Fault::Stall(time) => {
                std::thread::sleep(time);
                work(self.inner.as_ref())
            }
            Fault::Before => Err(self.away()),
            Fault::After => work(self.inner.as_ref()).and_then(|_| Err(self.away())),
        }
    }
}

/// Passes calls on, each through [`Faulty::call`].
macro_rules! passed_on {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Store for Faulty {
            $(fn $name(&self, $($argument: $type),*) -> Result<$answer, StoreError> {
                self.call(|inner| inner.$name($($argument),*))
            })*

            fn url(&self) -> &str {
                self.inner.url()
            }
        }
    };
}

passed_on! {
    fn create_study(study: &NewStudy) -> StudyRecord;
    fn study(name: &str) -> StudyRecord;
    fn studies() -> Vec<StudyRecord>;
    fn definitions(study: StudyId) -> Vec<Definition>;
    fn limit(study: StudyId, limits: &Limits) -> ();
    fn redefine(study: StudyId, from: u64, definition: &Definition) -> u64;
    fn rename_study(study: StudyId, name: &str) -> ();
    fn set_study_attributes(study: StudyId, attributes: &Attributes) -> ();
    fn delete_study(study: StudyId) -> ();
    fn claim(study: StudyId, claim: &Claim) -> Claimed;
    fn propose(lease: &Lease, proposal: &Proposal) -> Proposed;
    fn release(lease: &Lease) -> ();
    fn expire(lease: &Lease) -> ();
    fn renew(leases: &[Lease], lease: Duration) -> Vec<Lease>;
    fn tell(lease: &Lease, ending: &Ending) -> Told;
    fn fail_expired(study: StudyId) -> Vec<u64>;
    fn report(lease: &Lease, reports: &[Report]) -> ();
    fn set_attributes(study: StudyId, number: u64, attributes: &Attributes) -> ();
    fn add(study: StudyId, trials: &[NewTrial]) -> Vec<u64>;
    fn trial(study: StudyId, number: u64) -> Trial;
    fn trials(study: StudyId, first: u64, count: u64) -> Vec<Trial>;
    fn running(study: StudyId) -> Vec<Trial>;
    fn finished_since(study: StudyId, seq: u64, count: u64) -> Vec<Finished>;
    fn best(study: StudyId) -> Option<Trial>;
    fn counts(study: StudyId) -> Counts;
    fn reports(study: StudyId, number: u64) -> Vec<Report>;
    fn reports_at(study: StudyId, step: i64, name: &str) -> Vec<StepReport>;
}
