//! The space itself: its parameters in order, and the points made of their values.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::check::inactive;
use super::coding::{Code, Coordinate};
use super::condition::{ActiveLevels, Conditions};
use super::constrained::FeasibleSet;
use super::enumerate::Counted;
use super::expression::Predicate;
use super::solve::Prover;
use super::value::ValueView;
use super::{Domain, Parameter, Point, SpaceError, Value};
use crate::limits;
use crate::linalg::Points;

/// The search space: a list of named parameters.
///
/// In files a table from names to parameters, in order; see the [module](crate::space) for text forms and encodings.
///
/// ```
/// use neuralbo::space::{Parameter, Space, Value};
///
/// let text = ["lr=float(1e-5,1e-1,log)", "layers=int(1,4)", "opt=choice(adam,sgd,lion)", "seed=42"];
/// let parameters = text.iter().map(|t| t.parse()).collect::<Result<Vec<Parameter>, _>>()?;
/// let space = Space::new(parameters)?;
/// assert_eq!(space.encoded_dim(), 1 + 1 + 3 + 0);
///
/// let named = [("lr", Value::from(1e-1)), ("layers", 2.into()), ("opt", "sgd".into())];
/// let point = space.point_from_named(named)?;
/// let row = space.encode(&point)?;
/// assert_eq!(row, [1.0, -0.25, -1.0, 1.0, -1.0]);
/// assert_eq!(space.decode(&row), point);
///
/// let file = r#"{"lr":{"type":"float","low":0.00001,"high":0.1,"log":true},
///     "layers":"int(1,4)", "opt":{"type":"choice","choices":["adam","sgd","lion"]}, "seed":42}"#;
/// assert_eq!(serde_json::from_str::<Space>(file)?, space);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Space {
    parameters: Vec<Parameter>,
    blocks: Vec<ParameterBlock>,
    coordinates: Vec<Coordinate>,
    /// The positions of the parameters in the alphabetical order of their names.
    by_name: Vec<usize>,
    constrained: Option<Arc<FeasibleSet>>,
    conditions: Conditions,
    /// How many points there are, once that was asked.
    pub(super) counted: Arc<OnceLock<Option<Counted>>>,
}

/// Where a parameter's coordinates are, and what they mean.
#[derive(Clone, Debug)]
pub(super) struct ParameterBlock {
    pub(super) code: Code,
    pub(super) range: Range<usize>,
}

/// Everything else follows from the parameters and the constraints.
impl PartialEq for Space {
    fn eq(&self, other: &Self) -> bool {
        self.parameters == other.parameters && self.constraints() == other.constraints()
    }
}

impl Space {
    /// A space of these parameters: at least one, names all different, a table of rows only alone, conditions that can hold.
    pub fn new(parameters: Vec<Parameter>) -> Result<Self, SpaceError> {
        check_together(&parameters)?;
        let mut conditions = Conditions::new(&parameters)?;
        let mut blocks = Vec::with_capacity(parameters.len());
        let mut coordinates = Vec::new();
        let mut groups = 0;
        for parameter in &parameters {
            let code = Code::new(parameter.domain());
            let first = coordinates.len();
            let range = first..first + code.width();
            coordinates.extend(range.clone().map(|_| code.coordinate(groups, first)));
            groups += usize::from(matches!(code, Code::OneHot { .. }));
            blocks.push(ParameterBlock { code, range });
        }
        let codes = blocks.iter().map(|block: &ParameterBlock| &block.code);
        let codes: Vec<&Code> = codes.collect();
        let activities = conditions.place(coordinates.len(), &codes);
        coordinates.extend((0..activities).map(|_| Coordinate::Activity));
        let mut by_name: Vec<usize> = (0..parameters.len()).collect();
        by_name.sort_by_key(|&i| parameters[i].name());
        let space = Self {
            parameters,
            blocks,
            coordinates,
            by_name,
            conditions,
            ..Self::default()
        };
        space.check_conditions()?;
        Ok(space)
    }

    /// An error for the first parameter whose condition is false for all values of the parameters it depends on.
    fn check_conditions(&self) -> Result<(), SpaceError> {
        for (index, condition) in self.conditions.all().iter().enumerate() {
            let position = self.conditions.having(index).next().unwrap_or(0);
            if Prover::new(self, vec![&condition.predicate], true).is_contradiction() {
                return Err(self.conditions.never_holds(position, &self.parameters));
            }
        }
        Ok(())
    }

    /// A space that is still to grow: its only point has no values.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Whether it has no parameters yet.
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    /// Floats `x0`, `x1`, … with these bounds.
    pub fn from_bounds(bounds: &[(f64, f64)]) -> Result<Self, SpaceError> {
        let bounds = bounds.iter().enumerate();
        let parameters = bounds.map(|(i, &(low, high))| {
            Parameter::new(format!("x{i}"), Domain::float(low, high, false, None))
        });
        Self::new(parameters.collect::<Result<_, _>>()?)
    }

    /// A finite pool of candidates, one per row of features: a single parameter `index`, encoded as its row with each column scaled
    /// to `[-1, 1]` (a constant column to 0).
    ///
    /// Of candidates with the same features, [`Space::decode`] gives the first.
    ///
    /// ```
    /// use neuralbo::linalg::Points;
    /// use neuralbo::space::{Point, Space};
    ///
    /// let space = Space::from_pool(Points::from_rows(2, [[0.0, 5.0], [1.0, 5.0], [4.0, 5.0]]))?;
    /// assert_eq!(space.encode(&Point::new(vec![1.into()]))?, [-0.5, 0.0]);
    /// assert_eq!(space.decode(&[0.9, 0.0]), Point::new(vec![2.into()]));
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn from_pool(rows: Points) -> Result<Self, SpaceError> {
        let table = Arc::new(rows);
        Self::new(vec![Parameter::new("index", Domain::Rows { table })?])
    }

    /// The parameters in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.position(name).map(|p| &self.parameters[p])
    }

    /// The space with one more parameter, the last.
    pub fn with(&self, parameter: Parameter) -> Result<Self, SpaceError> {
        let mut parameters = self.parameters.clone();
        parameters.push(parameter);
        self.with_parameters(parameters)
    }

    /// Number of coordinates of an encoded row.
    pub fn encoded_dim(&self) -> usize {
        self.coordinates.len()
    }

    /// What each coordinate of an encoded row stands for.
    pub fn coordinates(&self) -> &[Coordinate] {
        &self.coordinates
    }

    /// Whether some parameters are active only under a condition.
    pub fn has_conditions(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// The scaled rows of a pool; `None` for any other space.
    pub fn pool(&self) -> Option<&Points> {
        self.blocks.iter().find_map(|block| match &block.code {
            Code::Rows(rows) => Some(rows.as_ref()),
            _ => None,
        })
    }

    /// A checked point of values in the order of the parameters, all of them active; ints for float parameters become floats, whole
    /// floats for int parameters become ints.
    pub fn point(&self, values: &[Value]) -> Result<Point, SpaceError> {
        let values: Vec<Option<Value>> = values.iter().cloned().map(Some).collect();
        Ok(self.point_at(&self.levels_of(&values)?))
    }

    /// A checked point of named values, in any order: all active parameters and no others; fixed ones may be left out.
    pub fn point_from_named<N: AsRef<str>>(
        &self,
        named: impl IntoIterator<Item = (N, Value)>,
    ) -> Result<Point, SpaceError> {
        let mut values: Vec<Option<Value>> = vec![None; self.parameters.len()];
        for (name, value) in named {
            let name = name.as_ref();
            let slot = self.position(name).ok_or_else(|| self.unknown(name))?;
            if values[slot].replace(value).is_some() {
                return Err(SpaceError::RepeatedValue(name.to_owned()));
            }
        }
        Ok(self.point_at(&self.levels_of(&values)?))
    }

    /// The values of a point's active parameters with the names of their parameters.
    pub fn named<'a>(&'a self, point: &'a Point) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let named = self.parameters.iter().map(Parameter::name);
        let named = named.zip(point.values());
        named.filter_map(|(name, value)| Some((name, value.as_ref()?)))
    }

    pub(super) fn constrained(&self) -> Option<&FeasibleSet> {
        self.constrained.as_deref()
    }

    pub(super) fn without_constraints(&self) -> Self {
        Self {
            constrained: None,
            ..self.clone()
        }
    }

    pub(super) fn constrained_by(self, constrained: FeasibleSet) -> Self {
        Self {
            constrained: Some(Arc::new(constrained)),
            ..self
        }
    }

    /// The levels of values in the order of the parameters: one for each active parameter, none for the others.
    pub(super) fn levels_of(&self, values: &[Option<Value>]) -> Result<ActiveLevels, SpaceError> {
        let (expected, found) = (self.parameters.len(), values.len());
        if found != expected {
            return Err(SpaceError::WrongLength { expected, found });
        }
        let mut levels = vec![None; values.len()];
        for position in self.positions() {
            let (parameter, value) = (&self.parameters[position], &values[position]);
            levels[position] = match (self.is_active_at(position, &levels), value) {
                (true, Some(value)) => Some(parameter.level_of(value)?),
                (true, None) if parameter.domain().fixed().is_some() => Some(0.0),
                (true, None) => return Err(self.missing(parameter)),
                (false, Some(value)) => return Err(inactive(parameter, value)),
                (false, None) => None,
            };
        }
        Ok(levels)
    }

    pub(super) fn point_at(&self, levels: &[Option<f64>]) -> Point {
        let value = |(parameter, level): (&Parameter, &Option<f64>)| {
            level.map(|level| parameter.domain().value_at(level))
        };
        self.parameters.iter().zip(levels).map(value).collect()
    }

    /// Whether the parameter at a position is active, given the levels of the parameters that its condition reads.
    pub(super) fn is_active_at(&self, position: usize, levels: &[Option<f64>]) -> bool {
        self.conditions
            .is_active(position, levels, &self.parameters)
    }

    /// The value of the parameter at a position; `None` where it is inactive.
    pub(super) fn view_of(&self, position: usize, levels: &[Option<f64>]) -> Option<ValueView<'_>> {
        levels[position].map(|level| self.parameters[position].domain().view_at(level))
    }

    /// The positions of the parameters on whose values an expression depends, by conditions also.
    pub(super) fn positions_read<'a>(
        &self,
        predicate: &'a Predicate,
    ) -> impl Iterator<Item = usize> + use<'a> {
        let ancestors = self.conditions.ancestors(predicate);
        predicate.positions().iter().copied().chain(ancestors)
    }

    /// The positions of the parameters, each after those its condition reads.
    pub(super) fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        let order = self.conditions.order();
        (0..self.parameters.len()).map(|step| order.get(step).copied().unwrap_or(step))
    }

    /// The parameters, each after those its condition reads.
    pub(super) fn parents_first(&self) -> impl Iterator<Item = &Parameter> {
        self.positions().map(|position| &self.parameters[position])
    }

    pub(super) fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    pub(super) fn blocks(&self) -> &[ParameterBlock] {
        &self.blocks
    }

    /// The parameter at a position with its coordinates.
    pub(super) fn part(&self, position: usize) -> (&Parameter, &ParameterBlock) {
        (&self.parameters[position], &self.blocks[position])
    }

    /// Where the parameter of this name is in the list.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let order = |&i: &usize| self.parameters[i].name().cmp(name);
        Some(self.by_name[self.by_name.binary_search_by(order).ok()?])
    }

    /// The same for the `nth` of several names in alphabetical order: where every parameter has a value nothing is searched.
    pub(super) fn position_of_nth(&self, nth: usize, name: &str) -> Option<usize> {
        let guess = self.by_name.get(nth).copied();
        guess
            .filter(|&position| self.parameters[position].name() == name)
            .or_else(|| self.position(name))
    }

    pub(super) fn missing(&self, parameter: &Parameter) -> SpaceError {
        SpaceError::MissingValue {
            name: parameter.name().to_owned(),
            expected: self.names(),
        }
    }

    pub(super) fn unknown(&self, name: &str) -> SpaceError {
        SpaceError::UnknownName {
            name: name.to_owned(),
            expected: self.names(),
        }
    }

    fn names(&self) -> String {
        let names = self.parameters.iter().map(|p| format!("`{}`", p.name()));
        names.collect::<Vec<_>>().join(", ")
    }
}

/// What parameters must satisfy as a list.
fn check_together(parameters: &[Parameter]) -> Result<(), SpaceError> {
    if parameters.is_empty() {
        return Err(SpaceError::Empty);
    }
    limits::check("parameters", parameters.len(), limits::PARAMETERS)
        .map_err(SpaceError::TooLarge)?;
    let mut seen = BTreeSet::new();
    for parameter in parameters {
        let name = parameter.name();
        if !seen.insert(name) {
            return Err(SpaceError::DuplicateName(name.to_owned()));
        }
        if matches!(parameter.domain(), Domain::Rows { .. }) && parameters.len() > 1 {
            let (name, count) = (name.to_owned(), parameters.len());
            return Err(SpaceError::RowsNotAlone { name, count });
        }
    }
    Ok(())
}
