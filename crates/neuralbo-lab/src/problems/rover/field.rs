//! The obstacles and what it costs to drive through them.

/// Obstacle centres, one `cx,cy` a line after the header.
const CENTRES: &str = include_str!("trees.csv");
/// Half the side of a square obstacle.
const HALF_SIDE: f64 = 0.025;
/// Cost of each unit of length, anywhere.
const TRAVEL_COST: f64 = 0.05;
/// Added inside an obstacle or outside the unit square.
const CRASH_COST: f64 = 20.0;

/// A square `[low, high)` in both coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Patch {
    low: [f64; 2],
    high: [f64; 2],
}

impl Patch {
    const UNIT: Self = Self {
        low: [0.0; 2],
        high: [1.0; 2],
    };

    fn around(centre: [f64; 2]) -> Self {
        Self {
            low: centre.map(|c| c - HALF_SIDE),
            high: centre.map(|c| c + HALF_SIDE),
        }
    }

    fn contains(&self, point: [f64; 2]) -> bool {
        (0..2).all(|axis| self.low[axis] <= point[axis] && point[axis] < self.high[axis])
    }
}

/// The unit square with its obstacles.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    obstacles: Vec<Patch>,
}

impl Field {
    pub fn new() -> Self {
        let centres = CENTRES.lines().filter_map(parse_centre);
        let obstacles = centres.map(Patch::around).collect();
        Self { obstacles }
    }

    /// ∫ cost along the path, by the trapezoidal rule over its samples.
    pub fn path_cost(&self, path: &[[f64; 2]]) -> f64 {
        let costs: Vec<f64> = path.iter().map(|&point| self.cost(point)).collect();
        let length = |ends: &[[f64; 2]]| (ends[1][0] - ends[0][0]).hypot(ends[1][1] - ends[0][1]);
        let pieces = path.windows(2).zip(costs.windows(2));
        let costs = pieces.map(|(ends, costs)| length(ends) * 0.5 * (costs[0] + costs[1]));
        costs.sum()
    }

    /// Cost of each unit of length at a point.
    fn cost(&self, point: [f64; 2]) -> f64 {
        let crash = !Patch::UNIT.contains(point)
            || self.obstacles.iter().any(|square| square.contains(point));
        if crash {
            TRAVEL_COST + CRASH_COST
        } else {
            TRAVEL_COST
        }
    }
}

/// A line `cx,cy`; none for the header.
fn parse_centre(line: &str) -> Option<[f64; 2]> {
    let (x, y) = line.split_once(',')?;
    Some([x.parse().ok()?, y.parse().ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_obstacle_is_read() {
        assert_eq!(Field::new().obstacles.len(), 113);
        assert_eq!(CENTRES.lines().count(), 114);
    }

    #[test]
    fn crashing_costs_once_even_where_obstacles_overlap_outside_the_square() {
        let twice = Field {
            obstacles: vec![Patch::around([0.0, 0.5]), Patch::around([0.01, 0.5])],
        };
        assert_eq!(twice.cost([-0.001, 0.5]), 20.05);
        assert_eq!(twice.cost([0.2, 0.5]), 0.05);
    }

    #[test]
    fn squares_are_half_open() {
        let unit = Patch::UNIT;
        let found = [[0.0, 0.0], [1.0, 0.5], [0.5, 1.0]].map(|point| unit.contains(point));
        assert_eq!(found, [true, false, false]);
    }

    #[test]
    fn a_free_path_costs_its_length_times_the_travel_cost() {
        let free = Field {
            obstacles: Vec::new(),
        };
        let cost = free.path_cost(&[[0.1, 0.1], [0.4, 0.5], [0.4, 0.9]]);
        assert!((cost - 0.05 * 0.9).abs() < 1e-15, "{cost}");
    }
}
