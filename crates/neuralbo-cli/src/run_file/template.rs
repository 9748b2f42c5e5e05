//! The run files that `neuralbo init` writes.

use neuralbo::record::{Definition, Limits, VALUE};
use neuralbo::space::{Constraint, Parameter};
use toml::{Table, Value};

/// What a new file is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FileTemplate {
    /// A program started by the shell
    Shell,
    /// A Python program
    Python,
    /// A built-in function
    Function,
}

const HEAD: &str = "\
# A run file: `neuralbo run FILE` runs it, `neuralbo run FILE --trials 50` runs it with another number of trials.
# Every key is an option of `neuralbo run` without its dashes; `neuralbo run --help` lists them. Relative paths, and the program, start
# from the folder of this file.

";

const SHELL: &str = r#"# The program: its last line of output is the value. A text is a line for the shell; a list of words is started without one.
# {x} is replaced by the value of x; literal braces are doubled. The environment also has NEURALBO_PARAM_x.
command = "awk 'BEGIN {{ x = {x}; y = {y}; print (x - 1)^2 + (y + 2)^2 }}'"
direction = "minimize"
"#;

const PYTHON: &str = r#"# The program: its last line of output is the value. {lr} is replaced by the value of lr; literal braces are doubled.
# With a file of your own: command = ["python3", "train.py", "--lr={lr}", "--layers={layers}", "--optimizer={optimizer}"]
command = ["python3", "-c", """
import sys
from math import log10
lr, layers, optimizer = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
print((log10(lr) + 3) ** 2 + 0.1 * (layers - 2) ** 2 + (0.0 if optimizer == "adam" else 0.2))
""", "{lr}", "{layers}", "{optimizer}"]
direction = "minimize"
"#;

const FUNCTION: &str = r#"# A built-in function; `neuralbo functions` lists them.
function = "branin"
# dim = 2
# noise = 0.1          # standard deviation of noise added to it
"#;

const SHELL_SPACE: &str = r#"
[space]
x = "float(-5,5)"
y = "float(-5,5)"
"#;

const PYTHON_SPACE: &str = r#"
[space]
lr = "float(1e-5,1e-1,log)"
layers = "int(1,4)"
optimizer = "choice(adam,sgd)"
# momentum = "float(0,0.99) if optimizer == sgd"
"#;

const REST: &str = r#"
# When it ends; more than one rule may be given.
trials = 30
# timeout = "2h"
# patience = 20        # trials without an improvement
# target = 0.01

# How points are chosen: `neuralbo methods` lists the ways. The same seed gives the same points.
method = "neuralbo"
# option = { nu = 1.0 }
seed = 1

# Where it lives. With a study in a storage the same command continues it, and `neuralbo worker` helps.
# study = "tuning"
# storage = "tuning.db"
# known = "known.csv"  # results from elsewhere: a column per parameter and a column `value`
# trace = "trace.csv"  # one row per finished trial
"#;

const PROGRAMS: &str = r#"
# How programs run.
# workers = 4          # at the same time
# trial-timeout = "10m"
# prune = "median"     # stop bad trials early, by the values they report
# memory = "2G"
# attempts = 3
"#;

impl FileTemplate {
    /// The file; it runs as it is.
    pub fn text(self) -> String {
        match self {
            Self::Shell => [HEAD, SHELL, REST, PROGRAMS, SHELL_SPACE].concat(),
            Self::Python => [HEAD, PYTHON, REST, PROGRAMS, PYTHON_SPACE].concat(),
            Self::Function => [HEAD, FUNCTION, REST].concat(),
        }
    }
}

/// The file of a study that exists, as it would be made again; `remark` says where it came from. Its program is not known: one in its
/// place shows what it gets.
pub fn of_study(definition: &Definition, limits: &Limits, remark: &str) -> String {
    let mut text = HEAD.to_owned();
    text += &comment(remark);
    text += "# Put your own program here: its last line of output is the value.\n";
    let words = definition.space.parameters().iter().map(argument);
    let command = ["./program".to_owned()].into_iter().chain(words);
    let mut keys = vec![("command", list(command))];
    keys.extend(measured(definition));
    keys.extend(limited(limits));
    keys.push(("method", definition.method.clone().into()));
    if !definition.options.is_empty() {
        keys.push(("option", list(definition.options.iter().cloned())));
    }
    let pruner = definition.pruner.as_ref();
    keys.extend(pruner.map(|pruner| ("prune", pruner.to_string().into())));
    let seed = definition.seed;
    let whole = i64::try_from(seed).map(Value::from);
    keys.push(("seed", whole.unwrap_or_else(|_| seed.to_string().into())));
    for (key, value) in keys {
        text += &format!("{key} = {value}\n");
    }
    text + &space(definition)
}

/// The argument of a parameter, in brackets if it may be inactive.
fn argument(parameter: &Parameter) -> String {
    let word = format!("--{0}={{{0}}}", parameter.name());
    match parameter.condition() {
        Some(_) => format!("[{word}]"),
        None => word,
    }
}

/// Objectives and outcome constraints; a single objective without a name of its own is a direction.
fn measured(definition: &Definition) -> Vec<(&'static str, Value)> {
    let mut keys = Vec::new();
    match definition.objectives.as_slice() {
        [only] if only.name == VALUE => {
            let direction = only.direction.to_string();
            keys.push(("direction", Value::from(direction)));
        }
        several => keys.push(("objective", list(several.iter().map(ToString::to_string)))),
    }
    let constraints = definition.outcome_constraints.iter();
    if constraints.len() > 0 {
        let texts = constraints.map(ToString::to_string);
        keys.push(("outcome-constraint", list(texts)));
    }
    keys
}

fn limited(limits: &Limits) -> Vec<(&'static str, Value)> {
    let whole = |count: u64| Value::Integer(i64::try_from(count).unwrap_or(i64::MAX));
    let mut keys = Vec::new();
    keys.extend(limits.trials.map(|count| ("trials", whole(count))));
    keys.extend(limits.patience.map(|count| ("patience", whole(count))));
    keys.extend(limits.target.map(|target| ("target", Value::Float(target))));
    keys
}

fn space(definition: &Definition) -> String {
    let mut table = Table::new();
    for parameter in definition.space.parameters() {
        table.insert(parameter.name().to_owned(), domain(parameter).into());
    }
    let constraints = definition.space.constraints().iter();
    let constraints = constraints.filter_map(Constraint::expression);
    let texts: Vec<String> = constraints.map(ToString::to_string).collect();
    if !texts.is_empty() {
        table.insert("constraints".to_owned(), texts.into());
    }
    format!("\n[space]\n{table}")
}

/// The text of a parameter without its name.
fn domain(parameter: &Parameter) -> String {
    let text = parameter.to_string();
    text.split_once('=')
        .map_or(text.clone(), |(_, domain)| domain.to_owned())
}

fn list(texts: impl Iterator<Item = String>) -> Value {
    Value::Array(texts.map(Value::from).collect())
}

fn comment(text: &str) -> String {
    text.lines().map(|line| format!("# {line}\n")).collect()
}
