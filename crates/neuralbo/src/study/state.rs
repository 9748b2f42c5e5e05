//! The study itself: opened, told, looked at.

use std::sync::Arc;

use super::asking::ClaimedTrials;
use super::branches::Branches;
use super::promotion::Promotion;
use super::{Event, Log, StudyError, strategy_of};
use crate::pareto::Hypervolume;
use crate::record::{Definition, Ending, Limits, Outcome, StopReason, Trial, Values};
use crate::space::Params;
use crate::store::{
    Counts, Lease, MemoryStore, NewStudy, NewTrial, Store, StoreError, StudyRecord, Told,
    all_trials, each_finished,
};
use crate::strategy::presets::Registry;
use crate::strategy::{CancelFlag, Strategy};

/// One process's view of a study: a store, a strategy and the log of what happened.
///
/// The history is pulled from the store piece by piece, in the order of the store, and only grows: a suggestion costs what is
/// new, not what is there.
///
/// ```
/// use neuralbo::record::{Definition, Direction};
/// use neuralbo::space::Space;
/// use neuralbo::study::Study;
///
/// let space = Space::new(vec!["x=float(-5,10)".parse()?, "y=float(0,15)".parse()?])?;
/// let mut study = Study::new(Definition { seed: 7, ..Definition::new(space, Direction::Minimize) })?;
/// for _ in 0..10 {
///     let trial = study.ask_one()?;
///     let value = trial.params.iter().filter_map(|params| params.float("x")).map(|x| x * x).sum::<f64>();
///     study.tell(&trial, value)?;
/// }
/// assert_eq!(study.counts().complete, 10);
/// assert!(study.best()?.is_some());
/// # Ok::<(), neuralbo::study::StudyError>(())
/// ```
pub struct Study {
    pub(super) store: Arc<dyn Store>,
    pub(super) registry: Registry,
    pub(super) record: StudyRecord,
    pub(super) strategy: Box<dyn Strategy>,
    pub(super) log: Log,
    pub(super) claimed: ClaimedTrials,
    /// How many changes of the running trials the log has seen, see [`Store::changes`].
    pub(super) changes: Option<u64>,
    pub(super) branches: Branches,
    pub(super) cancel: CancelFlag,
    pub(super) promotion: Promotion,
}

impl Study {
    /// A study in memory, without limits.
    pub fn new(definition: Definition) -> Result<Self, StudyError> {
        let strategy = strategy_of(&definition, &Registry::standard())?;
        Self::with_strategy(definition, strategy)
    }

    /// A study in memory whose points are chosen by this strategy, whatever method its definition names.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn with_strategy(
        definition: Definition,
        strategy: Box<dyn Strategy>,
    ) -> Result<Self, StudyError> {
        definition.check()?;
        let store = MemoryStore::new();
        let record = store.create_study(&NewStudy::new("study", definition, Limits::default()))?;
        Ok(Self::of(
            Arc::new(store),
            record,
            Registry::standard(),
            strategy,
        ))
    }

    /// A study of a store, with the methods of this registry; its trials are read when they are needed.
    pub fn open(
        store: Arc<dyn Store>,
        record: StudyRecord,
        registry: Registry,
    ) -> Result<Self, StudyError> {
        record.definition.check()?;
        let strategy = strategy_of(&record.definition, &registry)?;
        Ok(Self::of(store, record, registry, strategy))
    }

    fn of(
        store: Arc<dyn Store>,
        record: StudyRecord,
        registry: Registry,
        strategy: Box<dyn Strategy>,
    ) -> Self {
        Self {
            log: Log::new(record.definition.clone()),
            store,
            registry,
            record,
            strategy,
            claimed: ClaimedTrials::default(),
            changes: None,
            branches: Branches::default(),
            cancel: CancelFlag::default(),
            promotion: Promotion::default(),
        }
    }

    /// The study as the store knew it when it was opened or changed last.
    pub fn record(&self) -> &StudyRecord {
        &self.record
    }

    /// What is searched and how.
    pub fn definition(&self) -> &Definition {
        &self.record.definition
    }

    /// The store it lives in.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Ends a long ask from another thread: as long as it is raised, an ask chooses one point and leaves it at that.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn cancel_flag(&self) -> CancelFlag {
        self.cancel.clone()
    }

    /// What this process knows of the trials; [`Study::refresh`] brings it up to date.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// When the study ends.
    pub fn limits(&self) -> Limits {
        self.record.limits
    }

    /// Changes when the study ends.
    pub fn set_limits(&mut self, limits: Limits) -> Result<(), StudyError> {
        limits.check(&self.record.definition)?;
        self.store.limit(self.record.id, &limits)?;
        self.record.limits = limits;
        Ok(())
    }

    /// Pulls what has finished since the last time.
    pub fn refresh(&mut self) -> Result<(), StudyError> {
        let log = &mut self.log;
        let definition = &self.record.definition;
        let curves = definition.pruner.as_ref().map(|_| definition.objective());
        each_finished(
            self.store.as_ref(),
            self.record.id,
            log.seq(),
            curves,
            |finished| {
                log.apply(Event::Told(finished));
                Ok(())
            },
        )
    }

    /// Pulls the trials that run now.
    pub(super) fn refresh_running(&mut self) -> Result<Vec<Trial>, StudyError> {
        let running = self.store.running(self.record.id)?;
        self.log.set_running(
            running
                .iter()
                .map(|trial| (trial.number, trial.params.as_ref())),
        );
        Ok(running)
    }

    /// Makes sure that the log has the trials that run now.
    pub(super) fn follow_running(&mut self) -> Result<(), StudyError> {
        let changes = self.store.changes(self.record.id);
        if changes.is_none() || changes != self.changes {
            self.refresh_running()?;
            self.changes = changes;
        }
        Ok(())
    }

    /// Reads the newest version of the definition and folds all trials under it.
    pub(super) fn reload(&mut self) -> Result<(), StudyError> {
        let record = self.store.study(&self.record.name)?;
        if record.definition != self.record.definition {
            self.strategy = strategy_of(&record.definition, &self.registry)?;
        }
        self.log = Log::new(record.definition.clone());
        self.changes = None;
        self.record = record;
        self.refresh()
    }

    /// Tells how a trial ended.
    ///
    /// NaN and infinities make it a failed trial. An outcome that says nothing about the trial gives it back: it waits for
    /// another worker.
    pub fn tell(&mut self, trial: &Trial, outcome: impl Into<Outcome>) -> Result<Told, StudyError> {
        match self.record.definition.ending(outcome.into()) {
            Some(ending) => self.end(trial, &ending),
            None => {
                self.store.release(&self.lease(trial))?;
                // It may wait for another worker with its point, or be gone: the store knows.
                self.changes = None;
                Ok(Told::Retried)
            }
        }
    }

    /// Stores the end of a trial.
    pub fn end(&mut self, trial: &Trial, ending: &Ending) -> Result<Told, StudyError> {
        self.end_as(&self.lease(trial), ending)
    }

    /// Stores the end of a trial as the holder of its lease.
    pub fn end_as(&mut self, lease: &Lease, ending: &Ending) -> Result<Told, StudyError> {
        let told = self.store.tell(lease, ending)?;
        if told == Told::Finished {
            self.changes = self.changes.map(|count| count + 1);
        }
        self.refresh()?;
        Ok(told)
    }

    /// The right to tell a trial as it was asked for.
    pub fn lease(&self, trial: &Trial) -> Lease {
        Lease::of(self.record.id, trial)
    }

    /// Adds trials from elsewhere; all or none. Returns their numbers.
    pub fn add(&mut self, trials: &[NewTrial]) -> Result<Vec<u64>, StudyError> {
        let numbers = self.store.add(self.record.id, trials)?;
        self.refresh()?;
        Ok(numbers)
    }

    /// Adds a result known from elsewhere.
    pub fn add_known(
        &mut self,
        params: Params,
        outcome: impl Into<Outcome>,
    ) -> Result<u64, StudyError> {
        let params = self.record.definition.space.check_known(&params)?;
        let ending = self.record.definition.ending(outcome.into());
        let (state, values) = ending
            .map_or((crate::record::State::Running, Values::new()), |end| {
                (end.state, end.values)
            });
        let numbers = self.add(&[Trial::known(params, state, values).into()])?;
        Ok(numbers.first().copied().unwrap_or_default())
    }

    /// All trials by number, with their parameters as they were recorded.
    pub fn trials(&self) -> Result<Vec<Trial>, StudyError> {
        Ok(all_trials(self.store.as_ref(), self.record.id)?)
    }

    /// The complete, feasible trial with the best value of the first objective; the earliest finished one of equals.
    ///
    /// With several objectives it is one end of what was found: [`Study::front`] has the trials to choose from.
    pub fn best(&self) -> Result<Option<Trial>, StudyError> {
        Ok(self.store.best(self.record.id)?)
    }

    /// The trials of the Pareto front; with one objective the best one.
    pub fn front(&mut self) -> Result<Vec<Trial>, StudyError> {
        self.refresh()?;
        let trials = self
            .log
            .front()
            .into_iter()
            .map(|number| self.store.trial(self.record.id, number));
        Ok(trials.collect::<Result<_, StoreError>>()?)
    }

    /// The hypervolume of the Pareto front and its reference point, in the user's units; `None` with one objective, or while there is
    /// neither a front nor a reference point.
    ///
    /// ```
    /// use neuralbo::record::{Definition, Direction, Values};
    /// use neuralbo::space::Space;
    /// use neuralbo::study::Study;
    ///
    /// let mut definition = Definition::new(Space::from_bounds(&[(0.0, 1.0)])?, Direction::Minimize);
    /// definition.objectives = vec!["loss:minimize".parse()?, "latency:minimize".parse()?];
    /// let mut study = Study::new(Definition { method: "sobol".into(), ..definition })?;
    /// for _ in 0..8 {
    ///     let trial = study.ask_one()?;
    ///     let x = trial.params.as_ref().and_then(|params| params.float("x0")).unwrap_or_default();
    ///     study.tell(&trial, Values::from([("loss".to_owned(), x * x), ("latency".to_owned(), 1.0 - x)]))?;
    /// }
    /// assert_eq!(study.front()?.len(), 8);
    /// assert!(study.hypervolume()?.is_some_and(|hypervolume| hypervolume.value > Some(0.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hypervolume(&mut self) -> Result<Option<Hypervolume>, StudyError> {
        self.refresh()?;
        Ok(self.log.hypervolume())
    }

    /// The complete trial that violates the outcome constraints least, with its total violation, see [`Log::least_violation`].
    pub fn least_violation(&mut self) -> Result<Option<(Trial, f64)>, StudyError> {
        self.refresh()?;
        let found = self.log.least_violation();
        Ok(found
            .map(|(number, total)| {
                Ok::<_, StoreError>((self.store.trial(self.record.id, number)?, total))
            })
            .transpose()?)
    }

    /// How many trials this process knows of.
    pub fn counts(&self) -> Counts {
        self.log.counts()
    }

    /// Which of the limits says that the study is over, by what this process knows.
    pub fn stop_reason(&self) -> Option<StopReason> {
        self.log.stop_reason(&self.record.limits)
    }
}
