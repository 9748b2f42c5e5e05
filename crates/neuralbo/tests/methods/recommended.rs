//! What the recommended trial promises, on random problems with and without noise.
//!
//! | symbol | meaning |
//! | --- | --- |
//! | `f` | a random function of range about 1 over the box |
//! | `z` | (truth − prediction)/sd at the recommended trial; positive where it promised too much |

use neuralbo::linalg::{Purpose, Rng, Streams};
use neuralbo::record::{Definition, Direction};
use neuralbo::space::{Params, Space, Value};
use neuralbo::study::Study;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_distr::{StandardNormal, StudentT};

const NOISES: [f64; 4] = [0.0, 0.01, 0.1, 0.3];
const DIMS: [usize; 5] = [2, 3, 5, 10, 20];
const TRIALS: [usize; 5] = [20, 40, 80, 140, 200];
/// Half the width of the central 90 % interval, in standard deviations.
const NINETY: f64 = 1.645;
/// Where noise is not seen a deviation is a rounding error: such a study counts as a miss, once.
const MOST_Z: f64 = 5.0;

/// How a function depends on the squared distance `q` from its optimum, which has mean 1 or so over the box.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Bowl,
    Cone,
    Well,
    Ripples,
}

/// A random problem: a function of the squared distance from an optimum in a random metric.
struct Problem {
    shape: Shape,
    optimum: Vec<f64>,
    /// One direction and its weight for each coordinate.
    directions: Vec<Vec<f64>>,
    trials: usize,
    sd: f64,
    heavy: bool,
}

impl Problem {
    fn draw(index: u64) -> Self {
        let mut rng = Streams::new(2029).stream(index, Purpose::Design);
        let d = *DIMS.choose(&mut rng).unwrap();
        let shapes = [Shape::Bowl, Shape::Cone, Shape::Well, Shape::Ripples];
        let condition: f64 = *[1.0, 10.0].choose(&mut rng).unwrap();
        let mut direction = |i: usize| -> Vec<f64> {
            let weight = condition.powf(i as f64 / d as f64) / (d as f64 * condition.sqrt());
            let x = |rng: &mut Rng| -> f64 { rng.sample(StandardNormal) };
            (0..d).map(|_| weight.sqrt() * x(&mut rng)).collect()
        };
        let directions = (0..d).map(&mut direction).collect();
        Self {
            shape: *shapes.choose(&mut rng).unwrap(),
            optimum: (0..d).map(|_| rng.random_range(-0.6..0.6)).collect(),
            directions,
            trials: *TRIALS.choose(&mut rng).unwrap(),
            sd: NOISES[(index % 4) as usize],
            heavy: (index / 4) % 2 == 1,
        }
    }

    fn truth(&self, x: &[f64]) -> f64 {
        let step: Vec<f64> = x.iter().zip(&self.optimum).map(|(x, o)| x - o).collect();
        let along = |direction: &Vec<f64>| -> f64 {
            let sum: f64 = direction.iter().zip(&step).map(|(a, b)| a * b).sum();
            sum * sum
        };
        let q: f64 = self.directions.iter().map(along).sum();
        let ripple = |s: &f64| 1.0 - (9.0 * s).cos();
        match self.shape {
            Shape::Bowl => 0.5 * q,
            Shape::Cone => 0.8 * q.sqrt(),
            Shape::Well => 1.0 - (-1.5 * q).exp(),
            Shape::Ripples => {
                0.4 * q + 0.1 * step.iter().map(ripple).sum::<f64>() / step.len() as f64
            }
        }
    }

    fn noise(&self, rng: &mut Rng) -> f64 {
        let draw: f64 = match self.heavy {
            // Its variance is 3.
            true => rng.sample(StudentT::new(3.0).unwrap()) / 3f64.sqrt(),
            false => rng.sample(StandardNormal),
        };
        self.sd * draw
    }

    /// The study after all its trials, and the observed values.
    fn study(&self, seed: u64) -> Study {
        let d = self.optimum.len();
        let space = Space::from_bounds(&vec![(-1.0, 1.0); d]).unwrap();
        let definition = Definition {
            seed,
            ..Definition::new(space, Direction::Minimize)
        };
        let mut study = Study::new(definition).unwrap();
        let mut rng = Streams::new(seed).stream(7, Purpose::Noise);
        for _ in 0..self.trials {
            let trial = study.ask_one().unwrap();
            let value = self.truth(&row(&trial.params.clone().unwrap())) + self.noise(&mut rng);
            study.tell(&trial, value).unwrap();
        }
        study
    }
}

fn row(params: &Params) -> Vec<f64> {
    (0..params.len())
        .map(|i| {
            params
                .get(&format!("x{i}"))
                .and_then(Value::as_f64)
                .unwrap()
        })
        .collect()
}

/// The outcome of one study.
struct Outcome {
    sd: f64,
    z: f64,
    recommended: f64,
    luckiest: f64,
    noisy: bool,
}

fn outcome(problem: &Problem, study: &mut Study) -> Outcome {
    let recommended = study.recommend().unwrap();
    let luckiest = study.best().unwrap().unwrap().params.unwrap();
    let truth = problem.truth(&row(&recommended.params));
    Outcome {
        sd: problem.sd,
        z: (truth - recommended.mean) / recommended.sd,
        recommended: truth,
        luckiest: problem.truth(&row(&luckiest)),
        noisy: recommended.noisy,
    }
}

/// Means over outcomes.
struct Law {
    covered: f64,
    z: f64,
    gain: f64,
}

fn law<'a>(outcomes: impl Iterator<Item = &'a Outcome> + Clone) -> Law {
    let count = outcomes.clone().count() as f64;
    let mean = |of: &dyn Fn(&Outcome) -> f64| outcomes.clone().map(of).sum::<f64>() / count;
    Law {
        covered: mean(&|o| f64::from(u8::from(o.z.abs() <= NINETY))),
        z: mean(&|o| o.z.clamp(-MOST_Z, MOST_Z)),
        gain: mean(&|o| o.luckiest - o.recommended),
    }
}

fn outcomes(count: u64, wanted: impl Fn(&Problem) -> bool) -> Vec<Outcome> {
    let one = |index: u64| {
        let problem = Problem::draw(index);
        wanted(&problem).then(|| outcome(&problem, &mut problem.study(index)))
    };
    (0..count).filter_map(one).collect()
}

fn print(name: &str, law: &Law) {
    println!(
        "{name}: {:.0} % in the 90 % interval, mean z {:.2}, better by {:.4}",
        100.0 * law.covered,
        law.z,
        law.gain
    );
}

/// What holds for these studies as a whole; means over few of them vary more.
fn check(outcomes: &[Outcome], covered: std::ops::RangeInclusive<f64>, most_z: f64) {
    let of = |sd: f64| outcomes.iter().filter(move |o| o.sd == sd);
    for sd in NOISES {
        print(&format!("noise {sd}"), &law(of(sd)));
    }
    let all = law(outcomes.iter());
    print("all", &all);
    assert!(covered.contains(&all.covered), "{}", all.covered);
    assert!(all.z.abs() <= most_z, "{}", all.z);
    let noisy = law(outcomes.iter().filter(|o| o.sd > 0.0));
    assert!(noisy.gain > 0.0, "{}", noisy.gain);
    assert!(law(of(0.0)).gain.abs() < 1e-3, "{}", law(of(0.0)).gain);
    let wrong = of(0.0).filter(|o| o.noisy).count() as f64;
    println!("{wrong} of {} functions are called noisy", of(0.0).count());
    assert!(
        wrong <= 0.05 * of(0.0).count() as f64,
        "{wrong} functions are called noisy"
    );
}

#[test]
fn the_recommended_trial_keeps_its_promise() {
    let quick = |problem: &Problem| problem.optimum.len() <= 5 && problem.trials <= 40;
    check(&outcomes(240, quick), 0.85..=1.0, 0.4);
}

#[test]
#[ignore = "long: make test-all"]
fn the_recommended_trial_keeps_its_promise_on_two_hundred_problems() {
    check(&outcomes(200, |_| true), 0.85..=0.95, 0.2);
}

/// A bowl in the unit metric.
fn bowl(dim: usize, trials: usize, sd: f64) -> Problem {
    let unit = |i: usize| (0..dim).map(|j| f64::from(u8::from(i == j))).collect();
    Problem {
        shape: Shape::Bowl,
        optimum: (0..dim).map(|i| 0.5 * (i as f64).sin()).collect(),
        directions: (0..dim).map(unit).collect(),
        trials,
        sd,
        heavy: false,
    }
}

#[test]
fn noise_is_told_from_a_function_of_many_numbers() {
    let is_noisy = |problem: Problem| problem.study(3).recommend().unwrap().noisy;
    assert!(!is_noisy(bowl(24, 60, 0.0)));
    assert!(is_noisy(bowl(2, 60, 0.1)));
}
