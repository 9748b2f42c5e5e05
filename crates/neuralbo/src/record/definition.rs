//! What a study is: everything that decides which points are suggested.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Direction, ObjectiveSpec, OutcomeConstraint, Pruner, Retries, Values};
use crate::space::{Change, Params, Space};

/// The name of the objective of a study that has only one and does not name it.
pub const VALUE: &str = "value";

/// The method used when none is named.
pub const DEFAULT_METHOD: &str = "neuralbo";

/// Everything that decides which points a study suggests, and the retry policy its workers share.
///
/// A definition never changes. A study that is changed gets the next version of its definition, from 1 on, and keeps all.
///
/// ```
/// use neuralbo::record::{Definition, Direction};
/// use neuralbo::space::Space;
///
/// let space = Space::new(vec!["lr=float(1e-5,1e-1,log)".parse()?, "layers=int(1,4)".parse()?])?;
/// let definition = Definition { method: "gp-ei".into(), seed: 7, ..Definition::new(space, Direction::Maximize) };
/// assert_eq!((definition.objective(), definition.direction()), ("value", Direction::Maximize));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// What is searched; without parameters while the first trial has not said what it needs.
    #[serde(deserialize_with = "crate::space::growing")]
    pub space: Space,
    /// What is measured and which way is better; at least one.
    pub objectives: Vec<ObjectiveSpec>,
    /// Limits on measured quantities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcome_constraints: Vec<OutcomeConstraint>,
    /// How points are chosen.
    pub method: String,
    /// The method's options as `key=value`, in alphabetical order.
    pub options: Vec<String>,
    /// Keys all random streams.
    pub seed: u64,
    /// What is retried.
    pub retries: Retries,
    /// When trials are stopped early; never without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pruner: Option<Pruner>,
    /// Parameters that had another name under earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<Alias>,
}

/// A renamed parameter: in trials of versions before `version`, `from` is what is called `to` now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alias {
    /// The old name.
    pub from: String,
    /// The new name.
    pub to: String,
    /// The version that brought the new name.
    pub version: u64,
}

impl Definition {
    /// A study of one objective, called [`VALUE`], by the default method.
    pub fn new(space: Space, direction: Direction) -> Self {
        Self {
            space,
            objectives: vec![ObjectiveSpec::new(VALUE, direction)],
            outcome_constraints: Vec::new(),
            method: DEFAULT_METHOD.to_owned(),
            options: Vec::new(),
            seed: 0,
            retries: Retries::default(),
            pruner: None,
            aliases: Vec::new(),
        }
    }

    /// The name of the first objective.
    pub fn objective(&self) -> &str {
        self.objectives.first().map_or(VALUE, |o| &o.name)
    }

    /// Which way the first objective is better.
    pub fn direction(&self) -> Direction {
        let first = self.objectives.first();
        first.map_or_else(Direction::default, |objective| objective.direction)
    }

    /// Whether measured values satisfy all outcome constraints.
    pub fn is_feasible(&self, values: &Values) -> bool {
        self.outcome_constraints.iter().all(|c| c.allows(values))
    }

    /// The rewards of measured values, where larger is better, one per objective; NaN where one was not measured.
    pub fn rewards(&self, values: &Values) -> Vec<f64> {
        let reward = |objective: &ObjectiveSpec| {
            let value = values.get(&objective.name);
            value.map_or(f64::NAN, |value| objective.direction.reward(*value))
        };
        self.objectives.iter().map(reward).collect()
    }

    /// The slacks of measured values, at least 0 where bounds hold: for each constraint `at_most − value`, then `value − at_least`; NaN
    /// where it was not measured.
    ///
    /// ```
    /// use neuralbo::record::{Definition, Direction, OutcomeConstraint, Values};
    /// use neuralbo::space::Space;
    ///
    /// let mut definition = Definition::new(Space::from_bounds(&[(0.0, 1.0)])?, Direction::Minimize);
    /// definition.outcome_constraints.push(OutcomeConstraint { name: "ph".into(), at_most: Some(8.0), at_least: Some(6.0) });
    /// assert_eq!(definition.slacks(&Values::from([("ph".to_owned(), 8.5)])), [-0.5, 2.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slacks(&self, values: &Values) -> Vec<f64> {
        let of = |constraint: &OutcomeConstraint| {
            let value = values.get(&constraint.name).copied().unwrap_or(f64::NAN);
            let above = constraint.at_most.map(|most| most - value).into_iter();
            above.chain(constraint.at_least.map(|least| value - least))
        };
        self.outcome_constraints.iter().flat_map(of).collect()
    }

    /// The parameters of a trial of an earlier version, under their present names.
    pub fn renamed(&self, params: &Params, version: u64) -> Params {
        let name = |old: &str| {
            let current = self.aliases.iter().filter(|alias| alias.version > version);
            current.fold(old.to_owned(), |name, alias| match alias.from == name {
                true => alias.to.clone(),
                false => name,
            })
        };
        let renamed = params.iter().map(|(old, value)| (name(old), value.clone()));
        renamed.collect()
    }

    /// Whether parameters of a trial of this version have other names now.
    pub fn renames_after(&self, version: u64) -> bool {
        self.aliases.iter().any(|alias| alias.version > version)
    }

    /// What differs between this definition and one given now; the seed and the retry policy may differ freely.
    pub fn differences(&self, given: &Self) -> Vec<Difference> {
        let changes = self.space.changes(&given.space).into_iter();
        let mut differences: Vec<Difference> = changes.map(Difference::Space).collect();
        for ((field, stored), (_, given)) in self.shown().into_iter().zip(given.shown()) {
            if stored != given {
                differences.push(Difference::Field {
                    field,
                    stored,
                    given,
                });
            }
        }
        differences
    }

    /// The fields that are compared, as texts.
    fn shown(&self) -> [(&'static str, String); 6] {
        let reference = |o: &ObjectiveSpec| Some(format!("{}={}", o.name, o.reference?));
        let references: Vec<String> = self.objectives.iter().filter_map(reference).collect();
        [
            ("objectives", shown_list(&self.objectives)),
            ("reference", shown_list(&references)),
            ("outcome constraints", shown_list(&self.outcome_constraints)),
            ("method", self.method.clone()),
            ("options", shown_list(&self.options)),
            ("pruner", shown_list(self.pruner.as_slice())),
        ]
    }
}

/// One thing in which two definitions differ.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Difference {
    /// A parameter.
    Space(Change),
    /// Anything else.
    Field {
        /// What differs.
        field: &'static str,
        /// In the study.
        stored: String,
        /// As given now.
        given: String,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Space(change) => change.fmt(f),
            Self::Field {
                field,
                stored,
                given,
            } => write!(f, "{field}: stored {stored}, given {given}"),
        }
    }
}

fn shown_list<T: ToString>(items: &[T]) -> String {
    let texts: Vec<String> = items.iter().map(ToString::to_string).collect();
    match texts.is_empty() {
        true => "none".to_owned(),
        false => texts.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(parameters: &[&str]) -> Definition {
        let space = Space::new(parameters.iter().map(|t| t.parse().unwrap()).collect()).unwrap();
        Definition::new(space, Direction::Minimize)
    }

    #[test]
    fn equal_definitions_have_no_differences_and_the_seed_does_not_count() {
        let stored = definition(&["x=float(0,1)"]);
        let mut given = stored.clone();
        given.seed = 2;
        assert_eq!(stored.differences(&given), []);
    }

    #[test]
    fn every_difference_is_listed() {
        let stored = definition(&["x=float(0,1)", "n=int(1,4)"]);
        let mut given = definition(&["x=float(0,2)", "m=bool"]);
        given.objectives[0].direction = Direction::Maximize;
        given.method = "sobol".into();
        let differences = stored.differences(&given);
        let texts: Vec<String> = differences.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), 5, "{texts:?}");
        let expected = "objectives: stored value:minimize, given value:maximize".to_owned();
        assert!(texts.contains(&expected), "{texts:?}");
    }

    #[test]
    fn names_follow_all_later_renames_and_no_earlier_ones() {
        let mut definition = definition(&["c=float(0,1)"]);
        let alias = |from: &str, to: &str, version| Alias {
            from: from.into(),
            to: to.into(),
            version,
        };
        definition.aliases = vec![alias("a", "b", 2), alias("b", "c", 3)];
        let named = |name: &str, version| {
            let params: Params = [(name.to_owned(), 1.0)].into_iter().collect();
            let renamed = definition.renamed(&params, version);
            renamed
                .iter()
                .map(|(name, _)| name.to_owned())
                .collect::<String>()
        };
        assert_eq!(
            [named("a", 1), named("b", 2), named("b", 3)],
            ["c", "c", "b"]
        );
    }

    #[test]
    fn what_was_not_measured_satisfies_no_constraint() {
        let mut definition = definition(&["x=float(0,1)"]);
        definition.outcome_constraints = vec!["1 <= memory <= 4".parse().unwrap()];
        let feasible = |v| definition.is_feasible(&Values::from([("memory".to_owned(), v)]));
        assert_eq!([4.0, 4.1, 0.9].map(feasible), [true, false, false]);
        assert!(!definition.is_feasible(&Values::new()));
    }
}
