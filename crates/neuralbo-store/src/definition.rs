//! What a study is: everything that decides which points are suggested.

use neuralbo::space::Space;
use neuralbo::strategy::Strategy;
use neuralbo::strategy::presets::{self, MethodError, Options};
use neuralbo::study::Direction;
use serde::{Deserialize, Serialize};

use crate::Retries;

/// Everything that decides which points a study suggests, and the retry policy its workers share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// What is searched.
    pub space: Space,
    /// Which way is better.
    pub direction: Direction,
    /// How points are chosen.
    pub method: String,
    /// The method's options as `key=value`, in alphabetical order.
    pub options: Vec<String>,
    /// Keys all random streams.
    pub seed: u64,
    /// What is tried again.
    pub retries: Retries,
}

/// One thing in which two definitions differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs.
    pub field: String,
    /// In the store.
    pub stored: String,
    /// As given now.
    pub given: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: stored {}, given {}", self.field, self.stored, self.given)
    }
}

impl Definition {
    /// A fresh strategy.
    pub fn strategy(&self) -> Result<Box<dyn Strategy>, MethodError> {
        presets::build(&self.method, &self.space, self.seed, &Options::parse(&self.options)?)
    }

    /// What differs between this stored definition and one given now; the seed and the retry policy may differ freely.
    pub fn differences(&self, given: &Self) -> Vec<Difference> {
        let mut differences = space_differences(&self.space, &given.space);
        let mut compare = |field: &str, stored: String, given: String| {
            if stored != given {
                differences.push(Difference { field: field.to_owned(), stored, given });
            }
        };
        compare("direction", direction_name(self.direction).to_owned(), direction_name(given.direction).to_owned());
        compare("method", self.method.clone(), given.method.clone());
        compare("options", shown_options(&self.options), shown_options(&given.options));
        differences
    }
}

fn space_differences(stored: &Space, given: &Space) -> Vec<Difference> {
    let text = |space: &Space, name: &str| {
        let found = space.parameters().iter().find(|parameter| parameter.name() == name);
        found.map_or("nothing".to_owned(), ToString::to_string)
    };
    let mut names: Vec<&str> = stored.parameters().iter().map(|parameter| parameter.name()).collect();
    names.extend(
        given
            .parameters()
            .iter()
            .map(|parameter| parameter.name())
            .filter(|name| stored.parameters().iter().all(|parameter| parameter.name() != *name)),
    );
    let differs = |name: &&str| text(stored, name) != text(given, name);
    let difference =
        |name: &str| Difference { field: format!("parameter `{name}`"), stored: text(stored, name), given: text(given, name) };
    let found: Vec<Difference> = names.iter().copied().filter(|name| differs(name)).map(difference).collect();
    if found.is_empty() && stored != given {
        let order = |space: &Space| space.parameters().iter().map(|p| p.name().to_owned()).collect::<Vec<_>>().join(", ");
        return vec![Difference { field: "order of the parameters".to_owned(), stored: order(stored), given: order(given) }];
    }
    found
}

fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Minimize => "minimize",
        Direction::Maximize => "maximize",
    }
}

fn shown_options(options: &[String]) -> String {
    if options.is_empty() { "none".to_owned() } else { options.join(", ") }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn definition(parameters: &[&str]) -> Definition {
        let space = Space::new(parameters.iter().map(|text| text.parse().unwrap()).collect()).unwrap();
        Definition {
            space,
            direction: Direction::Minimize,
            method: "random".into(),
            options: vec![],
            seed: 1,
            retries: Retries::default(),
        }
    }

    #[test]
    fn equal_definitions_have_no_differences_and_the_seed_does_not_count() {
        let stored = definition(&["x=float(0,1)"]);
        assert_eq!(stored.differences(&Definition { seed: 2, ..stored.clone() }), []);
    }

    #[test]
    fn every_difference_is_listed() {
        let stored = definition(&["x=float(0,1)", "n=int(1,4)"]);
        let mut given = definition(&["x=float(0,2)", "m=bool"]);
        given.direction = Direction::Maximize;
        given.method = "sobol".into();
        let texts: Vec<String> = stored.differences(&given).iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), 5, "{texts:?}");
        assert_eq!(texts[0], "parameter `x`: stored x=float(0.0,1.0), given x=float(0.0,2.0)");
        assert_eq!(texts[1], "parameter `n`: stored n=int(1,4), given nothing");
        assert_eq!(texts[3], "direction: stored minimize, given maximize");
    }

    #[test]
    fn another_order_is_another_space() {
        let differences = definition(&["x=float(0,1)", "n=int(1,4)"]).differences(&definition(&["n=int(1,4)", "x=float(0,1)"]));
        assert_eq!(differences[0].to_string(), "order of the parameters: stored x, n, given n, x");
    }
}
