//! What is optimized.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use neuralbo::space::{Point, Space, Value};
use neuralbo::study::{Failure, Trial};
use neuralbo_lab::Problem;
use neuralbo_lab::problems::wrappers::Noisy;

use crate::interrupt::Interrupt;
use crate::process::{Launch, Watch, run};
use crate::template::Template;

/// How a trial ended.
#[derive(Debug)]
pub struct Evaluation {
    /// The value or why there is none.
    pub result: Result<f64, Failure>,
    /// The value without noise, where it is known.
    pub true_value: Option<f64>,
}

/// One evaluation to do.
pub struct Task<'a> {
    /// The trial's number.
    pub number: u64,
    /// What to evaluate.
    pub point: &'a Point,
    /// Who looks at the program's output while it runs.
    pub watch: Watch,
}

impl<'a> Task<'a> {
    /// The evaluation of a trial that nobody looks at.
    pub fn unwatched(trial: &'a Trial) -> Self {
        Self { number: trial.number, point: &trial.point, watch: Watch::default() }
    }
}

/// Something that gives trials their values; called from many threads at once.
pub trait Objective: Sync {
    /// Evaluates the task's point.
    fn evaluate(&self, task: &Task<'_>) -> Evaluation;

    /// Whether evaluations come with their true values.
    fn knows_true_values(&self) -> bool {
        false
    }
}

/// A program that prints its value.
pub struct Program {
    /// The command to fill in.
    pub template: Template,
    /// The names of the parameters.
    pub space: Space,
    /// Told to the program, so that it can make its own randomness repeatable.
    pub seed: u64,
    /// When to give up.
    pub timeout: Option<Duration>,
    /// Ends the program on Ctrl-C.
    pub interrupt: Arc<Interrupt>,
}

impl Objective for Program {
    fn evaluate(&self, task: &Task<'_>) -> Evaluation {
        let values: BTreeMap<String, String> =
            self.space.named(task.point).map(|(name, value)| (name.to_owned(), value.to_string())).collect();
        let launch = Launch {
            arguments: self.template.fill(&values),
            environment: self.environment(task, &values),
            timeout: self.timeout,
            watch: task.watch.clone(),
        };
        Evaluation { result: run(&launch, &self.interrupt), true_value: None }
    }
}

impl Program {
    fn environment(&self, task: &Task<'_>, values: &BTreeMap<String, String>) -> Vec<(String, String)> {
        let own = [("NEURALBO_TRIAL", task.number.to_string()), ("NEURALBO_SEED", self.seed.to_string())];
        let mut environment: Vec<(String, String)> = own.map(|(name, value)| (name.to_owned(), value)).to_vec();
        environment.extend(values.iter().map(|(name, value)| (format!("NEURALBO_PARAM_{name}"), value.clone())));
        let named: BTreeMap<&str, &Value> = self.space.named(task.point).collect();
        if let Ok(json) = serde_json::to_string(&named) {
            environment.push(("NEURALBO_PARAMS".to_owned(), json));
        }
        environment
    }
}

/// A built-in function; the noise of a trial depends on the seed and the trial's number only.
pub struct Function(pub Noisy<Box<dyn Problem>>);

impl Objective for Function {
    fn evaluate(&self, task: &Task<'_>) -> Evaluation {
        let x: Vec<f64> = task.point.values().iter().filter_map(Value::as_f64).collect();
        Evaluation { result: Ok(self.0.observe(&x, task.number)), true_value: Some(self.0.value(&x)) }
    }

    fn knows_true_values(&self) -> bool {
        true
    }
}
