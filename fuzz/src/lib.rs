//! Fuzz targets: one function per input format of neuralbo, which takes bytes and panics if a promise
//! is broken.
//!
//! `cargo run -p neuralbo-fuzz -- --cases 1000000` runs them on mutations of valid inputs, determined
//! by the seed; `tests/bounded.rs` runs a few thousand cases per target.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod mutate;
mod output;
mod program;
mod targets;

pub use mutate::Mutator;

/// One input format.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// Valid inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words of its language; none for binary files.
    pub words: &'static [&'static str],
    /// Reads an input and returns whether it was accepted; panics if a promise is broken.
    pub check: fn(&[u8]) -> bool,
    /// The number of cases of a short run.
    pub few: u64,
}

/// All targets.
pub const TARGETS: [Target; 10] = [
    targets::space::TEXT,
    targets::space::FILE,
    targets::space::EXPRESSION,
    targets::space::VALUE,
    targets::output::OUTPUT,
    targets::known::CSV,
    targets::export::EXPORT,
    targets::database::SQLITE,
    targets::database::OPTUNA,
    targets::goals::GOALS,
];

/// The target of this name.
///
/// ```
/// neuralbo_fuzz::target("expression").map(|target| (target.check)(b"x + y <= 1 and kernel in (rbf, poly)"));
/// ```
pub fn target(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|target| target.name == name)
}
