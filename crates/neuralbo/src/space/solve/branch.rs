//! Branching over ranges of values, pruned by interval arithmetic: proofs that no point satisfies expressions, and
//! lists of the few points that do.

use super::interval::{LevelRange, outcomes};
use crate::linalg::Points;
use crate::space::Space;
use crate::space::expression::{NumberExpr, Predicate, Truth};

/// Most rows of a list.
const MOST_LISTED: usize = 10_000;
/// Ranges of a float without a step are not divided below this part of the whole.
const SMALLEST: f64 = 1e-3;

/// How much work a search may do.
struct Budget {
    cells: usize,
    /// Evaluations of one expression over one cell.
    evaluations: usize,
}

const FOR_A_LIST: Budget = Budget {
    cells: 200_000,
    evaluations: 1_000_000,
};
/// Enough for the hardest clauses of three of a hundred variables.
const FOR_A_PROOF: Budget = Budget {
    cells: 60_000,
    evaluations: 400_000,
};
/// Most points that are left of an expression over discrete parameters that is divided first.
const FEW_POINTS: f64 = 4096.0;

/// The first and the last level of each parameter.
type LevelBounds = Vec<(f64, f64)>;

/// What a search says about a set of points.
pub(in crate::space) enum BoxVerdict {
    Empty,
    /// It has points in this box, if it has any at all; the box cannot be divided any more.
    MayHold(LevelBounds),
    /// The search took too long.
    Unknown,
}

/// A box of values, with the expressions that are true for some of its points and not for others.
struct LevelBox {
    levels: LevelBounds,
    open: Vec<usize>,
    /// The parameter whose range was divided last.
    divided: Option<usize>,
}

/// Expressions that are to hold together.
pub(in crate::space) struct Prover<'a> {
    space: &'a Space,
    predicates: Vec<&'a Predicate>,
    /// Whether an expression that reads an absent value does not hold: so it is for conditions, not for constraints.
    needs_values: bool,
    /// Numbers with which parameters are compared: where ranges of floats are divided.
    borders: Vec<(usize, f64)>,
}

impl<'a> Prover<'a> {
    pub(in crate::space) fn new(
        space: &'a Space,
        predicates: Vec<&'a Predicate>,
        needs_values: bool,
    ) -> Self {
        let mut borders = Vec::new();
        for predicate in &predicates {
            collect_borders(predicate.truth(), &mut borders);
        }
        Self {
            space,
            predicates,
            needs_values,
            borders,
        }
    }

    /// Whether it is certain that no point satisfies all expressions.
    pub(in crate::space) fn is_contradiction(&self) -> bool {
        matches!(self.verdict(), BoxVerdict::Empty)
    }

    /// Whether a point satisfies all expressions.
    pub(super) fn verdict(&self) -> BoxVerdict {
        let full = whole(self.space);
        let mut found = None;
        let is_exhausted = self.search(
            &FOR_A_PROOF,
            |cell| {
                self.most_constrained(cell)
                    .or_else(|| self.widest(cell, &full))
            },
            |cell| {
                found = self.may_hold(cell).then(|| cell.levels.clone());
                found.is_none()
            },
        );
        match found {
            Some(levels) => BoxVerdict::MayHold(levels),
            None if is_exhausted => BoxVerdict::Empty,
            None => BoxVerdict::Unknown,
        }
    }

    /// All rows of a finite space that are accepted, in the order of its points; `None` where there are too many or it
    /// would take too long.
    pub(super) fn list(&self, accept: impl Fn(&[f64]) -> bool) -> Option<Points> {
        self.space.cardinality()?;
        let mut found: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        let undivided = |cell: &LevelBox| cell.levels.iter().position(|(a, b)| a < b);
        let is_exhausted = self.search(
            &FOR_A_LIST,
            |cell| self.most_constrained(cell).or_else(|| undivided(cell)),
            |cell| {
                let levels: Vec<f64> = cell.levels.iter().map(|(level, _)| *level).collect();
                let row = row_of(self.space, &levels);
                if is_canonical(self.space, &cell.levels, &row) && accept(&row) {
                    found.push((levels, row));
                }
                found.len() <= MOST_LISTED
            },
        );
        found.sort_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        let mut rows = Points::new(self.space.encoded_dim());
        found.iter().for_each(|(_, row)| rows.push(row));
        is_exhausted.then_some(rows)
    }

    /// Divides boxes that may hold a point until `pick` finds nothing to divide, then calls `visit`, which may end the
    /// search. Whether all boxes were looked at.
    fn search(
        &self,
        budget: &Budget,
        pick: impl Fn(&LevelBox) -> Option<usize>,
        mut visit: impl FnMut(&LevelBox) -> bool,
    ) -> bool {
        let mut evaluations = 0;
        let mut cells = vec![LevelBox {
            levels: whole(self.space),
            open: (0..self.predicates.len()).collect(),
            divided: None,
        }];
        for _ in 0..budget.cells {
            let Some(mut cell) = cells.pop() else {
                return true;
            };
            if !self.narrow(&mut cell, &mut evaluations) {
                continue;
            }
            match pick(&cell) {
                Some(position) => cells.extend(self.halves(cell, position)),
                None if visit(&cell) => {}
                None => return false,
            }
            if evaluations > budget.evaluations {
                return false;
            }
        }
        false
    }

    /// Leaves out expressions that hold in the whole cell; `false` where one holds nowhere.
    fn narrow(&self, cell: &mut LevelBox, evaluations: &mut usize) -> bool {
        let ranges = ranges(self.space, &cell.levels);
        let mut may_hold = true;
        cell.open.retain(|&i| {
            let predicate = self.predicates[i];
            let reads = |position| predicate.positions().contains(&position);
            let is_touched = self.space.has_conditions() || cell.divided.is_none_or(reads);
            if !is_touched || !may_hold {
                return true;
            }
            *evaluations += 1;
            let found = outcomes(predicate.truth(), &ranges);
            may_hold = found.yes || found.absent && !self.needs_values;
            found.no || found.absent && self.needs_values
        });
        may_hold
    }

    /// Of the open expression with the fewest points left, where there are few and only discrete ones, the parameter that most
    /// such expressions read: one with a single point left is divided at once.
    fn most_constrained(&self, cell: &LevelBox) -> Option<usize> {
        let (mut fewest, mut reads) = (FEW_POINTS, vec![0_usize; cell.levels.len()]);
        for &i in &cell.open {
            let divided = || {
                let positions = self.space.positions_read(self.predicates[i]);
                positions.filter(|position| cell.levels[*position].0 < cell.levels[*position].1)
            };
            let points = |position: usize| match self.is_finite(position) {
                true => cell.levels[position].1 - cell.levels[position].0 + 1.0,
                false => f64::INFINITY,
            };
            let points: f64 = divided().map(points).product();
            if points > 1.0 && points <= fewest {
                if points < fewest {
                    (fewest, reads) = (points, vec![0; cell.levels.len()]);
                }
                divided().for_each(|position| reads[position] += 1);
            }
        }
        let read = (0..reads.len()).filter(|position| reads[*position] > 0);
        read.max_by(|a, b| reads[*a].cmp(&reads[*b]).then(b.cmp(a)))
    }

    /// The parameter of an open expression with the widest range that can be divided.
    fn widest(&self, cell: &LevelBox, full: &[(f64, f64)]) -> Option<usize> {
        let width = |position: usize| {
            let ((first, last), (low, high)) = (cell.levels[position], full[position]);
            (last - first) / (high - low)
        };
        let may_divide = |position: &usize| {
            let (first, last) = cell.levels[*position];
            first < last
                && (self.is_finite(*position)
                    || width(*position) > SMALLEST
                    || self.border(*position, first, last).is_some())
        };
        let open = cell.open.iter().map(|&i| self.predicates[i]);
        let read = open.flat_map(|predicate| self.space.positions_read(predicate));
        read.filter(may_divide)
            .max_by(|a, b| width(*a).total_cmp(&width(*b)).then(b.cmp(a)))
    }

    /// Whether a cell that cannot be divided may hold a point; exact where it is a single point.
    fn may_hold(&self, cell: &LevelBox) -> bool {
        let mut levels = vec![None; cell.levels.len()];
        for position in self.space.positions() {
            if self.space.is_active_at(position, &levels) {
                levels[position] = Some(cell.levels[position].0);
            }
        }
        let value = |position: usize| self.space.view_of(position, &levels);
        let open = || cell.open.iter().map(|&i| self.predicates[i]);
        let is_wide = |position: usize| cell.levels[position].0 < cell.levels[position].1;
        let holds = |open: &Predicate| open.evaluate(&value).unwrap_or(!self.needs_values);
        open().any(|open| self.space.positions_read(open).any(is_wide)) || open().all(holds)
    }

    fn is_finite(&self, position: usize) -> bool {
        let domain = self.space.parameters()[position].domain();
        domain.count().is_some()
    }

    /// A number inside a range with which the parameter is compared, the nearest to the middle.
    fn border(&self, position: usize, first: f64, last: f64) -> Option<f64> {
        let middle = first + (last - first) / 2.0;
        let of = self.borders.iter().filter(|(of, _)| *of == position);
        let inside = of.map(|(_, x)| *x).filter(|x| first < *x && *x < last);
        inside.min_by(|a, b| (a - middle).abs().total_cmp(&(b - middle).abs()))
    }

    /// The upper and the lower part of one range: what is pushed last is looked at first.
    fn halves(&self, cell: LevelBox, position: usize) -> [LevelBox; 2] {
        let (first, last) = cell.levels[position];
        let middle = first + (last - first) / 2.0;
        let (end, begin) = if self.is_finite(position) {
            (middle.floor(), middle.floor() + 1.0)
        } else {
            let at = self.border(position, first, last).unwrap_or(middle);
            (at, at)
        };
        let with = |range: (f64, f64)| {
            let mut levels = cell.levels.clone();
            levels[position] = range;
            LevelBox {
                levels,
                open: cell.open.clone(),
                divided: Some(position),
            }
        };
        [with((begin, last)), with((first, end))]
    }
}

/// All levels of all parameters.
pub(super) fn whole(space: &Space) -> LevelBounds {
    let parameters = space.parameters().iter();
    parameters
        .map(|parameter| parameter.domain().first_and_last_level())
        .collect()
}

/// The ranges of levels with their parameters, and whether these can be active.
pub(super) fn ranges<'a>(space: &'a Space, levels: &[(f64, f64)]) -> Vec<LevelRange<'a>> {
    let parameters = space.parameters().iter().zip(levels);
    let mut ranges: Vec<LevelRange<'a>> = parameters
        .map(|(parameter, levels)| LevelRange {
            parameter,
            levels: *levels,
            may_be_active: true,
            may_be_inactive: false,
        })
        .collect();
    for position in space.positions() {
        if let Some(condition) = space.conditions().of(position) {
            let found = outcomes(condition.predicate.truth(), &ranges);
            ranges[position].may_be_active = found.yes;
            ranges[position].may_be_inactive = found.no || found.absent;
        }
    }
    ranges
}

/// The row with these levels.
pub(super) fn row_of(space: &Space, levels: &[f64]) -> Vec<f64> {
    let mut row = vec![0.0; space.encoded_dim()];
    for (position, level) in levels.iter().enumerate() {
        space.set_level(position, *level, &mut row);
    }
    row
}

/// Whether all inactive parameters are at their first level: points that differ only in these are one.
fn is_canonical(space: &Space, levels: &[(f64, f64)], row: &[f64]) -> bool {
    let active = space.levels(row);
    let mut both = active.iter().zip(levels);
    both.all(|(active, (level, _))| active.is_some() || *level == 0.0)
}

fn collect_borders(truth: &Truth, borders: &mut Vec<(usize, f64)>) {
    truth.visit(&mut |part| match part {
        Truth::Compare(NumberExpr::Parameter(position), _, NumberExpr::Constant(x))
        | Truth::Compare(NumberExpr::Constant(x), _, NumberExpr::Parameter(position)) => {
            borders.push((*position, *x));
        }
        _ => {}
    });
}
