//! What every method promises, whatever it does inside.
//!
//! All tests go over `METHODS`, so a new method is accepted when this suite is green with its entry there and nothing changed
//! here. Slow methods are made quick by their own options (`support::quick`), never by leaving cases out.

#![allow(clippy::unwrap_used)]

mod batches;
mod documented;
mod quadratic;
mod repeatable;
mod rewards;
mod spaces;
mod support;
