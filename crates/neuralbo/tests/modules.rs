//! Arrows between modules point one way.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The code of a file without comments and without the unit tests at its end.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let tests = text
        .find("#[cfg(test)]")
        .filter(|at| text[*at..].contains("mod tests {"))
        .unwrap_or(text.len());
    text[..tests]
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The modules named after `crate::` in the files of a folder, tests aside.
fn used(folder: &Path, modules: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            found.extend(used(&path, modules));
        } else if name.ends_with(".rs") && name != "tests.rs" {
            let text = code(&path);
            let names = text.split("crate::").skip(1).map(|rest| {
                rest.split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
                    .unwrap()
            });
            found.extend(
                names
                    .filter(|name| modules.contains(*name))
                    .map(str::to_owned),
            );
        }
    }
    found
}

/// Every module with those it uses; the suites for other crates use everything and are used by nothing.
fn arrows() -> BTreeMap<String, BTreeSet<String>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders = std::fs::read_dir(&source)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir());
    let names: BTreeSet<String> = folders
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|name| name != "testkit")
        .collect();
    let arrow = |name: &String| {
        let mut used = used(&source.join(name), &names);
        used.remove(name);
        (name.clone(), used)
    };
    names.iter().map(arrow).collect()
}

#[test]
fn no_module_is_used_by_what_it_uses() {
    let mut arrows = arrows();
    assert!(
        arrows.len() > 8 && arrows["drive"].contains("study"),
        "{arrows:?}"
    );
    // Takes away what uses nothing that is left, again and again; a cycle stays.
    while let Some(free) = arrows
        .iter()
        .find(|(_, used)| used.is_empty())
        .map(|(name, _)| name.clone())
    {
        arrows.remove(&free);
        arrows.values_mut().for_each(|used| _ = used.remove(&free));
    }
    assert!(arrows.is_empty(), "modules in a cycle: {arrows:?}");
}
