//! All studies of a schedule, those that are gone included, and the values that are kept outside of the store.

use std::collections::BTreeMap;

use super::model::{Checked, Model, must};
use super::schedule::{Action, Schedule};
use super::{Done, TimedStorage};
use neuralbo::record::{
    Definition, Direction, Ending, FailureKind, Limits, Outcome, Retries, Token, Trial,
};
use neuralbo::space::Space;
use neuralbo::store::{Claimed, Lease, NewStudy, NewTrial, Store, StoreError, StudyRecord, Told};

/// Two names, the study that each has now, and all studies that ever had one.
pub(super) struct ScheduledStudies<'a> {
    world: &'a TimedStorage,
    names: [String; 2],
    now_named: [Option<usize>; 2],
    models: Vec<Model>,
    /// The study of every claim.
    claims: BTreeMap<Token, usize>,
    /// Values that are kept outside of the store.
    kept: Vec<KeptValue>,
    definition: Definition,
    limits: Limits,
    drawn: u64,
    recovered: u64,
    gone: u64,
}

struct KeptValue {
    lease: Lease,
    ending: Ending,
    text: String,
}

impl<'a> ScheduledStudies<'a> {
    pub(super) fn new(world: &'a TimedStorage, schedule: &Schedule) -> Result<Self, String> {
        let space = Space::from_bounds(&[(0.0, 1.0)]).map_err(|error| error.to_string())?;
        let retries = Retries {
            attempts: schedule.attempts,
            kinds: vec![FailureKind::Signal],
        };
        let mut all = Self {
            world,
            names: ["simulation", "simulation"].map(crate::store::fresh),
            now_named: [None; 2],
            models: Vec::new(),
            claims: BTreeMap::new(),
            kept: Vec::new(),
            definition: Definition {
                retries,
                ..Definition::new(space, Direction::Minimize)
            },
            limits: Limits {
                trials: schedule.limit,
                ..Limits::default()
            },
            drawn: 0,
            recovered: 0,
            gone: 0,
        };
        let store = (world.open)();
        (0..2).try_for_each(|name| all.create(store.as_ref(), name))?;
        Ok(all)
    }

    /// The study of this name.
    pub(super) fn named(&mut self, name: usize) -> Option<&mut Model> {
        self.models.get_mut(self.now_named[name]?)
    }

    /// The study of a claim, unless it is gone.
    pub(super) fn living(&mut self, lease: &Lease) -> Option<&mut Model> {
        let place = *self.claims.get(&lease.token)?;
        let lives = self.now_named.contains(&Some(place));
        self.models.get_mut(place).filter(|_| lives)
    }

    /// A token for a new claim.
    pub(super) fn token(&mut self) -> Token {
        Token::new(self.claims.len() as u128 + 1)
    }

    /// A number that was never used before: what is stored shows who told it.
    pub(super) fn fresh_value(&mut self) -> f64 {
        self.drawn += 1;
        // All over the unit interval, and different for a long time: multiples of the golden ratio.
        (self.drawn as f64 * 0.618_033_988_749_894_9).fract()
    }

    pub(super) fn ending(&self, outcome: Outcome) -> Result<Ending, String> {
        let ending = self.definition.ending(outcome);
        ending.ok_or_else(|| "the outcome says nothing".to_owned())
    }

    pub(super) fn pass(&mut self, time: i64) {
        (self.world.pass)(time);
        self.models.iter_mut().for_each(|model| model.now += time);
    }

    fn create(&mut self, store: &dyn Store, name: usize) -> Checked {
        let record = self.created(store, name, Vec::new())?;
        let now = self.models.first().map_or(0, |model| model.now);
        self.now_named[name] = Some(self.models.len());
        self.models.push(Model::new(record, now));
        Ok(())
    }

    fn created(
        &self,
        store: &dyn Store,
        name: usize,
        trials: Vec<NewTrial>,
    ) -> Result<StudyRecord, String> {
        let new = NewStudy {
            trials,
            ..NewStudy::new(&self.names[name], self.definition.clone(), self.limits)
        };
        let created = store.create_study(&new);
        created.map_err(|error| error.to_string())
    }

    fn delete(&mut self, store: &dyn Store, name: usize) -> Checked {
        let Some(model) = self.named(name) else {
            return Ok(());
        };
        let deleted = store.delete_study(model.record.id);
        self.now_named[name] = None;
        deleted.map_err(|error| error.to_string())
    }

    /// Changes what studies there are; whether that was possible.
    pub(super) fn change(&mut self, action: Action, name: usize) -> Result<bool, String> {
        let store = (self.world.open)();
        match (action, self.now_named[name]) {
            (Action::Create, None) => self.create(store.as_ref(), name)?,
            (Action::Delete, Some(_)) => self.delete(store.as_ref(), name)?,
            (Action::Recreate, Some(_)) => {
                self.delete(store.as_ref(), name)?;
                self.create(store.as_ref(), name)?;
            }
            (Action::Rename, Some(place)) if self.now_named[1 - name].is_none() => {
                let trials = self.models[place].exported(store.as_ref())?;
                let record = self.created(store.as_ref(), 1 - name, trials)?;
                let copy = self.models[place].imported(record);
                self.delete(store.as_ref(), name)?;
                self.now_named[1 - name] = Some(self.models.len());
                self.models.push(copy);
            }
            (Action::Replace, _) => {
                drop(store);
                let Some(replace) = &self.world.replace else {
                    return Ok(false);
                };
                replace();
                self.now_named = [None; 2];
                self.create((self.world.open)().as_ref(), name)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn claimed(
        &mut self,
        name: usize,
        token: Token,
        lease: i64,
        answer: &Claimed,
    ) -> Checked {
        let place = self.now_named[name].ok_or("the model has lost a study")?;
        self.claims.insert(token, place);
        self.models[place].claimed(token, lease, answer)
    }

    /// A trial of a study that is gone: the store may say anything that changes nothing, see [`Self::compare`].
    pub(super) fn released(&mut self, lease: &Lease, answer: Result<(), StoreError>) -> Checked {
        let model = self.living(lease);
        model.map_or(Ok(()), |model| model.released(lease, answer))
    }

    pub(super) fn told(
        &mut self,
        lease: &Lease,
        ending: &Ending,
        answer: Result<Told, StoreError>,
    ) -> Checked {
        if let Some(model) = self.living(lease) {
            return model.told(lease, ending, answer);
        }
        self.gone += 1;
        must(answer.is_err(), || {
            format!("a result of a study that is gone was answered by {answer:?}")
        })
    }

    /// Keeps the value of a trial outside of the store.
    pub(super) fn keep(&mut self, trial: &Trial, outcome: Outcome) -> Checked {
        let place = *self.claims.get(&trial.token).ok_or("an unknown claim")?;
        let (record, ending) = (&self.models[place].record, self.ending(outcome)?);
        self.kept.push(KeptValue {
            lease: Lease::of(record.id, trial),
            text: (self.world.keep)(record, trial, &ending),
            ending,
        });
        Ok(())
    }

    /// Tells one of the kept values; whether there was one.
    pub(super) fn tell_kept(&mut self, which: usize, store: &dyn Store) -> Result<bool, String> {
        if self.kept.is_empty() {
            return Ok(false);
        }
        let KeptValue {
            lease,
            ending,
            text,
        } = self.kept.swap_remove(which % self.kept.len());
        let answer = (self.world.tell_kept)(store, &text);
        self.recovered += u64::from(answer == Ok(Told::Finished));
        self.told(&lease, &ending, answer)?;
        Ok(true)
    }

    /// Compares everything that is stored.
    pub(super) fn compare(&self, store: &dyn Store) -> Checked {
        for (name, place) in self.names.iter().zip(self.now_named) {
            let found = store.study(name).map(|record| record.id).ok();
            let model = place.map(|place| &self.models[place]);
            must(found == model.map(|model| model.record.id), || {
                format!("`{name}` is the study {found:?}")
            })?;
            model.map_or(Ok(()), |model| model.compare(store))?;
        }
        Ok(())
    }

    /// Compares the intermediate values.
    pub(super) fn compare_reports(&self, store: &dyn Store) -> Checked {
        let living = self.now_named.into_iter().flatten();
        living
            .map(|place| &self.models[place])
            .try_for_each(|model| model.compare_reports(store))
    }

    pub(super) fn done(&self, steps: u64) -> Done {
        let sum = |count: fn(&Model) -> u64| self.models.iter().map(count).sum();
        Done {
            steps,
            finished: sum(|model| model.order.len() as u64),
            taken_over: sum(|model| model.taken_over),
            too_late: sum(|model| model.too_late),
            recovered: self.recovered,
            gone: self.gone,
        }
    }
}
