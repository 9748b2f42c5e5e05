//! An experiment stands for itself by its name: on the command line, in manifests and in comparisons.

use std::fmt;
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Experiment;
use super::settings::word;
use crate::experiments::EXPERIMENTS;

impl PartialEq for dyn Experiment {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl fmt::Debug for dyn Experiment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for dyn Experiment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for &'static dyn Experiment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        word("experiment", text, EXPERIMENTS, |experiment| {
            experiment.name()
        })
    }
}

impl Serialize for dyn Experiment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for &'static dyn Experiment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_from_words_and_from_json() {
        for experiment in EXPERIMENTS.iter().copied() {
            assert_eq!(experiment.name().parse(), Ok(experiment));
            let json = serde_json::to_string(&experiment).unwrap();
            assert_eq!(json, format!("{:?}", experiment.name()));
            assert_eq!(
                serde_json::from_str::<&'static dyn Experiment>(&json).unwrap(),
                experiment
            );
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_all_names() {
        let text = "synthetics".parse::<&'static dyn Experiment>().unwrap_err();
        assert!(
            text.contains("`synthetics`") && text.contains("synthetic, bbob, sensitive"),
            "{text}"
        );
    }
}
