//! The numbers that an expression can have while its parameters are in ranges: interval arithmetic (Moore 1966).

use crate::space::expression::{Comparison, Function, Number, Truth};
use crate::space::{Parameter, Value};

/// What rounding may add to a bound, relatively.
const ROUNDING: f64 = 1e-9;

/// All numbers from `low` to `high`, and perhaps something that is no number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Whether it always is a number.
    pub(super) defined: bool,
}

impl Interval {
    const ALL: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        defined: false,
    };

    pub(super) fn new(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            defined: true,
        }
    }

    /// The smallest that holds these numbers; everything where one is none.
    fn hull(numbers: &[f64], defined: bool) -> Self {
        if numbers.iter().any(|x| x.is_nan()) {
            return Self::ALL;
        }
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        Self {
            low,
            high: numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            defined,
        }
    }

    fn and(self, other: Self, of: impl Fn(f64, f64) -> f64) -> Self {
        let (a, b) = (self, other);
        let corners = [
            of(a.low, b.low),
            of(a.low, b.high),
            of(a.high, b.low),
            of(a.high, b.high),
        ];
        Self::hull(&corners, a.defined && b.defined)
    }

    fn holds_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    /// Through a function that grows, of which only numbers from `least` on have a value.
    fn growing(self, least: f64, of: impl Fn(f64) -> f64) -> Self {
        if self.high < least {
            return Self::ALL;
        }
        Self {
            low: of(self.low.max(least)),
            high: of(self.high),
            defined: self.defined && self.low >= least,
        }
    }

    fn power(self, exponent: Self) -> Self {
        let whole = exponent.low == exponent.high
            && exponent.low.fract() == 0.0
            && exponent.low.abs() < 1e6;
        if whole && exponent.low >= 0.0 {
            let mut ends = vec![
                libm::pow(self.low, exponent.low),
                libm::pow(self.high, exponent.low),
            ];
            ends.extend(self.holds_zero().then_some(libm::pow(0.0, exponent.low)));
            return Self::hull(&ends, self.defined && exponent.defined);
        }
        if self.low > 0.0 {
            self.and(exponent, libm::pow)
        } else {
            Self::ALL
        }
    }

    fn of(function: Function, arguments: &[Self]) -> Self {
        let x = arguments[0];
        let defined = arguments.iter().all(|argument| argument.defined);
        let by_ends = || {
            let end =
                |of: fn(&Self) -> f64| function.of(&arguments.iter().map(of).collect::<Vec<_>>());
            Self::hull(&[end(|x| x.low), end(|x| x.high)], defined)
        };
        match function {
            Function::Abs if x.holds_zero() => Self {
                low: 0.0,
                high: x.high.max(-x.low),
                defined,
            },
            Function::Abs => Self::hull(&[x.low.abs(), x.high.abs()], defined),
            Function::Sqrt => x.growing(0.0, f64::sqrt),
            Function::Log | Function::Log2 | Function::Log10 => {
                x.growing(0.0, |x| function.of(&[x]))
            }
            Function::Min | Function::Max | Function::Sum => by_ends(),
            Function::Exp | Function::Floor | Function::Ceil | Function::Round => by_ends(),
        }
    }
}

/// What a parameter can be.
#[derive(Clone, Copy)]
pub(super) struct Range<'a> {
    pub(super) parameter: &'a Parameter,
    /// The first and the last level; of a float without a step the bounds.
    pub(super) levels: (f64, f64),
    /// Whether it may be absent: then what reads it may not apply.
    pub(super) optional: bool,
}

impl Range<'_> {
    fn numbers(&self) -> Option<Interval> {
        let (first, last) = self.levels;
        match self.parameter.domain().listed() {
            Some(values) => {
                let numbers: Option<Vec<f64>> = values[first as usize..=last as usize]
                    .iter()
                    .map(Value::as_f64)
                    .collect();
                numbers.map(|numbers| Interval::hull(&numbers, true))
            }
            None => {
                let number = |level| self.parameter.domain().view_at(level).as_f64();
                Some(Interval::new(number(first)?, number(last)?))
            }
        }
    }

    /// How many of these values are in the range, and how many values the range has.
    fn members(&self, values: &[Value]) -> (usize, f64) {
        let (first, last) = self.levels;
        let inside = |value: &&Value| {
            self.parameter
                .level(*value)
                .is_some_and(|level| (first..=last).contains(&level))
        };
        (values.iter().filter(inside).count(), last - first + 1.0)
    }
}

/// The ranges of all parameters.
pub(super) type Ranges<'a> = [Range<'a>];

/// The numbers that an expression can have; `None` where it reads a parameter that may be absent or no number.
pub(super) fn numbers(number: &Number, ranges: &Ranges<'_>) -> Option<Interval> {
    Some(match number {
        Number::Constant(x) => Interval::new(*x, *x),
        Number::Parameter(position) => ranges
            .get(*position)
            .filter(|range| !range.optional)?
            .numbers()?,
        Number::Negate(part) => {
            let Interval { low, high, defined } = numbers(part, ranges)?;
            Interval {
                low: -high,
                high: -low,
                defined,
            }
        }
        Number::Sum(terms) => {
            let mut sum = Interval::new(0.0, 0.0);
            for (subtracted, term) in terms {
                sum = sum.and(
                    numbers(term, ranges)?,
                    if *subtracted {
                        |a, b| a - b
                    } else {
                        |a, b| a + b
                    },
                );
            }
            sum
        }
        Number::Product(factors) => {
            let mut product = Interval::new(1.0, 1.0);
            for (divides, factor) in factors {
                let factor = numbers(factor, ranges)?;
                product = match divides {
                    true if factor.holds_zero() => Interval::ALL,
                    true => product.and(factor, |a, b| a / b),
                    false => product.and(factor, |a, b| a * b),
                };
            }
            product
        }
        Number::Power(base, exponent) => numbers(base, ranges)?.power(numbers(exponent, ranges)?),
        Number::Call(function, arguments) => {
            let arguments: Option<Vec<Interval>> = arguments
                .iter()
                .map(|argument| numbers(argument, ranges))
                .collect();
            Interval::of(*function, &arguments?)
        }
    })
}

/// Whether a truth holds for all values in the ranges (`Some(true)`) or for none (`Some(false)`).
pub(super) fn always(truth: &Truth, ranges: &Ranges<'_>) -> Option<bool> {
    match truth {
        Truth::Compare(left, comparison, right) => {
            compare(numbers(left, ranges)?, *comparison, numbers(right, ranges)?)
        }
        Truth::Member(position, values) => {
            let range = ranges.get(*position).filter(|range| !range.optional)?;
            match range.members(values) {
                (0, _) => Some(false),
                (inside, count) if inside as f64 >= count => Some(true),
                _ => None,
            }
        }
        Truth::Same(..) => None,
        Truth::Agree(left, right) => Some(always(left, ranges)? == always(right, ranges)?),
        Truth::Not(part) => always(part, ranges).map(|truth| !truth),
        Truth::And(parts) => decided(parts, ranges, false),
        Truth::Or(parts) => decided(parts, ranges, true),
    }
}

fn decided(parts: &[Truth], ranges: &Ranges<'_>, decisive: bool) -> Option<bool> {
    let mut result = Some(!decisive);
    for part in parts {
        match always(part, ranges) {
            Some(truth) if truth == decisive => return Some(decisive),
            Some(_) => {}
            None => result = None,
        }
    }
    result
}

fn compare(left: Interval, comparison: Comparison, right: Interval) -> Option<bool> {
    let sizes = [left.low, left.high, right.low, right.high].map(f64::abs);
    let rounding = ROUNDING
        * sizes
            .into_iter()
            .filter(|x| x.is_finite())
            .fold(0.0, f64::max);
    let is_below = left.high + rounding < right.low;
    let is_above = left.low - rounding > right.high;
    let (holds, fails) = match comparison {
        Comparison::Less | Comparison::AtMost => (is_below, is_above),
        Comparison::Greater | Comparison::AtLeast => (is_above, is_below),
        Comparison::Equal => (false, is_below || is_above),
        Comparison::NotEqual => (is_below || is_above, false),
    };
    // What is no number satisfies no comparison.
    if fails {
        Some(false)
    } else {
        (holds && left.defined && right.defined).then_some(true)
    }
}
