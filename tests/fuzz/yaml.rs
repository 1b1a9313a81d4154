//! Any text is YAML: it is read or refused, within bounds, and each place that is reported is in it.

#![no_main]

use base::data::yaml;
use base::place::Part;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    match yaml::parse_document(&text) {
        Ok(document) => {
            for pointer in document.repeated.iter().take(16) {
                if let Some((start, _)) = yaml::position(&text, pointer, Part::Key) {
                    assert!(text.is_char_boundary(start), "{pointer}");
                }
            }
            yaml::position(&text, "/a/0", Part::Value);
        }
        Err(error) => assert!(error.at <= text.len()),
    }
    if let Err(error) = yaml::parse(&text) {
        assert!(error.at <= text.len());
    }
});
