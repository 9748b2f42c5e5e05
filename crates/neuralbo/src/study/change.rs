//! Studies whose definition changes: each change makes the next version and keeps every trial.

use super::{Log, Study, StudyError, strategy_of};
use rand::RngExt;

use crate::linalg::{Purpose, Streams};
use crate::record::{Alias, Definition, Difference, Trial};
use crate::space::{Change, Expression, Parameter, Space, SpaceError, Value};
use crate::store::StoreError;

/// Attempts at a change while others change the study at the same time.
const TRIES: usize = 100;

/// What became of a parameter that was asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Growth {
    /// The study has it, with this domain or a larger one.
    Present,
    /// It is new: trials so far do not have it.
    Added,
    /// Its domain became larger, so as to hold what was asked for.
    Widened {
        /// What it was.
        from: String,
        /// What it is.
        to: String,
    },
}

impl Study {
    /// Changes what the study is. All trials are kept and go on to teach: parameters they did not have are absent from them,
    /// values outside of a narrower range stay known.
    ///
    /// `renames` are pairs of an old and a new name: the values of the old one become those of the new one. Returns what changed;
    /// nothing is stored when nothing did.
    ///
    /// ```
    /// use neuralbo::record::{Definition, Direction};
    /// use neuralbo::space::{Params, Space};
    /// use neuralbo::study::Study;
    ///
    /// let space = |texts: &[&str]| Space::new(texts.iter().map(|text| text.parse()).collect::<Result<_, _>>()?);
    /// let first = Definition::new(space(&["a=float(0,1)", "b=float(0,1)"])?, Direction::Minimize);
    /// let mut study = Study::new(first.clone())?;
    /// study.add_known([("a", 0.25), ("b", 0.5)].into_iter().collect(), 3.0)?;
    ///
    /// let second = Definition { space: space(&["rate=float(0,2)", "b=float(0,1)", "depth=int(1,9)"])?, ..first };
    /// let changed = study.redefine(second, &[("a".to_owned(), "rate".to_owned())])?;
    /// assert_eq!(changed.len(), 3);
    /// assert_eq!(study.log().history().observed().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn redefine(
        &mut self,
        given: Definition,
        renames: &[(String, String)],
    ) -> Result<Vec<Difference>, StudyError> {
        let differences = self.differences(&given, renames)?;
        let stored = &self.record.definition;
        if differences.is_empty() && (stored.seed, &stored.retries) == (given.seed, &given.retries)
        {
            return Ok(differences);
        }
        let version = self.record.version + 1;
        let alias = |(from, to): &(String, String)| Alias {
            from: from.clone(),
            to: to.clone(),
            version,
        };
        let mut aliases = self.record.definition.aliases.clone();
        aliases.extend(renames.iter().map(alias));
        self.adopt(Definition { aliases, ..given })?;
        Ok(differences)
    }

    /// What [`Study::redefine`] would change.
    pub fn differences(
        &self,
        given: &Definition,
        renames: &[(String, String)],
    ) -> Result<Vec<Difference>, StudyError> {
        // An empty space has nothing to rename, and cannot be recreated.
        let stored = &self.record.definition.space;
        let renamed = if renames.is_empty() {
            stored.clone()
        } else {
            with_names(stored, renames)?
        };
        if let Some((_, to)) = renames
            .iter()
            .find(|(_, to)| given.space.parameter(to).is_none())
        {
            let expected = given.space.names();
            return Err(SpaceError::UnknownName {
                name: to.clone(),
                expected,
            }
            .into());
        }
        let change = |(from, to): &(String, String)| {
            Difference::Space(Change::Renamed {
                from: from.clone(),
                to: to.clone(),
            })
        };
        let mut differences: Vec<Difference> = renames.iter().map(change).collect();
        differences.extend(
            Definition {
                space: renamed,
                ..self.record.definition.clone()
            }
            .differences(given),
        );
        Ok(differences)
    }

    /// Makes the next version of the definition and folds all trials under it.
    pub(super) fn adopt(&mut self, definition: Definition) -> Result<(), StudyError> {
        definition.check()?;
        let strategy = strategy_of(&definition, &self.registry)?;
        self.record.version =
            self.store
                .redefine(self.record.id, self.record.version, &definition)?;
        self.strategy = strategy;
        self.log = Log::new(definition.clone());
        self.changes = None;
        self.record.definition = definition;
        self.refresh()
    }

    /// Makes sure that the study has a parameter with at least this domain, for objectives that say what they need while they
    /// run.
    ///
    /// A parameter that is new is added; one whose range or choices are larger than before becomes larger, one with another
    /// condition is active where either holds (without one, the study's stays). The error is a domain of another kind. Workers that do so at the same time agree.
    pub fn grow(&mut self, parameter: &Parameter) -> Result<Growth, StudyError> {
        for _ in 0..TRIES {
            let (growth, space) = self.grown(parameter)?;
            if growth == Growth::Present {
                return Ok(growth);
            }
            match self.adopt(Definition {
                space,
                ..self.record.definition.clone()
            }) {
                Ok(()) => return Ok(growth),
                Err(StudyError::Store(StoreError::Redefined { .. })) => self.reload()?,
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::Redefined {
            found: self.record.version,
            expected: self.record.version,
        }
        .into())
    }

    /// The value of a parameter that a trial asks for while it runs; the study grows by it if need be, see [`Study::grow`].
    ///
    /// What was suggested is kept where the domain asked for has it. Anything else is drawn from a random stream of its own, by
    /// seed, trial and name: workers that begin at the same time begin at different points.
    pub fn value_for(
        &mut self,
        trial: &Trial,
        parameter: &Parameter,
    ) -> Result<(Value, Growth), StudyError> {
        let growth = self.grow(parameter)?;
        let suggested = trial
            .params
            .as_ref()
            .and_then(|params| parameter.accepted(params.get(parameter.name())?));
        Ok((
            suggested.unwrap_or_else(|| self.drawn(trial.number, parameter)),
            growth,
        ))
    }

    fn drawn(&self, number: u64, parameter: &Parameter) -> Value {
        // FNV-1a of the name.
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        let name = parameter.name().bytes().fold(0xcbf2_9ce4_8422_2325, step);
        parameter.draw(
            Streams::new(self.record.definition.seed ^ name)
                .stream(number, Purpose::Design)
                .random(),
        )
    }

    fn grown(&self, parameter: &Parameter) -> Result<(Growth, Space), StudyError> {
        let space = &self.record.definition.space;
        let Some(stored) = space.parameter(parameter.name()) else {
            return Ok((Growth::Added, space.with(parameter.clone())?));
        };
        let incompatible = || StudyError::Incompatible {
            name: parameter.name().to_owned(),
            stored: stored.domain().to_string(),
            given: parameter.domain().to_string(),
        };
        let joined = stored
            .domain()
            .joined(parameter.domain())
            .ok_or_else(incompatible)?;
        let larger = stored
            .with_domain(joined)?
            .with_condition(either(stored.condition(), parameter.condition()));
        if larger == *stored {
            return Ok((Growth::Present, space.clone()));
        }
        let text = |parameter: &Parameter| {
            let text = parameter.to_string();
            text.split_once('=')
                .map_or(text.clone(), |(_, text)| text.to_owned())
        };
        let growth = Growth::Widened {
            from: text(stored),
            to: text(&larger),
        };
        let replace = |old: &Parameter| {
            if old.name() == larger.name() {
                larger.clone()
            } else {
                old.clone()
            }
        };
        Ok((
            growth,
            space.with_parameters(space.parameters().iter().map(replace).collect())?,
        ))
    }
}

/// The condition that holds where one of both does. A parameter that was always active stays so, and who asks for a parameter
/// without saying when does not ask for more than there is.
fn either(stored: Option<&Expression>, given: Option<&Expression>) -> Option<Expression> {
    match (stored, given) {
        (Some(stored), Some(given)) if stored != given => Some(stored.clone().or(given.clone())),
        (stored, _) => stored.cloned(),
    }
}

/// The space with some of its parameters under other names.
fn with_names(space: &Space, renames: &[(String, String)]) -> Result<Space, SpaceError> {
    if let Some((from, _)) = renames
        .iter()
        .find(|(from, _)| space.parameter(from).is_none())
    {
        return Err(SpaceError::UnknownName {
            name: from.clone(),
            expected: space.names(),
        });
    }
    let new_name = |name: &str| {
        renames
            .iter()
            .find(|(from, _)| from == name)
            .map(|(_, to)| to.clone())
    };
    let renamed = |parameter: &Parameter| {
        let name = new_name(parameter.name()).unwrap_or_else(|| parameter.name().to_owned());
        let condition = parameter
            .condition()
            .map(|condition| condition.renamed(new_name));
        Ok(Parameter::new(name, parameter.domain().clone())?.with_condition(condition))
    };
    Space::new(
        space
            .parameters()
            .iter()
            .map(renamed)
            .collect::<Result<_, _>>()?,
    )?
    .with_constraints_of(space, renames)
}
