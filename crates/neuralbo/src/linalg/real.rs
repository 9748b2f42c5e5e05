//! The two floating-point types a network may be computed in.

use super::FastMath;
use num_traits::Float;

/// `f32` (fast: training, acquisition) or `f64` (exact: solves, tests).
pub trait Real:
    faer::traits::RealField + Float + FastMath + std::iter::Sum + Send + Sync + Default + 'static
{
    /// Rounds from double precision.
    fn from_f64(x: f64) -> Self;
    /// Widens to double precision.
    fn widen(self) -> f64;
}

impl Real for f32 {
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    fn widen(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    fn from_f64(x: f64) -> Self {
        x
    }
    fn widen(self) -> f64 {
        self
    }
}
