//! When a trial is stopped early, and what it teaches then.
//!
//! | text | a trial is stopped when |
//! |---|---|
//! | `median`, `percentile:25` | its best value so far is worse than the median (the best quarter) of the complete trials at the same step |
//! | `asha:min=1,factor=3` | it is not among the best third of all trials that have come to a rung: step 1, 3, 9, … |
//! | `hyperband:min=1,max=81,factor=3` | the same, with brackets of trials whose first rungs differ |
//! | `patience:steps=10,delta=0.01` | its best value has not improved by 0.01 for 10 steps; it counts as complete |
//! | `threshold:5` | a value is worse than 5 |
//! | `target:0.1` | a value is at least as good as 0.1; it counts as complete |
//! | `none` | never, also where an objective asks without a pruner |
//!
//! All of them take `warmup=N` (nothing is stopped before step N) and `learn=curve|last`, those that compare trials also
//! `after=N` (not before N others have come to the step).

mod decide;
mod halving;
#[cfg(test)]
mod tests;
mod text;

pub use decide::{Course, StepReport, Verdict};
pub use halving::Halving;
pub use text::PrunerError;

use serde::{Deserialize, Serialize};

/// A rule that stops trials early, part of a study's definition so that all workers agree.
///
/// ```
/// use neuralbo::record::{Pruner, Rule};
///
/// let pruner: Pruner = "asha:factor=4".parse()?;
/// assert!(matches!(&pruner.rule, Rule::Halving(halving) if (halving.min, halving.factor) == (1, 4)));
/// assert_eq!(pruner.to_string(), "asha:min=1,factor=4");
/// assert!("asha:factor=1".parse::<Pruner>().is_err());
/// # Ok::<(), neuralbo::record::PrunerError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pruner {
    /// When.
    pub rule: Rule,
    /// Nothing is stopped before this step.
    pub warmup: i64,
    /// Nothing is stopped by comparison before so many other trials have come to the step.
    pub after: u64,
    /// What stopped trials teach.
    pub learn: Learn,
}

/// What a pruner looks at.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// The best value so far must be at least as good as this percentile of the complete trials at the same step, from the best.
    Percentile(f64),
    /// Asynchronous successive halving (Li et al. 2020).
    Halving(Halving),
    /// Successive halving in brackets that begin to stop trials at different steps (Li et al. 2017).
    Hyperband(Halving),
    /// The best value must improve by more than `delta` within so many steps.
    Patience {
        /// How many steps may pass without an improvement.
        steps: i64,
        /// What counts as an improvement.
        delta: f64,
    },
    /// A value that is worse than this ends the trial.
    Threshold(f64),
    /// A value that is at least as good as this is good enough.
    Target(f64),
    /// Nothing is stopped. Without a pruner, objectives that ask get the median rule.
    Never,
}

/// What a stopped trial teaches the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Learn {
    /// Its final value as learning curves of other trials predict it, with the uncertainty of that prediction.
    #[default]
    Curve,
    /// Its last value, as if it were final.
    Last,
}

/// How many complete trials must have reached a step before they are compared with, unless `after` says otherwise.
const COMPARED_AFTER: u64 = 4;

impl Pruner {
    /// The median rule (Golovin et al. 2017, "Google Vizier", section 3.2.2).
    pub fn median() -> Self {
        Self::new(Rule::Percentile(50.0))
    }

    /// A rule without warm-up.
    pub fn new(rule: Rule) -> Self {
        let after = if matches!(rule, Rule::Percentile(_)) {
            COMPARED_AFTER
        } else {
            0
        };
        Self {
            rule,
            warmup: i64::MIN,
            after,
            learn: Learn::default(),
        }
    }

    /// Whether the trials it stops can be promoted later.
    pub fn halving(&self) -> Option<&Halving> {
        match &self.rule {
            Rule::Halving(halving) => Some(halving),
            _ => None,
        }
    }

    /// The step at which a trial has all that it may get, where the rule says so.
    pub fn max_steps(&self) -> Option<i64> {
        match &self.rule {
            Rule::Halving(halving) | Rule::Hyperband(halving) => halving.max,
            _ => None,
        }
    }
}
