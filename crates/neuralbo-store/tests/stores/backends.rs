//! The storages under test.

use std::path::Path;
use std::sync::Arc;

use neuralbo::store::{MemoryStore, Store};
use neuralbo_store::open;
use neuralbo_testkit::store::Backend;
use tempfile::TempDir;

/// A directory in memory where there is one: tests that commit thousands of times need not wait for a disk.
pub fn directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

pub fn memory() -> Backend {
    let store = Arc::new(MemoryStore::new());
    Backend::new(move || store.clone())
}

pub fn sqlite() -> Backend {
    let dir = directory();
    Backend::new(move || open(&dir.path().join("studies.db").display().to_string()).unwrap())
}

/// The server of `scripts/ci/with-postgres.sh`, which all tests share.
pub fn postgres() -> Option<Backend> {
    let url = postgres_url()?;
    Some(Backend::new(move || open(&url).unwrap()))
}

pub fn postgres_url() -> Option<String> {
    let url = std::env::var("NEURALBO_TEST_POSTGRES").ok();
    if url.is_none() {
        eprintln!(
            "SKIPPED: NEURALBO_TEST_POSTGRES is not set; run this test with scripts/ci/with-postgres.sh"
        );
    }
    url
}

pub fn file(dir: &TempDir, name: &str) -> Arc<dyn Store> {
    open(&dir.path().join(name).display().to_string()).unwrap()
}
