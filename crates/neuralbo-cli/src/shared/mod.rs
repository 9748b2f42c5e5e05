//! Studies in a storage: what the commands share.

pub mod args;
pub mod definition;
pub mod heartbeat;
pub mod limits;
pub mod output;
pub mod reports;
pub mod summary;
pub mod worker;
