//! A method in one run.

use std::process::Command;
use std::time::{Duration, Instant};

use neuralbo::record::{Outcome, Provenance, State, StopReason, Token, Trial, Values};
use neuralbo::space::Params;
use neuralbo::store::{Claim, Claimed, Proposal};
use neuralbo::study::{Study, StudyError};

use super::checkpoint::ChosenPoint;
use crate::external::{External, shell};
use crate::method::{MethodSpec, RunError, RunStart};

/// Where the points of another process came from: more than that is not known.
const EXTERNAL: &str = "external";

/// A method in one run.
pub enum Contender {
    /// A study whose points it chooses.
    Method(Box<Study>),
    /// A program that speaks the protocol of [`crate::external`].
    Program(Box<External>),
}

impl Contender {
    /// Makes a method ready for a run.
    pub fn begin(method: &MethodSpec, start: &RunStart) -> Result<Self, RunError> {
        match method {
            MethodSpec::Native { name, options } => {
                Ok(Self::Method(Box::new(start.study(name, options)?)))
            }
            MethodSpec::External { command } => Self::program(shell(command), start),
        }
    }

    /// Starts a program.
    pub fn program(command: Command, start: &RunStart) -> Result<Self, RunError> {
        Ok(Self::Program(Box::new(External::spawn(command, start)?)))
    }

    /// The process that chooses the points, where it is another one.
    pub fn process(&self) -> Option<u32> {
        match self {
            Self::Method(_) => None,
            Self::Program(program) => Some(program.process()),
        }
    }

    /// Tells a result that is known before the first ask.
    pub fn add_known(&mut self, params: Params, outcome: Outcome) -> Result<(), RunError> {
        match self {
            Self::Method(study) => _ = study.add_known(params, outcome)?,
            Self::Program(program) => program.tell(params, outcome)?,
        }
        Ok(())
    }

    /// The next trial.
    pub fn ask(&mut self) -> Result<Trial, RunError> {
        let started = Instant::now();
        match self {
            Self::Method(study) => match study.ask_one() {
                Err(StudyError::Ended(StopReason::Exhausted)) => Err(RunError::Exhausted),
                asked => Ok(asked?),
            },
            Self::Program(program) => {
                let params = program.ask()?;
                let provenance = Provenance {
                    origin: EXTERNAL.to_owned(),
                    suggest_ms: 1e3 * started.elapsed().as_secs_f64(),
                    ..Provenance::default()
                };
                Ok(Trial {
                    provenance: Some(provenance),
                    ..Trial::known(params, State::Running, Values::new())
                })
            }
        }
    }

    /// Repeats a trial of an earlier session, whose point is known; a program cannot.
    pub fn repeat(&mut self, chosen: &ChosenPoint, outcome: Outcome) -> Result<(), RunError> {
        let Self::Method(study) = self else {
            let reason = "a program cannot repeat the points of an earlier session";
            return Err(RunError::External(reason.to_owned()));
        };
        let study_id = study.record().id;
        let claim = Claim {
            worker: String::new(),
            token: Token::fresh(),
            lease: Duration::MAX,
        };
        let claimed = study.store().claim(study_id, &claim);
        let Claimed::Trial(trial) = claimed.map_err(StudyError::from)? else {
            return Err(RunError::Exhausted);
        };
        let proposal = Proposal {
            version: trial.version,
            params: chosen.params.clone(),
            provenance: chosen.provenance.clone(),
            repeat_allowed: true,
        };
        let proposed = study.store().propose(&study.lease(&trial), &proposal);
        proposed.map_err(StudyError::from)?;
        study.tell(&trial, outcome)?;
        Ok(())
    }

    /// Tells the result of a trial.
    pub fn tell(&mut self, trial: Trial, outcome: Outcome) -> Result<(), RunError> {
        match self {
            Self::Method(study) => _ = study.tell(&trial, outcome)?,
            Self::Program(program) => program.tell(trial.params.unwrap_or_default(), outcome)?,
        }
        Ok(())
    }

    /// The point that the method's model recommends; none without a model.
    pub fn recommended(&mut self) -> Result<Option<Params>, RunError> {
        match self {
            Self::Method(study) => match study.recommend() {
                Err(StudyError::NoModel(_)) => Ok(None),
                answer => Ok(Some(answer?.params)),
            },
            Self::Program(_) => Ok(None),
        }
    }
}
