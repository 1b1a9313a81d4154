//! JSON pointers (RFC 6901): addresses of nodes in a document.

use std::fmt::Write;

/// `pointer` with one more segment, escaped.
pub fn child(pointer: &str, segment: &str) -> String {
    let mut child = String::with_capacity(pointer.len() + segment.len() + 1);
    child.push_str(pointer);
    push(&mut child, segment);
    child
}

/// Appends a segment to `pointer`, escaped.
pub fn push(pointer: &mut String, segment: &str) {
    pointer.push('/');
    for c in segment.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// Appends an array index to `pointer`.
pub fn push_item(pointer: &mut String, index: usize) {
    // Writing to a string does not fail.
    let _ = write!(pointer, "/{index}");
}

/// `pointer` with an array index appended.
pub fn item(pointer: &str, index: usize) -> String {
    format!("{pointer}/{index}")
}

/// The unescaped segments of `pointer`.
pub fn segments(pointer: &str) -> impl Iterator<Item = String> + '_ {
    pointer
        .split('/')
        .skip(1)
        .map(|segment| segment.replace("~1", "/").replace("~0", "~"))
}
