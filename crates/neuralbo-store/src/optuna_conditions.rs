//! Conditions that the trials of an Optuna study imply: Optuna does not record when a parameter is asked for.
//!
//! A complete trial has asked for everything it needs. Where such trials have a parameter exactly for some of the values of an earlier
//! choice, all of which occur, that is its condition; likewise from a whole number on, or up to one, if the numbers on both sides of
//! the border occur. A parameter that is absent for any other reason stays without a condition and absent from those trials.

use neuralbo::space::{Domain, Expression, Parameter, Params, Value};

/// The parameters, those that complete trials lack with the condition these imply; `others` are trials that may have stopped early,
/// which can only contradict.
pub(crate) fn derived(
    parameters: &[Parameter],
    complete: &[&Params],
    others: &[&Params],
) -> Vec<Parameter> {
    let derive = |(place, parameter): (usize, &Parameter)| {
        let name = parameter.name();
        if complete.iter().all(|params| params.get(name).is_some()) {
            return parameter.clone();
        }
        match parameters[..place]
            .iter()
            .find_map(|parent| condition(parent, name, complete, others))
        {
            Some(condition) => parameter.clone().only_if(condition),
            None => parameter.clone(),
        }
    };
    parameters.iter().enumerate().map(derive).collect()
}

/// When `child` is there, as a condition on the value of `parent`.
fn condition(
    parent: &Parameter,
    child: &str,
    complete: &[&Params],
    others: &[&Params],
) -> Option<Expression> {
    let name = parent.name();
    let has = |params: &&&Params| params.get(child).is_some();
    // Without its parent there is no child.
    if complete
        .iter()
        .chain(others)
        .filter(has)
        .any(|params| params.get(name).is_none())
    {
        return None;
    }
    let values = |wanted: bool| {
        let such = complete.iter().filter(move |params| has(params) == wanted);
        such.filter_map(|params| params.get(name))
            .collect::<Vec<&Value>>()
    };
    let (with, without) = (values(true), values(false));
    let contradicted = |holds: &dyn Fn(&Value) -> bool| {
        others
            .iter()
            .filter(has)
            .filter_map(|params| params.get(name))
            .any(|value| !holds(value))
    };
    let text = match parent.domain() {
        Domain::Choice { choices } => {
            let occurs = |choice: &&Value| with.contains(choice);
            let chosen: Vec<&Value> = choices.iter().filter(occurs).collect();
            let all_occur = choices
                .iter()
                .all(|choice| occurs(&choice) != without.contains(&choice));
            if !all_occur || without.is_empty() || contradicted(&|value| chosen.contains(&value)) {
                return None;
            }
            membership(name, &chosen)
        }
        Domain::Int { step, .. } => {
            let (with, without): (Vec<i64>, Vec<i64>) = (
                with.iter().filter_map(|v| v.as_i64()).collect(),
                without.iter().filter_map(|v| v.as_i64()).collect(),
            );
            let (border, is_lower) = border(&with, &without, step.unwrap_or(1))?;
            let holds = |value: &Value| {
                value
                    .as_i64()
                    .is_some_and(|k| if is_lower { k >= border } else { k <= border })
            };
            if contradicted(&holds) {
                return None;
            }
            format!(
                "{} {} {border}",
                written(name),
                if is_lower { ">=" } else { "<=" }
            )
        }
        _ => return None,
    };
    text.parse().ok()
}

/// The first or the last number with the child, and whether it is the first, where its neighbour without occurs.
fn border(with: &[i64], without: &[i64], step: i64) -> Option<(i64, bool)> {
    let (lowest, highest) = (*with.iter().min()?, *with.iter().max()?);
    if without
        .iter()
        .max()
        .is_some_and(|below| below + step == lowest)
    {
        Some((lowest, true))
    } else if without
        .iter()
        .min()
        .is_some_and(|above| above - step == highest)
    {
        Some((highest, false))
    } else {
        None
    }
}

fn membership(name: &str, values: &[&Value]) -> String {
    let word = |value: &&Value| match value {
        Value::Text(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        other => other.to_string(),
    };
    match values {
        [one] => format!("{} == {}", written(name), word(one)),
        many => format!(
            "{} in ({})",
            written(name),
            many.iter().map(word).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// In backticks any name is one.
fn written(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let word = matches!(
        name,
        "and" | "or" | "not" | "in" | "true" | "false" | "null"
    );
    if plain && !word {
        name.to_owned()
    } else {
        format!("`{name}`")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn texts(parameters: &[&str], complete: &[&str], others: &[&str]) -> Vec<String> {
        let parameters: Vec<Parameter> = parameters
            .iter()
            .map(|text| text.parse().unwrap())
            .collect();
        let read = |texts: &[&str]| {
            texts
                .iter()
                .map(|json| serde_json::from_str(json).unwrap())
                .collect::<Vec<Params>>()
        };
        let (complete, others) = (read(complete), read(others));
        let found = derived(
            &parameters,
            &complete.iter().collect::<Vec<_>>(),
            &others.iter().collect::<Vec<_>>(),
        );
        found
            .iter()
            .filter_map(|parameter| {
                Some(format!(
                    "{} if {}",
                    parameter.name(),
                    parameter.condition()?
                ))
            })
            .collect()
    }

    #[test]
    fn choices_and_borders_of_numbers_are_found() {
        let model = [
            "model=choice(svm,rf,\"k n\")",
            "C=float(0,9)",
            "depth=int(1,9)",
            "p=bool",
        ];
        let trials = [
            r#"{"model":"svm","C":1}"#,
            r#"{"model":"rf","depth":3,"p":true}"#,
            r#"{"model":"rf","depth":4}"#,
            r#"{"model":"k n","C":2}"#,
        ];
        assert_eq!(
            texts(&model, &trials, &[]),
            [
                "C if model in (\"svm\", \"k n\")",
                "depth if model == \"rf\"",
                "p if depth <= 3"
            ]
        );
        // A trial that stopped early says nothing by what it lacks, but by what it has.
        assert_eq!(
            texts(&model[..2], &trials, &[r#"{"model":"svm"}"#]).len(),
            1
        );
        assert_eq!(
            texts(&model[..2], &trials, &[r#"{"model":"rf","C":1}"#]),
            [""; 0]
        );
        let layers = ["n-layers=int(1,3)", "u1=int(8,64)", "u2=int(8,64)"];
        let trials = [
            r#"{"n-layers":1}"#,
            r#"{"n-layers":3,"u1":8,"u2":9}"#,
            r#"{"n-layers":2,"u1":8}"#,
        ];
        assert_eq!(
            texts(&layers, &trials, &[]),
            ["u1 if `n-layers` >= 2", "u2 if `n-layers` >= 3"]
        );
    }

    #[test]
    fn what_the_trials_do_not_imply_has_no_condition() {
        let model = ["model=choice(svm,rf,nn)", "x=float(0,9)"];
        // Not every model occurs; the same model with and without it; no parent at all.
        assert_eq!(
            texts(
                &model,
                &[r#"{"model":"svm","x":1}"#, r#"{"model":"rf"}"#],
                &[]
            ),
            [""; 0]
        );
        let mixed = [
            r#"{"model":"svm","x":1}"#,
            r#"{"model":"svm"}"#,
            r#"{"model":"rf"}"#,
            r#"{"model":"nn"}"#,
        ];
        assert_eq!(texts(&model, &mixed, &[]), [""; 0]);
        assert_eq!(texts(&model[1..], &[r#"{"x":1}"#, "{}"], &[]), [""; 0]);
        // Between 2 and 5 the border could be anywhere.
        let layers = ["n=int(1,9)", "u=int(8,64)"];
        assert_eq!(
            texts(&layers, &[r#"{"n":2}"#, r#"{"n":5,"u":8}"#], &[]),
            [""; 0]
        );
    }
}
