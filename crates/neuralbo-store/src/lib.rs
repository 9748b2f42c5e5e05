//! Where studies live: SQLite by default, PostgreSQL for many machines, memory for trying things out.
//!
//! | room | holds |
//! |---|---|
//! | [`Store`] | the contract every storage keeps |
//! | [`open`] | from a URL to a store |
//! | [`StoredStudy`] | a store and a strategy: ask and tell as in memory, but shared and durable |
//! | [`replay()`] | every suggestion derived once more from the log |
//!
//! `tests/conformance` is the list of tests that every store must pass.

mod definition;
mod error;
mod median;
mod optuna;
mod outcome;
mod record;
mod replay;
mod retry;
mod sql;
mod store;
mod stored;
mod transfer;
mod url;

pub use definition::{Definition, Difference};
pub use error::StoreError;
pub use median::{MEDIAN_WARM_UP, median_says_stop};
pub use optuna::read_optuna;
pub use outcome::{Outcome, Told};
pub use record::{Counts, Finished, Lease, Limits, Proposal, Provenance, Report, StudyId, StudyRecord, TrialRecord, TrialState};
pub use replay::{Mismatch, Replay, replay};
pub use retry::Retries;
pub use store::{Claim, Claimed, Proposed, Store};
pub use stored::{Asked, LeasedTrial, StoredStudy};
pub use transfer::{ImportError, Imported, export_study, read_export};
pub use url::open;
