//! Processes whose clock differs from that of the machine, by libfaketime.

use std::fs;

use super::published::Variables;

/// The environment of a process whose clock is off by `difference`, as `+1h`; monotonic clocks are as they are. `None`, and
/// a line that says so, if there is no libfaketime here.
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
pub(crate) fn off_by(difference: &str) -> Option<Variables> {
    let folders = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let mut libraries = folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1"));
    let Some(library) = libraries.find(|library| library.exists()) else {
        eprintln!("SKIPPED a clock off by {difference}: install the Debian package faketime first");
        return None;
    };
    let variables = [
        ("LD_PRELOAD", library.to_str().expect("UTF-8")),
        ("FAKETIME", difference),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
        ("DONT_FAKE_MONOTONIC", "1"),
        ("NO_FAKE_STAT", "1"),
    ];
    Some(
        variables
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
    )
}
