//! A method and a store that are not part of neuralbo: what `docs/extending.md` explains.

mod journal;
mod local_search;

pub use journal::JournalStore;
pub use local_search::LOCAL_SEARCH;
