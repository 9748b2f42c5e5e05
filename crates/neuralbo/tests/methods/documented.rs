//! Every method has its section in `docs/methods.md`, which names every option it has.

use super::for_every_method;

const PAGE: &str = include_str!("../../../../docs/methods.md");

/// From the method's heading to the next one.
fn section(name: &str) -> Option<&'static str> {
    let heading = format!("\n## {name}\n");
    let start = PAGE.find(&heading)? + heading.len();
    let rest = &PAGE[start..];
    Some(&rest[..rest.find("\n## ").unwrap_or(rest.len())])
}

#[test]
fn every_method_and_option_has_its_place_in_the_documentation() {
    for_every_method(|method| {
        let text = section(method.name).unwrap();
        for part in ["**Idea.**", "**Cost.**", "**When.**", "**Reference.**"] {
            assert!(text.contains(part), "{}: {part}", method.name);
        }
        let missing = |key: &&str| !text.contains(&format!("`{key}`"));
        let keys = || method.options.iter().map(|option| option.key);
        assert_eq!(keys().find(missing), None, "{}", method.name);
        assert_eq!(
            keys().count() == 0,
            text.contains("It has no options."),
            "{}",
            method.name
        );
        assert!(
            PAGE.contains(&format!("| [`{0}`](#{0}) |", method.name)),
            "{}",
            method.name
        );
    });
}
