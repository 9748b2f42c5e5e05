//! Stores that are asked the same questions give the same answers: random studies, driven through all of them at once.
//!
//! Every step is drawn once and done in each store; then the log of each study and the store itself are compared. Times, workers
//! and tokens may differ, nothing else.

use rand::RngExt;

use super::backend::{Backend, definition, fresh};
use super::events::{Scene, limits, timeless};
use neuralbo::linalg::{Purpose, Streams};
use neuralbo::record::{Definition, FailureKind, Limits, Report, Retries, Trial};
use neuralbo::store::{Counts, NewStudy, all_trials};
use neuralbo::strategy::presets::Registry;
use neuralbo::study::Study;

/// Drives one random study of `steps` steps through all storages; panics where two of them differ. Returns how many trials
/// finished.
pub fn agree(backends: &[&Backend], seed: u64, steps: usize) -> u64 {
    let mut rng = Streams::new(seed).stream(0, Purpose::Noise);
    let limits = limits(&mut rng);
    let studies = backends.iter().map(|backend| made(backend, limits, seed));
    let mut studies: Vec<Study> = studies.collect();
    let mut scene = Scene::default();
    for step in 0..steps {
        let event = scene.draw(&mut rng);
        let when = format!("seed {seed}, step {step}, {}", event.name);
        let told = studies.iter_mut().zip(0..);
        let told = told.map(|(study, place)| (event.act)(study, place));
        assert_same(&told.collect::<Vec<_>>(), &when);
        assert_same(&studies.iter().map(glance).collect::<Vec<_>>(), &when);
        scene.note(&studies);
        if rng.random_bool(0.1) {
            compare(&studies, &when);
        }
    }
    compare(&studies, &format!("seed {seed}, at the end"));
    studies
        .iter_mut()
        .zip(backends)
        .for_each(|(study, backend)| resume(study, backend, seed));
    studies[0].counts().finished()
}

fn made(backend: &Backend, limits: Limits, seed: u64) -> Study {
    let retries = Retries {
        attempts: 1 + seed % 3,
        kinds: vec![FailureKind::Signal, FailureKind::Timeout],
    };
    let definition = Definition {
        seed,
        retries,
        ..definition()
    };
    let store = backend.open();
    let record = store
        .create_study(&NewStudy::new(fresh("agreement"), definition, limits))
        .unwrap();
    Study::open(store, record, Registry::standard()).unwrap()
}

fn assert_same(answers: &[String], when: &str) {
    for (place, answer) in answers.iter().enumerate().skip(1) {
        assert_eq!(&answers[0], answer, "storages 0 and {place}: {when}");
    }
}

/// What can be seen without reading trials.
fn glance(study: &Study) -> String {
    let (log, store) = (study.log(), study.store());
    let counts = store.counts(study.record().id).unwrap();
    let running: Vec<u64> = log.running().collect();
    let stop = log.stop_reason(&study.limits());
    format!(
        "{running:?} {:?} {:?} {:?} {} {stop:?} {counts:?}",
        log.best(),
        log.front(),
        log.counts(),
        log.since_improvement()
    )
}

/// Everything.
fn compare(studies: &[Study], when: &str) {
    let look = |study: &Study| {
        let (store, id) = (study.store().as_ref(), study.record().id);
        let trials = all_trials(store, id).unwrap().into_iter().map(timeless);
        let trials: Vec<Trial> = trials.collect();
        let reports: Vec<Vec<Report>> = trials
            .iter()
            .map(|trial| store.reports(id, trial.number).unwrap())
            .collect();
        let finished: Vec<_> = store.finished_since(id, 0, 999).unwrap();
        let finished: Vec<_> = finished
            .iter()
            .map(|f| {
                (
                    f.seq,
                    f.number,
                    f.version,
                    f.params.as_ref().map(|p| p.params().unwrap().to_json()),
                    &f.state,
                    &f.values,
                    f.known,
                )
            })
            .collect();
        let at = store.reports_at(id, 1, "value").unwrap();
        let best = store.best(id).unwrap().map(timeless);
        let running = store.running(id).unwrap().into_iter().map(timeless);
        let running: Vec<Trial> = running.collect();
        let definitions = store.definitions(id).unwrap();
        let history = study.log().history();
        format!(
            "{trials:#?}\n{reports:?}\n{finished:?}\n{at:?}\n{best:?}\n{running:?}\n{definitions:?}\n{history:?}"
        )
    };
    assert_same(&studies.iter().map(look).collect::<Vec<_>>(), when);
}

/// A study that is opened anew knows what the one knew that lived through it.
fn resume(study: &mut Study, backend: &Backend, seed: u64) {
    study.refresh().unwrap();
    let store = backend.open();
    let record = store.study(&study.record().name).unwrap();
    let mut again = Study::open(store, record, Registry::standard()).unwrap();
    again.refresh().unwrap();
    let known = |study: &Study| {
        let log = study.log();
        let counts = Counts {
            running: 0,
            ..log.counts()
        };
        let stop = log.stop_reason(&study.limits());
        format!(
            "{:?} {:?} {:?} {:?} {counts:?} {stop:?}",
            log.history(),
            log.best(),
            log.front(),
            log.since_improvement()
        )
    };
    assert_eq!(
        known(study),
        known(&again),
        "seed {seed}: resumed from {}",
        study.store().url()
    );
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use neuralbo::record::State;
    use neuralbo::store::MemoryStore;

    fn memory() -> Backend {
        let store = Arc::new(MemoryStore::new());
        Backend::new(move || store.clone())
    }

    #[test]
    fn two_memories_agree_and_are_kept_busy() {
        let (a, b) = (memory(), memory());
        let finished: u64 = (0..300).map(|seed| agree(&[&a, &b], seed, 30)).sum();
        assert!(finished > 900, "{finished}");
    }

    #[test]
    fn states_of_all_kinds_are_met() {
        let a = memory();
        (0..50).for_each(|seed| _ = agree(&[&a], seed, 30));
        let store = a.open();
        let trials: Vec<Trial> = store
            .studies()
            .unwrap()
            .iter()
            .flat_map(|s| all_trials(store.as_ref(), s.id).unwrap())
            .collect();
        let met = |test: &dyn Fn(&Trial) -> bool| assert!(trials.iter().any(test));
        met(&|trial| trial.state == State::Complete && trial.values.len() > 1);
        met(&|trial| matches!(trial.state, State::Pruned { .. }));
        met(&|trial| {
            trial
                .failure()
                .is_some_and(|failure| failure.kind == FailureKind::Lost)
        });
        met(&|trial| trial.attempt > 2);
        met(&|trial| trial.version > 2);
        met(&|trial| trial.is_known());
        met(&|trial| trial.is_waiting());
    }
}
