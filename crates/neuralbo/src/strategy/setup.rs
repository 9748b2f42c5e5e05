//! What every strategy needs, and the bookkeeping of points that may not be proposed again.

use std::sync::Arc;

use super::{CancelFlag, Exhausted, Goals, History, Origin, Request, Suggestion};
use crate::acquisition::maximize::SeenRows;
use crate::linalg::Streams;
use crate::space::Space;

/// What every strategy needs to know about a study.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The space searched.
    pub space: Arc<Space>,
    /// The study's random streams.
    pub streams: Streams,
    /// Whether a point may be proposed that was evaluated before or is running: sensible where evaluations are noisy.
    pub replicates: bool,
    /// How many objectives and outcome constraints there are.
    pub goals: Goals,
}

impl Setup {
    /// A study of one objective without replicates.
    pub fn new(space: Arc<Space>, streams: Streams) -> Self {
        Self {
            space,
            streams,
            replicates: false,
            goals: Goals::default(),
        }
    }

    /// The suggestion of a row; whatever a method proposes, it is feasible.
    pub(super) fn suggestion(&self, mut row: Vec<f64>, origin: Origin) -> Suggestion {
        if !self.space.is_feasible(&row) {
            self.space.repair(&mut row);
        }
        Suggestion {
            point: self.space.decode(&row),
            row,
            origin,
            mean: None,
            sd: None,
        }
    }
}

/// The rows of a growing history, counted once each.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    seen: SeenRows,
    counted: usize,
}

impl Ledger {
    /// Everything evaluated or running; nothing where replicates are allowed.
    pub(super) fn taken(&mut self, setup: &Setup, request: &Request<'_>) -> SeenRows {
        if setup.replicates {
            return SeenRows::default();
        }
        self.count(request.history);
        let mut seen = self.seen.clone();
        request.pending.rows().for_each(|row| {
            seen.insert(row);
        });
        seen
    }

    /// Everything evaluated, as of the last call of [`Ledger::taken`].
    pub(super) fn finished(&self) -> &SeenRows {
        &self.seen
    }

    fn count(&mut self, history: &History) {
        for i in self.counted..history.len() {
            self.seen.insert(history.row(i));
        }
        self.counted = self.counted.max(history.len());
        self.seen.settle();
    }
}

/// Asks `next` for one suggestion after the other; each is taken when the following one is chosen.
pub(super) fn one_by_one(
    setup: &Setup,
    request: &Request<'_>,
    mut taken: SeenRows,
    mut next: impl FnMut(u64, &SeenRows, &[Suggestion]) -> Result<Suggestion, Exhausted>,
) -> Result<Vec<Suggestion>, Exhausted> {
    let mut chosen: Vec<Suggestion> = Vec::with_capacity(request.count);
    for i in 0..request.count as u64 {
        if !chosen.is_empty() && request.cancel.is_some_and(CancelFlag::is_raised) {
            break;
        }
        match next(request.number + i, &taken, &chosen) {
            Ok(suggestion) => {
                if !setup.replicates {
                    taken.insert(&suggestion.row);
                }
                chosen.push(suggestion);
            }
            Err(Exhausted) if chosen.is_empty() => return Err(Exhausted),
            Err(Exhausted) => break,
        }
    }
    Ok(chosen)
}
