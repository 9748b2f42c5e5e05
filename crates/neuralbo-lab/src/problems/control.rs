//! Variants of a problem that tell what an optimizer owes to the problem's place and level.

use std::fmt;

use neuralbo::linalg::{Purpose, Rng, Streams};
use neuralbo::record::{Direction, OutcomeConstraint};
use rand::RngExt;

use super::noise::spread;
use super::{ProblemError, by_name};
use crate::{Optimum, Problem};

/// How far [`Control::Moved`] moves the optimum in every coordinate, as a part of half the box.
const PART: f64 = 0.4;
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
/// assert_eq!(Control::split("levy-100@offset")?, ("levy-100", Some(Control::Offset)));
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
    /// Translated so that the optimum lies elsewhere in the box: 0.4 of half the box away in every coordinate.
    ///
    /// Up or down is drawn for each coordinate from a fixed seed; where that would leave the box it is the other way. What the
    /// translation pushes over an edge of the box is mirrored at it: the function stays continuous, is never evaluated outside its
    /// own box and so keeps its best value.
    Moved,
    /// Less a constant that reverses the sign of the mean value: twice the mean over the box, in two digits.
    ///
    /// Rewards that were negative nearly everywhere become positive and just as large, or the other way round. No optimizer that
    /// standardizes its observations notices.
    Offset,
    /// Translated like [`Control::Moved`], by a random offset of up to 0.6 of half the box in every coordinate.
    ///
    /// The number of the draw follows a dash: `levy-100@shifted-7`. Without a number every run of an experiment has its own draw,
    /// the same for all methods; elsewhere it is the first.
    Shifted(Option<u32>),
}

impl Control {
    /// All controls.
    pub const ALL: [Self; 3] = [Self::Moved, Self::Offset, Self::Shifted(None)];
    /// Their names.
    pub const NAMES: [&'static str; 3] = [
        Self::Moved.name(),
        Self::Offset.name(),
        Self::Shifted(None).name(),
    ];

    /// What follows the `@`, without the number of a draw.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Moved => "moved",
            Self::Offset => "offset",
            Self::Shifted(_) => "shifted",
        }
    }

    /// What it does, in one line.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Moved => "its optimum moved by 0.4 of half the box in every coordinate",
            Self::Offset => "less twice its mean, so that the mean changes its sign",
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
        let draw = || control.strip_prefix("shifted-")?.parse().ok();
        let known = Self::ALL.into_iter().find(|known| known.name() == control);
        let known = known.or_else(|| Some(Self::Shifted(Some(draw()?))));
        let unknown = || {
            let (unknown, names) = (format!("control `{control}` is unknown"), Self::NAMES);
            let allowed = format!("after @ there may be {}", names.join(" or "));
            ProblemError::Impossible(format!("problem `{name}`: {unknown}; {allowed}"))
        };
        Ok((original, Some(known.ok_or_else(unknown)?)))
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
            (original, Some(Self::Offset)) => constant(&*by_name(original, None)?),
            _ => 0.0,
        })
    }

    /// The variant of a problem.
    pub fn of(self, problem: Box<dyn Problem>) -> Result<Box<dyn Problem>, ProblemError> {
        let mut best = problem.optimum();
        let (mut from, mut constant) = (None, 0.0);
        match (self, &mut best) {
            (Self::Offset, best) => {
                constant = self::constant(&*problem);
                best.iter_mut().for_each(|best| best.value -= constant);
            }
            (_, None) => {
                let fixed = format!("problem `{}` cannot be moved", problem.name());
                let reason = format!("{fixed}: its optimum is not known");
                return Err(ProblemError::Impossible(reason));
            }
            (_, Some(best)) => from = Some(self.move_elsewhere(best, &problem.bounds())),
        }
        Ok(Box::new(Controlled {
            name: format!("{}@{self}", problem.name()),
            bounds: problem.bounds(),
            from,
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
            Self::Moved | Self::Offset => (MOVED_SEED, 0),
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
        match self {
            Self::Shifted(_) => rng.random_range(-MOST_SHIFTED..MOST_SHIFTED),
            Self::Moved | Self::Offset if rng.random::<bool>() => PART,
            Self::Moved | Self::Offset => -PART,
        }
    }
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shifted(Some(draw)) => write!(f, "{}-{draw}", self.name()),
            _ => f.write_str(self.name()),
        }
    }
}

/// What [`Control::Offset`] subtracts.
fn constant(problem: &dyn Problem) -> f64 {
    two_digits(2.0 * spread(problem, MEAN.0, MEAN.1).mean)
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
            .map(|(v, ((from, to), (low, high)))| mirrored(from + (v - to), *low, *high))
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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::problems::{LEVY, conformance, names};

    #[test]
    fn every_function_has_all_controls_with_its_optimum() {
        for name in names() {
            let original = by_name(name, None).unwrap();
            for control in Control::ALL {
                let problem = by_name(&format!("{name}@{}", control.name()), None).unwrap();
                let found = problem.name();
                assert_eq!(found, format!("{}@{}", original.name(), control.name()));
                let found = (problem.bounds(), problem.direction());
                assert_eq!(found, (original.bounds(), original.direction()));
                let restoring = Control::restoring(&problem.name()).unwrap();
                let restored = problem.optimum().unwrap().value + restoring;
                let difference = restored - original.optimum().unwrap().value;
                assert!(difference.abs() < 1e-9 * restored.abs().max(1.0), "{name}");
                conformance::check(&*problem);
            }
        }
    }

    #[test]
    fn what_cannot_be_made_is_refused_with_what_can() {
        let refusal = |name: &str| by_name(name, None).err().unwrap().to_string();
        assert!(refusal("ackley-5@turned").contains("`turned`"));
        assert!(refusal("ackley-5@turned").contains("moved or offset or shifted"));
        assert!(refusal("ackley-5@shifted-x").contains("`shifted-x`"));
        assert!(refusal("ackly-5@moved").contains("`ackly-5`"));
        assert!(refusal("ackley-5@moved@offset").contains("`moved@offset`"));
    }

    /// Both directions occur, and the distance is the same in all coordinates.
    #[test]
    fn the_optimum_is_elsewhere_in_every_coordinate() {
        let problem = by_name("levy-100@moved", None).unwrap();
        let at = problem.optimum().unwrap().at;
        assert!(at.iter().all(|x| (x - 1.0).abs() == 4.0));
        let count = |place: f64| at.iter().filter(|x| **x == place).count();
        for place in [5.0, -3.0] {
            assert!((30..70).contains(&count(place)));
        }
    }

    #[test]
    fn every_draw_of_offsets_is_another_problem_with_the_same_landscape() {
        let best = |name: &str, run: u32| Control::of_run(name, run).unwrap().optimum().unwrap();
        let at = |run: u32| best("sphere-50@shifted", run).at;
        let offsets = |run: u32| at(run).into_iter().map(|x| x / 5.12).collect::<Vec<f64>>();
        let (first, second) = (offsets(1), offsets(2));
        assert!(first.iter().all(|x| x.abs() <= MOST_SHIFTED));
        let mean_square = first.iter().map(|x| x * x).sum::<f64>() / 50.0;
        assert!((mean_square - MOST_SHIFTED.powi(2) / 3.0).abs() < 0.05);
        assert!(first.iter().zip(&second).all(|(a, b)| a != b));
        // A number stands for one function in every run; without one it is the first outside of experiments.
        assert_eq!(at(2), best("sphere-50@shifted-2", 9).at);
        let found = by_name("sphere-50@shifted", None).unwrap();
        assert_eq!(at(1), found.optimum().unwrap().at);
        let levy = Control::of_run("levy-5@shifted", 3).unwrap();
        assert_eq!(levy.name(), "levy-5@shifted-3");
        assert!(levy.value(&levy.optimum().unwrap().at).abs() < 1e-12);
    }

    /// 20(1 − e^(−0.2·13.1072)) + e − e^(cos 2π·13.1072), whatever the dimension.
    #[test]
    fn the_centre_of_moved_ackley_has_its_value() {
        for dim in [1, 20, 100] {
            let problem = by_name("ackley@moved", Some(dim)).unwrap();
            let centre = problem.value(&vec![0.0; dim]);
            assert!((centre - 19.08).abs() < 0.005, "{centre}");
        }
    }

    proptest! {
        #[test]
        fn mirroring_ends_in_the_box_and_keeps_distances_small(x in -100.0..100.0, step in -1e-3..1e-3_f64) {
            let (a, b) = (mirrored(x, -2.0, 3.0), mirrored(x + step, -2.0, 3.0));
            prop_assert!((-2.0..=3.0).contains(&a));
            prop_assert!((a - b).abs() <= step.abs() + 1e-9);
        }

        #[test]
        fn the_landscape_around_the_optimum_moves_along(dx in -0.9..0.9, dy in -0.9..0.9) {
            let problem = by_name("levy-2@moved", None).unwrap();
            let at = problem.optimum().unwrap().at;
            let moved = problem.value(&[at[0] + dx, at[1] + dy]);
            prop_assert!((moved - LEVY.of(2).value(&[1.0 + dx, 1.0 + dy])).abs() < 1e-9);
        }
    }

    /// The mean of Ackley's function over its box is about 21, that of Michalewicz's about −0.11 a coordinate.
    #[test]
    fn the_mean_changes_its_sign() {
        for (name, twice_the_mean) in [("ackley-100", 42.0), ("michalewicz-100", -22.0)] {
            let [problem, offset] =
                ["", "@offset"].map(|control| by_name(&format!("{name}{control}"), None).unwrap());
            let constant = constant(&*problem);
            assert!((constant / twice_the_mean - 1.0).abs() < 0.15, "{constant}");
            let [before, after] = [&problem, &offset].map(|problem| spread(&**problem, 5000, 2));
            let sum = before.mean + after.mean;
            assert!(sum.abs() < 0.1 * before.mean.abs(), "{before:?} {after:?}");
            assert!((before.sd - after.sd).abs() < 1e-9 * before.sd);
        }
    }

    #[test]
    fn constants_have_two_digits() {
        let found = [1734.2, 42.37, -0.5249, 0.0].map(two_digits);
        assert_eq!(found, [1700.0, 42.0, -0.52, 0.0]);
    }
}
