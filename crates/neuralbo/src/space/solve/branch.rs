//! Branching over ranges of values, pruned by interval arithmetic: proofs that no point satisfies expressions, and
//! lists of the few points that do.

use super::interval::{Range, outcomes};
use crate::linalg::Points;
use crate::space::Space;
use crate::space::expression::{Number, Predicate, Truth};

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
const FOR_A_PROOF: Budget = Budget {
    cells: 4_000,
    evaluations: 100_000,
};

/// The first and the last level of each parameter.
type Levels = Vec<(f64, f64)>;

/// A box of values, with the expressions that are true for some of its points and not for others.
struct Cell {
    levels: Levels,
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
        let full = whole(self.space);
        let mut may_hold = false;
        let is_exhausted = self.search(
            &FOR_A_PROOF,
            |cell| self.widest(cell, &full),
            |cell| {
                may_hold = self.may_hold(cell);
                !may_hold
            },
        );
        is_exhausted && !may_hold
    }

    /// All rows of a finite space that are accepted, in the order of its points; `None` where there are too many or it
    /// would take too long.
    pub(super) fn list(&self, accept: impl Fn(&[f64]) -> bool) -> Option<Points> {
        self.space.cardinality()?;
        let mut rows = Points::new(self.space.encoded_dim());
        let is_exhausted = self.search(
            &FOR_A_LIST,
            |cell| cell.levels.iter().position(|(first, last)| first < last),
            |cell| {
                let mut row = vec![0.0; self.space.encoded_dim()];
                for (position, (level, _)) in cell.levels.iter().enumerate() {
                    self.space.set_level(position, *level, &mut row);
                }
                if is_canonical(self.space, &cell.levels, &row) && accept(&row) {
                    rows.push(&row);
                }
                rows.len() <= MOST_LISTED
            },
        );
        is_exhausted.then_some(rows)
    }

    /// Divides boxes that may hold a point until `pick` finds nothing to divide, then calls `visit`, which may end the
    /// search. Whether all boxes were looked at.
    fn search(
        &self,
        budget: &Budget,
        pick: impl Fn(&Cell) -> Option<usize>,
        mut visit: impl FnMut(&Cell) -> bool,
    ) -> bool {
        let mut evaluations = 0;
        let mut cells = vec![Cell {
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
    fn narrow(&self, cell: &mut Cell, evaluations: &mut usize) -> bool {
        let ranges = ranges(self.space, &cell.levels);
        let mut may_hold = true;
        cell.open.retain(|&i| {
            let predicate = self.predicates[i];
            let is_touched = self.space.has_conditions()
                || cell
                    .divided
                    .is_none_or(|position| predicate.positions().contains(&position));
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

    /// The parameter of an open expression with the widest range that can be divided.
    fn widest(&self, cell: &Cell, full: &[(f64, f64)]) -> Option<usize> {
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
    fn may_hold(&self, cell: &Cell) -> bool {
        let mut levels = vec![None; cell.levels.len()];
        for position in self.space.positions() {
            if self.space.is_active_at(position, &levels) {
                levels[position] = Some(cell.levels[position].0);
            }
        }
        let value = |position: usize| self.space.view_of(position, &levels);
        cell.open.iter().map(|&i| self.predicates[i]).any(|open| {
            let mut read = self.space.positions_read(open);
            read.any(|position| cell.levels[position].0 < cell.levels[position].1)
        }) || cell
            .open
            .iter()
            .all(|&i| match self.predicates[i].evaluate(&value) {
                Some(truth) => truth,
                None => !self.needs_values,
            })
    }

    fn is_finite(&self, position: usize) -> bool {
        let domain = self.space.parameters()[position].domain();
        domain.count().is_some()
    }

    /// A number inside a range with which the parameter is compared, the nearest to the middle.
    fn border(&self, position: usize, first: f64, last: f64) -> Option<f64> {
        let middle = first + (last - first) / 2.0;
        self.borders
            .iter()
            .filter(|(of, border)| *of == position && first < *border && *border < last)
            .map(|(_, border)| *border)
            .min_by(|a, b| (a - middle).abs().total_cmp(&(b - middle).abs()))
    }

    /// The upper and the lower part of one range: what is pushed last is looked at first.
    fn halves(&self, cell: Cell, position: usize) -> [Cell; 2] {
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
            Cell {
                levels,
                open: cell.open.clone(),
                divided: Some(position),
            }
        };
        [with((begin, last)), with((first, end))]
    }
}

/// All levels of all parameters.
pub(super) fn whole(space: &Space) -> Levels {
    let parameters = space.parameters().iter();
    parameters
        .map(|parameter| parameter.domain().first_and_last_level())
        .collect()
}

/// The ranges of levels with their parameters, and whether these can be active.
pub(super) fn ranges<'a>(space: &'a Space, levels: &[(f64, f64)]) -> Vec<Range<'a>> {
    let parameters = space.parameters().iter().zip(levels);
    let mut ranges: Vec<Range<'a>> = parameters
        .map(|(parameter, levels)| Range {
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

/// Whether all inactive parameters are at their first level: points that differ only in these are one.
fn is_canonical(space: &Space, levels: &[(f64, f64)], row: &[f64]) -> bool {
    let active = space.levels(row);
    let mut both = active.iter().zip(levels);
    both.all(|(active, (level, _))| active.is_some() || *level == 0.0)
}

fn collect_borders(truth: &Truth, borders: &mut Vec<(usize, f64)>) {
    match truth {
        Truth::Compare(Number::Parameter(position), _, Number::Constant(x))
        | Truth::Compare(Number::Constant(x), _, Number::Parameter(position)) => {
            borders.push((*position, *x));
        }
        Truth::Compare(..) | Truth::Member(..) | Truth::Same(..) => {}
        Truth::Agree(left, right) => {
            collect_borders(left, borders);
            collect_borders(right, borders);
        }
        Truth::Not(part) => collect_borders(part, borders),
        Truth::And(parts) | Truth::Or(parts) => {
            parts.iter().for_each(|part| collect_borders(part, borders));
        }
    }
}
