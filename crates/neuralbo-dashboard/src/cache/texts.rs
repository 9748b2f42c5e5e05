//! Texts that occur again and again, each kept once.

use std::collections::HashMap;
use std::sync::Arc;

/// Longest text that is kept; whoever wants all of it asks the store.
const LONGEST: usize = 300;
/// Most different texts; the rest are all one.
const MOST: usize = 100_000;

/// Texts by small numbers; 0 is the empty one.
pub(crate) struct Texts {
    all: Vec<Arc<str>>,
    places: HashMap<Arc<str>, u32>,
}

impl Default for Texts {
    fn default() -> Self {
        let empty: Arc<str> = "".into();
        Self {
            all: vec![Arc::clone(&empty)],
            places: HashMap::from([(empty, 0)]),
        }
    }
}

impl Texts {
    /// The number of a text, shortened where it is long.
    pub(crate) fn place(&mut self, text: &str) -> u32 {
        let short = match text.char_indices().nth(LONGEST) {
            Some((end, _)) => &format!("{}…", &text[..end]),
            None => text,
        };
        if let Some(place) = self.places.get(short) {
            return *place;
        }
        if self.all.len() >= MOST {
            return self.place("(too many different texts)");
        }
        let (shared, place): (Arc<str>, u32) = (short.into(), self.all.len() as u32);
        self.all.push(Arc::clone(&shared));
        self.places.insert(shared, place);
        place
    }

    /// All numbers with their texts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        (0..).zip(self.all.iter().map(|text| &**text))
    }

    /// The text of a number.
    pub(crate) fn get(&self, place: u32) -> &str {
        self.all.get(place as usize).map_or("", |text| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_number_and_long_ones_are_cut() {
        let mut texts = Texts::default();
        let (a, b) = (texts.place("timeout"), texts.place("exit"));
        assert_eq!(
            (texts.place("timeout"), texts.place(""), a == b),
            (a, 0, false)
        );
        let long = texts.place(&"é".repeat(5000));
        assert_eq!(texts.get(long).chars().count(), LONGEST + 1);
    }
}
