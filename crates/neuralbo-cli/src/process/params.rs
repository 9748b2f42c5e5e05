//! What a program finds in its environment.

use neuralbo::space::Params;

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

/// The variables of a trial, and the content of the file that [`FILE_VARIABLE`] names.
#[derive(Debug)]
pub struct Variables {
    all: Vec<(String, String)>,
    json: String,
}

impl Variables {
    /// The variables of a trial, its parameters included as far as they are short enough.
    pub fn new(trial: u64, seed: u64, params: &Params) -> Self {
        let json = params.to_json();
        let own = [
            ("NEURALBO_TRIAL".to_owned(), trial.to_string()),
            ("NEURALBO_SEED".to_owned(), seed.to_string()),
        ];
        let whole = ("NEURALBO_PARAMS".to_owned(), json.clone());
        let each = params
            .iter()
            .map(|(name, value)| (format!("NEURALBO_PARAM_{name}"), value.to_string()));
        let all = own
            .into_iter()
            .chain(short_enough(std::iter::once(whole).chain(each).collect()))
            .collect();
        Self { all, json }
    }

    /// The same with what else the trial has: `NEURALBO_CHECKPOINT` and `NEURALBO_STEPS`.
    pub fn with(mut self, given: &[(&str, String)]) -> Self {
        self.all.extend(
            given
                .iter()
                .map(|(name, text)| (format!("NEURALBO_{}", name.to_uppercase()), text.clone())),
        );
        self
    }

    /// Names and values.
    pub fn all(&self) -> &[(String, String)] {
        &self.all
    }

    /// All parameters as one JSON object.
    pub fn json(&self) -> &str {
        &self.json
    }
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
    use neuralbo::space::Value;

    use super::*;

    fn names(params: &Params) -> Vec<String> {
        Variables::new(3, 7, params)
            .all()
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
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
        assert_eq!(Variables::new(3, 7, &many).json(), many.to_json());
    }
}
