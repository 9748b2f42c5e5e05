//! Points to begin from where parameters become active.

use super::search_box::parameters;
use crate::linalg::Points;
use crate::space::Space;
use crate::surrogate::Dataset;

/// The centre, then the best observations that have what it lacks: for each parameter that is inactive at the centre the best point
/// at which it is active. Without conditions the centre alone.
pub(super) fn incumbents(space: &Space, center: &[f64], data: &Dataset) -> Points {
    let mut rows = Points::from_rows(center.len(), [center]);
    let Some(at_center) = space.active_coordinates(center) else {
        return rows;
    };
    let missing: Vec<usize> = parameters(space)
        .into_iter()
        .map(|range| range.start)
        .filter(|&coordinate| !at_center[coordinate])
        .collect();
    let mut best: Vec<Option<usize>> = vec![None; missing.len()];
    for (i, &reward) in data.rewards().iter().enumerate() {
        // Most observations are no better than what was found before them.
        if best
            .iter()
            .all(|best| best.is_some_and(|best| reward <= data.rewards()[best]))
        {
            continue;
        }
        let Some(active) = space.active_coordinates(data.rows().row(i)) else {
            continue;
        };
        for (best, &coordinate) in best.iter_mut().zip(&missing) {
            if active[coordinate] && best.is_none_or(|best: usize| reward > data.rewards()[best]) {
                *best = Some(i);
            }
        }
    }
    let mut chosen: Vec<usize> = best.into_iter().flatten().collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
        .into_iter()
        .for_each(|i| rows.push(data.rows().row(i)));
    rows
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_best_point_of_each_branch_follows_the_centre() {
        let texts = [
            "k=choice(a,b,c)",
            "x=float(0,1) if k == b",
            "y=float(0,1) if k == c",
        ];
        let space = Space::new(texts.iter().map(|text| text.parse().unwrap()).collect()).unwrap();
        let (a, b, c) = ([1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]);
        let row = |k: [f64; 3], x: f64, y: f64| [k[0], k[1], k[2], x, y];
        let rows = [
            row(a, 0.0, 0.0),
            row(b, 0.1, 0.0),
            row(b, 0.2, 0.0),
            row(b, 0.3, 0.0),
            row(c, 0.0, 0.7),
        ];
        let data = Dataset::from_parts(Points::from_rows(5, rows), vec![9.0, 1.0, 3.0, 2.0, 0.0]);
        let found = incumbents(&space, &rows[0], &data);
        assert_eq!(found, Points::from_rows(5, [rows[0], rows[2], rows[4]]));
        assert_eq!(
            incumbents(&space, &rows[2], &data),
            Points::from_rows(5, [rows[2], rows[4]])
        );
    }
}
