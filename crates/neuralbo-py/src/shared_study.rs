//! A study that the Python objects of one process share.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use neuralbo::record::{OutcomeConstraint, Trial as Record};
use neuralbo::space::{Parameter, Params, Space};
use neuralbo::store::{Store, StudyId};
use neuralbo::study::{Study, Worker};
use neuralbo_store::worker::this_process;
use neuralbo_store::{Access, Checkpoints, Secret};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::errors::{EngineResult, detached};
use crate::predicate::Predicates;
use crate::running_points::RunningPoints;

/// What all trials of a study share: names in order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Names {
    pub objectives: Vec<String>,
    pub parameters: Vec<String>,
    /// The objectives and what outcome constraints limit, in order.
    #[serde(default)]
    pub measured: Vec<String>,
    #[serde(default)]
    pub outcome_constraints: Vec<OutcomeConstraint>,
}

impl Names {
    /// The first objective.
    pub fn objective(&self) -> &str {
        self.objectives.first().map_or("", String::as_str)
    }
}

/// A study behind a lock. Callers of `lock` must have released the interpreter's lock.
pub struct SharedStudy {
    kept: Mutex<HeldStudy>,
    /// The process whose threads had the lock last.
    process: AtomicU32,
}

/// The study and the state beside it.
pub struct HeldStudy {
    pub study: Study,
    /// The storage as given, for reopening after a fork; `None` in memory.
    pub url: Option<Secret>,
    /// The running trials by their points.
    pub open: RunningPoints,
    /// Values for the next trials of a study without their parameters.
    pub queue: VecDeque<Params>,
    /// The functions among its constraints.
    pub predicates: Predicates,
    /// Where trials keep their state.
    pub checkpoints: Option<Arc<Checkpoints>>,
    /// How long the last ask took.
    pub last_ask: Option<Duration>,
    process: u32,
    shape: StudyShape,
}

/// What is derived from a version of the definition.
struct StudyShape {
    version: u64,
    space: Arc<Space>,
    names: Arc<Names>,
}

impl StudyShape {
    fn of(study: &Study) -> Self {
        let definition = study.definition();
        let objectives = definition.objectives.iter().map(|one| one.name.clone());
        let parameters = definition.space.parameters().iter().map(Parameter::name);
        let measured = definition.measured().into_iter();
        let names = Names {
            objectives: objectives.collect(),
            parameters: parameters.map(str::to_owned).collect(),
            measured: measured.map(str::to_owned).collect(),
            outcome_constraints: definition.outcome_constraints.clone(),
        };
        Self {
            version: study.record().version,
            space: Arc::new(definition.space.clone()),
            names: Arc::new(names),
        }
    }
}

impl SharedStudy {
    pub fn new(study: Study, url: Option<Secret>, predicates: Predicates) -> Arc<Self> {
        let (process, shape) = (std::process::id(), StudyShape::of(&study));
        let kept = HeldStudy {
            study,
            url,
            open: RunningPoints::default(),
            queue: VecDeque::new(),
            predicates,
            checkpoints: None,
            last_ask: None,
            process,
            shape,
        };
        Arc::new(Self {
            kept: Mutex::new(kept),
            process: AtomicU32::new(process),
        })
    }

    /// Works on the study without the interpreter's lock.
    pub fn held<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut HeldStudy) -> EngineResult<T> + Send,
    ) -> EngineResult<T> {
        detached(py, || work(&mut *self.lock()?))?
    }

    /// The study, for one caller at a time; a forked process gets its own connection.
    pub fn lock(&self) -> PyResult<MutexGuard<'_, HeldStudy>> {
        let mut kept = match self.process.load(Ordering::Acquire) == std::process::id() {
            true => self.lock_or_interrupted()?,
            false => self.lock_after_fork()?,
        };
        kept.own()?;
        Ok(kept)
    }

    /// Waits for the lock. Another thread may have it for as long as it computes, so signals are heard meanwhile.
    fn lock_or_interrupted(&self) -> PyResult<MutexGuard<'_, HeldStudy>> {
        let mut waits: u64 = 0;
        loop {
            match self.kept.try_lock() {
                Ok(kept) => return Ok(kept),
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
            waits += 1;
            if waits.is_multiple_of(50) {
                Python::attach(|py| py.check_signals())?;
            }
        }
    }

    /// The first lock in a forked process. A thread that had it at the time of the fork does not exist here and never gives it
    /// back; one of this process has it for an instant before it says so.
    fn lock_after_fork(&self) -> PyResult<MutexGuard<'_, HeldStudy>> {
        let process = std::process::id();
        for _ in 0..100 {
            let kept = match self.kept.try_lock() {
                Ok(kept) => kept,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(_) if self.process.load(Ordering::Acquire) == process => {
                    self.kept.lock().unwrap_or_else(PoisonError::into_inner)
                }
                Err(_) => {
                    std::thread::sleep(Duration::from_millis(2));
                    continue;
                }
            };
            self.process.store(process, Ordering::Release);
            return Ok(kept);
        }
        Err(PyRuntimeError::new_err(
            "another thread was using this object when the process was forked; create it in the child, \
             or fork while no call is running",
        ))
    }

    /// The space and the names, unless the study is locked.
    pub fn shape_at_once(&self) -> Option<(Arc<Space>, Arc<Names>)> {
        Some(self.kept.try_lock().ok()?.shape())
    }

    /// A trial as the store has it.
    pub fn trial(&self, number: u64) -> EngineResult<Record> {
        let kept = self.lock()?;
        Ok(kept.store().trial(kept.id(), number)?)
    }
}

impl HeldStudy {
    pub fn store(&self) -> &Arc<dyn Store> {
        self.study.store()
    }

    pub fn id(&self) -> StudyId {
        self.study.record().id
    }

    /// Releases the running trials of dead workers of this machine.
    pub fn take_over_dead(&self) {
        if self.url.is_some() {
            // Where that fails their leases end all the same.
            let _ = neuralbo_store::worker::take_over_dead(self.store().as_ref(), self.id());
        }
    }

    /// A connection made before a fork belongs to the parent: using or closing it would disturb it.
    fn own(&mut self) -> EngineResult<()> {
        let process = std::process::id();
        if let Some(url) = self.url.as_ref().filter(|_| self.process != process) {
            let store = neuralbo_store::open_for(url.reveal(), Access::Write)?;
            let fresh = self.viewed(store)?;
            std::mem::forget(std::mem::replace(&mut self.study, fresh));
        }
        self.process = process;
        Ok(())
    }

    /// Another view of the same study.
    pub fn view(&self) -> EngineResult<Study> {
        self.viewed(Arc::clone(self.store()))
    }

    fn viewed(&self, store: Arc<dyn Store>) -> EngineResult<Study> {
        let record = store.study(&self.study.record().name)?;
        let mut view = Study::open(store, record, neuralbo_paper::registry())?;
        view.promote_stopped(self.checkpoints.is_some());
        Ok(view)
    }

    /// The space and the names, computed once per version of the definition.
    pub fn space(&mut self) -> (&Arc<Space>, &Arc<Names>) {
        if self.shape.version != self.study.record().version {
            self.shape = StudyShape::of(&self.study);
        }
        (&self.shape.space, &self.shape.names)
    }

    /// Like `space`, with shared ownership.
    pub fn shape(&mut self) -> (Arc<Space>, Arc<Names>) {
        let (space, names) = self.space();
        (Arc::clone(space), Arc::clone(names))
    }

    /// The asking worker. A study in memory has one worker without leases.
    pub fn worker(&self, lease: Duration) -> Worker {
        match self.url {
            Some(_) => Worker {
                name: this_process(),
                lease,
            },
            None => Worker::default(),
        }
    }
}
