//! Arrows between modules point one way, in every crate.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Modules with those they use.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// A folder of modules, and the path by which others name them.
struct Room {
    folder: PathBuf,
    path: &'static str,
}

impl Room {
    /// Its modules: files and folders by name.
    fn modules(&self) -> BTreeSet<String> {
        let entries = std::fs::read_dir(&self.folder).unwrap();
        let name = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
        let names = entries.map(|entry| name(entry.unwrap().path()));
        let special = ["lib", "main", "mod", "tests"];
        names
            .filter(|name| !special.contains(&name.as_str()))
            .collect()
    }

    /// Every module with those it uses.
    fn arrows(&self) -> Arrows {
        let names = self.modules();
        let arrow = |name: &String| {
            let mut used = BTreeSet::new();
            for path in sources(&self.folder, name) {
                let text = code(&path);
                let mut prefixes = vec![self.path];
                let parent = path.parent().unwrap();
                let sub_module = path.ends_with(format!("{name}/mod.rs"));
                if self.path != "crate::" && (parent == self.folder || sub_module) {
                    prefixes.push("super::");
                }
                let found = prefixes.iter().flat_map(|prefix| named(&text, prefix));
                used.extend(found.filter(|found| names.contains(found)));
            }
            used.remove(name);
            (name.clone(), used)
        };
        names.iter().map(arrow).collect()
    }
}

/// The files of a module, tests aside.
fn sources(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = vec![folder.join(format!("{name}.rs"))];
    let mut folders = vec![folder.join(name)];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("tests") {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }
    let is_test = |path: &PathBuf| {
        path.file_stem()
            .unwrap()
            .to_str()
            .unwrap()
            .ends_with("tests")
    };
    found.retain(|path| path.is_file() && !is_test(path));
    found
}

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

/// The names after a path: `crate::a` and those of `crate::{a, b::c}`.
fn named(text: &str, path: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        let ends = |c: char| !c.is_alphanumeric() && c != '_';
        text.trim_start().split(ends).next().unwrap().to_owned()
    };
    let mut found = Vec::new();
    for rest in text.split(path).skip(1) {
        let Some(group) = rest.strip_prefix('{') else {
            found.push(word(rest));
            continue;
        };
        let (mut depth, mut start) = (1, true);
        for (at, c) in group.char_indices() {
            if start && !c.is_whitespace() {
                found.push(word(&group[at..]));
                start = false;
            }
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' => start = depth == 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

/// What is left after taking away, again and again, what uses nothing or is used by nothing that is left.
fn cycles(mut arrows: Arrows) -> Arrows {
    let outside = |arrows: &Arrows| {
        let used_by_none = |name: &String| !arrows.values().any(|used| used.contains(name));
        let mut names = arrows.iter();
        let outside = names.find(|(name, used)| used.is_empty() || used_by_none(name));
        outside.map(|(name, _)| name.clone())
    };
    while let Some(free) = outside(&arrows) {
        arrows.remove(&free);
        arrows.values_mut().for_each(|used| _ = used.remove(&free));
    }
    arrows
}

#[test]
fn no_module_is_used_by_what_it_uses() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut rooms = vec![Room {
        folder: crates.join("neuralbo-store/src/sql"),
        path: "crate::sql::",
    }];
    for entry in std::fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path().join("src");
        let path = "crate::";
        rooms.push(Room { folder, path });
    }
    assert!(rooms.len() > 8);
    let mut found = BTreeMap::new();
    for room in rooms {
        let arrows = room.arrows();
        let name = room.folder.strip_prefix(crates).unwrap().to_owned();
        found.insert(name, cycles(arrows));
    }
    found.retain(|_, cycles| !cycles.is_empty());
    assert!(found.is_empty(), "modules in a cycle: {found:#?}");
}

#[test]
fn records_need_spaces_only_and_stores_need_records() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let room = Room {
        folder: crates.join("neuralbo/src"),
        path: "crate::",
    };
    let arrows = room.arrows();
    let used = |name: &str| arrows[name].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(used("record"), ["limits", "space"]);
    assert_eq!(used("store"), ["limits", "record", "space"]);
    assert!(used("drive").contains(&"study"));
}
