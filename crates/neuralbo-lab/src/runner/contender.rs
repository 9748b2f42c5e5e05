//! A method in one run.

use std::process::Command;
use std::sync::Arc;

use neuralbo::record::Definition;
use neuralbo::strategy::{Exhausted, History, LocalModel, NoModel, Request, Strategy, Suggestion};
use neuralbo::study::{Study, StudyError, strategy_of};
use neuralbo::surrogate::Posterior;

use crate::external::{External, shell};
use crate::method::{MethodSpec, RunError, RunTrouble, Start, caught, registry};

/// A method in one run: a study whose points it chooses.
pub struct Contender {
    /// Is driven.
    pub study: Study,
    /// What went wrong when the study says that no point is left.
    pub trouble: RunTrouble,
    /// The process that chooses the points, where it is another one.
    pub process: Option<u32>,
}

impl Contender {
    /// Makes a method ready for a run.
    pub fn begin(method: &MethodSpec, start: &Start) -> Result<Self, RunError> {
        match method {
            MethodSpec::Native { name, options } => Self::native(name, options, start),
            MethodSpec::External { command } => Self::program(shell(command), start),
        }
    }

    /// One of the lab's methods.
    fn native(name: &str, options: &[String], start: &Start) -> Result<Self, RunError> {
        let definition = Definition {
            method: name.to_owned(),
            options: options.to_vec(),
            ..start.definition()
        };
        let strategy = strategy_of(&definition, &registry()).map_err(StudyError::from)?;
        Self::new(definition, strategy, RunTrouble::default(), None)
    }

    /// A program that speaks the protocol of [`crate::external`].
    pub fn program(command: Command, start: &Start) -> Result<Self, RunError> {
        let trouble = RunTrouble::default();
        let program = External::spawn(command, start, trouble.clone())?;
        let process = program.process();
        Self::new(
            start.definition(),
            Box::new(program),
            trouble,
            Some(process),
        )
    }

    /// A strategy of one's own.
    pub fn choosing(start: &Start, strategy: Box<dyn Strategy>) -> Result<Self, RunError> {
        Self::new(start.definition(), strategy, RunTrouble::default(), None)
    }

    fn new(
        definition: Definition,
        strategy: Box<dyn Strategy>,
        trouble: RunTrouble,
        process: Option<u32>,
    ) -> Result<Self, RunError> {
        let guarded = Guarded {
            strategy,
            trouble: trouble.clone(),
        };
        Ok(Self {
            study: Study::with_strategy(definition, Box::new(guarded))?,
            trouble,
            process,
        })
    }
}

/// A strategy whose panic ends the run and is kept as its [`RunTrouble`]; the loop around it must not
/// panic, because threads beside it wait for its end.
struct Guarded {
    strategy: Box<dyn Strategy>,
    trouble: RunTrouble,
}

impl Strategy for Guarded {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        caught(|| self.strategy.suggest(request)).unwrap_or_else(|panic| {
            self.trouble.keep(panic);
            Err(Exhausted)
        })
    }

    fn model(&mut self, history: &History) -> Result<Arc<dyn Posterior>, NoModel> {
        self.strategy.model(history)
    }

    fn local_model(&mut self, history: &History) -> Result<LocalModel, NoModel> {
        self.strategy.local_model(history)
    }
}
