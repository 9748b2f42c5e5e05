//! The storage under test, and what the cases have in common.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use neuralbo::record::{Definition, Direction, Ending, Limits, Outcome, Provenance, Trial, Values};
use neuralbo::space::{Params, Space, Value};
use neuralbo::store::{Claim, Claimed, Lease, NewStudy, Proposal, Store, StudyId, StudyRecord};

/// A storage that can be opened several times: every handle sees the same studies. Cases may run on one storage at the same
/// time, because every study gets a name of its own.
pub struct Backend {
    open: Box<dyn Fn() -> Arc<dyn Store> + Send + Sync>,
}

impl Backend {
    /// A storage by the function that opens it; what it needs, such as a temporary directory, may live in the function.
    pub fn new<S: Store + ?Sized + 'static>(
        open: impl Fn() -> Arc<S> + Send + Sync + 'static,
    ) -> Self
    where
        Arc<S>: IntoStore,
    {
        Self {
            open: Box::new(move || open().into_store()),
        }
    }

    /// A handle.
    pub fn open(&self) -> Arc<dyn Store> {
        (self.open)()
    }
}

/// A shared store of any type.
pub trait IntoStore {
    /// As a store.
    fn into_store(self) -> Arc<dyn Store>;
}

impl<S: Store + 'static> IntoStore for Arc<S> {
    fn into_store(self) -> Arc<dyn Store> {
        self
    }
}

impl IntoStore for Arc<dyn Store> {
    fn into_store(self) -> Arc<dyn Store> {
        self
    }
}

/// A name that no other case uses.
pub(crate) fn fresh(stem: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!(
        "{stem}-{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    )
}

pub(super) const LONG: Duration = Duration::from_secs(600);
pub(super) const SHORT: Duration = Duration::from_millis(1);

pub(super) fn space(texts: &[&str]) -> Space {
    Space::new(texts.iter().map(|text| text.parse().unwrap()).collect()).unwrap()
}

pub(super) fn definition() -> Definition {
    let space = space(&["x=float(0,1)", "n=int(1,4)"]);
    Definition {
        method: "random".to_owned(),
        seed: u64::MAX - 1,
        ..Definition::new(space, Direction::Minimize)
    }
}

pub(super) fn study_with(
    store: &dyn Store,
    definition: &Definition,
    trials: Option<u64>,
) -> StudyRecord {
    let limits = Limits {
        trials,
        ..Limits::default()
    };
    store
        .create_study(&NewStudy::new(fresh("study"), definition.clone(), limits))
        .unwrap()
}

pub(super) fn study(store: &dyn Store) -> StudyId {
    study_with(store, &definition(), None).id
}

pub(super) fn params(x: f64, n: i64) -> Params {
    [("x", Value::from(x)), ("n", Value::from(n))]
        .into_iter()
        .collect()
}

pub(super) fn values(pairs: &[(&str, f64)]) -> Values {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), *value))
        .collect()
}

pub(super) fn ended(outcome: impl Into<Outcome>) -> Ending {
    definition().ending(outcome.into()).unwrap()
}

pub(super) fn claim_for(
    store: &dyn Store,
    study: StudyId,
    lease: Duration,
) -> Option<(Lease, Trial)> {
    let claim = Claim {
        worker: "tester".to_owned(),
        token: fresh("token"),
        lease,
    };
    match store.claim(study, &claim).unwrap() {
        Claimed::Trial(trial) => Some((Lease::of(study, &trial), *trial)),
        Claimed::Full { .. } => None,
    }
}

pub(super) fn provenance() -> Provenance {
    let batch = Some(neuralbo::record::Batch { first: 3, count: 2 });
    Provenance {
        origin: "sampled".to_owned(),
        mean: Some(0.1),
        sd: None,
        suggest_ms: 1.5,
        based_on: 0,
        pending: vec![7],
        batch,
        resumes: None,
    }
}

pub(super) fn proposal(params: Params) -> Proposal {
    Proposal {
        version: 1,
        params,
        provenance: provenance(),
        repeat_allowed: false,
    }
}

/// A claimed trial with a point of its own.
pub(super) fn ask(store: &dyn Store, study: StudyId, lease: Duration) -> Option<Lease> {
    let (lease, trial) = claim_for(store, study, lease)?;
    if trial.params.is_none() {
        store
            .propose(&lease, &proposal(params(0.5, trial.number as i64)))
            .unwrap();
    }
    Some(lease)
}

pub(super) fn finish(store: &dyn Store, study: StudyId, value: f64) -> Lease {
    let lease = ask(store, study, LONG).unwrap();
    store.tell(&lease, &ended(value)).unwrap();
    lease
}
