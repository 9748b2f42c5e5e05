//! What a screening does at present.

use super::design::Design;
use super::rewards::Average;

/// What the screening does.
pub(super) enum Stage {
    /// Looks at the centre and next to it; the trust region's start goes on meanwhile.
    Watching,
    /// No noise was seen.
    Quiet,
    /// A round of trials.
    Round(Box<Round>),
    /// The trust region has the turn.
    Region(RegionTurn),
}

/// A turn of the trust region: it lasts for as long as its trials get better.
pub(super) struct RegionTurn {
    /// Trials before it.
    pub(super) trials: usize,
    /// Side to begin with.
    pub(super) side: f64,
    /// Observations before its present window.
    pub(super) before: usize,
    /// The rewards of the window before that.
    pub(super) last: Option<Average>,
    /// The round after it.
    pub(super) index: u64,
    pub(super) center: Vec<f64>,
}

/// One round.
pub(super) struct Round {
    pub(super) index: u64,
    pub(super) center: Vec<f64>,
    pub(super) reach: f64,
    pub(super) design: Design,
    /// Observations made before it.
    pub(super) before: usize,
    /// The next centre, once the design is observed.
    pub(super) proposed: Option<Proposed>,
    /// The centre before, where looks at the present one were worse.
    pub(super) back: Option<Retreat>,
}

/// A centre to which the screening returns unless the round around the next one is better as a
/// whole: the centre may lie at the bottom of a ripple that its surroundings do not share.
pub(super) struct Retreat {
    pub(super) center: Vec<f64>,
    pub(super) at_center: Average,
    pub(super) level: Average,
    pub(super) reach: f64,
}

/// The model's best point and what the model leaves unexplained.
pub(super) struct Proposed {
    pub(super) looks: Vec<Vec<f64>>,
    pub(super) residual: f64,
}
