//! The methods that a program knows, its own among them.

use super::{METHODS, Method, MethodError, Options, find};
use crate::space::Space;
use crate::strategy::{Setup, Strategy};

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
///     outcomes: true,
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
    pub fn build(
        &self,
        method: &str,
        space: &Space,
        seed: u64,
        options: &Options,
    ) -> Result<Box<dyn Strategy>, MethodError> {
        self.find(method)?.strategy(space, seed, options)
    }

    /// The strategy of the method of this name for a study; the error of a method that cannot reach its goals names those that can.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn build_for(
        &self,
        method: &str,
        setup: &Setup,
        options: &Options,
    ) -> Result<Box<dyn Strategy>, MethodError> {
        let (method, goals) = (self.find(method)?, &setup.goals);
        if method.supports(goals) {
            return method.strategy_for(setup, options);
        }
        let lacking = [
            (
                !method.objectives && goals.objectives > 1,
                format!("{} objectives", goals.objectives),
            ),
            (
                !method.outcomes && goals.slacks > 0,
                "outcome constraints".to_owned(),
            ),
        ];
        let what: Vec<String> = lacking
            .into_iter()
            .filter(|(lacks, _)| *lacks)
            .map(|(_, what)| what)
            .collect();
        let able: Vec<&str> = self
            .0
            .iter()
            .filter(|method| method.supports(goals))
            .map(|method| method.name)
            .collect();
        Err(MethodError::Unsupported {
            method: method.name,
            what: what.join(" and "),
            able: able.join(", "),
        })
    }
}
