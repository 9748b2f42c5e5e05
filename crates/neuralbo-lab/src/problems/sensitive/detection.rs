//! How many tampered copies a set of samples gives away, and which samples to take.

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
    use super::*;

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
