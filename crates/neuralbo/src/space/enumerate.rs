//! The points of a finite space: how many there are, and the n-th of them.
//!
//! Parameters that conditions link make a component; the points of a space are all combinations of those of its components. In a
//! component each way to set the parents leaves some of the other parameters active, and those vary freely.

use std::borrow::Cow;

use super::condition::ActiveLevels;
use super::{Point, Space};
use crate::linalg::Points;

/// Largest space without constraints whose rows are listed.
const MOST_LISTED: u128 = 10_000;
/// Most ways to set the parents of one component.
const MOST_SETTINGS: usize = 1 << 16;

/// The components in the order of their first parameters.
#[derive(Clone, Debug)]
pub(super) struct Counted(Vec<Component>);

#[derive(Clone, Debug)]
struct Component {
    /// The ways to set the parents; a parameter without conditions on either side has one, in which it is free.
    settings: Vec<Setting>,
    points: u128,
}

#[derive(Clone, Debug)]
struct Setting {
    /// The parents' positions and levels, those of inactive ones left out.
    fixed: Vec<(usize, f64)>,
    /// The other active parameters and how many values they have, in their order.
    free: Vec<(usize, u128)>,
    /// How many points the settings before it have.
    before: u128,
}

impl Setting {
    fn points(&self) -> u128 {
        let counts = self.free.iter().map(|(_, count)| *count);
        counts.fold(1, u128::saturating_mul)
    }
}

impl Space {
    /// How many points there are, at most `u128::MAX`; `None` when any parameter is a float without a step, or when the parameters
    /// that conditions read can be set in more than 65,536 ways that belong together.
    ///
    /// ```
    /// use neuralbo::space::Space;
    ///
    /// let space = Space::new(vec!["n=int(1,3)".parse()?, "flag=bool".parse()?])?;
    /// assert_eq!(space.cardinality(), Some(6));
    /// let second = space.nth_point(1).unwrap();
    /// assert_eq!(second.values(), [Some(1.into()), Some(true.into())]);
    ///
    /// let space = Space::new(vec!["n=int(1,3)".parse()?, "flag=bool if n == 3".parse()?])?;
    /// assert_eq!(space.cardinality(), Some(4));
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn cardinality(&self) -> Option<u128> {
        let points = self.counted()?.0.iter().map(|component| component.points);
        Some(points.fold(1, u128::saturating_mul))
    }

    /// The `n`-th point, the last parameter varying fastest; `None` past the last point or where there is no
    /// [`Space::cardinality`].
    pub fn nth_point(&self, n: u128) -> Option<Point> {
        Some(self.point_at(&self.nth_levels(n)?))
    }

    /// The row of the `n`-th point, without making the point.
    ///
    /// ```
    /// use neuralbo::space::Space;
    ///
    /// let space = Space::new(vec!["n=int(1,4)".parse()?, "flag=bool".parse()?])?;
    /// assert_eq!(space.nth_row(3), Some(vec![-0.25, 1.0]));
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn nth_row(&self, n: u128) -> Option<Vec<f64>> {
        let mut row = vec![0.0; self.encoded_dim()];
        self.write(&self.nth_levels(n)?, &mut row);
        Some(row)
    }

    fn nth_levels(&self, n: u128) -> Option<ActiveLevels> {
        let mut rest = n;
        let mut levels: ActiveLevels = vec![None; self.parameters().len()];
        for component in self.counted()?.0.iter().rev() {
            component.set(rest % component.points, &mut levels);
            rest /= component.points;
        }
        (rest == 0).then_some(levels)
    }

    /// All rows of a pool or of a finite space of at most 10,000 points, those that violate constraints aside; `None` when
    /// there are too many.
    pub(crate) fn listed_rows(&self) -> Option<Cow<'_, Points>> {
        if let Some(rows) = self.feasible_rows() {
            return Some(Cow::Borrowed(rows));
        }
        if let Some(pool) = self.pool() {
            return Some(match self.is_constrained() {
                false => Cow::Borrowed(pool),
                true => {
                    let feasible = pool.rows().filter(|row| self.is_feasible(row));
                    Cow::Owned(Points::from_rows(pool.dim(), feasible))
                }
            });
        }
        let count = self.cardinality().filter(|count| *count <= MOST_LISTED)?;
        let rows = (0..count).filter_map(|n| self.nth_row(n));
        (!self.is_constrained()).then(|| Cow::Owned(Points::from_rows(self.encoded_dim(), rows)))
    }

    fn counted(&self) -> Option<&Counted> {
        self.counted.get_or_init(|| self.count()).as_ref()
    }

    fn count(&self) -> Option<Counted> {
        let counts = self.parameters().iter().map(|p| p.domain().count());
        let counts = counts.map(|count| count.map(u128::from));
        let counts: Vec<u128> = counts.collect::<Option<_>>()?;
        let components = self.components().into_iter();
        let components = components.map(|members| self.component(&members, &counts));
        components.collect::<Option<_>>().map(Counted)
    }

    /// The positions of the parameters that belong together, in the order of the first of each.
    fn components(&self) -> Vec<Vec<usize>> {
        let mut leader: Vec<usize> = (0..self.parameters().len()).collect();
        if !self.has_conditions() {
            return leader.into_iter().map(|position| vec![position]).collect();
        }
        for (index, condition) in self.conditions().all().iter().enumerate() {
            let linked = condition.predicate.positions().iter().copied();
            let linked = linked.chain(self.conditions().having(index));
            let linked: Vec<usize> = linked.collect();
            let leaders: Vec<usize> = linked.iter().map(|&position| leader[position]).collect();
            let first = leaders.iter().copied().min().unwrap_or(0);
            let joined = leader.iter_mut().filter(|one| leaders.contains(one));
            joined.for_each(|leader| *leader = first);
        }
        let positions = || 0..leader.len();
        let led = |first: usize| positions().filter(|&i| leader[i] == first).collect();
        let firsts = positions().filter(|&i| leader[i] == i);
        firsts.map(led).collect()
    }

    fn component(&self, members: &[usize], counts: &[u128]) -> Option<Component> {
        let is_parent = |position: &usize| {
            let mut conditions = self.conditions().all().iter();
            conditions.any(|condition| condition.predicate.positions().contains(position))
        };
        let (mut parents, others): (Vec<usize>, Vec<usize>) =
            members.iter().partition(|position| is_parent(position));
        let place = |position: &usize| self.conditions().order().iter().position(|o| o == position);
        parents.sort_by_key(place);
        let mut settings = Vec::new();
        let mut levels = vec![None; counts.len()];
        self.set_parents(&parents, counts, &mut levels, &mut |levels| {
            let is_active = |position: &&usize| self.is_active_at(**position, levels);
            let free = others.iter().filter(is_active);
            let fixed = levels.iter().enumerate();
            settings.push(Setting {
                fixed: fixed
                    .filter_map(|(position, level)| Some((position, (*level)?)))
                    .collect(),
                free: free.map(|&position| (position, counts[position])).collect(),
                before: 0,
            });
            settings.len() <= MOST_SETTINGS
        })?;
        let mut points = 0_u128;
        for setting in &mut settings {
            setting.before = points;
            points = points.saturating_add(setting.points());
        }
        Some(Component { settings, points })
    }

    /// Calls `visit` with all ways to set the rest of the parents; `None` as soon as it answers `false`.
    fn set_parents(
        &self,
        parents: &[usize],
        counts: &[u128],
        levels: &mut ActiveLevels,
        visit: &mut dyn FnMut(&ActiveLevels) -> bool,
    ) -> Option<()> {
        let Some((&parent, rest)) = parents.split_first() else {
            return visit(levels).then_some(());
        };
        if !self.is_active_at(parent, levels) {
            return self.set_parents(rest, counts, levels, visit);
        }
        for level in 0..counts[parent] {
            levels[parent] = Some(level as f64);
            self.set_parents(rest, counts, levels, visit)?;
        }
        levels[parent] = None;
        Some(())
    }
}

impl Component {
    /// Writes the levels of the `n`-th point of the component.
    fn set(&self, n: u128, levels: &mut ActiveLevels) {
        let place = self.settings.partition_point(|setting| setting.before <= n);
        let place = place.saturating_sub(1);
        let setting = &self.settings[place];
        let mut rest = n - setting.before;
        for (position, count) in setting.free.iter().rev() {
            levels[*position] = Some((rest % count) as f64);
            rest /= count;
        }
        for (position, level) in &setting.fixed {
            levels[*position] = Some(*level);
        }
    }
}
