//! What a program finds in its environment.

use neuralbo::space::{Params, Value};

/// The variable that names the file with all parameters.
pub const FILE_VARIABLE: &str = "NEURALBO_PARAMS_FILE";
/// Variables of ours that programs do not get unless they are said to: they hold passwords or lead to them.
pub const WITHHELD: [&str; 9] = [
    "NEURALBO_STORAGE",
    "PGPASSWORD",
    "PGPASSFILE",
    "PGSERVICE",
    "PGSERVICEFILE",
    "PGSYSCONFDIR",
    "PGSSLCERT",
    "PGSSLKEY",
    "PGSSLPASSWORD",
];
/// Systems refuse to start a program with a variable of more than 128 KiB; longer ones than this are left out.
const LONGEST: usize = 96 * 1024;
/// All parameters together may take this much of the environment, of the 2 MiB that is usual.
const MOST: usize = 512 * 1024;

/// The variables of a trial: its parameters as far as they are short enough, and what else it has (`given`), such as
/// `NEURALBO_CHECKPOINT` and `NEURALBO_STEPS`.
pub fn variables(
    trial: u64,
    seed: u64,
    params: &Params,
    given: &[(&str, String)],
) -> Vec<(String, String)> {
    let own = [
        ("NEURALBO_TRIAL".to_owned(), trial.to_string()),
        ("NEURALBO_SEED".to_owned(), seed.to_string()),
    ];
    let mut of_params = vec![("NEURALBO_PARAMS".to_owned(), params.to_json())];
    let each =
        |(name, value): (&str, &Value)| (format!("NEURALBO_PARAM_{name}"), value.to_string());
    of_params.extend(params.iter().map(each));
    let given = given.iter();
    let given =
        given.map(|(name, text)| (format!("NEURALBO_{}", name.to_uppercase()), text.clone()));
    let all = own.into_iter().chain(short_enough(of_params)).chain(given);
    all.collect()
}

/// The variable that names the file with all parameters, and its content.
pub fn file(params: &Params) -> (String, String) {
    (FILE_VARIABLE.to_owned(), params.to_json())
}

/// Without values that are too long, and empty if all together are too long.
fn short_enough(mut variables: Vec<(String, String)>) -> Vec<(String, String)> {
    let length = |(name, value): &(String, String)| name.len() + value.len() + 2;
    variables.retain(|variable| length(variable) <= LONGEST);
    if variables.iter().map(length).sum::<usize>() > MOST {
        variables.clear();
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(params: &Params) -> Vec<String> {
        let variables = variables(3, 7, params, &[]);
        variables.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn long_variables_are_left_out_and_the_file_has_everything() {
        let text = |length: usize| Value::from("x".repeat(length).as_str());
        let short = Params::from_iter([("a", Value::from(1.5)), ("b", text(10))]);
        assert_eq!(names(&short).len(), 5);
        let long = Params::from_iter([("a", Value::from(1.5)), ("b", text(200_000))]);
        assert_eq!(
            names(&long),
            ["NEURALBO_TRIAL", "NEURALBO_SEED", "NEURALBO_PARAM_a"]
        );
        let many = Params::from_iter((0..20).map(|i| (format!("p{i}"), text(50_000))));
        assert_eq!(names(&many).len(), 2);
        assert_eq!(file(&many).1, many.to_json());
    }
}
