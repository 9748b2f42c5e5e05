//! The guard against panics, without Python: the library itself links only into an interpreter.

#[path = "../src/guard.rs"]
mod guard;

use std::panic::panic_any;

use guard::guarded;

#[test]
fn values_pass() {
    assert_eq!(guarded(|| 7), Ok(7));
    assert_eq!(
        guarded(|| Err::<(), _>("refused")),
        Ok(Err("refused")),
        "an error of the work is no panic"
    );
}

#[test]
fn panics_become_texts_with_their_message() {
    let row = std::hint::black_box(5);
    let formatted = guarded(|| assert!(row < 3, "row {row} of 3"));
    assert_eq!(
        formatted,
        Err("the engine failed: row 5 of 3; please report this".to_owned())
    );
    let literal: Result<(), String> = guarded(|| panic_any("no rows"));
    assert_eq!(
        literal,
        Err("the engine failed: no rows; please report this".to_owned())
    );
    let indexed = guarded(|| [1, 2, 3][row]);
    assert!(indexed.is_err_and(|text| text.contains("index out of bounds")));
}

#[test]
fn a_panic_without_a_text_is_caught_too() {
    let odd: Result<(), String> = guarded(|| panic_any(42_u8));
    assert_eq!(
        odd,
        Err("the engine failed: without a message; please report this".to_owned())
    );
}
