//! The storage under test, and what the cases have in common.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use neuralbo::record::{
    Batch, Definition, Direction, Ending, Limits, Outcome, OutcomeConstraint, Provenance, Report,
    State, Token, Trial, Values,
};
use neuralbo::space::{Params, Space, Value};
use neuralbo::store::{
    Claim, Claimed, Counts, Finished, Lease, NewStudy, NewTrial, Proposal, Store, StoreError,
    StudyId, StudyRecord, Told,
};

/// Asserts what an answer looks like, and shows it where it does not.
macro_rules! assert_matches {
    ($answer:expr, $pattern:pat $(if $guard:expr)?) => {
        let answer = $answer;
        assert!(matches!(answer, $pattern $(if $guard)?), "{answer:?}");
    };
}
pub(super) use assert_matches;

/// A storage that can be opened several times: every handle sees the same studies. Cases may run on one storage at the same
/// time, because every study gets a name of its own.
pub struct Backend {
    open: Box<dyn Fn() -> Arc<dyn Store> + Send + Sync>,
}

impl Backend {
    /// A storage by the function that opens it; what it needs, such as a temporary directory, may live in the function.
    pub fn new(open: impl Fn() -> Arc<dyn Store> + Send + Sync + 'static) -> Self {
        Self {
            open: Box::new(open),
        }
    }

    /// A handle.
    pub fn open(&self) -> Arc<dyn Store> {
        (self.open)()
    }
}

/// A name that no other case uses.
pub(crate) fn fresh(stem: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{stem}-{}-{count}", std::process::id())
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

/// A study of the storage under test.
pub(super) struct TestStudy {
    pub(super) store: Arc<dyn Store>,
    pub(super) id: StudyId,
    pub(super) name: String,
}

/// A study of [`definition`] without limits.
pub(super) fn study(backend: &Backend) -> TestStudy {
    study_of(backend, definition(), None)
}

/// A study of [`definition`] with at most this many trials.
pub(super) fn limited(backend: &Backend, trials: u64) -> TestStudy {
    study_of(backend, definition(), Some(trials))
}

pub(super) fn study_of(backend: &Backend, of: Definition, trials: Option<u64>) -> TestStudy {
    let limits = Limits {
        trials,
        ..Limits::default()
    };
    create(backend, &NewStudy::new(fresh("study"), of, limits))
}

pub(super) fn create(backend: &Backend, new: &NewStudy) -> TestStudy {
    let store = backend.open();
    let StudyRecord { id, name, .. } = store.create_study(new).unwrap();
    TestStudy { store, id, name }
}

impl TestStudy {
    /// The same study through another handle.
    pub(super) fn on(&self, backend: &Backend) -> Self {
        let (store, id, name) = (backend.open(), self.id, self.name.clone());
        Self { store, id, name }
    }

    /// A claimed trial, which may have no point yet; `None` if the study is full.
    pub(super) fn try_claim(&self) -> Option<(Lease, Trial)> {
        self.claim_for(LONG)
    }

    pub(super) fn claim(&self) -> (Lease, Trial) {
        self.try_claim().unwrap()
    }

    fn claim_for(&self, lease: Duration) -> Option<(Lease, Trial)> {
        let (worker, token) = ("tester".to_owned(), Token::fresh());
        let claim = Claim {
            worker,
            token,
            lease,
        };
        match self.store.claim(self.id, &claim).unwrap() {
            Claimed::Trial(trial) => Some((Lease::of(self.id, &trial), *trial)),
            Claimed::Full { .. } => None,
        }
    }

    /// A claimed trial with a point of its own.
    pub(super) fn try_ask(&self, lease: Duration) -> Option<Lease> {
        let (lease, trial) = self.claim_for(lease)?;
        if trial.params.is_none() {
            self.propose(&lease, params(0.5, trial.number as i64));
        }
        Some(lease)
    }

    pub(super) fn ask(&self) -> Lease {
        self.ask_for(LONG)
    }

    pub(super) fn ask_for(&self, lease: Duration) -> Lease {
        self.try_ask(lease).unwrap()
    }

    pub(super) fn propose(&self, lease: &Lease, params: Params) {
        self.store.propose(lease, &proposal(params)).unwrap();
    }

    pub(super) fn tell(
        &self,
        lease: &Lease,
        outcome: impl Into<Outcome>,
    ) -> Result<Told, StoreError> {
        self.store.tell(lease, &ended(outcome))
    }

    /// Tells that a trial was pruned at a step with a value.
    pub(super) fn prune(&self, lease: &Lease, step: Option<i64>, value: f64) {
        let outcome = Outcome::Pruned(step, values(&[("value", value)]));
        self.tell(lease, outcome).unwrap();
    }

    pub(super) fn finish(&self, value: f64) -> Lease {
        let lease = self.ask();
        self.tell(&lease, value).unwrap();
        lease
    }

    pub(super) fn trial(&self, number: u64) -> Trial {
        self.store.trial(self.id, number).unwrap()
    }

    pub(super) fn finished(&self) -> Vec<Finished> {
        self.store.finished_since(self.id, 0, 999).unwrap()
    }

    pub(super) fn counts(&self) -> Counts {
        self.store.counts(self.id).unwrap()
    }

    /// The number of the best trial.
    pub(super) fn best(&self) -> Option<u64> {
        let best = self.store.best(self.id).unwrap();
        best.map(|trial| trial.number)
    }
}

pub(super) fn params(x: f64, n: i64) -> Params {
    let both = [("x", Value::from(x)), ("n", Value::from(n))];
    both.into_iter().collect()
}

pub(super) fn values(pairs: &[(&str, f64)]) -> Values {
    let owned = |(name, value): &(&str, f64)| ((*name).to_owned(), *value);
    pairs.iter().map(owned).collect()
}

pub(super) fn report(step: i64, name: &str, value: f64) -> Report {
    let name = name.to_owned();
    Report { step, name, value }
}

pub(super) fn known(value: f64) -> NewTrial {
    Trial::known(params(0.5, 1), State::Complete, values(&[("value", value)])).into()
}

pub(super) fn at_most(name: &str, limit: f64) -> OutcomeConstraint {
    OutcomeConstraint {
        name: name.to_owned(),
        at_most: Some(limit),
        at_least: None,
    }
}

pub(super) fn ended(outcome: impl Into<Outcome>) -> Ending {
    definition().ending(outcome.into()).unwrap()
}

pub(super) fn provenance() -> Provenance {
    Provenance {
        origin: "sampled".to_owned(),
        mean: Some(0.1),
        suggest_ms: 1.5,
        pending: vec![7],
        batch: Some(Batch { first: 3, count: 2 }),
        ..Provenance::default()
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

/// What eight threads return that do the same at once.
pub(super) fn eight_times<T: Send>(work: impl Fn(u64) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let start = |number| scope.spawn(move || work(number));
        let threads: Vec<_> = (0..8).map(start).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}
