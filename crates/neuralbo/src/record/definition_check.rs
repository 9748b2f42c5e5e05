//! What the objectives and outcome constraints of a definition must satisfy.

use super::{Definition, ObjectiveSpec, OutcomeConstraint, Pruner, Rule};
use crate::limits::{self, OBJECTIVES};

/// Why the objectives and outcome constraints of a study cannot be what they are given as.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// There is nothing to optimize.
    #[error("a study needs at least one objective")]
    NoObjective,
    /// There are more objectives than a hypervolume is computed for.
    #[error("a study can have at most {OBJECTIVES} objectives, found {count}: {names}")]
    TooManyObjectives {
        /// How many.
        count: usize,
        /// Their names.
        names: String,
    },
    /// A name cannot be one.
    #[error("{what} `{name}`: {reason}")]
    BadName {
        /// An objective or an outcome constraint.
        what: &'static str,
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A name is there twice.
    #[error("{what} `{name}` is given more than once{hint}")]
    Repeated {
        /// An objective or an outcome constraint.
        what: &'static str,
        /// Its name.
        name: String,
        /// What to write instead.
        hint: &'static str,
    },
    /// An outcome constraint that limits nothing, or that nothing satisfies.
    #[error("outcome constraint `{name}`: {reason}")]
    BadBounds {
        /// Its name.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// The reference value of an objective is not finite.
    #[error("the reference {name} = {value} is not allowed; it must be a finite number")]
    BadReference {
        /// The objective.
        name: String,
        /// What was given.
        value: f64,
    },
    /// A target for several objectives.
    #[error(
        "target {target} is not allowed: a target needs one objective, the study has {objectives}"
    )]
    TargetOfSeveral {
        /// What was given.
        target: f64,
        /// How many objectives there are.
        objectives: usize,
    },
    /// Trials are stopped early by the values of one objective.
    #[error(
        "pruner `{pruner}` is not allowed: pruning needs one objective, the study has {objectives}"
    )]
    PrunedSeveral {
        /// What was given.
        pruner: String,
        /// How many objectives there are.
        objectives: usize,
    },
    /// A part of the definition is larger than allowed.
    #[error("{what}: {reason}")]
    Limit {
        /// The part.
        what: &'static str,
        /// The limit, and what was found.
        reason: String,
    },
    /// A reference value for something else.
    #[error("the reference names `{name}`, which is no objective; objectives: {known}")]
    UnknownReference {
        /// What was given.
        name: String,
        /// The names of the objectives.
        known: String,
    },
}

impl Definition {
    /// The names of everything a trial must measure: the objectives in their order, then what outcome constraints limit. An
    /// objective may be limited, too; its name is there once.
    ///
    /// ```
    /// use neuralbo::record::{Definition, Direction};
    /// use neuralbo::space::Space;
    ///
    /// let mut definition = Definition::new(Space::from_bounds(&[(0.0, 1.0)])?, Direction::Minimize);
    /// definition.objectives = vec!["loss:minimize".parse()?, "latency:minimize".parse()?];
    /// definition.outcome_constraints = vec!["memory <= 4e9".parse()?, "latency <= 20".parse()?];
    /// assert_eq!(definition.measured(), ["loss", "latency", "memory"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn measured(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.objectives.iter().map(|o| o.name.as_str()).collect();
        for constraint in &self.outcome_constraints {
            if !names.contains(&constraint.name.as_str()) {
                names.push(&constraint.name);
            }
        }
        names
    }

    /// Whether there are several objectives, and with them a Pareto front instead of a best trial.
    pub fn is_multi_objective(&self) -> bool {
        self.objectives.len() > 1
    }

    /// Checks the objectives and outcome constraints; the error names the first one that is wrong.
    pub fn check(&self) -> Result<(), DefinitionError> {
        if self.objectives.is_empty() {
            return Err(DefinitionError::NoObjective);
        }
        if self.objectives.len() > OBJECTIVES {
            let (count, names) = (self.objectives.len(), self.objective_names());
            return Err(DefinitionError::TooManyObjectives { count, names });
        }
        let objectives = self.objectives.iter().map(|o| o.name.as_str());
        check_names("objective", objectives, "")?;
        let constraints = self.outcome_constraints.iter().map(|c| c.name.as_str());
        let hint = "; one with two bounds is written `1 <= NAME <= 2`";
        check_names("outcome constraint", constraints, hint)?;
        self.objectives.iter().try_for_each(check_reference)?;
        self.outcome_constraints.iter().try_for_each(check_bounds)?;
        self.check_limits()?;
        let stops = |pruner: &&Pruner| self.objectives.len() > 1 && pruner.rule != Rule::Never;
        match self.pruner.as_ref().filter(stops) {
            Some(pruner) => Err(DefinitionError::PrunedSeveral {
                pruner: pruner.to_string(),
                objectives: self.objectives.len(),
            }),
            None => Ok(()),
        }
    }

    fn check_limits(&self) -> Result<(), DefinitionError> {
        let limit = |what| move |reason| DefinitionError::Limit { what, reason };
        let count = |what, found, most| limits::check(what, found, most).map_err(limit("study"));
        count(
            "outcome constraints",
            self.outcome_constraints.len(),
            limits::OUTCOME_CONSTRAINTS,
        )?;
        count("options of the method", self.options.len(), limits::LISTED)?;
        count("renamed parameters", self.aliases.len(), limits::LISTED)?;
        limits::check_name(&self.method).map_err(limit("name of the method"))?;
        for option in &self.options {
            limits::check("bytes", option.len(), limits::MESSAGE).map_err(limit("option"))?;
        }
        let names = self
            .aliases
            .iter()
            .flat_map(|alias| [&alias.from, &alias.to]);
        for name in names {
            limits::check_name(name).map_err(limit("name of a renamed parameter"))?;
        }
        if !(1..=limits::ATTEMPTS).contains(&self.retries.attempts) {
            let (most, found) = (limits::ATTEMPTS, self.retries.attempts);
            let reason = format!("1 to {most} attempts are allowed, found {found}");
            return Err(limit("retries")(reason));
        }
        Ok(())
    }

    /// Sets reference values by the names of objectives.
    pub fn set_reference(
        &mut self,
        values: impl IntoIterator<Item = (String, f64)>,
    ) -> Result<(), DefinitionError> {
        for (name, value) in values {
            let known = self.objective_names();
            let objective = self.objectives.iter_mut().find(|o| o.name == name);
            let objective = objective.ok_or(DefinitionError::UnknownReference { name, known })?;
            objective.reference = Some(value);
        }
        self.objectives.iter().try_for_each(check_reference)
    }

    fn objective_names(&self) -> String {
        let names = self.objectives.iter().map(|o| format!("`{}`", o.name));
        names.collect::<Vec<_>>().join(", ")
    }
}

fn check_names<'a>(
    what: &'static str,
    names: impl Iterator<Item = &'a str>,
    hint: &'static str,
) -> Result<(), DefinitionError> {
    let mut seen = Vec::new();
    for name in names {
        let bad = |reason| DefinitionError::BadName {
            what,
            name: name.to_owned(),
            reason,
        };
        let faults = [
            (name.trim().is_empty(), "the name is empty"),
            (
                name.contains(char::is_control),
                "the name has a control character",
            ),
            // In what programs print, `step` makes a line an intermediate value.
            (
                name == "step",
                "the name is taken by the steps of intermediate values",
            ),
        ];
        if let Some((_, reason)) = faults.into_iter().find(|(is_so, _)| *is_so) {
            return Err(bad(reason));
        }
        limits::check_name(name).map_err(|reason| DefinitionError::Limit { what, reason })?;
        if seen.contains(&name) {
            return Err(DefinitionError::Repeated {
                what,
                name: name.to_owned(),
                hint,
            });
        }
        seen.push(name);
    }
    Ok(())
}

fn check_reference(objective: &ObjectiveSpec) -> Result<(), DefinitionError> {
    match objective.reference.filter(|value| !value.is_finite()) {
        Some(value) => Err(DefinitionError::BadReference {
            name: objective.name.clone(),
            value,
        }),
        None => Ok(()),
    }
}

fn check_bounds(constraint: &OutcomeConstraint) -> Result<(), DefinitionError> {
    let bad = |reason: String| {
        Err(DefinitionError::BadBounds {
            name: constraint.name.clone(),
            reason,
        })
    };
    let bounds = [constraint.at_least, constraint.at_most];
    if let Some(bound) = bounds.iter().flatten().find(|bound| !bound.is_finite()) {
        return bad(format!("its bound {bound} is not a finite number"));
    }
    match bounds {
        [None, None] => bad("it has no bound".to_owned()),
        [Some(least), Some(most)] if least > most => {
            bad(format!("no value is at least {least} and at most {most}"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Direction;
    use crate::space::Space;

    fn definition(objectives: &[&str], constraints: &[&str]) -> Definition {
        let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        let mut definition = Definition::new(space, Direction::Minimize);
        definition.objectives = objectives.iter().map(|t| t.parse().unwrap()).collect();
        definition.outcome_constraints = constraints.iter().map(|t| t.parse().unwrap()).collect();
        definition
    }

    fn error(definition: &Definition) -> String {
        definition.check().unwrap_err().to_string()
    }

    #[test]
    fn an_objective_may_be_limited_too() {
        let both = definition(&["a:minimize", "b:maximize"], &["b >= 1", "c <= 2"]);
        assert_eq!(both.check(), Ok(()));
        assert_eq!(both.measured(), ["a", "b", "c"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let five = ["a", "b", "c", "d", "e"].map(|name| format!("{name}:minimize"));
        let five = five.each_ref().map(String::as_str);
        let many = "a study can have at most 4 objectives, found 5: `a`, `b`, `c`, `d`, `e`";
        let twice = "outcome constraint `m` is given more than once; one with two bounds is \
                     written `1 <= NAME <= 2`";
        let taken = "objective `step`: the name is taken by the steps of intermediate values";
        let cases: [(&[&str], &[&str], &str); 5] = [
            (&[], &[], "a study needs at least one objective"),
            (&five, &[], many),
            (
                &["a:minimize", "a:maximize"],
                &[],
                "objective `a` is given more than once",
            ),
            (&["a:minimize"], &["m <= 2", "m >= 1"], twice),
            (&["step:minimize"], &[], taken),
        ];
        for (objectives, constraints, expected) in cases {
            assert_eq!(error(&definition(objectives, constraints)), expected);
        }
        let mut wrong = definition(&["a:minimize"], &["m <= 2"]);
        wrong.outcome_constraints[0].at_least = Some(3.0);
        let empty = "outcome constraint `m`: no value is at least 3 and at most 2";
        assert_eq!(error(&wrong), empty);
        (
            wrong.outcome_constraints[0].at_least,
            wrong.outcome_constraints[0].at_most,
        ) = (None, None);
        assert_eq!(error(&wrong), "outcome constraint `m`: it has no bound");
    }

    #[test]
    fn references_are_for_objectives() {
        let mut both = definition(&["a:minimize", "b:maximize"], &["m <= 2"]);
        both.set_reference([("b".to_owned(), 3.0)]).unwrap();
        let references: Vec<Option<f64>> = both.objectives.iter().map(|o| o.reference).collect();
        assert_eq!(references, [None, Some(3.0)]);
        let unknown = both.set_reference([("m".to_owned(), 1.0)]).unwrap_err();
        let expected = "the reference names `m`, which is no objective; objectives: `a`, `b`";
        assert_eq!(unknown.to_string(), expected);
        assert!(both.set_reference([("a".to_owned(), f64::NAN)]).is_err());
    }
}
