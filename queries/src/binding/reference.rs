//! References of pages to an operation, a channel or a schema.

/// Subject named by the `openapi:` of a page (SPEC 2.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound<'a> {
    /// An operation: the specification if it is named, method and path.
    Operation(Option<&'a str>, String, &'a str),
    /// A webhook: the specification if it is named, and its name.
    Webhook(Option<&'a str>, &'a str),
    /// Something else, as written.
    Unreadable,
}

/// Reads the `openapi:` of a page.
pub fn bound(text: &str) -> Bound<'_> {
    use crate::navigation::entry::{Entry, classify};
    match classify(text) {
        Entry::Operation { spec, method, path } => Bound::Operation(spec, method, path),
        Entry::Webhook { spec, name } => Bound::Webhook(spec, name),
        Entry::Page(_) | Entry::Link(_) => Bound::Unreadable,
    }
}

/// Reads the `openapi-schema:` of a page: the specification if it is named, and the name of the schema.
pub fn bound_schema(text: &str) -> (Option<&str>, &str) {
    let text = text.trim();
    match text.rsplit_once(char::is_whitespace) {
        Some((spec, name)) => (Some(spec.trim()), name),
        None => (None, text),
    }
}

/// The ways to read the `asyncapi:` of a page: the document if it is named, and the name of the channel. Both may hold
/// spaces.
pub fn channels(text: &str) -> impl Iterator<Item = (Option<&str>, &str)> {
    let text = text.trim();
    let spaces = text.match_indices(char::is_whitespace);
    let named = spaces.map(|(at, _)| (Some(text[..at].trim_end()), text[at..].trim_start()));
    named.chain([(None, text)])
}

/// Reads the `asyncapi:` of a page as it is most likely meant: of several words the last is the channel, unless one before
/// ends like the name of a document.
pub fn bound_channel(text: &str) -> (Option<&str>, &str) {
    let ends = |named: &str| {
        let mut endings = [".json", ".yaml", ".yml"].into_iter();
        endings.any(|ending| named.ends_with(ending))
    };
    let text = text.trim();
    if ends(text) {
        return (Some(text), "");
    }
    let named = channels(text).find(|(named, _)| named.is_some_and(ends));
    named.unwrap_or_else(|| bound_schema(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_binding_are_told_apart() {
        let operation = |spec, path| Bound::Operation(spec, "GET".to_owned(), path);
        assert_eq!(bound("GET /users"), operation(None, "/users"));
        assert_eq!(
            bound("/a b.json get /users"),
            operation(Some("/a b.json"), "/users")
        );
        assert_eq!(bound("webhook x"), Bound::Webhook(None, "x"));
        assert_eq!(bound("users"), Bound::Unreadable);
        assert_eq!(bound_schema("User"), (None, "User"));
        assert_eq!(bound_schema("a b.json User"), (Some("a b.json"), "User"));
        assert_eq!(bound_channel("chat"), (None, "chat"));
        assert_eq!(bound_channel("/a b.yaml chat"), (Some("/a b.yaml"), "chat"));
        assert_eq!(bound_channel("a.yml my chat"), (Some("a.yml"), "my chat"));
        assert_eq!(bound_channel("a.yml"), (Some("a.yml"), ""));
    }
}
