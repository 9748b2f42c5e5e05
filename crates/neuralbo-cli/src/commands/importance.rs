//! `neuralbo importance`.

use std::fmt::Display;

use clap::Args;
use neuralbo::importance::{
    ChoiceEffect, ChoiceEffects, Estimate, Importance, ImportanceOptions, Interaction, RegionModel,
};
use neuralbo::study::{Study, StudyError};
use neuralbo_store::Access;
use serde_json::json;

use crate::number::number;
use crate::output::{CommandError, EXIT_OK, OrCommandError, cell, print_data, print_json};
use crate::run::args::StorageArgs;
use crate::table::TextTable;

/// The number of listed interactions, and their smallest strength.
const MOST_PAIRS: usize = 5;
const WEAKEST_PAIR: f64 = 0.01;
/// Below this share of the variance people are told to be careful.
const LITTLE: f64 = 0.5;
/// Characters of a full bar.
const BAR: f64 = 20.0;
const BAR_COLUMN: &str = "bar";

const EXAMPLES: &str = "\
Examples:
  neuralbo importance tuning
  neuralbo importance tuning --objective latency --near 0.2 --json

Total: the share of the variance that a parameter takes part in; alone: without the help of others (Sobol indices of a model of the
trials, with 90 % intervals). Near the best: the same over the region of the best trials only.";

/// Show the importance of each parameter.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ImportanceCommand {
    /// The study
    study: String,
    #[command(flatten)]
    storage: StorageArgs,
    /// The objective, or the quantity of an outcome constraint [default: the first objective]
    #[arg(long, value_name = "NAME")]
    objective: Option<String>,
    /// Share of the trials that count as the best
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
    near: f64,
    /// Probability of the intervals
    #[arg(long, value_name = "P", default_value_t = 0.9, value_parser = share)]
    level: f64,
    /// Seed of the model; another seed shows the random variation of the result
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl ImportanceCommand {
    /// Prints indices over the whole space and near the best.
    pub fn execute(self) -> Result<u8, CommandError> {
        let (store, record) = self.storage.study(&self.study, Access::Read)?;
        let study = Study::open(store, record, neuralbo_paper::registry())?;
        let observed = study
            .observations(self.objective.as_deref())
            .map_err(unknown_objective)?;
        if study.definition().space.pool().is_some() {
            return Err(CommandError::Usage(
                "a pool has only one parameter, nothing to compare".to_owned(),
            ));
        }
        let whole = self.of(RegionModel::whole(&observed, self.seed))?;
        let near = self.of(RegionModel::near_best(&observed, self.near, self.seed))?;
        if self.json {
            print_json(&json!({ "whole": whole, "near_best": near }))?;
        } else {
            print_data(&text(&whole, &near, self.near))?;
        }
        Ok(EXIT_OK)
    }

    fn of<E: Display>(&self, model: Result<RegionModel, E>) -> Result<Importance, CommandError> {
        let options = ImportanceOptions {
            seed: self.seed,
            level: self.level,
            ..ImportanceOptions::default()
        };
        let model = model.or_failure(&self.study)?;
        model.importance(&options).or_failure(&self.study)
    }
}

fn unknown_objective(error: StudyError) -> CommandError {
    match error {
        StudyError::Unmeasured { .. } => CommandError::usage("--objective", error),
        error => error.into(),
    }
}

fn text(whole: &Importance, near: &Importance, share: f64) -> String {
    let mut text = format!(
        "importance for `{}`, by a model of {}\n",
        cell(&whole.objective),
        basis(whole)
    );
    let best = format!("near the best {} %", number(100.0 * share));
    let mut table =
        TextTable::new(["parameter", "total", BAR_COLUMN, "alone", &best]).right([1, 3, 4]);
    for parameter in &whole.parameters {
        let mut near = near.parameters.iter();
        let near = near.find(|other| other.name == parameter.name);
        table.row([
            &parameter.name,
            &interval(&parameter.total),
            &bar(parameter.total.value),
            &interval(&parameter.first),
            &near.map_or(String::new(), |near| interval(&near.total)),
        ]);
    }
    text += &table.text(&[BAR_COLUMN, "alone"]);
    let shown = |pair: &&Interaction| pair.second.value >= WEAKEST_PAIR;
    let pairs = whole.interactions.iter().filter(shown).take(MOST_PAIRS);
    let pairs: Vec<String> = pairs.map(pair).collect();
    if !pairs.is_empty() {
        text += &format!("interactions beyond single effects: {}\n", pairs.join(", "));
    }
    text.extend(whole.choices.iter().map(effects));
    text + &unexplained(whole)
}

fn basis(found: &Importance) -> String {
    let seen = if found.seen < found.trials {
        format!("{} of {}", found.seen, found.trials)
    } else {
        found.trials.to_string()
    };
    format!("{seen} complete trials")
}

/// What the model leaves is noise or structure that it misses; only repeated evaluations tell which.
fn unexplained(found: &Importance) -> String {
    let rest = 100.0 * (1.0 - found.explained.max(0.0));
    let mut text =
        format!("the model leaves {rest:.0} % of the variance of held-out trials unexplained");
    if let Some(noise) = &found.noise {
        let share = interval(noise);
        text += &format!("; repeated evaluations give noise a share of {share}");
    }
    if found.explained < LITTLE {
        text += ": read little into the shares, more trials are needed";
    }
    text + "\n"
}

/// Two digits tell all that such a number can.
fn interval(estimate: &Estimate) -> String {
    let Estimate { value, low, high } = estimate;
    format!("{value:.2} [{low:.2}, {high:.2}]")
}

fn bar(share: f64) -> String {
    "█".repeat((BAR * share).round() as usize)
}

fn pair(pair: &Interaction) -> String {
    let [a, b] = &pair.parameters;
    format!("{} and {} {}", cell(a), cell(b), interval(&pair.second))
}

fn effects(choice: &ChoiceEffects) -> String {
    let one = |effect: &ChoiceEffect| {
        let Estimate { value, low, high } = effect.effect;
        let (sign, value, low, high) = (
            if value >= 0.0 { "+" } else { "" },
            number(value),
            number(low),
            number(high),
        );
        let choice = cell(&effect.value.to_string());
        format!("{choice} {sign}{value} ({low} to {high})")
    };
    let effects: Vec<String> = choice.effects.iter().map(one).collect();
    let (name, effects) = (cell(&choice.name), effects.join(", "));
    format!("{name}, the best first: {effects}\n")
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.trim().parse().ok();
    let share = share.filter(|share: &f64| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| "it must be a number between 0 and 1".to_owned())
}
