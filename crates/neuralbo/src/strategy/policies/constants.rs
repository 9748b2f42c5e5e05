//! The constants of the default method: what each one is, and what it was chosen on.
//!
//! The ledger with all alternatives and their figures is `docs/design/default-method.md`; letters
//! such as R or Y are its lines. "Judgement" marks constants that were set once and never compared.

use crate::acquisition::maximize::MaximizerSettings;

// Start
/// Step along a number in encoded units; the box has side 2. BBOB, line R.
pub(crate) const START_STEP: f64 = 0.4;
/// Most values of a choice that are all tried at the start. Tuning objectives, second line.
pub(crate) const MOST_START_VALUES: usize = 6;
/// Initial points of a pool. Pool of documents.
pub(crate) const POOL_INITIAL: usize = 3;
/// Initial points with several objectives beside one per coordinate. Judgement.
pub(crate) const FRONT_MORE_INITIAL: usize = 2;

// Trust region; its sides and counters are in `TrustRegionSettings::for_dim`
/// Smallest advance of a crossed point over all before it, relative to the difference between the
/// best and the worst descent. Robot pushing, line O.
pub(crate) const CLEARLY_BETTER: f64 = 0.1;
/// Smallest standard deviation of the mean in the region, relative to the noise. Noisy functions
/// in ten dimensions, line I.
pub(crate) const DETECTABLE: f64 = 0.3;
/// Rows at which that deviation is measured. Judgement.
pub(crate) const DETECTABLE_PROBES: usize = 48;
/// Most parameters that move at once. 100 dimensions, line I.
pub(crate) const MOST_MOVING: usize = 20;
/// Distance per coordinate within which two points are the same to the mean, relative to the side.
/// Judgement.
pub(crate) const SAME_PLACE: f64 = 0.05;
/// Parts of the side in which the first trials of a batch maximize the mean. Batches of eight,
/// line W.
pub(crate) const BATCH_PARTS: [f64; 5] = [1.0, 0.3, 2.0, 0.1, 0.03];
/// Factor of the side in which the mean is maximized after a predicted improvement. BBOB, line Y.
pub(crate) const WIDER: f64 = 2.0;
/// Largest relative error of a predicted improvement. BBOB, line Y.
pub(crate) const PREDICTED: f64 = 0.3;
/// Maxima looked at before a rotated region counts as exhausted: many are one corner of the box.
/// Judgement.
pub(crate) const MOST_MAXIMA: usize = 512;
/// Squared distance from which a point counts as moved onto a border. Rounding.
pub(crate) const SHORTEST_NORMAL: f64 = 1e-20;

// Model around the best point
/// Fewest neighbours, where there are as many. Judgement.
pub(crate) const FEWEST_NEIGHBOURS: usize = 10;
/// Share of the gaps to the best reward that set the unit of outliers. BBOB, line T.
pub(crate) const USUAL_GAPS: f64 = 0.9;
/// Multiple of that gap at which rewards are cut off. BBOB, line T.
pub(crate) const OUTLIER: f64 = 1000.0;
/// Smallest unit of length, relative to the spread of the neighbours. Regression test on collapsed
/// regions.
pub(crate) const SPREAD_SHARE: f64 = 0.1;
/// Smallest unit of length where all observations coincide. Rounding.
pub(crate) const SMALLEST_UNIT: f64 = 1e-6;
/// Most coordinates with a full metric: larger Hessians have more entries than observations.
pub(crate) const MOST_ROTATED: usize = 20;
/// Least curvature of every direction, relative to the average. BBOB, one by one.
pub(crate) const LEAST_CURVATURE: f64 = 1e-4;
/// Addition to it per coordinate and observation, without noise. BBOB, line X.
pub(crate) const CURVATURE_FLOOR: f64 = 0.03;
/// The same with noise. Noisy functions, line Y.
pub(crate) const NOISY_CURVATURE_FLOOR: f64 = 0.1;
/// Observations per coefficient of a quadratic from which the best ones give a metric. BBOB, line X.
pub(crate) const ELITE_SHARE: usize = 2;
/// Smallest width of the best observations, relative to the largest. BBOB, line X.
pub(crate) const NARROWEST: f64 = 1e-3;

// Predictions at the maximizer are optimistic: bias in standard deviations, factor of the deviation
/// With noise. Calibration on BBOB.
pub(crate) const OPTIMISM_BIAS: f64 = 0.5;
/// With noise. Calibration on BBOB.
pub(crate) const CALIBRATION_FACTOR: f64 = 2.3;
/// Without noise. Calibration on BBOB with the metric of the best observations.
pub(crate) const OPTIMISM_BIAS_WITHOUT_NOISE: f64 = 1.0;
/// Without noise. Calibration on BBOB with the metric of the best observations.
pub(crate) const CALIBRATION_FACTOR_WITHOUT_NOISE: f64 = 3.5;
/// Noise deviations by which the best observation may exceed its prediction and still be the
/// centre of the recommendation. Recommended point against the best seen.
pub(crate) const RELIABLE: f64 = 3.0;

// Failures, in units of the function's spread in the region
/// Smallest penalty of a failure. Border of failures.
pub(crate) const LEAST_PENALTY: f64 = 0.1;
/// Largest penalty of a failure. Border of failures.
pub(crate) const MOST_PENALTY: f64 = 0.3;
/// Factor of the penalty per failed trial. Border of failures.
pub(crate) const PENALTY_GROWTH: f64 = 1.5;
/// Factor of the penalty per successful trial. Border of failures.
pub(crate) const PENALTY_DECAY: f64 = 0.75;
/// Slope of the penalty beyond even odds, in a trust region. Border of failures.
pub(crate) const BORDER_SLOPE: f64 = 10.0;
/// The same with several objectives. Judgement.
pub(crate) const FRONT_BORDER_SLOPE: f64 = 1.0;

// Outcome constraints
/// Violation of a slack that was not measured, in usual violations. Judgement.
pub(crate) const UNKNOWN_VIOLATION: f64 = 1.0;
/// Distance from the border, in medians, beyond which values are compressed. Judgement.
pub(crate) const FAR: f64 = 10.0;
/// Standard deviations that the mean of a slack keeps from the border. Judgement.
pub(crate) const MARGIN: f64 = 1.0;
/// Most observations for the evidence of a slack's model: there may be many slacks.
pub(crate) const SLACK_EVIDENCE: usize = 96;

// Turns in mixed spaces
/// One of this many trials looks at the whole space. Tuning objectives.
pub(crate) const WHOLE_EVERY: u64 = 3;
/// Most coordinates searched as a whole. Time of a suggestion.
pub(crate) const WHOLE_COORDINATES: usize = 200;
/// Most coordinates with a length scale each. Time of a suggestion.
pub(crate) const WHOLE_SCALES: usize = 40;
/// Observations the length scales are fitted to. Time of a suggestion.
pub(crate) const WHOLE_LIKELIHOOD: usize = 120;
/// Most observations, half the best and half the most recent. Time of a suggestion.
pub(crate) const WHOLE_OBSERVATIONS: usize = 256;
/// Observations around which the maximum is sought. As the other methods.
pub(crate) const WHOLE_INCUMBENTS: usize = 8;
/// Penalty of a certain failure, in logarithms of the expected improvement. Judgement.
pub(crate) const WHOLE_FAILURE: f64 = 10.0;
/// One of this many trials goes to a rare value. A value whose best numbers lie elsewhere.
pub(crate) const RARE_EVERY: u64 = 6;
/// Which of them. Never a trial of the whole space.
pub(crate) const RARE_INDEX: u64 = 4;

// Pools
/// Standard deviations of the upper confidence bound for ν = 1. Pool of documents.
pub(crate) const POOL_WIDTH: f64 = 3.0;
/// Rows of the short list with the largest means. Time of a suggestion.
pub(crate) const POOL_BEST: usize = 1024;
/// Random rows of the short list. Time of a suggestion.
pub(crate) const POOL_RANDOM: usize = 1024;

// Several objectives
/// Distance of the corner of the hypervolume beyond the worst of the front, in its range, unless
/// the user gives a reference point. As common in the field.
pub(crate) const BEYOND_WORST: f64 = 0.1;
/// Smallest gain of a success, relative to the hypervolume. Judgement.
pub(crate) const CLEAR_GAIN: f64 = 1e-3;
/// Side below which the end of the front counts as found. Judgement.
pub(crate) const END_FOUND: f64 = 0.02;
/// Directions over which the gain of three or more objectives is averaged. Time of a suggestion.
pub(crate) const DIRECTIONS: usize = 256;

// Maximizers
/// Mean and sampled functions. Time of a suggestion.
pub(crate) const MAXIMIZER: MaximizerSettings = MaximizerSettings {
    candidates: 512,
    local_share: 0.5,
    starts: 4,
    steps: 40,
    perturbed: 20,
};
/// Later points of a batch. Batches of eight: 1.9 instead of 5 times one point, nothing lost.
pub(crate) const BATCH_MAXIMIZER: MaximizerSettings = MaximizerSettings {
    candidates: 64,
    starts: 1,
    steps: 10,
    ..MAXIMIZER
};
/// Expected improvement over the whole space. Time of a suggestion.
pub(crate) const WHOLE_MAXIMIZER: MaximizerSettings = MaximizerSettings {
    candidates: 1024,
    starts: 8,
    ..MAXIMIZER
};
