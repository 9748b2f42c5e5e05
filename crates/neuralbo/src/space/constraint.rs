//! Known constraints: what a point must satisfy to be proposed.

use std::fmt;
use std::sync::Arc;

use super::expression::{Expression, Predicate};
use super::view::View;
use super::{Parameter, Params, Space, SpaceError, feasible};

/// A function that says whether a point may be evaluated.
pub type PredicateFunction = dyn Fn(&Params) -> bool + Send + Sync;

/// A condition on the parameters that every proposed point satisfies: an expression, or a function of the program at hand.
#[derive(Clone)]
pub struct Constraint(Kind);

#[derive(Clone)]
enum Kind {
    Expression {
        expression: Expression,
        predicate: Predicate,
    },
    Function {
        name: Arc<str>,
        function: Arc<PredicateFunction>,
    },
}

impl Constraint {
    fn resolved(expression: Expression, parameters: &[Parameter]) -> Result<Self, SpaceError> {
        let predicate = expression.resolve(parameters)?;
        Ok(Self(Kind::Expression {
            expression,
            predicate,
        }))
    }

    /// The expression; `None` of a function.
    pub fn expression(&self) -> Option<&Expression> {
        match &self.0 {
            Kind::Expression { expression, .. } => Some(expression),
            Kind::Function { .. } => None,
        }
    }

    pub(super) fn predicate(&self) -> Option<&Predicate> {
        match &self.0 {
            Kind::Expression { predicate, .. } => Some(predicate),
            Kind::Function { .. } => None,
        }
    }

    pub(super) fn function(&self) -> Option<&PredicateFunction> {
        match &self.0 {
            Kind::Expression { .. } => None,
            Kind::Function { function, .. } => Some(function.as_ref()),
        }
    }

    /// Whether values satisfy it; what hangs on an absent value does not apply.
    fn holds(&self, space: &Space, params: &Params) -> bool {
        match &self.0 {
            Kind::Expression { predicate, .. } => {
                let value = |position: usize| {
                    params
                        .get(space.parameters()[position].name())
                        .map(View::from)
                };
                predicate.evaluate(&value) != Some(false)
            }
            Kind::Function { function, .. } => function(params),
        }
    }
}

/// The expression, or the name of the function.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Expression { expression, .. } => expression.fmt(f),
            Kind::Function { name, .. } => f.write_str(name),
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
            (Kind::Expression { expression: a, .. }, Kind::Expression { expression: b, .. }) => {
                a == b
            }
            (
                Kind::Function {
                    name: a,
                    function: f,
                },
                Kind::Function {
                    name: b,
                    function: g,
                },
            ) => a == b && Arc::ptr_eq(f, g),
            _ => false,
        }
    }
}

impl Space {
    /// The space with these constraints beside those it has.
    ///
    /// ```
    /// use neuralbo::space::{Params, Space};
    ///
    /// let space = Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)])?;
    /// let space = space.with_constraints(["x0 + x1 <= 1".parse()?])?;
    /// let error = space.check(&Params::from_iter([("x0", 0.9), ("x1", 0.2)])).unwrap_err();
    /// assert_eq!(error.to_string(), "x0 = 0.9, x1 = 0.2 violate the constraint `x0 + x1 <= 1`");
    ///
    /// let error = space.with_constraints(["x0 + x1 >= 5".parse()?]).unwrap_err();
    /// assert_eq!(error.to_string(), "constraint `x0 + x1 >= 5` never holds: `x0 + x1` is from 0.0 to 2.0, `5` is 5.0");
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn with_constraints(
        &self,
        expressions: impl IntoIterator<Item = Expression>,
    ) -> Result<Self, SpaceError> {
        let new = expressions
            .into_iter()
            .map(|expression| Constraint::resolved(expression, self.parameters()));
        self.also(new.collect::<Result<_, _>>()?)
    }

    /// The space with one more constraint, a function that is asked about points that satisfy all expressions. Its name is for
    /// error messages.
    ///
    /// A function cannot be written down: a study with one lives in memory. It is asked often, so it must be fast, and the same
    /// for the same values. Little is known about where it is true: it should be so for more than a thousandth of the points that
    /// satisfy the expressions.
    ///
    /// ```
    /// use neuralbo::space::Space;
    ///
    /// let space = Space::new(vec!["n=int(1,100)".parse()?])?;
    /// let space = space.with_predicate("even", |params| params.int("n").is_some_and(|n| n % 2 == 0))?;
    /// assert_eq!(space.constraints()[0].to_string(), "even");
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn with_predicate(
        &self,
        name: impl Into<Arc<str>>,
        function: impl Fn(&Params) -> bool + Send + Sync + 'static,
    ) -> Result<Self, SpaceError> {
        self.also(vec![Constraint(Kind::Function {
            name: name.into(),
            function: Arc::new(function),
        })])
    }

    /// The same constraints over other parameters.
    pub fn with_parameters(&self, parameters: Vec<Parameter>) -> Result<Self, SpaceError> {
        Self::new(parameters)?.with_constraints_of(self, &[])
    }

    /// The constraints of another space, some of whose parameters may have had other names there.
    pub fn with_constraints_of(
        &self,
        other: &Space,
        renames: &[(String, String)],
    ) -> Result<Self, SpaceError> {
        let rename = |name: &str| {
            renames
                .iter()
                .find(|(from, _)| from == name)
                .map(|(_, to)| to.clone())
        };
        let new = other
            .constraints()
            .iter()
            .map(|constraint| match &constraint.0 {
                Kind::Expression { expression, .. } => {
                    Constraint::resolved(expression.renamed(rename), self.parameters())
                }
                Kind::Function { .. } => Ok(constraint.clone()),
            });
        self.also(new.collect::<Result<_, _>>()?)
    }

    fn also(&self, new: Vec<Constraint>) -> Result<Self, SpaceError> {
        if new.is_empty() {
            return Ok(self.clone());
        }
        let constraints = self.constraints().iter().cloned().chain(new).collect();
        let free = self.without_constraints();
        let constrained = feasible::Constrained::new(&free, constraints)?;
        Ok(free.constrained_by(constrained))
    }

    /// The constraints in the order in which they were given.
    pub fn constraints(&self) -> &[Constraint] {
        self.constrained()
            .map_or(&[], |constrained| constrained.constraints())
    }

    /// Whether values by name satisfy all constraints; the error names the first that they violate. What hangs on an absent value
    /// does not apply.
    pub fn satisfies(&self, params: &Params) -> Result<(), SpaceError> {
        match self
            .constraints()
            .iter()
            .find(|constraint| !constraint.holds(self, params))
        {
            None => Ok(()),
            Some(violated) => Err(SpaceError::Violated {
                values: self.read_by(violated, params).to_string(),
                constraint: violated.to_string(),
            }),
        }
    }

    /// The values that a constraint reads.
    fn read_by(&self, constraint: &Constraint, params: &Params) -> Params {
        let Some(predicate) = constraint.predicate() else {
            return params.clone();
        };
        let names = predicate
            .positions()
            .iter()
            .map(|position| self.parameters()[*position].name());
        names
            .filter_map(|name| Some((name.to_owned(), params.get(name)?.clone())))
            .collect()
    }
}
