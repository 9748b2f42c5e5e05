//! Tampered copies of a classifier, how many of them a set of samples gives away, and which samples to take.

use faer::Mat;
use neuralbo::linalg::{Purpose, Streams};
use rayon::prelude::*;

use super::{Classifier, PIXELS, upscale};

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

/// Which samples give away which copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detections {
    /// One row a copy, one entry a sample.
    copies: Vec<Vec<bool>>,
}

impl Detections {
    /// From one row a copy, with one entry a sample.
    pub fn new(copies: Vec<Vec<bool>>) -> Self {
        Self { copies }
    }

    /// Number of samples.
    pub fn samples(&self) -> usize {
        self.copies.first().map_or(0, Vec::len)
    }

    /// The same copies, with the samples `range` only.
    pub fn of(&self, range: std::ops::Range<usize>) -> Self {
        let part = |copy: &Vec<bool>| copy[range.clone()].to_vec();
        Self::new(self.copies.iter().map(part).collect())
    }

    /// The share of copies that at least one of these samples gives away.
    pub fn rate(&self, samples: &[usize]) -> f64 {
        let detected = |copy: &&Vec<bool>| samples.iter().any(|&sample| copy[sample]);
        self.copies.iter().filter(detected).count() as f64 / self.copies.len() as f64
    }

    /// The rates with the first one, two, … samples of `order`.
    pub fn rates(&self, order: &[usize]) -> Vec<f64> {
        let rate = |count| self.rate(&order[..count]);
        (1..=order.len()).map(rate).collect()
    }

    /// The rates that are expected of one, two, … samples drawn anew for every copy, each out of all: a copy that a share q of the
    /// samples gives away is detected with probability 1 − (1 − q)ᴺ.
    pub fn drawn(&self) -> Vec<f64> {
        let share = |copy: &Vec<bool>| {
            copy.iter().filter(|detected| **detected).count() as f64 / copy.len() as f64
        };
        let missed: Vec<f64> = self.copies.iter().map(|copy| 1.0 - share(copy)).collect();
        let expected = |count: i32| {
            1.0 - missed.iter().map(|q| q.powi(count)).sum::<f64>() / missed.len() as f64
        };
        (1..=self.samples() as i32).map(expected).collect()
    }

    /// All samples, each time the one that gives away most of the copies not given away yet; of equals the first.
    pub fn greedy(&self) -> Vec<usize> {
        let mut left: Vec<&Vec<bool>> = self.copies.iter().collect();
        let mut rest: Vec<usize> = (0..self.samples()).collect();
        let mut order = Vec::new();
        while !rest.is_empty() {
            let gain = |sample: usize| left.iter().filter(|copy| copy[sample]).count();
            let best = (0..rest.len())
                .max_by_key(|&i| (gain(rest[i]), std::cmp::Reverse(i)))
                .unwrap_or(0);
            let sample = rest.remove(best);
            left.retain(|copy| !copy[sample]);
            order.push(sample);
        }
        order
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

    /// Ten copies: sample 0 gives away 0 to 5, sample 1 gives away 0 to 4, sample 2 gives away 6 to 8, sample 3 none.
    fn detections() -> Detections {
        let copy = |i| vec![i < 6, i < 5, (6..9).contains(&i), false];
        Detections::new((0..10).map(copy).collect())
    }

    #[test]
    fn rates_count_every_copy_once() {
        assert_eq!(detections().rates(&[1, 0, 2, 3]), [0.5, 0.6, 0.9, 0.9]);
        assert_eq!(detections().rate(&[]), 0.0);
    }

    #[test]
    fn greedy_prefers_what_the_others_miss() {
        assert_eq!(detections().greedy(), [0, 2, 1, 3]);
    }

    /// Two samples out of four, by all sixteen pairs of draws.
    #[test]
    fn drawn_rates_are_those_of_all_draws() {
        let detections = detections();
        let pairs = (0..4).flat_map(|a| (0..4).map(move |b| [a, b]));
        let mean = pairs.map(|pair| detections.rate(&pair)).sum::<f64>() / 16.0;
        assert!((detections.drawn()[1] - mean).abs() < 1e-12);
        assert_eq!(detections.drawn().len(), 4);
    }

    #[test]
    fn a_part_keeps_its_samples() {
        assert_eq!(detections().of(1..3).rates(&[0, 1]), [0.5, 0.8]);
    }
}
