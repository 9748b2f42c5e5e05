//! What happens, in which order.

use rand::RngExt;

use neuralbo::linalg::{Purpose, Streams};

/// Leases of the simulation, in milliseconds. So long that the time a real database takes for a schedule is nothing.
pub(super) const LEASE: i64 = 1_000_000;

/// One thing that happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// The worker asks for a trial and enters a point for one that has none.
    Ask,
    /// The same, but the first answer of the store is lost, and the worker asks again.
    AskTwice,
    /// The worker stores an intermediate value.
    Report,
    /// The worker keeps its trial.
    Renew,
    /// The worker tells its value.
    Tell,
    /// The same twice: the first answer was lost.
    TellTwice,
    /// The worker tells that its program was ended by a signal, which is retried.
    TellSignal,
    /// The worker tells a failure that is not tried again.
    TellFailure,
    /// The worker gives its trial back.
    Release,
    /// The worker asks for a trial and gives it back before it has a point.
    AskAndRelease,
    /// The worker tells a trial that it has told or lost before once more, with another value.
    TellOld,
    /// The worker dies: it forgets what it had.
    Kill,
    /// The worker's process starts anew.
    Restart,
    /// Somebody finds that the worker is dead and ends its lease.
    Expire,
    /// Somebody ends trials that have no attempts left.
    FailExpired,
    /// The worker cannot reach the store, keeps its value outside of it and ends.
    Keep,
    /// Somebody tells a value that was kept.
    TellKept,
    /// A study is deleted.
    Delete,
    /// A study is created under a name that is free.
    Create,
    /// A study is deleted and another one created under its name.
    Recreate,
    /// A study gets another name, which is free: it is exported, imported and deleted.
    Rename,
    /// The storage is replaced by an empty one, and a study is created there.
    Replace,
    /// Time passes, or the clock is set back.
    Pass(i64),
}

/// Whose turn it is, and for what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScheduledStep {
    /// Which worker.
    pub worker: usize,
    /// What it does.
    pub action: Action,
}

/// Studies and what happens to them.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// How many workers there are.
    pub workers: usize,
    /// How often a trial may be tried.
    pub attempts: u64,
    /// How many trials a study may have.
    pub limit: Option<u64>,
    /// What happens.
    pub steps: Vec<ScheduledStep>,
}

impl Schedule {
    /// The schedule of a seed.
    pub fn draw(seed: u64, steps: usize) -> Self {
        let mut rng = Streams::new(seed).stream(0, Purpose::Noise);
        let workers = rng.random_range(1..6);
        let attempts = rng.random_range(1..4);
        let limit = rng.random_bool(0.7).then(|| rng.random_range(1..12));
        let action = |of_hundred: u32, part: i64| match of_hundred {
            0..22 => Action::Ask,
            22..26 => Action::AskTwice,
            26..34 => Action::Report,
            34..41 => Action::Renew,
            41..56 => Action::Tell,
            56..60 => Action::TellTwice,
            60..65 => Action::TellSignal,
            65..68 => Action::TellFailure,
            68..72 => Action::Release,
            72..74 => Action::AskAndRelease,
            74..78 => Action::TellOld,
            78..82 => Action::Kill,
            82..84 => Action::Restart,
            84..86 => Action::Expire,
            86..90 => Action::FailExpired,
            90..98 => Action::Pass(part * LEASE / 4),
            98..100 => Action::Pass(-part * LEASE / 4),
            100..104 => Action::Keep,
            104..109 => Action::TellKept,
            109 => Action::Delete,
            110..113 => Action::Create,
            113 => Action::Recreate,
            114 => Action::Rename,
            _ => Action::Replace,
        };
        let step = |_| {
            let worker = rng.random_range(0..workers);
            ScheduledStep {
                worker,
                action: action(rng.random_range(0..116), rng.random_range(1..9)),
            }
        };
        let steps = (0..steps).map(step).collect();
        Self {
            workers,
            attempts,
            limit,
            steps,
        }
    }

    /// The same with as few steps as were found to suffice for `breaks`: pieces are left out, large ones first.
    pub fn shortened(&self, breaks: impl Fn(&Self) -> bool) -> Self {
        let mut short = self.clone();
        let mut piece = short.steps.len().div_ceil(2);
        while piece > 0 {
            let mut at = 0;
            while at < short.steps.len() {
                let mut shorter = short.clone();
                shorter
                    .steps
                    .drain(at..(at + piece).min(shorter.steps.len()));
                if breaks(&shorter) {
                    short = shorter;
                } else {
                    at += piece;
                }
            }
            piece /= 2;
        }
        short
    }
}
