//! Numbers outside their range, by name.

/// A setting or an argument outside its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{field} = {value}: must be {allowed}")]
pub struct OutOfRange {
    /// The setting or argument.
    pub field: &'static str,
    /// Its value.
    pub value: f64,
    /// What it may be.
    pub allowed: &'static str,
}

/// `value` if `holds`.
pub(crate) fn ensure(
    holds: bool,
    field: &'static str,
    value: f64,
    allowed: &'static str,
) -> Result<f64, OutOfRange> {
    let error = OutOfRange {
        field,
        value,
        allowed,
    };
    if holds { Ok(value) } else { Err(error) }
}

/// Counts of at least 1.
pub(crate) fn counts(all: &[(&'static str, usize)]) -> Result<(), OutOfRange> {
    let check = |&(field, count): &(_, usize)| ensure(count > 0, field, count as f64, "at least 1");
    all.iter().try_for_each(|count| check(count).map(drop))
}

/// `value` if it is finite and greater than 0.
pub(crate) fn positive(field: &'static str, value: f64) -> Result<f64, OutOfRange> {
    ensure(
        value > 0.0 && value.is_finite(),
        field,
        value,
        "finite and greater than 0",
    )
}

/// `value` if it is finite and not negative.
pub(crate) fn not_negative(field: &'static str, value: f64) -> Result<f64, OutOfRange> {
    ensure(
        value >= 0.0 && value.is_finite(),
        field,
        value,
        "finite and at least 0",
    )
}

/// `value` if it is a probability strictly between 0 and 1.
pub(crate) fn probability(field: &'static str, value: f64) -> Result<f64, OutOfRange> {
    ensure(
        value > 0.0 && value < 1.0,
        field,
        value,
        "between 0 and 1, both excluded",
    )
}
