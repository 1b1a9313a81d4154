//! The forms of a page entry: a page, an endpoint, a webhook, a link.

/// The methods of HTTP that an entry can begin with (RFC 9110, and `TRACE` and `QUERY`).
const METHODS: &[&str] = &[
    "GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "CONNECT", "QUERY",
];

/// Meaning of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    /// A page, by its path without `/` or `./` before it or `/` behind it.
    Page(&'a str),
    /// An endpoint.
    Operation {
        /// The specification, if it is named.
        spec: Option<&'a str>,
        /// The method in upper case.
        method: String,
        /// The path as written.
        path: &'a str,
    },
    /// A webhook.
    Webhook {
        /// The specification, if it is named.
        spec: Option<&'a str>,
        /// Name.
        name: &'a str,
    },
    /// An address elsewhere.
    Link(&'a str),
}

/// Classifies `text`. Methods and the word `webhook` are recognized in any case.
pub fn classify(text: &str) -> Entry<'_> {
    // Nearly all of them, and there are thousands: nothing of what follows is in such a text.
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if let [first, .., last] = text.as_bytes()
        && is_name(*first)
        && is_name(*last)
        && text.bytes().all(|byte| is_name(byte) || byte == b'/')
    {
        return Entry::Page(text);
    }
    let text = text.trim();
    if let Some(entry) = endpoint(text, None) {
        return entry;
    }
    // The path of a specification may hold spaces, so every space is tried.
    for (space, _) in text.match_indices(' ') {
        let spec = Some(text[..space].trim_end());
        if let Some(entry) = endpoint(text[space..].trim_start(), spec) {
            return entry;
        }
    }
    if text.contains("://") || text.starts_with("mailto:") {
        return Entry::Link(text);
    }
    let mut path = text;
    while let Some(rest) = path.strip_prefix("./").or_else(|| path.strip_prefix('/')) {
        path = rest;
    }
    match path.trim_end_matches('/') {
        // `/` is the home page.
        "" if text.starts_with('/') => Entry::Page("index"),
        path => Entry::Page(path),
    }
}

fn endpoint<'a>(text: &'a str, spec: Option<&'a str>) -> Option<Entry<'a>> {
    let (word, rest) = text.split_once(char::is_whitespace)?;
    let rest = rest.trim();
    if word.eq_ignore_ascii_case("webhook") && !rest.is_empty() {
        return Some(Entry::Webhook { spec, name: rest });
    }
    let method = METHODS
        .iter()
        .find(|method| word.eq_ignore_ascii_case(method))?;
    rest.starts_with('/').then(|| Entry::Operation {
        spec,
        method: (*method).to_owned(),
        path: rest,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown = match classify(text) {
            Entry::Page(path) => format!("page {path}"),
            Entry::Operation { spec, method, path } => format!("{spec:?} {method} {path}"),
            Entry::Webhook { spec, name } => format!("{spec:?} webhook {name}"),
            Entry::Link(href) => format!("link {href}"),
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn slashes_around_a_page_do_not_matter() {
        check("/intro", "page intro");
        check("./over", "page over");
        check("over/", "page over");
        check("/", "page index");
    }

    #[test]
    fn endpoints_are_read_in_any_case_and_with_any_specification() {
        check("get /Users/{id}", "None GET /Users/{id}");
        check("a b.yaml POST /x", "Some(\"a b.yaml\") POST /x");
        check(
            "https://x.io/api.json DELETE /x",
            "Some(\"https://x.io/api.json\") DELETE /x",
        );
        check("WEBHOOK order.created", "None webhook order.created");
        check("a.json webhook x", "Some(\"a.json\") webhook x");
    }

    #[test]
    fn words_that_only_look_like_endpoints_are_pages() {
        check("get started", "page get started");
        check("webhook", "page webhook");
        check("https://x.io", "link https://x.io");
    }
}
