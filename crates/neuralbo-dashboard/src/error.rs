//! What can go wrong before a server answers.

use std::net::SocketAddr;

use neuralbo::store::StoreError;

/// Why there is no dashboard.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DashboardError {
    /// A setting is wrong.
    #[error("{field}: `{value}` is not allowed, {allowed}")]
    Setting {
        /// Which.
        field: &'static str,
        /// What was given.
        value: String,
        /// What is allowed.
        allowed: &'static str,
    },
    /// The address is taken, or not ours.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        error: std::io::Error,
    },
    /// The system refuses threads or random numbers.
    #[error("cannot start: {0}")]
    System(#[from] std::io::Error),
    /// An asset is missing or malformed.
    #[error("cannot build the page: asset `{name}` is malformed")]
    Page {
        /// Which.
        name: String,
    },
    /// The storage cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}
