//! The constants of the default method: what each one is, and what it was chosen on.
//!
//! The ledger with all alternatives and their figures is `docs/design/default-method.md`; letters
//! such as R or Y are its lines. "Judgement" marks constants that were set once and never compared.

use crate::acquisition::maximize::{Maximizer, MaximizerSettings};

// InitialSteps
/// Step along a number in encoded units; the box has side 2. BBOB, line R; its length is judgement.
pub(crate) const START_STEP: f64 = 0.4;
/// Most values of a choice that are all tried at the start. Tuning objectives, second line.
pub(crate) const MOST_START_VALUES: usize = 6;
/// Initial points of a pool. Judgement.
pub(crate) const POOL_INITIAL: usize = 3;
/// Initial points with several objectives beside one per coordinate. Judgement.
pub(crate) const FRONT_MORE_INITIAL: usize = 2;

// Screening under noise. Moved Ackley and Levy in 20 and 100 dimensions with noise of 1 %
/// Fewest numbers of a space that is screened from the start. Below, the trust region is faster.
pub(crate) const SCREENED: usize = 16;
/// Fewest numbers of a space that is screened where the trust region stands still.
pub(crate) const FEWEST_SCREENED: usize = 8;
/// Smallest deviation of repeated evaluations that is noise, relative to that of the last trials.
/// Rounding: one repetition can be nearly equal by chance.
pub(crate) const PROVEN_NOISE: f64 = 1e-6;
/// Trials nearest to the best one that tell its value without its luck. Judgement.
pub(crate) const NEAREST_TRIALS: usize = 5;
/// Most of them. Time of a round: the quadratic has twice as many coefficients.
pub(crate) const MOST_SCREENED: usize = 256;
/// Trials at the centre to learn the noise, and at every later centre.
pub(crate) const FIRST_LOOKS: usize = 3;
pub(crate) const LOOKS: usize = 2;
/// Distance between them in every continuous coordinate. Rounding.
pub(crate) const TWIN_STEP: f64 = 1e-6;
/// Fewest other observations from which the effect of a step is judged. Judgement.
pub(crate) const FEWEST_STEPS: f64 = 4.0;
/// Variance of the noise from which it hides steps, relative to the mean square of a step.
pub(crate) const CLEARLY_HIDDEN: f64 = 0.01;
/// Noise deviations by which an observation must exceed the centre to be the first centre.
pub(crate) const CLEARLY_BETTER_START: f64 = 3.0;
/// First reach of a design, the smallest and the largest, in encoded units.
pub(crate) const REACH: f64 = 0.45;
pub(crate) const REACH_SMALLEST: f64 = 0.02;
pub(crate) const REACH_LARGEST: f64 = 0.6;
/// Trials of a round after the first, per number, and the fewest and the most.
pub(crate) const ROUND_PER_NUMBER: f64 = 0.64;
pub(crate) const LEAST_ROUND: usize = 24;
pub(crate) const MOST_ROUND: usize = 48;
/// Shortest length of a row and smallest level in it, relative to the longest. Judgement.
pub(crate) const LEAST_LENGTH: f64 = 0.6;
pub(crate) const LEAST_LEVEL: f64 = 0.6;
/// One of this many pairs has a part of the reach, and which part.
pub(crate) const SHORT_EVERY: usize = 4;
pub(crate) const SHORT_REACH: f64 = 0.5;
/// Mean square of the levels from which observations lose weight, and how fast. Judgement.
pub(crate) const WEIGHT_REACH: f64 = 1.3;
pub(crate) const WEIGHT_DECAY: f64 = 1.0;
/// Most observations in the quadratic. Time of a round.
pub(crate) const MOST_SCREENING: usize = 1200;
/// Iterations of the first fit and of later ones, which start from the variances of the last.
pub(crate) const FIRST_ITERATIONS: usize = 12;
pub(crate) const MORE_ITERATIONS: usize = 4;
/// Standard deviations by which a proposed centre must be worse to be rejected. Judgement.
pub(crate) const CLEARLY_WORSE: f64 = 2.0;
/// Standard deviations by which the round around a centre with worse looks must be better than the
/// round before. Ackley and Levy, each coordinate 0.4 of the half-width away, against 2.
pub(crate) const CLEARLY_BETTER_LEVEL: f64 = 1.0;
/// Rejections in a row that give the trust region a turn. Michalewicz.
pub(crate) const MOST_REJECTED: usize = 3;
/// Centres that are compared with as many before them. Judgement.
pub(crate) const COMPARED_CENTERS: usize = 6;
/// Length of the windows of its trials that are compared, in rounds. Judgement.
pub(crate) const REGION_ROUNDS: usize = 2;
/// Reach of the first round after each turn, repeated in this order. Judgement.
pub(crate) const NEXT_REACHES: [f64; 4] = [0.45, 0.18, 0.07, 0.27];
/// Factor of the reach after a rejection.
pub(crate) const REJECTED_REACH: f64 = 0.5;
/// Weight of half the residuals in the noise, in looks. Judgement.
pub(crate) const NOISE_PRIOR_LOOKS: f64 = 2.0;
/// Deviation of the residuals, relative to the noise, that shortens the reach, by which factor, and
/// below which it may grow.
pub(crate) const MISFIT_SOME: f64 = 1.5;
pub(crate) const SHORTER: f64 = 0.85;
pub(crate) const MISFIT_NONE: f64 = 1.3;
/// Share of what earlier rounds showed of the effect of the reach that a round keeps. Judgement.
pub(crate) const FORGET: f64 = 0.7;
/// Rounds before the effect of the reach counts. Judgement.
pub(crate) const SETTLED_ROUNDS: u64 = 2;
/// Factor of the reach where short pairs show more than the others.
pub(crate) const WEAKER: f64 = 0.75;
/// Factor of the reach where short pairs show less than this part of the others.
pub(crate) const LONGER: f64 = 1.15;
pub(crate) const SHORT_WEAK: f64 = 0.35;

// Trust region; its sides and counters are in `TrustRegionSettings::for_dim`
/// Smallest advance of a crossed point over all before it, relative to the difference between the
/// best and the worst descent. Robot pushing, line O, against any improvement.
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
/// Most observations that the model sees. Time of a suggestion.
pub(crate) const MOST_NEIGHBOURS: usize = 512;
/// Most observations that its evidence is computed from. Time of a suggestion.
pub(crate) const EVIDENCE_POINTS: usize = 160;
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
/// Smallest width of the best observations, relative to the largest. BBOB, line X, against a floor
/// that falls with the observations.
pub(crate) const NARROWEST: f64 = 1e-3;

// Predictions at the maximizer are optimistic: bias in standard deviations, factor of the deviation
/// With noise. Calibration on BBOB.
pub(crate) const OPTIMISM_BIAS: f64 = 0.5;
/// With noise. Calibration on BBOB.
pub(crate) const CALIBRATION_FACTOR: f64 = 2.3;
/// Without noise. Calibration on BBOB with the metric of the best observations.
pub(crate) const NOISELESS_BIAS: f64 = 1.0;
/// Without noise. Calibration on BBOB with the metric of the best observations.
pub(crate) const NOISELESS_FACTOR: f64 = 3.5;
/// Noise deviations by which the best observation may exceed its prediction and still be the
/// centre of the recommendation. Recommended point against the best observed; the factor is
/// judgement.
pub(crate) const RELIABLE: f64 = 3.0;

/// Factor of the deviation at the recommended trial, with noise. 200 random problems with noise
/// of 0 to 30 % (the test of recommended trials): without it 64 % lie in the 90 % interval.
pub(crate) const RELIED_ON_FACTOR: f64 = 1.7;

// Failures, in units of the function's spread in the region
/// Smallest penalty of a failure. Boundary of failures.
pub(crate) const LEAST_PENALTY: f64 = 0.1;
/// Largest penalty of a failure. Boundary of failures.
pub(crate) const MOST_PENALTY: f64 = 0.3;
/// Factor of the penalty per failed trial. Boundary of failures, against doubling.
pub(crate) const PENALTY_GROWTH: f64 = 1.5;
/// Factor of the penalty per successful trial. Judgement.
pub(crate) const PENALTY_DECAY: f64 = 0.75;
/// Slope of the penalty beyond even odds, in a trust region. Boundary of failures, against none.
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
const SETTINGS: MaximizerSettings = MaximizerSettings {
    candidates: 512,
    local_share: 0.5,
    starts: 4,
    steps: 40,
};
pub(crate) const MAXIMIZER: Maximizer = Maximizer::constant(SETTINGS);
/// Later points of a batch, and the mean in regions of other sides. Batches of eight: 1.9 instead of 5
/// times one point, nothing lost.
pub(crate) const BATCH_MAXIMIZER: Maximizer = Maximizer::constant(MaximizerSettings {
    candidates: 64,
    starts: 1,
    steps: 10,
    ..SETTINGS
});
/// Expected improvement over the whole space. Time of a suggestion.
pub(crate) const WHOLE_MAXIMIZER: Maximizer = Maximizer::constant(MaximizerSettings {
    candidates: 1024,
    starts: 8,
    ..SETTINGS
});
