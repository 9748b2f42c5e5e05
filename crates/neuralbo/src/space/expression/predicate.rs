//! An expression over the parameters of one space, by their positions.

use std::collections::BTreeSet;

#[cfg(test)]
thread_local! {
    /// How many times a predicate was looked at on this thread: the work of solving constraints.
    pub(in crate::space) static LOOKS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

use super::ast::{NumberFunction, Relation};
use crate::space::Value;
use crate::space::value::ValueView;

/// Most that two equal numbers differ, relative to the terms that were added up; whole numbers are compared exactly.
const EQUALITY_TOLERANCE: f64 = 1e-9;
/// Whole numbers up to 2^53 are exact.
const LARGEST_EXACT: f64 = (1_u64 << 53) as f64;

/// An expression that is true or false for values of the parameters of one space.
#[derive(Clone, Debug)]
pub(in crate::space) struct Predicate {
    truth: Truth,
    positions: BTreeSet<usize>,
}

/// Something that is true or false.
#[derive(Clone, Debug)]
pub(in crate::space) enum Truth {
    /// Two numbers compared.
    Compare(NumberExpr, Relation, NumberExpr),
    /// The parameter at a position has one of these values.
    Member(usize, Vec<Value>),
    /// The parameters at two positions have the same value.
    Same(usize, usize),
    /// Both are true, or both are false.
    Agree(Box<Truth>, Box<Truth>),
    /// The opposite.
    Not(Box<Truth>),
    /// All of them.
    And(Vec<Truth>),
    /// One of them at least.
    Or(Vec<Truth>),
}

/// Something that is a number.
#[derive(Clone, Debug)]
pub(in crate::space) enum NumberExpr {
    /// The same for all values.
    Constant(f64),
    /// The value of the parameter at a position.
    Parameter(usize),
    /// The opposite.
    Negate(Box<NumberExpr>),
    /// Terms from left to right, with whether each is subtracted.
    Sum(Vec<(bool, NumberExpr)>),
    /// Factors from left to right, with whether each divides.
    Product(Vec<(bool, NumberExpr)>),
    /// A base and its exponent.
    Power(Box<NumberExpr>, Box<NumberExpr>),
    /// A function of numbers.
    Call(NumberFunction, Vec<NumberExpr>),
}

/// The values of parameters by their positions; none for a parameter that is absent.
pub(in crate::space) type ValueSource<'v, 'a> = dyn Fn(usize) -> Option<ValueView<'a>> + 'v;

impl Predicate {
    pub(super) fn new(truth: Truth) -> Self {
        let mut positions = BTreeSet::new();
        truth.visit_positions(&mut |position| _ = positions.insert(position));
        Self { truth, positions }
    }

    /// The positions of the parameters that it reads.
    pub(in crate::space) fn positions(&self) -> &BTreeSet<usize> {
        &self.positions
    }

    pub(in crate::space) fn truth(&self) -> &Truth {
        #[cfg(test)]
        LOOKS.set(LOOKS.get() + 1);
        &self.truth
    }

    /// True or false, or `None` when that hangs on the value of an absent parameter (three-valued logic: `a or b` is true when
    /// `a` is, whatever `b` reads).
    ///
    /// A constraint holds unless this is `Some(false)`; a condition holds when it is `Some(true)`.
    pub(in crate::space) fn evaluate<'a>(&self, values: &ValueSource<'_, 'a>) -> Option<bool> {
        self.truth().evaluate(values)
    }
}

impl Truth {
    fn evaluate<'a>(&self, values: &ValueSource<'_, 'a>) -> Option<bool> {
        match self {
            Self::Compare(left, comparison, right) => {
                Some(comparison.holds(left.evaluate(values)?, right.evaluate(values)?))
            }
            Self::Member(position, options) => Some(values(*position)?.is_one_of(options)),
            Self::Same(left, right) => Some(values(*left)?.means(values(*right)?)),
            Self::Agree(left, right) => Some(left.evaluate(values)? == right.evaluate(values)?),
            Self::Not(part) => part.evaluate(values).map(|truth| !truth),
            Self::And(parts) => decided(parts, values, false),
            Self::Or(parts) => decided(parts, values, true),
        }
    }

    /// Calls `see` with all comparisons, memberships and equalities in it.
    pub(in crate::space) fn visit(&self, see: &mut dyn FnMut(&Truth)) {
        match self {
            Self::Compare(..) | Self::Member(..) | Self::Same(..) => see(self),
            Self::Agree(left, right) => [left, right].into_iter().for_each(|part| part.visit(see)),
            Self::Not(part) => part.visit(see),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.visit(see)),
        }
    }

    /// Calls `see` with the positions of all parameters in it.
    fn visit_positions(&self, see: &mut dyn FnMut(usize)) {
        self.visit(&mut |part| match part {
            Self::Compare(left, _, right) => {
                [left, right].into_iter().for_each(|part| part.visit(see))
            }
            Self::Member(position, _) => see(*position),
            Self::Same(left, right) => [*left, *right].into_iter().for_each(&mut *see),
            _ => {}
        });
    }
}

/// `decisive` as soon as one part is, unknown when one is unknown, otherwise the opposite.
fn decided<'a>(parts: &[Truth], values: &ValueSource<'_, 'a>, decisive: bool) -> Option<bool> {
    let mut result = Some(!decisive);
    for part in parts {
        match part.evaluate(values) {
            Some(truth) if truth == decisive => return Some(decisive),
            Some(_) => {}
            None => result = None,
        }
    }
    result
}

/// A number with the size of what it was added up from, on which its rounding errors depend.
#[derive(Clone, Copy, Debug)]
pub(in crate::space) struct Measured {
    pub(in crate::space) value: f64,
    pub(in crate::space) size: f64,
    /// Whether it is a whole number that was computed from whole numbers, without any rounding.
    is_whole: bool,
}

impl From<f64> for Measured {
    fn from(value: f64) -> Self {
        Self {
            value,
            size: value.abs(),
            is_whole: value.fract() == 0.0 && value.abs() <= LARGEST_EXACT,
        }
    }
}

impl Measured {
    /// The result of a computation, of whose parts all or not all are whole.
    fn computed(value: f64, from_whole: bool) -> Self {
        let result = Self::from(value);
        Self {
            is_whole: result.is_whole && from_whole,
            ..result
        }
    }
}

impl Relation {
    /// Whether it holds; never for what is no number.
    pub(in crate::space) fn holds(self, left: Measured, right: Measured) -> bool {
        let (a, b) = (left.value, right.value);
        let tolerance = match left.is_whole && right.is_whole {
            true => 0.0,
            false => EQUALITY_TOLERANCE * left.size.max(right.size),
        };
        let equal = || a == b || (a - b).abs() <= tolerance && (a - b).is_finite();
        match self {
            Self::Less => a < b,
            Self::AtMost => a <= b,
            Self::Greater => a > b,
            Self::AtLeast => a >= b,
            Self::Equal => equal(),
            Self::NotEqual => !(a.is_nan() || b.is_nan() || equal()),
        }
    }
}

impl NumberExpr {
    /// The number; `None` when a parameter is absent or has a value that is no number.
    pub(in crate::space) fn evaluate<'a>(&self, values: &ValueSource<'_, 'a>) -> Option<Measured> {
        Some(match self {
            Self::Constant(x) => (*x).into(),
            Self::Parameter(position) => values(*position)?.as_f64()?.into(),
            Self::Negate(part) => {
                let part = part.evaluate(values)?;
                Measured {
                    value: -part.value,
                    ..part
                }
            }
            Self::Sum(terms) => sum(terms
                .iter()
                .map(|(subtracted, term)| Some((*subtracted, term.evaluate(values)?))))?,
            Self::Product(factors) => {
                let mut product = Measured::from(1.0);
                for (divides, factor) in factors {
                    let factor = factor.evaluate(values)?;
                    let value = match divides {
                        true => product.value / factor.value,
                        false => product.value * factor.value,
                    };
                    product = Measured::computed(value, product.is_whole && factor.is_whole);
                }
                product
            }
            Self::Power(base, exponent) => {
                let (base, exponent) = (base.evaluate(values)?, exponent.evaluate(values)?);
                let value = libm::pow(base.value, exponent.value);
                Measured::computed(value, base.is_whole && exponent.is_whole)
            }
            Self::Call(NumberFunction::Sum, terms) => sum(terms
                .iter()
                .map(|term| Some((false, term.evaluate(values)?))))?,
            Self::Call(function, arguments) => {
                let (mut numbers, mut from_whole) = (Vec::new(), true);
                for argument in arguments {
                    let argument = argument.evaluate(values)?;
                    numbers.push(argument.value);
                    from_whole &= argument.is_whole;
                }
                let from_whole = function.rounds() || from_whole && function.keeps_whole();
                Measured::computed(function.of(&numbers), from_whole)
            }
        })
    }

    /// Adds `weight` times the derivative by each parameter, at the steps of functions that have some the one to a side; `None`
    /// when a parameter is absent or has a value that is no number.
    pub(in crate::space) fn add_gradient<'a>(
        &self,
        values: &ValueSource<'_, 'a>,
        weight: f64,
        add: &mut dyn FnMut(usize, f64),
    ) -> Option<()> {
        let at = |part: &NumberExpr| Some(part.evaluate(values)?.value);
        let sign = |inverse: bool| if inverse { -1.0 } else { 1.0 };
        match self {
            Self::Constant(_) => {}
            Self::Parameter(position) => add(*position, weight),
            Self::Negate(part) => part.add_gradient(values, -weight, add)?,
            Self::Sum(terms) => {
                for (subtracted, term) in terms {
                    term.add_gradient(values, sign(*subtracted) * weight, add)?;
                }
            }
            Self::Product(factors) => {
                let numbers = factors.iter().map(|(_, factor)| at(factor));
                let numbers = numbers.collect::<Option<Vec<f64>>>()?;
                for (i, (divides, factor)) in factors.iter().enumerate() {
                    let others = (0..factors.len()).filter(|&k| k != i);
                    let rest = others.fold(1.0, |product, k| match factors[k].0 {
                        true => product / numbers[k],
                        false => product * numbers[k],
                    });
                    let own = match divides {
                        true => -1.0 / (numbers[i] * numbers[i]),
                        false => 1.0,
                    };
                    factor.add_gradient(values, weight * rest * own, add)?;
                }
            }
            Self::Power(base, exponent) => {
                let (a, b) = (at(base)?, at(exponent)?);
                base.add_gradient(values, weight * b * libm::pow(a, b - 1.0), add)?;
                if a > 0.0 {
                    exponent.add_gradient(values, weight * libm::log(a) * libm::pow(a, b), add)?;
                }
            }
            Self::Call(function, arguments) => {
                let numbers = arguments.iter().map(at).collect::<Option<Vec<f64>>>()?;
                for (i, argument) in arguments.iter().enumerate() {
                    argument.add_gradient(values, weight * function.slope(&numbers, i), add)?;
                }
            }
        }
        Some(())
    }

    pub(in crate::space) fn visit(&self, see: &mut dyn FnMut(usize)) {
        match self {
            Self::Constant(_) => {}
            Self::Parameter(position) => see(*position),
            Self::Negate(part) => part.visit(see),
            Self::Sum(parts) | Self::Product(parts) => {
                parts.iter().for_each(|(_, part)| part.visit(see))
            }
            Self::Power(base, exponent) => [base, exponent]
                .into_iter()
                .for_each(|part| part.visit(see)),
            Self::Call(_, parts) => parts.iter().for_each(|part| part.visit(see)),
        }
    }
}

/// From left to right; the size is the sum of the sizes.
fn sum(terms: impl Iterator<Item = Option<(bool, Measured)>>) -> Option<Measured> {
    let mut total = Measured::from(0.0);
    for (i, term) in terms.enumerate() {
        let (subtracted, term) = term?;
        let signed = if subtracted { -term.value } else { term.value };
        // The first term as it is: a program would not add it to zero.
        let value = if i == 0 { signed } else { total.value + signed };
        total = Measured {
            size: total.size + term.size,
            ..Measured::computed(value, total.is_whole && term.is_whole)
        };
    }
    Some(total)
}
