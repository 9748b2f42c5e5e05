//! Tampered copies of a classifier, and how many of them a set of samples gives away.

use faer::Mat;
use neuralbo::linalg::{Purpose, Streams};
use rayon::prelude::*;

use super::{Classifier, Detections, PIXELS, upscale};

/// Number of tampered copies in the experiment.
pub const MODELS: usize = 1000;
/// Standard deviation of the noise on their weights in the authors' code.
pub const WEIGHT_NOISE: f64 = 0.04;

/// Copies of a classifier with N(0, sd²) added to every weight, biases untouched.
///
/// A copy depends on the seed and its number only; copies are made when they are needed.
#[derive(Clone, Debug)]
pub struct Tampering {
    /// What is tampered with.
    pub original: Classifier,
    /// Number of copies.
    pub models: usize,
    /// Standard deviation of the noise.
    pub sd: f64,
    /// Seed of the noise.
    pub seed: u64,
}

impl Tampering {
    /// [`MODELS`] copies with noise [`WEIGHT_NOISE`].
    pub fn new(original: Classifier, seed: u64) -> Self {
        Self {
            original,
            models: MODELS,
            sd: WEIGHT_NOISE,
            seed,
        }
    }

    /// Copy number `index`.
    pub fn model(&self, index: usize) -> Classifier {
        let mut rng = Streams::new(self.seed).stream(index as u64, Purpose::Noise);
        self.original.with_noise(self.sd, &mut rng)
    }

    /// Which copies label which samples otherwise than the original does. Samples are 7 × 7 images; `None` if one does not have
    /// 49 pixels.
    pub fn detections(&self, samples: &[Vec<f64>]) -> Option<Detections> {
        let enlarged: Vec<Vec<f64>> = samples
            .iter()
            .map(|sample| upscale(sample))
            .collect::<Option<_>>()?;
        let images = Mat::from_fn(PIXELS, enlarged.len(), |pixel, i| enlarged[i][pixel]);
        let truth = self.original.labels(images.as_ref());
        let differs = |index: usize| {
            let labels = self.model(index).labels(images.as_ref());
            labels.iter().zip(&truth).map(|(a, b)| a != b).collect()
        };
        let copies = (0..self.models).into_par_iter().map(differs);
        Some(Detections::new(copies.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::classifier::tests::label;
    use super::*;

    fn tampering() -> Tampering {
        Tampering {
            models: 40,
            ..Tampering::new(Classifier::random(4), 9)
        }
    }

    #[test]
    fn noise_has_its_size_and_spares_the_biases() {
        let tampering = tampering();
        let model = tampering.model(3);
        let difference = &model.hidden.weights - &tampering.original.hidden.weights;
        let sd = difference.norm_l2() / 7840f64.sqrt();
        assert!((sd - 0.04).abs() < 0.001, "{sd}");
        assert_ne!(model.output.weights, tampering.original.output.weights);
        assert_eq!(model.hidden.biases, tampering.original.hidden.biases);
        assert_eq!(model.output.biases, tampering.original.output.biases);
    }

    #[test]
    fn copies_are_distinct_and_the_same_every_time() {
        assert_ne!(tampering().model(0), tampering().model(1));
        assert_eq!(tampering().model(7), tampering().model(7));
    }

    #[test]
    fn rates_are_what_counting_labels_gives() {
        let tampering = tampering();
        let pixel = |k, i| f64::from((i * (k + 3)) % 11) * 0.25;
        let sample = |k| (0..49).map(|i| pixel(k, i)).collect();
        let samples: Vec<Vec<f64>> = (0..3).map(sample).collect();
        let rates = tampering.detections(&samples).unwrap().rates(&[0, 1, 2]);
        let differs = |model: &Classifier, sample: &Vec<f64>| {
            let image = upscale(sample).unwrap();
            label(model, &image) != label(&tampering.original, &image)
        };
        for n in 1..=3 {
            let detects = |i: &usize| {
                let model = tampering.model(*i);
                samples[..n].iter().any(|sample| differs(&model, sample))
            };
            assert_eq!(rates[n - 1], (0..40).filter(detects).count() as f64 / 40.0);
        }
        assert!(rates[2] > 0.0 && rates[0] < 1.0, "{rates:?}");
    }

    #[test]
    fn without_noise_nothing_is_detected() {
        let mut tampering = tampering();
        tampering.sd = 0.0;
        let detections = tampering.detections(&[vec![1.0; 49]]).unwrap();
        assert_eq!(detections.rate(&[0]), 0.0);
    }

    #[test]
    fn samples_of_another_size_have_no_rate() {
        let found = tampering().detections(&[vec![1.0; 49], vec![1.0; 48]]);
        assert_eq!(found, None);
    }
}
