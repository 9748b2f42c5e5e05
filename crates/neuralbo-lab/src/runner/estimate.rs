//! How long the rest will take.

use std::collections::BTreeMap;

/// Times of finished runs, from which those of the others are guessed.
#[derive(Clone, Debug, Default)]
pub struct TimeEstimate {
    exact: BTreeMap<(String, String), RunningMean>,
    by_method: BTreeMap<String, RunningMean>,
    all: RunningMean,
}

#[derive(Clone, Copy, Debug, Default)]
struct RunningMean {
    sum: f64,
    count: f64,
}

impl RunningMean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    fn value(self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }
}

impl TimeEstimate {
    /// Notes how long a run took.
    pub fn learn(&mut self, problem: &str, method: &str, seconds: f64) {
        let same = (problem.to_owned(), method.to_owned());
        self.exact.entry(same).or_default().add(seconds);
        self.by_method
            .entry(method.to_owned())
            .or_default()
            .add(seconds);
        self.all.add(seconds);
    }

    /// Seconds of a run: the mean of the same problem and method, else of the method, else of all; none at the very beginning.
    pub fn seconds(&self, problem: &str, method: &str) -> Option<f64> {
        let exact = self.exact.get(&(problem.to_owned(), method.to_owned()));
        let nearest = exact.or_else(|| self.by_method.get(method));
        nearest.unwrap_or(&self.all).value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_experience_counts() {
        let mut estimate = TimeEstimate::default();
        assert_eq!(estimate.seconds("p", "m"), None);
        estimate.learn("p", "m", 2.0);
        estimate.learn("q", "m", 4.0);
        estimate.learn("p", "n", 9.0);
        assert_eq!(estimate.seconds("q", "m"), Some(4.0));
        assert_eq!(estimate.seconds("r", "m"), Some(3.0));
        assert_eq!(estimate.seconds("r", "o"), Some(5.0));
    }
}
