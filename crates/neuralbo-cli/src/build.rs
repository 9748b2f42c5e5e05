//! Which build this is.

/// The commit it was built from, `-dirty` if sources differed from it, or `unknown`.
pub const COMMIT: &str = env!("NEURALBO_BUILD_COMMIT");

/// What `neuralbo --version` prints after the name.
pub const DESCRIPTION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit: ",
    env!("NEURALBO_BUILD_COMMIT"),
    "\nfeatures: ",
    env!("NEURALBO_BUILD_FEATURES"),
    "\ntarget: ",
    env!("NEURALBO_BUILD_TARGET"),
);
