//! Statistics of finished runs: summaries, ranks and the tests of the paper's tables.
//!
//! Distributions come from `statrs`; everything is checked against values of SciPy and statsmodels.

mod discovery;
mod exact;
mod kolmogorov;
mod rank;
mod summary;
mod t_test;
#[cfg(test)]
mod tests;

pub use discovery::{Discoveries, benjamini_hochberg};
pub use exact::rank_sum_test;
pub use kolmogorov::{KsTest, normality_test};
pub use rank::{average_ranks, ranks};
pub use summary::{mean, median, normal_quantile, quantile, sd, standardized};
pub use t_test::{TTest, mean_is_larger};
