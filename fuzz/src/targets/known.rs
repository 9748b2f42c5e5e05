//! Known results in CSV files.

use neuralbo::space::Space;

use super::texts;
use crate::Target;
use crate::program::known::read;

const WORDS: &[&str] = &[
    "x", "n", "o", "value", ",", "\n", "\"", "\"\"", "0.5", "3", "a", "b,c", "\r\n", " ", "nan",
    "true", "null", "[1]", ";", "\u{feff}",
];

/// A CSV file of known results: every result that is read is a point of the space with a finite value.
pub const CSV: Target = Target {
    name: "csv",
    seeds,
    words: WORDS,
    check,
    few: 5_000,
};

fn seeds() -> Vec<Vec<u8>> {
    texts(&[
        "x,n,o,value\n0.5,3,a,1.5\n0.25,1,\"b,c\",2\n",
        "number,state,value,best,x,n,o\n0,complete,1.0,1.0,0.5,2,a\n1,failed:exit,,1.0,0.1,4,true\n",
        "value,o,x,n\nnan,a,0,1\n,a,0,1\n-1e-3,3,1,4\n",
    ])
}

fn check(input: &[u8]) -> bool {
    let parameters = [
        "x=float(0,1)",
        "n=int(1,4)",
        "o=choice(a,\"b,c\",true,3,null)",
    ];
    let space = Space::new(
        parameters
            .iter()
            .map(|text| text.parse().expect("a parameter"))
            .collect(),
    )
    .expect("a space");
    let path = crate::targets::database::scratch("known.csv");
    std::fs::write(&path, input).expect("the file can be written");
    let Ok(known) = read(&path, &space, &["value"]) else {
        return false;
    };
    for (params, values) in known.results {
        assert!(values.len() == 1 && values.values().all(|value| value.is_finite()));
        assert_eq!(space.check(&params).as_ref(), Ok(&params));
    }
    true
}
