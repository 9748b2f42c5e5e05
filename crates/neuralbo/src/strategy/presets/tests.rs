//! Every method can be made, and says what is wrong with its options. What methods do is tested in `tests/methods`.

use super::*;
use crate::linalg::Streams;
use crate::strategy::AcquisitionRule;
use crate::surrogate::gp::{GaussianProcess, GpSettings};

fn space() -> Space {
    Space::from_bounds(&[(-1.0, 1.0), (0.0, 3.0)]).unwrap()
}

fn refusal(method: &str, options: &[&str]) -> String {
    let options = Options::parse(options).unwrap();
    let error = build(method, &space(), 1, &options).err();
    error.unwrap().to_string()
}

#[test]
fn the_default_is_the_first_method() {
    assert_eq!(METHODS[0].name, DEFAULT_METHOD);
}

#[test]
fn names_are_distinct_and_all_methods_can_be_made() {
    for (i, method) in METHODS.iter().enumerate() {
        let name = method.name;
        assert!(
            METHODS[..i].iter().all(|other| other.name != name),
            "{name}"
        );
        assert!(build(name, &space(), 1, &Options::new()).is_ok(), "{name}");
    }
}

#[test]
fn an_unknown_method_is_answered_with_all_names() {
    let text = refusal("magic", &[]);
    assert!(text.contains("`magic`"), "{text}");
    assert!(METHODS.iter().all(|m| text.contains(m.name)), "{text}");
}

#[test]
fn an_unknown_option_is_refused_by_every_method() {
    for method in METHODS {
        let text = refusal(method.name, &["no-such-option=1"]);
        let keys = method.options.iter().map(|option| option.key);
        let mut named = keys.chain(["no-such-option", method.name]);
        assert!(named.all(|name| text.contains(name)), "{text}");
    }
}

#[test]
fn options_out_of_bounds_are_refused_with_what_is_allowed() {
    let text = refusal("gp-ucb", &["kernel=magic"]);
    assert!(text.contains("squared-exponential, matern52"), "{text}");
    let text = refusal("gp-ei", &["observations=499"]);
    let said = ["observations", "499", "500 to 10000"];
    assert!(said.iter().all(|part| text.contains(part)), "{text}");
}

#[test]
fn the_model_sees_as_many_observations_as_told() {
    let setup = Setup::new(std::sync::Arc::new(space()), Streams::new(1));
    for (options, most) in [(&[][..], 2000), (&["observations=9999"], 9999)] {
        let options = Options::parse(options).unwrap();
        let model = Box::new(GaussianProcess::new(GpSettings::default()).unwrap());
        let rule = AcquisitionRule::ExpectedImprovement;
        let parts = parts::model_based(&setup, &options, model, rule).unwrap();
        assert_eq!(parts.observations, most);
    }
}
