//! One study: its records, its table and the log over it.

use std::sync::mpsc::sync_channel;

use neuralbo::record::Trial;
use neuralbo::store::{Finished, Store, StoreError, StudyId, StudyRecord};
use neuralbo::study::{Event, Log};

use super::table::TrialTable;

/// Trials are read in portions of this many: a transaction takes milliseconds, and nobody waits for it.
const PORTION: u64 = 4096;
/// Portions that are read ahead.
const AHEAD: usize = 2;

/// A record that cannot be read; everything else can.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub(crate) struct UnreadableRecord {
    /// Its position among the finished trials, from 1; 0 for the running ones.
    pub(crate) seq: u64,
    pub(crate) reason: String,
}

/// Finished trials from a store.
pub(crate) struct Portion {
    trials: Vec<Trial>,
    damage: Vec<UnreadableRecord>,
    /// The position of the last one.
    pub(crate) last: u64,
}

/// What is known of a study.
pub(crate) struct StudyData {
    pub(crate) record: StudyRecord,
    pub(crate) table: TrialTable,
    /// Counts, best, front, and why the study has ended, by the library's own rules.
    pub(crate) log: Log,
    pub(crate) running: Vec<Trial>,
    pub(crate) damage: Vec<UnreadableRecord>,
    seq: u64,
}

impl StudyData {
    fn new(record: StudyRecord) -> Self {
        let (table, log) = (
            TrialTable::new(&record.definition),
            Log::new(record.definition.clone()),
        );
        Self {
            record,
            table,
            log,
            running: Vec::new(),
            damage: Vec::new(),
            seq: 0,
        }
    }

    /// A study with all its finished trials: one thread reads while this one takes in.
    pub(crate) fn read(store: &dyn Store, record: &StudyRecord) -> Result<Self, StoreError> {
        let mut data = Self::new(record.clone());
        let (sender, portions) = sync_channel(AHEAD);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut seq = 0;
                loop {
                    let found = portion(store, record.id, seq).transpose();
                    let more = matches!(&found, Some(Ok(_)));
                    seq = found
                        .as_ref()
                        .and_then(|found| found.as_ref().ok())
                        .map_or(seq, |portion| portion.last);
                    if found.is_none_or(|found| sender.send(found).is_err()) || !more {
                        return;
                    }
                }
            });
            portions
                .into_iter()
                .try_for_each(|portion| portion.map(|portion| data.extend(portion)))
        })?;
        Ok(data)
    }

    /// Whether it was read under this very definition.
    pub(crate) fn is_of(&self, record: &StudyRecord) -> bool {
        (self.record.id, self.record.version) == (record.id, record.version)
    }

    /// The position of the last finished trial.
    pub(crate) fn seq(&self) -> u64 {
        self.seq
    }

    pub(crate) fn extend(&mut self, portion: Portion) {
        self.damage.retain(|damage| damage.seq > 0);
        self.damage.extend(portion.damage);
        for trial in &portion.trials {
            self.log.apply(Event::Told(&Finished::from(trial)));
            self.table.push(&self.record.definition, trial);
        }
        self.seq = portion.last;
    }

    /// Takes in what may change without a trial finishing.
    pub(crate) fn settle(&mut self, record: &StudyRecord, running: Result<Vec<Trial>, StoreError>) {
        self.record.limits = record.limits;
        self.record.attributes.clone_from(&record.attributes);
        self.damage.retain(|damage| damage.seq > 0);
        match running {
            Ok(running) => self.running = running,
            Err(error) => self.damage.push(UnreadableRecord {
                seq: 0,
                reason: error.to_string(),
            }),
        }
    }
}

/// The next finished trials after a position; `None` if there are none. One that cannot be read is left out and named: the
/// portion is halved until it is found.
pub(crate) fn portion(
    store: &dyn Store,
    study: StudyId,
    seq: u64,
) -> Result<Option<Portion>, StoreError> {
    let mut count = PORTION;
    loop {
        match store.trials_since(study, seq, count) {
            Ok(trials) => {
                let last = trials.last().and_then(|trial| trial.seq);
                return Ok(last.map(|last| Portion {
                    trials,
                    damage: Vec::new(),
                    last,
                }));
            }
            Err(StoreError::Record { .. }) if count > 1 => count /= 2,
            Err(error @ StoreError::Record { .. }) => {
                let damage = vec![UnreadableRecord {
                    seq: seq + 1,
                    reason: error.to_string(),
                }];
                return Ok(Some(Portion {
                    trials: Vec::new(),
                    damage,
                    last: seq + 1,
                }));
            }
            Err(error) => return Err(error),
        }
    }
}
