//! Detection rates: computed when all runs are there, kept in a file, read by the report.

use neuralbo::space::Value;

use crate::problems::sensitive::{Classifier, Tampering};
use crate::runner::RunTrace;

/// The file with the rates.
pub const FILE: &str = "detection.csv";
/// The tampered copies are the same in all runs, as the classifier is.
const TAMPERING_SEED: u64 = 2;
/// Copies that the guard of the classifier makes to choose the samples by; not those to be detected.
const OWN_SEED: u64 = 3;

/// How N of the samples are taken: those of the first N runs; N drawn for every tampered copy, each out of all (the code of the
/// authors' later paper); each time the one that detects most of the other copies, made by the guard, that are left.
pub const RULES: [&str; 3] = [RUNS, "drawn", "greedy"];
pub const RUNS: &str = "runs";

/// The samples that a method found for a problem, one per run.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSamples {
    pub problem: String,
    pub method: String,
    pub samples: Vec<Vec<f64>>,
}

impl FoundSamples {
    /// The best images in the order of the runs; failed runs are left out.
    pub fn collect(traces: &[RunTrace]) -> Vec<Self> {
        let mut order: Vec<&RunTrace> = traces
            .iter()
            .filter(|trace| trace.header.error.is_none())
            .collect();
        order.sort_by_key(|trace| trace.header.key());
        let same = |a: &&RunTrace, b: &&RunTrace| {
            (&a.header.problem, &a.header.method) == (&b.header.problem, &b.header.method)
        };
        let image = |trace: &&RunTrace| {
            let trace = trace.header.best_point.iter();
            trace.filter_map(Value::as_f64).collect()
        };
        let found = |runs: &[&RunTrace]| Self {
            problem: runs[0].header.problem.clone(),
            method: runs[0].header.method.clone(),
            samples: runs.iter().map(image).collect(),
        };
        order.chunk_by(same).map(found).collect()
    }
}

/// The rates with 1, 2, … samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    pub problem: String,
    pub method: String,
    pub rule: String,
    pub values: Vec<f64>,
}

/// The rates of everything found, by every rule. Each tampered copy is made once for all samples.
pub fn detection(classifier: &Classifier, found: &[FoundSamples]) -> Vec<Rates> {
    let all: Vec<Vec<f64>> = found
        .iter()
        .flat_map(|found| found.samples.iter().cloned())
        .collect();
    let of = |seed| Tampering::new(classifier.clone(), seed).detections(&all);
    let (Some(tampered), Some(own)) = (of(TAMPERING_SEED), of(OWN_SEED)) else {
        return Vec::new();
    };
    let mut rates = Vec::new();
    let mut start = 0;
    for found in found {
        let samples = &found.samples;
        let range = start..start + samples.len();
        start = range.end;
        let detections = tampered.of(range.clone());
        let values = [
            detections.rates(&(0..samples.len()).collect::<Vec<_>>()),
            detections.drawn(),
            detections.rates(&own.of(range).greedy()),
        ];
        rates.extend(RULES.into_iter().zip(values).map(|(rule, values)| Rates {
            problem: found.problem.clone(),
            method: found.method.clone(),
            rule: rule.into(),
            values,
        }));
    }
    rates
}

/// One line per rate: problem, method, rule, number of samples and rate.
type RateLine = (String, String, String, usize, f64);

/// One line per rate.
pub fn to_csv(rates: &[Rates]) -> Result<Vec<u8>, String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut written = || -> csv::Result<()> {
        writer.write_record(["problem", "method", "rule", "samples", "rate"])?;
        for entry in rates {
            for (value, samples) in entry.values.iter().zip(1..) {
                writer.serialize((&entry.problem, &entry.method, &entry.rule, samples, value))?;
            }
        }
        Ok(())
    };
    written().map_err(|error| error.to_string())?;
    writer.into_inner().map_err(|error| error.to_string())
}

/// The rates of a file that [`to_csv`] wrote; lines of another form are left out.
pub fn from_csv(text: &str) -> Vec<Rates> {
    let mut rates: Vec<Rates> = Vec::new();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    for (problem, method, rule, _, value) in reader.deserialize::<RateLine>().flatten() {
        match rates.last_mut() {
            Some(last)
                if (&last.problem, &last.method, &last.rule) == (&problem, &method, &rule) =>
            {
                last.values.push(value);
            }
            _ => rates.push(Rates {
                problem,
                method,
                rule,
                values: vec![value],
            }),
        }
    }
    rates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::testing::trace;

    fn image(k: usize) -> Vec<f64> {
        let pixels = (0..49).map(|i| ((i * (k + 3)) % 11) as f64 * 0.25);
        pixels.collect()
    }

    #[test]
    fn samples_are_grouped_by_problem_and_method_in_the_order_of_the_runs() {
        let of = |method: &str, run: u32, error: Option<&str>| {
            let mut trace = trace();
            trace.header.method = method.into();
            trace.header.run = run;
            trace.header.error = error.map(String::from);
            trace.header.best_point = vec![Value::Float(f64::from(run)); 49];
            trace
        };
        let traces = [
            of("sobol", 1, None),
            of("random", 2, None),
            of("random", 3, Some("ended")),
            of("random", 1, None),
        ];
        let found = FoundSamples::collect(&traces);
        let first = |found: &FoundSamples| found.samples.iter().map(|image| image[0]).collect();
        let firsts: Vec<(&str, Vec<f64>)> = found
            .iter()
            .map(|found| (&*found.method, first(found)))
            .collect();
        assert_eq!(firsts, [("random", vec![1.0, 2.0]), ("sobol", vec![1.0])]);
    }

    /// Greedy is never behind at its first choice, and all rules end with the same samples but for those drawn twice.
    #[test]
    fn every_rule_has_its_rates_and_the_file_reads_back() {
        let found = [("a", 0..4), ("b:nu=1,width=5", 4..6)].map(|(method, images)| FoundSamples {
            problem: "sensitive-49".into(),
            method: method.into(),
            samples: images.map(image).collect(),
        });
        let classifier = Classifier::random(4);
        let rates = detection(&classifier, &found);
        assert_eq!(rates.len(), 6);
        let [runs, drawn, greedy] = &rates[..3] else {
            panic!("three rules")
        };
        assert_eq!((runs.values.len(), runs.values[3]), (4, greedy.values[3]));
        assert!(drawn.values[3] < runs.values[3]);
        let alone = Tampering::new(classifier, TAMPERING_SEED)
            .detections(&found[1].samples)
            .unwrap();
        assert_eq!(rates[3].values, alone.rates(&[0, 1]));
        let text = String::from_utf8(to_csv(&rates).unwrap()).unwrap();
        assert_eq!(from_csv(&text), rates);
    }
}
