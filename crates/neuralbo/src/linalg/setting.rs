//! Settings and arguments outside their range, by name.

/// A setting outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{field} = {value}: must be {allowed}")]
pub struct SettingError {
    /// Name of the setting.
    pub field: &'static str,
    /// Its value.
    pub value: String,
    /// What is allowed.
    pub allowed: &'static str,
}

/// An error that names the setting, unless what is required of it holds.
pub fn require(
    field: &'static str,
    value: impl ToString,
    holds: bool,
    allowed: &'static str,
) -> Result<(), SettingError> {
    match holds {
        true => Ok(()),
        false => Err(SettingError {
            field,
            value: value.to_string(),
            allowed,
        }),
    }
}

/// A count of at least 1.
pub fn at_least_one(field: &'static str, count: usize) -> Result<(), SettingError> {
    require(field, count, count >= 1, "at least 1")
}

/// A finite number greater than 0.
pub fn positive(field: &'static str, value: f64) -> Result<(), SettingError> {
    let holds = value > 0.0 && value.is_finite();
    require(field, value, holds, "finite and greater than 0")
}

/// A finite number of at least 0.
pub fn not_negative(field: &'static str, value: f64) -> Result<(), SettingError> {
    let holds = value >= 0.0 && value.is_finite();
    require(field, value, holds, "finite and at least 0")
}
