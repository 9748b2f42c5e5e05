//! What an expression can be while its parameters are in ranges: interval arithmetic (Moore 1966).

use crate::space::expression::{NumberExpr, NumberFunction, Relation, Truth};
use crate::space::{Parameter, Value};

/// What rounding may add to a bound, relatively.
const ROUNDING: f64 = 1e-9;

/// All numbers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Whether it may be NaN.
    undefined: bool,
    /// Whether it may be absent.
    absent: bool,
    /// Whether the bounds were not computed, so that nothing was rounded.
    exact: bool,
}

impl Interval {
    const ALL: Self = Self {
        undefined: true,
        ..Self::new(f64::NEG_INFINITY, f64::INFINITY)
    };

    const fn new(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            undefined: false,
            absent: false,
            exact: true,
        }
    }

    /// The smallest interval that holds these numbers; everything where one is NaN.
    fn hull(numbers: &[f64]) -> Self {
        if numbers.iter().any(|x| x.is_nan()) {
            return Self::ALL;
        }
        let all = || numbers.iter().copied();
        let low = all().fold(f64::INFINITY, f64::min);
        Self::new(low, all().fold(f64::NEG_INFINITY, f64::max))
    }

    /// The same bounds, computed from these.
    fn from(self, parts: &[Self]) -> Self {
        Self {
            undefined: self.undefined || parts.iter().any(|part| part.undefined),
            absent: parts.iter().any(|part| part.absent),
            exact: false,
            ..self
        }
    }

    /// What an operator that is monotone in each operand makes of two intervals.
    fn combined(self, other: Self, of: impl Fn(f64, f64) -> f64) -> Self {
        let (a, b) = (self, other);
        let corners = [
            of(a.low, b.low),
            of(a.low, b.high),
            of(a.high, b.low),
            of(a.high, b.high),
        ];
        Self::hull(&corners).from(&[a, b])
    }

    fn holds_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    /// Through an increasing function that is defined from 0 on.
    fn increasing(self, of: impl Fn(f64) -> f64) -> Self {
        if self.high < 0.0 {
            return Self::ALL;
        }
        Self {
            undefined: self.low < 0.0,
            ..Self::new(of(self.low.max(0.0)), of(self.high))
        }
    }

    fn power(self, exponent: Self) -> Self {
        let k = exponent.low;
        if k == exponent.high && k.fract() == 0.0 && (0.0..1e6).contains(&k) {
            let mut ends = vec![libm::pow(self.low, k), libm::pow(self.high, k)];
            ends.extend(self.holds_zero().then_some(libm::pow(0.0, k)));
            return Self::hull(&ends).from(&[self, exponent]);
        }
        if self.low > 0.0 {
            self.combined(exponent, libm::pow)
        } else {
            Self::ALL.from(&[self, exponent])
        }
    }

    fn of(function: NumberFunction, arguments: &[Self]) -> Self {
        let x = arguments[0];
        let found = match function {
            NumberFunction::Abs if x.holds_zero() => Self::new(0.0, x.high.max(-x.low)),
            NumberFunction::Abs => Self::hull(&[x.low.abs(), x.high.abs()]),
            NumberFunction::Sqrt
            | NumberFunction::Log
            | NumberFunction::Log2
            | NumberFunction::Log10 => x.increasing(|x| function.of(&[x])),
            NumberFunction::Min
            | NumberFunction::Max
            | NumberFunction::Sum
            | NumberFunction::Exp
            | NumberFunction::Floor
            | NumberFunction::Ceil
            | NumberFunction::Round => ends(function, arguments),
        };
        found.from(arguments)
    }
}

/// What a function that is increasing in all its arguments is between.
fn ends(function: NumberFunction, arguments: &[Interval]) -> Interval {
    let end = |of: fn(&Interval) -> f64| {
        let numbers: Vec<f64> = arguments.iter().map(of).collect();
        function.of(&numbers)
    };
    Interval::hull(&[end(|x| x.low), end(|x| x.high)])
}

/// The values that a parameter can have.
#[derive(Clone, Copy)]
pub(super) struct LevelRange<'a> {
    pub(super) parameter: &'a Parameter,
    /// The first and the last level; the bounds of a float without a step.
    pub(super) levels: (f64, f64),
    pub(super) may_be_active: bool,
    pub(super) may_be_inactive: bool,
}

impl LevelRange<'_> {
    /// The numbers among its values; `None` if it has none.
    fn numbers(&self) -> Option<Interval> {
        if !self.may_be_active {
            return None;
        }
        let (first, last) = self.levels;
        let domain = self.parameter.domain();
        let (interval, others) = match domain.values() {
            Some(values) => {
                let values = &values[first as usize..=last as usize];
                let numbers: Vec<f64> = values.iter().filter_map(Value::as_f64).collect();
                if numbers.is_empty() {
                    return None;
                }
                (Interval::hull(&numbers), numbers.len() < values.len())
            }
            None => {
                let number = |level| domain.view_at(level).as_f64();
                (Interval::new(number(first)?, number(last)?), false)
            }
        };
        Some(Interval {
            absent: others || self.may_be_inactive,
            ..interval
        })
    }

    /// Whether it has one of these values, all different.
    fn is_one_of(&self, values: &[Value]) -> TruthOutcomes {
        if !self.may_be_active {
            return TruthOutcomes::ABSENT;
        }
        let (first, last) = self.levels;
        let inside = |value: &&Value| {
            let level = self.parameter.level(*value);
            level.is_some_and(|level| (first..=last).contains(&level))
        };
        let inside = values.iter().filter(inside).count();
        TruthOutcomes {
            yes: inside > 0,
            no: (inside as f64) < last - first + 1.0,
            absent: self.may_be_inactive,
        }
    }

    /// Whether it has the same value as another parameter.
    fn is_same(&self, other: &Self) -> TruthOutcomes {
        if !(self.may_be_active && other.may_be_active) {
            return TruthOutcomes::ABSENT;
        }
        let is_single = |range: &Self| range.levels.0 == range.levels.1;
        let (a, b) = (self.parameter.domain(), other.parameter.domain());
        let known = is_single(self) && is_single(other);
        let same = known && a.view_at(self.levels.0).means(b.view_at(other.levels.0));
        TruthOutcomes {
            yes: !known || same,
            no: !known || !same,
            absent: self.may_be_inactive || other.may_be_inactive,
        }
    }
}

/// The numbers that an expression can have; `None` where it certainly is absent.
pub(super) fn numbers(number: &NumberExpr, ranges: &[LevelRange<'_>]) -> Option<Interval> {
    Some(match number {
        NumberExpr::Constant(x) => Interval::new(*x, *x),
        NumberExpr::Parameter(position) => ranges[*position].numbers()?,
        NumberExpr::Negate(part) => {
            let part = numbers(part, ranges)?;
            Interval {
                low: -part.high,
                high: -part.low,
                ..part
            }
        }
        NumberExpr::Sum(terms) => {
            let mut sum = Interval::new(0.0, 0.0);
            for (subtracted, term) in terms {
                let sign = if *subtracted { -1.0 } else { 1.0 };
                sum = sum.combined(numbers(term, ranges)?, |a, b| a + sign * b);
            }
            sum
        }
        NumberExpr::Product(factors) => {
            let mut product = Interval::new(1.0, 1.0);
            for (divides, factor) in factors {
                let factor = numbers(factor, ranges)?;
                product = match divides {
                    true if factor.holds_zero() => Interval::ALL.from(&[product, factor]),
                    true => product.combined(factor, |a, b| a / b),
                    false => product.combined(factor, |a, b| a * b),
                };
            }
            product
        }
        NumberExpr::Power(base, exponent) => {
            numbers(base, ranges)?.power(numbers(exponent, ranges)?)
        }
        NumberExpr::Call(function, arguments) => {
            let arguments = arguments.iter().map(|part| numbers(part, ranges));
            Interval::of(*function, &arguments.collect::<Option<Vec<_>>>()?)
        }
    })
}

/// Which results a truth can have: true, false, or neither because a value is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TruthOutcomes {
    pub(super) yes: bool,
    pub(super) no: bool,
    pub(super) absent: bool,
}

impl TruthOutcomes {
    const ABSENT: Self = Self::new(false, false, true);
    const YES: Self = Self::new(true, false, false);

    const fn new(yes: bool, no: bool, absent: bool) -> Self {
        Self { yes, no, absent }
    }

    fn not(self) -> Self {
        Self::new(self.no, self.yes, self.absent)
    }

    fn and(self, other: Self) -> Self {
        let (a, b) = (self, other);
        Self {
            yes: a.yes && b.yes,
            no: a.no || b.no,
            absent: a.absent && (b.yes || b.absent) || b.absent && (a.yes || a.absent),
        }
    }

    fn equals(self, other: Self) -> Self {
        let (a, b) = (self, other);
        Self {
            yes: a.yes && b.yes || a.no && b.no,
            no: a.yes && b.no || a.no && b.yes,
            absent: a.absent || b.absent,
        }
    }
}

/// Which results a truth can have for values in the ranges; results that it cannot have may be among them.
pub(super) fn outcomes(truth: &Truth, ranges: &[LevelRange<'_>]) -> TruthOutcomes {
    match truth {
        Truth::Compare(left, comparison, right) => {
            match (numbers(left, ranges), numbers(right, ranges)) {
                (Some(left), Some(right)) => compare(left, *comparison, right),
                _ => TruthOutcomes::ABSENT,
            }
        }
        Truth::Member(position, values) => ranges[*position].is_one_of(values),
        Truth::Same(left, right) => ranges[*left].is_same(&ranges[*right]),
        Truth::Agree(left, right) => outcomes(left, ranges).equals(outcomes(right, ranges)),
        Truth::Not(part) => outcomes(part, ranges).not(),
        Truth::And(parts) => all(parts.iter().map(|part| outcomes(part, ranges))),
        Truth::Or(parts) => all(parts.iter().map(|part| outcomes(part, ranges).not())).not(),
    }
}

fn all(parts: impl Iterator<Item = TruthOutcomes>) -> TruthOutcomes {
    parts.fold(TruthOutcomes::YES, TruthOutcomes::and)
}

fn compare(left: Interval, comparison: Relation, right: Interval) -> TruthOutcomes {
    let sizes = [left.low, left.high, right.low, right.high].map(f64::abs);
    let size = sizes.into_iter().filter(|x| x.is_finite());
    let size = size.fold(0.0, f64::max);
    let tolerance = ROUNDING * size;
    let is_exact = left.exact && right.exact;
    let rounding = if is_exact { 0.0 } else { tolerance };
    let apart = left.high + tolerance < right.low || left.low - tolerance > right.high;
    let (low, high) = (left.low - rounding, left.high + rounding);
    let (yes, no) = match comparison {
        Relation::Less => (low < right.high, high >= right.low),
        Relation::AtMost => (low <= right.high, high > right.low),
        Relation::Greater | Relation::AtLeast => {
            return compare(right, comparison.mirrored(), left);
        }
        Relation::Equal => (!apart, true),
        Relation::NotEqual => (true, !apart),
    };
    // NaN satisfies no comparison.
    TruthOutcomes {
        yes,
        no: no || left.undefined || right.undefined,
        absent: left.absent || right.absent,
    }
}
