//! A method has its section in a page, which names every option it has.

use neuralbo::strategy::presets::Method;

/// From the method's heading to the next one.
fn section<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let heading = format!("\n## {name}\n");
    let start = page.find(&heading)? + heading.len();
    let rest = &page[start..];
    Some(&rest[..rest.find("\n## ").unwrap_or(rest.len())])
}

/// Panics unless `page` has an entry and a section of the method with all its options.
pub fn documented(page: &str, method: &Method) {
    let name = method.name;
    let text = section(page, name).unwrap();
    for part in ["**Idea.**", "**Cost.**", "**When.**", "**Reference.**"] {
        assert!(text.contains(part), "{name}: {part}");
    }
    let missing = |key: &&str| !text.contains(&format!("`{key}`"));
    let keys = || method.options.iter().map(|option| option.key);
    assert_eq!(keys().find(missing), None, "{name}");
    let none = text.contains("It has no options.");
    assert_eq!(keys().count() == 0, none, "{name}");
    assert!(page.contains(&format!("| [`{name}`](#{name}) |")), "{name}");
}
