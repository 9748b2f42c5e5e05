//! The row of values by name, also of values that were made under another definition of the space.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::view::View;
use super::{Params, Space, SpaceError, Value};

impl Space {
    /// The row of values by name. Any values will do: see the [module](crate::space) for where absent and foreign ones sit.
    ///
    /// For values of this space it is the row of their point.
    ///
    /// ```
    /// use neuralbo::space::{Params, Space};
    ///
    /// let space = Space::new(vec!["x=float(0,1)".parse()?, "n=int(1,4)".parse()?, "c=choice(a,b,c)".parse()?])?;
    /// let params: Params = serde_json::from_str(r#"{"x":1.5,"c":"removed","old":7}"#)?;
    /// assert_eq!(space.row_of(&params), [2.0, 0.0, -1.0, -1.0, -1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn row_of(&self, params: &Params) -> Vec<f64> {
        let mut row = vec![0.0; self.encoded_dim()];
        for (position, parameter) in self.parameters().iter().enumerate() {
            if let Some(value) = params.get(parameter.name()) {
                self.place(position, value.into(), &mut row);
            }
        }
        if self.has_conditions() {
            self.clear_inactive(params, &mut row);
        }
        row
    }

    /// Puts inactive parameters to 0, and writes which are active. Where that hangs on a parameter that the values do not have, e.g.
    /// because it was added later, those that have a value were active.
    fn clear_inactive(&self, params: &Params, row: &mut [f64]) {
        let (conditions, activity) = (self.conditions(), self.activity(params));
        for position in (0..activity.len()).filter(|&position| activity[position] == Some(false)) {
            row[self.range(position)].fill(0.0);
        }
        for (index, condition) in conditions.all().iter().enumerate() {
            let Some(coordinate) = condition.coordinate else {
                continue;
            };
            let has_value =
                |position: usize| params.get(self.parameters()[position].name()).is_some();
            let is_active =
                |position: usize| activity[position].unwrap_or_else(|| has_value(position));
            row[coordinate] = if conditions.having(index).any(is_active) {
                1.0
            } else {
                -1.0
            };
        }
    }

    /// [`Space::row_of`] of a JSON object, without building it: a study is opened by reading the values of all its trials.
    pub fn row_of_json(&self, json: &str) -> Result<Vec<f64>, SpaceError> {
        if self.has_conditions() {
            let params: Result<Params, _> = serde_json::from_str(json);
            let not_params = |error: serde_json::Error| SpaceError::NotParams {
                reason: error.to_string(),
            };
            return params
                .map(|params| self.row_of(&params))
                .map_err(not_params);
        }
        let mut row = vec![0.0; self.encoded_dim()];
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let read = deserializer.deserialize_map(RowVisitor {
            space: self,
            row: &mut row,
        });
        match read.and_then(|()| deserializer.end()) {
            Ok(()) => Ok(row),
            Err(error) => Err(SpaceError::NotParams {
                reason: error.to_string(),
            }),
        }
    }

    fn place(&self, position: usize, value: View<'_>, row: &mut [f64]) {
        let (parameter, block) = self.part(position);
        block
            .code
            .place(parameter, value, &mut row[block.range.clone()]);
    }
}

/// Writes the values of an object into a row.
struct RowVisitor<'a> {
    space: &'a Space,
    row: &'a mut [f64],
}

impl<'de> Visitor<'de> for RowVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of values by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { space, row } = self;
        let mut next = 0;
        while let Some(name) = map.next_key_seed(Name { space, next })? {
            match name {
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some(rank) => {
                    map.next_value_seed(Placed {
                        space,
                        position: space.by_name()[rank],
                        row,
                    })?;
                    next = rank + 1;
                }
            }
        }
        Ok(())
    }
}

/// Reads a name as its rank in the alphabetical order of the parameters; stored objects are sorted, so `next` is a good guess.
struct Name<'a> {
    space: &'a Space,
    next: usize,
}

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Option<usize>, E> {
        let parameters = self.space.parameters();
        let by_name = self.space.by_name();
        if by_name
            .get(self.next)
            .is_some_and(|&i| parameters[i].name() == name)
        {
            return Ok(Some(self.next));
        }
        Ok(by_name
            .binary_search_by(|&i| parameters[i].name().cmp(name))
            .ok())
    }
}

/// Reads the value of one parameter into its coordinates.
struct Placed<'a> {
    space: &'a Space,
    position: usize,
    row: &'a mut [f64],
}

impl Placed<'_> {
    fn place(self, value: View<'_>) {
        self.space.place(self.position, value, self.row);
    }

    /// The same for values that are read as a whole first.
    fn place_read<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let value: Value = de::Deserialize::deserialize(deserializer)?;
        self.place(View::from(&value));
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Placed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Placed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number that fits in 64 bits, true, false, text, null, a list or an object")
    }

    fn visit_bool<E: de::Error>(self, b: bool) -> Result<(), E> {
        self.place(View::Bool(b));
        Ok(())
    }

    fn visit_i64<E: de::Error>(self, k: i64) -> Result<(), E> {
        self.place(View::Int(k));
        Ok(())
    }

    fn visit_u64<E: de::Error>(self, k: u64) -> Result<(), E> {
        let k =
            i64::try_from(k).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(k), &self))?;
        self.visit_i64(k)
    }

    fn visit_f64<E: de::Error>(self, x: f64) -> Result<(), E> {
        self.place(View::Float(x));
        Ok(())
    }

    fn visit_str<E: de::Error>(self, s: &str) -> Result<(), E> {
        self.place(View::Text(s));
        Ok(())
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.place(View::Null);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        self.place_read(de::value::SeqAccessDeserializer::new(seq))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.place_read(de::value::MapAccessDeserializer::new(map))
    }
}
