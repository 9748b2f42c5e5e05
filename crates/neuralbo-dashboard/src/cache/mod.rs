//! Compact tables of studies that follow their stores.

mod column;
mod study;
mod table;
mod texts;

pub(crate) use column::{ColumnItem, JsonNumber, ValueColumn, numbers};
pub(crate) use study::StudyData;
pub(crate) use table::{End, NamedColumn, TrialRow, TrialTable};

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use neuralbo::store::{Store, StoreError};

/// A burst of requests, as from an opening page, is answered from one read of the store.
const FRESH: Duration = Duration::from_millis(250);
/// Cached studies; the least recently used one is dropped first.
const KEPT: usize = 16;

/// All requested studies.
pub(crate) struct StudyCache {
    store: Arc<dyn Store>,
    entries: Mutex<HashMap<String, Arc<CachedStudy>>>,
}

struct CachedStudy {
    data: RwLock<Option<StudyData>>,
    /// Time of the last read of the store; locked while reading, so that others wait for the result.
    looked: Mutex<Option<Instant>>,
    asked: Mutex<Instant>,
}

impl StudyCache {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            entries: Mutex::default(),
        }
    }

    /// Passes a study to `look`, after catching up with its store.
    pub(crate) fn with<T>(
        &self,
        name: &str,
        look: impl FnOnce(&StudyData) -> T,
    ) -> Result<T, StoreError> {
        let entry = self.entry(name);
        let caught_up = entry.catch_up(self.store.as_ref(), name);
        if matches!(caught_up, Err(StoreError::UnknownStudy { .. })) {
            lock(&self.entries).remove(name);
        }
        caught_up?;
        match entry.read().as_ref() {
            Some(data) => Ok(look(data)),
            None => Err(neuralbo::store::unknown_study(name, &[])),
        }
    }

    /// The next request reads the store: the study was changed from here.
    pub(crate) fn changed(&self, name: &str) {
        if let Some(entry) = lock(&self.entries).get(name) {
            *lock(&entry.looked) = None;
        }
    }

    fn entry(&self, name: &str) -> Arc<CachedStudy> {
        let mut entries = lock(&self.entries);
        if let Some(entry) = entries.get(name) {
            *lock(&entry.asked) = Instant::now();
            return Arc::clone(entry);
        }
        make_room(&mut entries, KEPT, |entry| *lock(&entry.asked));
        let entry = Arc::new(CachedStudy {
            data: RwLock::default(),
            looked: Mutex::default(),
            asked: Mutex::new(Instant::now()),
        });
        entries.insert(name.to_owned(), Arc::clone(&entry));
        entry
    }
}

impl CachedStudy {
    fn catch_up(&self, store: &dyn Store, name: &str) -> Result<(), StoreError> {
        let mut looked = lock(&self.looked);
        if looked.is_some_and(|at| at.elapsed() < FRESH) {
            return Ok(());
        }
        let record = store.study(name)?;
        let known = self
            .read()
            .as_ref()
            .filter(|data| data.is_of(&record))
            .map(StudyData::seq);
        match known {
            Some(mut seq) => {
                while let Some(portion) = study::portion(store, record.id, seq)? {
                    seq = portion.last;
                    self.write(|data| data.extend(portion));
                }
            }
            None => {
                let data = StudyData::read(store, &record)?;
                *self.data.write().unwrap_or_else(PoisonError::into_inner) = Some(data);
            }
        }
        let running = store.running(record.id);
        self.write(|data| data.settle(&record, running));
        *looked = Some(Instant::now());
        Ok(())
    }

    fn read(&self) -> RwLockReadGuard<'_, Option<StudyData>> {
        self.data.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, change: impl FnOnce(&mut StudyData)) {
        let mut data = self.data.write().unwrap_or_else(PoisonError::into_inner);
        data.as_mut().map(change);
    }
}

/// Locks what no panic leaves half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the oldest of `most` entries.
pub(crate) fn make_room<K: Clone + Eq + Hash, V>(
    entries: &mut HashMap<K, V>,
    most: usize,
    time: impl Fn(&V) -> Instant,
) {
    if entries.len() >= most {
        let oldest = entries.iter().min_by_key(|(_, entry)| time(entry));
        let oldest = oldest.map(|(key, _)| key.clone());
        oldest.and_then(|key| entries.remove(&key));
    }
}
