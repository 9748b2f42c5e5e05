//! The points of a batch, one after the other, without repetition.

use super::{CancelFlag, Exhausted, History, Request, Setup, Suggestion};
use crate::acquisition::maximize::SeenRows;

/// The rows that were evaluated, kept up to date with a growing history.
#[derive(Clone, Debug, Default)]
pub(super) struct EvaluatedRows {
    seen: SeenRows,
    counted: usize,
}

impl EvaluatedRows {
    /// All rows evaluated or running; empty where replicates are allowed.
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

    /// All rows evaluated, as of the last call of [`EvaluatedRows::taken`].
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

/// Asks `next` for one suggestion after the other; each is taken when the next one is chosen.
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
