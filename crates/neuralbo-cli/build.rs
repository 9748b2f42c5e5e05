//! From which commit, with which features and for which system the program is built, for `neuralbo --version` and the lab's manifests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Where this package is in its repository; a copy elsewhere, as below another project's `vendor`, is not of that project's commit.
const PLACE: &str = "crates/neuralbo-cli/";

fn main() {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let target = env::var("TARGET").unwrap_or_default();
    let commit = given()
        .or_else(|| packaged(&package))
        .or_else(|| checked_out(&package));
    println!(
        "cargo::rustc-env=NEURALBO_BUILD_COMMIT={}",
        commit.unwrap_or_else(|| "unknown".to_owned())
    );
    println!(
        "cargo::rustc-env=NEURALBO_BUILD_FEATURES={}",
        features().join(", ")
    );
    println!("cargo::rustc-env=NEURALBO_BUILD_TARGET={target}");
}

/// Set by the builder.
fn given() -> Option<String> {
    println!("cargo::rerun-if-env-changed=NEURALBO_COMMIT");
    env::var("NEURALBO_COMMIT")
        .ok()
        .filter(|commit| !commit.is_empty())
}

/// What `cargo package` wrote into the package.
fn packaged(package: &Path) -> Option<String> {
    let file = package.join(".cargo_vcs_info.json");
    let text = fs::read_to_string(file).ok()?;
    let hash = text.split_once("\"sha1\": \"")?.1.split('"').next()?;
    Some(hash.get(..12)?.to_owned())
}

/// The commit of the working tree, `-dirty` if sources differ from it.
fn checked_out(package: &Path) -> Option<String> {
    if git(package, &["rev-parse", "--show-prefix"])? != PLACE {
        return None;
    }
    look_again_after(package)?;
    let commit = git(package, &["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(
        package,
        &[
            "status",
            "--porcelain",
            "--untracked-files=no",
            "--",
            ":(glob)../*/src/**",
            "../../Cargo.lock",
        ],
    )?;
    Some(if changed.is_empty() {
        commit
    } else {
        format!("{commit}-dirty")
    })
}

/// This runs again after a commit, and when sources change, after which the program is built anyway.
fn look_again_after(package: &Path) -> Option<()> {
    let branch = git(package, &["symbolic-ref", "--quiet", "HEAD"]).unwrap_or_default();
    for name in ["HEAD", &branch, "packed-refs"]
        .into_iter()
        .filter(|name| !name.is_empty())
    {
        watch(&package.join(git(package, &["rev-parse", "--git-path", name])?));
    }
    for entry in fs::read_dir(package.parent()?).ok()?.flatten() {
        watch(&entry.path().join("src"));
    }
    Some(())
}

/// A file that does not exist would have this run every time.
fn watch(path: &Path) {
    if path.exists() {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

fn git(package: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(package)
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The features that are on, but for `default`.
fn features() -> Vec<String> {
    let on = env::vars()
        .filter_map(|(name, _)| Some(name.strip_prefix("CARGO_FEATURE_")?.to_lowercase()));
    let mut on: Vec<String> = on.filter(|name| name != "default").collect();
    on.sort();
    on
}
