//! A method in one run.

use std::process::Command;

use neuralbo::record::{Definition, StopReason, Trial};
use neuralbo::study::{Study, StudyError, strategy_of};

use crate::external::{External, shell};
use crate::method::{MethodSpec, RunError, RunStart, RunTrouble, registry};

/// A method in one run: a study whose points it chooses.
pub struct Contender {
    /// Is asked and told.
    pub study: Study,
    /// What went wrong when the study says that no point is left.
    pub trouble: RunTrouble,
    /// The process that chooses the points, where it is another one.
    pub process: Option<u32>,
}

impl Contender {
    /// Makes a method ready for a run.
    pub fn begin(method: &MethodSpec, start: &RunStart) -> Result<Self, RunError> {
        match method {
            MethodSpec::Native { name, options } => Self::native(name, options, start),
            MethodSpec::External { command } => Self::program(shell(command), start),
        }
    }

    /// One of the lab's methods.
    fn native(name: &str, options: &[String], start: &RunStart) -> Result<Self, RunError> {
        let definition = Definition {
            method: name.to_owned(),
            options: options.to_vec(),
            ..start.definition()
        };
        let strategy = strategy_of(&definition, &registry()).map_err(StudyError::from)?;
        Ok(Self {
            study: Study::with_strategy(definition, strategy)?,
            trouble: RunTrouble::default(),
            process: None,
        })
    }

    /// A program that speaks the protocol of [`crate::external`].
    pub fn program(command: Command, start: &RunStart) -> Result<Self, RunError> {
        let trouble = RunTrouble::default();
        let program = External::spawn(command, start, trouble.clone())?;
        Ok(Self {
            process: Some(program.process()),
            study: Study::with_strategy(start.definition(), Box::new(program))?,
            trouble,
        })
    }

    /// The next trial.
    pub fn ask(&mut self) -> Result<Trial, RunError> {
        let asked = self.study.ask_one();
        // What went wrong comes before what the study made of it.
        self.trouble.take()?;
        match asked {
            Err(StudyError::Ended(StopReason::Exhausted)) => Err(RunError::Exhausted),
            asked => Ok(asked?),
        }
    }
}
