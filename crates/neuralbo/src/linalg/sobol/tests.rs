use proptest::prelude::*;

use super::*;
use crate::linalg::{Purpose, Rng, Streams};

fn rng(seed: u64) -> Rng {
    Streams::new(seed).stream(0, Purpose::Design)
}

fn scrambled(dim: usize, seed: u64, n: usize) -> Points {
    Sobol::new(dim, Some(&mut rng(seed)))
        .unwrap()
        .fill_signed(0, n)
}

#[test]
fn unscrambled_points_are_scipys() {
    let sobol = Sobol::new(Sobol::max_dim(), None).unwrap();
    let mut point = vec![0.0; sobol.dim()];
    for line in include_str!("../../../tests/data/sobol.csv")
        .lines()
        .skip(1)
    {
        let fields: Vec<&str> = line.split(',').collect();
        sobol.point(fields[0].parse().unwrap(), &mut point);
        assert_eq!(
            point[fields[1].parse::<usize>().unwrap()],
            fields[2].parse::<f64>().unwrap(),
            "{line}"
        );
    }
}

#[test]
fn dimensions_without_direction_numbers_are_refused() {
    let max = Sobol::max_dim();
    assert!(max >= 2048);
    let error = Sobol::new(max + 1, None).unwrap_err();
    assert_eq!(error, SobolError { dim: max + 1, max });
    assert!(
        error.to_string().contains(&max.to_string())
            && error.to_string().contains(&(max + 1).to_string())
    );
    assert!(Sobol::new(0, None).is_err());
}

#[test]
fn filling_continues_the_sequence() {
    for generator in [None, Some(&mut rng(4))] {
        let sobol = Sobol::new(3, generator).unwrap();
        let points = sobol.fill_signed(1000, 50);
        let mut point = [0.0; 3];
        for (row, filled) in points.rows().enumerate() {
            sobol.point(1000 + row as u64, &mut point);
            assert_eq!(point.map(|u| 2.0 * u - 1.0), filled);
        }
    }
}

#[test]
fn scrambling_keeps_two_dimensional_boxes_balanced() {
    // The first two coordinates are a (0, 10, 2)-net: every elementary interval of area 2⁻¹⁰ holds one of 2¹⁰ points.
    let points = scrambled(2, 3, 1024);
    for split in 0..=10u32 {
        let (columns, rows) = (1usize << split, 1usize << (10 - split));
        let mut seen = vec![false; 1024];
        for point in points.rows() {
            let cell = |x: f64, cells: usize| ((x + 1.0) / 2.0 * cells as f64) as usize;
            let index = cell(point[0], columns) * rows + cell(point[1], rows);
            assert!(
                !std::mem::replace(&mut seen[index], true),
                "two points in box {index} of {columns} × {rows}"
            );
        }
    }
}

#[test]
fn scrambled_points_are_uniform_over_seeds() {
    // One fixed point, many seeds: mean 1/2 and variance 1/12 in each coordinate, no correlation between coordinates.
    let (n, dim) = (4000, 3);
    let mut points = Points::new(dim);
    for seed in 0..n {
        let mut point = [0.0; 3];
        Sobol::new(dim, Some(&mut rng(seed)))
            .unwrap()
            .point(5, &mut point);
        points.push(&point.map(|u| u - 0.5));
    }
    let mean_of = |f: &dyn Fn(&[f64]) -> f64| points.rows().map(f).sum::<f64>() / n as f64;
    for i in 0..dim {
        assert!(mean_of(&|p| p[i]).abs() < 0.02);
        assert!((mean_of(&|p| p[i] * p[i]) - 1.0 / 12.0).abs() < 0.005);
        assert!(mean_of(&|p| p[i] * p[(i + 1) % dim]).abs() < 0.005);
    }
}

#[test]
fn neighbours_are_scrambled_independently() {
    // Points 0 and 1 differ in the first digit only: below it, their scrambled digits must be unrelated.
    let correlation: f64 = (0..4000)
        .map(|seed| {
            let sobol = Sobol::new(1, Some(&mut rng(seed))).unwrap();
            let (mut a, mut b) = ([0.0], [0.0]);
            sobol.point(0, &mut a);
            sobol.point(1, &mut b);
            ((2.0 * a[0]).fract() - 0.5) * ((2.0 * b[0]).fract() - 0.5)
        })
        .sum::<f64>()
        / 4000.0;
    assert!(correlation.abs() < 0.005, "covariance {correlation}");
}

#[test]
fn integrates_better_than_random_points() {
    // ∫ Π (1 + (uᵢ − ½)/2) du = 1; the standard error of 1024 random points is about 0.01.
    let estimate = |seed| {
        let points = scrambled(6, seed, 1024);
        points
            .rows()
            .map(|p| p.iter().map(|x| 1.0 + x / 4.0).product::<f64>())
            .sum::<f64>()
            / 1024.0
    };
    assert!((0..10).all(|seed| (estimate(seed) - 1.0).abs() < 1e-3));
}

#[test]
fn many_dimensions_fall_back_to_a_latin_hypercube() {
    let dim = Sobol::max_dim() + 1;
    let points = space_filling(dim, 2, &mut rng(0));
    assert_eq!((points.dim(), points.len()), (dim, 2));
    assert!((0..dim).all(|i| (points.row(0)[i] < 0.0) != (points.row(1)[i] < 0.0)));
}

#[test]
fn no_points_and_no_coordinates() {
    assert!(latin_hypercube(3, 0, &mut rng(0)).is_empty());
    assert_eq!(latin_hypercube(0, 4, &mut rng(0)).len(), 4);
}

proptest! {
    #[test]
    fn each_interval_of_a_latin_hypercube_holds_one_point(dim in 1usize..6, n in 1usize..40, seed in 0u64..1000) {
        let points = latin_hypercube(dim, n, &mut rng(seed));
        for coordinate in 0..dim {
            let mut cells: Vec<_> = points.rows().map(|row| ((row[coordinate] + 1.0) / 2.0 * n as f64 + 1e-9) as usize).collect();
            cells.sort_unstable();
            prop_assert_eq!(cells, (0..n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn each_interval_holds_one_scrambled_point(seed in 0u64..10_000, log_n in 0u32..9, dim in 1usize..300) {
        let n = 1usize << log_n;
        let points = scrambled(dim, seed, n);
        for coordinate in [0, dim / 2, dim - 1] {
            let mut cells: Vec<_> = points.rows().map(|row| ((row[coordinate] + 1.0) / 2.0 * n as f64) as usize).collect();
            cells.sort_unstable();
            prop_assert_eq!(cells, (0..n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn coordinates_average_to_the_middle(seed in 0u64..10_000, dim in 1usize..50) {
        let points = scrambled(dim, seed, 256);
        for i in 0..dim {
            let mean = points.rows().map(|row| row[i]).sum::<f64>() / 256.0;
            prop_assert!(mean.abs() <= 1.0 / 256.0);
        }
    }
}
