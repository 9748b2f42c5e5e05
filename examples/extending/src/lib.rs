//! A method and a store outside of neuralbo, explained in `docs/extending.md`.

mod journal;
mod local_search;

pub use journal::JournalStore;
pub use local_search::LOCAL_SEARCH;
