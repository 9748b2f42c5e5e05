//! Spaces with constraints: what they are, whether values satisfy them, and rows that do.

use std::sync::{Arc, OnceLock};

use rand::RngExt;

use super::constraint::{Constraint, IndexedConstraints};
use super::solve::{RowBox, Solver};
use super::{Expression, Parameter, Params, Space, SpaceError};
use crate::limits;
use crate::linalg::{Points, Rng};

/// Random tries before a point is repaired instead.
const REJECTIONS: usize = 64;
/// Hit-and-run steps after a repair, beside two for every coordinate.
const STEPS: usize = 8;
/// Most coordinates that add to the steps.
const COUNTED: usize = 30;

/// The constraints of a space and what is known about its feasible points.
#[derive(Debug)]
pub(super) struct FeasibleSet {
    constraints: IndexedConstraints,
    /// The row of a feasible point.
    anchor: Vec<f64>,
    /// All feasible rows, where there are few.
    listed: OnceLock<Option<Points>>,
}

impl FeasibleSet {
    pub(super) fn new(constraints: IndexedConstraints, anchor: Vec<f64>) -> Self {
        Self {
            constraints,
            anchor,
            listed: OnceLock::new(),
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
            .map(|expression| Constraint::new(expression, self.parameters()));
        self.also(new.collect::<Result<_, _>>()?)
    }

    /// The space with one more constraint, a function that is asked about points that satisfy all expressions. Its name is
    /// for error messages.
    ///
    /// A function cannot be written to a file: a study with one lives in memory. It is called often, so it must be fast, and
    /// it must answer the same for the same values. It should be true for more than a thousandth of the points that satisfy
    /// the expressions.
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
        let constraint = Constraint::from_function(name.into(), Arc::new(function));
        self.also(vec![constraint])
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
            let found = renames.iter().find(|(from, _)| from == name);
            found.map(|(_, to)| to.clone())
        };
        let renamed = |constraint: &Constraint| match constraint.expression() {
            Some(expression) => Constraint::new(expression.renamed(rename), self.parameters()),
            None => Ok(constraint.clone()),
        };
        let new = other.constraints().iter().map(renamed);
        self.also(new.collect::<Result<_, _>>()?)
    }

    fn also(&self, new: Vec<Constraint>) -> Result<Self, SpaceError> {
        if new.is_empty() {
            return Ok(self.clone());
        }
        let all: Vec<Constraint> = self.constraints().iter().cloned().chain(new).collect();
        limits::check("constraints", all.len(), limits::CONSTRAINTS)
            .map_err(SpaceError::TooLarge)?;
        let free = self.without_constraints();
        let constraints = IndexedConstraints::new(all, &free);
        let anchor = Solver::new(&free, &constraints).first_row()?;
        Ok(free.constrained_by(FeasibleSet::new(constraints, anchor)))
    }

    /// The constraints in the order in which they were given.
    pub fn constraints(&self) -> &[Constraint] {
        self.constrained().map_or(&[], |c| c.constraints.all())
    }

    /// Whether values by name satisfy all constraints; the error names the first that they violate. An expression that reads
    /// an absent value does not apply.
    pub fn satisfies(&self, params: &Params) -> Result<(), SpaceError> {
        let mut constraints = self.constraints().iter();
        match constraints.find(|constraint| !constraint.holds(self.parameters(), params)) {
            None => Ok(()),
            Some(violated) => Err(SpaceError::Violated {
                values: self.values_read_by(violated, params).to_string(),
                constraint: violated.to_string(),
            }),
        }
    }

    fn values_read_by(&self, constraint: &Constraint, params: &Params) -> Params {
        let Some(predicate) = constraint.predicate() else {
            return params.clone();
        };
        let positions = predicate.positions().iter();
        let names = positions.map(|position| self.parameters()[*position].name());
        names
            .filter_map(|name| Some((name.to_owned(), params.get(name)?.clone())))
            .collect()
    }

    /// Whether there are constraints.
    pub fn is_constrained(&self) -> bool {
        self.constrained().is_some()
    }

    fn problem(&self) -> Option<Solver<'_>> {
        self.constrained()
            .map(|constrained| Solver::new(self, &constrained.constraints))
    }

    /// Whether the point of a row satisfies all constraints.
    pub fn is_feasible(&self, row: &[f64]) -> bool {
        self.problem().is_none_or(|problem| problem.holds(row))
    }

    /// [`Space::snap`], and then to a feasible point, near by where there is one.
    ///
    /// ```
    /// use neuralbo::space::Space;
    ///
    /// let space = Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)])?.with_constraints(["x0 + x1 == 1".parse()?])?;
    /// let mut row = [0.5, 0.5];
    /// space.repair(&mut row);
    /// assert!(row.iter().all(|x| x.abs() < 1e-9));
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn repair(&self, row: &mut [f64]) {
        self.snap(row);
        if self.is_constrained() {
            self.repair_within(row, &RowBox::whole(self));
        }
    }

    /// Moves a row to a feasible point, within a box where that is possible. Without constraints it stays where it is.
    pub(crate) fn repair_within(&self, row: &mut [f64], place: &RowBox<'_>) {
        let (Some(problem), Some(constrained)) = (self.problem(), self.constrained()) else {
            return;
        };
        if !problem.holds(row) && !problem.mend(row, place) {
            let anchor = place.anchor.filter(|anchor| problem.holds(anchor));
            let from = anchor.unwrap_or(&constrained.anchor);
            let farthest = problem.last_feasible(from, row, place);
            row.copy_from_slice(&farthest);
        }
    }

    /// Moves the continuous coordinates of a row so that it is feasible; `false` where that is not possible, and the row
    /// anywhere.
    pub(crate) fn slide_within(&self, row: &mut [f64], place: &RowBox<'_>) -> bool {
        self.problem().is_none_or(|p| p.slide(row, place))
    }

    /// A direction from a feasible row, turned so that it leads along the borders that it would cross.
    pub(crate) fn turned(&self, direction: Vec<f64>, row: &[f64], place: &RowBox<'_>) -> Vec<f64> {
        match self.problem() {
            Some(problem) => problem.turned(&direction, row, place),
            None => direction,
        }
    }

    /// One hit-and-run step of a feasible row within a box; a row that is not feasible stays where it is.
    pub(crate) fn wander(&self, row: &mut [f64], place: &RowBox<'_>, rng: &mut Rng) {
        if let Some(problem) = self.problem() {
            problem.wander(row, place, rng);
        }
    }

    /// A random row of a feasible point: uniform where at least a few of a hundred points are feasible or where they can be
    /// listed, nearly so elsewhere.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn draw_row(&self, rng: &mut Rng) -> Vec<f64> {
        if let Some(rows) = self.feasible_rows().filter(|rows| !rows.is_empty()) {
            return rows.row(rng.random_range(0..rows.len())).to_vec();
        }
        let mut row = self.any_row(rng);
        for _ in 0..REJECTIONS {
            if self.is_feasible(&row) {
                return row;
            }
            row = self.any_row(rng);
        }
        let place = RowBox::whole(self);
        self.repair_within(&mut row, &place);
        for _ in 0..STEPS + 2 * self.encoded_dim().min(COUNTED) {
            self.wander(&mut row, &place, rng);
        }
        row
    }

    /// A uniform row, feasible or not.
    pub(crate) fn any_row(&self, rng: &mut Rng) -> Vec<f64> {
        if let Some(pool) = self.pool() {
            return pool.row(rng.random_range(0..pool.len())).to_vec();
        }
        let mut row: Vec<f64> = (0..self.encoded_dim())
            .map(|_| rng.random_range(-1.0..=1.0))
            .collect();
        self.snap(&mut row);
        row
    }

    /// All feasible rows of a finite, constrained space in the order of its points; `None` where there are more than 10,000
    /// or where they are hard to find.
    pub(crate) fn feasible_rows(&self) -> Option<&Points> {
        let listed = &self.constrained()?.listed;
        listed.get_or_init(|| self.problem()?.list()).as_ref()
    }
}
