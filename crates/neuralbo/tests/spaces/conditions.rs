//! Studies of spaces with conditions: asked, told, changed and grown.

use neuralbo::record::{Definition, Direction, Trial};
use neuralbo::space::{Params, Space};
use neuralbo::strategy::presets::Registry;
use neuralbo::study::{Growth, Study};

fn space(texts: &[&str]) -> Space {
    Space::new(texts.iter().map(|text| text.parse().unwrap()).collect()).unwrap()
}

fn study(method: &str, texts: &[&str]) -> Study {
    Study::new(Definition {
        method: method.into(),
        seed: 4,
        ..Definition::new(space(texts), Direction::Minimize)
    })
    .unwrap()
}

fn params(json: &str) -> Params {
    serde_json::from_str(json).unwrap()
}

fn texts(differences: &[neuralbo::record::Difference]) -> Vec<String> {
    differences.iter().map(ToString::to_string).collect()
}

/// The best of a tree: `b` with x = 0.3 gives 0, `a` at best 1, `c` at best 0.5.
fn tree(params: &Params) -> f64 {
    match params.text("k").unwrap() {
        "a" => 1.0 + params.float("y").unwrap().powi(2),
        "b" => (params.float("x").unwrap() - 0.3).powi(2),
        _ => 0.5 + 0.1 * params.int("n").unwrap() as f64,
    }
}

const TREE: [&str; 4] = [
    "k=choice(a,b,c)",
    "x=float(-1,1) if k == b",
    "y=float(-1,1) if k == a",
    "n=int(0,3) if k == c",
];

#[test]
fn models_find_the_best_branch_and_its_value() {
    for method in ["neuralbo", "gp-ei"] {
        let mut study = study(method, &TREE);
        for _ in 0..40 {
            let trial = study.ask_one().unwrap();
            let value = tree(trial.params.as_ref().unwrap());
            study.tell(&trial, value).unwrap();
        }
        let best = study.best().unwrap().unwrap();
        let found = best.params.unwrap();
        assert_eq!(found.text("k"), Some("b"), "{method}: {found}");
        assert!(
            (found.float("x").unwrap() - 0.3).abs() < 0.05,
            "{method}: {found}"
        );
    }
}

#[test]
fn stored_trials_have_what_is_active_and_nothing_else() {
    let mut study = study("random", &TREE);
    let trials: Vec<Trial> = (0..30).map(|_| study.ask_one().unwrap()).collect();
    for trial in &trials {
        study
            .tell(trial, tree(trial.params.as_ref().unwrap()))
            .unwrap();
    }
    for trial in study.trials().unwrap() {
        let params = trial.params.unwrap();
        let child = match params.text("k").unwrap() {
            "a" => "y",
            "b" => "x",
            _ => "n",
        };
        assert!(params.len() == 2 && params.get(child).is_some(), "{params}");
    }
}

#[test]
fn a_changed_condition_is_told_and_earlier_trials_go_on_to_teach() {
    let mut study = study("random", &["k=choice(a,b)", "x=float(0,1)"]);
    study
        .add_known(params(r#"{"k":"a","x":0.25}"#), 1.0)
        .unwrap();
    study
        .add_known(params(r#"{"k":"b","x":0.75}"#), 2.0)
        .unwrap();
    let base = study.definition().clone();
    let conditional = Definition {
        space: space(&["k=choice(a,b)", "x=float(0,1) if k == b"]),
        ..base.clone()
    };
    let changed = study.redefine(conditional.clone(), &[]).unwrap();
    assert_eq!(
        texts(&changed),
        ["changed the condition of x from none to k == b"]
    );
    // Of the first trial x is superfluous now, of the second it counts.
    let rows = study.log().history().observed().rows().clone();
    assert_eq!(
        (rows.row(0), rows.row(1)),
        ([-1.0, 0.0].as_slice(), [1.0, 0.5].as_slice())
    );
    assert_eq!(
        study.trials().unwrap()[0].params,
        Some(params(r#"{"k":"a","x":0.25}"#)),
        "nothing is lost"
    );
    assert_eq!(
        texts(&study.redefine(base, &[]).unwrap()),
        ["changed the condition of x from k == b to none"]
    );
    assert_eq!(study.log().history().observed().rows().row(0), [-1.0, -0.5]);
}

#[test]
fn a_renamed_parent_is_renamed_in_conditions() {
    let mut study = study("random", &["k=choice(a,b)", "x=float(0,1) if k == b"]);
    study
        .add_known(params(r#"{"k":"b","x":0.75}"#), 2.0)
        .unwrap();
    let renamed = space(&[
        "kernel-type=choice(a,b)",
        "x=float(0,1) if `kernel-type` == b",
    ]);
    let given = Definition {
        space: renamed,
        ..study.definition().clone()
    };
    let changed = study
        .redefine(given, &[("k".into(), "kernel-type".into())])
        .unwrap();
    assert_eq!(texts(&changed), ["renamed k to kernel-type"]);
    assert_eq!(study.log().history().observed().rows().row(0), [1.0, 0.5]);
}

#[test]
fn a_study_grows_by_parameters_with_conditions() {
    let mut study = study("random", &["k=choice(a,b,c)"]);
    let trial = study.ask_one().unwrap();
    let grow = |study: &mut Study, text: &str| study.grow(&text.parse().unwrap()).unwrap();
    assert_eq!(grow(&mut study, "x=float(0,1) if k == a"), Growth::Added);
    assert_eq!(grow(&mut study, "x=float(0,1) if k == a"), Growth::Present);
    assert_eq!(
        grow(&mut study, "x=float(0,1)"),
        Growth::Present,
        "who does not say when asks for no more"
    );
    let widened = grow(&mut study, "x=float(0,1) if k == b");
    let (from, to) = (
        "float(0.0,1.0) if k == a".to_owned(),
        "float(0.0,1.0) if k == a or k == b".to_owned(),
    );
    assert_eq!(widened, Growth::Widened { from, to });
    assert!(study.grow(&"y=bool if z == 1".parse().unwrap()).is_err());
    assert_eq!(grow(&mut study, "y=bool if x < 0.5"), Growth::Added);
    let (value, _) = study
        .value_for(&trial, &"x=float(0,1) if k == a".parse().unwrap())
        .unwrap();
    assert!((0.0..=1.0).contains(&value.as_f64().unwrap()));
}

#[test]
fn superfluous_values_told_by_hand_are_refused_with_the_condition() {
    let space = space(&TREE);
    let error = space
        .check(&params(r#"{"k":"a","y":0,"x":0.5}"#))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`x`") && error.contains("`0.5`") && error.contains("only if k == b"),
        "{error}"
    );
}

#[test]
fn every_method_takes_conditions() {
    for method in Registry::standard().methods() {
        assert!(
            method
                .strategy(
                    &space(&TREE),
                    1,
                    &neuralbo::strategy::presets::Options::new()
                )
                .is_ok(),
            "{}",
            method.name
        );
    }
}
