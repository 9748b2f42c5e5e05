use proptest::prelude::*;

use super::Verdict::{Complete, GoOn, Prune};
use super::*;
use crate::record::Direction::{self, Maximize, Minimize};

fn pruner(text: &str) -> Pruner {
    text.parse().unwrap()
}

fn rivals(values: &[f64], complete: bool) -> Vec<StepReport> {
    values
        .iter()
        .zip(0..)
        .map(|(value, number)| StepReport {
            number,
            value: *value,
            complete,
        })
        .collect()
}

/// What becomes of trial 1000 after these reports, when the others have these values at every step.
fn verdict(
    text: &str,
    direction: Direction,
    reports: &[(i64, f64)],
    others: &[StepReport],
) -> Verdict {
    judged(text, &course(1000, direction, reports), others)
}

fn course(number: u64, direction: Direction, reports: &[(i64, f64)]) -> Course<'_> {
    Course {
        number,
        direction,
        reports,
        judged: 0,
        resumed_at: None,
    }
}

fn judged(text: &str, course: &Course<'_>, others: &[StepReport]) -> Verdict {
    pruner(text)
        .verdict(course, |_| Ok::<_, ()>(others.to_vec()))
        .unwrap()
}

#[test]
fn texts_are_read_and_written() {
    for (text, written) in [
        ("median", "median"),
        ("percentile:50", "median"),
        ("none", "none"),
        ("median:warmup=3,after=10", "median:warmup=3,after=10"),
        ("percentile:25, learn = last", "percentile:25,learn=last"),
        ("asha", "asha:min=1,factor=3"),
        ("halving:max=81,min=2", "asha:min=2,factor=3,max=81"),
        (
            "hyperband:max=27,learn=curve",
            "hyperband:min=1,factor=3,max=27",
        ),
        (
            "patience:steps=10,delta=0.01",
            "patience:steps=10,delta=0.01",
        ),
        ("patience:steps=5", "patience:steps=5"),
        ("threshold:5", "threshold:5"),
        ("target:-1e-3,warmup=-2", "target:-0.001,warmup=-2"),
    ] {
        assert_eq!(pruner(text).to_string(), written);
        assert_eq!(pruner(written), pruner(text));
        let json = serde_json::to_string(&pruner(text)).unwrap();
        assert_eq!(
            serde_json::from_str::<Pruner>(&json).unwrap(),
            pruner(text),
            "{json}"
        );
    }
}

#[test]
fn wrong_texts_are_answered_with_what_is_allowed() {
    for (text, words) in [
        ("best", "`best` is unknown; known: median"),
        ("", "`` is unknown"),
        ("median:5", "`5` is not understood; allowed: warmup, after"),
        (
            "percentile",
            "the percentage is missing, e.g. `percentile:25`",
        ),
        (
            "percentile:100",
            "`100` is not allowed; it must be a number between 0 and 100",
        ),
        (
            "asha:min=0",
            "min = `0` is not allowed; it must be a whole number, at least 1",
        ),
        ("asha:factor=1", "factor = `1` is not allowed"),
        ("asha:factor=1.5", "factor = `1.5` is not allowed"),
        (
            "asha:min=3,max=3",
            "max = 3 is not allowed; it must be larger than min = 3",
        ),
        (
            "asha:rungs=3",
            "`rungs` is unknown; allowed: min, factor, max, warmup, after, learn",
        ),
        ("asha:min=1,min=2", "min is given twice"),
        ("hyperband", "max is missing"),
        ("patience", "steps is missing"),
        ("patience:steps=3,delta=-1", "delta = `-1` is not allowed"),
        ("patience:steps=3,after=2", "`after` is unknown"),
        (
            "threshold:nan",
            "`nan` is not allowed; it must be a finite number",
        ),
        ("target", "the value is missing"),
        (
            "median:learn=all",
            "learn = `all` is not allowed; it must be curve or last",
        ),
    ] {
        let error = text.parse::<Pruner>().unwrap_err().to_string();
        assert!(
            error.contains(words) && error.contains(&format!("`{text}`")),
            "{text}: {error}"
        );
    }
}

/// A trial's reports, what becomes of it, why.
type DecisionCase<'a> = (&'a [(i64, f64)], Verdict, &'a str);

/// A rule, the values of four or more others at every step, whether these are complete, and cases:
/// the trial's reports, what becomes of it, why.
fn decisions(text: &str, direction: Direction, others: &[StepReport], cases: &[DecisionCase]) {
    for (reports, expected, why) in cases {
        let found = verdict(text, direction, reports, others);
        assert_eq!(found, *expected, "{text} {direction} {reports:?}: {why}");
    }
}

#[test]
fn the_median_is_compared_with_the_best_so_far() {
    let four = rivals(&[1.0, 2.0, 3.0, 4.0], true);
    let minimized: &[DecisionCase] = &[
        (&[(0, 2.5)], GoOn, "at the median"),
        (&[(0, 2.6)], Prune, "worse"),
        (&[(0, 1.0), (1, 9.0)], GoOn, "the best so far counts"),
        (&[], GoOn, "no report"),
    ];
    decisions("median", Minimize, &four, minimized);
    decisions("median", Maximize, &four, &[(&[(0, 2.4)], Prune, "worse")]);
    let late: &[(i64, f64)] = &[(0, 9.0)];
    let running = rivals(&[1.0; 9], false);
    for (text, others, expected, why) in [
        ("median", &four[1..], GoOn, "three are too few"),
        ("median:after=3", &four[1..], Prune, "three suffice"),
        ("median:after=0", &[], GoOn, "nothing to compare with"),
        ("median:warmup=5", &four, GoOn, "before the warm-up ends"),
        ("median", &running, GoOn, "none is complete"),
    ] {
        decisions(text, Minimize, others, &[(late, expected, why)]);
    }
}

#[test]
fn a_rung_lets_the_best_part_continue_and_the_first_to_come() {
    for (text, reports, others, expected, why) in [
        ("asha", &[(1, 9.0)][..], &[][..], GoOn, "the first"),
        ("asha", &[(1, 9.0)], &[1.0], Prune, "the worse of two"),
        (
            "asha",
            &[(1, 1.0)],
            &[1.0, 2.0],
            GoOn,
            "as good as the best",
        ),
        (
            "asha",
            &[(1, 1.5)],
            &[1.0, 2.0, 3.0, 4.0],
            Prune,
            "one of five",
        ),
        (
            "asha",
            &[(1, 1.5)],
            &[1.0, 2.0, 3.0, 4.0, 5.0],
            GoOn,
            "two of six",
        ),
        ("asha:min=3", &[(2, 9.0)], &[1.0], GoOn, "no rung"),
        (
            "asha:max=9",
            &[(1, 1.0), (3, 1.0), (9, 9.0)],
            &[1.0],
            GoOn,
            "at the end",
        ),
        ("asha:after=2", &[(1, 9.0)], &[1.0], GoOn, "too few others"),
    ] {
        decisions(
            text,
            Minimize,
            &rivals(others, false),
            &[(reports, expected, why)],
        );
    }
}

#[test]
fn rungs_passed_between_two_looks_are_all_judged() {
    let asked = std::cell::RefCell::new(Vec::new());
    let look = |reports: &[(i64, f64)], judged| {
        let course = Course {
            judged,
            ..course(0, Minimize, reports)
        };
        pruner("asha").verdict(&course, |step| {
            asked.borrow_mut().push(step);
            Ok::<_, ()>(Vec::new())
        })
    };
    let reports: Vec<(i64, f64)> = [0, 1, 2, 4, 5, 30]
        .iter()
        .map(|step| (*step, 1.0))
        .collect();
    look(&reports, 0).unwrap();
    look(&reports, 4).unwrap();
    assert_eq!(
        asked.into_inner(),
        [1, 4, 30, 30],
        "the first report at or after rungs 1, 3, and 9 with 27"
    );
}

#[test]
fn a_resumed_trial_is_judged_at_the_rungs_ahead_of_it() {
    let rivals = rivals(&[1.0; 9], false);
    let at = |reports: &[(i64, f64)]| {
        let course = Course {
            resumed_at: Some(3),
            ..course(1000, Minimize, reports)
        };
        judged("asha", &course, &rivals)
    };
    assert_eq!(
        (at(&[(4, 9.0), (8, 9.0)]), at(&[(4, 9.0), (9, 9.0)])),
        (GoOn, Prune)
    );
    assert_eq!(at(&[(1, 9.0), (3, 9.0)]), GoOn, "a program that began anew");
}

#[test]
fn patience_threshold_and_target_need_no_other_trial() {
    let flat = &[(0, 5.0), (1, 3.0), (2, 3.0), (3, 2.95), (4, 3.1)][..];
    let patience = "patience:steps=3,delta=0.1";
    for (text, direction, reports, expected) in [
        (patience, Minimize, &flat[..4], GoOn),
        (patience, Minimize, flat, Complete(2.95)),
        ("patience:steps=3", Minimize, flat, GoOn),
        ("patience:steps=3,delta=0.1,warmup=5", Minimize, flat, GoOn),
        (
            "patience:steps=1",
            Maximize,
            &[(0, 1.0), (1, 0.5)],
            Complete(1.0),
        ),
        ("threshold:8", Minimize, &[(0, 7.0), (1, 8.0)], GoOn),
        ("threshold:8", Minimize, &[(0, 7.0), (1, 8.1)], Prune),
        (
            "threshold:5,warmup=2",
            Minimize,
            &[(0, 7.0), (1, 9.0)],
            GoOn,
        ),
        ("threshold:1", Maximize, &[(0, 0.9)], Prune),
        ("target:1", Minimize, &[(0, 7.0), (1, 1.1)], GoOn),
        ("target:1", Minimize, &[(0, 7.0), (1, 1.0)], Complete(1.0)),
        ("target:1", Maximize, &[(0, 0.9)], GoOn),
    ] {
        decisions(text, direction, &[], &[(reports, expected, "")]);
    }
}

/// Li et al. (2017), table 1: for a maximum of 81 and a factor of 3 the brackets begin 81, 34, 15, 8 and 5 trials.
#[test]
fn brackets_have_the_shares_of_hyperband() {
    let halving = Halving {
        min: 1,
        factor: 3,
        max: Some(81),
    };
    let mut counts = [0; 5];
    (0..143).for_each(|number| counts[halving.bracket(number) as usize] += 1);
    assert_eq!(counts, [81, 34, 15, 8, 5]);
    assert_eq!(halving.bracket(143), halving.bracket(0));
    let mut first = [0; 5];
    (0..20).for_each(|number| first[halving.bracket(number) as usize] += 1);
    assert!(
        first.iter().all(|count| *count > 0) && first[0] > first[1],
        "mixed from the start: {first:?}"
    );
    assert_eq!(halving.rungs(3).collect::<Vec<_>>(), [27]);
    assert_eq!(halving.rungs(4).next(), None);
    let wide = Halving {
        min: 1,
        factor: 1 << 40,
        max: Some(1 << 40),
    };
    assert!((0..2000).map(|number| wide.bracket(number)).max() == Some(1));
}

#[test]
fn trials_of_another_bracket_do_not_count() {
    let halving = Halving {
        min: 1,
        factor: 3,
        max: Some(9),
    };
    let number = (0..).find(|number| halving.bracket(*number) == 1).unwrap();
    let others: Vec<StepReport> = (100..200)
        .map(|number| StepReport {
            number,
            value: f64::from(halving.bracket(number)),
            complete: false,
        })
        .collect();
    let at = |step, value| {
        let reports = [(step, value)];
        judged(
            "hyperband:max=9",
            &course(number, Minimize, &reports),
            &others,
        )
    };
    assert_eq!((at(1, 9.0), at(3, 0.9), at(3, 1.1)), (GoOn, GoOn, Prune));
}

/// Trials that come to the rungs one after the other, each with a value of its own at every rung; how many came to each rung.
fn come_one_after_the_other(text: &str, values: &[Vec<f64>]) -> (Vec<Vec<u64>>, Vec<i64>) {
    let rungs: Vec<i64> = pruner(text).halving().unwrap().rungs(0).take(4).collect();
    let mut at: Vec<Vec<StepReport>> = vec![Vec::new(); rungs.len()];
    for (number, own) in (0..).zip(values) {
        for (k, step) in rungs.iter().enumerate() {
            at[k].push(StepReport {
                number,
                value: own[k],
                complete: false,
            });
            let reports = [(*step, own[k])];
            if judged(text, &course(number, Minimize, &reports), &at[k]) == Prune {
                break;
            }
        }
    }
    (
        at.iter()
            .map(|reports| reports.iter().map(|report| report.number).collect())
            .collect(),
        rungs,
    )
}

proptest! {
    #[test]
    fn the_best_at_every_rung_is_never_stopped(values in prop::collection::vec(prop::collection::vec(0.0..1.0f64, 4), 1..60), at: prop::sample::Index) {
        let mut values = values;
        let best = at.index(values.len());
        values[best] = vec![-1.0; 4];
        let (came, rungs) = come_one_after_the_other("asha", &values);
        prop_assert!((0..rungs.len()).all(|k| came[k].contains(&(best as u64))));
    }

    /// Of trials that only get worse, one of `factor` goes on at most; the first ones apart, who had nobody before them.
    #[test]
    fn few_go_on_when_the_best_come_first(count in 1usize..80, factor in 2usize..5) {
        let values: Vec<Vec<f64>> = (0..count).map(|i| vec![i as f64; 4]).collect();
        let (came, _) = come_one_after_the_other(&format!("asha:factor={factor}"), &values);
        for k in 1..came.len() {
            prop_assert!(came[k].len() <= (came[k - 1].len() / factor).max(1), "{came:?}");
        }
    }

    #[test]
    fn the_order_of_the_others_and_the_sign_do_not_matter(mut others in prop::collection::vec(-9.0..9.0f64, 0..30), own in -9.0..9.0f64) {
        for text in ["asha", "percentile:30,after=0"] {
            let before = verdict(text, Minimize, &[(1, own)], &rivals(&others, true));
            others.reverse();
            prop_assert_eq!(before, verdict(text, Minimize, &[(1, own)], &rivals(&others, true)));
            let flipped: Vec<f64> = others.iter().map(|value| -value).collect();
            prop_assert_eq!(before, verdict(text, Maximize, &[(1, -own)], &rivals(&flipped, true)));
        }
    }
}

/// Decisions of Optuna's pruners on the same learning curves (`scripts/golden/pruners.py`).
#[test]
fn the_decisions_are_those_of_optuna() {
    #[derive(serde::Deserialize)]
    struct PrunerCase {
        pruner: Pruner,
        direction: Direction,
        curves: Vec<Vec<f64>>,
        stopped: Vec<Option<i64>>,
    }
    #[derive(serde::Deserialize)]
    struct GoldenPruners {
        cases: Vec<PrunerCase>,
    }
    /// Number, reports, whether it came to the end.
    type ToldCurve = (u64, Vec<(i64, f64)>, bool);
    let golden: GoldenPruners =
        serde_json::from_str(include_str!("../../../tests/data/pruners.json")).unwrap();
    for PrunerCase {
        pruner,
        direction,
        curves,
        stopped,
    } in golden.cases
    {
        let mut all: Vec<ToldCurve> = Vec::new();
        for (number, curve) in (0..).zip(&curves) {
            all.push((number, Vec::new(), false));
            let pruned = (1..).zip(curve).find(|(step, value)| {
                all[number as usize].1.push((*step, **value));
                let at = |wanted: i64| {
                    let value = |reports: &[(i64, f64)]| {
                        reports
                            .iter()
                            .find(|(step, _)| *step == wanted)
                            .map(|(_, value)| *value)
                    };
                    let report = |(number, reports, complete): &ToldCurve| {
                        Some(StepReport {
                            number: *number,
                            value: value(reports)?,
                            complete: *complete,
                        })
                    };
                    all.iter().filter_map(report).collect::<Vec<_>>()
                };
                let reports = &all[number as usize].1;
                let course = Course {
                    judged: reports.len() - 1,
                    ..course(number, direction, reports)
                };
                pruner
                    .verdict(&course, |step| Ok::<_, ()>(at(step)))
                    .unwrap()
                    == Prune
            });
            all[number as usize].2 = pruned.is_none();
            assert_eq!(
                pruned.map(|(step, _)| step),
                stopped[number as usize],
                "{pruner} {direction}, trial {number}"
            );
        }
    }
}
