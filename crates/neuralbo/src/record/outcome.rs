//! What an objective answers, and what is stored of it.

use serde::{Deserialize, Serialize};

use super::{Attributes, Definition, Failure, FailureKind, State, Values};
use crate::space::Params;

/// How an evaluation ended.
///
/// ```
/// use neuralbo::record::Outcome;
///
/// assert_eq!(Outcome::from(0.5), Outcome::Value(0.5));
/// let failed: Outcome = Err::<f64, _>("no licence left").into();
/// assert!(matches!(failed, Outcome::Failed(failure) if failure.message == "no licence left"));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The value of the only objective; NaN and infinities are failures of kind `nonfinite`.
    Value(f64),
    /// The values of all objectives and of what the outcome constraints measure.
    Values(Values),
    /// No value.
    Failed(Failure),
    /// Stopped early, with the last values reported and their step.
    Pruned(Option<i64>, Values),
    /// Cut short from outside: it says nothing about the point, and the trial waits for another worker.
    Interrupted,
    /// The evaluation could not begin for a reason that lies with the machine and not with the point: no memory, no processes. The
    /// trial waits for another worker, and several in a row end the run.
    NotStarted(String),
}

impl From<f64> for Outcome {
    fn from(value: f64) -> Self {
        Self::Value(value)
    }
}

impl From<Values> for Outcome {
    fn from(values: Values) -> Self {
        Self::Values(values)
    }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl<T: Into<Outcome>, E: std::fmt::Display> From<Result<T, E>> for Outcome {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(value) => value.into(),
            Err(error) => Self::Failed(Failure::new(FailureKind::Error, error.to_string())),
        }
    }
}

/// The end of a trial as it is stored; made by [`Definition::ending`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// Complete, failed or pruned.
    pub state: State,
    /// What was measured.
    pub values: Values,
    /// The first objective's value, by which the best trial is found.
    pub value: Option<f64>,
    /// Whether all outcome constraints hold.
    pub feasible: bool,
    /// The parameters that were used, where they became known only while the trial ran.
    pub params: Option<Params>,
    /// Attributes to be stored with it.
    pub attributes: Attributes,
}

impl Definition {
    /// What is stored of an outcome; `None` of one that says nothing about the trial.
    ///
    /// Every objective and outcome constraint must have a finite value, otherwise the trial has failed and the failure names the
    /// one that is missing or not finite.
    ///
    /// ```
    /// use neuralbo::record::{Definition, Direction, Outcome, State};
    /// use neuralbo::space::Space;
    ///
    /// let definition = Definition::new(Space::from_bounds(&[(0.0, 1.0)])?, Direction::Minimize);
    /// let ending = definition.ending(Outcome::Value(0.5)).ok_or("interrupted")?;
    /// assert_eq!((ending.state, ending.value), (State::Complete, Some(0.5)));
    /// let ending = definition.ending(Outcome::Value(f64::NAN)).ok_or("interrupted")?;
    /// assert_eq!(ending.state.name(), "failed");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ending(&self, outcome: Outcome) -> Option<Ending> {
        let (state, values) = match outcome {
            Outcome::Interrupted | Outcome::NotStarted(_) => return None,
            Outcome::Failed(failure) if failure.kind == FailureKind::Interrupted => return None,
            Outcome::Failed(failure) => {
                let failure = failure.storable();
                (State::Failed { failure }, Values::new())
            }
            Outcome::Value(value) => {
                let values = [(self.objective().to_owned(), value)];
                (State::Complete, values.into())
            }
            Outcome::Values(values) => (State::Complete, values),
            Outcome::Pruned(step, values) => (State::Pruned { step }, values),
        };
        Some(match self.fault(&state, &values) {
            None => self.ended(state, values),
            Some(failure) => self.ended(State::Failed { failure }, Values::new()),
        })
    }

    fn ended(&self, state: State, values: Values) -> Ending {
        let feasible = self.is_feasible(&values);
        let value = values.get(self.objective()).copied();
        Ending {
            state,
            values,
            value,
            feasible,
            params: None,
            attributes: Attributes::new(),
        }
    }

    /// Why values cannot be stored as they are. A pruned trial may have stopped before everything was measured.
    fn fault(&self, state: &State, values: &Values) -> Option<Failure> {
        if matches!(state, State::Failed { .. }) {
            return None;
        }
        if let Some((name, value)) = values.iter().find(|(_, value)| !value.is_finite()) {
            return Some(Failure::nonfinite(name, *value));
        }
        let wanted = self.measured();
        let missing = wanted.iter().find(|name| !values.contains_key(**name));
        missing.filter(|_| *state == State::Complete).map(|name| {
            let found: Vec<&str> = values.keys().map(String::as_str).collect();
            let found = match found.is_empty() {
                true => "nothing".to_owned(),
                false => found.join(", "),
            };
            Failure::new(
                FailureKind::Parse,
                format!("no value for `{name}`; found: {found}"),
            )
        })
    }
}
