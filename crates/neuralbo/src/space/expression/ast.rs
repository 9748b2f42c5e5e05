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

/// The parts of a tree, seen or changed.
macro_rules! visit_parts {
    ($ast:expr, $visit:ident, $with:expr, $iter:ident) => {
        match $ast {
            Ast::Literal(_) | Ast::Word(_) | Ast::Name(_) => {}
            Ast::Negate(part) | Ast::Not(part) => part.$visit($with),
            Ast::Sum(parts) | Ast::Product(parts) => {
                parts.$iter().for_each(|(_, part)| part.$visit($with))
            }
            Ast::Power(base, exponent) => {
                base.$visit($with);
                exponent.$visit($with);
            }
            Ast::Call(_, parts) | Ast::And(parts) | Ast::Or(parts) => {
                parts.$iter().for_each(|part| part.$visit($with))
            }
            Ast::Compare(first, rest) => {
                first.$visit($with);
                rest.$iter().for_each(|(_, part)| part.$visit($with));
            }
            Ast::In { of, options, .. } => {
                of.$visit($with);
                options.$iter().for_each(|option| option.$visit($with));
            }
        }
    };
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
        visit_parts!(self, visit, see, iter);
    }

    /// Calls `change` with this part and all parts of it.
    pub(super) fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Ast)) {
        change(self);
        visit_parts!(self, visit_mut, change, iter_mut);
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

    /// The comparison that holds where this one does not.
    pub(in crate::space) fn opposite(self) -> Self {
        match self {
            Self::Less => Self::AtLeast,
            Self::AtMost => Self::Greater,
            Self::Greater => Self::AtMost,
            Self::AtLeast => Self::Less,
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
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
    pub(super) const NAMES: [(&str, Self); 12] = [
        ("abs", Self::Abs),
        ("min", Self::Min),
        ("max", Self::Max),
        ("sum", Self::Sum),
        ("sqrt", Self::Sqrt),
        ("exp", Self::Exp),
        ("log", Self::Log),
        ("log2", Self::Log2),
        ("log10", Self::Log10),
        ("floor", Self::Floor),
        ("ceil", Self::Ceil),
        ("round", Self::Round),
    ];

    pub(super) fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(_, function)| *function == self);
        found.map_or("", |(name, _)| name)
    }

    /// Whether it takes any number of arguments, at least one; the others take exactly one.
    pub(super) fn takes_many(self) -> bool {
        matches!(self, Self::Min | Self::Max | Self::Sum)
    }

    /// Whether its values are whole numbers.
    pub(super) fn rounds(self) -> bool {
        matches!(self, Self::Floor | Self::Ceil | Self::Round)
    }

    /// Whether it computes whole numbers from whole numbers, exactly.
    pub(super) fn keeps_whole(self) -> bool {
        matches!(self, Self::Abs | Self::Min | Self::Max)
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
