//! What differs between two definitions of a space.

use std::fmt;

use super::{Parameter, Space};

/// One difference between two definitions of a space; parameters and domains in their text form. `Display` is for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs)] // Of the fields: the messages say what they are.
pub enum Change {
    /// A new parameter.
    Added(String),
    /// A parameter that is no more.
    Removed(String),
    /// A new constraint.
    AddedConstraint(String),
    /// A constraint that is no more.
    RemovedConstraint(String),
    /// A parameter with another name, whose values go on under the new one; only the caller who changes a study can say so, see
    /// [`Study::redefine`](crate::study::Study::redefine). Two spaces cannot show it: there it is a removed and an added one.
    Renamed { from: String, to: String },
    /// The same parameters in another order.
    Reordered { from: Vec<String>, to: Vec<String> },
    /// More values: every old value is still allowed.
    Widened {
        name: String,
        from: String,
        to: String,
    },
    /// Only a part of the old values is still allowed.
    Narrowed {
        name: String,
        from: String,
        to: String,
    },
    /// Another condition, or none where there was one, or one where there was none.
    Conditioned {
        name: String,
        from: Option<String>,
        to: Option<String>,
    },
    /// Another type or scale, other choices, or none of the old values.
    Changed {
        name: String,
        from: String,
        to: String,
    },
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added(parameter) => write!(f, "added {parameter}"),
            Self::AddedConstraint(constraint) => write!(f, "added the constraint {constraint}"),
            Self::RemovedConstraint(constraint) => write!(f, "removed the constraint {constraint}"),
            Self::Removed(parameter) => write!(f, "removed {parameter}"),
            Self::Renamed { from, to } => write!(f, "renamed {from} to {to}"),
            Self::Reordered { from, to } => {
                write!(f, "reordered {} to {}", from.join(", "), to.join(", "))
            }
            Self::Widened { name, from, to } => write!(f, "widened {name} from {from} to {to}"),
            Self::Narrowed { name, from, to } => write!(f, "narrowed {name} from {from} to {to}"),
            Self::Conditioned { name, from, to } => {
                let shown =
                    |condition: &Option<String>| condition.clone().unwrap_or_else(|| "none".into());
                write!(
                    f,
                    "changed the condition of {name} from {} to {}",
                    shown(from),
                    shown(to)
                )
            }
            Self::Changed { name, from, to } => write!(f, "changed {name} from {from} to {to}"),
        }
    }
}

impl Space {
    /// What `given` changes in this space: parameter by parameter in the order of this space, then what is new, then the order, then
    /// the constraints (their order does not count).
    ///
    /// Nothing is listed for domains of the same values on the same scale, such as `int(1,8)` and `int(1,8,step=1)`.
    ///
    /// ```
    /// use neuralbo::space::Space;
    ///
    /// let old = Space::new(vec!["x=float(0,1)".parse()?, "n=int(1,8)".parse()?, "opt=choice(adam,sgd)".parse()?])?;
    /// let new = Space::new(vec!["opt=choice(adam,sgd,lion)".parse()?, "x=float(0,0.5)".parse()?, "seed=1".parse()?])?;
    /// let changes: Vec<String> = old.changes(&new).iter().map(ToString::to_string).collect();
    /// assert_eq!(
    ///     changes,
    ///     [
    ///         "narrowed x from float(0.0,1.0) to float(0.0,0.5)",
    ///         "removed n=int(1,8)",
    ///         "widened opt from choice(adam,sgd) to choice(adam,sgd,lion)",
    ///         "added seed=1",
    ///         "reordered x, opt to opt, x",
    ///     ]
    /// );
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn changes(&self, given: &Space) -> Vec<Change> {
        let mut changes = Vec::new();
        for parameter in self.parameters() {
            match given.parameter(parameter.name()) {
                Some(new) => changes.extend(
                    domain_change(parameter, new)
                        .into_iter()
                        .chain(condition_change(parameter, new)),
                ),
                None => changes.push(Change::Removed(parameter.to_string())),
            }
        }
        let added = given
            .parameters()
            .iter()
            .filter(|parameter| self.parameter(parameter.name()).is_none());
        changes.extend(added.map(|parameter| Change::Added(parameter.to_string())));
        let (from, to) = (shared_names(self, given), shared_names(given, self));
        if from != to {
            changes.push(Change::Reordered { from, to });
        }
        let missing = |of: &Space, other: &Space| -> Vec<String> {
            let missing = of
                .constraints()
                .iter()
                .filter(|constraint| !other.constraints().contains(constraint));
            missing.map(ToString::to_string).collect()
        };
        changes.extend(
            missing(self, given)
                .into_iter()
                .map(Change::RemovedConstraint),
        );
        changes.extend(
            missing(given, self)
                .into_iter()
                .map(Change::AddedConstraint),
        );
        changes
    }
}

/// The names of `a` that `b` also has, in the order of `a`.
fn shared_names(a: &Space, b: &Space) -> Vec<String> {
    let names = a.parameters().iter().map(Parameter::name);
    names
        .filter(|name| b.parameter(name).is_some())
        .map(str::to_owned)
        .collect()
}

fn condition_change(old: &Parameter, new: &Parameter) -> Option<Change> {
    let shown = |parameter: &Parameter| parameter.condition().map(ToString::to_string);
    let (from, to) = (shown(old), shown(new));
    (from != to).then(|| Change::Conditioned {
        name: old.name().to_owned(),
        from,
        to,
    })
}

fn domain_change(old: &Parameter, new: &Parameter) -> Option<Change> {
    let (a, b) = (old.domain(), new.domain());
    if a == b {
        return None;
    }
    let (name, from, to) = (old.name().to_owned(), a.to_string(), b.to_string());
    if !a.is_like(b) || !same_order(old, new) {
        return Some(Change::Changed { name, from, to });
    }
    match (includes(new, old), includes(old, new)) {
        (true, true) => None,
        (true, false) => Some(Change::Widened { name, from, to }),
        (false, true) => Some(Change::Narrowed { name, from, to }),
        (false, false) if overlap(old, new) => Some(Change::Narrowed { name, from, to }),
        (false, false) => Some(Change::Changed { name, from, to }),
    }
}

/// Whether the values that two lists share are in the same order in both; those of a choice only matter where all are shared.
fn same_order(a: &Parameter, b: &Parameter) -> bool {
    let (Some(values), Some(others)) = (a.domain().values(), b.domain().values()) else {
        return true;
    };
    let places: Vec<f64> = values.iter().filter_map(|value| b.level(value)).collect();
    let all_shared = places.len() == values.len() && values.len() == others.len();
    let matters = all_shared || a.domain().is_ordinal();
    !matters || places.is_sorted()
}

/// Whether every value of `inner` is one of `outer`.
fn includes(outer: &Parameter, inner: &Parameter) -> bool {
    let domain = inner.domain();
    let has = |level: f64| outer.level(&domain.value_at(level)).is_some();
    if let Some(values) = domain.values() {
        return values.iter().all(|value| outer.level(value).is_some());
    }
    let (first, last) = domain.first_and_last_level();
    let ends = has(first) && has(last);
    match domain.count() {
        // Values at equal distances are all on a grid when the first two are.
        Some(count) => ends && (count == 1 || has(1.0)),
        None => ends && outer.domain().count().is_none(),
    }
}

/// Whether two domains of one kind, of which neither includes the other, have a value in common.
fn overlap(a: &Parameter, b: &Parameter) -> bool {
    /// Two grids that agree nowhere over so many values are told apart.
    const LOOKED_AT: u64 = 4096;
    let (grid, other) = (a.domain(), b.domain());
    if let Some(values) = grid.values() {
        return values.iter().any(|value| b.level(value).is_some());
    }
    let (Some(range), Some(others)) = (grid.range(), other.range()) else {
        return false;
    };
    let (low, high) = (range.low.max(others.low), range.high.min(others.high));
    if low > high {
        return false;
    }
    let (Some(_), Some(count)) = (other.count(), grid.count()) else {
        return low < high || grid.count().is_none() && other.count().is_none();
    };
    let first = grid
        .nearest_level(low)
        .map_or(0, |level| level.max(0.0) as u64);
    (first..count.min(first + LOOKED_AT))
        .any(|level| b.level(&grid.value_at(level as f64)).is_some())
}
