//! Every method can be made, and says what is wrong with its options. What methods do is tested in `tests/methods`.

use super::*;

fn space() -> Space {
    Space::from_bounds(&[(-1.0, 1.0), (0.0, 3.0)]).unwrap()
}

#[test]
fn names_are_distinct_and_all_methods_can_be_made() {
    for (i, method) in METHODS.iter().enumerate() {
        assert!(METHODS[..i].iter().all(|other| other.name != method.name), "{}", method.name);
        assert!(build(method.name, &space(), 1, &Options::new()).is_ok(), "{}", method.name);
    }
}

#[test]
fn an_unknown_method_is_answered_with_all_names() {
    let text = build("magic", &space(), 1, &Options::new()).err().unwrap().to_string();
    assert!(text.contains("`magic`") && METHODS.iter().all(|method| text.contains(method.name)), "{text}");
}

#[test]
fn an_unknown_option_is_refused_by_every_method() {
    for method in METHODS {
        let options = Options::parse(["no-such-option=1"]).unwrap();
        let text = build(method.name, &space(), 1, &options).err().unwrap().to_string();
        assert!(text.contains("no-such-option") && text.contains(method.name), "{text}");
        assert!(method.options.iter().all(|option| text.contains(option.key)), "{text}");
    }
}

#[test]
fn options_out_of_bounds_and_in_conflict_are_refused_by_name() {
    let refused = |method: &str, text: &str| {
        build(method, &space(), 1, &Options::parse([text]).unwrap()).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let neural = ["neuralbo-paper", "neuralbo-theory", "neuralbo-reference"];
    for method in neural {
        for text in ["width=0", "depth=1", "initial=0", "candidates=0", "covariance=magic"] {
            let key = text.split('=').next().unwrap();
            assert!(refused(method, text).contains(&format!("option {key} = ")), "{method} {text}");
        }
    }
    assert!(refused("neuralbo-paper", "nu=-1").contains("option nu"));
    assert!(refused("neuralbo-reference", "covariance=iterative").contains("dual, dense, diagonal"));
    assert!(refused("neuralbo-theory", "alpha=1").contains("option alpha"));
    assert!(refused("neuralbo-theory", "width=33").contains("even width"));
    assert!(refused("neuralbo-theory", "covariance=diagonal").contains("closed-form"));
    assert!(refused("gp-ucb", "kernel=magic").contains("squared-exponential, matern52"));
}
