//! What every method promises, checked on the paper's: one test per case over all of `METHODS`.

#![allow(clippy::unwrap_used)]

use neuralbo::strategy::Origin;
use neuralbo::strategy::presets::{Method, Options};
use neuralbo_paper::presets::METHODS;
use neuralbo_testkit::method::contest::{FEW, MANY};
use neuralbo_testkit::method::search::{TestSearch, cube, options};
use neuralbo_testkit::method::{documented, for_every};

neuralbo_testkit::method_conformance!(METHODS);

#[test]
fn every_method_and_option_has_its_place_in_the_documentation() {
    let page = include_str!("../../../docs/methods.md");
    for_every(METHODS, |method| documented(page, method));
}

/// The letter of the paper finds the centre of the box, whatever it has seen (`presets::tests`).
const WITHOUT_LEARNING: &str = "neuralbo-paper";
const SLOW_LEARNERS: [&str; 4] = [
    "rf",
    "neuralbo-theory",
    "neuralbo-reference",
    "neural-greedy",
];

/// Models large enough to learn a quadratic, quick enough for a test, and no more exploration than a smooth objective needs.
fn able(method: &Method) -> Options {
    let settings: &[(&str, &str)] = match method.name {
        "neuralbo-theory" => &[
            ("norm-bound", "0.1"),
            ("noise", "0.01"),
            ("width", "256"),
            ("horizon", "20"),
            ("candidates", "128"),
        ],
        "neuralbo-reference" => &[("nu", "0.1"), ("width", "100"), ("candidates", "1000")],
        "neural-greedy" => &[("initial", "50"), ("candidates", "256")],
        _ => &[
            ("initial", "5"),
            ("candidates", "256"),
            ("precisions", "evidence"),
            ("trees", "40"),
        ],
    };
    options(method, settings)
}

#[test]
fn better_than_random_at_equal_budget() {
    for_every(METHODS, |method| {
        if SLOW_LEARNERS.contains(&method.name) {
            MANY.beats_random(method, &able(method));
        } else if method.name != WITHOUT_LEARNING {
            FEW.beats_random(method, &able(method));
        }
    });
}

/// The rewards of the paper's text and of its published code stay in their own units, in a network of single precision.
#[test]
fn only_raw_rewards_can_be_too_large() {
    for method in METHODS {
        let mut search = TestSearch::new(method, &cube(2), 3);
        search.tell_all(8, |i| 1e300 * (i as f64 - 3.0));
        let origin = search.next().origin;
        let fallback = matches!(&origin, Origin::Fallback(why) if why.contains("diverged"));
        let raw = ["neuralbo-paper", "neuralbo-reference"].contains(&method.name);
        assert_eq!(fallback, raw, "{}", method.name);
    }
}
