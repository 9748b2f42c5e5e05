//! Known constraints: what a point must satisfy to be proposed.

use std::fmt;
use std::sync::Arc;

use super::expression::{Expression, Predicate};
use super::solve::Table;
use super::value::ValueView;
use super::{Parameter, Params, Space, SpaceError};

/// A function that says whether a point may be evaluated.
pub type PredicateFunction = dyn Fn(&Params) -> bool + Send + Sync;

/// A condition on the parameters that every proposed point satisfies: an expression, or a function of the program at hand.
#[derive(Clone)]
pub struct Constraint(ConstraintKind);

#[derive(Clone)]
enum ConstraintKind {
    Expression(Expression, Predicate),
    Function(Arc<str>, Arc<PredicateFunction>),
}

impl Constraint {
    pub(super) fn new(
        expression: Expression,
        parameters: &[Parameter],
    ) -> Result<Self, SpaceError> {
        let predicate = expression.resolve(parameters)?;
        Ok(Self(ConstraintKind::Expression(expression, predicate)))
    }

    pub(super) fn from_function(name: Arc<str>, function: Arc<PredicateFunction>) -> Self {
        Self(ConstraintKind::Function(name, function))
    }

    /// The expression; `None` of a function.
    pub fn expression(&self) -> Option<&Expression> {
        match &self.0 {
            ConstraintKind::Expression(expression, _) => Some(expression),
            ConstraintKind::Function(..) => None,
        }
    }

    pub(super) fn predicate(&self) -> Option<&Predicate> {
        match &self.0 {
            ConstraintKind::Expression(_, predicate) => Some(predicate),
            ConstraintKind::Function(..) => None,
        }
    }

    pub(super) fn function(&self) -> Option<&PredicateFunction> {
        match &self.0 {
            ConstraintKind::Expression(..) => None,
            ConstraintKind::Function(_, function) => Some(function.as_ref()),
        }
    }

    /// Whether values satisfy it; an expression that reads an absent value does not apply.
    pub(super) fn holds(&self, parameters: &[Parameter], params: &Params) -> bool {
        let value = |position: usize| params.get(parameters[position].name()).map(ValueView::from);
        match &self.0 {
            ConstraintKind::Expression(_, predicate) => predicate.evaluate(&value) != Some(false),
            ConstraintKind::Function(_, function) => function(params),
        }
    }
}

/// The expression, or the name of the function.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ConstraintKind::Expression(expression, _) => expression.fmt(f),
            ConstraintKind::Function(name, _) => f.write_str(name),
        }
    }
}

impl fmt::Debug for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Constraint({self})")
    }
}

/// Functions are equal when they are the same one.
impl PartialEq for Constraint {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (ConstraintKind::Expression(a, _), ConstraintKind::Expression(b, _)) => a == b,
            (ConstraintKind::Function(a, f), ConstraintKind::Function(b, g)) => {
                a == b && Arc::ptr_eq(f, g)
            }
            _ => false,
        }
    }
}

/// The constraints of a space, with an index of the parameters that they read.
#[derive(Debug)]
pub(super) struct IndexedConstraints {
    all: Vec<Constraint>,
    /// For each parameter the expressions that read it, counted among the expressions.
    readers: Vec<Vec<usize>>,
    /// For each expression, where it has one.
    tables: Vec<Option<Table>>,
}

impl IndexedConstraints {
    /// The constraints of a space.
    pub(super) fn new(all: Vec<Constraint>, space: &Space) -> Self {
        let mut readers = vec![Vec::new(); space.parameters().len()];
        let predicates = all.iter().filter_map(Constraint::predicate);
        let tables = predicates.map(|predicate| Table::of(space, predicate));
        let tables = tables.collect();
        for (i, predicate) in all.iter().filter_map(Constraint::predicate).enumerate() {
            let positions = predicate.positions().iter();
            positions.for_each(|&position| readers[position].push(i));
        }
        Self {
            all,
            readers,
            tables,
        }
    }

    pub(super) fn all(&self) -> &[Constraint] {
        &self.all
    }

    pub(super) fn predicates(&self) -> impl Iterator<Item = &Predicate> {
        self.all.iter().filter_map(Constraint::predicate)
    }

    /// The tables of [`IndexedConstraints::predicates`].
    pub(super) fn tables(&self) -> &[Option<Table>] {
        &self.tables
    }

    pub(super) fn functions(&self) -> impl Iterator<Item = &PredicateFunction> {
        self.all.iter().filter_map(Constraint::function)
    }

    /// The expressions that read the parameter at a position, by their place among [`IndexedConstraints::predicates`].
    pub(super) fn readers(&self, position: usize) -> &[usize] {
        &self.readers[position]
    }
}
