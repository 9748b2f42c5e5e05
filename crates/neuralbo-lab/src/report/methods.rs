//! Which methods stand for what: the exploration grid, the paper's baselines, and how each looks in figures.

use crate::runner::{NU_GRID, RunTrace};
use crate::stats::mean;

/// The default method.
pub const DEFAULT: &str = "neuralbo";
/// The paper's baselines in the order of its Table 2.
pub const BASELINES: [&str; 6] = ["gp-ucb", "gp-ts", "gp-ei", "rf", "dngo", "neural-greedy"];
/// The paper's own method.
pub const PAPER: &str = "neuralbo-paper";
/// Its runs with the best ν.
pub const PAPER_BEST: &str = "neuralbo-paper (best ν)";

/// Order in which methods get their looks, so that a method looks the same in all figures.
const LOOKS: [&str; 13] = [
    "neuralbo",
    PAPER_BEST,
    "gp-ucb",
    "gp-ts",
    "gp-ei",
    "rf",
    "dngo",
    "neural-greedy",
    "random",
    PAPER,
    "neuralbo-reference",
    "neuralbo-faithful",
    "centre",
];

/// The looks of a method, where it always has the same.
pub fn looks(method: &str) -> Option<usize> {
    LOOKS.iter().position(|name| *name == method)
}

/// ν of a run of the paper's method that belongs to the grid.
pub fn grid_nu(method: &str) -> Option<&str> {
    let nu = method.strip_prefix(PAPER)?.strip_prefix(":nu=")?;
    NU_GRID.contains(&nu).then_some(nu)
}

/// How bad the end of a run is; smaller is better, whatever the direction.
pub fn final_loss(trace: &RunTrace) -> f64 {
    let best = trace.last_best().unwrap_or(f64::NAN);
    -trace.header.direction.reward(best)
}

/// The mean of a method's final losses.
pub fn mean_loss(runs: &[&RunTrace]) -> f64 {
    let losses: Vec<f64> = runs.iter().map(|trace| final_loss(trace)).collect();
    mean(&losses)
}

/// Runs of the originals on which ν is chosen.
pub const NU_RUNS: u32 = 3;

/// The runs on which ν is chosen.
pub fn choosing<'a>(methods: &[(String, Vec<&'a RunTrace>)]) -> Vec<(String, Vec<&'a RunTrace>)> {
    let few = |runs: &Vec<&'a RunTrace>| {
        let runs = runs.iter().copied();
        runs.filter(|trace| trace.header.run <= NU_RUNS).collect()
    };
    let methods = methods.iter().map(|(name, runs)| (name.clone(), few(runs)));
    methods
        .filter(|(_, runs): &(_, Vec<_>)| !runs.is_empty())
        .collect()
}

/// The member of the exploration grid with the smallest loss; none where the grid has fewer than two.
pub fn best_nu<T>(methods: &[(String, T)], loss: impl Fn(&T) -> f64) -> Option<String> {
    let grid = methods.iter().filter(|(name, _)| grid_nu(name).is_some());
    let best = grid
        .clone()
        .min_by(|a, b| loss(&a.1).total_cmp(&loss(&b.1)))
        .filter(|_| grid.count() > 1);
    best.map(|(name, _)| name.clone())
}

/// The same methods with the exploration grid replaced by one of its members, where one was chosen.
pub fn with_nu<T>(methods: Vec<(String, T)>, chosen: Option<String>) -> Vec<(String, T)> {
    let Some(best) = chosen else {
        return methods;
    };
    let keep = |(method, runs): (String, T)| match grid_nu(&method) {
        Some(_) if method == best => Some((PAPER_BEST.to_owned(), runs)),
        Some(_) => None,
        None => Some((method, runs)),
    };
    methods.into_iter().filter_map(keep).collect()
}

/// Which of the methods are baselines: the paper's, or all that are not ours where none of them was run.
pub fn baselines(methods: &[String]) -> Vec<&str> {
    let mut found = BASELINES.to_vec();
    found.retain(|name| methods.iter().any(|method| method == name));
    if found.is_empty() {
        found = methods.iter().map(String::as_str).collect();
        found.retain(|method| !method.starts_with("neuralbo"));
    }
    found
}

/// Which of the methods are ours, in the order they are shown.
pub fn ours(methods: &[String]) -> Vec<&str> {
    let methods = methods.iter().map(String::as_str);
    methods
        .filter(|method| method.starts_with("neuralbo"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::MethodRuns;
    use super::*;
    use crate::runner::testing::trace;

    #[test]
    fn the_grid_is_replaced_by_its_best_member() {
        let (mut good, mut bad) = (trace(), trace());
        good.rows[2].best = 0.5;
        bad.rows[2].best = 0.9;
        let methods: MethodRuns<'_> = vec![
            ("neuralbo-paper:nu=0.1".into(), vec![&bad]),
            ("random".into(), vec![&bad]),
            ("neuralbo-paper:nu=1".into(), vec![&good]),
        ];
        let best = |methods: &MethodRuns<'_>| best_nu(methods, |runs| mean_loss(runs));
        let shown = with_nu(methods.clone(), best(&methods));
        let names: Vec<&str> = shown.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["random", PAPER_BEST]);
        assert_eq!(shown[1].1[0].last_best(), Some(0.5));
        let single = methods[..2].to_vec();
        assert_eq!(with_nu(single.clone(), best(&single)).len(), 2);
    }

    #[test]
    fn nu_is_chosen_on_the_first_runs_alone() {
        let (mut lucky, mut late) = (trace(), trace());
        lucky.rows[2].best = 0.1;
        (late.header.run, late.rows[2].best) = (NU_RUNS + 1, 0.0);
        let first = trace();
        let methods: MethodRuns<'_> = vec![
            ("neuralbo-paper:nu=0.1".into(), vec![&first, &late]),
            ("neuralbo-paper:nu=1".into(), vec![&lucky]),
            ("neuralbo-paper:nu=10".into(), vec![&late]),
        ];
        let chosen = best_nu(&choosing(&methods), |runs| mean_loss(runs));
        assert_eq!(chosen.as_deref(), Some("neuralbo-paper:nu=1"));
    }

    /// CIE L*a*b* of a colour such as `#0072b2` (D65).
    fn lab(colour: &str) -> [f64; 3] {
        let linear = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.040_45 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        let [r, g, b] = [1, 3, 5].map(linear);
        let x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505;
        let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        let z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089;
        let root = |t: f64| {
            if t > 0.008_856 {
                t.cbrt()
            } else {
                7.787 * t + 16.0 / 116.0
            }
        };
        let [x, y, z] = [x, y, z].map(root);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// Regression: `gp-ucb` and `neuralbo-faithful` were both green, 22 apart.
    #[test]
    fn known_methods_have_colours_that_are_told_apart() {
        let colours = crate::figure::COLOURS.map(lab);
        assert_eq!(LOOKS.len(), colours.len());
        for (i, a) in colours.iter().enumerate() {
            for b in &colours[..i] {
                let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
                assert!(squares.sum::<f64>() > 25.0_f64.powi(2), "{a:?} and {b:?}");
            }
        }
    }

    #[test]
    fn only_members_of_the_grid_have_its_nu() {
        assert_eq!(grid_nu("neuralbo-paper:nu=10"), Some("10"));
        assert_eq!(grid_nu("neuralbo-paper:nu=10,width=5"), None);
        assert_eq!(grid_nu("neuralbo"), None);
    }
}
