use super::*;
use crate::acquisition::testing::{Closure, cube, parse, plain, smooth};
use crate::linalg::testing::assert_near;
use crate::linalg::{Purpose, Streams};
use crate::space::{Space, Value};

fn rng() -> Rng {
    Streams::new(11).stream(5, Purpose::Candidates)
}

/// Highest point of the test functions in coordinate `j`.
fn top(j: usize) -> f64 {
    0.9 * ((j as f64) * 1.7 + 0.4).sin()
}

/// A badly scaled concave quadratic with its top at [`top`], curvatures over three orders of magnitude.
fn ridge() -> impl Function {
    let weight = |j: usize, n: usize| 10f64.powf(3.0 * j as f64 / n.max(2) as f64);
    let value = move |x: &[f64]| {
        -x.iter()
            .enumerate()
            .map(|(j, v)| weight(j, x.len()) * (v - top(j)).powi(2))
            .sum::<f64>()
    };
    let gradient = move |x: &[f64]| {
        x.iter()
            .enumerate()
            .map(|(j, v)| -2.0 * weight(j, x.len()) * (v - top(j)))
            .collect::<Vec<_>>()
    };
    smooth(value, gradient)
}

/// Twin peaks: a broad one at −0.5 (height 1) and a narrow one at 0.6 (height 1.3), in every direction.
fn twin_peaks() -> impl Function {
    let bump = |x: &[f64], at: f64, width: f64| {
        (-x.iter().map(|v| (v - at).powi(2)).sum::<f64>() / (2.0 * width * width)).exp()
    };
    let value = move |x: &[f64]| bump(x, -0.5, 0.4) + 1.3 * bump(x, 0.6, 0.12);
    let gradient = move |x: &[f64]| {
        let (broad, narrow) = (bump(x, -0.5, 0.4) / 0.16, 1.3 * bump(x, 0.6, 0.12) / 0.0144);
        x.iter()
            .map(|v| -broad * (v + 0.5) - narrow * (v - 0.6))
            .collect::<Vec<_>>()
    };
    smooth(value, gradient)
}

fn maximize(function: &dyn Function, space: &Space, seen: &SeenRows) -> Option<Maximum> {
    let region = SearchRegion::whole(space, seen, Points::new(space.encoded_dim()));
    Maximizer::default().maximize(function, &region, &mut rng())
}

/// The maximum while no row has been seen.
fn maximum(function: &dyn Function, space: &Space) -> Maximum {
    maximize(function, space, &SeenRows::default()).unwrap()
}

/// Twin peaks below a bound that lifts the broad one to the height of the narrow one; counts the rows it is asked about.
struct Bounded<'a> {
    inner: &'a (dyn Function + 'a),
    asked: &'a std::sync::atomic::AtomicUsize,
}

impl Function for Bounded<'_> {
    fn value(&self, rows: &Points) -> Vec<f64> {
        self.asked
            .fetch_add(rows.len(), std::sync::atomic::Ordering::Relaxed);
        self.inner.value(rows)
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        self.asked
            .fetch_add(rows.len(), std::sync::atomic::Ordering::Relaxed);
        self.inner.value_and_gradient(rows)
    }

    fn preview(&self) -> Option<Box<dyn Function>> {
        let bump =
            |x: &[f64]| 0.3 * (-x.iter().map(|v| (v + 0.5).powi(2)).sum::<f64>() / 0.32).exp();
        let (peaks, slopes) = (twin_peaks(), twin_peaks());
        let at = |x: &[f64]| Points::from_rows(x.len(), [x]);
        let value = move |x: &[f64]| peaks.value(&at(x))[0] + bump(x);
        let gradient = move |x: &[f64]| {
            let inner = slopes.value_and_gradient(&at(x)).unwrap().1;
            let sum = |(g, v): (&f64, &f64)| g - bump(x) * (v + 0.5) / 0.16;
            inner.row(0).iter().zip(x).map(sum).collect::<Vec<f64>>()
        };
        Some(Box::new(smooth(value, gradient)))
    }
}

#[test]
fn a_bound_saves_values_and_the_top_is_still_that_of_the_function() {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let bounded = Bounded {
        inner: &twin_peaks(),
        asked: &asked,
    };
    let found = maximum(&bounded, &cube(2));
    let exact = maximum(&twin_peaks(), &cube(2));
    assert_near(&[found.value], &[exact.value], 1e-6);
    assert!(found.row[0] > 0.5, "{found:?}");
    assert!(asked.into_inner() <= PROMISING + 12 * (EXACT_STEPS + 1));
}

#[test]
fn without_a_gradient_a_preview_saves_values_as_well() {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let peaks = twin_peaks();
    let bounded = Bounded {
        inner: &plain(move |x| peaks.value(&Points::from_rows(x.len(), [x]))[0]),
        asked: &asked,
    };
    let found = maximum(&bounded, &cube(2));
    assert_near(&found.row, &[0.6, 0.6], 0.01);
    // Each start has a whole number of perturbations per round.
    assert!(asked.into_inner() <= PROMISING + 2 * EXACT_PERTURBATIONS);
}

#[test]
fn gradient_finds_the_top_in_1_2_10_and_100_dimensions() {
    for dim in [1, 2, 10, 100] {
        let found = maximum(&ridge(), &cube(dim)).value;
        let least = if dim == 100 { -0.5 } else { -1e-8 };
        assert!(found > least, "dimension {dim}: {found}");
    }
}

#[test]
fn the_higher_of_two_peaks_is_found() {
    for dim in [1, 2, 4] {
        let found = maximum(&twin_peaks(), &cube(dim));
        assert_near(&found.row, &vec![0.6; dim], 0.01);
    }
}

#[test]
fn without_a_gradient_perturbations_find_the_top() {
    for dim in [1, 2, 5] {
        let miss = |(j, v): (usize, &f64)| (v - top(j)).abs();
        let hill = plain(move |x| -x.iter().enumerate().map(miss).sum::<f64>());
        let tops: Vec<f64> = (0..dim).map(top).collect();
        assert_near(&maximum(&hill, &cube(dim)).row, &tops, 0.01);
    }
}

#[test]
fn a_top_outside_the_box_is_met_at_its_bounds() {
    let (space, seen) = (cube(3), SeenRows::default());
    let lower = [0.95, -1.0, -1.0];
    let region =
        SearchRegion::whole(&space, &seen, Points::new(3)).within(&lower, &[1.0, 1.0, -0.9]);
    let found = Maximizer::default()
        .maximize(&ridge(), &region, &mut rng())
        .unwrap();
    assert_eq!((found.row[0], found.row[2]), (0.95, -0.9));
    assert!((found.row[1] - top(1)).abs() < 1e-5);
}

#[test]
fn incumbents_lead_to_a_needle_the_spread_misses() {
    let square = |(j, v): (usize, &f64)| (v - top(j)).powi(2);
    let needle = |x: &[f64]| (-x.iter().enumerate().map(square).sum::<f64>() / 2e-4).exp();
    let (space, seen) = (cube(8), SeenRows::default());
    let near: Vec<f64> = (0..8).map(|j| top(j) + 0.008).collect();
    let region = SearchRegion::whole(&space, &seen, Points::from_rows(8, [near]));
    let found = Maximizer::default().maximize(&plain(needle), &region, &mut rng());
    assert!(found.unwrap().value > 0.6);
    assert!(maximum(&plain(needle), &space).value < 0.1);
}

/// Rewards the int 37 of 1..=100, the log int 300 of 1..=1000, the second of three choices and x = 0.25.
fn mixed_value(space: &Space, row: &[f64]) -> f64 {
    let point = space.decode(row);
    let [
        Some(Value::Float(x)),
        Some(Value::Int(n)),
        Some(Value::Int(m)),
        Some(Value::Text(c)),
    ] = point.values()
    else {
        return f64::NAN;
    };
    let choice = if c == "b" { 1.0 } else { 0.0 };
    choice
        - (x - 0.25).powi(2)
        - ((n - 37) as f64 / 50.0).powi(2)
        - ((*m as f64).ln() - 300f64.ln()).powi(2)
}

fn mixed_space() -> Space {
    parse(&[
        "x=float(0,1)",
        "n=int(1,100)",
        "m=int(1,1000,log)",
        "c=choice(a,b,c)",
    ])
}

#[test]
fn mixed_spaces_are_solved_to_the_exact_level_and_choice() {
    let space = mixed_space();
    for with_gradient in [true, false] {
        // Encoded x is 2x − 1, so the slope in the row is half the slope in x.
        let slope = |row: &[f64]| vec![-((row[0] + 1.0) / 2.0 - 0.25), 0.0, 0.0, 0.0, 0.0, 0.0];
        let function = Closure {
            value: |row: &[f64]| mixed_value(&space, row),
            gradient: with_gradient.then_some(slope),
        };
        let found = space.decode(&maximum(&function, &space).row);
        let [Some(Value::Float(x)), rest @ ..] = found.values() else {
            unreachable!()
        };
        assert!((x - 0.25).abs() < 1e-3, "{found:?}");
        assert_eq!(rest, [Some(37.into()), Some(300.into()), Some("b".into())]);
    }
}

#[test]
fn rows_are_scored_at_the_point_that_would_be_run() {
    let space = mixed_space();
    let checked = plain(|row| {
        let mut snapped = row.to_vec();
        space.snap(&mut snapped);
        assert_near(row, &snapped, 1e-12);
        mixed_value(&space, row)
    });
    maximum(&checked, &space);
}

#[test]
fn a_pool_gives_its_rows_from_the_best_down_and_then_nothing() {
    let features: Vec<[f64; 2]> = (0..700)
        .map(|i| [f64::from(i * 37 % 700), f64::from(i)])
        .collect();
    let space = Space::from_pool(Points::from_rows(2, &features)).unwrap();
    let mut seen = SeenRows::default();
    let first = plain(|x| x[0]);
    for expected in [699, 698, 697] {
        let found = maximize(&first, &space, &seen).unwrap();
        let point = space.decode(&found.row);
        let [Some(Value::Int(index))] = point.values() else {
            unreachable!()
        };
        assert_eq!(features[*index as usize][0] as i32, expected);
        seen.insert(&found.row);
    }
    space.pool().unwrap().rows().for_each(|row| {
        seen.insert(row);
    });
    assert_eq!(maximize(&first, &space, &seen), None);
}

#[test]
fn a_finite_space_is_used_up_exactly() {
    let space = parse(&["n=int(1,7)", "flag=bool", "c=choice(a,b,c)"]);
    let mut seen = SeenRows::default();
    let mut last = f64::INFINITY;
    for _ in 0..42 {
        let found = maximize(&plain(|x| x[0] + 0.1 * x[1] + 0.01 * x[2]), &space, &seen).unwrap();
        assert!(found.value <= last && seen.insert(&found.row));
        last = found.value;
    }
    assert_eq!(maximize(&plain(|x| x[0]), &space, &seen), None);
}

#[test]
fn a_large_finite_space_gives_a_new_point_when_all_candidates_were_seen() {
    let space = parse(&["n=int(1,20000)"]);
    let mut seen = SeenRows::default();
    for n in 1..20_000 {
        seen.insert(&space.encode(&vec![Value::from(n)].into()).unwrap());
    }
    let found = maximize(&plain(|x| -x[0]), &space, &seen).unwrap();
    assert_eq!(space.decode(&found.row).values(), [Some(20_000.into())]);
    seen.insert(&found.row);
    assert_eq!(maximize(&plain(|x| -x[0]), &space, &seen), None);
}

#[test]
fn a_seen_corner_is_not_proposed_again() {
    let space = cube(2);
    let mut seen = SeenRows::default();
    let slope = smooth(|x| x[0] + x[1], |_| vec![1.0, 1.0]);
    assert_eq!(maximize(&slope, &space, &seen).unwrap().row, [1.0, 1.0]);
    seen.insert(&[1.0, 1.0]);
    let next = maximize(&slope, &space, &seen).unwrap();
    assert!(next.row != [1.0, 1.0] && next.value > 1.8);
}

#[test]
fn a_function_of_nothing_but_nan_still_gives_a_point() {
    assert!(maximize(&plain(|_| f64::NAN), &cube(2), &SeenRows::default()).is_some());
    let broken = smooth(|_| f64::NAN, |x| vec![f64::NAN; x.len()]);
    assert!(maximize(&broken, &cube(2), &SeenRows::default()).is_some());
}

#[test]
fn several_maxima_are_different_and_in_order() {
    let (space, seen) = (cube(2), SeenRows::default());
    let region = SearchRegion::whole(&space, &seen, Points::new(2));
    let best = Maximizer::default().best(&ridge(), &region, 20, &mut rng());
    assert_eq!(best.len(), 20);
    let ordered = |pair: &[Maximum]| pair[0].value >= pair[1].value && pair[0].row != pair[1].row;
    assert!(best.windows(2).all(ordered));
}

#[test]
fn the_same_stream_gives_the_same_maximum_on_any_number_of_threads() {
    let waves = plain(|x| (7.0 * x[0]).sin() * (5.0 * x[1]).cos());
    let search = || maximum(&waves, &cube(2));
    let pool = |threads| {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
        builder.build().unwrap()
    };
    assert_eq!(pool(1).install(search), pool(3).install(search));
}

#[test]
fn wrong_settings_are_refused_by_name() {
    let refused = |change: fn(&mut MaximizerSettings), text: &str| {
        let mut settings = MaximizerSettings::default();
        change(&mut settings);
        let error = Maximizer::new(settings).unwrap_err().to_string();
        assert!(error.starts_with(text), "{error}");
    };
    refused(|settings| settings.candidates = 0, "candidates = 0");
    refused(|settings| settings.local_share = 1.5, "local_share = 1.5");
}

fn constrained(bounds: &[(f64, f64)], constraints: &[&str]) -> Space {
    Space::from_bounds(bounds)
        .unwrap()
        .with_constraints(constraints.iter().map(|text| text.parse().unwrap()))
        .unwrap()
}

/// `Σ w_j x_j` over the encoded coordinates, with and without its gradient.
fn slopes(weights: &'static [f64]) -> [Box<dyn Function>; 2] {
    let value = move |x: &[f64]| x.iter().zip(weights).map(|(x, w)| w * x).sum::<f64>();
    [
        Box::new(smooth(value, move |_| weights.to_vec())),
        Box::new(plain(value)),
    ]
}

#[test]
fn the_best_corner_of_a_triangle_and_of_a_simplex_is_found() {
    // x0 + x1 ≤ 1 of [0, 1]²: x0 + 2 x1 is largest at (0, 1), in coordinates (−1, 1).
    let triangle = constrained(&[(0.0, 1.0); 2], &["x0 + x1 <= 1"]);
    let simplex = constrained(&[(0.0, 1.0); 4], &["sum(x0, x1, x2, x3) == 1"]);
    let cases: [(Space, &'static [f64]); 2] =
        [(triangle, &[1.0, 2.0]), (simplex, &[1.0, 3.0, 2.0, -1.0])];
    for (space, weights) in cases {
        for function in slopes(weights) {
            let found = maximum(&*function, &space);
            assert!(space.is_feasible(&found.row), "{found:?}");
            assert!((found.value - 1.0).abs() < 1e-3, "{found:?}");
        }
    }
}

#[test]
fn the_ascent_slides_along_a_curved_border() {
    // On a disc of radius 1e-3 around (0.3, −0.2), less than a millionth of the box, the best of x + y is at 45°.
    let disc = constrained(&[(-1.0, 1.0); 2], &["(x0 - 0.3)^2 + (x1 + 0.2)^2 <= 1e-6"]);
    let found = maximum(&*slopes(&[1.0, 1.0])[0], &disc);
    assert!(disc.is_feasible(&found.row), "{found:?}");
    assert_near(&[found.value], &[0.1 + 2f64.sqrt() * 1e-3], 1e-5);
}

#[test]
fn a_quadratic_on_a_simplex_is_maximal_where_lagrange_says() {
    // −Σ (x_j − t_j)² on Σ x_j = 0 in [−1, 1]^5: x_j = t_j − mean t.
    let simplex = constrained(&[(-1.0, 1.0); 5], &["sum(x0, x1, x2, x3, x4) == 0"]);
    let t = [0.5, -0.3, 0.2, 0.4, -0.1];
    let hill = smooth(
        |x| -x.iter().zip(&t).map(|(x, t)| (x - t).powi(2)).sum::<f64>(),
        |x| {
            x.iter()
                .zip(&t)
                .map(|(x, t)| -2.0 * (x - t))
                .collect::<Vec<f64>>()
        },
    );
    let found = maximum(&hill, &simplex);
    assert_near(&found.row, &t.map(|t| t - 0.14), 1e-4);
}

#[test]
fn ints_that_add_up_are_moved_in_pairs() {
    let space = parse(&["a=int(0,200)", "b=int(0,200)", "c=int(0,200)"]);
    let space = space
        .with_constraints(["a + b + c == 200".parse().unwrap()])
        .unwrap();
    let hill = plain(|x| -(x[0] - 0.5).powi(2) - (x[1] + 0.6).powi(2));
    let best = maximum(&hill, &space);
    let reached = space.is_feasible(&best.row) && best.value > -1e-3;
    assert!(reached, "{best:?}");
}
