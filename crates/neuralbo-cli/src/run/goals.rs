//! Several objectives and outcome constraints, as the options name them.

use clap::Args;
use neuralbo::record::Definition;

use super::args::PROBLEM;
use crate::output::{CommandError, OrCommandError};

/// Objectives and outcome constraints.
#[derive(Debug, Args)]
pub struct GoalArgs {
    /// An objective with its direction, e.g. loss:minimize; may be repeated [default: one named `value`]
    #[arg(long = "objective", value_name = "NAME:DIRECTION", conflicts_with = "function", help_heading = PROBLEM)]
    pub objectives: Vec<String>,
    /// An outcome constraint, a limit on a measured value, e.g. 'memory <= 4e9', '1 <= ph <= 2' or 'x == 3 +- 0.01'; may be repeated
    #[arg(long = "outcome-constraint", value_name = "CONSTRAINT", allow_hyphen_values = true, conflicts_with = "function", help_heading = PROBLEM)]
    pub outcome_constraints: Vec<String>,
    /// Reference point of the hypervolume, e.g. loss=1,latency=10 [default: just beyond the Pareto front]
    #[arg(long, value_name = "NAME=VALUE,…", allow_hyphen_values = true, requires = "objectives", help_heading = PROBLEM)]
    pub reference: Option<String>,
}

impl GoalArgs {
    /// Puts what was given into a definition, which keeps its objectives if none were.
    pub fn apply(&self, definition: &mut Definition) -> Result<(), CommandError> {
        if !self.objectives.is_empty() {
            definition.objectives = read(&self.objectives, "--objective")?;
        }
        definition
            .outcome_constraints
            .extend(read(&self.outcome_constraints, "--outcome-constraint")?);
        if let Some(text) = &self.reference {
            let reference = pairs(text).or_usage("--reference")?;
            definition
                .set_reference(reference)
                .or_usage("--reference")?;
        }
        Ok(definition.check()?)
    }
}

fn read<T>(texts: &[String], option: &str) -> Result<Vec<T>, CommandError>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    texts
        .iter()
        .map(|text| text.parse().or_usage(option))
        .collect()
}

/// Numbers by name, separated by commas; each name once.
fn pairs(text: &str) -> Result<Vec<(String, f64)>, String> {
    let mut pairs: Vec<(String, f64)> = Vec::new();
    for part in text.split(',') {
        let (name, value) = pair(part)?;
        if pairs.iter().any(|(known, _)| *known == name) {
            return Err(format!("`{name}` is given more than once"));
        }
        pairs.push((name, value));
    }
    Ok(pairs)
}

/// `NAME=NUMBER`.
pub fn pair(text: &str) -> Result<(String, f64), String> {
    let wrong = || format!("`{text}` must be NAME=NUMBER");
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let (name, value) = (name.trim(), value.trim().parse().map_err(|_| wrong())?);
    if name.is_empty() {
        Err(wrong())
    } else {
        Ok((name.to_owned(), value))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_by_name() {
        assert_eq!(
            pairs("loss=1, latency = -1e3"),
            Ok(vec![("loss".to_owned(), 1.0), ("latency".to_owned(), -1e3)])
        );
        for (text, words) in [
            ("loss", "`loss` must be"),
            ("=1", "must be NAME"),
            ("a=x", "`a=x`"),
            ("a=1,a=2", "more than once"),
        ] {
            assert!(pairs(text).unwrap_err().contains(words), "{text}");
        }
    }
}
