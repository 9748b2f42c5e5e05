//! Every suggestion derived once more from the log and the seed.

use super::{Event, Log, StudyError, strategy_of};
use crate::linalg::Points;
use crate::record::{Definition, KNOWN, Provenance, Trial};
use crate::space::Params;
use crate::store::{Finished, Store, StoreError, StudyRecord, all_trials, each_finished};
use crate::strategy::presets::Registry;
use crate::strategy::{Request, Strategy};

/// A suggestion that came out differently.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The trial.
    pub number: u64,
    /// Its parameters as they are stored.
    pub stored: Params,
    /// Its parameters as they were derived now; `None` if nothing was left to suggest.
    pub derived: Option<Params>,
}

/// The result of a replay.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Replay {
    /// How many suggestions were derived, up to the first difference.
    pub derived: u64,
    /// How many of them were made while other trials were running.
    pub parallel: u64,
    /// The first difference.
    pub mismatch: Option<Mismatch>,
}

/// Derives all suggestions of a study again, in the order in which they were made.
///
/// The log says of every suggestion under which definition it was made, which trials had finished and which were running, so a
/// parallel or changed study can be replayed like any other. Parameters that were first met while a trial ran were not suggested
/// and are not compared.
pub fn replay(
    store: &dyn Store,
    record: &StudyRecord,
    registry: &Registry,
) -> Result<Replay, StudyError> {
    let definitions = store.definitions(record.id)?;
    let trials = all_trials(store, record.id)?;
    let mut finished: Vec<Finished> = Vec::new();
    let learns = definitions
        .iter()
        .any(|definition| definition.pruner.is_some());
    let curves = Some(record.definition.objective()).filter(|_| learns);
    each_finished(store, record.id, 0, curves, |trial| {
        finished.push(trial.clone());
        Ok::<(), StoreError>(())
    })?;
    let mut suggested: Vec<(&Trial, &Provenance, &Params)> =
        trials.iter().filter_map(suggestion).collect();
    // A strategy sees a history that only grows, under one definition.
    suggested
        .sort_by_key(|(trial, provenance, _)| (trial.version, provenance.based_on, trial.number));
    let mut replay = Replay {
        derived: 0,
        parallel: 0,
        mismatch: None,
    };
    let mut replayer: Option<Replayer<'_>> = None;
    for (trial, provenance, params) in suggested {
        if replayer
            .as_ref()
            .is_none_or(|replayer| replayer.version != trial.version)
        {
            replayer = Some(Replayer::new(
                trial.version,
                &definitions,
                &trials,
                registry,
            )?);
        }
        let Some(replayer) = &mut replayer else {
            continue;
        };
        replay.derived += 1;
        replay.parallel += u64::from(!provenance.pending.is_empty());
        let wrong = |reason| StoreError::Record {
            what: format!("trial {}", trial.number),
            reason,
        };
        provenance.check(trial.number).map_err(wrong)?;
        let derived = replayer.derive(trial.number, provenance, &finished);
        if !derived
            .as_ref()
            .is_some_and(|derived| agrees(derived, params))
        {
            replay.mismatch = Some(Mismatch {
                number: trial.number,
                stored: params.clone(),
                derived,
            });
            break;
        }
    }
    Ok(replay)
}

fn suggestion(trial: &Trial) -> Option<(&Trial, &Provenance, &Params)> {
    // Those that resume another were promoted, not suggested.
    let is_suggested = |from: &&Provenance| from.origin != KNOWN && from.resumes.is_none();
    let provenance = trial.provenance.as_ref().filter(is_suggested)?;
    Some((trial, provenance, trial.params.as_ref()?))
}

/// Whether what was stored is what was suggested, as far as it was suggested: a trial may have used fewer parameters.
fn agrees(derived: &Params, stored: &Params) -> bool {
    stored
        .iter()
        .all(|(name, value)| derived.get(name).is_none_or(|suggested| suggested == value))
}

/// One definition's part of a study.
struct Replayer<'a> {
    version: u64,
    log: Log,
    read: usize,
    strategy: Box<dyn Strategy>,
    trials: &'a [Trial],
}

impl<'a> Replayer<'a> {
    fn new(
        version: u64,
        definitions: &[Definition],
        trials: &'a [Trial],
        registry: &Registry,
    ) -> Result<Self, StudyError> {
        let unknown = || StoreError::Record {
            what: "a study".to_owned(),
            reason: format!("definition version {version} is missing"),
        };
        let place = usize::try_from(version)
            .ok()
            .and_then(|version| version.checked_sub(1));
        let definition = place
            .and_then(|place| definitions.get(place))
            .ok_or_else(unknown)?
            .clone();
        let strategy = strategy_of(&definition, registry)?;
        Ok(Self {
            version,
            log: Log::new(definition),
            read: 0,
            strategy,
            trials,
        })
    }

    fn derive(
        &mut self,
        number: u64,
        provenance: &Provenance,
        finished: &[Finished],
    ) -> Option<Params> {
        while let Some(next) = finished
            .get(self.read)
            .filter(|next| next.seq <= provenance.based_on)
        {
            self.log.apply(Event::Told(next));
            self.read += 1;
        }
        let space = &self.log.definition().space;
        if space.is_empty() {
            return Some(Params::new());
        }
        let find = |number: &u64| {
            self.trials
                .binary_search_by_key(number, |trial| trial.number)
                .ok()
                .map(|i| &self.trials[i])
        };
        let rows = provenance
            .pending
            .iter()
            .filter_map(|number| Some(space.row_of(find(number)?.params.as_ref()?)));
        let pending = Points::from_rows(space.encoded_dim(), rows);
        let (first, count) = provenance
            .batch
            .map_or((number, 1), |batch| (batch.first, batch.count as usize));
        let request = Request {
            history: self.log.history(),
            pending: &pending,
            number: first,
            count,
            cancel: None,
        };
        let suggestions = self.strategy.suggest(&request).ok()?;
        let place = usize::try_from(number.saturating_sub(first)).unwrap_or(usize::MAX);
        let suggestion = suggestions.get(place)?;
        Some(space.params(&suggestion.point))
    }
}
