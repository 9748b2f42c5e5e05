//! Sensitive samples: images that give away a tampered classifier.
//!
//! A classifier of handwritten digits is offered as a service; its owner wants to know whether somebody changed it. An image whose
//! output reacts strongly to the parameters is likely to be labelled otherwise by a changed copy. Finding one is the problem: the
//! search is over 7 × 7 images, enlarged to 28 × 28, and the value is the norm of the output's derivative by the parameters. How
//! good a set of found images is says the share of tampered copies it detects.
//!
//! | problem | value | where |
//! | --- | --- | --- |
//! | `sensitive-49` | [`Sensitivity::Jacobian`]: the paper's text | all images |
//! | `sensitive-49@scalar` | [`Sensitivity::LargestOutput`]: the authors' code | all images |
//! | `sensitive-49@probability` | [`Sensitivity::Probabilities`] | all images |
//! | `sensitive-49@digit` | [`Sensitivity::LargestOutput`] | images near a real digit, as in the code of the authors' later paper |
//!
//! The classifier is trained here, from the real MNIST files, in seconds; nothing of it is stored.

mod classifier;
mod idx;
mod images;
mod sensitivity;
mod tamper;
mod train;

pub use classifier::Classifier;
pub use idx::Digits;
pub use images::{downscale, images_svg, upscale};
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
/// How far below and above a digit the images near it reach.
const NEAR: (f64, f64) = (0.2, 0.7);

fn normalize(pixel: f64) -> f64 {
    (pixel - MEAN) / SD
}

/// The problem of finding a sensitive image; the norm is maximized.
#[derive(Clone, Debug, PartialEq)]
pub struct SensitiveSamples {
    classifier: Classifier,
    sensitivity: Sensitivity,
    /// The 7 × 7 digit that the images are near.
    digit: Option<Vec<f64>>,
}

impl SensitiveSamples {
    /// The problem for a classifier at hand.
    pub fn new(classifier: Classifier, sensitivity: Sensitivity) -> Self {
        Self {
            classifier,
            sensitivity,
            digit: None,
        }
    }

    /// The problem of the released objective among images that differ from a 7 × 7 digit by −0.2 to 0.7 in every pixel; `None` if it
    /// does not have 49 pixels.
    pub fn near(classifier: Classifier, digit: Vec<f64>) -> Option<Self> {
        let problem = Self {
            classifier,
            sensitivity: Sensitivity::LargestOutput,
            digit: Some(digit),
        };
        (problem.bounds().len() == COARSE_SIDE * COARSE_SIDE).then_some(problem)
    }

    /// The text's problem for [`Classifier::protected`].
    pub fn trained(data: &Path) -> Result<Self, DataError> {
        let classifier = Classifier::protected(&Digits::train(data)?);
        Ok(Self::new(classifier, Sensitivity::Jacobian))
    }
}

impl Problem for SensitiveSamples {
    fn name(&self) -> String {
        match (&self.digit, self.sensitivity) {
            (Some(_), _) => "sensitive-49@digit",
            (None, Sensitivity::Jacobian) => "sensitive-49",
            (None, Sensitivity::LargestOutput) => "sensitive-49@scalar",
            (None, Sensitivity::Probabilities) => "sensitive-49@probability",
        }
        .into()
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        let near = |pixel: &f64| ((pixel - NEAR.0).max(LOWEST), (pixel + NEAR.1).min(HIGHEST));
        match &self.digit {
            Some(digit) => digit.iter().map(near).collect(),
            None => vec![(LOWEST, HIGHEST); COARSE_SIDE * COARSE_SIDE],
        }
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
        use Sensitivity::{Jacobian, LargestOutput, Probabilities};
        for sensitivity in [Jacobian, LargestOutput, Probabilities] {
            let problem = SensitiveSamples::new(classifier.clone(), sensitivity);
            let found = problem.value(&[0.7; 49]);
            assert_eq!(found, sensitivity.norm(&classifier, &[0.7; 784]));
        }
    }

    #[test]
    fn images_near_a_digit_stay_in_the_box() {
        let mut digit = vec![LOWEST; 49];
        digit[24] = 1.0;
        digit[25] = HIGHEST;
        let problem =
            SensitiveSamples::near(Classifier::random(6), digit).map(|problem| problem.bounds());
        let near = |bounds: &[(f64, f64)]| (bounds[0], bounds[24], bounds[25]);
        let expected = ((LOWEST, LOWEST + 0.7), (0.8, 1.7), (HIGHEST - 0.2, HIGHEST));
        assert_eq!(problem.as_deref().map(near), Some(expected));
        let found = SensitiveSamples::near(Classifier::random(6), vec![0.0; 48]);
        assert_eq!(found, None);
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
