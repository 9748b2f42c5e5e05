//! Against closed forms: the indices of the estimators themselves, and those of models of trials.

use super::indices::{Design, Indices};
use super::*;
use crate::linalg::testing::assert_near;
use crate::linalg::{Points, Purpose, Streams, space_filling};
use crate::record::Direction;
use crate::space::{Params, Space, Value};
use crate::surrogate::Function;
use std::f64::consts::PI;

/// A function of rows.
struct Exact<F>(F);

impl<F: Fn(&[f64]) -> f64 + Send + Sync> Function for Exact<F> {
    fn value(&self, rows: &Points) -> Vec<f64> {
        rows.rows().map(&self.0).collect()
    }
}

fn cube(dim: usize) -> Space {
    Space::from_bounds(&vec![(-1.0, 1.0); dim]).unwrap()
}

fn parse(parameters: &[&str]) -> Space {
    Space::new(parameters.iter().map(|p| p.parse().unwrap()).collect()).unwrap()
}

/// 3 for the second value of a choice of three, plus a number.
fn choice_and_number(row: &[f64]) -> f64 {
    3.0 * f64::from(u8::from(row[1] > 0.0)) + row[3]
}

/// The importance of all parameters by a model of the whole space.
fn importance(observed: &Observations) -> Importance {
    let model = RegionModel::whole(observed, 1).unwrap();
    model.importance(&ImportanceOptions::default()).unwrap()
}

fn indices(space: &Space, function: impl Fn(&[f64]) -> f64 + Send + Sync) -> Indices {
    let (region, mut rng) = (
        ImportanceRegion::whole(space),
        Streams::new(3).stream(0, Purpose::Design),
    );
    Design::new(space, &region, 8192, &mut rng).indices(&Exact(function), true)
}

/// Ishigami and Homma (1990) on [−π, π]³ with a = 7, b = 0.1.
fn ishigami(x: &[f64]) -> f64 {
    (PI * x[0]).sin()
        + 7.0 * (PI * x[1]).sin().powi(2)
        + 0.1 * (PI * x[2]).powi(4) * (PI * x[0]).sin()
}

const ISHIGAMI_FIRST: [f64; 3] = [0.3139, 0.4424, 0.0];
const ISHIGAMI_TOTAL: [f64; 3] = [0.5576, 0.4424, 0.2437];

fn observed(space: &Space, count: usize, function: impl Fn(&[f64]) -> f64) -> Observations {
    let mut rng = Streams::new(5).stream(1, Purpose::Design);
    let cubes = space_filling(space.parameters().len(), count, &mut rng);
    let fractions = |row: &[f64]| row.iter().map(|u| 0.5 * (u + 1.0)).collect::<Vec<f64>>();
    let rows = cubes.rows().map(|row| space.row_at(&fractions(row)));
    let rows = Points::from_rows(space.encoded_dim(), rows);
    let values: Vec<f64> = rows.rows().map(function).collect();
    Observations::new("value", space, Direction::Minimize, &rows, &values)
}

fn parameter<'a>(found: &'a Importance, name: &str) -> &'a ParameterImportance {
    let mut parameters = found.parameters.iter();
    parameters.find(|parameter| parameter.name == name).unwrap()
}

#[test]
fn estimators_find_ishigamis_indices() {
    let found = indices(&cube(3), ishigami);
    assert_near(&found.first, &ISHIGAMI_FIRST, 0.01);
    assert_near(&found.total, &ISHIGAMI_TOTAL, 0.01);
    assert_near(&found.second, &[0.0, 0.2437, 0.0], 0.015);
    let moments = [3.5, 13.844_587_940_719_254_f64.sqrt()];
    assert_near(&[found.mean, found.sd], &moments, 0.02);
}

#[test]
fn estimators_find_those_of_sums_products_and_the_g_function() {
    let sum = indices(&cube(3), |x| 3.0 * x[0] + 2.0 * x[1] + x[2]);
    let shares = [9.0, 4.0, 1.0].map(|square| square / 14.0);
    assert_near(&sum.first, &shares, 0.005);
    assert_near(&sum.total, &shares, 0.005);
    assert_near(&sum.second, &[0.0; 3], 0.01);
    let product = indices(&cube(2), |x| x[0] * x[1]);
    assert_near(&product.first, &[0.0, 0.0], 0.02);
    assert_near(&product.total, &[1.0, 1.0], 0.02);
    assert_near(&product.second, &[1.0], 0.02);
    // Sobol's g: variances 1 / (3 (1 + a)²) of the factors.
    let a = [0.0, 1.0, 4.5, 99.0];
    let factor = |x: f64, a: f64| (2.0 * x.abs() + a) / (1.0 + a);
    let g = indices(&cube(4), |x| (0..4).map(|i| factor(x[i], a[i])).product());
    let parts = a.map(|a| 1.0 / (3.0 * (1.0 + a) * (1.0 + a)));
    let all: f64 = parts.iter().map(|part| 1.0 + part).product::<f64>() - 1.0;
    assert_near(&g.first, &parts.map(|part| part / all), 0.01);
    let totals = parts.map(|part| part / (1.0 + part) * (1.0 + all) / all);
    assert_near(&g.total, &totals, 0.01);
}

#[test]
fn what_is_ignored_has_no_index_at_all() {
    let found = indices(&cube(3), |x| x[0] * x[2]);
    assert_eq!((found.first[1], found.total[1]), (0.0, 0.0));
    assert_near(&[found.second[0], found.second[2]], &[0.0; 2], 1e-12);
    let constant = indices(&cube(2), |_| 7.0);
    assert_eq!((constant.mean, constant.sd), (7.0, 0.0));
    assert_eq!(constant.total, [0.0; 2]);
}

#[test]
fn all_coordinates_of_a_choice_are_one_parameter() {
    let space = parse(&["c=choice(a,b,c)", "x=float(-1,1)"]);
    // Means 0, 3 and 0 of the values: variance 2; that of x is 1/3.
    let found = indices(&space, choice_and_number);
    assert_near(&found.first, &[6.0 / 7.0, 1.0 / 7.0], 0.01);
    assert_near(&found.second, &[0.0], 0.01);
}

#[test]
fn a_condition_halves_what_a_parameter_can_do() {
    let space = parse(&["on=bool", "x=float(-1,1) if on"]);
    // x in half of the points: variance 1/6 given `on`, all of it an interaction.
    let found = indices(&space, |row| row[1]);
    assert_near(&found.first, &[0.0, 0.5], 0.01);
    assert_near(&found.total, &[0.5, 1.0], 0.01);
}

#[test]
fn a_model_of_trials_finds_ishigamis_indices_and_its_intervals_hold_them() {
    let found = importance(&observed(&cube(3), 300, ishigami));
    assert!(found.explained > 0.95, "{found:?}");
    assert_eq!((found.trials, found.seen), (300, 300));
    assert_eq!(found.parameters[0].name, "x0");
    for (i, (first, total)) in ISHIGAMI_FIRST.iter().zip(ISHIGAMI_TOTAL).enumerate() {
        let parameter = parameter(&found, &format!("x{i}"));
        for (estimate, truth) in [(parameter.first, *first), (parameter.total, total)] {
            assert!((estimate.value - truth).abs() < 0.03, "{parameter:?}");
            let interval = estimate.low - 0.005..=estimate.high + 0.005;
            assert!(interval.contains(&truth), "{parameter:?}");
        }
    }
    let strongest = &found.interactions[0];
    assert_eq!(strongest.parameters, ["x0", "x2"]);
    assert_near(&[strongest.second.value], &[0.2437], 0.04);
}

#[test]
fn an_inert_parameter_has_an_interval_at_zero() {
    let sum = |x: &[f64]| 2.0 * x[0] + x[1] * x[1] + x[0] * x[2];
    let found = importance(&observed(&cube(4), 80, sum));
    let inert = parameter(&found, "x3");
    assert_eq!(inert.first.low, 0.0);
    assert!(
        inert.total.low < 0.01 && inert.total.value < 0.02,
        "{inert:?}"
    );
    assert!(parameter(&found, "x0").total.low > 0.6, "{found:?}");
}

#[test]
fn near_the_best_other_parameters_matter() {
    // Far from the best, x0 is all there is; where it is good, only x1 is left.
    let observed = observed(&cube(2), 200, |x| {
        100.0 * (x[0].abs() - 0.1).max(0.0) + x[1] * x[1]
    });
    let first = |model: RegionModel| {
        let mut found = model.importance(&ImportanceOptions::default()).unwrap();
        found.parameters.remove(0).name
    };
    assert_eq!(first(RegionModel::whole(&observed, 1).unwrap()), "x0");
    let near = RegionModel::near_best(&observed, 0.05, 1).unwrap();
    let region = near.region();
    assert!(region.range("x0").unwrap().0 > 0.4, "{region:?}");
    assert_eq!(first(near), "x1");
}

#[test]
fn the_same_seed_gives_the_same_answer_and_another_one_another() {
    let observed = observed(&cube(2), 30, |x| x[0] + x[1].sin());
    let model = RegionModel::whole(&observed, 1).unwrap();
    let of = |seed| {
        model
            .importance(&ImportanceOptions {
                seed,
                samples: 4,
                points: 64,
                ..ImportanceOptions::default()
            })
            .unwrap()
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1).parameters, of(2).parameters);
}

#[test]
fn dependence_on_one_parameter_is_its_part_of_a_sum() {
    let observed = observed(&cube(2), 80, |x| x[0].sin() + 3.0 * x[1]);
    let model = RegionModel::whole(&observed, 1).unwrap();
    let options = ImportanceOptions::default();
    let curve = model.partial_dependence("x0", 5, &options).unwrap();
    let exact: Vec<f64> = [-1.0f64, -0.5, 0.0, 0.5, 1.0].map(f64::sin).to_vec();
    assert_near(&curve.mean, &exact, 0.03);
    let mut band = curve.low.iter().zip(&curve.high);
    assert!(
        band.all(|(low, high)| low <= high && high - low < 0.3),
        "{curve:?}"
    );
    let at = Params::from_iter([("x0", 0.25), ("x1", 1.0)]);
    let slice = model.slice("x0", &at, 5, 0.9).unwrap();
    let shifted: Vec<f64> = exact.iter().map(|sine| sine + 3.0).collect();
    assert_near(&slice.mean, &shifted, 0.05);
    let surface = model.contour(["x0", "x1"], &at, 3).unwrap();
    let corners = [-3.84, -3.0, -2.16, -0.84, 0.0, 0.84, 2.16, 3.0, 3.84];
    assert_near(&surface.mean.concat(), &corners, 0.05);
    let averaged = model
        .partial_dependence_2d(["x0", "x1"], 3, &options)
        .unwrap();
    assert_near(&averaged.mean.concat(), &surface.mean.concat(), 0.05);
    let unknown = model.slice("y", &at, 5, 0.9).unwrap_err().to_string();
    assert!(unknown.contains("`x0`, `x1`"), "{unknown}");
}

#[test]
fn choices_are_listed_with_what_they_do_the_best_first() {
    let space = parse(&["c=choice(a,b,c)", "x=float(-1,1)"]);
    let found = importance(&observed(&space, 90, choice_and_number));
    let effects = &found.choices[0].effects;
    assert_eq!(effects[2].value, Value::from("b"));
    let sizes: Vec<f64> = effects.iter().map(|effect| effect.effect.value).collect();
    assert_near(&sizes, &[-1.0, -1.0, 2.0], 0.15);
}

#[test]
fn too_few_trials_are_too_few() {
    let observed = observed(&cube(2), 3, |x| x[0]);
    assert!(RegionModel::whole(&observed, 1).is_err());
    assert!(RegionModel::near_best(&observed, 0.1, 1).is_err());
}

#[test]
fn indices_need_ten_trials() {
    let observed = observed(&cube(2), 9, |x| x[0]);
    let model = RegionModel::whole(&observed, 1).unwrap();
    let error = model.importance(&ImportanceOptions::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("at least 10 observations and has 9"),
        "{error}"
    );
}

#[test]
fn what_the_model_misses_is_not_called_noise() {
    // Far more waves than 60 trials can show, without any noise.
    let waves = |x: &[f64]| (40.0 * x[0]).sin() * (37.0 * x[1]).cos();
    let found = importance(&observed(&cube(2), 60, waves));
    assert!(found.explained < 0.3 && found.noise.is_none(), "{found:?}");
    for parameter in &found.parameters {
        for estimate in [parameter.first, parameter.total] {
            let Estimate { value, low, high } = estimate;
            assert!(low <= value && value <= high, "{parameter:?}");
        }
    }
}

#[test]
fn repeated_evaluations_show_the_noise() {
    let mut turn = 0;
    let found = importance(&repeated(|x| {
        turn += 1;
        x[0] + if turn % 2 == 0 { 0.1 } else { -0.1 }
    }));
    // Pairs of ±0.1 have a variance of 0.02, x one of 1/3, and the pairs add 0.01 to the whole.
    let share = 0.02 / (1.0 / 3.0 + 0.01);
    let noise = found.noise.unwrap();
    assert!(
        noise.low <= share && share <= noise.high && noise.high < 0.1,
        "{noise:?}"
    );
}

/// Forty points with two evaluations each.
fn repeated(mut function: impl FnMut(&[f64]) -> f64) -> Observations {
    let space = cube(2);
    let rows = space_filling(2, 40, &mut Streams::new(5).stream(1, Purpose::Design));
    let twice = Points::from_rows(2, rows.rows().flat_map(|row| [row, row]));
    let values: Vec<f64> = twice.rows().map(&mut function).collect();
    Observations::new("value", &space, Direction::Minimize, &twice, &values)
}
