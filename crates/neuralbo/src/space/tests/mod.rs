//! Tests of the space as a whole: examples here, laws, text and files in files of their own.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod conditions;
mod encoding;
mod files;
mod laws;
mod named;
mod text;

use super::{Parameter, Space};

/// A space from text forms.
fn space(texts: &[&str]) -> Space {
    Space::new(
        texts
            .iter()
            .map(|text| text.parse::<Parameter>().unwrap())
            .collect(),
    )
    .unwrap()
}
