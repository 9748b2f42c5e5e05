//! A named curve.

/// A point in the units of the axes.
pub type PlotPoint = (f64, f64);

/// A named curve, with or without an error band.
///
/// A point that is not finite, or not positive on a logarithmic axis, interrupts the curve.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotSeries {
    pub(super) label: String,
    pub(super) points: Vec<PlotPoint>,
    /// Lower and upper end at each point.
    pub(super) band: Vec<PlotPoint>,
    /// Level until the next point, then straight up or down; otherwise straight from point to point.
    pub(super) steps: bool,
    /// The looks asked for, by number.
    pub(super) looks: Option<usize>,
}

impl PlotSeries {
    /// Points connected by straight lines.
    pub fn line(label: impl Into<String>, points: Vec<PlotPoint>) -> Self {
        Self {
            label: label.into(),
            points,
            band: Vec::new(),
            steps: false,
            looks: None,
        }
    }

    /// A curve that stays level until the next point, such as the best value so far.
    pub fn steps(label: impl Into<String>, points: Vec<PlotPoint>) -> Self {
        Self {
            steps: true,
            ..Self::line(label, points)
        }
    }

    /// The share of values that are at most x, for x from `start` to `end`. Values that are not finite are never reached but
    /// count, such as targets that were not hit.
    ///
    /// ```
    /// use neuralbo_lab::figure::PlotSeries;
    ///
    /// // Two of three targets were hit, after 4 and 9 evaluations.
    /// let curve = PlotSeries::ecdf("random", &[9.0, f64::INFINITY, 4.0], 1.0, 20.0);
    /// assert_eq!(curve.points(), [(1.0, 0.0), (4.0, 1.0 / 3.0), (9.0, 2.0 / 3.0), (20.0, 2.0 / 3.0)]);
    /// ```
    pub fn ecdf(label: impl Into<String>, values: &[f64], start: f64, end: f64) -> Self {
        let mut reached = values.to_vec();
        reached.retain(|value| value.is_finite() && *value <= end);
        reached.sort_by(f64::total_cmp);
        let share = |count: usize| count as f64 / values.len().max(1) as f64;
        let at_start = reached.partition_point(|value| *value <= start);
        let mut points = vec![(start, share(at_start))];
        for (i, &value) in reached.iter().enumerate().skip(at_start) {
            match points.last_mut() {
                Some(last) if last.0 == value => last.1 = share(i + 1),
                _ => points.push((value, share(i + 1))),
            }
        }
        points.push((end, share(reached.len())));
        Self::steps(label, points)
    }

    /// Adds an error band: the lower and upper end at each point, in the order of the points.
    #[must_use]
    pub fn with_band(mut self, band: Vec<PlotPoint>) -> Self {
        self.band = band;
        self
    }

    /// Chooses colour, dashes and marker by number, so that a method looks the same in figures that show different methods.
    /// Unless told, looks are numbered by the place in the legend, from 0.
    #[must_use]
    pub fn with_looks(mut self, number: usize) -> Self {
        self.looks = Some(number);
        self
    }

    /// The points of the curve.
    pub fn points(&self) -> &[PlotPoint] {
        &self.points
    }
}
