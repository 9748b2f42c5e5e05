//! The objective of a run: a program or a built-in function.

use std::path::Path;
use std::time::Duration;

use neuralbo::drive::{Cancel, Objective, Reporter};
use neuralbo::record::{Definition, Direction, Outcome, OutcomeConstraint, Trial};
use neuralbo::space::{Expression, Parameter, Params, Space};
use neuralbo::study::Study;
use neuralbo_store::Checkpoints;

use super::args::{RunArgs, WorkArgs};
use super::function::{self, BuiltinFunction};
use crate::configspace;
use crate::interrupt::Interrupt;
use crate::output::{CommandError, OrCommandError, say};
use crate::platform::{Platform, Program, Supervisors, System};
use crate::process::{self, CHECKPOINT, CommandTemplate, ProgramLaunch, STEPS, WITHHELD};

/// What gives trials their values.
pub struct RunObjective {
    kind: ObjectiveKind,
    interrupt: Interrupt,
}

enum ObjectiveKind {
    Program(ProgramObjective),
    Function(BuiltinFunction),
}

/// A program that prints its values.
struct ProgramObjective {
    template: CommandTemplate,
    /// Told to the program, so that it can make its own randomness repeatable.
    seed: u64,
    timeout: Option<Duration>,
    grace: Duration,
    memory: Option<u64>,
    supervisors: Supervisors,
    /// The names of its values, in the order in which it may print them.
    names: Vec<String>,
    /// Where it keeps its state.
    checkpoints: Option<Checkpoints>,
    /// The step at which its pruner lets it end.
    steps: Option<i64>,
}

impl RunObjective {
    /// A program for the trials of a study.
    pub fn program(
        command: &[String],
        work: &WorkArgs,
        definition: &Definition,
        interrupt: &Interrupt,
    ) -> Result<Self, CommandError> {
        let template = template(command, work, &definition.space)?;
        let names = definition.measured().into_iter().map(str::to_owned);
        if (work.memory.is_some() || work.cpus.is_some()) && !System::CAN_LIMIT {
            let what = "--memory and --cpus are not supported on this system";
            say(&format!("{what}; programs run without limits"));
        }
        let supervisors = Supervisors::new(
            work.memory,
            work.cpus.map(|cpus| cpus as usize),
            work.cwd.clone(),
            if work.keep_env { &[] } else { &WITHHELD },
        );
        let pruner = definition.pruner.as_ref();
        let program = ProgramObjective {
            template,
            seed: definition.seed,
            timeout: work.trial_timeout,
            grace: work.grace,
            memory: work.memory,
            supervisors,
            checkpoints: None,
            steps: pruner.and_then(|pruner| pruner.max_steps()),
            names: names.collect(),
        };
        Ok(Self {
            kind: ObjectiveKind::Program(program),
            interrupt: interrupt.clone(),
        })
    }

    /// What the options name, for the trials of a study.
    pub fn new(
        args: &RunArgs,
        definition: &Definition,
        interrupt: &Interrupt,
    ) -> Result<Self, CommandError> {
        let Some(name) = &args.function else {
            return Self::program(&args.command, &args.work, definition, interrupt);
        };
        let function = BuiltinFunction::new(name, args, definition)?;
        Ok(Self {
            kind: ObjectiveKind::Function(function),
            interrupt: interrupt.clone(),
        })
    }

    /// Keeps checkpoints of the programs if requested; pruned trials can then be promoted.
    pub fn keep_checkpoints(&mut self, work: &WorkArgs, study: &mut Study) {
        if let (ObjectiveKind::Program(program), Some(folder)) = (&mut self.kind, &work.checkpoints)
        {
            program.checkpoints = Some(Checkpoints::new(folder, study));
            study.promote_stopped(true);
        }
    }

    /// Whether values without noise are known.
    pub fn knows_true_values(&self) -> bool {
        matches!(self.kind, ObjectiveKind::Function(..))
    }

    /// The value without noise, where it is known.
    pub fn true_value(&self, params: &Params) -> Option<f64> {
        match &self.kind {
            ObjectiveKind::Program(_) => None,
            ObjectiveKind::Function(function) => function.value(params),
        }
    }
}

impl Objective for RunObjective {
    fn evaluate(&self, trial: &Trial, reporter: &Reporter, cancel: &Cancel) -> Outcome {
        let _running = self.interrupt.running();
        let Some(params) = &trial.params else {
            return Outcome::Interrupted;
        };
        match &self.kind {
            ObjectiveKind::Program(program) => match program.launch(trial, params) {
                Ok(launch) => process::run(&launch, &program.supervisors, reporter, cancel),
                Err(message) => Outcome::NotStarted(message),
            },
            ObjectiveKind::Function(function) => function.observed(params, trial.number),
        }
    }
}

impl ProgramObjective {
    fn launch(&self, trial: &Trial, params: &Params) -> Result<ProgramLaunch, String> {
        let mut given: Vec<(&str, String)> = Vec::new();
        if let Some(checkpoints) = &self.checkpoints {
            given.push((CHECKPOINT, checkpoints.of(trial)?.display().to_string()));
        }
        given.extend(self.steps.map(|steps| (STEPS, steps.to_string())));
        Ok(ProgramLaunch {
            program: Program {
                arguments: self.template.fill(params, &given),
                environment: process::variables(trial.number, self.seed, params, &given),
                grace_ms: u64::try_from(self.grace.as_millis()).unwrap_or(u64::MAX),
                file: process::file(params),
            },
            params: params.clone(),
            timeout: self.timeout,
            memory: self.memory,
            names: self.names.clone(),
        })
    }
}

/// The command, checked against the space and the options.
pub fn template(
    command: &[String],
    work: &WorkArgs,
    space: &Space,
) -> Result<CommandTemplate, CommandError> {
    let template = CommandTemplate::parse(command, space).or_usage("command")?;
    if template.wants(CHECKPOINT) && work.checkpoints.is_none() {
        let reason = "the placeholder {checkpoint} needs --checkpoints DIR";
        return Err(CommandError::usage("command", reason));
    }
    Ok(template)
}

/// What a run is about.
pub struct RunProblem {
    pub name: String,
    pub space: Space,
    pub direction: Direction,
    /// Those that a built-in function brings.
    pub outcome_constraints: Vec<OutcomeConstraint>,
}

/// The problem of the checked options.
pub fn problem(args: &RunArgs) -> Result<RunProblem, CommandError> {
    if let Some(name) = &args.function {
        let mut problem = function::problem(name, args)?;
        problem.space = constrained(&problem.space, &args.constraints)?;
        return Ok(problem);
    }
    let space = match &args.space {
        Some(path) => space_file(path)?,
        None => space_options(&args.parameters)?,
    };
    let space = constrained(&space, &args.constraints)?;
    template(&args.command, &args.work, &space)?;
    Ok(RunProblem {
        name: args.command.join(" "),
        space,
        direction: args.direction(),
        outcome_constraints: Vec::new(),
    })
}

fn space_options(texts: &[String]) -> Result<Space, CommandError> {
    let parameters: Result<Vec<Parameter>, _> = texts.iter().map(|text| text.parse()).collect();
    parameters.and_then(Space::new).or_usage("--param")
}

/// The space with the constraints of the options beside those of its file.
pub fn constrained(space: &Space, texts: &[String]) -> Result<Space, CommandError> {
    let expressions: Result<Vec<Expression>, _> = texts.iter().map(|text| text.parse()).collect();
    let constrained = expressions.and_then(|expressions| space.with_constraints(expressions));
    constrained.or_usage("--constraint")
}

fn space_file(path: &Path) -> Result<Space, CommandError> {
    let name = format!("--space `{}`", path.display());
    let text = std::fs::read_to_string(path).or_usage(&name)?;
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") if configspace::is_configspace(&text) => {
            configspace::space(&text).or_usage(&name)
        }
        Some("json") => serde_json::from_str(&text).or_usage(&name),
        Some("toml") => toml::from_str(&text).or_usage(&name),
        _ => Err(CommandError::usage(
            &name,
            "the file name must end in .toml or .json",
        )),
    }
}
