//! Interned texts: each is stored once.

use std::collections::HashMap;
use std::sync::Arc;

/// Longest stored text, in characters; the store has the whole one.
const LONGEST: usize = 300;
/// Most different texts; all others become [`OTHER`].
const MOST: usize = 100_000;
const OTHER: &str = "(too many different texts)";

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
    /// The number of a text, which is shortened if long.
    pub(crate) fn place(&mut self, text: &str) -> u32 {
        let short = match text.char_indices().nth(LONGEST) {
            Some((end, _)) => &format!("{}…", &text[..end]),
            None => text,
        };
        if let Some(place) = self.places.get(short) {
            return *place;
        }
        // The last number is for all further texts.
        let place = self.all.len() as u32;
        let shared: Arc<str> = match self.all.len() + 1 {
            MOST.. => OTHER.into(),
            _ => short.into(),
        };
        if self.all.len() < MOST {
            self.all.push(Arc::clone(&shared));
            self.places.insert(shared, place);
        }
        place.min(MOST as u32 - 1)
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

    #[test]
    fn further_texts_share_one_number() {
        let mut texts = Texts::default();
        let last = (0..MOST + 10).map(|i| texts.place(&format!("message {i}")));
        let last: Vec<u32> = last.collect();
        assert_eq!((texts.all.len(), texts.places.len()), (MOST, MOST));
        assert_eq!(texts.get(last[MOST + 9]), OTHER);
        assert_eq!(last[MOST + 9], last[MOST - 2]);
        assert_eq!(texts.place("message 7"), last[7]);
    }
}
