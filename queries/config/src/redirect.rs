//! Addresses that moved.

use std::borrow::Cow;

use crate::decode::{Decode, Href, Log, Node};
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
    /// Place of the destination; `None` for a redirect that is derived.
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
            let destination = fields.required::<Href>("destination");
            let permanent = fields.optional("permanent").unwrap_or(true);
            fields.finish();
            let (Some(source), Some(destination)) = (source, destination) else {
                continue;
            };
            if let Some((message, hint)) = source_fault(&source) {
                let at = format!("{}/source", item.pointer);
                log.report(
                    Code::BrokenRedirect,
                    &at,
                    Part::Value,
                    message,
                    Some(hint.into()),
                );
                continue;
            }
            let at = format!("{}/destination", item.pointer);
            if let Some((message, hint)) = host_fault(&source, &destination) {
                log.report(
                    Code::InvalidField,
                    &at,
                    Part::Value,
                    message,
                    Some(hint.into()),
                );
                continue;
            }
            if !sources.insert(source.clone()) {
                log.report(
                    Code::DuplicateRedirect,
                    &format!("{}/source", item.pointer),
                    Part::Value,
                    format!("`{source}` is redirected above; this one is never used"),
                    Some("remove one of the two".into()),
                );
                continue;
            }
            redirects.push(Redirect {
                source,
                destination: destination.0,
                permanent,
                place: Some(log.place(&at)),
            });
        }
        Some(Self(redirects))
    }
}

/// Why `destination` may lead to a site that its author did not name, and what to do; `None` if it does not.
fn host_fault(source: &str, destination: &str) -> Option<(String, String)> {
    // Browsers leave out white space around an address, and tabs and line breaks within (WHATWG URL, 4.4).
    let is_sign = |c: &char| !matches!(c, '\t' | '\n' | '\r');
    let text: String = destination.chars().filter(is_sign).collect();
    let text = text.trim_start_matches(|c: char| c <= ' ');
    let is_slash = |c: char| matches!(c, '/' | '\\');
    let (path, slashes) = (
        text.trim_start_matches(is_slash),
        text.chars().take_while(|c| is_slash(*c)),
    );
    if slashes.count() > 1 {
        let message = format!(
            "`destination` leads to another site, not to a path of this one: browsers take `{destination}` for an address whose \
             host comes first"
        );
        let hint =
            format!("write `/{path}` for a path of the site, or the whole `https://` address");
        return Some((message, hint));
    }
    let ends = |c: char| is_slash(c) || matches!(c, '?' | '#');
    // The scheme, or the first part of a path; and what is behind the scheme, however many slashes stand between.
    let start = text.split(ends).next().unwrap_or_default();
    let is_scheme =
        |scheme: &str| !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric());
    let rest = text.split_once(':').filter(|(scheme, _)| is_scheme(scheme));
    let host = rest.and_then(|(_, rest)| rest.trim_start_matches(is_slash).split(ends).next());
    let is_named = |name: &str| {
        !name.is_empty() && (start.contains(name) || host.is_some_and(|host| host.contains(name)))
    };
    let mut names = source.trim_matches('/').split('/').map(placeholder);
    names.any(is_named).then(|| {
        let message = format!(
            "`destination` leads to whatever site is asked for: a placeholder stands in the host of `{destination}`"
        );
        let hint = "name the host, and use placeholders in the path behind it".to_owned();
        (message, hint)
    })
}

/// Why no address is `source`, and what to do; `None` if some may be. Requests are led on by their paths, and placeholders stand
/// for whole segments.
fn source_fault(source: &str) -> Option<(String, String)> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let segments = source.trim_matches('/').split('/');
    let names = segments.filter_map(|segment| segment.strip_prefix(':'));
    let mut names = names.map(|name| name.strip_suffix('*').unwrap_or(name));
    if let Some(name) = names.find(|name| !name.chars().all(is_name)) {
        let end = name.find(|c| !is_name(c)).unwrap_or(name.len());
        let message = format!(
            "`{source}` never matches: `{}` after `:{}` is not part of a placeholder",
            &name[end..],
            &name[..end]
        );
        let hint = "write `:name` for one segment and `:name*` at the end for all that follow; for some values of a segment, \
                    write a redirect for each";
        return Some((message, hint.to_owned()));
    }
    let at = source.find(['?', '#'])?;
    let what = match source.as_bytes().get(at) {
        Some(b'?') => "the query",
        _ => "the fragment",
    };
    let message =
        format!("`{source}` never matches: redirects match the path of a request, without {what}");
    Some((message, format!("write `{}`", &source[..at])))
}

/// Returns true if `redirect` has placeholders in its source.
pub fn is_pattern(redirect: &Redirect) -> bool {
    let segments = redirect.source.trim_matches('/').split('/');
    segments.map(placeholder).any(|name| !name.is_empty())
}

/// The placeholder in a segment of a source; empty if it has none.
fn placeholder(segment: &str) -> &str {
    match segment.starts_with(':') && segment.len() > 1 {
        true => segment,
        false if segment.ends_with('*') => "*",
        false => "",
    }
}

/// Where the redirects of the configuration send `path`, and whether for ever. `:name` stands for one segment, `:name*`
/// and `*` for the rest; what they stand for can be used in the destination.
pub fn redirected(redirects: &[Redirect], path: &str) -> Option<(String, bool)> {
    redirects.iter().find_map(|redirect| {
        let captured = captures(redirect.source.trim_matches('/'), path.trim_matches('/'))?;
        let mut destination = redirect.destination.clone();
        for (name, value) in captured {
            destination = destination.replace(&name, &encode_path(&value));
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

/// The address that `redirect` sends to `path`, when its destination says what all placeholders of its source stand for.
///
/// Another redirect may come first there; callers check where it leads.
pub fn source_of(redirect: &Redirect, path: &str) -> Option<String> {
    let is_local = redirect.destination.starts_with('/') && !redirect.destination.starts_with("//");
    let destination = redirect.destination.split(['?', '#']).next()?;
    let captured = captures(destination.trim_matches('/'), path.trim_matches('/'))?;
    let segments = redirect.source.trim_matches('/').split('/');
    let mut parts = Vec::new();
    for segment in segments {
        let is_named = segment.starts_with(':') && segment.len() > 1;
        let (prefix, name) = match (is_named, segment.strip_suffix('*')) {
            (true, _) => (Cow::Borrowed(""), segment),
            (false, Some(prefix)) => (decoded(prefix), "*"),
            (false, None) => (decoded(segment), ""),
        };
        let value = match name {
            "" => "",
            name => &captured.iter().find(|(known, _)| known == name)?.1,
        };
        parts.push(format!("{prefix}{value}"));
    }
    (is_local && !captured.is_empty()).then(|| format!("/{}", parts.join("/")))
}

/// `text` as it is asked for: paths are compared without escapes.
pub fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let digit = |byte: u8| {
            char::from(byte)
                .to_digit(16)
                .and_then(|digit| u8::try_from(digit).ok())
        };
        let escape = match rest {
            [b'%', high, low, ..] => digit(*high).zip(digit(*low)),
            _ => None,
        };
        bytes.push(escape.map_or(*first, |(high, low)| high << 4 | low));
        rest = if escape.is_some() { &rest[3..] } else { behind };
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
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
            let tail = tail.strip_prefix(&*decoded(prefix))?;
            captured.push(("*".to_owned(), tail.to_owned()));
            rest = "".split('/');
            rest.next();
            break;
        }
        let given = rest.next()?;
        if segment.starts_with(':') && segment.len() > 1 {
            captured.push((segment.to_owned(), given.to_owned()));
        } else if segment != given && decoded(segment) != given {
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
    fn a_destination_names_the_site_that_it_leads_to() {
        let is_refused = |source: &str, to: &str| host_fault(source, to).is_some();
        for to in [
            "//:x",
            "//evil.example/:x",
            "/\\:x",
            "\\\\:x",
            "\\/:x",
            "///:x",
            " //:x",
            "/\t/:x",
            "https://:x",
            "https:/:x",
            "HTTPS:\\:x",
            "https:x",
            "https://docs.:x/a",
            "https://example.org:x",
            ":x",
            ":x/a",
        ] {
            assert!(is_refused("/:x", to), "{to:?}");
        }
        assert!(is_refused("/a*", "https://example.org*"));
        assert!(is_refused("/:x*", ":x*"));
        for to in [
            "/:x",
            "/a//:x",
            "/",
            "#:x",
            "?q=:x",
            "a/:x",
            "https://example.org/:x",
            "https://example.org:8080/:x",
            "https://example.org?q=:x",
            "mailto:docs@example.org",
        ] {
            assert!(!is_refused("/:x", to), "{to:?}");
        }
        // It stands for nothing there.
        assert!(!is_refused("/a", "https://example.org/*"));
    }

    #[test]
    fn a_redirect_within_the_site_stays_within_the_site() {
        check_redirect("/a/*", "/*", "/a//evil.example", Some("/evil.example"));
        check_redirect("/a/:x*", "/:x*", "/a//evil.example", Some("/evil.example"));
    }

    #[test]
    fn an_escaped_source_is_the_name_itself() {
        check_redirect("/caf%C3%A9", "/b", "/caf\u{e9}", Some("/b"));
        check_redirect("/caf%C3%A9/*", "/b/*", "/caf\u{e9}/c", Some("/b/c"));
        check_redirect("/100%", "/b", "/100%", Some("/b"));
    }

    #[test]
    fn a_source_is_a_path_with_placeholders_for_whole_segments() {
        for source in [
            "/a?b=1",
            "/a#b",
            "/:a?",
            "/:a+",
            "/:a(b|c)/d",
            "/x/:a(\\d+)",
        ] {
            assert!(source_fault(source).is_some(), "{source}");
        }
        for source in [
            "/a",
            "/:a/b",
            "/:a*",
            "/a-*",
            "/a:b",
            "/:my-page",
            "/caf%C3%A9",
            "/a b",
        ] {
            assert!(source_fault(source).is_none(), "{source}");
        }
    }

    #[test]
    fn an_address_is_found_by_where_it_leads() {
        let source = |source: &str, destination: &str, path: &str| {
            let redirect = Redirect {
                source: source.to_owned(),
                destination: destination.to_owned(),
                permanent: true,
                place: None,
            };
            let found = source_of(&redirect, path)?;
            // It is one that leads there.
            let (to, _) = redirected(&[redirect], &found).expect("it leads somewhere");
            assert_eq!(to, path, "{found}");
            Some(found)
        };
        assert_eq!(source("/a/:x", "/b/:x", "/b/c").as_deref(), Some("/a/c"));
        assert_eq!(
            source("/a/:s*", "/b/:s*", "/b/c/d").as_deref(),
            Some("/a/c/d")
        );
        assert_eq!(source("/a-*", "/b-*", "/b-c").as_deref(), Some("/a-c"));
        assert_eq!(
            source("/:v/a/:x", "/b/:x/:v", "/b/c/d").as_deref(),
            Some("/d/a/c")
        );
        assert_eq!(source("/a/:x", "/b/:x", "/c/c"), None);
        // What it stands for is lost on the way, or nothing stands for anything.
        assert_eq!(source("/a/:x/:y", "/b/:x", "/b/c"), None);
        assert_eq!(source("/a", "/b", "/b"), None);
        assert_eq!(source("/a/:x", "https://b.example/:x", "/b/c"), None);
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
