//! Every method can be made, and says what is wrong with its options. What methods do is tested in `tests/methods`.

use super::*;

fn space() -> Space {
    Space::from_bounds(&[(-1.0, 1.0), (0.0, 3.0)]).unwrap()
}

#[test]
fn the_default_is_the_first_method() {
    assert_eq!(METHODS[0].name, DEFAULT_METHOD);
}

#[test]
fn names_are_distinct_and_all_methods_can_be_made() {
    for (i, method) in METHODS.iter().enumerate() {
        assert!(
            METHODS[..i].iter().all(|other| other.name != method.name),
            "{}",
            method.name
        );
        assert!(
            build(method.name, &space(), 1, &Options::new()).is_ok(),
            "{}",
            method.name
        );
    }
}

#[test]
fn an_unknown_method_is_answered_with_all_names() {
    let text = build("magic", &space(), 1, &Options::new())
        .err()
        .unwrap()
        .to_string();
    assert!(
        text.contains("`magic`") && METHODS.iter().all(|method| text.contains(method.name)),
        "{text}"
    );
}

#[test]
fn an_unknown_option_is_refused_by_every_method() {
    for method in METHODS {
        let options = Options::parse(["no-such-option=1"]).unwrap();
        let text = build(method.name, &space(), 1, &options)
            .err()
            .unwrap()
            .to_string();
        assert!(
            text.contains("no-such-option") && text.contains(method.name),
            "{text}"
        );
        assert!(
            method
                .options
                .iter()
                .all(|option| text.contains(option.key)),
            "{text}"
        );
    }
}

#[test]
fn options_out_of_bounds_are_refused_with_what_is_allowed() {
    let options = Options::parse(["kernel=magic"]).unwrap();
    let error = build("gp-ucb", &space(), 1, &options).err().unwrap();
    assert!(error.to_string().contains("squared-exponential, matern52"));
}
