//! Stores that are asked the same questions give the same answers: random studies, driven through all of them at once.
//!
//! Every step is drawn once and done in each store; then the log of each study and the store itself are compared. Times, workers
//! and tokens may differ, nothing else.

use rand::RngExt;

use super::backend::{Backend, LONG, definition, fresh, space, values};
use neuralbo::linalg::{Purpose, Rng, Streams};
use neuralbo::record::{
    Attributes, Definition, Direction, Failure, FailureKind, Limits, ObjectiveSpec, Outcome,
    OutcomeConstraint, Report, Retries, Token, Trial,
};
use neuralbo::space::Params;
use neuralbo::store::{NewStudy, all_trials};
use neuralbo::strategy::presets::Registry;
use neuralbo::study::{Asked, Study, Worker};

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
        let told = studies.iter_mut().map(|study| event.happen(study));
        let told: Vec<String> = told.collect();
        assert_same(&told, || format!("seed {seed}, step {step}, {event:?}"));
        scene.note(&event, &studies[0]);
        assert_same(&studies.iter().map(glance).collect::<Vec<_>>(), || {
            format!("seed {seed}, step {step}, after {event:?}")
        });
        if rng.random_bool(0.1) {
            compare(
                &studies,
                &format!("seed {seed}, step {step}, after {event:?}"),
            );
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

fn limits(rng: &mut Rng) -> Limits {
    let trials = rng.random_bool(0.5).then(|| rng.random_range(1..20));
    let patience = rng.random_bool(0.2).then(|| rng.random_range(1..9));
    Limits {
        trials,
        target: rng.random_bool(0.1).then_some(-2.0),
        patience,
    }
}

fn assert_same(answers: &[String], when: impl Fn() -> String) {
    for (place, answer) in answers.iter().enumerate().skip(1) {
        assert_eq!(
            &answers[0],
            answer,
            "storages 0 and {place} differ: {}",
            when()
        );
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
    assert_same(&studies.iter().map(look).collect::<Vec<_>>(), || {
        when.to_owned()
    });
}

/// The trial without what depends on the time and the storage.
fn timeless(trial: Trial) -> Trial {
    let provenance = trial.provenance.map(|from| neuralbo::record::Provenance {
        suggest_ms: 0.0,
        ..from
    });
    Trial {
        provenance,
        token: Token::NONE,
        lease_until_ms: trial.lease_until_ms.signum(),
        asked_ms: 0,
        started_ms: trial.started_ms.map(|_| 0),
        finished_ms: trial.finished_ms.map(|_| 0),
        ..trial
    }
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
        let counts = neuralbo::store::Counts {
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

/// What the drawing of events needs to know.
#[derive(Default)]
struct Scene {
    asked: Vec<Trial>,
    /// Trials whose leases were ended. A higher number ends later, so that the order of their ends is that of the numbers.
    ended: u64,
    added: u64,
}

#[derive(Debug)]
enum Operation {
    Ask(usize),
    Tell(Trial, Outcome),
    Report(Trial, Vec<Report>),
    Known(Params, Outcome),
    Expire(Trial),
    Renew(Trial),
    Attributes(u64, Attributes),
    Limits(Limits),
    Grow(String),
    Redefine(Edit),
}

#[derive(Debug)]
enum Edit {
    Flip,
    Constrain(Option<f64>),
    SecondObjective,
    Rename(String),
    Narrow,
    Reseed(u64),
}

impl Scene {
    fn draw(&mut self, rng: &mut Rng) -> Operation {
        let old = (!self.asked.is_empty())
            .then(|| self.asked[rng.random_range(0..self.asked.len())].clone());
        match (rng.random_range(0..26), old) {
            (0..=6, _) | (_, None) => Operation::Ask(rng.random_range(1..4)),
            (7..=15, Some(trial)) => Operation::Tell(trial, outcome(rng)),
            (16..=17, Some(trial)) => Operation::Report(trial, reports(rng)),
            (18, _) => Operation::Known(self.known(rng), outcome(rng)),
            (19..=20, Some(trial)) if trial.number >= self.ended => Operation::Expire(trial),
            (19..=20, Some(trial)) => Operation::Renew(trial),
            (21, Some(trial)) => Operation::Attributes(
                trial.number,
                [("key".to_owned(), rng.random_range(0..9).into())]
                    .into_iter()
                    .collect(),
            ),
            (22, _) => Operation::Limits(limits(rng)),
            (23, _) => Operation::Grow(self.parameter(rng)),
            (_, Some(_)) => Operation::Redefine(self.change(rng)),
        }
    }

    fn known(&self, rng: &mut Rng) -> Params {
        let mut params = Params::new();
        if rng.random_bool(0.7) {
            params.insert("n", rng.random_range(1..5_i64));
        }
        params
    }

    fn parameter(&mut self, rng: &mut Rng) -> String {
        self.added += 1;
        match rng.random_range(0..4) {
            0 => format!("p{}=float(0,{})", self.added % 3, self.added),
            1 => format!("c{}=choice(a,b{})", self.added % 2, self.added % 4),
            2 => format!("n=int(1,{})", 4 + self.added),
            _ => format!("x=float(0,{})", self.added),
        }
    }

    fn change(&mut self, rng: &mut Rng) -> Edit {
        self.added += 1;
        match rng.random_range(0..6) {
            0 => Edit::Flip,
            1 => Edit::Constrain(
                rng.random_bool(0.6)
                    .then(|| f64::from(rng.random_range(-2..3))),
            ),
            2 => Edit::SecondObjective,
            3 => Edit::Rename(format!("x{}", self.added)),
            4 => Edit::Narrow,
            _ => Edit::Reseed(self.added),
        }
    }

    fn note(&mut self, event: &Operation, study: &Study) {
        match event {
            Operation::Ask(_) => {
                let running = study.store().running(study.record().id).unwrap();
                // Not by the whole record: times must not decide what happens next, or a seed could not be repeated.
                let is_old = |trial: &Trial| {
                    self.asked
                        .iter()
                        .any(|old| (old.number, old.attempt) == (trial.number, trial.attempt))
                };
                let new: Vec<Trial> = running
                    .into_iter()
                    .filter(|trial| trial.params.is_some() && !is_old(trial))
                    .collect();
                self.asked.extend(new);
            }
            Operation::Expire(trial) => self.ended = self.ended.max(trial.number + 1),
            _ => {}
        }
    }
}

fn outcome(rng: &mut Rng) -> Outcome {
    let value = f64::from(rng.random_range(-4..5)) * 0.5;
    let several = values(&[
        ("value", value),
        ("memory", f64::from(rng.random_range(-3..4))),
        ("speed", -value),
    ]);
    let failed = |kind| Outcome::Failed(Failure::new(kind, "no"));
    match rng.random_range(0..12) {
        0..=2 => Outcome::Value(value),
        3..=5 => Outcome::Values(several),
        6 => Outcome::Value(f64::NAN),
        7 => failed(FailureKind::Signal),
        8 => failed(FailureKind::Exit),
        9 => Outcome::Interrupted,
        10 => Outcome::Pruned(Some(3), several),
        _ => Outcome::Pruned(None, values(&[])),
    }
}

fn reports(rng: &mut Rng) -> Vec<Report> {
    let one = |rng: &mut Rng| Report {
        step: rng.random_range(0..3),
        name: "value".to_owned(),
        value: rng.random(),
    };
    (0..rng.random_range(0..4)).map(|_| one(rng)).collect()
}

impl Operation {
    /// Does it, and says what came of it.
    fn happen(&self, study: &mut Study) -> String {
        let id = study.record().id;
        let store = study.store().clone();
        match self {
            Self::Ask(count) => asked(study.ask(
                &Worker {
                    name: "tester".to_owned(),
                    lease: LONG,
                },
                *count,
            )),
            Self::Tell(trial, outcome) => {
                format!("{:?}", study.tell(&claimed(study, trial), outcome.clone()))
            }
            Self::Report(trial, reports) => {
                let lease = study.lease(&claimed(study, trial));
                format!("{:?}", store.report(&lease, reports))
            }
            Self::Known(params, outcome) => {
                format!("{:?}", study.add_known(params.clone(), outcome.clone()))
            }
            Self::Expire(trial) => {
                let lease = study.lease(&claimed(study, trial));
                format!("{:?}", store.expire(&lease))
            }
            Self::Renew(trial) => {
                let lost = store.renew(&[study.lease(&claimed(study, trial))], LONG);
                format!("{:?}", lost.map(|lost| lost.len()))
            }
            Self::Attributes(number, attributes) => {
                format!("{:?}", store.set_attributes(id, *number, attributes))
            }
            Self::Limits(limits) => format!("{:?}", study.set_limits(*limits)),
            Self::Grow(parameter) => format!("{:?}", study.grow(&parameter.parse().unwrap())),
            Self::Redefine(change) => change.happen(study),
        }
    }
}

/// A trial of the first storage as this one claimed it: with its own token, or one that is not valid any more.
fn claimed(study: &Study, trial: &Trial) -> Trial {
    let here = study.store().trial(study.record().id, trial.number);
    let same = here.ok().filter(|here| here.attempt == trial.attempt);
    Trial {
        token: same.map_or_else(Token::fresh, |here| here.token),
        ..trial.clone()
    }
}

fn asked(answer: Result<Asked, neuralbo::study::StudyError>) -> String {
    match answer {
        Ok(Asked::Trials(trials)) => {
            format!("{:?}", trials.into_iter().map(timeless).collect::<Vec<_>>())
        }
        Ok(Asked::Wait { running, until_ms }) => format!("wait {running} {}", until_ms.is_some()),
        other => format!("{other:?}"),
    }
}

impl Edit {
    fn happen(&self, study: &mut Study) -> String {
        let mut given = study.definition().clone();
        let mut renames = Vec::new();
        match self {
            Self::Flip => {
                let objective = &mut given.objectives[0];
                objective.direction = if objective.direction == Direction::Minimize {
                    Direction::Maximize
                } else {
                    Direction::Minimize
                };
            }
            Self::Constrain(at_most) => {
                let constraint = OutcomeConstraint {
                    name: "memory".to_owned(),
                    at_most: *at_most,
                    at_least: None,
                };
                given.outcome_constraints = at_most.map(|_| constraint).into_iter().collect();
            }
            Self::SecondObjective => {
                let second = ObjectiveSpec::new("speed", Direction::Maximize);
                given.objectives = if given.objectives.len() > 1 {
                    vec![second]
                } else {
                    vec![given.objectives[0].clone(), second]
                };
            }
            Self::Rename(to) => {
                let name = |parameter: &neuralbo::space::Parameter| parameter.name().to_owned();
                let names: Vec<String> = given.space.parameters().iter().map(name).collect();
                let Some(from) = names.iter().find(|name| name.starts_with('x')) else {
                    return String::new();
                };
                let text = |parameter: &neuralbo::space::Parameter| {
                    let name = if parameter.name() == from {
                        to
                    } else {
                        parameter.name()
                    };
                    neuralbo::space::Parameter::new(name, parameter.domain().clone()).unwrap()
                };
                given.space = neuralbo::space::Space::new(
                    given.space.parameters().iter().map(text).collect(),
                )
                .unwrap();
                renames.push((from.clone(), to.clone()));
            }
            Self::Narrow => given.space = space(&["n=int(1,3)", "x=float(0,0.5)"]),
            Self::Reseed(seed) => {
                given.seed = *seed;
                given.retries.attempts = 1 + seed % 4;
                given.method = if given.method == "random" {
                    "sobol".to_owned()
                } else {
                    "random".to_owned()
                };
            }
        }
        format!("{:?}", study.redefine(given, &renames))
    }
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
