//! Settings of the forest.

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

/// A setting outside its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ForestSettingsError {
    /// No trees.
    #[error("trees is {0}; at least 1 is needed")]
    Trees(usize),
    /// Leaves that may be empty.
    #[error("min_leaf is {0}; at least 1 is needed")]
    MinLeaf(usize),
    /// Not a share.
    #[error("feature_share is {0}; it must be greater than 0 and at most 1")]
    FeatureShare(f64),
}

impl ForestSettings {
    pub(super) fn check(&self) -> Result<(), ForestSettingsError> {
        if self.trees == 0 {
            return Err(ForestSettingsError::Trees(self.trees));
        }
        if self.min_leaf == 0 {
            return Err(ForestSettingsError::MinLeaf(self.min_leaf));
        }
        if !(self.feature_share > 0.0 && self.feature_share <= 1.0) {
            return Err(ForestSettingsError::FeatureShare(self.feature_share));
        }
        Ok(())
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
        assert_eq!(good.check(), Ok(()));
        let text = |settings: ForestSettings| settings.check().map_err(|error| error.to_string());
        assert_eq!(
            text(ForestSettings { trees: 0, ..good }),
            Err("trees is 0; at least 1 is needed".into())
        );
        assert_eq!(
            text(ForestSettings {
                min_leaf: 0,
                ..good
            }),
            Err("min_leaf is 0; at least 1 is needed".into())
        );
        for share in [0.0, -0.5, 1.5, f64::NAN] {
            assert!(
                text(ForestSettings {
                    feature_share: share,
                    ..good
                })
                .is_err_and(|t| t.starts_with("feature_share is"))
            );
        }
    }
}
