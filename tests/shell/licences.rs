//! Every dependency may be used as this project is given away: no copyleft, no unknown terms.

use std::process::Command;

use serde_json::Value;

use crate::support::repository;

/// Terms that ask for no more than to be named.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    // Of the root certificates, which are data.
    "CDLA-Permissive-2.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether the terms of the SPDX expression `licence` can be met with [`ALLOWED`] ones: `AND` binds tighter than `OR`.
fn is_satisfied(licence: &str) -> bool {
    // Old packages write `/` for `OR`.
    let spaced = licence
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    let satisfied = any_of(&mut rest);
    satisfied == Some(true) && rest.is_empty()
}

fn any_of(words: &mut &[&str]) -> Option<bool> {
    let mut satisfied = all_of(words)?;
    while let ["OR", rest @ ..] = words {
        *words = rest;
        satisfied |= all_of(words)?;
    }
    Some(satisfied)
}

fn all_of(words: &mut &[&str]) -> Option<bool> {
    let mut satisfied = one(words)?;
    while let ["AND", rest @ ..] = words {
        *words = rest;
        satisfied &= one(words)?;
    }
    Some(satisfied)
}

fn one(words: &mut &[&str]) -> Option<bool> {
    let (word, rest) = words.split_first()?;
    *words = rest;
    if *word == "(" {
        let satisfied = any_of(words)?;
        let (close, rest) = words.split_first()?;
        *words = rest;
        return (*close == ")").then_some(satisfied);
    }
    if let ["WITH", _, rest @ ..] = words {
        // An exception only takes terms away.
        *words = rest;
    }
    Some(ALLOWED.contains(word))
}

#[test]
fn expressions_are_read_as_they_are_meant() {
    for licence in [
        "MIT",
        "MIT OR GPL-3.0-only",
        "GPL-2.0-only OR (MIT AND ISC)",
        "MIT/Apache-2.0",
        "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
    ] {
        assert!(is_satisfied(licence), "{licence}");
    }
    for licence in [
        "",
        "GPL-3.0-only",
        "MIT AND GPL-3.0-only",
        "MIT OR",
        "(MIT",
        "MIT Apache-2.0",
        "EUPL-1.2",
        "MPL-2.0",
    ] {
        assert!(!is_satisfied(licence), "{licence}");
    }
}

#[test]
fn every_dependency_may_be_given_away_with_the_project() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        // Those of every build that can be made.
        .arg("--all-features")
        .current_dir(repository())
        .output()
        .expect("cargo starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let has = |name: &str| packages.iter().any(|package| package["name"] == name);
    assert!(
        has("tokio") && has("candle-core"),
        "{} packages",
        packages.len()
    );
    let mut report = String::new();
    for package in packages {
        let licence = package["license"].as_str().unwrap_or("");
        if !is_satisfied(licence) {
            let (name, version) = (&package["name"], &package["version"]);
            report.push_str(&format!("{name} {version}: `{licence}` is not allowed\n"));
        }
    }
    assert_eq!(report, "", "replace the package, or argue for its terms");
}
