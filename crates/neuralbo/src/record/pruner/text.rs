//! The text form: `name:value,key=value,…`.

use std::fmt;
use std::str::FromStr;

use super::{Halving, Learn, Pruner, Rule};

/// Why a text is not a pruner.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("pruner `{text}`: {reason}")]
pub struct PrunerError {
    /// What was given.
    pub text: String,
    /// What is wrong with it, and what is allowed.
    pub reason: String,
}

const KNOWN: &str = "median, percentile:25, asha:min=1,factor=3,max=81 (or halving), hyperband:min=1,max=81,factor=3, \
     patience:steps=10,delta=0.01, threshold:5, target:0.1, none";
/// The largest step and factor: far beyond any training, and products of both stay whole numbers.
const MOST: i64 = 1 << 40;

/// The items after the name; what is read is taken out, and the rest is unknown.
struct Items<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Items<'a> {
    /// `text` is what follows the colon; a value without a key has the key `""`.
    fn of(text: Option<&'a str>) -> Result<Self, String> {
        let mut items: Vec<(&str, &str)> = Vec::new();
        for item in text.into_iter().flat_map(|text| text.split(',')) {
            let (key, value) = item
                .split_once('=')
                .map_or(("", item.trim()), |(key, value)| (key.trim(), value.trim()));
            if items.iter().any(|(known, _)| *known == key) {
                return Err(if key.is_empty() {
                    format!("`{value}` is a second value")
                } else {
                    format!("{key} is given twice")
                });
            }
            items.push((key, value));
        }
        Ok(Self(items))
    }

    fn take<T>(
        &mut self,
        key: &str,
        read: impl Fn(&str) -> Option<T>,
        allowed: &str,
    ) -> Result<Option<T>, String> {
        let Some(place) = self.0.iter().position(|(known, _)| *known == key) else {
            return Ok(None);
        };
        let (_, value) = self.0.remove(place);
        let label = if key.is_empty() {
            String::new()
        } else {
            format!("{key} = ")
        };
        read(value)
            .map(Some)
            .ok_or_else(|| format!("{label}`{value}` is not allowed; it must be {allowed}"))
    }

    fn whole(&mut self, key: &str, least: i64) -> Result<Option<i64>, String> {
        let is_allowed = |value: &i64| (least..=MOST).contains(value);
        let read = |text: &str| text.parse().ok().filter(is_allowed);
        self.take(key, read, &format!("a whole number, at least {least}"))
    }

    fn number(
        &mut self,
        key: &str,
        holds: impl Fn(f64) -> bool,
        allowed: &str,
    ) -> Result<Option<f64>, String> {
        let read = |text: &str| text.parse().ok().filter(|value| holds(*value));
        self.take(key, read, allowed)
    }

    fn none_left(self, allowed: &str) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some(("", value)) => Err(format!("`{value}` is not understood; allowed: {allowed}")),
            Some((key, _)) => Err(format!("`{key}` is unknown; allowed: {allowed}")),
        }
    }
}

impl FromStr for Pruner {
    type Err = PrunerError;

    fn from_str(text: &str) -> Result<Self, PrunerError> {
        read(text.trim()).map_err(|reason| PrunerError {
            text: text.to_owned(),
            reason,
        })
    }
}

fn read(text: &str) -> Result<Pruner, String> {
    let (name, rest) = text
        .split_once(':')
        .map_or((text, None), |(name, rest)| (name, Some(rest)));
    let mut items = Items::of(rest)?;
    let (rule, own) = rule(name, &mut items)?;
    let mut pruner = Pruner::new(rule);
    let warmup = items.take("warmup", |text| text.parse().ok(), "a whole number")?;
    pruner.warmup = warmup.unwrap_or(pruner.warmup);
    let compares = !matches!(
        pruner.rule,
        Rule::Patience { .. } | Rule::Threshold(_) | Rule::Target(_) | Rule::Never
    );
    if compares {
        let after = items.whole("after", 0)?;
        pruner.after = after.map_or(pruner.after, |after| after as u64);
    }
    let learn = items.take("learn", learn, "curve or last")?;
    pruner.learn = learn.unwrap_or_default();
    let after = if compares { ", after" } else { "" };
    items.none_left(&format!("{own}warmup{after}, learn"))?;
    Ok(pruner)
}

/// What must be given.
fn given<T>(item: Option<T>, what: &str, example: &str) -> Result<T, String> {
    item.ok_or_else(|| format!("{what} is missing, e.g. `{example}`"))
}

/// The rule of a name, and what it takes.
fn rule(name: &str, items: &mut Items<'_>) -> Result<(Rule, &'static str), String> {
    Ok(match name {
        "median" => (Rule::Percentile(50.0), ""),
        "none" => (Rule::Never, ""),
        "percentile" => {
            let is_inside = |percent: f64| percent > 0.0 && percent < 100.0;
            let percent = items.number("", is_inside, "a number between 0 and 100")?;
            let percent = given(percent, "the percentage", "percentile:25")?;
            (Rule::Percentile(percent), "a percentage, ")
        }
        "asha" | "halving" => (Rule::Halving(halving(items)?), "min, factor, max, "),
        "hyperband" => {
            let halving = halving(items)?;
            given(halving.max, "max", "hyperband:min=1,max=81,factor=3")?;
            (Rule::Hyperband(halving), "min, factor, max, ")
        }
        "patience" => {
            let steps = given(items.whole("steps", 1)?, "steps", "patience:steps=10")?;
            let is_delta = |delta: f64| delta.is_finite() && delta >= 0.0;
            let delta = items.number("delta", is_delta, "a number, at least 0")?;
            let delta = delta.unwrap_or(0.0);
            (Rule::Patience { steps, delta }, "steps, delta, ")
        }
        "threshold" | "target" => {
            let value = items.number("", f64::is_finite, "a finite number")?;
            let value = |example: &str| given(value, "the value", example);
            let rule = match name {
                "threshold" => Rule::Threshold(value("threshold:5")?),
                _ => Rule::Target(value("target:0.1")?),
            };
            (rule, "a value, ")
        }
        _ => return Err(format!("`{name}` is unknown; known: {KNOWN}")),
    })
}

fn halving(items: &mut Items<'_>) -> Result<Halving, String> {
    let min = items.whole("min", 1)?.unwrap_or(1);
    let factor = items.whole("factor", 2)?.unwrap_or(3);
    let max = items.whole("max", 1)?;
    match max.filter(|max| *max <= min) {
        Some(max) => Err(format!(
            "max = {max} is not allowed; it must be larger than min = {min}"
        )),
        None => Ok(Halving { min, factor, max }),
    }
}

fn learn(text: &str) -> Option<Learn> {
    match text {
        "curve" => Some(Learn::Curve),
        "last" => Some(Learn::Last),
        _ => None,
    }
}

impl fmt::Display for Pruner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let halving = |name: &str, halving: &Halving| {
            let max = halving.max.map(|max| format!(",max={max}"));
            let max = max.unwrap_or_default();
            format!("{name}:min={},factor={}{max}", halving.min, halving.factor)
        };
        let mut text = match &self.rule {
            Rule::Percentile(50.0) => "median".to_owned(),
            Rule::Percentile(percent) => format!("percentile:{percent}"),
            Rule::Halving(rule) => halving("asha", rule),
            Rule::Hyperband(rule) => halving("hyperband", rule),
            Rule::Patience { steps, delta } if *delta > 0.0 => {
                format!("patience:steps={steps},delta={delta}")
            }
            Rule::Patience { steps, .. } => format!("patience:steps={steps}"),
            Rule::Threshold(value) => format!("threshold:{value}"),
            Rule::Target(value) => format!("target:{value}"),
            Rule::Never => "none".to_owned(),
        };
        let usual = Self::new(self.rule.clone());
        let mut add = |item: String| {
            text.push(if text.contains(':') { ',' } else { ':' });
            text.push_str(&item);
        };
        if self.warmup != usual.warmup {
            add(format!("warmup={}", self.warmup));
        }
        if self.after != usual.after {
            add(format!("after={}", self.after));
        }
        if self.learn == Learn::Last {
            add("learn=last".to_owned());
        }
        f.write_str(&text)
    }
}

impl TryFrom<String> for Pruner {
    type Error = PrunerError;

    fn try_from(text: String) -> Result<Self, PrunerError> {
        text.parse()
    }
}

impl From<Pruner> for String {
    fn from(pruner: Pruner) -> Self {
        pruner.to_string()
    }
}
