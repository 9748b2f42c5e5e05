//! The targets.

pub mod database;
pub mod export;
pub mod goals;
pub mod known;
pub mod output;
pub mod space;

/// Texts as inputs.
fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
