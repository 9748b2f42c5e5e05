//! The native BBOB functions against values of the COCO platform's own code.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::Read;

use flate2::read::GzDecoder;
use neuralbo_lab::Problem;
use neuralbo_lab::problems::bbob::Bbob;

/// Relative agreement asked for.
const TOLERANCE: f64 = 1e-9;

/// One line: function, instance, dim, kind of point, value, coordinates.
struct Row {
    function: u32,
    instance: u32,
    dim: usize,
    kind: String,
    value: f64,
    x: Vec<f64>,
}

impl Row {
    fn parse(line: &str) -> Self {
        let fields: Vec<&str> = line.split(',').collect();
        let dim = fields[2].parse().unwrap();
        Self {
            function: fields[0].parse().unwrap(),
            instance: fields[1].parse().unwrap(),
            dim,
            kind: fields[3].to_owned(),
            value: fields[4].parse().unwrap(),
            x: fields[5..5 + dim]
                .iter()
                .map(|field| field.parse().unwrap())
                .collect(),
        }
    }

    fn problem(&self) -> Bbob {
        Bbob::new(self.function, self.instance, self.dim).unwrap()
    }
}

fn rows(compressed: &[u8]) -> Vec<Row> {
    let mut text = String::new();
    GzDecoder::new(compressed)
        .read_to_string(&mut text)
        .unwrap();
    text.lines().skip(1).map(Row::parse).collect()
}

fn compare(rows: &[Row]) {
    for row in rows {
        let ours = row.problem().value(&row.x);
        let error = (ours - row.value).abs() / row.value.abs();
        let Row {
            function,
            instance,
            dim,
            kind,
            value,
            ..
        } = row;
        assert!(
            error < TOLERANCE,
            "f{function} i{instance} d{dim} {kind}: {ours} is not {value}"
        );
    }
}

#[test]
fn values_agree_at_the_optimum_the_origin_inside_and_outside() {
    let rows = rows(include_bytes!("data/bbob_golden.csv.gz"));
    assert_eq!(rows.len(), 24 * 5 * 5 * 5);
    compare(&rows);
}

#[test]
fn values_agree_in_every_instance_of_the_workshops() {
    let rows = rows(include_bytes!("data/bbob_sample.csv.gz"));
    assert_eq!(rows.len(), 24 * 55);
    compare(&rows);
}

#[test]
fn the_best_point_is_the_one_coco_names() {
    let rows = rows(include_bytes!("data/bbob_golden.csv.gz"));
    for row in rows.iter().filter(|row| row.kind == "optimum") {
        let ours = row.problem().optimum().unwrap();
        let furthest = ours
            .at
            .iter()
            .zip(&row.x)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        assert!(
            furthest < 1e-12,
            "f{} i{} d{}: {furthest}",
            row.function,
            row.instance,
            row.dim
        );
        assert!(
            (ours.value - row.value).abs() < 1e-9,
            "f{} i{} d{}",
            row.function,
            row.instance,
            row.dim
        );
    }
}
