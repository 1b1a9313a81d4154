//! Finds the operation of a request: matches the paths of the document with the path of the
//! request.

use super::super::index::{EntryKind, OperationIndex};

/// Names and values of a path, as they were sent.
pub type Values = Vec<(String, String)>;

/// Result for a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Match {
    /// An operation: its key in the document, and the values of its path as they were sent, percent-encoded.
    Operation {
        /// Pointer of the operation.
        key: String,
        /// Names and values.
        values: Values,
    },
    /// The path is documented, with these methods only, in upper case.
    OtherMethods(Vec<String>),
    /// No path of the document matches.
    Nothing,
}

/// Finds the operation of `method` at `path`, which is percent-encoded and begins with `/`. Of several paths that match, the
/// one whose text goes further is meant: `/users/me` before `/users/{id}` (OpenAPI 3.1, 4.8.8.2).
pub fn find(index: &OperationIndex, method: &str, path: &str) -> Match {
    let operations = index
        .entries()
        .filter(|entry| entry.kind == EntryKind::Operation);
    let mut best: Option<(Vec<Rank>, &str, Values)> = None;
    for entry in operations.clone() {
        let Some((rank, values)) = matched(&entry.path, path) else {
            continue;
        };
        // The first of the document, unless a later one is more exact.
        if best.as_ref().is_none_or(|(best, ..)| rank > *best) {
            best = Some((rank, entry.path.as_str(), values));
        }
    }
    let Some((_, template, values)) = best else {
        return Match::Nothing;
    };
    let of_path = operations.filter(|entry| entry.path == template);
    let of_method = |wanted: &str| of_path.clone().find(|entry| entry.method.name() == wanted);
    // A HEAD is a GET without its body (RFC 9110, 9.3.2).
    let as_get = || of_method("GET").filter(|_| method == "HEAD");
    match of_method(method).or_else(as_get) {
        Some(entry) => Match::Operation {
            key: entry.key.clone(),
            values,
        },
        None => Match::OtherMethods(of_path.map(|entry| entry.method.name()).collect()),
    }
}

/// The values of `path` by the names of the document's path `template`, as they were sent; `None` if it does not match.
pub fn values(template: &str, path: &str) -> Option<Values> {
    Some(matched(template, path)?.1)
}

/// Specificity of a segment of a path: a text, a text with values in it by the length of its text,
/// a value.
type Rank = (u8, usize);

/// Matches `path` with a path of the document, segment by segment; a slash at the end does not count.
fn matched(template: &str, path: &str) -> Option<(Vec<Rank>, Values)> {
    let template = template.split(['?', '#']).next().unwrap_or(template);
    let mut wanted = template.trim_end_matches('/').split('/');
    let mut given = path.trim_end_matches('/').split('/');
    let (mut ranks, mut values) = (Vec::new(), Vec::new());
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some((ranks, values)),
            (Some(wanted), Some(given)) => ranks.push(segment(wanted, given, &mut values)?),
            _ => return None,
        }
    }
}

fn segment(template: &str, segment: &str, values: &mut Values) -> Option<Rank> {
    if !template.contains('{') {
        return (decoded(template) == decoded(segment)).then_some((2, 0));
    }
    let (mut rest, mut template) = (segment, template);
    let mut literal = 0;
    while let Some((text, after)) = template.split_once('{') {
        rest = rest.strip_prefix(text)?;
        literal += text.len();
        let (name, after) = after.split_once('}')?;
        // The value ends where the next text begins: the last place, so that `{name}.{format}` takes `a.b.json` apart as
        // people do.
        let next = after.split('{').next().unwrap_or(after);
        let end = match next {
            "" if after.is_empty() => rest.len(),
            "" => rest.chars().next().map_or(0, char::len_utf8),
            next => rest.rfind(next)?,
        };
        if end == 0 {
            return None;
        }
        values.push((name.to_owned(), rest[..end].to_owned()));
        rest = &rest[end..];
        template = after;
    }
    literal += template.len();
    (rest == template).then_some(if literal > 0 { (1, literal) } else { (0, 0) })
}

/// `text` without percent-encoding; bytes that are no UTF-8 are replaced.
pub(super) fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let escape = escape.and_then(|digits| std::str::from_utf8(digits).ok());
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(template: &str, path: &str, expected: Option<&[(&str, &str)]>) {
        let found = matched(template, path).map(|(_, values)| values);
        let expected = expected.map(|values| {
            let values = values.iter();
            values
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect::<Vec<_>>()
        });
        assert_eq!(found, expected, "{template} {path}");
    }

    #[test]
    fn values_are_taken_from_their_places() {
        check("/users/{id}", "/users/7", Some(&[("id", "7")]));
        check("/users/{id}", "/users/7/", Some(&[("id", "7")]));
        check("/users/{id}/", "/users/7", Some(&[("id", "7")]));
        check("/users/{id}", "/users/a%2Fb", Some(&[("id", "a%2Fb")]));
        check("/users/{id}", "/users/", None);
        check("/users/{id}", "/users/7/posts", None);
        check("/users", "/Users", None);
        check("/caf%C3%A9", "/café", Some(&[]));
        check(
            "/files/{name}.{format}",
            "/files/a.b.json",
            Some(&[("name", "a.b"), ("format", "json")]),
        );
        check("/{a}-{b}", "/1-2", Some(&[("a", "1"), ("b", "2")]));
        check("/x:{verb}", "/x:run", Some(&[("verb", "run")]));
        check("/", "/", Some(&[]));
        // Paths that no document should have must terminate, and match no more than they should.
        check("/{open", "/x", None);
        check("/{a}{b}", "/é1", Some(&[("a", "é"), ("b", "1")]));
    }

    #[test]
    fn text_is_more_exact_than_a_value() {
        let rank = |template: &str| matched(template, "/users/me.json").map(|(rank, _)| rank);
        assert!(rank("/users/me.json") > rank("/users/me.{format}"));
        assert!(rank("/users/me.{format}") > rank("/users/{name}.{format}"));
        assert!(rank("/users/{name}.{format}") > rank("/users/{id}"));
        assert!(rank("/users/{id}") > rank("/{kind}/{id}"));
    }

    #[test]
    fn escapes_that_are_none_stay() {
        assert_eq!(decoded("a%2Fb%zz%4"), "a/b%zz%4");
        assert_eq!(decoded("%"), "%");
    }
}
