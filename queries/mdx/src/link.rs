//! Resolves links of a page: to a place on the site, to a heading of the page itself, or to
//! somewhere else.

use base::path::{SitePath, encode_path};

/// Target of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    /// Another place: with a scheme, or beginning with `//`.
    External,
    /// A heading of the page itself, without the `#`.
    Heading(String),
    /// A page or a file of the site.
    Site {
        /// Path, beginning with `/`, unescaped, without the extension of a page.
        path: String,
        /// The query, with its `?`; empty without one.
        query: String,
        /// The heading, without the `#`.
        fragment: Option<String>,
    },
}

/// Resolves `href`, written on the page at `page`. A relative link is relative to the page's folder.
pub fn resolve(page: &SitePath, href: &str) -> LinkTarget {
    if let Some(fragment) = href.strip_prefix('#') {
        return LinkTarget::Heading(unescape(fragment));
    }
    if href.starts_with("//") || has_scheme(href) {
        return LinkTarget::External;
    }
    let (rest, fragment) = match href.split_once('#') {
        Some((rest, fragment)) => (rest, Some(unescape(fragment))),
        None => (href, None),
    };
    let (path, query) = match rest.find('?') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let path = unescape(path);
    let target = if path.trim_matches('/').is_empty() && path.starts_with('/') {
        Some(String::new())
    } else {
        page.resolve(&path).map(|target| target.as_str().to_owned())
    };
    // What leads out of the root ends at the root, as in browsers.
    let target = target.unwrap_or_else(|| within_root(page.folder(), &path));
    // No page has one of these, and what other tools write as HTML is a page here.
    let target = ["mdx", "md", "html"]
        .iter()
        .find_map(|extension| {
            target
                .strip_suffix(extension)?
                .strip_suffix('.')
                .map(str::to_owned)
        })
        .unwrap_or(target);
    // An index page is at its folder.
    let target = match target.strip_suffix("index") {
        Some("") => String::new(),
        Some(folder) if folder.ends_with('/') => folder.trim_end_matches('/').to_owned(),
        _ => target,
    };
    LinkTarget::Site {
        path: format!("/{target}"),
        query: query.to_owned(),
        fragment,
    }
}

/// `path` below `folder` where `..` does not leave the root (RFC 3986, 5.2.4).
fn within_root(folder: &str, path: &str) -> String {
    let folder = if path.starts_with('/') { "" } else { folder };
    let mut segments: Vec<&str> = Vec::new();
    for segment in folder.split('/').chain(path.split('/')) {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            segment => segments.push(segment),
        }
    }
    segments.join("/")
}

/// The address of `href` as it is written into HTML: internal ones absolute, below `base_path`.
pub fn href(page: &SitePath, base_path: &str, href: &str) -> String {
    match resolve(page, href) {
        LinkTarget::Site {
            path,
            query,
            fragment,
        } => {
            let mut url = format!("{base_path}{}{query}", encode_path(&path));
            if let Some(fragment) = fragment {
                url.push('#');
                url.push_str(&fragment);
            }
            url
        }
        // Scripts in addresses have no place in documentation.
        LinkTarget::External if is_script(href) => "#".to_owned(),
        LinkTarget::External | LinkTarget::Heading(_) => href.to_owned(),
    }
}

/// Returns true if `href` would run a script. Browsers ignore control characters and space in front
/// of and within the scheme.
pub fn is_script(href: &str) -> bool {
    let scheme: String = href
        .chars()
        .take_while(|c| *c != ':')
        .filter(|c| !c.is_control() && !c.is_whitespace())
        .map(|c| c.to_ascii_lowercase())
        .take(16)
        .collect();
    matches!(scheme.as_str(), "javascript" | "vbscript")
        || (scheme == "data" && !href.trim().starts_with("data:image/"))
}

/// Returns true if `href` begins with a scheme (RFC 3986, 3.1).
fn has_scheme(href: &str) -> bool {
    let href = href.trim_start_matches(|c: char| c.is_control() || c.is_whitespace());
    href.find(':').is_some_and(|colon| {
        href[..colon].starts_with(|c: char| c.is_ascii_alphabetic())
            && href[..colon].chars().all(|c| {
                c.is_ascii_alphanumeric()
                    || c.is_control()
                    || c.is_whitespace()
                    || "+.-".contains(c)
            })
    })
}

/// Resolves `%XX` where it gives UTF-8.
fn unescape(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut unescaped = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()) {
            Some(byte) => {
                unescaped.push(byte);
                at += 3;
            }
            None => {
                unescaped.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(unescaped).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_href(link: &str, expected: &str) {
        assert_eq!(
            href(&SitePath::new("guides/a.mdx").unwrap(), "/docs", link),
            expected
        );
    }

    #[test]
    fn internal_links_become_absolute() {
        check_href("b", "/docs/guides/b");
        check_href("./b.mdx#x", "/docs/guides/b#x");
        check_href("../c?d=1#x", "/docs/c?d=1#x");
        check_href("/e f", "/docs/e%20f");
        check_href("../../../e", "/docs/e");
        check_href("../..", "/docs/");
        check_href("../index", "/docs/");
        check_href("/c/index.mdx#x", "/docs/c#x");
        check_href("/reindex", "/docs/reindex");
        check_href("/", "/docs/");
        check_href("/img/a.png", "/docs/img/a.png");
    }

    #[test]
    fn external_links_stay() {
        check_href("https://a.b/c.mdx", "https://a.b/c.mdx");
        check_href("mailto:a@b.c", "mailto:a@b.c");
        check_href("#here", "#here");
    }

    #[test]
    fn scripts_never_get_through() {
        for written in [
            "javascript:alert(1)",
            " java\nscript:alert(1)",
            "JAVASCRIPT:x",
            "data:text/html,x",
        ] {
            check_href(written, "#");
        }
    }
}
