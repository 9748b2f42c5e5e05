//! Every method can be made, and keeps its promises where data are odd.

use super::*;
use crate::linalg::Points;
use crate::strategy::{History, Origin, Request, Suggestion};

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

/// Options that make a method quick enough for a test.
fn quick(method: &Method) -> Options {
    let small = [("width", "32"), ("candidates", "64"), ("initial", "2"), ("trees", "10"), ("precisions", "evidence")];
    let has = |key: &str| method.options.iter().any(|option| option.key == key);
    Options::parse(small.iter().filter(|(key, _)| has(key)).map(|(key, value)| format!("{key}={value}"))).unwrap()
}

fn suggest(method: &Method, space: &Space, history: &History, count: usize) -> Vec<Suggestion> {
    let mut strategy = build(method.name, space, 3, &quick(method)).unwrap();
    let pending = Points::new(space.encoded_dim());
    strategy.suggest(&Request { history, pending: &pending, number: history.len() as u64, count }).unwrap()
}

fn told(space: &Space, rows: &[Vec<f64>], reward: impl Fn(usize) -> f64) -> History {
    let mut history = History::new(space.encoded_dim());
    for (i, row) in rows.iter().enumerate() {
        let mut row = row.clone();
        space.snap(&mut row);
        history.push_observed(&row, reward(i));
    }
    history
}

fn rows(dim: usize, count: usize) -> Vec<Vec<f64>> {
    (0..count).map(|i| (0..dim).map(|j| ((i * 7 + j * 3 + 1) % 11) as f64 / 5.5 - 1.0).collect()).collect()
}

#[test]
fn a_suggestion_comes_back_whatever_the_rewards_are() {
    let space = space();
    for method in METHODS {
        for scale in [0.0, 1.0, 1e300, 1e-300] {
            let history = told(&space, &rows(2, 6), |i| scale * (i as f64 - 3.0));
            let batch = suggest(method, &space, &history, 2);
            assert!(batch.len() == 2 && batch[0].row != batch[1].row, "{} at {scale:e}", method.name);
            assert!(batch.iter().all(|s| s.row.iter().all(|x| (-1.0..=1.0).contains(x))), "{}", method.name);
        }
        let twice = told(&space, &vec![vec![0.5, 0.5]; 4], |i| i as f64);
        assert_eq!(suggest(method, &space, &twice, 1).len(), 1, "{}", method.name);
        let mut failed = History::new(2);
        rows(2, 4).iter().for_each(|row| failed.push_failed(row));
        assert_eq!(suggest(method, &space, &failed, 1).len(), 1, "{}", method.name);
    }
}

#[test]
fn models_make_their_own_suggestions_on_ordinary_data() {
    let space = space();
    let history = told(&space, &rows(2, 9), |i| (i as f64).sin());
    for method in METHODS.iter().filter(|method| !["random", "sobol", "cma-es"].contains(&method.name)) {
        let suggestion = suggest(method, &space, &history, 1).remove(0);
        assert!(matches!(suggestion.origin, Origin::Model(_)), "{}: {}", method.name, suggestion.origin);
        assert!(suggestion.mean.is_some() && suggestion.sd.is_some(), "{}", method.name);
    }
}

#[test]
fn odd_spaces_are_searched() {
    let choices = Space::new(vec!["c=choice(a,b,c)".parse().unwrap()]).unwrap();
    let fixed = Space::new(vec!["seed=4".parse().unwrap()]).unwrap();
    let wide = Space::from_bounds(&vec![(0.0, 1.0); 300]).unwrap();
    for method in METHODS {
        let history = told(&choices, &rows(choices.encoded_dim(), 2)[..2], |i| i as f64);
        assert!(!suggest(method, &choices, &history, 3).is_empty(), "{}", method.name);
        assert_eq!(suggest(method, &fixed, &History::new(0), 3).len(), 1, "{}", method.name);
        let history = told(&wide, &rows(300, 3), |i| i as f64);
        assert_eq!(suggest(method, &wide, &history, 1).len(), 1, "{}", method.name);
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
