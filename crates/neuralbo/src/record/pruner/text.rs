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
        let read = |text: &str| {
            text.parse()
                .ok()
                .filter(|value| (least..=MOST).contains(value))
        };
        self.take(key, read, &format!("a whole number, at least {least}"))
    }

    fn number(&mut self, key: &str) -> Result<Option<f64>, String> {
        self.take(
            key,
            |text| text.parse().ok().filter(|value: &f64| value.is_finite()),
            "a finite number",
        )
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
    pruner.warmup = items
        .take("warmup", |text| text.parse().ok(), "a whole number")?
        .unwrap_or(pruner.warmup);
    let compares = !matches!(
        pruner.rule,
        Rule::Patience { .. } | Rule::Threshold(_) | Rule::Target(_) | Rule::Never
    );
    if compares {
        pruner.after = items
            .whole("after", 0)?
            .map_or(pruner.after, |after| after as u64);
    }
    pruner.learn = items
        .take("learn", learn, "curve or last")?
        .unwrap_or_default();
    items.none_left(&format!(
        "{own}warmup{}, learn",
        if compares { ", after" } else { "" }
    ))?;
    Ok(pruner)
}

/// The rule of a name, and what it takes.
fn rule(name: &str, items: &mut Items<'_>) -> Result<(Rule, &'static str), String> {
    let percent = |text: &str| {
        text.parse()
            .ok()
            .filter(|value: &f64| *value > 0.0 && *value < 100.0)
    };
    let missing = |what: &str, example: &str| format!("{what} is missing, e.g. `{example}`");
    match name {
        "median" => Ok((Rule::Percentile(50.0), "")),
        "none" => Ok((Rule::Never, "")),
        "percentile" => {
            let percent = items.take("", percent, "a number between 0 and 100")?;
            Ok((
                Rule::Percentile(
                    percent.ok_or_else(|| missing("the percentage", "percentile:25"))?,
                ),
                "a percentage, ",
            ))
        }
        "asha" | "halving" => Ok((Rule::Halving(halving(items)?), "min, factor, max, ")),
        "hyperband" => {
            let halving = halving(items)?;
            if halving.max.is_none() {
                return Err(missing("max", "hyperband:min=1,max=81,factor=3"));
            }
            Ok((Rule::Hyperband(halving), "min, factor, max, "))
        }
        "patience" => {
            let steps = items
                .whole("steps", 1)?
                .ok_or_else(|| missing("steps", "patience:steps=10"))?;
            let least = |text: &str| {
                text.parse()
                    .ok()
                    .filter(|value: &f64| value.is_finite() && *value >= 0.0)
            };
            let delta = items
                .take("delta", least, "a number, at least 0")?
                .unwrap_or(0.0);
            Ok((Rule::Patience { steps, delta }, "steps, delta, "))
        }
        "threshold" => Ok((
            Rule::Threshold(
                items
                    .number("")?
                    .ok_or_else(|| missing("the value", "threshold:5"))?,
            ),
            "a value, ",
        )),
        "target" => Ok((
            Rule::Target(
                items
                    .number("")?
                    .ok_or_else(|| missing("the value", "target:0.1"))?,
            ),
            "a value, ",
        )),
        _ => Err(format!("`{name}` is unknown; known: {KNOWN}")),
    }
}

fn halving(items: &mut Items<'_>) -> Result<Halving, String> {
    let (min, factor) = (
        items.whole("min", 1)?.unwrap_or(1),
        items.whole("factor", 2)?.unwrap_or(3),
    );
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
            let max = halving
                .max
                .map_or(String::new(), |max| format!(",max={max}"));
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
