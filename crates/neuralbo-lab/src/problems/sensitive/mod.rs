//! Sensitive samples: images that give away a tampered classifier.
//!
//! A classifier of handwritten digits is offered as a service; its owner wants to know whether somebody changed it. An image whose
//! output reacts strongly to the parameters is likely to be labelled otherwise by a changed copy. Finding one is the problem: the
//! search is over 7 × 7 images, enlarged to 28 × 28, and the value is the norm of the output's derivative by the parameters. How
//! good a set of found images is says the share of tampered copies it detects.
//!
//! | problem | value |
//! | --- | --- |
//! | `sensitive-49` | [`Sensitivity::Jacobian`]: the paper's text |
//! | `sensitive-49@scalar` | [`Sensitivity::LargestOutput`]: the authors' code |
//!
//! The classifier is trained here, from the real MNIST files, in seconds; nothing of it is stored.

mod classifier;
mod detection;
mod idx;
mod images;
mod resize;
mod sensitivity;
mod tamper;
mod train;

pub use classifier::Classifier;
pub use detection::Detections;
pub use idx::{DigitSet, Digits};
pub use images::images_svg;
pub use resize::upscale;
pub use sensitivity::Sensitivity;
pub use tamper::{MODELS, Tampering, WEIGHT_NOISE};

use std::path::Path;

use neuralbo::record::Direction;

use super::{BuildProblem, Dims, ProblemEntry, ProblemError, ProblemRequest};
use crate::Problem;
use crate::data::{self, DataError};

pub(super) const ENTRY: ProblemEntry = ProblemEntry {
    name: "sensitive",
    about: "sensitive samples of a digit classifier, 49 coordinates, maximized; needs the MNIST files",
    dims: Dims::Fixed(COARSE_SIDE * COARSE_SIDE),
    build: BuildProblem::Requested(requested),
};

/// Rows and columns of an image.
const SIDE: usize = 28;
const PIXELS: usize = SIDE * SIDE;
const LABELS: usize = 10;
/// Rows and columns of the image that is searched for.
const COARSE_SIDE: usize = 7;
/// Mean and standard deviation of the training pixels (0 to 1).
const MEAN: f64 = 0.1307;
const SD: f64 = 0.3081;
/// Normalized black and white, to the digits published.
const LOWEST: f64 = -0.42421;
const HIGHEST: f64 = 2.8215;

fn normalize(pixel: f64) -> f64 {
    (pixel - MEAN) / SD
}

/// The problem of finding a sensitive image; the norm is maximized.
#[derive(Clone, Debug, PartialEq)]
pub struct SensitiveSamples {
    classifier: Classifier,
    sensitivity: Sensitivity,
}

impl SensitiveSamples {
    /// The problem for a classifier at hand.
    pub fn new(classifier: Classifier, sensitivity: Sensitivity) -> Self {
        Self {
            classifier,
            sensitivity,
        }
    }

    /// The text's problem for [`Classifier::protected`].
    pub fn trained(data: &Path) -> Result<Self, DataError> {
        let classifier = Classifier::protected(&Digits::read(data, DigitSet::Train)?);
        Ok(Self::new(classifier, Sensitivity::Jacobian))
    }
}

impl Problem for SensitiveSamples {
    fn name(&self) -> String {
        match self.sensitivity {
            Sensitivity::Jacobian => "sensitive-49".into(),
            Sensitivity::LargestOutput => "sensitive-49@scalar".into(),
        }
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(LOWEST, HIGHEST); COARSE_SIDE * COARSE_SIDE]
    }

    fn direction(&self) -> Direction {
        Direction::Maximize
    }

    /// The norm for the enlarged image; NaN if `x` does not have 49 coordinates.
    fn value(&self, x: &[f64]) -> f64 {
        upscale(x).map_or(f64::NAN, |image| {
            self.sensitivity.norm(&self.classifier, &image)
        })
    }
}

fn requested(request: &ProblemRequest) -> Result<Box<dyn Problem>, ProblemError> {
    let data = data::directory(request.data.as_deref())?;
    Ok(Box::new(SensitiveSamples::trained(&data)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_the_norm_at_the_enlarged_image() {
        let classifier = Classifier::random(6);
        for sensitivity in [Sensitivity::Jacobian, Sensitivity::LargestOutput] {
            let problem = SensitiveSamples::new(classifier.clone(), sensitivity);
            let found = problem.value(&[0.7; 49]);
            assert_eq!(found, sensitivity.norm(&classifier, &[0.7; 784]));
        }
    }

    #[test]
    fn points_of_another_dimension_have_no_value() {
        let problem = SensitiveSamples::new(Classifier::random(6), Sensitivity::Jacobian);
        assert!(problem.value(&[0.0; 784]).is_nan());
    }

    #[test]
    fn the_box_is_black_to_white() {
        assert!((normalize(0.0) - LOWEST).abs() < 5e-6 && (normalize(1.0) - HIGHEST).abs() < 5e-5);
    }
}
