//! Turns between a policy and others.

use std::sync::Arc;

use crate::strategy::smbo::{Context, NoChoice, Policy};
use crate::strategy::{Exhausted, History, LocalModel, NoModel, Request, Suggestion};
use crate::surrogate::{Dataset, Posterior};

/// Chooses a point now and then, or none.
pub(crate) trait Occasional: Send {
    /// The point; `None` where it has none to offer.
    fn propose(&self, context: &Context<'_>) -> Option<Suggestion>;
}

/// One of `every` trials after the initial design.
pub(crate) struct Turn {
    pub(crate) every: u64,
    /// Which of them, counted from 0.
    pub(crate) index: u64,
    pub(crate) policy: Box<dyn Occasional>,
}

/// A policy that leaves some of its trials to others; a turn without a proposal is its own again.
pub(crate) struct Alternate {
    policy: Box<dyn Policy>,
    turns: Vec<Turn>,
    /// Points of the initial design.
    initial: u64,
}

impl Alternate {
    pub(crate) fn new(policy: Box<dyn Policy>, turns: Vec<Turn>, initial: usize) -> Self {
        Self {
            policy,
            turns,
            initial: initial as u64,
        }
    }

    /// A policy without others.
    pub(crate) fn only(policy: impl Policy + 'static) -> Self {
        Self::new(Box::new(policy), Vec::new(), 0)
    }
}

impl Policy for Alternate {
    fn observe(&mut self, request: &Request<'_>, scores: &Dataset) {
        self.policy.observe(request, scores);
    }

    fn opening(&self, context: &Context<'_>) -> Option<Result<Suggestion, Exhausted>> {
        self.policy.opening(context)
    }

    fn choose(&mut self, context: &Context<'_>) -> Result<Suggestion, NoChoice> {
        let number = context.number.abs_diff(self.initial);
        let due = self.turns.iter().filter(|t| number % t.every == t.index);
        let mut proposals = due.filter_map(|turn| turn.policy.propose(context));
        match proposals.next() {
            Some(suggestion) => Ok(suggestion),
            None => self.policy.choose(context),
        }
    }

    fn model_of(
        &mut self,
        history: &History,
        quantity: usize,
    ) -> Result<Arc<dyn Posterior>, NoModel> {
        self.policy.model_of(history, quantity)
    }

    fn local_model(&mut self, history: &History) -> Result<LocalModel, NoModel> {
        self.policy.local_model(history)
    }
}
