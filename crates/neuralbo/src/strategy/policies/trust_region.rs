//! The trust region: a box around the best point that grows with success and shrinks with failure
//! (as in TuRBO, Eriksson et al. 2019).

/// How the region grows, shrinks and restarts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrustRegionSettings {
    /// Side of the box at the start; 2 is the whole encoded box.
    pub start: f64,
    /// Side below which the region has collapsed; zero for a single descent.
    pub smallest: f64,
    /// Space-filling points of a restart.
    pub restart: usize,
    /// Points tried before those, each crossed from the best of two earlier descents.
    pub crossed: usize,
    /// Improvements in a row that double the side.
    pub successes: usize,
    /// Trials in a row without improvement that halve it.
    pub failures: usize,
}

impl TrustRegionSettings {
    /// The settings for `dim` encoded coordinates: failures by 20 and 100 dimensions, first side by
    /// BBOB (line Q), crossed points by robot pushing (line O) of the ledger.
    pub fn for_dim(dim: usize) -> Self {
        let (failures, restart) = ((dim * dim / 20).clamp(3, 30), (dim / 2).max(3));
        let start = (0.5 + 0.1 * dim as f64).min(1.4);
        Self {
            start,
            smallest: 1e-3,
            restart,
            crossed: dim,
            successes: 2,
            failures,
        }
    }
}

/// Side and counters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TrustRegion {
    settings: TrustRegionSettings,
    side: f64,
    successes: usize,
    failures: usize,
}

impl TrustRegion {
    /// The region before any trial.
    pub(super) fn new(settings: TrustRegionSettings) -> Self {
        Self {
            settings,
            side: settings.start,
            successes: 0,
            failures: 0,
        }
    }

    /// Takes in one trial.
    pub(super) fn count(&mut self, improves: bool) {
        (self.successes, self.failures) = if improves {
            (self.successes + 1, 0)
        } else {
            (0, self.failures + 1)
        };
        if self.successes >= self.settings.successes {
            (self.side, self.successes) = ((2.0 * self.side).min(2.0), 0);
        } else if self.failures >= self.settings.failures {
            (self.side, self.failures) = (0.5 * self.side, 0);
        }
    }

    /// Side of the box.
    pub(super) fn side(&self) -> f64 {
        self.side
    }

    /// Whether nothing is left to find in it.
    pub(super) fn is_collapsed(&self) -> bool {
        self.side < self.settings.smallest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_doubles_and_failure_halves_the_side() {
        let settings = TrustRegionSettings {
            start: 0.5,
            smallest: 0.2,
            restart: 2,
            crossed: 2,
            successes: 2,
            failures: 3,
        };
        let after = |improves: &[bool]| {
            let mut region = TrustRegion::new(settings);
            improves.iter().for_each(|improves| region.count(*improves));
            region
        };
        assert_eq!(after(&[true, true]).side(), 1.0);
        assert_eq!(after(&[true; 8]).side(), 2.0);
        assert_eq!(after(&[false, true, false, false]).side(), 0.5);
        assert_eq!(after(&[true, false, false, false]).side(), 0.25);
        assert!(!after(&[false; 5]).is_collapsed() && after(&[false; 6]).is_collapsed());
    }
}
