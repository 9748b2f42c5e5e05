//! neuralbo's studies in a browser.
//!
//! | item | does |
//! |---|---|
//! | [`Server`] | answers browsers on a thread of its own, until it is stopped |
//! | [`report()`] | a study as one page, for mail and archives |
//! | [`Settings`] | where it listens, who may look and who may act |
//!
//! The server reads through connections that cannot write, keeps a compact table of each study it was asked about, and follows
//! what has finished since. Only with [`Settings::allow_edit`] is there a second connection, for actions that carry the token.

mod api;
mod assets;
mod cache;
mod error;
mod http;
mod report;
mod settings;

pub use error::DashboardError;
pub use http::Server;
pub use report::report;
pub use settings::{DEFAULT_PORT, Settings};
