//! Random schedules of workers, kills, stalls, restarts, lost answers and clock jumps, in virtual time, against a simple model of
//! what must be stored.
//!
//! A schedule is drawn from a seed and run step by step on one thread: the same seed is the same schedule on any machine. Every
//! answer of the store is compared with the model's, and after every step what is stored. A schedule that breaks is made shorter
//! as long as it breaks, and printed with its seed.

mod model;
mod schedule;
mod worker;

pub use schedule::{Action, Schedule, ScheduledStep};

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use model::Model;
use neuralbo::record::{Definition, Direction, FailureKind, Limits, Retries};
use neuralbo::space::Space;
use neuralbo::store::{MemoryStore, NewStudy, Store};
use worker::SimulatedWorker;

/// A storage whose time is set by hand.
pub struct TimedStorage {
    open: Box<dyn Fn() -> Arc<dyn Store>>,
    pass: Box<dyn Fn(i64)>,
}

impl TimedStorage {
    /// A storage by the function that opens a handle to it, and the one that lets milliseconds pass, negative ones too.
    pub fn new(open: impl Fn() -> Arc<dyn Store> + 'static, pass: impl Fn(i64) + 'static) -> Self {
        Self {
            open: Box::new(open),
            pass: Box::new(pass),
        }
    }

    /// A storage in memory, seen through `wrap`: the store itself, or one that breaks its promises.
    pub fn in_memory(wrap: fn(Arc<dyn Store>) -> Arc<dyn Store>) -> Self {
        let clock = Arc::new(AtomicI64::new(1_000_000_000_000));
        let store = wrap(Arc::new(MemoryStore::with_clock(clock.clone())));
        Self::new(
            move || store.clone(),
            move |time| _ = clock.fetch_add(time, Ordering::SeqCst),
        )
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
    let store = (world.open)();
    let space = Space::from_bounds(&[(0.0, 1.0)]).map_err(|error| error.to_string())?;
    let retries = Retries {
        attempts: schedule.attempts,
        kinds: vec![FailureKind::Signal],
    };
    let definition = Definition {
        retries,
        ..Definition::new(space, Direction::Minimize)
    };
    let limits = Limits {
        trials: schedule.limit,
        ..Limits::default()
    };
    let name = super::store::fresh("simulation");
    let record = store
        .create_study(&NewStudy::new(name, definition, limits))
        .map_err(|error| error.to_string())?;
    let mut model = Model::new(record, schedule.limit, schedule.attempts);
    let mut workers: Vec<SimulatedWorker> = (0..schedule.workers)
        .map(|number| SimulatedWorker::new(number, (world.open)()))
        .collect();
    let mut done = Done::default();
    for (place, step) in schedule.steps.iter().enumerate() {
        let at = |error: String| format!("step {place}, {step:?}: {error}");
        if let Action::Pass(time) = step.action {
            (world.pass)(time);
            model.now += time;
        } else {
            let count = workers.len();
            let worker = &mut workers[step.worker % count];
            if step.action == Action::Restart {
                *worker = SimulatedWorker::new(worker.number, (world.open)());
            }
            done.steps += u64::from(worker.act(step, &mut model).map_err(at)?);
        }
        model.compare(store.as_ref()).map_err(at)?;
    }
    model.compare_reports((world.open)().as_ref())?;
    Ok(Done {
        finished: model.order.len() as u64,
        taken_over: model.taken_over,
        too_late: model.too_late,
        ..done
    })
}
