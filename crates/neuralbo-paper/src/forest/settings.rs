//! Settings of the forest.

use neuralbo::linalg::{SettingError, at_least_one};

/// How many trees and how each is grown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForestSettings {
    /// Number of trees, at least 1.
    pub trees: usize,
    /// Fewest draws of the bootstrap sample in a leaf, at least 1.
    pub min_leaf: usize,
    /// Whether each tree sees a bootstrap sample instead of all rows.
    pub bootstrap: bool,
}

impl Default for ForestSettings {
    /// 500 bootstrapped trees that try every coordinate and grow until a leaf holds one observation.
    fn default() -> Self {
        Self {
            trees: 500,
            min_leaf: 1,
            bootstrap: true,
        }
    }
}

impl ForestSettings {
    pub(super) fn check(&self) -> Result<(), SettingError> {
        at_least_one("trees", self.trees)?;
        at_least_one("min_leaf", self.min_leaf)
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
    }
}
