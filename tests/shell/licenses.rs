//! Every dependency may be used as this project is given away: no copyleft, no unknown terms.

use std::process::Command;

use serde_json::Value;
use spdx::{Expression, LicenseItem, ParseMode};

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

/// Whether the terms of the SPDX expression `license` can be met with [`ALLOWED`] ones.
fn is_satisfied(license: &str) -> bool {
    // Old packages write `/` for `OR`.
    let expression = Expression::parse_mode(license, ParseMode::LAX);
    expression.is_ok_and(|expression| {
        // An exception only takes terms away.
        expression.evaluate(|terms| match &terms.license {
            LicenseItem::Spdx { id, .. } => ALLOWED.contains(&id.name),
            LicenseItem::Other(_) => false,
        })
    })
}

#[test]
fn expressions_are_read_as_they_are_meant() {
    for license in [
        "MIT",
        "MIT OR GPL-3.0-only",
        "GPL-2.0-only OR (MIT AND ISC)",
        "MIT/Apache-2.0",
        "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
    ] {
        assert!(is_satisfied(license), "{license}");
    }
    for license in [
        "",
        "GPL-3.0-only",
        "MIT AND GPL-3.0-only",
        "MIT OR",
        "(MIT",
        "MIT Apache-2.0",
        "EUPL-1.2",
        "MPL-2.0",
    ] {
        assert!(!is_satisfied(license), "{license}");
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
        let license = package["license"].as_str().unwrap_or("");
        if !is_satisfied(license) {
            let (name, version) = (&package["name"], &package["version"]);
            report.push_str(&format!("{name} {version}: `{license}` is not allowed\n"));
        }
    }
    assert_eq!(report, "", "replace the package, or argue for its terms");
}
