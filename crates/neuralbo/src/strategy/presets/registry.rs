//! The methods that a program knows, its own among them.

use super::{METHODS, Method, MethodError, Options, find};
use crate::space::Space;
use crate::strategy::Strategy;

/// Methods by name: those of this crate, and any that a program adds.
///
/// ```
/// use neuralbo::space::Space;
/// use neuralbo::strategy::presets::{self, Method, Options, Registry};
///
/// const MINE: Method = Method {
///     name: "mine",
///     summary: "random search under another name",
///     options: &[],
///     several: true,
///     build: |space, seed, _| presets::build("random", space, seed, &Options::new()),
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
        Self(METHODS.to_vec())
    }

    /// The same with one more method; the error is a name that is taken.
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
    pub fn build(&self, method: &str, space: &Space, seed: u64, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
        self.find(method)?.strategy(space, seed, options)
    }

    /// The error of a method that was asked for what only some can do.
    pub(crate) fn one_objective(&self, method: &'static str, what: String) -> MethodError {
        let able: Vec<&str> = self.0.iter().filter(|method| method.several).map(|method| method.name).collect();
        MethodError::OneObjective { method, what, able: able.join(", ") }
    }
}
