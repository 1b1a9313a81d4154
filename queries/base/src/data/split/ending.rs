//! Detects documents that end in the middle, as they do while somebody is writing them.
//!
//! In JSON the parser reports it: it meets the end of its input. YAML hardly ever does, as nearly
//! every line of a document could be its last one; there the previous text of the document is
//! needed.

use std::collections::HashSet;

use serde::de::IgnoredAny;

use super::{Format, SplitDocument};
use crate::content::TextBytes;
use crate::diagnostic::Code;

/// Returns true if `text` is the beginning of a JSON document, and its only error is that it ends.
/// An empty file is.
pub fn is_cut_json(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    serde_json::from_slice::<IgnoredAny>(text).is_err_and(|error| error.is_eof())
}

/// Returns true if `text` is a JSON document.
pub fn is_json(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

impl SplitDocument {
    /// Returns true if all of the document could be read.
    pub fn is_whole(&self) -> bool {
        let mut codes = self.problems.iter().map(|problem| problem.code);
        !codes.any(|code| matches!(code, Code::InvalidJson | Code::InvalidYaml))
    }

    /// Returns true if `text`, the new text of this document, is truncated. `same` has the lengths
    /// of the common prefix and suffix, as for [`SplitDocument::edit`].
    ///
    /// Cheap for an edit within a slice.
    pub fn is_cut_by(&self, text: &TextBytes, same: (usize, usize)) -> bool {
        if text.trim_ascii().is_empty() {
            return true;
        }
        match self.format {
            Format::Json => self.edit(text, same).is_none() && is_cut_json(text),
            // A cut that falls on the end of a line is not known by the text: such a file is likely open for writing still.
            Format::Yaml => {
                let is_line_cut = self.text.ends_with(b"\n") && !text.ends_with(b"\n");
                is_line_cut
                    && self.has_lost_its_end(&Self::split(&self.path, self.format, text.clone()))
            }
        }
    }

    /// Returns true if `after` has a part of this document and nothing of the text after that part,
    /// though there was some.
    fn has_lost_its_end(&self, after: &Self) -> bool {
        let Some(last) = after.slices.last() else {
            return true;
        };
        // The last slice may be one whose key was cut: then the one before it decides.
        let known = |key: &str| self.slices.iter().position(|slice| &*slice.key == key);
        let before_last = || known(&after.slices.iter().rev().nth(1)?.key);
        let Some(at) = known(&last.key).or_else(before_last) else {
            // Not even the first key is whole.
            return after.slices.len() == 1;
        };
        let present: HashSet<&str> = after.slices.iter().map(|slice| &*slice.key).collect();
        let mut lost = self.slices[at + 1..].iter();
        at + 1 < self.slices.len() && lost.all(|slice| !present.contains(&*slice.key))
    }
}

#[cfg(test)]
mod tests {

    use super::super::{common_prefix, common_suffix};
    use super::*;
    use crate::path::SitePath;

    const JSON: &str = r#"{"openapi": "3.1.0", "info": {"title": "é \"T\"", "version": "1"},
        "paths": {"/a": {"get": {"tags": ["x"], "deprecated": true}}, "/b": {"get": {}}}}"#;

    const YAML: &str = "openapi: 3.1.0\ninfo:\n  title: T\n  version: '1'\npaths:\n  /a:\n    get:\n      tags: [x]\n  /b:\n    get: {}\ncomponents:\n  schemas:\n    A:\n      type: object\n    B:\n      type: string\n";

    fn document(name: &str, text: &str) -> SplitDocument {
        let path = SitePath::new(name).expect("a path");
        let format = Format::of(&path).expect("a format");
        SplitDocument::split(&path, format, text.into())
    }

    fn is_cut_by(document: &SplitDocument, text: &[u8]) -> bool {
        let same = (
            common_prefix(document.text(), text),
            common_suffix(document.text(), text),
        );
        document.is_cut_by(&text.into(), same)
    }

    #[test]
    fn json_that_ends_before_its_last_bracket_ends_in_the_middle() {
        let whole = document("a.json", JSON);
        assert!(whole.is_whole());
        for end in 0..JSON.len() {
            assert!(is_cut_by(&whole, &JSON.as_bytes()[..end]), "{end}");
        }
        assert!(!is_cut_by(&whole, JSON.as_bytes()));
        assert!(!is_cut_by(&whole, format!("{JSON}\n").as_bytes()));
        assert!(!is_cut_by(
            &whole,
            JSON.replace("\"x\"", "\"y\"").as_bytes()
        ));
    }

    #[test]
    fn json_with_another_fault_does_not_end_in_the_middle() {
        let whole = document("a.json", JSON);
        for broken in [JSON.replace("[\"x\"", "[\"x"), JSON.replacen(',', "", 1)] {
            assert!(!is_cut_by(&whole, broken.as_bytes()), "{broken}");
        }
        let broken = JSON.replacen(',', "", 1);
        assert!(!is_cut_by(&whole, &broken.as_bytes()[..broken.len() - 1]));
        assert!(!document("a.json", &broken).is_whole());
    }

    #[test]
    fn yaml_that_ends_within_a_line_and_lost_what_followed_ends_in_the_middle() {
        let whole = document("a.yaml", YAML);
        let last = YAML.find("    B:").expect("it is there");
        let ends = (0..last).filter(|end| !YAML[..*end].ends_with('\n'));
        let missed: Vec<&str> = ends
            .filter(|end| !is_cut_by(&whole, &YAML.as_bytes()[..*end]))
            .map(|end| &YAML[end.saturating_sub(12)..end])
            .collect();
        assert_eq!(missed, [""; 0]);
        // An author removes the last line break, a part, or the end of the file in whole lines.
        assert!(!is_cut_by(&whole, YAML.trim_end().as_bytes()));
        assert!(!is_cut_by(
            &whole,
            YAML.replace("  /b:\n    get: {}\n", "")
                .trim_end()
                .as_bytes()
        ));
        assert!(!is_cut_by(&whole, &YAML.as_bytes()[..last]));
    }
}
