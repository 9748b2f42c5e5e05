//! Settings of the forest.

use neuralbo::linalg::{SettingError, at_least_one, require};

/// How many trees and how each is grown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForestSettings {
    /// Number of trees, at least 1.
    pub trees: usize,
    /// Fewest draws of the bootstrap sample in a leaf, at least 1.
    pub min_leaf: usize,
    /// Share of the coordinates tried at a split, in (0, 1]; drawing goes on until one of them can be split.
    pub feature_share: f64,
    /// Whether each tree sees a bootstrap sample instead of all rows.
    pub bootstrap: bool,
}

impl Default for ForestSettings {
    /// 500 bootstrapped trees that try every coordinate and grow until a leaf holds one observation.
    fn default() -> Self {
        Self {
            trees: 500,
            min_leaf: 1,
            feature_share: 1.0,
            bootstrap: true,
        }
    }
}

impl ForestSettings {
    pub(super) fn check(&self) -> Result<(), SettingError> {
        at_least_one("trees", self.trees)?;
        at_least_one("min_leaf", self.min_leaf)?;
        let (share, allowed) = (self.feature_share, "greater than 0 and at most 1");
        require("feature_share", share, share > 0.0 && share <= 1.0, allowed)
    }

    /// Number of coordinates tried at a split, of `dim`.
    pub(super) fn features_tried(&self, dim: usize) -> usize {
        (self.feature_share * dim as f64).ceil() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_named() {
        let refused = |change: &dyn Fn(&mut ForestSettings)| {
            let mut settings = ForestSettings::default();
            change(&mut settings);
            settings.check().err().map(|error| error.to_string())
        };
        assert_eq!(refused(&|_| ()), None);
        let least = |field| Some(format!("{field} = 0: must be at least 1"));
        assert_eq!(refused(&|s| s.trees = 0), least("trees"));
        assert_eq!(refused(&|s| s.min_leaf = 0), least("min_leaf"));
        for share in [0.0, -0.5, 1.5, f64::NAN] {
            let text = refused(&|s| s.feature_share = share);
            assert!(text.is_some_and(|t| t.starts_with("feature_share =")));
        }
    }
}
