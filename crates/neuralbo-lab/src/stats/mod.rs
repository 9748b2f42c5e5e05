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
pub use exact::{rank_sum_test, signed_rank_test};
pub use kolmogorov::{KsTest, normality_test};
pub use rank::{average_ranks, ranks};
pub use summary::{mean, mean_interval, median, normal_quantile, quantile, sd, standardized};
pub use t_test::{TTest, Variances, mean_is_larger, mean_is_positive};
