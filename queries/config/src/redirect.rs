//! Addresses that moved.

use crate::decode::{Decode, Log, Node};
use base::diagnostic::Code;
use base::path::encode_path;
use base::place::{Part, Place};

/// An address that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The old address; may hold `:name` and `*`.
    pub source: String,
    /// The new one.
    pub destination: String,
    /// Whether readers may remember it (308 rather than 307).
    pub permanent: bool,
    /// Where the author wrote the new address; `None` of a redirect that follows from something else.
    pub place: Option<Place>,
}

/// The redirects of a site, each source once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redirects(pub Vec<Redirect>);

impl Decode for Redirects {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        let mut redirects: Vec<Redirect> = Vec::new();
        let mut sources = std::collections::BTreeSet::new();
        for item in node.items(log)? {
            let Some(mut fields) = item.fields(log) else {
                continue;
            };
            let source = fields.required::<String>("source");
            let destination = fields.required::<String>("destination");
            let permanent = fields.optional("permanent").unwrap_or(true);
            fields.finish();
            let (Some(source), Some(destination)) = (source, destination) else {
                continue;
            };
            if !sources.insert(source.clone()) {
                log.report(
                    Code::DuplicateRedirect,
                    &format!("{}/source", item.pointer),
                    Part::Value,
                    format!("`{source}` is redirected above; this one is never used"),
                    Some("remove one of the two".to_owned()),
                );
                continue;
            }
            redirects.push(Redirect {
                source,
                destination,
                permanent,
                place: Some(log.place(&format!("{}/destination", item.pointer))),
            });
        }
        Some(Self(redirects))
    }
}

/// Where the redirects of the configuration send `path`, and whether for ever. `:name` stands for one segment, `:name*`
/// and `*` for the rest; what they stand for can be used in the destination.
pub fn redirected(redirects: &[Redirect], path: &str) -> Option<(String, bool)> {
    redirects.iter().find_map(|redirect| {
        let captured = captures(redirect.source.trim_matches('/'), path.trim_matches('/'))?;
        let mut destination = redirect.destination.clone();
        for (name, value) in captured {
            destination = destination.replace(&name, &escaped(&value));
        }
        // What was captured may begin with a slash, and two of them would lead to another host.
        if redirect.destination.starts_with('/') && !redirect.destination.starts_with("//") {
            destination = format!("/{}", destination.trim_start_matches('/'));
        }
        // A redirect to itself would never end.
        (destination.trim_matches('/') != path.trim_matches('/'))
            .then_some((destination, redirect.permanent))
    })
}

/// What a placeholder stands for, as it may stand in the path of an address.
fn escaped(value: &str) -> String {
    value
        .split('/')
        .map(|segment| encode_path(&segment.replace('%', "%25")))
        .collect::<Vec<_>>()
        .join("/")
}

/// The parts of `path` that the placeholders of `pattern` stand for, longest names first.
fn captures(pattern: &str, path: &str) -> Option<Vec<(String, String)>> {
    let mut captured = Vec::new();
    let mut rest = path.split('/');
    let mut segments = pattern.split('/').peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        if is_last && segment.starts_with(':') && segment.ends_with('*') {
            let tail: Vec<&str> = rest.collect();
            captured.push((segment.to_owned(), tail.join("/")));
            rest = "".split('/');
            rest.next();
            break;
        }
        if is_last && let Some(prefix) = segment.strip_suffix('*') {
            let tail: Vec<&str> = rest.collect();
            let tail = tail.join("/");
            captured.push(("*".to_owned(), tail.strip_prefix(prefix)?.to_owned()));
            rest = "".split('/');
            rest.next();
            break;
        }
        let given = rest.next()?;
        if segment.starts_with(':') && segment.len() > 1 {
            captured.push((segment.to_owned(), given.to_owned()));
        } else if segment != given {
            return None;
        }
    }
    captured.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    rest.next().is_none().then_some(captured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_redirect(source: &str, destination: &str, path: &str, expected: Option<&str>) {
        let redirect = Redirect {
            source: source.to_owned(),
            destination: destination.to_owned(),
            permanent: true,
            place: None,
        };
        assert_eq!(
            redirected(&[redirect], path).map(|(to, _)| to).as_deref(),
            expected,
            "{source} {path}"
        );
    }

    #[test]
    fn redirects_with_placeholders() {
        check_redirect("/a", "/b", "/a", Some("/b"));
        check_redirect("/a", "/b", "/a/", Some("/b"));
        check_redirect("/a", "/b", "/a/c", None);
        check_redirect("/a/:x", "/b/:x", "/a/c", Some("/b/c"));
        check_redirect("/a/:slug*", "/b/:slug*", "/a/c/d", Some("/b/c/d"));
        check_redirect("/a/*", "/b/*", "/a/c/d", Some("/b/c/d"));
        check_redirect("/a-*", "/b-*", "/a-c", Some("/b-c"));
        check_redirect("/a/:slug*", "/a/:slug*", "/a/c", None);
    }

    #[test]
    fn a_redirect_within_the_site_stays_within_the_site() {
        check_redirect("/a/*", "/*", "/a//evil.example", Some("/evil.example"));
        check_redirect("/a/:x*", "/:x*", "/a//evil.example", Some("/evil.example"));
    }

    #[test]
    fn what_a_placeholder_stands_for_is_escaped() {
        check_redirect(
            "/a/:x",
            "/b/:x",
            "/a/ü %41?#",
            Some("/b/%C3%BC%20%2541%3F%23"),
        );
    }
}
