//! Random events in the life of a study, drawn once and done in every store.

use rand::RngExt;

use super::backend::{LONG, at_most, space, values};
use neuralbo::linalg::Rng;
use neuralbo::record::{
    Attributes, Definition, Direction, Failure, FailureKind, Limits, ObjectiveSpec, Outcome,
    Provenance, Report, Token, Trial,
};
use neuralbo::space::{Parameter, Params, Space};
use neuralbo::study::{Asked, Study, StudyError, Worker};

pub(super) fn limits(rng: &mut Rng) -> Limits {
    let trials = rng.random_bool(0.5).then(|| rng.random_range(1..20));
    let patience = rng.random_bool(0.2).then(|| rng.random_range(1..9));
    Limits {
        trials,
        target: rng.random_bool(0.1).then_some(-2.0),
        patience,
    }
}

/// What the drawing of events needs to know.
#[derive(Default)]
pub(super) struct Scene {
    /// Trials that were asked for, each as every store has it: their tokens differ.
    asked: Vec<Vec<Trial>>,
    /// Trials whose leases were ended. A higher number ends later, so that the order of their ends is that of the numbers.
    ended: u64,
    added: u64,
}

type Act = dyn Fn(&mut Study, usize) -> String;

/// What happens in the study of every store, given with its place, and says what came of it.
pub(super) struct StudyEvent {
    pub(super) name: String,
    pub(super) act: Box<Act>,
}

impl StudyEvent {
    fn new(name: String, act: impl Fn(&mut Study, usize) -> String + 'static) -> Self {
        let act = Box::new(act);
        Self { name, act }
    }

    /// A change of the definition; returns what is renamed to what.
    fn redefine(
        name: String,
        edit: impl Fn(&mut Definition) -> Option<(String, String)> + 'static,
    ) -> Self {
        Self::new(name, move |study, _| {
            let mut given = study.definition().clone();
            let renames: Vec<_> = edit(&mut given).into_iter().collect();
            format!("{:?}", study.redefine(given, &renames))
        })
    }
}

impl Scene {
    pub(super) fn draw(&mut self, rng: &mut Rng) -> StudyEvent {
        let old = (!self.asked.is_empty())
            .then(|| self.asked[rng.random_range(0..self.asked.len())].clone());
        match (rng.random_range(0..26), old) {
            (0..=6, _) | (_, None) => ask(rng.random_range(1..4)),
            (7..=17, Some(trials)) => results(rng, trials),
            (18, _) => {
                let (params, outcome) = (known(rng), outcome(rng));
                StudyEvent::new(format!("known {params:?} {outcome:?}"), move |study, _| {
                    format!("{:?}", study.add_known(params.clone(), outcome.clone()))
                })
            }
            (19..=20, Some(trials)) => self.lease(trials),
            (21, Some(trials)) => {
                let (number, value) = (trials[0].number, rng.random_range(0..9));
                let attributes = Attributes::from([("key".to_owned(), value.into())]);
                StudyEvent::new(format!("attributes {number} {value}"), move |study, _| {
                    let (store, id) = (study.store(), study.record().id);
                    format!("{:?}", store.set_attributes(id, number, &attributes))
                })
            }
            (22, _) => {
                let limits = limits(rng);
                StudyEvent::new(format!("{limits:?}"), move |study, _| {
                    format!("{:?}", study.set_limits(limits))
                })
            }
            (23, _) => {
                let parameter = self.parameter(rng);
                StudyEvent::new(format!("grow {parameter}"), move |study, _| {
                    format!("{:?}", study.grow(&parameter.parse().unwrap()))
                })
            }
            (_, Some(_)) => self.change(rng),
        }
    }

    /// Ends or renews a lease.
    fn lease(&mut self, trials: Vec<Trial>) -> StudyEvent {
        let number = trials[0].number;
        if number < self.ended {
            return StudyEvent::new(format!("renew {number}"), move |study, place| {
                let lost = study.store().renew(&[study.lease(&trials[place])], LONG);
                format!("{:?}", lost.map(|lost| lost.len()))
            });
        }
        self.ended = number + 1;
        StudyEvent::new(format!("expire {number}"), move |study, place| {
            let lease = study.lease(&trials[place]);
            format!("{:?}", study.store().expire(&lease))
        })
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

    fn change(&mut self, rng: &mut Rng) -> StudyEvent {
        self.added += 1;
        let added = self.added;
        match rng.random_range(0..6) {
            0 => StudyEvent::redefine("flip".to_owned(), |given| {
                let direction = &mut given.objectives[0].direction;
                *direction = match *direction {
                    Direction::Minimize => Direction::Maximize,
                    Direction::Maximize => Direction::Minimize,
                };
                None
            }),
            1 => {
                let most = f64::from(rng.random_range(-2..3));
                let most = rng.random_bool(0.6).then_some(most);
                StudyEvent::redefine(format!("constrain {most:?}"), move |given| {
                    let constraint = most.map(|most| at_most("memory", most));
                    given.outcome_constraints = constraint.into_iter().collect();
                    None
                })
            }
            2 => StudyEvent::redefine("second objective".to_owned(), |given| {
                if given.objectives.len() > 1 {
                    given.objectives.clear();
                }
                let second = ObjectiveSpec::new("speed", Direction::Maximize);
                given.objectives.push(second);
                None
            }),
            3 => StudyEvent::redefine(format!("rename {added}"), move |given| rename(given, added)),
            4 => StudyEvent::redefine("narrow".to_owned(), |given| {
                given.space = space(&["n=int(1,3)", "x=float(0,0.5)"]);
                None
            }),
            _ => StudyEvent::redefine(format!("reseed {added}"), move |given| {
                (given.seed, given.retries.attempts) = (added, 1 + added % 4);
                let random = given.method == "random";
                given.method = if random { "sobol" } else { "random" }.to_owned();
                None
            }),
        }
    }

    /// Notes the trials that were asked for.
    pub(super) fn note(&mut self, studies: &[Study]) {
        let running = |study: &Study| study.store().running(study.record().id).unwrap();
        let everywhere: Vec<Vec<Trial>> = studies.iter().map(running).collect();
        for trial in everywhere[0].iter().filter(|trial| trial.params.is_some()) {
            // Not by the whole record: times must not decide what happens next, or a seed could not be repeated.
            let same =
                |other: &&Trial| (other.number, other.attempt) == (trial.number, trial.attempt);
            if !self.asked.iter().any(|old| same(&&old[0])) {
                let own = everywhere.iter().map(|trials| trials.iter().find(same));
                self.asked
                    .push(own.map(|trial| trial.unwrap().clone()).collect());
            }
        }
    }
}

fn ask(count: usize) -> StudyEvent {
    let worker = Worker {
        name: "tester".to_owned(),
        lease: LONG,
    };
    StudyEvent::new(format!("ask {count}"), move |study, _| {
        asked(study.ask(&worker, count))
    })
}

fn asked(answer: Result<Asked, StudyError>) -> String {
    match answer {
        Ok(Asked::Trials(trials)) => {
            format!("{:?}", trials.into_iter().map(timeless).collect::<Vec<_>>())
        }
        Ok(Asked::Wait { running, until_ms }) => format!("wait {running} {}", until_ms.is_some()),
        other => format!("{other:?}"),
    }
}

/// The trial without what depends on the time and the storage.
pub(super) fn timeless(trial: Trial) -> Trial {
    let provenance = trial.provenance.map(|from| Provenance {
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

/// The end of a trial, or intermediate values of it.
fn results(rng: &mut Rng, trials: Vec<Trial>) -> StudyEvent {
    let number = trials[0].number;
    if rng.random_bool(0.2) {
        let reports = reports(rng);
        let name = format!("report {number} {reports:?}");
        return StudyEvent::new(name, move |study, place| {
            let lease = study.lease(&trials[place]);
            format!("{:?}", study.store().report(&lease, &reports))
        });
    }
    let outcome = outcome(rng);
    StudyEvent::new(format!("tell {number} {outcome:?}"), move |study, place| {
        format!("{:?}", study.tell(&trials[place], outcome.clone()))
    })
}

fn known(rng: &mut Rng) -> Params {
    let n = rng.random_bool(0.7).then(|| rng.random_range(1..5_i64));
    n.map(|n| ("n", n)).into_iter().collect()
}

/// Renames the first parameter that begins with an x.
fn rename(given: &mut Definition, added: u64) -> Option<(String, String)> {
    let parameters = given.space.parameters();
    let old = parameters.iter().find(|p| p.name().starts_with('x'))?;
    let (from, to) = (old.name().to_owned(), format!("x{added}"));
    let renamed = |parameter: &Parameter| {
        let same = parameter.name() != from;
        let name = if same { parameter.name() } else { &to };
        Parameter::new(name, parameter.domain().clone()).unwrap()
    };
    given.space = Space::new(parameters.iter().map(renamed).collect()).unwrap();
    Some((from, to))
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
