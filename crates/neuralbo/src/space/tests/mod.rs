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

/// The rows of a table: a text, and after `=>` what is expected of it, parts between `|`.
pub(super) fn table(rows: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    rows.lines().filter(|row| !row.is_empty()).map(|row| {
        let (text, expected) = row.split_once("=> ").unwrap();
        let text = text.strip_suffix(' ').unwrap_or(text);
        (text, expected.split(" | ").collect())
    })
}
