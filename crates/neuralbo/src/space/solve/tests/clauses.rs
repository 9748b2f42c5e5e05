//! Clauses of choices: how much work they are, and what their tables say.

use rand::RngExt;

use super::{free, rng, space, tried};
use crate::space::SpaceError;
use crate::space::constraint::Constraint;
use crate::space::expression::LOOKS;
use crate::space::solve::demand::At;
use crate::space::solve::table::{Check, Table};
use crate::space::tests::constraints;

/// Twenty choices of eight values with 400 forbidden pairs: of random points two in a thousand are feasible.
#[test]
fn many_forbidden_pairs_are_satisfied_with_bounded_work() {
    let mut rng = rng(9);
    let parameters = (0..20).map(|i| format!("c{i}=choice(a,b,c,d,e,f,g,h)"));
    let parameters: Vec<String> = parameters.collect();
    let mut pair = || {
        let mut one = || {
            (
                rng.random_range(0..20),
                char::from(b'a' + rng.random_range(0..8)),
            )
        };
        let ((i, a), (j, b)) = (one(), one());
        let j = if i == j { (j + 1) % 20 } else { j };
        format!("not (c{i} == {a} and c{j} == {b})")
    };
    let constraints: Vec<String> = (0..400).map(|_| pair()).collect();
    let space = space(&parameters, &constraints);
    // The list of feasible points is tried once, and given up.
    assert!(space.feasible_rows().is_none());
    for _ in 0..10 {
        LOOKS.set(0);
        assert!(space.is_feasible(&space.draw_row(&mut rng)));
        assert!(LOOKS.get() < 20_000, "{}", LOOKS.get());
    }
}

/// Random clauses of three of `count` variables, each satisfied by the same hidden values, if there are such.
fn clauses(count: usize, ratio: f64, hidden: bool, seed: u64) -> (Vec<String>, Vec<String>) {
    let mut rng = rng(seed);
    let values: Vec<bool> = (0..count).map(|_| rng.random_bool(0.5)).collect();
    let mut texts = Vec::new();
    while (texts.len() as f64) < ratio * count as f64 {
        let mut literal = || (rng.random_range(0..count), rng.random_bool(0.5));
        let clause = [(); 3].map(|()| literal());
        if !hidden || clause.iter().any(|(i, wanted)| values[*i] == *wanted) {
            let texted = clause.map(|(i, wanted)| match wanted {
                true => format!("b{i}"),
                false => format!("not b{i}"),
            });
            texts.push(texted.join(" or "));
        }
    }
    let parameters = (0..count).map(|i| format!("b{i}=bool"));
    (parameters.collect(), texts)
}

/// As many clauses as are hardest to satisfy.
#[test]
fn what_satisfies_hard_clauses_is_found_after_bounded_work() {
    for seed in 10..12 {
        let (parameters, constraints) = clauses(100, 4.26, true, seed);
        LOOKS.set(0);
        let space = space(&parameters, &constraints);
        assert!(space.is_feasible(&space.draw_row(&mut rng(seed))));
        assert!(LOOKS.get() < 2_000_000, "{}", LOOKS.get());
    }
}

/// Of six clauses per variable 2^60 (7/8)^360 < 0.002 points are left to expect: none, and that is proven.
#[test]
fn contradicting_clauses_are_named_after_bounded_work() {
    for seed in 20..24 {
        let (parameters, constraints) = clauses(60, 6.0, false, seed);
        LOOKS.set(0);
        let error = tried(&parameters, &constraints).unwrap_err();
        assert!(matches!(error, SpaceError::Contradiction { .. }), "{error}");
        let text = error.to_string();
        assert!(
            text.starts_with("no point satisfies all of the constraints"),
            "{text}"
        );
        assert!(text.ends_with("352 more") && text.len() < 1000, "{text}");
        assert!(LOOKS.get() < 2_000_000, "{}", LOOKS.get());
    }
}

/// Rows of random levels: a table says of each what the expression itself says.
#[test]
fn tables_agree_with_their_expressions() {
    let parameters = [
        "a=choice(x,y,z)",
        "b=choice(x,y,z)",
        "flag=bool",
        "k=choice(x,y) if flag == true",
    ];
    let texts = [
        "not (a == x and b == y)",
        "a != b or flag",
        "flag == (a in (x, y))",
        "k == x or a == z",
        "not (a == x and k == y)",
    ];
    let with_numbers = free(&["a=choice(x,y)", "n=int(1,9)"]);
    let free = free(&parameters);
    let mut rng = rng(11);
    for expression in constraints(&texts) {
        let constraint = Constraint::new(expression, free.parameters()).unwrap();
        let predicate = constraint.predicate().unwrap();
        let table = Table::of(&free, predicate);
        assert!(table.is_some(), "{constraint}");
        let with = Check {
            predicate,
            table: table.as_ref(),
        };
        let without = Check {
            predicate,
            table: None,
        };
        for _ in 0..200 {
            let row = free.any_row(&mut rng);
            let at = At::new(&free, &row);
            assert_eq!(with.holds(&at), without.holds(&at), "{constraint}");
            assert_eq!(with.distance(&at), without.distance(&at), "{constraint}");
        }
    }
    let expression = "a == x or n > 3".parse().unwrap();
    let constraint = Constraint::new(expression, with_numbers.parameters()).unwrap();
    assert!(Table::of(&with_numbers, constraint.predicate().unwrap()).is_none());
}
