//! Unknown target document: find the review most like an unknown one among thousands.
//!
//! Reviews carry a path of three labels (product category, its part, its part). A target is chosen and taken out of the pool; each
//! round a method picks one document of the pool, seen as a row of word counts, and learns how much of the label path it shares
//! with the target: hierarchical F1. The pool is finite, so this is not a [`Problem`](crate::Problem) on a box; its rows make a
//! [`Space`](neuralbo::space::Space).
//!
//! The data are 17,021 of the 37,738 reviews used in the paper; results compare in kind, not number for number.

mod corpus;

pub use corpus::{TERMS, TargetSearch, TextDocument, counts, most_frequent, read};
