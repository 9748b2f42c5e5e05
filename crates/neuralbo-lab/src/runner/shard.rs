//! The runs of an experiment split over machines.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Parts at most.
const MOST: u32 = 10_000;

/// One of several parts of an experiment, written `2/16`.
///
/// ```
/// use neuralbo_lab::runner::Shard;
///
/// let shard: Shard = "2/3".parse()?;
/// assert_eq!(shard.of(vec!['a', 'b', 'c', 'd', 'e']), ['b', 'e']);
/// assert!("4/3".parse::<Shard>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    /// From 1.
    index: u32,
    count: u32,
}

impl Shard {
    /// Its part of a list: every so many-th item. What is sorted by cost is dealt out evenly.
    pub fn of<T>(self, items: Vec<T>) -> Vec<T> {
        let items = items.into_iter().skip(self.index as usize - 1);
        items.step_by(self.count as usize).collect()
    }

    /// As part of a file name.
    pub fn slug(self) -> String {
        format!("{:02}-of-{:02}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            |(index, count): (&str, &str)| Some((index.parse().ok()?, count.parse().ok()?));
        let parts = text.split_once('/').and_then(numbers);
        let part = parts.filter(|(index, count)| (1..=*count).contains(index) && *count <= MOST);
        part.map(|(index, count)| Self { index, count }).ok_or_else(|| {
            format!(
                "shard = `{text}` is no part; write i/n with n from 1 to {MOST} and i from 1 to n, such as 2/16"
            )
        })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_the_whole_without_repetition() {
        let whole: Vec<u32> = (0..23).collect();
        let part = |i| format!("{i}/5").parse::<Shard>().unwrap().of(whole.clone());
        let mut together: Vec<u32> = (1..=5).flat_map(part).collect();
        together.sort_unstable();
        assert_eq!(together, whole);
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in ", 3, 0/4, 5/4, 1/0, -1/4, a/b, 1/4/2, 1/99999".split(", ") {
            let refusal = text.parse::<Shard>().unwrap_err();
            assert!(refusal.contains(&format!("`{text}`")), "{refusal}");
            assert!(refusal.contains("i/n"), "{refusal}");
        }
        let found = serde_json::to_string(&"3/16".parse::<Shard>().unwrap()).unwrap();
        assert_eq!(found, "\"3/16\"");
    }
}
