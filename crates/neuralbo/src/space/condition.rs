//! Which parameters a point has: conditions over other parameters, by their positions.
//!
//! A parameter is active when its condition is true. What a condition reads of an inactive parameter is absent, and a comparison with
//! something absent is neither true nor false.

use std::collections::BTreeMap;

use super::coding::Code;
use super::expression::Predicate;
use super::value::View;
use super::{Expression, Parameter, SpaceError};

/// Up to so many values of a single parent, what the condition says about each of them is kept.
const LARGEST_TABLE: u64 = 1 << 16;

/// The conditions of a space.
#[derive(Clone, Debug, Default)]
pub(super) struct Conditions {
    /// For each parameter which of the conditions it has; empty when none has any.
    of: Vec<Option<usize>>,
    distinct: Vec<Condition>,
    /// The positions of the parameters, each after those its condition reads.
    order: Vec<usize>,
}

/// One condition, which several parameters may have.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) predicate: Predicate,
    /// Its only parent and what it says about each of its values, where there are few.
    table: Option<(usize, Vec<bool>)>,
    /// Where a row says whether it is true.
    pub(super) coordinate: Option<usize>,
}

/// The levels of a point's active parameters, by position.
pub(super) type Levels = Vec<Option<f64>>;

impl Conditions {
    /// The conditions of these parameters, checked.
    pub(super) fn new(parameters: &[Parameter]) -> Result<Self, SpaceError> {
        if parameters
            .iter()
            .all(|parameter| parameter.condition().is_none())
        {
            return Ok(Self::default());
        }
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let mut distinct = Vec::new();
        let mut of = Vec::with_capacity(parameters.len());
        for (position, parameter) in parameters.iter().enumerate() {
            let Some(expression) = parameter.condition() else {
                of.push(None);
                continue;
            };
            let index = *known
                .entry(expression.to_string())
                .or_insert(distinct.len());
            if index == distinct.len() {
                let predicate = resolved(parameter, expression, parameters)?;
                distinct.push(Condition {
                    table: None,
                    predicate,
                    coordinate: None,
                });
            }
            if distinct[index].predicate.positions().contains(&position) {
                return Err(bad(
                    parameter,
                    "it depends on the parameter itself; a condition is over other parameters"
                        .into(),
                ));
            }
            of.push(Some(index));
        }
        let order = order(parameters, &of, &distinct)?;
        let mut conditions = Self {
            of,
            distinct,
            order,
        };
        for condition in &mut conditions.distinct {
            condition.table = table(&condition.predicate, parameters);
        }
        Ok(conditions)
    }

    /// Whether every parameter is always active.
    pub(super) fn is_empty(&self) -> bool {
        self.distinct.is_empty()
    }

    /// The positions of the parameters, each after those its condition reads.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    /// The condition of the parameter at a position.
    pub(super) fn of(&self, position: usize) -> Option<&Condition> {
        self.of
            .get(position)
            .copied()
            .flatten()
            .map(|index| &self.distinct[index])
    }

    /// The positions of the parameters on which an expression depends through conditions, parents of parents also.
    pub(super) fn ancestors(&self, predicate: &Predicate) -> Vec<usize> {
        let mut found = Vec::new();
        if self.is_empty() {
            return found;
        }
        let mut open: Vec<usize> = predicate.positions().iter().copied().collect();
        while let Some(next) = open.pop() {
            let parents = self
                .of(next)
                .map(|condition| condition.predicate.positions());
            for &parent in parents.into_iter().flatten() {
                if !found.contains(&parent) {
                    found.push(parent);
                    open.push(parent);
                }
            }
        }
        found
    }

    /// The error for a parameter whose condition never holds, with what its parents may be.
    pub(super) fn never_holds(&self, position: usize, parameters: &[Parameter]) -> SpaceError {
        let parents = self
            .of(position)
            .map(|condition| condition.predicate.positions());
        let words = parents.into_iter().flatten().map(|&parent| {
            let parameter = &parameters[parent];
            let condition = parameter.condition();
            let condition = condition.map_or_else(String::new, |one| format!(" if {one}"));
            let allowed = parameter.domain().allowed();
            format!("`{}` is {allowed}{condition}", parameter.name())
        });
        let words = words.collect::<Vec<_>>().join(", ");
        bad(&parameters[position], format!("it never holds; {words}"))
    }

    /// All conditions.
    pub(super) fn all(&self) -> &[Condition] {
        &self.distinct
    }

    /// The positions of the parameters that have the condition of this index.
    pub(super) fn having(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.of.len()).filter(move |&position| self.of[position] == Some(index))
    }

    /// Gives a coordinate from `first` on to every condition that no other coordinates say; how many there are.
    pub(super) fn place(&mut self, first: usize, codes: &[&Code]) -> usize {
        let mut next = first;
        for index in 0..self.distinct.len() {
            let has_coordinates = self
                .having(index)
                .any(|position| codes[position].width() > 0);
            if has_coordinates && !self.is_implied(&self.distinct[index], codes) {
                self.distinct[index].coordinate = Some(next);
                next += 1;
            }
        }
        next - first
    }

    /// Whether it is a linear function of a single parent's coordinates. Those of a choice of three or more are, also where an
    /// inactive one is at 0; of a choice of two only where it is always active: at −1, 0 and +1 there are three values on a line.
    fn is_implied(&self, condition: &Condition, codes: &[&Code]) -> bool {
        let mut parents = condition.predicate.positions().iter();
        let (Some(&parent), None) = (parents.next(), parents.next()) else {
            return false;
        };
        match codes[parent] {
            Code::OneHot { .. } => true,
            Code::Binary | Code::Constant => self.of[parent].is_none(),
            _ => false,
        }
    }

    /// Whether the parameter at a position is active, given the levels of those before it in the order.
    pub(super) fn is_active(
        &self,
        position: usize,
        levels: &[Option<f64>],
        parameters: &[Parameter],
    ) -> bool {
        self.of(position)
            .is_none_or(|condition| condition.holds(levels, parameters))
    }
}

impl Condition {
    /// Whether it is true for these levels.
    pub(super) fn holds(&self, levels: &[Option<f64>], parameters: &[Parameter]) -> bool {
        if let Some((parent, table)) = &self.table {
            return levels[*parent].is_some_and(|level| table[level as usize]);
        }
        let value = |position: usize| {
            levels[position].map(|level| parameters[position].domain().view_at(level))
        };
        self.predicate.evaluate(&value) == Some(true)
    }
}

fn resolved(
    parameter: &Parameter,
    expression: &Expression,
    parameters: &[Parameter],
) -> Result<Predicate, SpaceError> {
    expression.resolve(parameters).map_err(|error| match error {
        SpaceError::BadExpression { reason, .. } => bad(parameter, reason),
        other => other,
    })
}

/// What is wrong with the condition of a parameter.
fn bad(parameter: &Parameter, reason: String) -> SpaceError {
    let condition = parameter
        .condition()
        .map_or_else(String::new, ToString::to_string);
    SpaceError::BadCondition {
        name: parameter.name().to_owned(),
        condition,
        reason,
    }
}

/// Parents before children, otherwise as they are given.
fn order(
    parameters: &[Parameter],
    of: &[Option<usize>],
    distinct: &[Condition],
) -> Result<Vec<usize>, SpaceError> {
    let parents = |position: usize| {
        of[position]
            .into_iter()
            .flat_map(|index| distinct[index].predicate.positions())
    };
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parameters.len()];
    let mut waiting: Vec<usize> = (0..parameters.len())
        .map(|position| parents(position).count())
        .collect();
    for position in 0..parameters.len() {
        parents(position).for_each(|&parent| children[parent].push(position));
    }
    let mut ready: std::collections::BTreeSet<usize> = (0..parameters.len())
        .filter(|&position| waiting[position] == 0)
        .collect();
    let mut order = Vec::with_capacity(parameters.len());
    while let Some(position) = ready.pop_first() {
        order.push(position);
        for &child in &children[position] {
            waiting[child] -= 1;
            if waiting[child] == 0 {
                ready.insert(child);
            }
        }
    }
    match (0..parameters.len()).find(|&position| waiting[position] > 0) {
        None => Ok(order),
        Some(stuck) => Err(cycle(parameters, stuck, |position| {
            parents(position).copied().find(|&p| waiting[p] > 0)
        })),
    }
}

/// The error that names a cycle, found by following the parents of a parameter that waits for one.
fn cycle(
    parameters: &[Parameter],
    stuck: usize,
    parent: impl Fn(usize) -> Option<usize>,
) -> SpaceError {
    let mut path = vec![stuck];
    while let Some(next) = parent(path[path.len() - 1]) {
        if let Some(start) = path.iter().position(|&position| position == next) {
            let names: Vec<String> = path[start..]
                .iter()
                .chain([&next])
                .map(|&position| format!("`{}`", parameters[position].name()))
                .collect();
            let reason = format!(
                "conditions must not be cyclic: {}",
                names.join(" depends on ")
            );
            return bad(&parameters[next], reason);
        }
        path.push(next);
    }
    bad(&parameters[stuck], "conditions must not be cyclic".into())
}

/// What a condition says about each value of its only parent, where there are few.
fn table(predicate: &Predicate, parameters: &[Parameter]) -> Option<(usize, Vec<bool>)> {
    let mut parents = predicate.positions().iter();
    let (&parent, None) = (parents.next()?, parents.next()) else {
        return None;
    };
    let domain = parameters[parent].domain();
    let count = domain.count().filter(|count| *count <= LARGEST_TABLE)?;
    let holds = |level: u64| {
        let value = |_: usize| -> Option<View<'_>> { Some(domain.view_at(level as f64)) };
        predicate.evaluate(&value) == Some(true)
    };
    Some((parent, (0..count).map(holds).collect()))
}
