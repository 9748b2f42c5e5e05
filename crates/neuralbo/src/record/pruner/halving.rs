//! Rungs and brackets.

/// Successive halving: of the trials that come to a rung, one of `factor` goes on.
///
/// ```
/// use neuralbo::record::Halving;
///
/// let halving = Halving { min: 1, factor: 3, max: Some(81) };
/// assert_eq!(halving.rungs(0).collect::<Vec<_>>(), [1, 3, 9, 27]);
/// assert_eq!(halving.brackets(), 5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halving {
    /// The first rung.
    pub min: i64,
    /// Each rung is so many times higher than the one before, and one of so many trials goes on.
    pub factor: i64,
    /// The step at which trials end; there is no rung there.
    pub max: Option<i64>,
}

/// Most trials, roughly, in which every bracket has its share.
const LONGEST_ROUND: u64 = 1000;

impl Halving {
    /// The rungs of a bracket; bracket 0 has all.
    pub fn rungs(&self, bracket: u32) -> impl Iterator<Item = i64> + use<> {
        let (factor, max) = (self.factor, self.max);
        let first = factor
            .checked_pow(bracket)
            .and_then(|power| self.min.checked_mul(power));
        let below = move |rung: &i64| max.is_none_or(|max| *rung < max);
        std::iter::successors(first, move |rung| rung.checked_mul(factor)).take_while(below)
    }

    /// How many of `count` trials at a rung go on; one at least, since the first to come has nobody to be compared with.
    pub fn go_on(&self, count: usize) -> usize {
        (count / usize::try_from(self.factor).unwrap_or(usize::MAX)).max(1)
    }

    /// How many brackets Hyperband has: the last one stops nothing.
    pub fn brackets(&self) -> u32 {
        self.rungs(0).count() as u32 + 1
    }

    /// The bracket of a trial of Hyperband.
    ///
    /// Brackets get trials in the proportion in which Hyperband begins them, `(s + 1)⁻¹ factor^s` for `s` rungs, as evenly mixed
    /// as whole numbers allow: the next trial goes to the bracket that is furthest behind its share. The sequence repeats.
    pub fn bracket(&self, number: u64) -> u32 {
        let shares = self.shares();
        let total: u64 = shares.iter().sum();
        let mut given = vec![0_u64; shares.len()];
        let mut chosen = 0;
        for turn in 1..=number % total + 1 {
            // The deficit `share · turn / total − given`, in whole numbers.
            let deficit = |b: usize| {
                i128::from(shares[b]) * i128::from(turn) - i128::from(given[b]) * i128::from(total)
            };
            let furthest = (0..shares.len()).rev().max_by_key(|b| deficit(*b));
            chosen = furthest.unwrap_or(0);
            given[chosen] += 1;
        }
        chosen as u32
    }

    /// How many trials of each bracket there are in a round.
    fn shares(&self) -> Vec<u64> {
        let brackets = u64::from(self.brackets());
        let share = |rungs: u64| {
            let factor = u64::try_from(self.factor).unwrap_or(u64::MAX);
            let power = factor.saturating_pow(rungs as u32);
            brackets.saturating_mul(power).div_ceil(rungs + 1)
        };
        let shares: Vec<u64> = (0..brackets).rev().map(share).collect();
        let total = shares.iter().copied().fold(0, u64::saturating_add);
        // A round of moderate length: large factors begin nearly all trials in the first bracket.
        let unit = total.div_ceil(LONGEST_ROUND);
        shares.iter().map(|share| share.div_ceil(unit)).collect()
    }
}
