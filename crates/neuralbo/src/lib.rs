//! Black-box optimization with an over-parameterized neural network, its tangent features and Thompson sampling.

pub mod acquisition;
pub mod linalg;
pub mod net;
pub mod space;
pub mod strategy;
pub mod study;
pub mod surrogate;
pub mod theory;
