//! The store passes the conformance suite and agrees with the store in memory.

use std::sync::Arc;

use neuralbo::store::{MemoryStore, Store};
use neuralbo_extending::JournalStore;
use neuralbo_testkit::store::{Backend, agreement};

/// Handles on one file, deleted with the last handle.
fn journal() -> Backend {
    let folder = tempfile::tempdir().unwrap();
    Backend::new(move || {
        Arc::new(JournalStore::open(&folder.path().join("studies.jsonl")).unwrap())
            as Arc<dyn Store>
    })
}

neuralbo_testkit::store_conformance!(journal());

#[test]
fn random_studies_have_the_same_answers_in_the_journal_and_in_memory() {
    let memory = Arc::new(MemoryStore::new());
    let memory = Backend::new(move || memory.clone() as Arc<dyn Store>);
    let journal = journal();
    for seed in 0..20 {
        agreement::agree(&[&memory, &journal], seed, 40);
    }
}
