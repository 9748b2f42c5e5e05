//! Strategies: from what is known and what is running to the next points.
//!
//! # Contract
//! * [`Strategy::suggest`] is called with a history that only grew since the last call; a strategy may cache what it derived
//!   from it, but a fresh strategy given the same request returns the same suggestions.
//! * Between two points of a batch a strategy looks at [`Request::cancel`].
//! * Running trials are passed as [`Request::pending`] and are never proposed again unless replicates are allowed.
//! * A suggestion always comes back: when a model cannot be fitted the answer is a space-filling point whose
//!   [`Origin`] says why. The only error is a finite space with nothing left in it.
//!
//! Methods with a model are policies of one loop, `smbo`: [`ModelBased`] searches the whole space;
//! the default is composed in `presets/neuralbo.rs` of the `policies`.

mod acquisition_rule;
mod cma_es;
mod history;
mod initial;
mod local_model;
mod model_based;
mod nsga2;
mod options;
mod policies;
pub mod presets;
mod sampling;
mod smbo;
#[cfg(test)]
mod tests;

pub use acquisition_rule::AcquisitionRule;
pub use cma_es::CmaEs;
pub use history::{History, HistoryEntry};
pub use initial::InitialDesign;
pub use local_model::LocalModel;
pub use model_based::{ModelBased, ModelBasedParts};
pub use nsga2::Nsga2;
pub use sampling::{RandomSearch, SobolSearch};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::acquisition::maximize::SeenRows;
use crate::linalg::{Points, Streams};
use crate::space::{Point, Space};
use crate::surrogate::{FitError, Posterior};

/// What every strategy needs to know about a study.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The space searched.
    pub space: Arc<Space>,
    /// The study's random streams.
    pub streams: Streams,
    /// Whether a point that was evaluated or is running may be proposed again, e.g. under noise.
    pub replicates: bool,
    /// The number of objectives and of outcome constraints.
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

    /// The suggestion of a row, repaired where it violates a constraint of the space.
    pub(crate) fn suggestion(&self, mut row: Vec<f64>, origin: Origin) -> Suggestion {
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

/// The number of objectives and of outcome constraint bounds, and the reference point of the
/// hypervolume.
///
/// ```
/// use neuralbo::strategy::Goals;
///
/// assert_eq!(Goals::default(), Goals { objectives: 1, slacks: 0, reference: Vec::new() });
/// assert_eq!(Goals::objectives(2).quantities(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Goals {
    /// Number of objectives, at least 1.
    pub objectives: usize,
    /// Number of bounds on measured quantities: an outcome constraint with two bounds counts twice.
    pub slacks: usize,
    /// The user's reference point of the hypervolume in rewards, one entry per objective; entries
    /// that are `None` or missing are not given.
    pub reference: Vec<Option<f64>>,
}

/// One objective without outcome constraints.
impl Default for Goals {
    fn default() -> Self {
        Self::objectives(1)
    }
}

impl Goals {
    /// This many objectives, without outcome constraints or a reference point.
    pub fn objectives(objectives: usize) -> Self {
        Self {
            objectives,
            slacks: 0,
            reference: Vec::new(),
        }
    }

    /// Numbers that a complete trial measures: one per objective and one per bound.
    pub fn quantities(&self) -> usize {
        self.objectives + self.slacks
    }

    /// Whether the study has one objective and no outcome constraint.
    pub fn is_single(&self) -> bool {
        self.quantities() == 1
    }

    /// The reference point, one entry per objective.
    pub fn reference(&self) -> Vec<Option<f64>> {
        let entry = |k: usize| self.reference.get(k).copied().flatten();
        (0..self.objectives).map(entry).collect()
    }
}

/// What a strategy is asked.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Finished trials.
    pub history: &'a History,
    /// Encoded rows of the trials that are running.
    pub pending: &'a Points,
    /// Number of the first trial to be suggested; keys its random streams.
    pub number: u64,
    /// How many suggestions are wanted.
    pub count: usize,
    /// Says when no more of them are wanted.
    pub cancel: Option<&'a CancelFlag>,
}

impl<'a> Request<'a> {
    /// A request that cannot be cancelled.
    pub fn new(history: &'a History, pending: &'a Points, number: u64, count: usize) -> Self {
        Self {
            history,
            pending,
            number,
            count,
            cancel: None,
        }
    }
}

/// Ends the choice of a batch early, with the points chosen so far. Clones share it.
///
/// ```
/// use neuralbo::strategy::CancelFlag;
///
/// let flag = CancelFlag::default();
/// flag.clone().raise();
/// assert!(flag.is_raised());
/// flag.lower();
/// assert!(!flag.is_raised());
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// No further points are wanted.
    pub fn raise(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Points are wanted again.
    pub fn lower(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    /// Whether no further points are wanted.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Where a suggestion came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Part of the initial design.
    Initial,
    /// Drawn without a model, by a method that has none.
    Sampled,
    /// Chosen by the model; the word names the rule, e.g. `thompson`.
    Model(&'static str),
    /// A space-filling point in place of the model's choice, and why.
    Fallback(String),
    /// Not suggested: a result that was known from elsewhere.
    Known,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Initial => write!(f, "initial"),
            Self::Sampled => write!(f, "sampled"),
            Self::Model(rule) => write!(f, "model:{rule}"),
            Self::Fallback(reason) => write!(f, "fallback:{reason}"),
            Self::Known => write!(f, "known"),
        }
    }
}

/// A proposed point and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// The point to evaluate.
    pub point: Point,
    /// Its encoded row.
    pub row: Vec<f64>,
    /// Where it came from.
    pub origin: Origin,
    /// Predicted mean reward, where a model made it.
    pub mean: Option<f64>,
    /// Predicted standard deviation of the reward to be observed, noise included where the model knows it.
    pub sd: Option<f64>,
}

/// Every point of a finite space has been evaluated or is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("every point of the space has been evaluated or is running")]
pub struct Exhausted;

/// Why there is no model to look at.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NoModel {
    /// The method chooses its points without one.
    #[error("this method has no model of the objective")]
    Modelless,
    /// What was observed does not suffice for one.
    #[error(transparent)]
    Unfit(#[from] FitError),
}

/// The model of a method, or why there is none.
pub type ModelResult = Result<Arc<dyn Posterior>, NoModel>;

/// A way to choose the next points.
pub trait Strategy: Send {
    /// Proposes between one and `request.count` points, fewer than asked only when the space runs out or no more are wanted.
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted>;

    /// The method's model of the rewards. Looking at it changes no suggestion.
    fn model(&mut self, history: &History) -> ModelResult {
        let _ = history;
        Err(NoModel::Modelless)
    }

    /// The method's model of one measured quantity: the rewards of an objective, or after those a slack (see
    /// [`History::measured`]). Looking at it changes no suggestion.
    fn model_of(&mut self, history: &History, quantity: usize) -> ModelResult {
        match quantity {
            0 => self.model(history),
            _ => Err(NoModel::Modelless),
        }
    }

    /// The model by which the point to rely on is chosen: [`Strategy::model`], unless a method has one that knows better what
    /// lies around the best points. Looking at it changes no suggestion.
    fn local_model(&mut self, history: &History) -> Result<LocalModel, NoModel> {
        let dim = history.observed().rows().dim();
        Ok(LocalModel::everywhere(self.model(history)?, dim))
    }
}

/// A suggestion of the model: its mean, and the spread of what will be observed.
fn with_prediction(suggestion: Suggestion, posterior: &dyn Posterior) -> Suggestion {
    let at = posterior.predict(&Points::from_rows(suggestion.row.len(), [&suggestion.row]));
    let finite = |values: &[f64]| values.first().copied().filter(|v| v.is_finite());
    let noise = posterior.noise_sd().unwrap_or(0.0);
    Suggestion {
        mean: finite(&at.mean),
        sd: finite(&at.sd).map(|sd| sd.hypot(noise)),
        ..suggestion
    }
}

/// The rows that were evaluated, kept up to date with a growing history.
#[derive(Clone, Debug, Default)]
struct EvaluatedRows {
    seen: SeenRows,
    counted: usize,
}

impl EvaluatedRows {
    /// All rows evaluated or running; empty where replicates are allowed.
    fn taken(&mut self, setup: &Setup, request: &Request<'_>) -> SeenRows {
        if setup.replicates {
            return SeenRows::default();
        }
        self.count(request.history);
        let mut seen = self.seen.clone();
        request.pending.rows().for_each(|row| _ = seen.insert(row));
        seen
    }

    /// All rows evaluated, as of the last call of [`EvaluatedRows::taken`].
    fn finished(&self) -> &SeenRows {
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
fn one_by_one(
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
