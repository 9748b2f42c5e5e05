//! Settings of the forest.

use neuralbo::surrogate::{SettingError, require};

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
        let share = self.feature_share;
        require("trees", self.trees, self.trees > 0, "1 or more")?;
        require("min_leaf", self.min_leaf, self.min_leaf > 0, "1 or more")?;
        require(
            "feature_share",
            share,
            share > 0.0 && share <= 1.0,
            "above 0 and at most 1",
        )
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
        let good = ForestSettings::default();
        let refused = |settings: ForestSettings| settings.check().err().map(|error| error.field);
        assert_eq!(refused(good), None);
        assert_eq!(refused(ForestSettings { trees: 0, ..good }), Some("trees"));
        let leaf = ForestSettings {
            min_leaf: 0,
            ..good
        };
        assert_eq!(refused(leaf), Some("min_leaf"));
        for feature_share in [0.0, -0.5, 1.5, f64::NAN] {
            let share = ForestSettings {
                feature_share,
                ..good
            };
            assert_eq!(refused(share), Some("feature_share"));
        }
    }
}
