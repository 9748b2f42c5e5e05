//! Random schedules of workers, kills, stalls, restarts, lost answers, clock jumps, studies that are deleted, created again and
//! renamed, storages that are replaced and values that are told late, in virtual time, against a simple model of what must be stored.
//!
//! A schedule is drawn from a seed and run step by step on one thread: the same seed is the same schedule on any machine. Every
//! answer of the store is compared with the model's, and after every step what is stored. A schedule that breaks is made shorter
//! as long as it breaks, and printed with its seed.

mod model;
mod schedule;
mod studies;
mod worker;

pub use schedule::{Action, Schedule, ScheduledStep};

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use neuralbo::record::{Ending, Trial};
use neuralbo::store::{Lease, MemoryStore, Store, StoreError, StudyRecord, Told};
use studies::ScheduledStudies;
use worker::SimulatedWorker;

/// Writes a value that the store cannot take now.
pub type Keep = fn(&StudyRecord, &Trial, &Ending) -> String;
/// Tells a value that was written so.
pub type TellKept = fn(&dyn Store, &str) -> Result<Told, StoreError>;

/// A storage whose time is set by hand.
pub struct TimedStorage {
    open: Box<dyn Fn() -> Arc<dyn Store>>,
    pass: Box<dyn Fn(i64)>,
    replace: Option<Box<dyn Fn()>>,
    keep: Keep,
    tell_kept: TellKept,
}

impl TimedStorage {
    /// A storage by the function that opens a handle to it, and the one that lets milliseconds pass, negative ones too.
    pub fn new(open: impl Fn() -> Arc<dyn Store> + 'static, pass: impl Fn(i64) + 'static) -> Self {
        Self {
            open: Box::new(open),
            pass: Box::new(pass),
            replace: None,
            keep: |study, trial, ending| {
                serde_json::json!([Lease::of(study.id, trial), ending]).to_string()
            },
            tell_kept: |store, text| {
                let (lease, ending): (Lease, Ending) =
                    serde_json::from_str(text).map_err(|error| StoreError::Record {
                        what: "a kept value".to_owned(),
                        reason: error.to_string(),
                    })?;
                store.tell(&lease, &ending)
            },
        }
    }

    /// The same with a function that puts an empty storage in its place.
    pub fn replaced_by(self, replace: impl Fn() + 'static) -> Self {
        Self {
            replace: Some(Box::new(replace)),
            ..self
        }
    }

    /// The same with other ways to keep values outside of the store, and to tell them later.
    pub fn keeping(self, keep: Keep, tell_kept: TellKept) -> Self {
        Self {
            keep,
            tell_kept,
            ..self
        }
    }

    /// A storage in memory, seen through `wrap`: the store itself, or one that breaks its promises.
    pub fn in_memory(wrap: fn(Arc<dyn Store>) -> Arc<dyn Store>) -> Self {
        let clock = Arc::new(AtomicI64::new(1_000_000_000_000));
        let of_clock = clock.clone();
        let empty = move || wrap(Arc::new(MemoryStore::with_clock(of_clock.clone())));
        let store = Arc::new(Mutex::new(empty()));
        let now = store.clone();
        let open = move || now.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self::new(open, move |time| {
            _ = clock.fetch_add(time, Ordering::SeqCst)
        })
        .replaced_by(move || *store.lock().unwrap_or_else(PoisonError::into_inner) = empty())
    }
}

/// What schedules did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Steps that were possible when their turn came.
    pub steps: u64,
    /// Trials that finished.
    pub finished: u64,
    /// Trials that changed hands because their leases had ended.
    pub taken_over: u64,
    /// Results that came too late.
    pub too_late: u64,
    /// Results that were kept outside of the store and told later.
    pub recovered: u64,
    /// Results that were told after their study was gone.
    pub gone: u64,
}

/// Runs the schedules of these seeds, each in a world of its own; panics at the first that breaks, with the shortest form of it
/// that was found.
///
/// ```
/// use neuralbo_testkit::simulation::{TimedStorage, simulate};
///
/// let done = simulate(|| TimedStorage::in_memory(|store| store), 0..20, 100);
/// assert!(done.finished > 0 && done.taken_over > 0 && done.too_late > 0);
/// ```
pub fn simulate(
    world: impl Fn() -> TimedStorage,
    seeds: std::ops::Range<u64>,
    steps: usize,
) -> Done {
    let mut done = Done::default();
    for seed in seeds {
        let schedule = Schedule::draw(seed, steps);
        match run(&world(), &schedule) {
            Ok(one) => {
                done.steps += one.steps;
                done.finished += one.finished;
                done.taken_over += one.taken_over;
                done.too_late += one.too_late;
                done.recovered += one.recovered;
                done.gone += one.gone;
            }
            Err(broken) => {
                let short = schedule.shortened(|shorter| run(&world(), shorter).is_err());
                let last = run(&world(), &short).err().unwrap_or(broken);
                panic!(
                    "seed {seed}: {last}\nshortened to {} of {} steps: {short:#?}",
                    short.steps.len(),
                    schedule.steps.len()
                );
            }
        }
    }
    done
}

/// Runs one schedule; the error says which promise was broken at which step.
pub fn run(world: &TimedStorage, schedule: &Schedule) -> Result<Done, String> {
    let mut store = (world.open)();
    let mut all = ScheduledStudies::new(world, schedule)?;
    let mut workers: Vec<SimulatedWorker> = (0..schedule.workers)
        .map(|number| SimulatedWorker::new(number, (world.open)()))
        .collect();
    let mut steps = 0;
    for (place, step) in schedule.steps.iter().enumerate() {
        let at = |error: String| format!("step {place}, {step:?}: {error}");
        let count = workers.len();
        let worker = &mut workers[step.worker % count];
        steps += u64::from(match step.action {
            Action::Pass(time) => {
                all.pass(time);
                false
            }
            Action::Delete | Action::Create | Action::Recreate | Action::Rename => {
                all.change(step.action, step.worker % 2).map_err(at)?
            }
            Action::Replace => {
                let replaced = all.change(step.action, step.worker % 2).map_err(at)?;
                // Connections are made anew; what the workers hold is what they held.
                store = (world.open)();
                workers
                    .iter_mut()
                    .for_each(|worker| worker.store = (world.open)());
                replaced
            }
            Action::Restart => {
                *worker = SimulatedWorker::new(worker.number, (world.open)());
                true
            }
            _ => worker.act(step, &mut all).map_err(at)?,
        });
        all.compare(store.as_ref()).map_err(at)?;
    }
    all.compare_reports((world.open)().as_ref())?;
    Ok(all.done(steps))
}
