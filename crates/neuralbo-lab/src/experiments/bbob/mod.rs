//! Figure 2: the 24 noiseless functions of COCO.

mod report;

use serde_json::{Value, json};

use crate::Problem;
use crate::problems::ProblemError;
use crate::problems::bbob::Bbob;
use crate::problems::noise::GaussianNoise;
use crate::report::{Published, Ranking, Reported};
use crate::runner::{
    BoxEvaluator, Experiment, LabCase, LabError, LabSettings, NoiseLevel, Profile, RunTrace, Size,
    SizeUnits, Suite, Workload, seed_of,
};
use crate::stats::mean;

/// The dimensions of Figure 2.
const DIMS: [usize; 4] = [2, 3, 5, 10];
/// Gaps below this are equal.
const SMALLEST_GAP: f64 = 1e-8;

/// The BBOB functions; a run is an instance.
pub static BBOB: Reported = Reported {
    short_title: "BBOB",
    ranking: Some(Ranking {
        loss: mean_log_gap,
        remark: "On BBOB the mean logarithm of the final gap is ranked.",
    }),
    published: || Some(Published::of(size(Profile::Paper))),
    ..Reported::new(
        Experiment {
            expand,
            units: SizeUnits {
                per_dimension: true,
                runs: "instances",
            },
            load,
            ..Experiment::new("bbob", size, open)
        },
        "COCO / BBOB (Figure 2)",
        |_| vec!["instances 1, 2, … of the suite".into()],
        report::report,
    )
};

fn size(profile: Profile) -> Size {
    let all = 1..=Bbob::FUNCTIONS;
    match profile {
        Profile::Quick => Size::new(problems([1, 8, 21], &[2]), 1, 5),
        Profile::Standard => Size::new(problems(all, &DIMS), 3, 20),
        Profile::Paper => Size::new(problems(all, &DIMS), 15, 20),
    }
}

/// `f1..24-d5` stands for 24 problems.
fn expand(text: &str) -> Vec<String> {
    let range = || {
        let (functions, dim) = text.strip_prefix("bbob-").unwrap_or(text).split_once('-')?;
        let (first, last) = functions.strip_prefix('f')?.split_once("..")?;
        let functions = first.parse::<u32>().ok()?..=last.parse().ok()?;
        let name = |function| format!("f{function}-{dim}");
        Some(functions.map(name).collect())
    };
    range().unwrap_or_else(|| vec![text.to_owned()])
}

fn load(problem: &str, evaluations: u64) -> Workload {
    let dim = parse(problem).map_or(1, |(_, dim)| dim);
    Workload::without_design(dim, evaluations * dim as u64)
}

fn open(settings: &LabSettings) -> Result<Box<dyn Suite>, LabError> {
    Ok(Box::new(BbobFunctions {
        noise: settings.noise.unwrap_or(NoiseLevel::None),
        seeded: settings.seed.is_some(),
    }))
}

fn problems(functions: impl IntoIterator<Item = u32> + Clone, dims: &[usize]) -> Vec<String> {
    let of_dim = |dim: &usize| {
        let functions = functions.clone().into_iter();
        functions
            .map(|function| full_name(function, *dim))
            .collect()
    };
    dims.iter().flat_map::<Vec<_>, _>(of_dim).collect()
}

fn full_name(function: u32, dim: usize) -> String {
    format!("bbob-f{function:02}-d{dim:02}")
}

/// The mean decimal logarithm of the final gaps.
fn mean_log_gap(runs: &[&RunTrace]) -> f64 {
    let log_gap = |trace: &&RunTrace| Some(trace.last_best()?.max(SMALLEST_GAP).log10());
    mean(&runs.iter().filter_map(log_gap).collect::<Vec<_>>())
}

/// The functions with their noise. Methods see values; the gap to the optimum is recorded.
struct BbobFunctions {
    noise: NoiseLevel,
    /// Whether the seeds of methods are 1000·function + instance, to which the asked one is added.
    seeded: bool,
}

/// Function and dimension of `bbob-f07-d05`; `f7-d5` will do.
fn parse(name: &str) -> Option<(u32, usize)> {
    let name = name.strip_prefix("bbob-").unwrap_or(name);
    let (function, dim) = name.split_once('-')?;
    Some((
        function.strip_prefix('f')?.parse().ok()?,
        dim.strip_prefix('d')?.parse().ok()?,
    ))
}

impl Suite for BbobFunctions {
    fn case(&self, problem: &str, run: u32) -> Result<LabCase, LabError> {
        let (function, dim) = parse(problem).ok_or_else(|| LabError::UnknownProblem {
            problem: problem.to_owned(),
            experiment: "bbob",
            allowed: "write bbob-f<function>-d<dim>, such as bbob-f07-d05".into(),
        })?;
        let function = Bbob::new(function, run, dim).map_err(ProblemError::from)?;
        let name = full_name(function.function(), dim);
        let method_seed = if self.seeded {
            u64::from(function.function() * 1000 + run)
        } else {
            seed_of(&["method", &name], run)
        };
        let sd = self.noise.sd(&function);
        let noise =
            GaussianNoise::new(sd, method_seed.wrapping_add(1)).map_err(LabError::impossible)?;
        let observe = move |problem: &Bbob, x: &[f64], i| problem.value(x) + noise.at(i);
        let evaluator = BoxEvaluator {
            truth: Bbob::gap,
            ..BoxEvaluator::new(function, observe)
        };
        Ok(LabCase {
            method_seed,
            noisy: sd > 0.0,
            ..LabCase::on_box(&name, run, seed_of(&["bbob", problem], run), evaluator)?
        })
    }

    fn facts(&self, _: &[String]) -> Result<Value, LabError> {
        Ok(json!({
            "noise": self.noise,
            "initial": "each method's own",
            "recorded": "gap to the optimal value",
            "run": "instance",
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_functions_stands_for_all_of_them() {
        assert_eq!(expand("f8..10-d5"), ["f8-d5", "f9-d5", "f10-d5"]);
        assert_eq!(expand("bbob-f08-d05"), ["bbob-f08-d05"]);
    }

    #[test]
    fn names_state_function_and_dimension() {
        assert_eq!(parse("bbob-f07-d05"), Some((7, 5)));
        assert_eq!(parse("f24-d40"), Some((24, 40)));
        for name in ["bbob-f07", "f7", "7-5", "bbob-f1-i1-d2"] {
            assert_eq!(parse(name), None, "{name}");
        }
    }
}
