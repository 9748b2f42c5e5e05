//! Times and parameters as they are shown.

use neuralbo::space::{Space, Value};
use neuralbo_store::TrialRecord;
use serde_json::{Map, Value as Json};

use crate::commands::print;
use crate::exit::CommandError;

/// Prints one JSON value and a newline.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), CommandError> {
    let json = serde_json::to_string(value).map_err(|error| CommandError::failure("--json", error))?;
    print(&(json + "\n"))
}

/// The parameters of a trial by name; empty while its point is being chosen.
pub fn named(space: &Space, trial: &TrialRecord) -> Vec<(String, Value)> {
    let values: Vec<Value> = trial.params.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    space.parameters().iter().map(|parameter| parameter.name().to_owned()).zip(values).collect()
}

/// Named values as a JSON object.
pub fn object(named: &[(String, Value)]) -> Json {
    let entry = |(name, value): &(String, Value)| (name.clone(), serde_json::to_value(value).unwrap_or(Json::Null));
    Json::Object(named.iter().map(entry).collect::<Map<_, _>>())
}

/// A point in time as `2026-11-15 06:15:04`, in UTC.
pub fn time(milliseconds: i64) -> String {
    let (days, seconds) = (milliseconds.div_euclid(86_400_000), milliseconds.rem_euclid(86_400_000) / 1000);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Year, month and day of a number of days since 1970: eras of 400 years that begin on 1 March (Richards 2013, section 15.11.3).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(time(0), "1970-01-01 00:00:00");
        assert_eq!(time(951_782_399_000), "2000-02-28 23:59:59");
        assert_eq!(time(951_782_400_000), "2000-02-29 00:00:00");
        assert_eq!(time(1_794_723_304_000), "2026-11-15 06:15:04");
        assert_eq!(time(-1000), "1969-12-31 23:59:59");
    }
}
