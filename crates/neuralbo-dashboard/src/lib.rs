//! neuralbo's studies in a browser.
//!
//! | item | does |
//! |---|---|
//! | [`Server`] | serves browsers on its own thread until it is stopped |
//! | [`report()`] | a study as one page, for mail and archives |
//! | [`Settings`] | address, access, actions |
//!
//! The server reads through read-only connections, caches a compact table of each requested study,
//! and follows its new trials. Actions need [`Settings::allow_edit`] and the token.

mod api;
mod assets;
mod cache;
mod error;
mod http;
mod query;
mod reply;
mod report;
mod settings;

pub use error::DashboardError;
pub use http::Server;
pub use report::report;
pub use settings::{DEFAULT_PORT, Settings};
