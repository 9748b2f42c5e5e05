//! Maximizing an acquisition over a space.
//!
//! * Pools and small finite spaces are scored whole.
//! * Elsewhere scrambled Sobol rows and perturbed incumbents are scored in batches, and the best of them are refined: by projected
//!   L-BFGS on the continuous coordinates, all starts in one call a step, where there is a gradient; by rounds of shrinking
//!   perturbations where there is none; and by moves of one level or one choice.
//! * Every step of an ascent evaluates one trial row of every start in a single call, so that a surrogate can put them through one
//!   product. A start whose trial is refused shortens its own step and takes part in the next call with the shorter one. Under known
//!   constraints directions turn along the borders that they would cross (Rosen 1960), and what a step leaves is moved back.
//! * Where a function has a cheap preview (a bound or an estimate), candidates are scored and refined on that first; the function
//!   itself is asked about the most promising rows only, and refinement ends on it.
//! * Rows are moved to the point that would really be run before they are scored.

mod candidates;
mod limited;
mod moves;
mod region;
mod scoring;
#[cfg(test)]
mod tests;

pub use limited::Margins;
pub use region::{SearchRegion, SeenRows, random_row, row_fingerprint, unseen_row};
pub use scoring::{score, value_spread};

use crate::linalg::{
    Descent, DescentDomain, Points, Rng, SettingError, TurnDirection, at_least_one, require,
};
use crate::surrogate::Function;

use candidates::Perturbation;
use scoring::{Scored, best_of, ordered};

/// Rounds of gradient ascent and discrete moves in turn, in spaces that have both kinds of coordinates.
const MIXED_ROUNDS: usize = 3;

/// Distance within which candidates are taken to lie on the same hill, as a fraction of the diagonal of the box.
const SAME_HILL: f64 = 0.1;
/// Rows that the preview of a function leaves to be looked at exactly, and gradient steps or perturbations that are exact then.
const PROMISING: usize = 64;
const EXACT_STEPS: usize = 4;
const EXACT_PERTURBATIONS: usize = 256;
/// Most rows of a probe.
const PROBED: usize = 256;

/// How hard to look; checked by [`Maximizer::new`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaximizerSettings {
    /// Rows scored at first; at least 1.
    pub candidates: usize,
    /// Share of them around the incumbents, from 0 to 1.
    pub local_share: f64,
    /// How many of the best rows are refined; 0 takes the best candidate as it is.
    pub starts: usize,
    /// Most gradient steps of a refinement.
    pub steps: usize,
}

impl Default for MaximizerSettings {
    fn default() -> Self {
        Self {
            candidates: 2048,
            local_share: 0.5,
            starts: 12,
            steps: 60,
        }
    }
}

/// A row and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Maximum {
    /// The row, a point of the space.
    pub row: Vec<f64>,
    /// The function's value there.
    pub value: f64,
}

/// Looks for the largest value of a function.
///
/// ```
/// use neuralbo::acquisition::maximize::{Maximizer, SearchRegion, SeenRows};
/// use neuralbo::linalg::{Points, Purpose, Streams};
/// use neuralbo::space::Space;
/// use neuralbo::surrogate::Function;
///
/// struct Hill;
/// impl Function for Hill {
///     fn value(&self, rows: &Points) -> Vec<f64> {
///         rows.rows().map(|x| -(x[0] - 0.3).powi(2)).collect()
///     }
/// }
/// let space = Space::from_bounds(&[(0.0, 1.0)])?;
/// let seen = SeenRows::default();
/// let region = SearchRegion::whole(&space, &seen, Points::new(1));
/// let top = Maximizer::default().maximize(&Hill, &region, &mut Streams::new(1).stream(0, Purpose::Candidates));
/// assert!(top.is_some_and(|top| (top.row[0] - 0.3).abs() < 1e-3));
/// # Ok::<(), neuralbo::space::SpaceError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Maximizer {
    settings: MaximizerSettings,
}

impl Maximizer {
    /// A maximizer with checked settings.
    pub fn new(settings: MaximizerSettings) -> Result<Self, SettingError> {
        let share = settings.local_share;
        at_least_one("candidates", settings.candidates)?;
        require(
            "local_share",
            share,
            (0.0..=1.0).contains(&share),
            "from 0 to 1",
        )?;
        Ok(Self { settings })
    }

    /// The same for constants: what may not be does not compile.
    pub(crate) const fn constant(settings: MaximizerSettings) -> Self {
        assert!(settings.candidates > 0);
        assert!(settings.local_share >= 0.0 && settings.local_share <= 1.0);
        Self { settings }
    }

    /// The best of `candidates` scrambled Sobol rows, as they are.
    pub fn best_of(candidates: usize) -> Result<Self, SettingError> {
        Self::new(MaximizerSettings {
            candidates,
            local_share: 0.0,
            starts: 0,
            ..Default::default()
        })
    }

    /// The settings.
    pub fn settings(&self) -> MaximizerSettings {
        self.settings
    }

    /// A few rows of the region as [`Maximizer::maximize`] would look at first, e.g. to learn the units of a function.
    pub fn probe(&self, region: &SearchRegion<'_>, rng: &mut Rng) -> Points {
        let few = MaximizerSettings {
            candidates: self.settings.candidates.min(PROBED),
            ..self.settings
        };
        match region.space.listed_rows() {
            Some(rows) => {
                Points::from_rows(rows.dim(), rows.rows().step_by(rows.len().div_ceil(PROBED)))
            }
            None => Self { settings: few }.candidates(region, rng),
        }
    }

    /// The best row found that has not been seen; `None` only when a finite space has none left.
    pub fn maximize(
        &self,
        function: &dyn Function,
        region: &SearchRegion<'_>,
        rng: &mut Rng,
    ) -> Option<Maximum> {
        self.best(function, region, 1, rng).into_iter().next()
    }

    /// Up to `count` different rows that have not been seen, the best first.
    pub fn best(
        &self,
        function: &dyn Function,
        region: &SearchRegion<'_>,
        count: usize,
        rng: &mut Rng,
    ) -> Vec<Maximum> {
        if let Some(rows) = region.space.listed_rows() {
            return best_of(&rows, &score(function, &rows), count, region.seen);
        }
        let candidates = self.candidates(region, rng);
        let found = match function.preview() {
            Some(preview) => {
                let promising = self.promising(&*preview, region, candidates, rng);
                self.exactly().refined(function, region, promising, rng)
            }
            None => self.refined(function, region, candidates, rng),
        };
        let best = found.best(count, region.seen);
        if best.is_empty() {
            self.any_left(function, region, rng)
        } else {
            best
        }
    }

    /// How hard to look at what a preview found promising.
    fn exactly(&self) -> Self {
        let settings = self.settings;
        Self {
            settings: MaximizerSettings {
                candidates: EXACT_PERTURBATIONS.min(settings.candidates),
                steps: EXACT_STEPS.min(settings.steps),
                ..settings
            },
        }
    }

    /// All of `candidates` with their values, and what the refinement of the best of them ends at.
    fn refined(
        &self,
        function: &dyn Function,
        region: &SearchRegion<'_>,
        candidates: Points,
        rng: &mut Rng,
    ) -> Scored {
        let mut found = Scored::new(function, candidates);
        let starts = found.starts(self.settings.starts, SAME_HILL * region.diagonal());
        found.extend(&self.refine(function, region, starts, rng));
        found
    }

    /// The best rows that can be found on the preview of a function.
    fn promising(
        &self,
        preview: &dyn Function,
        region: &SearchRegion<'_>,
        candidates: Points,
        rng: &mut Rng,
    ) -> Points {
        let best = self
            .refined(preview, region, candidates, rng)
            .best(PROMISING, region.seen);
        Points::from_rows(
            region.space.encoded_dim(),
            best.into_iter().map(|maximum| maximum.row),
        )
    }

    fn candidates(&self, region: &SearchRegion<'_>, rng: &mut Rng) -> Points {
        let share = if region.incumbents.is_empty() {
            0.0
        } else {
            self.settings.local_share
        };
        let local = (share * self.settings.candidates as f64).round() as usize;
        let mut rows = candidates::spread(region, self.settings.candidates - local, rng);
        let perturb = Perturbation::new(region);
        rows.extend(&candidates::around_incumbents(region, local, &perturb, rng));
        rows
    }

    fn refine(
        &self,
        function: &dyn Function,
        region: &SearchRegion<'_>,
        starts: Scored,
        rng: &mut Rng,
    ) -> Scored {
        if starts.values.is_empty() {
            return starts;
        }
        let continuous = region.continuous();
        let (smooth, discrete) = (continuous.contains(&true), continuous.contains(&false));
        let mut at = starts;
        for _ in 0..if smooth && discrete { MIXED_ROUNDS } else { 1 } {
            if smooth {
                at = self.refine_continuous(function, region, at, rng);
            }
            if discrete {
                at = moves::discrete_moves(function, region, at, rng);
            }
        }
        at
    }

    fn refine_continuous(
        &self,
        function: &dyn Function,
        region: &SearchRegion<'_>,
        at: Scored,
        rng: &mut Rng,
    ) -> Scored {
        match climb(function, region, &at.rows, self.settings.steps) {
            Some(mut climbed) => {
                (0..climbed.rows.len()).for_each(|i| region.settle(climbed.rows.row_mut(i)));
                // A number that a condition reads may have passed its border.
                if region.space.has_conditions() {
                    at.or_better(Scored::new(function, climbed.rows))
                } else {
                    climbed
                }
            }
            None => moves::perturbation_rounds(function, region, at, self.settings.candidates, rng),
        }
    }

    /// In a large finite space all candidates may have been seen although points are left.
    fn any_left(
        &self,
        function: &dyn Function,
        region: &SearchRegion<'_>,
        rng: &mut Rng,
    ) -> Vec<Maximum> {
        let row = unseen_row(region.space, region.seen, rng);
        row.map(|row| Maximum {
            value: score(function, &Points::from_rows(row.len(), [&row]))[0],
            row,
        })
        .into_iter()
        .collect()
    }
}

/// Climbs from `starts` for at most `steps` calls; `None` when the function has no gradient.
fn climb(
    function: &dyn Function,
    region: &SearchRegion<'_>,
    starts: &Points,
    steps: usize,
) -> Option<Scored> {
    let (values, gradients) = function.value_and_gradient(starts)?;
    let turn = |direction: Vec<f64>, x: &[f64]| region.space.turned(direction, x, &region.place());
    let turn: &TurnDirection<'_> = &turn;
    let turn = Some(turn).filter(|_| region.space.is_constrained());
    let domain = DescentDomain::new(region.lower(), region.upper()).turning(turn);
    // A descent of the negated function.
    let descent = |i: usize| {
        let (x, gradient) = (starts.row(i), negated(gradients.row(i)));
        Descent::new(x, -values[i], &gradient, movable(region, x), &domain)
    };
    let mut descents: Vec<Descent> = (0..starts.len()).map(descent).collect();
    for _ in 0..steps {
        let active = (0..descents.len()).filter(|&i| !descents[i].is_done());
        let active: Vec<usize> = active.collect();
        if active.is_empty() {
            break;
        }
        let trial = |&i: &usize| region.admitted(descents[i].trial(&domain), descents[i].x());
        let trials = Points::from_rows(starts.dim(), active.iter().map(trial));
        let (values, gradients) = function.value_and_gradient(&trials)?;
        for (k, &i) in active.iter().enumerate() {
            let gradient = negated(gradients.row(k));
            descents[i].receive(trials.row(k), -values[k], &gradient, &domain);
        }
    }
    let values = descents.iter().map(|descent| ordered(-descent.value()));
    Some(Scored {
        rows: Points::from_rows(starts.dim(), descents.iter().map(Descent::x)),
        values: values.collect(),
    })
}

/// Which coordinates of a row are continuous and active.
fn movable(region: &SearchRegion<'_>, row: &[f64]) -> Vec<bool> {
    let mut movable = region.continuous();
    if let Some(active) = region.space.active_coordinates(row) {
        let both = movable.iter_mut().zip(active);
        both.for_each(|(movable, active)| *movable &= active);
    }
    movable
}

fn negated(gradient: &[f64]) -> Vec<f64> {
    gradient.iter().map(|g| -g).collect()
}
