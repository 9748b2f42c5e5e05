//! A study: in memory or in a storage, asked and told by points or by trials.

use std::sync::Arc;
use std::time::Duration;

use neuralbo::record::{
    Attributes, Definition, Direction, Ending, Limits, Outcome, Retries, StopReason, Token,
    Trial as Record,
};
use neuralbo::space::{Params, Point, Space as CoreSpace, SpaceError};
use neuralbo::store::{
    Claim, Claimed, Counts, Lease, MemoryStore, NewStudy, NewTrial, Proposal, Store, StoreError,
    StudyRecord,
};
use neuralbo::study::{Asked, Study as CoreStudy, StudyError, strategy_of};
use neuralbo_store::{Access, Secret, open_for};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::convert::{json, json_dict};
use crate::errors::{EngineResult, computed, detached, ended, value_error};
use crate::listening::listening;
use crate::outcome::outcomes;
use crate::point_form::PointForm;
use crate::predicate::Predicates;
use crate::shared_study::{HeldStudy, Names, SharedStudy};
use crate::space::PySpace;
use crate::trial::PyTrial;
use crate::{definition, study_json};

/// A study in memory or in a storage.
#[pyclass(frozen, name = "Study", module = "neuralbo._engine")]
pub struct PyStudy {
    pub(crate) form: PointForm,
    pub(crate) shared: Arc<SharedStudy>,
}

#[pymethods]
impl PyStudy {
    /// Makes a study, or with `existing` takes the one of this name; without `url` in memory, without `space` one that grows.
    ///
    /// `form` says how points look: vector, named or index; `objectives` are texts `NAME:DIRECTION`, `outcome_constraints` such as
    /// `NAME <= BOUND`, `options` such as `key=value`.
    #[staticmethod]
    #[pyo3(signature = (url, name, form, space, objectives, outcome_constraints, reference, method, options, seed, existing, pruner=None))]
    #[allow(clippy::too_many_arguments)] // one a field of the definition
    fn create(
        py: Python<'_>,
        url: Option<String>,
        name: &str,
        form: &str,
        space: Option<&PySpace>,
        objectives: Vec<String>,
        outcome_constraints: Vec<String>,
        reference: Vec<(String, f64)>,
        method: String,
        options: Vec<String>,
        seed: u64,
        existing: bool,
        pruner: Option<&str>,
    ) -> EngineResult<Self> {
        let form = PointForm::parse(form)?;
        let predicates = space
            .map(|space| space.predicates.clone())
            .unwrap_or_default();
        let space = space.map_or_else(CoreSpace::empty, |space| space.core.clone());
        let mut constraints = space.constraints().iter();
        if let Some(function) = constraints.find(|one| one.expression().is_none())
            && url.is_some()
        {
            let error = SpaceError::FunctionConstraint(function.to_string());
            return Err(value_error(error).into());
        }
        // What fails in this process would fail in it again.
        let retries = if url.is_some() {
            Retries::default()
        } else {
            Retries::never()
        };
        let mut definition = Definition {
            method,
            options,
            seed,
            retries,
            pruner: definition::pruner(pruner)?,
            objectives: definition::parsed(&objectives)?,
            outcome_constraints: definition::parsed(&outcome_constraints)?,
            ..Definition::new(space, Direction::Minimize)
        };
        definition.set_reference(reference).map_err(value_error)?;
        definition.check().map_err(value_error)?;
        let study = detached(py, || {
            strategy_of(&definition, &neuralbo_paper::registry()).map_err(value_error)?;
            let store: Arc<dyn Store> = match &url {
                Some(url) => open_for(url, Access::Create)?,
                None => Arc::new(MemoryStore::new()),
            };
            let new = NewStudy::new(name, definition, Limits::default());
            let record = match store.create_study(&new) {
                Err(StoreError::NameTaken { .. }) if existing => store.study(name),
                made => made,
            };
            opened(store, record?)
        })??;
        let url = url.as_deref().map(Secret::from);
        Ok(Self {
            form,
            shared: SharedStudy::new(study, url, predicates),
        })
    }

    /// The study of a name.
    #[staticmethod]
    fn load(py: Python<'_>, url: &str, name: &str) -> EngineResult<Self> {
        let study = detached(py, || {
            let store = open_for(url, Access::Write)?;
            let record = store.study(name)?;
            opened(store, record)
        })??;
        Ok(Self {
            form: PointForm::Named,
            shared: SharedStudy::new(study, Some(url.into()), Predicates::default()),
        })
    }

    /// A study in memory from what `record()` gave.
    #[staticmethod]
    fn from_record(py: Python<'_>, name: &str, form: &str, text: &str) -> EngineResult<Self> {
        let form = PointForm::parse(form)?;
        detached(py, || {
            let study = study_json::read(name, text)?;
            let running = study.store().running(study.record().id)?;
            let shared = SharedStudy::new(study, None, Predicates::default());
            shared.lock()?.remember(form, &running);
            Ok(Self { form, shared })
        })?
    }

    /// Everything about the study as JSON.
    fn record(&self, py: Python<'_>) -> EngineResult<String> {
        self.shared.held(py, |kept| study_json::write(&kept.study))
    }

    /// Up to `count` new points.
    fn ask<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyList>> {
        let (records, space) = self.asked(py, count, Duration::MAX)?;
        let empty = Params::new();
        let write = |record: &Record| {
            self.form
                .write(py, &space, record.params.as_ref().unwrap_or(&empty))
        };
        PyList::new(py, records.iter().map(write).collect::<PyResult<Vec<_>>>()?)
    }

    /// Tells the results of points that were asked for; all or none.
    fn tell(
        &self,
        py: Python<'_>,
        points: &Bound<'_, PyAny>,
        results: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (space, points, results) = self.pairs(py, points, results)?;
        let unknown = self
            .shared
            .held(py, |kept| kept.tell_all(&points, results))?;
        unknown.map_or(Ok(()), |index| {
            let shown = space.params(&points[index]);
            Err(value_error(format!(
                "x = {{{shown}}} was not asked for, or is told already; use `add` for results from elsewhere"
            )))
        })
    }

    /// Adds results known from elsewhere.
    fn add(
        &self,
        py: Python<'_>,
        points: &Bound<'_, PyAny>,
        results: &Bound<'_, PyAny>,
    ) -> EngineResult<()> {
        let (space, points, results) = self.pairs(py, points, results)?;
        self.shared.held(py, |kept| {
            let definition = kept.study.definition();
            let known = |(point, outcome): (&Point, Outcome)| {
                let Ending { state, values, .. } = definition.ending(outcome)?;
                Some(Record::known(space.params(point), state, values).into())
            };
            let trials: Vec<NewTrial> = points.iter().zip(results).filter_map(known).collect();
            kept.study.add(&trials)?;
            Ok(())
        })
    }

    /// Adds points that are being evaluated elsewhere.
    fn add_running(&self, py: Python<'_>, points: &Bound<'_, PyAny>) -> EngineResult<()> {
        let points = self.form.read_all(&*self.space_now(py)?, points)?;
        self.shared.held(py, |kept| kept.run_elsewhere(points))
    }

    /// The complete trial with the best value.
    fn best(&self, py: Python<'_>) -> EngineResult<Option<PyTrial>> {
        self.shared.held(py, |kept| {
            let best = kept.study.best()?;
            Ok(best.map(|trial| PyTrial::of(kept, &self.shared, trial)))
        })
    }

    /// The point of a trial, in the form of the study.
    fn x<'py>(&self, py: Python<'py>, trial: &PyTrial) -> PyResult<Bound<'py, PyAny>> {
        let empty = Params::new();
        self.form.write(
            py,
            &*self.space_now(py)?,
            trial.record.params.as_ref().unwrap_or(&empty),
        )
    }

    /// How many trials are complete, pruned, failed and unfinished.
    fn counts(&self, py: Python<'_>) -> EngineResult<(u64, u64, u64, u64)> {
        let counts = self
            .shared
            .held(py, |kept| Ok(kept.store().counts(kept.id())?))?;
        let Counts {
            complete,
            pruned,
            failed,
            running,
            ..
        } = counts;
        Ok((complete, pruned, failed, running))
    }

    /// All trials by number.
    fn trials(&self, py: Python<'_>) -> EngineResult<Vec<PyTrial>> {
        self.listed(py, |kept| kept.study.trials())
    }

    #[getter]
    fn name(&self, py: Python<'_>) -> EngineResult<String> {
        self.record_of(py, |record| record.name.clone())
    }

    /// What is searched; `None` while the study has no parameters.
    #[getter]
    fn space(&self, py: Python<'_>) -> EngineResult<Option<PySpace>> {
        self.shared.held(py, |kept| {
            let core = kept.study.definition().space.clone();
            let predicates = kept.predicates.clone();
            Ok((!core.is_empty()).then_some(PySpace { core, predicates }))
        })
    }

    /// What was attached to the study, by anybody.
    #[getter]
    fn user_attrs<'py>(&self, py: Python<'py>) -> EngineResult<Bound<'py, PyDict>> {
        let attributes = self.shared.held(py, |kept| {
            let record = kept.store().study(&kept.study.record().name)?;
            Ok(record.attributes)
        })?;
        Ok(json_dict(py, &attributes)?)
    }

    /// Attaches anything that JSON can hold.
    fn set_user_attr(
        &self,
        py: Python<'_>,
        key: &str,
        value: &Bound<'_, PyAny>,
    ) -> EngineResult<()> {
        let value = json(value, &format!("attribute `{key}`"))?;
        let attributes = Attributes::from([(key.to_owned(), value)]);
        self.shared.held(py, |kept| {
            Ok(kept.store().set_study_attributes(kept.id(), &attributes)?)
        })
    }

    /// The version of the study's definition.
    #[getter]
    fn version(&self, py: Python<'_>) -> EngineResult<u64> {
        self.record_of(py, |record| record.version)
    }

    #[getter]
    fn direction(&self, py: Python<'_>) -> EngineResult<String> {
        self.record_of(py, |record| record.definition.direction().to_string())
    }

    #[getter]
    fn method(&self, py: Python<'_>) -> EngineResult<String> {
        self.record_of(py, |record| record.definition.method.clone())
    }

    #[getter]
    fn options(&self, py: Python<'_>) -> EngineResult<Vec<String>> {
        self.record_of(py, |record| record.definition.options.clone())
    }

    #[getter]
    fn seed(&self, py: Python<'_>) -> EngineResult<u64> {
        self.record_of(py, |record| record.definition.seed)
    }

    /// The storage to be opened again, without its password; `None` in memory.
    #[getter]
    fn url(&self, py: Python<'_>) -> EngineResult<Option<String>> {
        self.shared.held(py, |kept| {
            Ok(kept.url.as_ref().map(Secret::without_password))
        })
    }

    /// The storage without its password.
    #[getter]
    fn shown_url(&self, py: Python<'_>) -> EngineResult<String> {
        self.shared
            .held(py, |kept| Ok(kept.store().url().to_owned()))
    }
}

impl PyStudy {
    /// Locks the study and computes beside the interpreter, which hears signals meanwhile.
    pub(crate) fn compute<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut HeldStudy) -> T + Send + 'static,
    ) -> PyResult<T> {
        let shared = Arc::clone(&self.shared);
        listening(py, move || {
            let mut kept = shared.lock()?;
            let kept = &mut *kept;
            computed(move || work(kept)).map_err(PyRuntimeError::new_err)
        })?
    }

    pub(crate) fn record_of<T: Send>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&StudyRecord) -> T + Send,
    ) -> EngineResult<T> {
        self.shared.held(py, |kept| Ok(read(kept.study.record())))
    }

    /// Trials of the study as Python sees them.
    pub(crate) fn listed(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&mut HeldStudy) -> Result<Vec<Record>, StudyError> + Send,
    ) -> EngineResult<Vec<PyTrial>> {
        self.shared.held(py, |kept| {
            let records = read(kept)?.into_iter();
            Ok(records
                .map(|record| PyTrial::of(kept, &self.shared, record))
                .collect())
        })
    }

    pub(crate) fn space_now(&self, py: Python<'_>) -> PyResult<Arc<CoreSpace>> {
        Ok(self.shape_now(py)?.0)
    }

    /// The space, and the names of what is searched and measured.
    pub(crate) fn shape_now(&self, py: Python<'_>) -> PyResult<(Arc<CoreSpace>, Arc<Names>)> {
        match self.shared.shape_at_once() {
            Some(shape) => Ok(shape),
            None => Ok(self.shared.held(py, |kept| Ok(kept.shape()))?),
        }
    }

    #[allow(clippy::type_complexity)]
    fn pairs(
        &self,
        py: Python<'_>,
        points: &Bound<'_, PyAny>,
        results: &Bound<'_, PyAny>,
    ) -> PyResult<(Arc<CoreSpace>, Vec<Point>, Vec<Outcome>)> {
        let (space, names) = self.shape_now(py)?;
        let (points, results) = (
            self.form.read_all(&space, points)?,
            outcomes(results, &names.measured)?,
        );
        if points.len() == results.len() {
            return Ok((space, points, results));
        }
        Err(value_error(format!(
            "x has {} points, but y has {} values",
            points.len(),
            results.len()
        )))
    }
}

impl HeldStudy {
    /// Up to `count` trials to evaluate; the error says that there is none.
    pub fn ask(&mut self, count: usize, lease: Duration) -> EngineResult<Vec<Record>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let worker = self.worker(lease);
        let study = &mut self.study;
        let asked = computed(|| study.ask(&worker, count)).map_err(PyRuntimeError::new_err)?;
        if let Err(raised) = self.predicates.check() {
            if let Ok(Asked::Trials(trials)) = asked {
                self.give_back(&trials);
            }
            return Err(raised.into());
        }
        match asked? {
            Asked::Trials(trials) => Ok(trials),
            Asked::Ended(reason) => Err(ended(reason)),
            // Without a limit on their number trials only run out with the points.
            Asked::Wait { .. } if self.study.limits().trials.is_none() => {
                Err(ended(StopReason::Exhausted))
            }
            Asked::Wait { running, .. } => Err(StudyError::Busy { running }.into()),
        }
    }

    /// Gives trials back for the next ask.
    pub fn give_back(&mut self, records: &[Record]) {
        for record in records {
            // One that cannot be given back waits for its lease to end.
            let _ = self.study.tell(record, Outcome::Interrupted);
        }
    }

    /// Keeps running trials by their points, to be told by them.
    pub fn remember(&mut self, form: PointForm, records: &[Record]) {
        if form == PointForm::Named && self.url.is_some() {
            return;
        }
        let space = Arc::clone(self.space().0);
        for record in records {
            if let Some(point) = point(&space, record) {
                self.open.push(point, self.study.lease(record));
            }
        }
    }

    /// Undoes [`HeldStudy::remember`].
    pub fn forget(&mut self, records: &[Record]) {
        let space = Arc::clone(self.space().0);
        for record in records {
            if let Some(point) = point(&space, record) {
                self.open.remove(&point, self.study.lease(record));
            }
        }
    }

    /// Tells results by their points; gives the index of a point that is not running, and then nothing is told.
    fn tell_all(&mut self, points: &[Point], results: Vec<Outcome>) -> EngineResult<Option<usize>> {
        let claimed = match self.open.take_all(points) {
            Ok(claimed) => claimed,
            Err(index) => return Ok(Some(index)),
        };
        for (lease, outcome) in claimed.into_iter().zip(results) {
            if let Some(ending) = self.study.definition().ending(outcome) {
                self.study.end_as(&lease, &ending)?;
            }
        }
        Ok(None)
    }

    /// Claims trials for points that others evaluate.
    fn run_elsewhere(&mut self, points: Vec<Point>) -> EngineResult<()> {
        let (study, version) = (self.id(), self.study.record().version);
        let store = Arc::clone(self.store());
        let space = Arc::clone(self.space().0);
        let mut waiting = Vec::new();
        for point in points {
            let params = space.params(&point);
            let record = loop {
                let claim = Claim {
                    worker: String::new(),
                    token: Token::fresh(),
                    lease: Duration::MAX,
                };
                match store.claim(study, &claim)? {
                    Claimed::Trial(record) if record.params.is_some() => waiting.push(*record),
                    Claimed::Trial(record) => break record,
                    Claimed::Full { .. } => return Err(ended(StopReason::Exhausted)),
                }
            };
            let provenance =
                Record::known(Params::new(), record.state.clone(), record.values.clone())
                    .provenance
                    .unwrap_or_default();
            let lease = Lease::of(study, &record);
            let proposal = Proposal {
                version,
                params,
                provenance,
                repeat_allowed: true,
            };
            store.propose(&lease, &proposal)?;
            self.open.push(point, lease);
        }
        self.give_back(&waiting);
        Ok(())
    }
}

/// The point of a suggested trial, whose values are those of the space as they are.
fn point(space: &CoreSpace, record: &Record) -> Option<Point> {
    space.point_of(record.params.as_ref()?).ok()
}

fn opened(store: Arc<dyn Store>, record: StudyRecord) -> EngineResult<CoreStudy> {
    Ok(CoreStudy::open(store, record, neuralbo_paper::registry())?)
}
