//! A study that the Python objects of one process share.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use neuralbo::record::{OutcomeConstraint, Trial as Record};
use neuralbo::space::{Params, Space};
use neuralbo::store::Store;
use neuralbo::study::{Study, Worker};
use neuralbo_store::{Access, Checkpoints, Secret};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::errors::{store_error, study_error};
use crate::predicate::Predicates;
use crate::running_points::RunningPoints;
use crate::storage;

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
    /// Derived from the definition of this version.
    space: Option<(u64, Arc<Space>, Arc<Names>)>,
}

impl SharedStudy {
    pub fn new(study: Study, url: Option<Secret>, predicates: Predicates) -> Arc<Self> {
        let process = std::process::id();
        let (open, queue) = (RunningPoints::default(), VecDeque::new());
        let kept = HeldStudy {
            study,
            url,
            open,
            queue,
            predicates,
            checkpoints: None,
            last_ask: None,
            process,
            space: None,
        };
        Arc::new(Self {
            kept: Mutex::new(kept),
            process: AtomicU32::new(process),
        })
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
    pub fn trial(&self, number: u64) -> PyResult<Record> {
        let kept = self.lock()?;
        kept.study
            .store()
            .trial(kept.study.record().id, number)
            .map_err(store_error)
    }
}

impl HeldStudy {
    /// Releases the running trials of dead workers of this machine.
    pub fn take_over_dead(&self) {
        if self.url.is_some() {
            let (store, study) = (self.study.store(), self.study.record().id);
            // Where that fails their leases end all the same.
            let _ = neuralbo_store::worker::take_over_dead(store.as_ref(), study);
        }
    }

    /// A connection made before a fork belongs to the parent: using or closing it would disturb it.
    fn own(&mut self) -> PyResult<()> {
        let process = std::process::id();
        if let Some(url) = self.url.as_ref().filter(|_| self.process != process) {
            let mut fresh = opened(
                storage::open_for(url.reveal(), Access::Write)?,
                &self.study.record().name,
            )?;
            fresh.promote_stopped(self.checkpoints.is_some());
            std::mem::forget(std::mem::replace(&mut self.study, fresh));
        }
        self.process = process;
        Ok(())
    }

    /// Another view of the same study.
    pub fn view(&self) -> PyResult<Study> {
        let mut view = opened(Arc::clone(self.study.store()), &self.study.record().name)?;
        view.promote_stopped(self.checkpoints.is_some());
        Ok(view)
    }

    /// The space and the names, computed once per version of the definition.
    pub fn space(&mut self) -> (&Arc<Space>, &Arc<Names>) {
        let (version, definition) = (self.study.record().version, self.study.definition());
        let stale = self
            .space
            .as_ref()
            .is_none_or(|(known, ..)| *known != version);
        let made = || {
            let parameters = definition
                .space
                .parameters()
                .iter()
                .map(|parameter| parameter.name().to_owned())
                .collect();
            let measured = definition
                .measured()
                .into_iter()
                .map(str::to_owned)
                .collect();
            let objectives = definition.objectives.iter().map(|one| one.name.clone());
            let names = Names {
                objectives: objectives.collect(),
                parameters,
                measured,
                outcome_constraints: definition.outcome_constraints.clone(),
            };
            (version, Arc::new(definition.space.clone()), Arc::new(names))
        };
        let fresh = stale.then(made);
        let (_, space, names) = match fresh {
            Some(fresh) => self.space.insert(fresh),
            None => self
                .space
                .get_or_insert_with(|| (0, Arc::new(Space::empty()), Arc::default())),
        };
        (space, names)
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
                name: storage::worker(),
                lease,
            },
            None => Worker::default(),
        }
    }
}

fn opened(store: Arc<dyn Store>, name: &str) -> PyResult<Study> {
    let record = store.study(name).map_err(store_error)?;
    Study::open(store, record, neuralbo_paper::registry()).map_err(study_error)
}
