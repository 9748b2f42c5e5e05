//! The methods by the names that every front end offers.
//!
//! A new method is a [`Method`] in the file of its family and one entry of [`METHODS`]. The paper's own methods are in the crate
//! `neuralbo-paper`, which adds them to a [`Registry`].

mod gp;
pub(crate) mod neuralbo;
pub mod parts;
mod plain;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::{Goals, Setup, Strategy};
use crate::linalg::Streams;
use crate::space::Space;

pub use super::options::Options;
pub use crate::record::DEFAULT_METHOD;

/// Why a method could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MethodError {
    /// No method has this name.
    #[error("method `{name}` is unknown; known methods: {known}")]
    UnknownMethod {
        /// What was asked for.
        name: String,
        /// All names, separated by commas.
        known: String,
    },
    /// The method has no such option.
    #[error("method `{method}` has no option `{key}`; {allowed}")]
    UnknownOption {
        /// The method.
        method: &'static str,
        /// What was given.
        key: String,
        /// Which options it has.
        allowed: String,
    },
    /// An option's value is out of bounds.
    #[error("option {key} = `{value}` is not allowed; it must be {allowed}")]
    BadOption {
        /// The option.
        key: String,
        /// What was given.
        value: String,
        /// What may be given.
        allowed: String,
    },
    /// A text is not of the form `key=value`.
    #[error("option `{0}` must be written key=value")]
    NoPair(String),
    /// An option is given twice.
    #[error("option `{0}` is given more than once")]
    RepeatedOption(String),
    /// Options that are allowed each for itself but not together.
    #[error("the options of method `{method}` cannot be combined: {reason}")]
    Conflict {
        /// The method.
        method: &'static str,
        /// What is in the way.
        reason: String,
    },
    /// A method of this name exists already.
    #[error("method `{0}` exists already; choose another name")]
    NameTaken(&'static str),
    /// The method cannot do what the study wants.
    #[error("method `{method}` does not support {what}; methods that do: {able}")]
    Unsupported {
        /// The method.
        method: &'static str,
        /// What it was asked for.
        what: String,
        /// Those that support it, separated by commas.
        able: String,
    },
    /// The method cannot search this space.
    #[error("method `{method}` cannot search this space: {reason}")]
    Unsuitable {
        /// The method.
        method: &'static str,
        /// What it needs.
        reason: String,
    },
}

/// An option of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionInfo {
    /// Its name.
    pub key: &'static str,
    /// What it does and what may be given, in one line.
    pub help: &'static str,
}

/// Makes the strategy of a method for a study and options whose names are known to it.
pub type BuildMethod = fn(&Setup, &Options) -> Built;

/// The strategy of a method, or why it could not be made.
pub type Built = Result<Box<dyn Strategy>, MethodError>;

/// A method that front ends can name.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Its options.
    pub options: &'static [OptionInfo],
    /// Whether it can choose points for several objectives.
    pub objectives: bool,
    /// Whether it can choose points under outcome constraints.
    pub outcome_constraints: bool,
    /// Makes its strategy for a study and checked names of options.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub build: BuildMethod,
}

/// All methods of this crate, the default first.
pub const METHODS: &[Method] = &[
    neuralbo::NEURALBO,
    gp::GP_UCB,
    gp::GP_TS,
    gp::GP_EI,
    plain::RANDOM,
    plain::SOBOL,
    plain::CMA_ES,
    plain::NSGA2,
];

/// The strategy of the method called `method`.
///
/// ```
/// use neuralbo::space::Space;
/// use neuralbo::strategy::presets::{Options, build};
///
/// let space = Space::new(vec!["x=float(0,1)".parse()?])?;
/// assert!(build("random", &space, 7, &Options::new()).is_ok());
/// assert!(build("magic", &space, 7, &Options::new()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build(method: &str, space: &Space, seed: u64, options: &Options) -> Built {
    find(METHODS, method)?.strategy(space, seed, options)
}

fn find<'a>(methods: &'a [Method], name: &str) -> Result<&'a Method, MethodError> {
    let known = || methods.iter().map(|m| m.name).collect::<Vec<_>>();
    let unknown = || MethodError::UnknownMethod {
        name: name.to_owned(),
        known: known().join(", "),
    };
    methods.iter().find(|m| m.name == name).ok_or_else(unknown)
}

impl Method {
    /// Its strategy for one objective.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn strategy(&self, space: &Space, seed: u64, options: &Options) -> Built {
        let setup = Setup::new(Arc::new(space.clone()), Streams::new(seed));
        self.strategy_for(&setup, options)
    }

    /// Its strategy for a study of any number of objectives and outcome constraints that it supports.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn strategy_for(&self, setup: &Setup, options: &Options) -> Built {
        self.check_keys(options)?;
        (self.build)(setup, options)
    }

    /// Whether it can choose points for these goals.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn supports(&self, goals: &Goals) -> bool {
        (self.objectives || goals.objectives == 1)
            && (self.outcome_constraints || goals.slacks == 0)
    }

    fn check_keys(&self, options: &Options) -> Result<(), MethodError> {
        let known = |key: &&str| self.options.iter().any(|option| option.key == *key);
        match options.keys().find(|key| !known(key)) {
            None => Ok(()),
            Some(key) => Err(MethodError::UnknownOption {
                method: self.name,
                key: key.to_owned(),
                allowed: self.allowed_keys(),
            }),
        }
    }

    fn allowed_keys(&self) -> String {
        match self.options {
            [] => "it has none".to_owned(),
            options => format!(
                "its options: {}",
                options.iter().map(|o| o.key).collect::<Vec<_>>().join(", ")
            ),
        }
    }
}

/// Methods by name: those of this crate, and any that a program adds.
///
/// ```
/// use neuralbo::space::Space;
/// use neuralbo::strategy::RandomSearch;
/// use neuralbo::strategy::presets::{Method, Options, Registry};
///
/// const MINE: Method = Method {
///     name: "mine",
///     summary: "random search under another name",
///     options: &[],
///     objectives: true,
///     outcome_constraints: true,
///     build: |setup, _| Ok(Box::new(RandomSearch::new(setup.clone()))),
/// };
/// let registry = Registry::standard().with(MINE)?;
/// assert!(registry.build("mine", &Space::from_bounds(&[(0.0, 1.0)])?, 7, &Options::new()).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Registry(Vec<Method>);

impl Default for Registry {
    fn default() -> Self {
        Self::standard()
    }
}

impl Registry {
    /// All methods of this crate.
    pub fn standard() -> Self {
        Self::of(METHODS.iter().copied())
    }

    /// These methods, in this order; of two with the same name the first is found.
    pub fn of(methods: impl IntoIterator<Item = Method>) -> Self {
        Self(methods.into_iter().collect())
    }

    /// The registry with one more method; the error is a name that is taken.
    pub fn with(mut self, method: Method) -> Result<Self, MethodError> {
        if find(&self.0, method.name).is_ok() {
            return Err(MethodError::NameTaken(method.name));
        }
        self.0.push(method);
        Ok(self)
    }

    /// All methods, the default first.
    pub fn methods(&self) -> &[Method] {
        &self.0
    }

    /// The method of this name.
    pub fn find(&self, name: &str) -> Result<&Method, MethodError> {
        find(&self.0, name)
    }

    /// The strategy of the method of this name.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn build(&self, method: &str, space: &Space, seed: u64, options: &Options) -> Built {
        self.find(method)?.strategy(space, seed, options)
    }

    /// The strategy of the method of this name for a study; the error of a method that cannot reach its goals names those that can.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn build_for(&self, method: &str, setup: &Setup, options: &Options) -> Built {
        let (method, goals) = (self.find(method)?, &setup.goals);
        if method.supports(goals) {
            return method.strategy_for(setup, options);
        }
        let mut what = Vec::new();
        if !method.objectives && goals.objectives > 1 {
            what.push(format!("{} objectives", goals.objectives));
        }
        if !method.outcome_constraints && goals.slacks > 0 {
            what.push("outcome constraints".to_owned());
        }
        let able = self.0.iter().filter(|method| method.supports(goals));
        let able: Vec<&str> = able.map(|method| method.name).collect();
        Err(MethodError::Unsupported {
            method: method.name,
            what: what.join(" and "),
            able: able.join(", "),
        })
    }
}
