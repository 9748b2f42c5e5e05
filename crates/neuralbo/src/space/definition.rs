//! The space itself: parameters in order, points of it, and rows.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::coding::{Code, Coordinate};
use super::condition::{Conditions, Levels};
use super::feasible::Constrained;
use super::finite::Counted;
use super::named::inactive;
use super::{Domain, Parameter, Point, SpaceError, Value};
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
#[derive(Clone, Debug)]
pub struct Space {
    parameters: Vec<Parameter>,
    blocks: Vec<Block>,
    coordinates: Vec<Coordinate>,
    /// The positions of the parameters in the alphabetical order of their names.
    by_name: Vec<usize>,
    constrained: Option<Arc<Constrained>>,
    conditions: Conditions,
    /// How many points there are, once that was asked.
    pub(super) counted: Arc<OnceLock<Option<Counted>>>,
}

/// Where a parameter's coordinates are, and what they mean.
#[derive(Clone, Debug)]
pub(super) struct Block {
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
            blocks.push(Block { code, range });
        }
        let codes: Vec<&Code> = blocks.iter().map(|block: &Block| &block.code).collect();
        let activities = conditions.place(coordinates.len(), &codes);
        coordinates.extend((0..activities).map(|_| Coordinate::Activity));
        let mut by_name: Vec<usize> = (0..parameters.len()).collect();
        by_name.sort_by_key(|&i| parameters[i].name());
        Ok(Self {
            parameters,
            blocks,
            coordinates,
            by_name,
            constrained: None,
            conditions,
            counted: Arc::default(),
        })
    }

    /// A space that is still to grow: its only point has no values.
    pub fn empty() -> Self {
        Self {
            parameters: Vec::new(),
            blocks: Vec::new(),
            coordinates: Vec::new(),
            by_name: Vec::new(),
            constrained: None,
            conditions: Conditions::default(),
            counted: Arc::default(),
        }
    }

    /// Whether it has no parameters yet.
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    /// Floats `x0`, `x1`, … with these bounds.
    pub fn from_bounds(bounds: &[(f64, f64)]) -> Result<Self, SpaceError> {
        let float = |(i, &(low, high)): (usize, &(f64, f64))| {
            Parameter::new(
                format!("x{i}"),
                Domain::Float {
                    low,
                    high,
                    log: false,
                    step: None,
                },
            )
        };
        Self::new(
            bounds
                .iter()
                .enumerate()
                .map(float)
                .collect::<Result<_, _>>()?,
        )
    }

    /// A finite pool of candidates, one a row of features: a single parameter `index`, encoded as its row with each column scaled
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
        Self::new(vec![Parameter::new(
            "index",
            Domain::Rows {
                table: Arc::new(rows),
            },
        )?])
    }

    /// The parameters in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.position(name)
            .map(|position| &self.parameters[position])
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

    /// Whether there are coordinates and all of them are continuous; fixed parameters have none.
    pub fn is_continuous(&self) -> bool {
        !self.coordinates.is_empty()
            && self
                .coordinates
                .iter()
                .all(|c| *c == Coordinate::Continuous)
    }

    /// The scaled rows of a pool; `None` for any other space.
    pub fn pool(&self) -> Option<&Points> {
        self.blocks.iter().find_map(|block| match &block.code {
            Code::Rows(rows) => Some(rows.as_ref()),
            _ => None,
        })
    }

    /// The row of a point, in `[-1, 1]^D`; an error when a value is outside its domain.
    ///
    /// ```
    /// use neuralbo::space::{Point, Space};
    ///
    /// let space = Space::from_bounds(&[(0.0, 10.0), (-1.0, 1.0)])?;
    /// assert_eq!(space.encode(&Point::new(vec![7.5.into(), 0.0.into()]))?, [0.5, 0.0]);
    /// let error = space.encode(&Point::new(vec![11.0.into(), 0.0.into()])).unwrap_err();
    /// assert_eq!(error.to_string(), "parameter `x0`: value `11.0` is not allowed, it must be a number from 0.0 to 10.0");
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn encode(&self, point: &Point) -> Result<Vec<f64>, SpaceError> {
        let levels = self.levels_of(point.values())?;
        let mut row = vec![0.0; self.encoded_dim()];
        self.write(&levels, &mut row);
        Ok(row)
    }

    /// The point of a row. Any row will do: coordinates are clamped, ints and choices are the nearest, NaN and missing coordinates
    /// count as 0. Parameters whose condition does not hold have no value, whatever their coordinates.
    pub fn decode(&self, row: &[f64]) -> Point {
        if row.len() < self.encoded_dim() {
            let mut padded = row.to_vec();
            padded.resize(self.encoded_dim(), 0.0);
            return self.decode(&padded);
        }
        self.point_at(&self.levels(row))
    }

    /// Replaces a row by that of the point which would really be run: `encode(decode(row))`. Inactive parameters are put to 0.
    ///
    /// Of a row that is too short, the parameters whose coordinates are all there are snapped.
    pub fn snap(&self, row: &mut [f64]) {
        if self.has_conditions() {
            return self.write(&self.levels(row), row);
        }
        for block in &self.blocks {
            if let Some(coordinates) = row.get_mut(block.range.clone()) {
                block.code.write(block.code.read(coordinates), coordinates);
            }
        }
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
                return Err(SpaceError::RepeatedValue {
                    name: name.to_owned(),
                });
            }
        }
        Ok(self.point_at(&self.levels_of(&values)?))
    }

    /// The values of a point's active parameters with the names of their parameters.
    pub fn named<'a>(&'a self, point: &'a Point) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let named = self
            .parameters
            .iter()
            .map(Parameter::name)
            .zip(point.values());
        named.filter_map(|(name, value)| Some((name, value.as_ref()?)))
    }

    pub(super) fn constrained(&self) -> Option<&Constrained> {
        self.constrained.as_deref()
    }

    pub(super) fn without_constraints(&self) -> Self {
        Self {
            constrained: None,
            ..self.clone()
        }
    }

    pub(super) fn constrained_by(self, constrained: Constrained) -> Self {
        Self {
            constrained: Some(Arc::new(constrained)),
            ..self
        }
    }

    /// The number at coordinate `u` of a float or int, between its steps too.
    pub(super) fn relaxed_at(&self, position: usize, u: f64) -> Option<f64> {
        let (parameter, block) = self.part(position);
        let (low, step) = match *parameter.domain() {
            Domain::Float { low, step, .. } => (low, step.unwrap_or(0.0)),
            Domain::Int { low, step, .. } => (low as f64, step.unwrap_or(1) as f64),
            _ => return None,
        };
        block.code.relaxed(low, step, u)
    }

    /// The levels of the active parameters of a row.
    pub(super) fn levels(&self, row: &[f64]) -> Levels {
        let read = |block: &Block| {
            row.get(block.range.clone())
                .map(|coordinates| block.code.read(coordinates))
        };
        if !self.has_conditions() {
            return self.blocks.iter().map(read).collect();
        }
        let mut levels = vec![None; self.parameters.len()];
        for &position in self.conditions.order() {
            if self
                .conditions
                .is_active(position, &levels, &self.parameters)
            {
                levels[position] = read(&self.blocks[position]);
            }
        }
        levels
    }

    /// The levels of values in the order of the parameters: one for each active parameter, none for the others.
    fn levels_of(&self, values: &[Option<Value>]) -> Result<Levels, SpaceError> {
        self.check_length(values.len())?;
        let mut levels = vec![None; values.len()];
        let level = |position: usize, levels: &Levels| {
            let (parameter, value) = (&self.parameters[position], &values[position]);
            match (
                self.conditions
                    .is_active(position, levels, &self.parameters),
                value,
                parameter.domain(),
            ) {
                (true, Some(value), _) => parameter.level_of(value).map(Some),
                (true, None, Domain::Fixed { .. }) => Ok(Some(0.0)),
                (true, None, _) => Err(self.missing(parameter)),
                (false, Some(value), _) => Err(inactive(parameter, value)),
                (false, None, _) => Ok(None),
            }
        };
        for position in self.positions() {
            levels[position] = level(position, &levels)?;
        }
        Ok(levels)
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

    fn point_at(&self, levels: &[Option<f64>]) -> Point {
        let value = |(parameter, level): (&Parameter, &Option<f64>)| {
            level.map(|level| parameter.domain().value_at(level))
        };
        self.parameters.iter().zip(levels).map(value).collect()
    }

    /// Writes the row of levels; of a row that is too short, what is there.
    pub(super) fn write(&self, levels: &[Option<f64>], row: &mut [f64]) {
        for (block, level) in self.blocks.iter().zip(levels) {
            match (row.get_mut(block.range.clone()), level) {
                (Some(coordinates), Some(level)) => block.code.write(*level, coordinates),
                (Some(coordinates), None) => coordinates.fill(0.0),
                (None, _) => {}
            }
        }
        for condition in self.conditions.all() {
            if let Some(slot) = condition
                .coordinate
                .and_then(|coordinate| row.get_mut(coordinate))
            {
                *slot = if condition.holds(levels, &self.parameters) {
                    1.0
                } else {
                    -1.0
                };
            }
        }
    }

    pub(super) fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// The coordinates of the parameter at a position.
    pub(super) fn range(&self, position: usize) -> Range<usize> {
        self.blocks[position].range.clone()
    }

    /// The parameter at a position with its coordinates.
    pub(super) fn part(&self, position: usize) -> (&Parameter, &Block) {
        (&self.parameters[position], &self.blocks[position])
    }

    /// Where the parameter of this name is in the list.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let found = self
            .by_name
            .binary_search_by(|&i| self.parameters[i].name().cmp(name))
            .ok()?;
        Some(self.by_name[found])
    }

    /// The positions of the parameters in the alphabetical order of their names.
    pub(super) fn by_name(&self) -> &[usize] {
        &self.by_name
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

    fn check_length(&self, found: usize) -> Result<(), SpaceError> {
        let expected = self.parameters.len();
        if found == expected {
            Ok(())
        } else {
            Err(SpaceError::WrongLength { expected, found })
        }
    }

    fn names(&self) -> String {
        let names: Vec<String> = self
            .parameters
            .iter()
            .map(|parameter| format!("`{}`", parameter.name()))
            .collect();
        names.join(", ")
    }
}

/// What parameters must satisfy as a list.
fn check_together(parameters: &[Parameter]) -> Result<(), SpaceError> {
    if parameters.is_empty() {
        return Err(SpaceError::Empty);
    }
    let mut seen = BTreeSet::new();
    for parameter in parameters {
        let name = parameter.name();
        if !seen.insert(name) {
            return Err(SpaceError::DuplicateName {
                name: name.to_owned(),
            });
        }
        if matches!(parameter.domain(), Domain::Rows { .. }) && parameters.len() > 1 {
            return Err(SpaceError::RowsNotAlone {
                name: name.to_owned(),
                count: parameters.len(),
            });
        }
    }
    Ok(())
}
