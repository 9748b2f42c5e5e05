//! The 24 noiseless BBOB functions of the COCO platform, any instance, any dimension from 2.
//!
//! Definitions: Hansen, Finck, Ros, Auger, "Real-parameter black-box optimization benchmarking 2009: noiseless functions
//! definitions" (INRIA RR-6829). Values agree with COCO's, whose random numbers are part of the definition.

mod functions;
mod random;
pub mod score;
mod setup;

use super::{BuildProblem, Dims, ProblemEntry, ProblemError, ProblemRequest};
use crate::{Optimum, Problem};
use functions::landscape;
use setup::{BbobSetup, Landscape};

pub(super) const ENTRY: ProblemEntry = ProblemEntry {
    name: "bbob",
    about: "COCO's 24 functions: --function 1-24 --instance N --dim D",
    dims: Dims::AtLeast(2),
    build: BuildProblem::Requested(requested),
};

/// How the BBOB functions are named.
pub(super) const NAME_PATTERN: &str = "bbob-f<function>-i<instance>-d<dim>";
/// The box is [−5, 5]^D.
const HALF_WIDTH: f64 = 5.0;

/// One BBOB function in one instance and dimension.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::bbob::Bbob;
///
/// let sphere = Bbob::new(1, 1, 2)?;
/// assert_eq!(sphere.name(), "bbob-f01-i01-d02");
/// assert_eq!(sphere.optimal_value(), 79.48);
/// # Ok::<(), neuralbo_lab::problems::bbob::BbobError>(())
/// ```
pub struct Bbob {
    function: u32,
    instance: u32,
    dim: usize,
    f_opt: f64,
    landscape: Landscape,
}

/// Why there is no such BBOB function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BbobError {
    /// No such function.
    #[error("function = {0} is not a BBOB function; allowed are 1 to {last}", last = Bbob::FUNCTIONS)]
    Function(u32),
    /// The instance's random numbers are not defined.
    #[error("instance = {0} is not a BBOB instance; allowed are 1 to {last}", last = Bbob::MAX_INSTANCE)]
    Instance(u32),
    /// Functions with chains of coordinates need two.
    #[error("dim = {0} is too small for BBOB, whose dim must be at least 2")]
    Dim(usize),
}

impl Bbob {
    /// How many functions there are.
    pub const FUNCTIONS: u32 = 24;
    /// Up to here every seed is below the modulus of the generator.
    pub const MAX_INSTANCE: u32 = 200_000;

    /// Function 1–24 in the given instance (from 1) and dimension (from 2); everything random is drawn here.
    pub fn new(function: u32, instance: u32, dim: usize) -> Result<Self, BbobError> {
        if !(1..=Self::MAX_INSTANCE).contains(&instance) {
            return Err(BbobError::Instance(instance));
        }
        if dim < 2 {
            return Err(BbobError::Dim(dim));
        }
        let setup = BbobSetup::new(function, instance, dim);
        let landscape = landscape(function, &setup).ok_or(BbobError::Function(function))?;
        Ok(Self {
            function,
            instance,
            dim,
            f_opt: setup.f_opt(),
            landscape,
        })
    }

    /// The number of the function, 1–24.
    pub fn function(&self) -> u32 {
        self.function
    }

    /// The best value, f_opt.
    pub fn optimal_value(&self) -> f64 {
        self.f_opt
    }

    /// f(x) − f_opt without the rounding error of adding f_opt first.
    pub fn gap(&self, x: &[f64]) -> f64 {
        // The penalties and maxima would swallow a NaN.
        if x.iter().any(|v| v.is_nan()) {
            f64::NAN
        } else {
            self.landscape.excess(x)
        }
    }
}

fn requested(request: &ProblemRequest) -> Result<Box<dyn Problem>, ProblemError> {
    let dim = request.dim.ok_or(ProblemError::NoDim("bbob"))?;
    let problem = Bbob::new(request.function, request.instance, dim)?;
    Ok(Box::new(problem))
}

/// Function, instance and dimension of `bbob-f07-i03-d05`.
pub(super) fn parse_name(name: &str) -> Option<(u32, u32, Option<usize>)> {
    let mut parts = name.strip_prefix("bbob-")?.split('-');
    let function = parts.next()?.strip_prefix('f')?.parse().ok()?;
    let instance = parts.next()?.strip_prefix('i')?.parse().ok()?;
    let dim = parts
        .next()
        .map(|part| part.strip_prefix('d')?.parse().ok());
    match (dim, parts.next()) {
        (None, None) => Some((function, instance, None)),
        (Some(Some(dim)), None) => Some((function, instance, Some(dim))),
        _ => None,
    }
}

impl Problem for Bbob {
    fn name(&self) -> String {
        format!(
            "bbob-f{:02}-i{:02}-d{:02}",
            self.function, self.instance, self.dim
        )
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(-HALF_WIDTH, HALF_WIDTH); self.dim]
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.gap(x) + self.f_opt
    }

    fn optimum(&self) -> Option<Optimum> {
        Some(Optimum {
            at: self.landscape.x_opt.clone(),
            value: self.f_opt,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::conformance;

    #[test]
    fn every_function_proves_its_optimum() {
        for function in 1..=Bbob::FUNCTIONS {
            for (instance, dim) in [(1, 2), (7, 5), (104, 12)] {
                conformance::check(&Bbob::new(function, instance, dim).unwrap());
            }
        }
    }

    #[test]
    fn what_does_not_exist_is_refused_with_what_does() {
        let refusal = |function, instance, dim| {
            let problem = Bbob::new(function, instance, dim);
            problem.err().unwrap().to_string()
        };
        assert!(refusal(0, 1, 2).contains("1 to 24"));
        assert!(refusal(25, 1, 2).contains("function = 25"));
        assert!(refusal(1, 0, 2).contains("instance = 0"));
        assert!(refusal(1, 200_001, 2).contains("1 to 200000"));
        assert!(refusal(1, 1, 1).contains("at least 2"));
    }

    #[test]
    fn not_a_number_stays_not_a_number() {
        for function in 1..=Bbob::FUNCTIONS {
            let problem = Bbob::new(function, 1, 3).unwrap();
            assert!(problem.value(&[0.0, f64::NAN, 1.0]).is_nan(), "f{function}");
        }
    }

    #[test]
    fn the_largest_instance_can_be_built() {
        for function in 1..=Bbob::FUNCTIONS {
            let problem = Bbob::new(function, Bbob::MAX_INSTANCE, 2).unwrap();
            assert!(problem.value(&[0.5, -0.5]).is_finite());
        }
    }
}
