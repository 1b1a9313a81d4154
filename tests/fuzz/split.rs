//! Any edit of any document: what is cut again of it is what a cut of the whole makes, and what is kept of a cut is the cut.
//!
//! The first bytes are the format and the edit, the others the text before it.

#![no_main]

use base::data::split::{Format, SplitDocument};
use base::path::SitePath;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [kind, high, low, removed, added, rest @ ..] = bytes else {
        return;
    };
    let (format, name) = match kind % 2 {
        0 => (Format::Json, "spec.json"),
        _ => (Format::Yaml, "spec.yaml"),
    };
    let path = SitePath::new(name).expect("a path");
    let (added, text) = rest.split_at(usize::from(added % 16).min(rest.len()));
    let at = usize::from(u16::from_be_bytes([*high, *low])).min(text.len());
    let end = (at + usize::from(removed % 16)).min(text.len());
    let edited = [&text[..at], added, &text[end..]].concat();

    let before = SplitDocument::split(&path, format, text.into());
    let kept = before.storable();
    let again = SplitDocument::of_kept(&path, format, text.into(), kept).expect("it is kept");
    assert_eq!(before.slices, again.slices);

    let followed = before.edited(edited.as_slice().into());
    let clean = SplitDocument::split(&path, format, edited.as_slice().into());
    assert_eq!(followed.slices, clean.slices);
    assert_eq!(followed.problems, clean.problems);
});
