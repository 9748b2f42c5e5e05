//! Every method that learns beats random search at equal budget.

use neuralbo::strategy::presets::{METHODS, Method, Options};
use neuralbo_testkit::method::contest::{FEW, MANY};
use neuralbo_testkit::method::for_every;
use neuralbo_testkit::method::search::options;

const WITHOUT_LEARNING: [&str; 2] = ["random", "sobol"];
const SLOW_LEARNERS: [&str; 2] = ["cma-es", "nsga2"];

/// Models large enough to learn a quadratic, quick enough for a test, and no more exploration than a smooth objective needs.
fn able(method: &Method) -> Options {
    let settings: &[(&str, &str)] = match method.name {
        "neuralbo" => &[],
        "nsga2" => &[("population", "15")],
        _ => &[("initial", "5"), ("candidates", "256")],
    };
    options(method, settings)
}

#[test]
fn better_than_random_with_few_evaluations() {
    let exempt = |method: &Method| {
        WITHOUT_LEARNING.contains(&method.name) || SLOW_LEARNERS.contains(&method.name)
    };
    for_every(METHODS, |method| {
        if !exempt(method) {
            FEW.beats_random(method, &able(method));
        }
    });
}

#[test]
fn slow_learners_are_better_than_random_in_the_end() {
    for_every(METHODS, |method| {
        if SLOW_LEARNERS.contains(&method.name) {
            MANY.beats_random(method, &able(method));
        }
    });
}
