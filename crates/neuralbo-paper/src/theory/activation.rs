//! What the tangent kernel needs to know of an activation.

use neuralbo::net::Activation;

/// An activation φ of one number.
///
/// ```
/// use neuralbo_paper::theory::ScalarActivation;
///
/// struct Square;
/// impl ScalarActivation for Square {
///     fn phi(&self, z: f64) -> f64 {
///         z * z
///     }
///     fn phi_prime(&self, z: f64) -> f64 {
///         2.0 * z
///     }
/// }
/// assert!(Square.closed_form().is_none());
/// ```
pub trait ScalarActivation {
    /// φ(z).
    fn phi(&self, z: f64) -> f64;

    /// φ′(z).
    fn phi_prime(&self, z: f64) -> f64;

    /// The known Gaussian moments of φ; `None` asks for quadrature.
    fn closed_form(&self) -> Option<ClosedForm> {
        None
    }
}

/// Activations whose Gaussian moments are elementary functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosedForm {
    /// `max(z, 0)`.
    Relu,
    /// `erf z`.
    Erf,
    /// `sin z`.
    Sine,
}

/// The activations of our networks.
impl ScalarActivation for Activation {
    fn phi(&self, z: f64) -> f64 {
        self.evaluate(z)[0]
    }

    fn phi_prime(&self, z: f64) -> f64 {
        self.evaluate(z)[1]
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        match self {
            Self::Relu => Some(ClosedForm::Relu),
            Self::Gelu | Self::Tanh => None,
        }
    }
}
