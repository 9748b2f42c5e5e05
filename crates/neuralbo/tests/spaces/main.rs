//! Spaces as people have them, from definition to stored trials.

#![allow(clippy::unwrap_used)]

mod conditions;
mod everything;
