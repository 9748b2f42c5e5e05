//! Expressions against an evaluator of their own, and everything that can be wrong with one.

use proptest::prelude::*;

use super::ast::{Ast, NumberFunction, Relation};
use super::*;
use crate::space::Value;
use crate::space::tests::{assert_messages, space_of, table};

fn mixed() -> Space {
    space_of(
        "x=float(-10,10) ; y=float(-10,10) ; n=int(0,8) ; kernel=choice(rbf,poly,linear) ; \
            other=choice(rbf,sigmoid) ; flag=bool ; batch=choice(16,32,64) ; \
            depth=choice(null,3,5) ; weight-decay=float(0,1) ; layers=choice([64],[64,32]) ; \
            name=choice(\"a b\",\"1\") ; data=iris ; size=ordinal(small,medium,large)",
    )
}

fn holds(text: &str, json: &str) -> Option<bool> {
    let params: Params = serde_json::from_str(json).unwrap();
    let expression: Expression = text.parse().unwrap();
    expression.evaluate(&mixed(), &params).unwrap()
}

fn reading_error(text: &str) -> String {
    text.parse::<Expression>().unwrap_err().to_string()
}

fn resolving_error(text: &str) -> String {
    let expression: Expression = text.parse().unwrap();
    let resolved = expression.resolve(mixed().parameters());
    resolved.unwrap_err().to_string()
}

#[test]
fn operators_bind_as_in_mathematics() {
    for (text, truth) in table(
        r##"
x + y * 2 == 8 => true
(x + y) * 2 == 10 => true
-x^2 == -4 => true
(-x)^2 == 4 => true
x^3^2 == 512 => true
x**-1 == 0.5 => true
8 - 2 - 1 == 5 and 8/2/2 == 2 and x == 2 => true
8 - (2 - 1) == 7 and x == 2 => true
1 < x <= 2 < y => true
1 < x < 2 < y => false
not x > 5 and y > 5 => false
not (x > 5 and y > 5) => true
x > 5 or y == 3 and x == 2 => true
(x > 5 or y == 3) and x == 3 => false
!flag => true
x == 2 && !flag || false => true
x + y in (4, 5) => true
x not in (1, 3) and kernel not in (rbf, poly) => true
min(x, y, 7) == 2 and max(x, y) == 3 and sum(x, y, 1) == 6 and abs(-x) == 2 => true
sqrt(4) == x and exp(0) == 1 and log(exp(x)) == 2 and log2(8) == y and log10(100) == x => true
floor(2.7) == x and ceil(2.2) == y and round(2.5) == y and round(-2.5) == -y => true
"##,
    ) {
        let found = holds(text, r#"{"x":2,"y":3,"flag":false,"kernel":"linear"}"#);
        assert_eq!(found, truth[0].parse().ok(), "{text}");
    }
}

#[test]
fn values_of_all_types_are_compared() {
    for (text, expected) in table(
        r##"
kernel == rbf => {"kernel":"rbf"} | true
rbf != kernel => {"kernel":"rbf"} | false
kernel in ('rbf', "poly") => {"kernel":"poly"} | true
kernel == other => {"kernel":"rbf","other":"rbf"} | true
kernel != other => {"kernel":"rbf","other":"rbf"} | false
flag == (x < 1) => {"flag":true,"x":0} | true
flag != true => {"flag":true} | false
batch * n <= 64 => {"batch":32,"n":2} | true
batch == 32.0 => {"batch":32} | true
depth == null => {"depth":null} | true
depth in (null, 3) => {"depth":5} | false
depth >= 4 => {"depth":5} | true
`weight-decay` < 0.1 => {"weight-decay":0.05} | true
layers == [64, 32] => {"layers":[64,32]} | true
name == 'a b' or name == '1' => {"name":"1"} | true
data == iris => {"data":"iris"} | true
n in (1, 3) => {"n":3} | true
size >= medium => {"size":"large"} | true
size < medium => {"size":"medium"} | false
small < size <= medium => {"size":"medium"} | true
"##,
    ) {
        let (json, truth) = (expected[0], expected[1].parse().ok());
        assert_eq!(holds(text, json), truth, "{text} {json}");
    }
}

#[test]
fn what_hangs_on_an_absent_value_is_unknown() {
    for (text, expected) in table(
        r##"
y < 1 => unknown
not y < 1 => unknown
kernel == rbf => unknown
y < 1 or x == 2 => true
y < 1 or x == 3 => unknown
y < 1 and x == 3 => false
y < 1 and x == 2 => unknown
x + y == 2 => unknown
flag == (x < 1) => unknown
depth >= 4 => unknown
"##,
    ) {
        // A null is a value, but not a number.
        let truth = holds(text, r#"{"x":2,"depth":null}"#);
        assert_eq!(truth, expected[0].parse().ok(), "{text}");
    }
}

#[test]
fn equal_means_equal_up_to_rounding_and_no_number_is_equal_to_nothing() {
    for (text, expected) in table(
        r##"
x + y == 0.3 => {"x":0.1,"y":0.2} | true
x + y - 0.3 == 0 => {"x":0.1,"y":0.2} | true
x + y == 0.3 => {"x":0.1,"y":0.2000001} | false
x - y == 0 => {"x":1e-12,"y":0} | false
x <= 0.3 => {"x":0.30000000000000004} | false
x/y < 1 => {"x":0,"y":0} | false
x/y >= 1 => {"x":0,"y":0} | false
x/y == 1 => {"x":0,"y":0} | false
x/y != 1 => {"x":0,"y":0} | false
"##,
    ) {
        assert_eq!(holds(text, expected[0]), expected[1].parse().ok(), "{text}");
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    assert_messages(
        r##"
 => a value is missing at the end
x <= => a value is missing at the end
x <= ) => a value is missing before `)`
x = 1 => a single `=` before `1`; write `==` to compare
(x = 1) => a single `=` before `1)`; write `==` to compare
x <= 1 ) => a closing parenthesis without an opening one
(x <= 1 => a closing parenthesis is missing
x y => expected an operator such as `+`, `<=` or `and` before `y`
2x < 1 => expected an operator such as `+`, `<=` or `and` before `x < 1`
kernel in rbf => `in` needs its values in parentheses
kernel in () => `in ()` has no values
x == 'abc => a closing quote is missing
`x < 1 => a closing backtick is missing
system('rm') == 1 => unknown function `system`; there are `abs`, `min`
sqrt(x, 2) < 1 => `sqrt` takes one number, found 2
sum() < 1 => `sum()` needs a number
x < 1e999 => `1e999` does not fit in 64 bits
x < $HOME => a value is missing before `$HOME`
layers == [64 => a list or an object that is no JSON
"##,
        |text| {
            let error = reading_error(text);
            assert!(error.starts_with("cannot read the expression `"), "{error}");
            error
        },
    );
}

#[test]
fn what_makes_no_sense_over_the_parameters_is_named() {
    assert_messages(
        r##"
z < 1 => unknown name `z`; the parameters are `x`, `y`, `n`, `kernel`
`z` == 1 => unknown name `z`
weight < 1 => unknown name `weight`; write `weight-decay` for that parameter
1 < 2 => it names no parameter; there are `x`
x => `x` is a number, not true or false; compare it, e.g. `x <= 1`
x + 1 => `x + 1` is a number, not true or false
kernel => parameter `kernel` is not true or false, it is one of `rbf`, `poly`, `linear`; compare it with `==` or `in`
x < 1 and 'a' => `"a"` is text, not true or false
kernel < 3 => parameter `kernel` is no number, it is one of `rbf`, `poly`, `linear`
x < 'a' => `"a"` is text, where a number is needed
x == true => `true` is true or false, where a number is needed
(x < 1) + 1 < 2 => `x < 1` is true or false, where a number is needed
kernel == sigmoid => parameter `kernel` never is `sigmoid`, it is one of `rbf`, `poly`, `linear`
kernel in (rbf, 3) => parameter `kernel` never is `3`, it is one of
kernel == layers => two parameters that never are equal: `kernel` is one of `rbf`, `poly`, `linear`, `layers` is one of
n == 2.5 => parameter `n` never is `2.5`, it is a whole number from 0 to 8
x in (1, 11) => parameter `x` never is `11.0`, it is a number from -10.0 to 10.0
x / (2 - 2) < 1 => division by zero in `x / (2 - 2)`
x < log(0) => `log(0)` is -inf, where a finite number is needed
x < sqrt(-1) => `sqrt(-1)` is NaN, where a finite number is needed
x < 1e300 * 1e300 => is inf, where a finite number is needed
"##,
        |text| {
            let error = resolving_error(text);
            assert!(error.starts_with("expression `"), "{error}");
            error
        },
    );
}

/// On a thread with the smallest stack that programs use: half of what Rust gives by default.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    thread.spawn(run).unwrap().join().unwrap();
}

#[test]
fn hostile_text_is_refused() {
    on_a_small_stack(|| {
        for text in [
            "(".repeat(60_000),
            "-".repeat(60_000),
            "not ".repeat(15_000),
            "!".repeat(60_000),
            "x^".repeat(30_000),
            "abs(".repeat(15_000),
            "x in (".repeat(10_000),
            "x or x and not x < -x + -x * -(".repeat(2_000),
            format!("layers == {}", "[".repeat(60_000)),
        ] {
            text.parse::<Expression>().unwrap_err();
        }
        let error = reading_error(&"x".repeat(100_000));
        let expected = "at most 65536 bytes are allowed, found 100000";
        assert!(error.contains(expected) && error.len() < 400, "{error}");
    });
}

#[test]
fn long_and_deep_expressions_are_read() {
    on_a_small_stack(|| {
        let (open, close) = ("(x or x and not x < -x + -x * -".repeat(9), ")".repeat(9));
        let deep = format!("{open}x{close} < 1");
        assert_eq!(deep.parse::<Expression>().unwrap().names().len(), 1);
        let chain = |operator: &str, count: usize| vec!["x"; count].join(operator);
        for operator in [" + ", " * ", "<", "-"] {
            chain(operator, 10_000).parse::<Expression>().unwrap();
        }
        let sum: Expression = format!("{} <= 1", chain(" + ", 10_000)).parse().unwrap();
        let small = Params::from_iter([("x", 1e-4)]);
        assert_eq!(sum.evaluate(&mixed(), &small), Ok(Some(true)));
    });
}

#[test]
fn files_hold_the_text() {
    let expression: Expression = serde_json::from_str(r#""x+y<=1""#).unwrap();
    let text = serde_json::to_string(&expression).unwrap();
    assert_eq!(text, r#""x + y <= 1""#);
    assert!(serde_json::from_str::<Expression>(r#""x+""#).is_err());
}

fn literals() -> impl Strategy<Value = Ast> {
    prop_oneof![
        (0..i64::MAX).prop_map(|k| Ast::Literal(Value::Int(k))),
        (0.0..f64::MAX).prop_map(|x| Ast::Literal(Value::Float(x))),
        (1e-300..1e3).prop_map(|x| Ast::Literal(Value::Float(x))),
        any::<String>().prop_map(|text| Ast::Literal(Value::Text(text))),
        any::<bool>().prop_map(|truth| Ast::Literal(Value::Bool(truth))),
        Just(Ast::Literal(Value::Null)),
        Just(Ast::Literal("[1,{\"a\":null}]".parse().unwrap())),
        "[a-z_][a-z0-9_.]{0,6}"
            .prop_filter("a word", |word| !ast::KEYWORDS.contains(&word.as_str()))
            .prop_map(Ast::Word),
        "[a-z_][a-z0-9_.-]{0,6}".prop_map(Ast::Name),
    ]
}

/// Any tree that a text can have: of the parts of a chain the first is not inverted.
fn trees() -> impl Strategy<Value = Ast> {
    let chain = |part: BoxedStrategy<Ast>| {
        let rest = prop::collection::vec((any::<bool>(), part.clone()), 1..4);
        (part, rest).prop_map(|(first, mut rest)| {
            rest.insert(0, (false, first));
            rest
        })
    };
    literals().prop_recursive(5, 60, 4, move |part| {
        let parts = prop::collection::vec(part.clone(), 2..4);
        let relations = Relation::SYMBOLS.map(|(_, relation)| relation);
        let relation = prop::sample::select(relations.to_vec());
        let compared = prop::collection::vec((relation, part.clone()), 1..3);
        prop_oneof![
            part.clone().prop_map(|part| Ast::Negate(part.into())),
            part.clone().prop_map(|part| Ast::Not(part.into())),
            chain(part.clone()).prop_map(Ast::Sum),
            chain(part.clone()).prop_map(Ast::Product),
            (part.clone(), part.clone())
                .prop_map(|(base, exponent)| Ast::Power(base.into(), exponent.into())),
            part.clone()
                .prop_map(|part| Ast::Call(NumberFunction::Sqrt, vec![part])),
            parts
                .clone()
                .prop_map(|p| Ast::Call(NumberFunction::Sum, p)),
            (part.clone(), compared).prop_map(|(first, rest)| Ast::Compare(first.into(), rest)),
            (part, parts.clone(), any::<bool>()).prop_map(|(of, options, negated)| {
                let of = of.into();
                Ast::In {
                    of,
                    options,
                    negated,
                }
            }),
            parts.clone().prop_map(Ast::And),
            parts.prop_map(Ast::Or),
        ]
    })
}

/// An expression of its own kind: text with all parentheses, and values computed here.
#[derive(Clone, Debug)]
enum ExpectedNumber {
    Constant(i32),
    X,
    Y,
    Operation(char, Box<ExpectedNumber>, Box<ExpectedNumber>),
    Negative(Box<ExpectedNumber>),
    Largest(Box<ExpectedNumber>, Box<ExpectedNumber>),
}

impl ExpectedNumber {
    fn text(&self) -> String {
        match self {
            Self::Constant(k) => k.to_string(),
            Self::X => "x".into(),
            Self::Y => "y".into(),
            Self::Operation(operator, a, b) => format!("({} {operator} {})", a.text(), b.text()),
            Self::Negative(a) => format!("(-{})", a.text()),
            Self::Largest(a, b) => format!("max({}, {})", a.text(), b.text()),
        }
    }

    fn at(&self, x: f64, y: f64) -> f64 {
        match self {
            Self::Constant(k) => f64::from(*k),
            Self::X => x,
            Self::Y => y,
            Self::Operation('+', a, b) => a.at(x, y) + b.at(x, y),
            Self::Operation('-', a, b) => a.at(x, y) - b.at(x, y),
            Self::Operation('*', a, b) => a.at(x, y) * b.at(x, y),
            Self::Operation(_, a, b) => a.at(x, y) / b.at(x, y),
            Self::Negative(a) => -a.at(x, y),
            Self::Largest(a, b) => match (a.at(x, y), b.at(x, y)) {
                (a, b) if a.is_nan() || b.is_nan() => f64::NAN,
                (a, b) => a.max(b),
            },
        }
    }
}

fn samples() -> impl Strategy<Value = ExpectedNumber> {
    use ExpectedNumber::{Constant, Largest, Negative, Operation, X, Y};
    let leaf = prop_oneof![(1..9).prop_map(Constant), Just(X), Just(Y)];
    leaf.prop_recursive(5, 40, 2, |part| {
        let pair = (part.clone(), part.clone());
        let operation = (prop::sample::select(vec!['+', '-', '*', '/']), pair.clone());
        prop_oneof![
            operation.prop_map(|(operator, (a, b))| Operation(operator, a.into(), b.into())),
            part.prop_map(|a| Negative(a.into())),
            pair.prop_map(|(a, b)| Largest(a.into(), b.into())),
        ]
    })
}

proptest! {
    #[test]
    fn canonical_text_reads_back_to_the_same(tree in trees()) {
        let text = tree.to_string();
        let read: Expression = text.parse().unwrap();
        prop_assert_eq!(&read.0, &tree, "{}", text);
        prop_assert_eq!(read.to_string(), text);
    }

    #[test]
    fn numbers_are_computed_as_by_hand(sample in samples(), x in -9.0..9.0, y in -9.0..9.0, bound in -20..20_i32) {
        let text = format!("{} < {bound} and x == x", sample.text());
        let expression: Expression = text.parse().unwrap();
        let params = Params::from_iter([("x", x), ("y", y)]);
        match expression.evaluate(&mixed(), &params) {
            Ok(truth) => prop_assert_eq!(truth, Some(sample.at(x, y) < f64::from(bound)), "{}", text),
            // What has no parameter is computed when it is read, and may divide by zero.
            Err(error) => prop_assert!(error.to_string().contains("division by zero") || error.to_string().contains("is NaN")),
        }
        // The canonical text means the same, although it has fewer parentheses.
        let again: Expression = expression.to_string().parse().unwrap();
        prop_assert_eq!(again.evaluate(&mixed(), &params), expression.evaluate(&mixed(), &params));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[xy0-9 .()<>=!&|+*/^`'\"\\[,a-zé-]{0,40}") {
        if let Ok(expression) = text.parse::<Expression>() {
            let again: Expression = expression.to_string().parse().unwrap();
            prop_assert_eq!(again, expression);
        }
    }
}

/// Found by libFuzzer: 40 levels were read whose printed form has more, with a parenthesis for each `not` under a sign.
#[test]
fn what_is_read_can_be_read_again_as_it_is_printed() {
    let nested = |levels: usize| format!("{}x <= 1", "-not a - ".repeat(levels));
    let (mut accepted, mut refused) = (0, 0);
    for levels in 0..50 {
        match nested(levels).parse::<Expression>() {
            Ok(read) => {
                assert_eq!(read.to_string().parse().as_ref(), Ok(&read));
                accepted += 1;
            }
            Err(error) => {
                let text = error.to_string();
                assert!(
                    text.contains("more than 40 parentheses, signs or powers"),
                    "{text}"
                );
                refused += 1;
            }
        }
    }
    assert!(accepted > 9 && refused > 9, "{accepted}, {refused}");
}
