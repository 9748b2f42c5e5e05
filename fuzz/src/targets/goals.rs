//! Objectives and outcome constraints as texts.

use neuralbo::record::{Definition, Direction, ObjectiveSpec, OutcomeConstraint};
use neuralbo::space::Space;

use super::texts;
use crate::Target;

const WORDS: &[&str] = &[
    "loss", ":", "minimize", "maximize", "memory", "<=", ">=", "==", "+-", "<", ">", "=", "4e9",
    "-1", "1e308", "inf", "nan", " ", ",", "0", "ä", "step", "\n",
];

/// An objective or an outcome constraint: it is printed as it is read, and a definition takes it.
pub const GOALS: Target = Target {
    name: "goals",
    seeds,
    words: WORDS,
    check,
    few: 20_000,
};

fn seeds() -> Vec<Vec<u8>> {
    texts(&[
        "loss:minimize",
        "eval:top 1:maximize",
        "memory <= 4e9",
        "gain >= -2",
        "1 <= ph <= 2",
        "3>=x>=-1",
        "x == 3 +- 0.01",
    ])
}

fn check(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    let space = Space::from_bounds(&[(0.0, 1.0)]).expect("a space");
    let mut definition = Definition::new(space, Direction::Minimize);
    let objective = text.parse::<ObjectiveSpec>();
    if let Ok(objective) = &objective {
        assert_eq!(
            objective.to_string().parse().as_ref(),
            Ok(objective),
            "`{text}` is printed as `{objective}`"
        );
        definition.objectives = vec![objective.clone()];
    }
    let constraint = text.parse::<OutcomeConstraint>();
    if let Ok(constraint) = &constraint {
        assert_eq!(
            constraint.to_string().parse().as_ref(),
            Ok(constraint),
            "`{text}` is printed as `{constraint}`"
        );
        definition.outcome_constraints = vec![constraint.clone()];
    }
    if let Err(error) = definition.check() {
        let expected = ["`step`", "at most 200 characters"];
        assert!(
            expected.iter().any(|part| error.to_string().contains(part)),
            "`{text}` is read and refused: {error}"
        );
    }
    objective.is_ok() || constraint.is_ok()
}
