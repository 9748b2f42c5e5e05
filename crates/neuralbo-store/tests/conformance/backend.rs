//! The stores under test.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use neuralbo::space::Space;
use neuralbo::study::Direction;
use neuralbo_store::{
    Claim, Claimed, Definition, Lease, Limits, Outcome, Proposal, Provenance, Retries, Store, StudyId, TrialRecord, open,
};

/// A storage that can be opened several times.
pub struct Backend {
    open: Box<dyn Fn() -> Arc<dyn Store> + Sync>,
    _room: Option<tempfile::TempDir>,
}

impl Backend {
    pub fn open(&self) -> Arc<dyn Store> {
        (self.open)()
    }
}

pub fn memory() -> Backend {
    let store = open("memory://").unwrap();
    Backend { open: Box::new(move || store.clone()), _room: None }
}

pub fn sqlite() -> Backend {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("studies.db").display().to_string();
    Backend { open: Box::new(move || open(&path).unwrap()), _room: Some(room) }
}

/// The server of `scripts/with-postgres.sh`, which all tests share: studies get names of their own.
pub fn postgres() -> Option<Backend> {
    let Ok(url) = std::env::var("NEURALBO_TEST_POSTGRES") else {
        eprintln!("SKIPPED: NEURALBO_TEST_POSTGRES is not set; run this test with scripts/with-postgres.sh");
        return None;
    };
    Some(Backend { open: Box::new(move || open(&url).unwrap()), _room: None })
}

/// A name that no other test uses.
pub fn fresh(stem: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{stem}-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

pub const LONG: Duration = Duration::from_secs(600);
pub const SHORT: Duration = Duration::from_millis(1);

pub fn definition() -> Definition {
    Definition {
        space: Space::new(vec!["x=float(0,1)".parse().unwrap(), "n=int(1,4)".parse().unwrap()]).unwrap(),
        direction: Direction::Minimize,
        method: "random".to_owned(),
        options: vec![],
        seed: u64::MAX - 1,
        retries: Retries::default(),
    }
}

pub fn study_with(store: &dyn Store, definition: &Definition, trials: Option<u64>) -> StudyId {
    store.create_study(&fresh("study"), definition, &Limits { trials, ..Limits::default() }).unwrap().id
}

pub fn study(store: &dyn Store) -> StudyId {
    study_with(store, &definition(), None)
}

pub fn claim_for(store: &dyn Store, study: StudyId, lease: Duration) -> Option<(Lease, TrialRecord)> {
    let claim = Claim { worker: "tester".to_owned(), token: fresh("token"), lease };
    match store.claim(study, &claim).unwrap() {
        Claimed::Trial(lease, trial) => Some((lease, *trial)),
        Claimed::Full { .. } => None,
    }
}

pub fn proposal(params: &str) -> Proposal {
    let provenance =
        Provenance { origin: "sampled".to_owned(), mean: Some(0.1), sd: None, suggest_ms: 1.5, based_on: 0, pending: vec![7] };
    Proposal { params: params.to_owned(), provenance, repeat_allowed: false }
}

/// A claimed trial with a point of its own.
pub fn ask(store: &dyn Store, study: StudyId, lease: Duration) -> Option<Lease> {
    let (lease, trial) = claim_for(store, study, lease)?;
    if trial.params.is_none() {
        store.propose(&lease, &proposal(&format!("[0.5,{}]", trial.number))).unwrap();
    }
    Some(lease)
}

pub fn finish(store: &dyn Store, study: StudyId, value: f64) -> Lease {
    let lease = ask(store, study, LONG).unwrap();
    store.tell(&lease, &Outcome::Value(value)).unwrap();
    lease
}
