//! Each code of the table of diagnostics has a fixture that produces it.

use std::collections::BTreeSet;

use base::diagnostic::Code;
use queries::site::site_diagnostics;

use crate::cases;

/// The codes that no site can produce today, with the reason.
const EXEMPT: &[(Code, &str)] = &[
    (
        Code::InternalFault,
        "the shell says it of a page whose query panicked, and no content is known to do that",
    ),
    (
        Code::DeadLink,
        "the shell says it of links that it asks other sites for (tests/shell/external.rs)",
    ),
    (
        Code::UncertainLink,
        "the shell says it of links that it asks other sites for (tests/shell/external.rs)",
    ),
    (
        Code::TruncatedFile,
        "the shell says it of a file that is being written while its site is watched (tests/shell/unfinished.rs)",
    ),
    (
        Code::UnreadableFile,
        "the shell says it of what the system does not let it read (tests/shell/unreadable.rs)",
    ),
];

#[test]
fn every_code_has_a_fixture() {
    let mut produced = BTreeSet::new();
    for (_, folder) in cases::folders() {
        let site = cases::site(&folder.join("site"));
        produced.extend(
            site_diagnostics(&site.db, site.site)
                .iter()
                .map(|found| found.code),
        );
    }
    for code in Code::ALL {
        let reason = EXEMPT.iter().find(|(exempt, _)| exempt == code);
        match reason {
            None => assert!(
                produced.contains(code),
                "no fixture produces {}",
                code.name()
            ),
            // An exemption that is no longer one hides the day the fixture is lost.
            Some((_, reason)) => assert!(
                !produced.contains(code),
                "{} is produced, but: {reason}",
                code.name()
            ),
        }
    }
}

#[test]
fn codes_are_unique_and_kebab_case() {
    let names: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(names.len(), Code::ALL.len());
    for name in names {
        assert!(
            name.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
            "{name}"
        );
    }
}
