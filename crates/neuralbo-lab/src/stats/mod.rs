//! Statistics of finished runs: summaries, ranks and the tests of the paper's tables.
//!
//! Distributions come from `statrs`; everything is checked against values of SciPy and statsmodels.

mod kolmogorov;
mod significance;
mod summary;
#[cfg(test)]
mod tests;

pub use kolmogorov::normality_test;
pub use significance::{benjamini_hochberg, mean_is_larger, rank_sum_test};
pub use summary::{
    average_ranks, mean, median, normal_quantile, quantile, ranks, sd, standardized,
};
