//! The dashboard over real sockets: every value of an answer is one that was stored.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod actions;
mod answers;
mod client;
mod damage;
mod fixture;
mod models;
mod report;
mod security;
mod streams;
