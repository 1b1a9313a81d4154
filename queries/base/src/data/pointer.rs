//! JSON pointers (RFC 6901): addresses of nodes in a document.

/// `pointer` with one more segment, escaped.
pub fn child(pointer: &str, segment: &str) -> String {
    let mut child = String::with_capacity(pointer.len() + segment.len() + 1);
    child.push_str(pointer);
    child.push('/');
    for c in segment.chars() {
        match c {
            '~' => child.push_str("~0"),
            '/' => child.push_str("~1"),
            c => child.push(c),
        }
    }
    child
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
