//! The methods can be made, and say what is wrong with their options. What methods do is tested in `tests/methods.rs`.

use super::*;
use neuralbo::linalg::Points;
use neuralbo::space::Space;
use neuralbo::strategy::presets::{MethodError, Options};
use neuralbo::strategy::{History, Request, Strategy};

fn space() -> Space {
    Space::from_bounds(&[(-1.0, 1.0), (0.0, 3.0)]).unwrap()
}

fn build(
    method: &str,
    space: &Space,
    seed: u64,
    options: &Options,
) -> Result<Box<dyn Strategy>, MethodError> {
    registry().build(method, space, seed, options)
}

#[test]
fn names_differ_from_each_other_and_from_the_librarys_and_all_methods_can_be_made() {
    let (registry, none) = (registry(), Options::new());
    let methods = registry.methods();
    assert_eq!(methods[0].name, presets::DEFAULT_METHOD);
    for (i, method) in methods.iter().enumerate() {
        let same = |other: &Method| other.name == method.name;
        assert!(!methods[..i].iter().any(same), "{}", method.name);
        let built = build(method.name, &space(), 1, &none);
        assert!(built.is_ok(), "{}", method.name);
    }
}

#[test]
fn options_out_of_bounds_and_in_conflict_are_refused_by_name() {
    let refused = |method: &str, text: &str| {
        build(method, &space(), 1, &Options::parse([text]).unwrap())
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    let neural = ["neuralbo-paper", "neuralbo-theory", "neuralbo-reference"];
    let by_name = |method: &str, texts: &str| {
        for text in texts.split(' ') {
            let key = text.split('=').next().unwrap();
            let found = refused(method, text);
            let named = found.contains(&format!("option {key} = "));
            assert!(named, "{method} {text}");
        }
    };
    for method in neural {
        by_name(
            method,
            "width=0 depth=1 initial=0 candidates=0 covariance=magic",
        );
    }
    by_name(
        "neuralbo-paper",
        "nu=-1 rewards=magic constant=magic inputs=magic init=magic",
    );
    by_name("neuralbo-paper", "shift=magic mean=magic epochs=0 rate=0");
    let zero = Options::parse(["init=section4", "shift=subtract"]).unwrap();
    let error = build("neuralbo-paper", &space(), 1, &zero).err().unwrap();
    assert!(error.to_string().contains("shift = subtract"));
    assert!(refused("neuralbo-reference", "covariance=auto").contains("dual, dense, diagonal"));
    assert!(refused("neuralbo-theory", "alpha=1").contains("option alpha"));
    assert!(refused("neuralbo-theory", "width=33").contains("even width"));
    assert!(refused("neuralbo-theory", "covariance=diagonal").contains("closed-form"));
}

#[test]
fn to_the_letter_a_negative_objective_is_best_at_the_centre() {
    // h(0) = 0 whatever is learned, and every reward seen is negative: the optimum at 0.6 is not looked for.
    let first_by_model = |options: &[&str]| {
        let space = Space::from_bounds(&[(-1.0, 1.0); 6]).unwrap();
        let options = Options::parse(options.iter().chain(&["nu=0"])).unwrap();
        let mut strategy = build("neuralbo-paper", &space, 3, &options).unwrap();
        let (mut history, none) = (History::new(6), Points::new(6));
        let mut last = Vec::new();
        for number in 0..40 {
            let request = Request {
                history: &history,
                pending: &none,
                number,
                count: 1,
                cancel: None,
            };
            last = strategy.suggest(&request).unwrap().remove(0).row;
            history.push_observed(
                &last,
                -5.0 - last.iter().map(|x| (x - 0.6).powi(2)).sum::<f64>(),
            );
        }
        last.iter().map(|x| x * x).sum::<f64>().sqrt()
    };
    assert!(first_by_model(&[]) < 0.05);
    assert!(first_by_model(&["rewards=standard", "constant=yes"]) > 0.5);
}
