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
            x: fields[5..5 + dim].iter().map(|field| field.parse().unwrap()).collect(),
        }
    }

    fn problem(&self) -> Bbob {
        Bbob::new(self.function, self.instance, self.dim).unwrap()
    }
}

fn rows(compressed: &[u8]) -> Vec<Row> {
    let mut text = String::new();
    GzDecoder::new(compressed).read_to_string(&mut text).unwrap();
    text.lines().skip(1).map(Row::parse).collect()
}

fn compare(rows: &[Row]) {
    let mut worst = vec![0.0_f64; 25];
    for row in rows {
        let ours = row.problem().value(&row.x);
        let error = (ours - row.value).abs() / row.value.abs().max(1.0);
        if !(error < TOLERANCE) && std::env::var("SHOW").is_ok() { println!("{} {} {} {} {} {}", row.function, row.instance, row.dim, row.kind, ours, row.value); }
        worst[row.function as usize] = worst[row.function as usize].max(error);
    }
    println!("{worst:?}");
    let off: Vec<usize> = (1..=24).filter(|&f| !(worst[f] < TOLERANCE)).collect();
    assert!(off.is_empty(), "functions {off:?} differ: {worst:?}");
}

#[test]
fn all_golden_values_agree() {
    let rows = rows(include_bytes!("data/bbob_golden.csv.gz"));
    assert_eq!(rows.len(), 24 * 5 * 5 * 5);
    compare(&rows);
}
