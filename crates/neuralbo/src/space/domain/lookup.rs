//! Finding one of many values without looking at all of them.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::space::Value;
use crate::space::value::{ValueView, canonical, key_bits};

/// Up to so many values are looked at one by one.
const FEW: usize = 16;

/// Where each value of a list is, by its hash; empty for a short list.
#[derive(Clone, Debug, Default)]
pub(in crate::space) struct Lookup(Vec<(u64, u32)>);

impl Lookup {
    /// The places of these values.
    pub(in crate::space) fn new(values: &[Value]) -> Self {
        if values.len() <= FEW {
            return Self::default();
        }
        let mut places: Vec<(u64, u32)> = values.iter().map(|v| hash(v.into())).zip(0..).collect();
        places.sort_unstable();
        Self(places)
    }

    /// The first of `values`, of which this is the lookup, that means the same as `value`.
    pub(in crate::space) fn find(&self, values: &[Value], value: ValueView<'_>) -> Option<usize> {
        let same = |place: &usize| ValueView::from(&values[*place]).means(value);
        if self.0.is_empty() {
            return (0..values.len()).find(same);
        }
        let hash = hash(value);
        let first = self.0.partition_point(|(known, _)| *known < hash);
        let places = self.0[first..].iter();
        let places = places.take_while(|(known, _)| *known == hash);
        places.map(|(_, place)| *place as usize).find(same)
    }
}

/// The place of the first value that means the same as an earlier one.
pub(in crate::space) fn repeated(values: &[Value]) -> Option<usize> {
    let lookup = Lookup::new(values);
    (0..values.len()).find(|&place| lookup.find(values, (&values[place]).into()) != Some(place))
}

/// Equal for values that mean the same; the whole number 3 and the float 3.0 do.
fn hash(value: ValueView<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    match (value, value.as_whole()) {
        (_, Some(whole)) => (0, whole).hash(&mut hasher),
        (ValueView::Float(x), None) => (1, key_bits(x)).hash(&mut hasher),
        (ValueView::Text(text), _) => (2, text).hash(&mut hasher),
        (ValueView::Json(json), _) => (3, canonical(json)).hash(&mut hasher),
        (ValueView::Bool(flag), _) => (4, flag).hash(&mut hasher),
        (ValueView::Null | ValueView::Int(_), _) => 5.hash(&mut hasher),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(texts: &[&str]) -> Vec<Value> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn every_value_is_found_where_it_is_in_short_and_long_lists() {
        let kinds = [
            "1",
            "2.5",
            "true",
            "null",
            "word",
            "[1,2]",
            r#"{"a":1,"b":2}"#,
            "\"1\"",
            "0.0",
            "1e300",
        ];
        for more in [0, 10_000] {
            let mut list = values(&kinds);
            list.extend((0..more).map(|i| Value::from(format!("more {i}"))));
            let lookup = Lookup::new(&list);
            for (place, value) in list.iter().enumerate() {
                assert_eq!(lookup.find(&list, value.into()), Some(place), "{value}");
            }
            let find = |text: &str| lookup.find(&list, (&values(&[text])[0]).into());
            for (same, place) in [("1.0", 0), (r#"{"b":2,"a":1}"#, 6), ("-0.0", 8), ("0", 8)] {
                assert_eq!(find(same), Some(place), "{same}");
            }
            for other in ["3", "false", "[2,1]", "\"true\"", "2.25"] {
                assert_eq!(find(other), None, "{other}");
            }
        }
    }

    #[test]
    fn the_first_repetition_is_found() {
        assert_eq!(repeated(&values(&["1", "\"1\"", "1.5"])), None);
        assert_eq!(repeated(&values(&["a", "1", "1.0", "a"])), Some(2));
        let mut many: Vec<Value> = (0..10_000).map(Value::Int).collect();
        assert_eq!(repeated(&many), None);
        many.push(Value::Float(17.0));
        assert_eq!(repeated(&many), Some(10_000));
    }
}
