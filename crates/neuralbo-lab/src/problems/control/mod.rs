//! Variants of a problem that tell what an optimizer owes to the problem's place and level.

use std::fmt;

use neuralbo::linalg::{Purpose, Rng, Streams};
use neuralbo::record::{Direction, OutcomeConstraint};
use rand::RngExt;

use super::noise::spread;
use super::{ProblemError, by_name};
use crate::{Optimum, Problem};

/// How far `@moved` moves the optimum in every coordinate, in percent of half the box.
const PERCENT: u16 = 40;
/// Functions whose formula has its best value at the same point beyond the bounds also.
const UNBOUNDED: [&str; 7] = [
    "ackley",
    "griewank",
    "levy",
    "rastrigin",
    "rosenbrock",
    "sphere",
    "styblinski-tang",
];
/// Chooses its directions: the same for everybody, so that a name stands for one function.
const MOVED_SEED: u64 = 0x6d6f_7665;
/// How far [`Control::Shifted`] moves it at most, as a part of half the box.
const MOST_SHIFTED: f64 = 0.6;
/// Chooses its offsets, with the number of the draw.
const SHIFTED_SEED: u64 = 0x7368_6966;
/// Random points over which [`Control::Offset`] takes the mean, and their seed.
const MEAN: (usize, u64) = (1000, 1);

/// A variant of a problem, written after its name: `ackley-50@moved`.
///
/// An optimizer that is as good on the control as on the original owes nothing to what the control takes away.
///
/// ```
/// use neuralbo_lab::problems::Control;
///
/// assert_eq!(Control::split("levy-100@offset")?, ("levy-100", Some(Control::OFFSET)));
/// assert_eq!(Control::split("levy-100@moved-0.05")?, ("levy-100", Some(Control::Moved(5))));
/// assert_eq!(Control::split("levy-100")?, ("levy-100", None));
/// assert_eq!(Control::split("levy-100@shifted-7")?, ("levy-100", Some(Control::Shifted(Some(7)))));
/// assert!(Control::split("levy-100@turned").is_err());
/// # Ok::<(), neuralbo_lab::problems::ProblemError>(())
/// ```
///
/// ```
/// use neuralbo_lab::problems::by_name;
///
/// let moved = by_name("sphere-1@moved", None)?;
/// let best = moved.optimum().unwrap();
/// assert_eq!((best.at[0].abs(), moved.value(&best.at)), (0.4 * 5.12, 0.0));
/// assert_eq!(by_name("levy-100@offset", None)?.optimum().unwrap().value, -2600.0);
/// # Ok::<(), neuralbo_lab::problems::ProblemError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Control {
    /// Translated so that the optimum lies elsewhere in the box: by so many percent of half the box in every coordinate, 40 in `@moved`
    /// and 5 in `@moved-0.05`.
    ///
    /// Up or down is drawn for each coordinate from a fixed seed; where that would leave the box it is the other way. What the
    /// translation pushes over an edge of the box is mirrored at it: the function stays continuous, is never evaluated outside its
    /// own box and so keeps its best value.
    Moved(u16),
    /// The optimum of [`Control::MOVED`], where nothing is mirrored: the formula is evaluated outside its own box also.
    Translated,
    /// Less so many percent of the mean value over the box, in two digits: 200 in `@offset`, which reverses the sign of the mean, and 50
    /// in `@offset-0.5`.
    ///
    /// By `@offset` rewards that were negative nearly everywhere become positive and just as large, or the other way round. No optimizer
    /// that standardizes its observations notices.
    Offset(u16),
    /// Translated like [`Control::Moved`], by a random offset of up to 0.6 of half the box in every coordinate.
    ///
    /// The number of the draw follows a dash: `levy-100@shifted-7`. Without a number every run of an experiment has its own draw,
    /// the same for all methods; elsewhere it is the first.
    Shifted(Option<u32>),
}

impl Control {
    /// `@moved`.
    pub const MOVED: Self = Self::Moved(PERCENT);
    /// `@offset`.
    pub const OFFSET: Self = Self::Offset(200);
    /// All controls, in their usual doses.
    pub const ALL: [Self; 4] = [
        Self::MOVED,
        Self::Translated,
        Self::OFFSET,
        Self::Shifted(None),
    ];

    /// What follows the `@`, without a dose or the number of a draw.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Moved(_) => "moved",
            Self::Translated => "translated",
            Self::Offset(_) => "offset",
            Self::Shifted(_) => "shifted",
        }
    }

    /// What it does in its usual dose, in one line.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Moved(_) => "its optimum moved by 0.4 of half the box in every coordinate",
            Self::Translated => {
                "moved like @moved, without mirroring at the bounds; for some functions"
            }
            Self::Offset(_) => "less twice its mean, so that the mean changes its sign",
            Self::Shifted(_) => {
                "its optimum moved by up to 0.6 of half the box, another draw per run"
            }
        }
    }

    /// The name of the original and the control, if there is one.
    pub fn split(name: &str) -> Result<(&str, Option<Self>), ProblemError> {
        let Some((original, control)) = name.split_once('@') else {
            return Ok((name, None));
        };
        let known = Self::ALL.into_iter().find(|known| known.name() == control);
        let unknown = || {
            let (unknown, names) = (format!("control `{control}` is unknown"), Self::ALL);
            let names = names.map(Self::name).join(" or ");
            let doses = "moved-0.01 to moved-1, offset-0.01 to offset-9.99, shifted-1 and so on";
            let allowed = format!("after @ there may be {names}, or {doses}");
            ProblemError::Impossible(format!("problem `{name}`: {unknown}; {allowed}"))
        };
        let known = known.or_else(|| Self::with_number(control));
        Ok((original, Some(known.ok_or_else(unknown)?)))
    }

    /// A control with its dose or draw after a dash.
    fn with_number(text: &str) -> Option<Self> {
        let (name, number) = text.split_once('-')?;
        match name {
            "moved" => percent(number).filter(|dose| *dose <= 100).map(Self::Moved),
            "offset" => percent(number).map(Self::Offset),
            "shifted" => Some(Self::Shifted(Some(number.parse().ok()?))),
            _ => None,
        }
    }

    /// The problem that a run has under this name: a shifted one without a number has the draw of the run.
    pub fn of_run(name: &str, run: u32) -> Result<Box<dyn Problem>, ProblemError> {
        match Self::split(name)? {
            (original, Some(Self::Shifted(None))) => {
                Self::Shifted(Some(run)).of(by_name(original, None)?)
            }
            _ => by_name(name, None),
        }
    }

    /// What must be added to the values of a problem to have those of its original.
    pub fn restoring(name: &str) -> Result<f64, ProblemError> {
        Ok(match Self::split(name)? {
            (original, Some(Self::Offset(percent))) => {
                constant(&*by_name(original, None)?, percent)
            }
            _ => 0.0,
        })
    }

    /// The variant of a problem.
    pub fn of(self, problem: Box<dyn Problem>) -> Result<Box<dyn Problem>, ProblemError> {
        let mut best = problem.optimum();
        let (mut from, mut constant) = (None, 0.0);
        match (self, &mut best) {
            (Self::Offset(percent), best) => {
                constant = self::constant(&*problem, percent);
                best.iter_mut().for_each(|best| best.value -= constant);
            }
            (Self::Translated, _) if !is_unbounded(&problem.name()) => {
                let possible = format!("possible are {}", UNBOUNDED.join(", "));
                return Err(fixed(&*problem, "translated", &possible));
            }
            (_, None) => return Err(fixed(&*problem, "moved", "its optimum is not known")),
            (_, Some(best)) => from = Some(self.move_elsewhere(best, &problem.bounds())),
        }
        Ok(Box::new(Controlled {
            name: format!("{}@{self}", problem.name()),
            bounds: problem.bounds(),
            from,
            mirrored: self != Self::Translated,
            constant,
            best,
            inner: problem,
        }))
    }

    /// Moves an optimum; returns where it was.
    fn move_elsewhere(self, best: &mut Optimum, bounds: &[(f64, f64)]) -> Vec<f64> {
        let from = best.at.clone();
        let (seed, draw) = match self {
            Self::Shifted(draw) => (SHIFTED_SEED, draw.unwrap_or(1)),
            Self::Moved(_) | Self::Translated | Self::Offset(_) => (MOVED_SEED, 0),
        };
        let mut rng = Streams::new(seed).stream(u64::from(draw), Purpose::Design);
        for (x, (low, high)) in best.at.iter_mut().zip(bounds) {
            let half = 0.5 * (high - low);
            *x = moved(*x, half * self.offset(&mut rng), *low, *high);
        }
        from
    }

    /// The offset of a coordinate, as a part of half the box.
    fn offset(self, rng: &mut Rng) -> f64 {
        let percent = match self {
            Self::Shifted(_) => return rng.random_range(-MOST_SHIFTED..MOST_SHIFTED),
            Self::Moved(percent) => percent,
            Self::Translated | Self::Offset(_) => PERCENT,
        };
        let part = f64::from(percent) / 100.0;
        if rng.random::<bool>() { part } else { -part }
    }
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shifted(Some(draw)) => write!(f, "{}-{draw}", self.name()),
            Self::Moved(percent) | Self::Offset(percent) if !Self::ALL.contains(self) => {
                write!(f, "{}-{}", self.name(), f64::from(*percent) / 100.0)
            }
            _ => f.write_str(self.name()),
        }
    }
}

/// Why a problem stays where it is.
fn fixed(problem: &dyn Problem, changed: &str, reason: &str) -> ProblemError {
    let fixed = format!("problem `{}` cannot be {changed}", problem.name());
    ProblemError::Impossible(format!("{fixed}: {reason}"))
}

/// What [`Control::Offset`] subtracts.
fn constant(problem: &dyn Problem, percent: u16) -> f64 {
    two_digits(f64::from(percent) / 100.0 * spread(problem, MEAN.0, MEAN.1).mean)
}

/// A dose such as `0.05` in percent: from 1 to 999, without fractions.
fn percent(text: &str) -> Option<u16> {
    let percent = 100.0 * text.parse::<f64>().ok()?;
    let whole = percent.round();
    ((1.0..1000.0).contains(&whole) && (percent - whole).abs() < 1e-6).then_some(whole as u16)
}

/// Whether a function, by its name with or without the dimension, is one of [`UNBOUNDED`].
fn is_unbounded(name: &str) -> bool {
    let is_dim = |dim: &str| dim.parse::<usize>().is_ok();
    let mut known = UNBOUNDED.iter();
    known.any(|known| {
        name.strip_prefix(known)
            .is_some_and(|rest| rest.strip_prefix('-').is_some_and(is_dim))
    })
}

/// So that the last digits of a machine's sine do not make another problem of it.
fn two_digits(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

/// The new place of one coordinate of the optimum: the other way where this one leaves the box.
fn moved(x: f64, step: f64, low: f64, high: f64) -> f64 {
    if (low..=high).contains(&(x + step)) {
        x + step
    } else {
        x - step
    }
}

/// `x` reflected at the bounds until it is between them.
fn mirrored(x: f64, low: f64, high: f64) -> f64 {
    if low <= x && x <= high {
        return x;
    }
    let turns = ((x - low) / (high - low)).rem_euclid(2.0);
    (low + (high - low) * turns.min(2.0 - turns)).clamp(low, high)
}

/// A problem as a control changes it.
struct Controlled {
    inner: Box<dyn Problem>,
    name: String,
    bounds: Vec<(f64, f64)>,
    /// Where the optimum was, if it was moved.
    from: Option<Vec<f64>>,
    /// Whether what leaves the box of the inner problem is mirrored at its bounds.
    mirrored: bool,
    /// What is subtracted from the values.
    constant: f64,
    best: Option<Optimum>,
}

impl Controlled {
    /// The point of the inner problem that `x` stands for.
    fn unmoved(&self, x: &[f64]) -> Vec<f64> {
        let (Some(from), Some(best)) = (&self.from, &self.best) else {
            return x.to_vec();
        };
        let places = from.iter().zip(&best.at).zip(&self.bounds);
        x.iter()
            .zip(places)
            .map(|(v, ((from, to), (low, high)))| match self.mirrored {
                true => mirrored(from + (v - to), *low, *high),
                false => from + (v - to),
            })
            .collect()
    }
}

impl Problem for Controlled {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.bounds.clone()
    }

    fn direction(&self) -> Direction {
        self.inner.direction()
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.inner.value(&self.unmoved(x)) - self.constant
    }

    fn outcome_constraints(&self) -> Vec<OutcomeConstraint> {
        self.inner.outcome_constraints()
    }

    fn measured(&self, x: &[f64]) -> Vec<f64> {
        self.inner.measured(&self.unmoved(x))
    }

    fn optimum(&self) -> Option<Optimum> {
        self.best.clone()
    }
}

#[cfg(test)]
mod tests;
