//! Thousands of random schedules against the model of what must be stored, and proof that broken promises are found.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use neuralbo::record::{
    Attributes, Definition, Ending, Limits, Report, State, StepReport, Token, Trial,
};
use neuralbo::store::{
    Claim, Claimed, Counts, Finished, Lease, NewStudy, NewTrial, Proposal, Proposed, Store,
    StoreError, StudyId, StudyRecord, Told,
};
use neuralbo_testkit::simulation::{Schedule, TimedStorage, run, simulate};

/// `NEURALBO_SIMULATION_SEED=17` runs one schedule again.
#[test]
fn the_store_in_memory_keeps_its_promises_on_random_schedules() {
    let seeds = match std::env::var("NEURALBO_SIMULATION_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
    {
        Some(seed) => seed..seed + 1,
        None => 0..5000,
    };
    let done = simulate(
        || TimedStorage::in_memory(|store| store),
        seeds.clone(),
        120,
    );
    println!("{done:?}");
    if seeds == (0..5000) {
        assert!(
            done.finished > 10_000 && done.taken_over > 2000 && done.too_late > 2000,
            "{done:?}"
        );
        assert!(done.recovered > 1000 && done.gone > 2000, "{done:?}");
    }
}

#[test]
fn the_same_seed_is_the_same_schedule() {
    assert_eq!(Schedule::draw(7, 50), Schedule::draw(7, 50));
    assert_ne!(Schedule::draw(7, 50), Schedule::draw(8, 50));
}

/// Which promise a store breaks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// Anybody may tell a trial, not only its holder.
    OwnerIgnored,
    /// A claim repeated with its token is a new claim.
    TokenIgnored,
    /// A result is acknowledged and not stored.
    ResultLost,
    /// A result that comes too late replaces the one that was told.
    LeaseNeverLost,
    /// A trial is given away while its lease holds.
    TakenTooEarly,
    /// Trials without attempts left stay as they are.
    NeverFailed,
    /// Trials that wait are not given to anybody.
    WaitingForgotten,
    /// What a dead worker reported stays.
    ReportsKept,
    /// A failure to be tried again ends the trial.
    NeverRetried,
    /// The value is stored in single precision.
    Rounded,
}

const FAULTS: [Fault; 10] = [
    Fault::OwnerIgnored,
    Fault::TokenIgnored,
    Fault::ResultLost,
    Fault::LeaseNeverLost,
    Fault::TakenTooEarly,
    Fault::NeverFailed,
    Fault::WaitingForgotten,
    Fault::ReportsKept,
    Fault::NeverRetried,
    Fault::Rounded,
];

struct Mutant(Arc<dyn Store>, Fault);

impl Mutant {
    fn current(&self, lease: &Lease) -> Lease {
        let trial = self.0.trial(lease.study, lease.number);
        trial.map_or(*lease, |trial| Lease::of(lease.study, &trial))
    }

    fn claim(&self, study: StudyId, claim: &Claim) -> Result<Claimed, StoreError> {
        let running = self.0.running(study)?;
        match self.1 {
            Fault::TokenIgnored => {
                let token = Token::fresh();
                let claim = claim.clone();
                self.0.claim(study, &Claim { token, ..claim })
            }
            Fault::TakenTooEarly => {
                running
                    .iter()
                    .try_for_each(|trial| self.0.expire(&Lease::of(study, trial)))?;
                self.0.claim(study, claim)
            }
            Fault::WaitingForgotten if running.iter().any(Trial::is_waiting) => Ok(Claimed::Full {
                running: running.len() as u64,
            }),
            Fault::ReportsKept => {
                let before: Vec<(u64, Vec<Report>)> = running
                    .iter()
                    .map(|trial| Ok((trial.number, self.0.reports(study, trial.number)?)))
                    .collect::<Result<_, StoreError>>()?;
                let answer = self.0.claim(study, claim)?;
                if let Claimed::Trial(trial) = &answer {
                    let kept = before
                        .into_iter()
                        .find(|(number, _)| *number == trial.number)
                        .map(|(_, reports)| reports);
                    self.0
                        .report(&Lease::of(study, trial), &kept.unwrap_or_default())?;
                }
                Ok(answer)
            }
            _ => self.0.claim(study, claim),
        }
    }

    fn tell(&self, lease: &Lease, ending: &Ending) -> Result<Told, StoreError> {
        match self.1 {
            Fault::OwnerIgnored => self.0.tell(&self.current(lease), ending),
            Fault::ResultLost if lease.number % 2 == 1 => Ok(Told::Finished),
            Fault::Rounded => {
                let values = ending
                    .values
                    .iter()
                    .map(|(name, value)| (name.clone(), f64::from(*value as f32)))
                    .collect();
                self.0.tell(
                    lease,
                    &Ending {
                        values,
                        ..ending.clone()
                    },
                )
            }
            Fault::NeverRetried => match &ending.state {
                State::Failed { failure } => {
                    let failure = neuralbo::record::Failure::new(
                        neuralbo::record::FailureKind::Exit,
                        failure.message.clone(),
                    );
                    self.0.tell(
                        lease,
                        &Ending {
                            state: State::Failed { failure },
                            ..ending.clone()
                        },
                    )
                }
                _ => self.0.tell(lease, ending),
            },
            _ => self.0.tell(lease, ending),
        }
    }

    fn renew(&self, leases: &[Lease], lease: Duration) -> Result<Vec<Lease>, StoreError> {
        let answer = self.0.renew(leases, lease)?;
        Ok(if self.1 == Fault::LeaseNeverLost {
            Vec::new()
        } else {
            answer
        })
    }

    fn fail_expired(&self, study: StudyId) -> Result<Vec<u64>, StoreError> {
        if self.1 == Fault::NeverFailed {
            Ok(Vec::new())
        } else {
            self.0.fail_expired(study)
        }
    }
}

macro_rules! passed_on {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Store for Mutant {
            $(fn $name(&self, $($argument: $type),*) -> Result<$answer, StoreError> {
                self.0.$name($($argument),*)
            })*
            fn claim(&self, study: StudyId, claim: &Claim) -> Result<Claimed, StoreError> {
                Mutant::claim(self, study, claim)
            }
            fn tell(&self, lease: &Lease, ending: &Ending) -> Result<Told, StoreError> {
                Mutant::tell(self, lease, ending)
            }
            fn renew(&self, leases: &[Lease], lease: Duration) -> Result<Vec<Lease>, StoreError> {
                Mutant::renew(self, leases, lease)
            }
            fn fail_expired(&self, study: StudyId) -> Result<Vec<u64>, StoreError> {
                Mutant::fail_expired(self, study)
            }
            fn url(&self) -> &str {
                self.0.url()
            }
        }
    };
}

passed_on! {
    fn create_study(study: &NewStudy) -> StudyRecord;
    fn study(name: &str) -> StudyRecord;
    fn studies() -> Vec<StudyRecord>;
    fn definitions(study: StudyId) -> Vec<Definition>;
    fn limit(study: StudyId, limits: &Limits) -> ();
    fn redefine(study: StudyId, from: u64, definition: &Definition) -> u64;
    fn rename_study(study: StudyId, name: &str) -> ();
    fn set_study_attributes(study: StudyId, attributes: &Attributes) -> ();
    fn delete_study(study: StudyId) -> ();
    fn propose(lease: &Lease, proposal: &Proposal) -> Proposed;
    fn release(lease: &Lease) -> ();
    fn expire(lease: &Lease) -> ();
    fn report(lease: &Lease, reports: &[Report]) -> ();
    fn set_attributes(study: StudyId, number: u64, attributes: &Attributes) -> ();
    fn add(study: StudyId, trials: &[NewTrial]) -> Vec<u64>;
    fn trial(study: StudyId, number: u64) -> Trial;
    fn trials(study: StudyId, first: u64, count: u64) -> Vec<Trial>;
    fn running(study: StudyId) -> Vec<Trial>;
    fn finished_since(study: StudyId, seq: u64, count: u64) -> Vec<Finished>;
    fn best(study: StudyId) -> Option<Trial>;
    fn counts(study: StudyId) -> Counts;
    fn reports(study: StudyId, number: u64) -> Vec<Report>;
    fn reports_at(study: StudyId, step: i64, name: &str) -> Vec<StepReport>;
}

/// A world whose store has this fault.
fn broken(fault: Fault) -> TimedStorage {
    macro_rules! one {
        ($($name:ident),*) => {
            match fault { $(Fault::$name => TimedStorage::in_memory(|store| Arc::new(Mutant(store, Fault::$name)))),* }
        };
    }
    one!(
        OwnerIgnored,
        TokenIgnored,
        ResultLost,
        LeaseNeverLost,
        TakenTooEarly,
        NeverFailed,
        WaitingForgotten,
        ReportsKept,
        NeverRetried,
        Rounded
    )
}

#[test]
fn every_broken_promise_is_found_and_its_schedule_shortened() {
    for fault in FAULTS {
        let breaks = |schedule: &Schedule| run(&broken(fault), schedule).is_err();
        let found = (0..50).map(|seed| Schedule::draw(seed, 120)).find(breaks);
        let found = found.unwrap_or_else(|| panic!("{fault:?} was not found in 50 schedules"));
        let short = found.shortened(breaks);
        println!(
            "{fault:?}: {} steps, {}",
            short.steps.len(),
            run(&broken(fault), &short).err().unwrap()
        );
        assert!(
            breaks(&short) && short.steps.len() <= 12,
            "{fault:?}: {short:?}"
        );
    }
}

/// Values that are kept with the name of their study, the number and the attempt: what a spool must not do.
fn kept_by_name() -> TimedStorage {
    TimedStorage::in_memory(|store| store).keeping(
        |study, trial, ending| {
            serde_json::json!([study.name, trial.number, trial.attempt, ending]).to_string()
        },
        |store, text| {
            let (name, number, attempt, ending): (String, u64, u64, Ending) =
                serde_json::from_str(text).unwrap();
            let study = store.study(&name)?.id;
            let trial = store.trial(study, number)?;
            let token = if trial.attempt == attempt {
                trial.token
            } else {
                Token::NONE
            };
            store.tell(
                &Lease {
                    token,
                    ..Lease::of(study, &trial)
                },
                &ending,
            )
        },
    )
}

#[test]
fn a_value_that_reaches_a_trial_by_name_and_number_is_found() {
    let breaks = |schedule: &Schedule| run(&kept_by_name(), schedule).is_err();
    let found = (0..200).map(|seed| Schedule::draw(seed, 120)).find(breaks);
    let short = found.unwrap().shortened(breaks);
    println!("{}", run(&kept_by_name(), &short).err().unwrap());
    assert!(breaks(&short) && short.steps.len() <= 12, "{short:?}");
}
