//! Places and values of controls.

use proptest::prelude::*;

use super::*;
use crate::problems::{LEVY, conformance, names};

#[test]
fn every_function_has_all_controls_with_its_optimum() {
    for name in names() {
        let original = by_name(name, None).unwrap();
        let possible =
            |control: &Control| *control != Control::Translated || UNBOUNDED.contains(&name);
        for control in Control::ALL.into_iter().filter(possible) {
            let problem = by_name(&format!("{name}@{}", control.name()), None).unwrap();
            let found = problem.name();
            assert_eq!(found, format!("{}@{}", original.name(), control.name()));
            let found = (problem.bounds(), problem.direction());
            assert_eq!(found, (original.bounds(), original.direction()));
            let restoring = Control::restoring(&problem.name()).unwrap();
            let restored = problem.optimum().unwrap().value + restoring;
            let difference = restored - original.optimum().unwrap().value;
            assert!(difference.abs() < 1e-9 * restored.abs().max(1.0), "{name}");
            conformance::check(&*problem);
        }
    }
}

#[test]
fn what_cannot_be_made_is_refused_with_what_can() {
    let refusal = |name: &str| by_name(name, None).err().unwrap().to_string();
    assert!(refusal("ackley-5@turned").contains("`turned`"));
    assert!(refusal("ackley-5@turned").contains("moved or translated or offset or shifted"));
    assert!(refusal("ackley-5@shifted-x").contains("`shifted-x`"));
    assert!(refusal("ackly-5@moved").contains("`ackly-5`"));
    assert!(refusal("branin@translated").contains("`branin` cannot be translated"));
    for dose in [
        "moved-0",
        "moved-1.01",
        "moved--0.1",
        "moved-0.001",
        "offset-10",
        "offset-inf",
        "translated-1",
    ] {
        assert!(refusal(&format!("ackley-5@{dose}")).contains(&format!("`{dose}`")));
    }
    assert!(refusal("ackley-5@moved@offset").contains("`moved@offset`"));
}

/// Both directions occur, and the distance is the same in all coordinates.
#[test]
fn the_optimum_is_elsewhere_in_every_coordinate() {
    let problem = by_name("levy-100@moved", None).unwrap();
    let at = problem.optimum().unwrap().at;
    assert!(at.iter().all(|x| (x - 1.0).abs() == 4.0));
    let count = |place: f64| at.iter().filter(|x| **x == place).count();
    for place in [5.0, -3.0] {
        assert!((30..70).contains(&count(place)));
    }
}

#[test]
fn every_draw_of_offsets_is_another_problem_with_the_same_landscape() {
    let best = |name: &str, run: u32| Control::of_run(name, run).unwrap().optimum().unwrap();
    let at = |run: u32| best("sphere-50@shifted", run).at;
    let offsets = |run: u32| at(run).into_iter().map(|x| x / 5.12).collect::<Vec<f64>>();
    let (first, second) = (offsets(1), offsets(2));
    assert!(first.iter().all(|x| x.abs() <= MOST_SHIFTED));
    let mean_square = first.iter().map(|x| x * x).sum::<f64>() / 50.0;
    assert!((mean_square - MOST_SHIFTED.powi(2) / 3.0).abs() < 0.05);
    assert!(first.iter().zip(&second).all(|(a, b)| a != b));
    // A number stands for one function in every run; without one it is the first outside of experiments.
    assert_eq!(at(2), best("sphere-50@shifted-2", 9).at);
    let found = by_name("sphere-50@shifted", None).unwrap();
    assert_eq!(at(1), found.optimum().unwrap().at);
    let levy = Control::of_run("levy-5@shifted", 3).unwrap();
    assert_eq!(levy.name(), "levy-5@shifted-3");
    assert!(levy.value(&levy.optimum().unwrap().at).abs() < 1e-12);
}

/// 20(1 − e^(−0.2·13.1072)) + e − e^(cos 2π·13.1072), whatever the dimension.
#[test]
fn the_centre_of_moved_ackley_has_its_value() {
    for dim in [1, 20, 100] {
        let problem = by_name("ackley@moved", Some(dim)).unwrap();
        let centre = problem.value(&vec![0.0; dim]);
        assert!((centre - 19.08).abs() < 0.005, "{centre}");
    }
}

proptest! {
    #[test]
    fn mirroring_ends_in_the_box_and_keeps_distances_small(x in -100.0..100.0, step in -1e-3..1e-3_f64) {
        let (a, b) = (mirrored(x, -2.0, 3.0), mirrored(x + step, -2.0, 3.0));
        prop_assert!((-2.0..=3.0).contains(&a));
        prop_assert!((a - b).abs() <= step.abs() + 1e-9);
    }

    #[test]
    fn the_landscape_around_the_optimum_moves_along(dx in -0.9..0.9, dy in -0.9..0.9) {
        let problem = by_name("levy-2@moved", None).unwrap();
        let at = problem.optimum().unwrap().at;
        let moved = problem.value(&[at[0] + dx, at[1] + dy]);
        prop_assert!((moved - LEVY.of(2).value(&[1.0 + dx, 1.0 + dy])).abs() < 1e-9);
    }
}

/// The mean of Ackley's function over its box is about 21, that of Michalewicz's about −0.11 a coordinate.
#[test]
fn the_mean_changes_its_sign() {
    for (name, twice_the_mean) in [("ackley-100", 42.0), ("michalewicz-100", -22.0)] {
        let [problem, offset] =
            ["", "@offset"].map(|control| by_name(&format!("{name}{control}"), None).unwrap());
        let constant = constant(&*problem, 200);
        assert!((constant / twice_the_mean - 1.0).abs() < 0.15, "{constant}");
        let [before, after] = [&problem, &offset].map(|problem| spread(&**problem, 5000, 2));
        let sum = before.mean + after.mean;
        assert!(sum.abs() < 0.1 * before.mean.abs(), "{before:?} {after:?}");
        assert!((before.sd - after.sd).abs() < 1e-9 * before.sd);
    }
}

#[test]
fn constants_have_two_digits() {
    let found = [1734.2, 42.37, -0.5249, 0.0].map(two_digits);
    assert_eq!(found, [1700.0, 42.0, -0.52, 0.0]);
}

#[test]
fn doses_are_read_back_and_move_in_the_same_direction() {
    let at = |name: &str| by_name(name, None).unwrap().optimum().unwrap().at;
    let (whole, little) = (at("sphere-20@moved"), at("sphere-20@moved-0.05"));
    assert!(
        whole
            .iter()
            .zip(&little)
            .all(|(a, b)| (a / b - 8.0).abs() < 1e-12)
    );
    for name in [
        "ackley-5@moved-0.05",
        "ackley-5@moved",
        "ackley-5@offset-0.9",
        "ackley-5@translated",
    ] {
        assert_eq!(by_name(name, None).unwrap().name(), name);
    }
    assert_eq!(at("ackley-5@moved-0.4"), at("ackley-5@moved"));
}

/// Half of the mean leaves the other half.
#[test]
fn a_dose_of_offset_is_a_part_of_the_mean() {
    let mean = |name: &str| spread(&*by_name(name, None).unwrap(), MEAN.0, MEAN.1).mean;
    let [original, half, all] = ["levy-20", "levy-20@offset-0.5", "levy-20@offset-1"].map(mean);
    assert!((half / original - 0.5).abs() < 0.05, "{half} of {original}");
    assert!((all / original).abs() < 0.05, "{all} of {original}");
}

/// Levy of the point moved back, far outside of its box also; with mirroring another value there.
#[test]
fn translated_functions_are_not_mirrored() {
    let [moved, translated] =
        ["levy-3@moved", "levy-3@translated"].map(|name| by_name(name, None).unwrap());
    let at = translated.optimum().unwrap().at;
    assert_eq!(at, moved.optimum().unwrap().at);
    let corner: Vec<f64> = at
        .iter()
        .map(|x| if *x > 0.0 { -10.0 } else { 10.0 })
        .collect();
    let back: Vec<f64> = corner.iter().zip(&at).map(|(x, at)| 1.0 + x - at).collect();
    assert!(back.iter().any(|x| x.abs() > 10.0));
    assert_eq!(translated.value(&corner), LEVY.of(3).value(&back));
    assert_ne!(moved.value(&corner), translated.value(&corner));
    assert_eq!(translated.value(&[0.0; 3]), moved.value(&[0.0; 3]));
}
