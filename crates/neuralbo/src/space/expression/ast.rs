//! What an expression says, before it is known what its words stand for.

use crate::space::Value;

/// An expression as a tree. Chains of one operator are one node, so the depth is that of the parentheses.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ast {
    /// A number, text in quotes, true, false, null, JSON.
    Literal(Value),
    /// A word without quotes: a name, or text.
    Word(String),
    /// A word in backticks: a name.
    Name(String),
    Negate(Box<Ast>),
    /// Terms from left to right, with whether each is subtracted; the first is not.
    Sum(Vec<(bool, Ast)>),
    /// Factors from left to right, with whether each divides; the first does not.
    Product(Vec<(bool, Ast)>),
    Power(Box<Ast>, Box<Ast>),
    Call(Function, Vec<Ast>),
    /// `a < b <= c`: each with its right neighbour.
    Compare(Box<Ast>, Vec<(Comparison, Ast)>),
    In {
        of: Box<Ast>,
        options: Vec<Ast>,
        negated: bool,
    },
    Not(Box<Ast>),
    And(Vec<Ast>),
    Or(Vec<Ast>),
}

impl Ast {
    pub(super) fn into_and(self) -> Result<Vec<Self>, Self> {
        if let Self::And(parts) = self {
            Ok(parts)
        } else {
            Err(self)
        }
    }

    pub(super) fn into_or(self) -> Result<Vec<Self>, Self> {
        if let Self::Or(parts) = self {
            Ok(parts)
        } else {
            Err(self)
        }
    }

    /// Calls `see` with this part and all parts of it.
    pub(super) fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Ast)) {
        see(self);
        match self {
            Self::Literal(_) | Self::Word(_) | Self::Name(_) => {}
            Self::Negate(part) | Self::Not(part) => part.visit(see),
            Self::Sum(parts) | Self::Product(parts) => {
                parts.iter().for_each(|(_, part)| part.visit(see))
            }
            Self::Power(base, exponent) => {
                base.visit(see);
                exponent.visit(see);
            }
            Self::Call(_, parts) | Self::And(parts) | Self::Or(parts) => {
                parts.iter().for_each(|part| part.visit(see))
            }
            Self::Compare(first, rest) => {
                first.visit(see);
                rest.iter().for_each(|(_, part)| part.visit(see));
            }
            Self::In { of, options, .. } => {
                of.visit(see);
                options.iter().for_each(|option| option.visit(see));
            }
        }
    }
}

impl Ast {
    /// Calls `change` with this part and all parts of it.
    pub(super) fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Ast)) {
        change(self);
        match self {
            Self::Literal(_) | Self::Word(_) | Self::Name(_) => {}
            Self::Negate(part) | Self::Not(part) => part.visit_mut(change),
            Self::Sum(parts) | Self::Product(parts) => parts
                .iter_mut()
                .for_each(|(_, part)| part.visit_mut(change)),
            Self::Power(base, exponent) => {
                base.visit_mut(change);
                exponent.visit_mut(change);
            }
            Self::Call(_, parts) | Self::And(parts) | Self::Or(parts) => {
                parts.iter_mut().for_each(|part| part.visit_mut(change))
            }
            Self::Compare(first, rest) => {
                first.visit_mut(change);
                rest.iter_mut().for_each(|(_, part)| part.visit_mut(change));
            }
            Self::In { of, options, .. } => {
                of.visit_mut(change);
                options
                    .iter_mut()
                    .for_each(|option| option.visit_mut(change));
            }
        }
    }
}

/// How two numbers, or two values, are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::space) enum Comparison {
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    NotEqual,
}

impl Comparison {
    /// The comparison that holds for `b` and `a` where this one holds for `a` and `b`.
    pub(in crate::space) fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
            Self::Equal | Self::NotEqual => self,
        }
    }

    pub(in crate::space) fn symbol(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
        }
    }
}

/// A function of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::space) enum Function {
    Abs,
    Min,
    Max,
    Sum,
    Sqrt,
    Exp,
    Log,
    Log2,
    Log10,
    Floor,
    Ceil,
    Round,
}

impl Function {
    pub(super) const ALL: [Self; 12] = [
        Self::Abs,
        Self::Min,
        Self::Max,
        Self::Sum,
        Self::Sqrt,
        Self::Exp,
        Self::Log,
        Self::Log2,
        Self::Log10,
        Self::Floor,
        Self::Ceil,
        Self::Round,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Abs => "abs",
            Self::Min => "min",
            Self::Max => "max",
            Self::Sum => "sum",
            Self::Sqrt => "sqrt",
            Self::Exp => "exp",
            Self::Log => "log",
            Self::Log2 => "log2",
            Self::Log10 => "log10",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::Round => "round",
        }
    }

    /// Whether it takes any number of arguments, at least one; the others take exactly one.
    pub(super) fn takes_many(self) -> bool {
        matches!(self, Self::Min | Self::Max | Self::Sum)
    }

    /// The value at these arguments, at least one. The functions of `libm` are the same on every machine.
    pub(in crate::space) fn of(self, arguments: &[f64]) -> f64 {
        let x = arguments[0];
        match self {
            Self::Abs => x.abs(),
            Self::Min => arguments
                .iter()
                .copied()
                .fold(f64::INFINITY, not_ignoring_nan(f64::min)),
            Self::Max => arguments
                .iter()
                .copied()
                .fold(f64::NEG_INFINITY, not_ignoring_nan(f64::max)),
            Self::Sum => arguments.iter().sum(),
            Self::Sqrt => x.sqrt(),
            Self::Exp => libm::exp(x),
            Self::Log => libm::log(x),
            Self::Log2 => libm::log2(x),
            Self::Log10 => libm::log10(x),
            Self::Floor => x.floor(),
            Self::Ceil => x.ceil(),
            Self::Round => x.round(),
        }
    }
}

impl Function {
    /// The derivative by the `i`-th argument; 0 for functions of steps.
    pub(in crate::space) fn slope(self, arguments: &[f64], i: usize) -> f64 {
        let x = arguments[i];
        let is_first = |value: f64| {
            f64::from(u8::from(
                arguments.iter().position(|a| *a == value) == Some(i),
            ))
        };
        match self {
            Self::Abs => x.signum(),
            Self::Min | Self::Max => is_first(self.of(arguments)),
            Self::Sum => 1.0,
            Self::Sqrt => 0.5 / x.sqrt(),
            Self::Exp => libm::exp(x),
            Self::Log => 1.0 / x,
            Self::Log2 => std::f64::consts::LOG2_E / x,
            Self::Log10 => std::f64::consts::LOG10_E / x,
            Self::Floor | Self::Ceil | Self::Round => 0.0,
        }
    }
}

/// The smaller and the larger of two numbers of the standard library leave out what is no number.
fn not_ignoring_nan(of: fn(f64, f64) -> f64) -> impl Fn(f64, f64) -> f64 {
    move |a, b| {
        if a.is_nan() || b.is_nan() {
            f64::NAN
        } else {
            of(a, b)
        }
    }
}

/// Words that are no names unless in backticks.
pub(super) const KEYWORDS: [&str; 7] = ["and", "or", "not", "in", "true", "false", "null"];
