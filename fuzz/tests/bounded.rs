//! A few thousand cases per target, the same in every run.

#![allow(clippy::unwrap_used)]

use neuralbo_fuzz::{Mutator, TARGETS, target};

fn run(name: &str) {
    let target = target(name).unwrap();
    let mutator = Mutator::new(target, 20_261_116);
    let mut accepted = 0;
    for case in 0..target.few {
        let input = mutator.input(case);
        let outcome = std::panic::catch_unwind(|| (target.check)(&input));
        let shown = String::from_utf8_lossy(&input[..input.len().min(400)]);
        accepted += u64::from(outcome.unwrap_or_else(|_| panic!("{name}, case {case}: {shown:?}")));
    }
    assert!(
        accepted > target.few / 100,
        "only {accepted} inputs were accepted"
    );
}

macro_rules! bounded {
    ($($name:ident),*) => {
        $(#[test] fn $name() { run(stringify!($name)); })*

        #[test]
        fn every_target_is_run() {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

bounded!(
    space_text,
    space_file,
    expression,
    value,
    program_output,
    csv,
    export,
    sqlite,
    optuna,
    goals
);

#[test]
fn the_same_seed_gives_the_same_cases_and_most_of_them_differ() {
    let mutator = Mutator::new(TARGETS[0], 1);
    let inputs: std::collections::HashSet<Vec<u8>> =
        (0..1000).map(|case| mutator.input(case)).collect();
    assert!(inputs.len() > 800 && mutator.input(5) == Mutator::new(TARGETS[0], 1).input(5));
}

/// Without accepted seeds the targets would test nothing.
#[test]
fn every_seed_is_accepted() {
    use neuralbo::space::{Expression, Parameter, Value};
    let texts = |name: &str| {
        (target(name).unwrap().seeds)()
            .into_iter()
            .map(|seed| String::from_utf8(seed).unwrap())
    };
    texts("space_text").for_each(|text| assert!(text.parse::<Parameter>().is_ok(), "{text}"));
    texts("expression").for_each(|text| assert!(text.parse::<Expression>().is_ok(), "{text}"));
    texts("value").for_each(|text| assert!(text.parse::<Value>().is_ok(), "{text}"));
    texts("export").for_each(|text| {
        assert!(
            neuralbo_store::read_export(text.as_bytes()).is_ok(),
            "{text}"
        )
    });
}
