//! Paths in the docs repository and routes on the site: parsed once, valid ever after.
//!
//! A [`SitePath`] names a file below the content root; a [`Route`] names a page on the site. Neither knows about the
//! disk: whether the file exists is a question to the inputs.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The path of a file below the content root, with `/` between segments and no `.`, `..` or empty segment. Shared by its
/// clones: places, diagnostics and keys hold it in thousands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SitePath(Arc<str>);

impl SitePath {
    /// Returns the path written in `text`, tolerating a leading `/` or `./`; `None` if it would leave the root or is empty.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('/');
        let is_plain = |segment: &str| !matches!(segment, "" | "." | "..");
        if text.split('/').all(is_plain) {
            return Some(Self(text.into()));
        }
        normalize("", text).map(|path| Self(path.into()))
    }

    /// The name of the document at `url`, for what is not a file of the repository; the text of the URL itself.
    pub fn of_url(url: &str) -> Self {
        Self(url.into())
    }

    /// Returns true if it is the name of a document elsewhere, made by [`SitePath::of_url`]. No
    /// path has `//` in it.
    pub fn is_url(&self) -> bool {
        self.0.contains("://")
    }

    /// The path as text, without a leading slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder that holds the file; empty for the content root.
    pub fn folder(&self) -> &str {
        self.0.rfind('/').map_or("", |at| &self.0[..at])
    }

    /// The last segment.
    pub fn file_name(&self) -> &str {
        self.0.rfind('/').map_or(&self.0, |at| &self.0[at + 1..])
    }

    /// Returns the text after the last dot of the file name, in lower case; empty when there is no
    /// dot.
    pub fn extension(&self) -> String {
        let name = self.file_name();
        name.rfind('.')
            .map_or(String::new(), |at| name[at + 1..].to_ascii_lowercase())
    }

    /// The path without its extension.
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        match name.rfind('.') {
            Some(at) if at > 0 => &self.0[..self.0.len() - (name.len() - at)],
            _ => &self.0,
        }
    }

    /// The file that `link` names when written in this file: `/…` from the root, anything else from this file's folder.
    pub fn resolve(&self, link: &str) -> Option<Self> {
        match link.strip_prefix('/') {
            Some(rooted) => Self::new(rooted),
            None => normalize(self.folder(), link).map(|path| Self(path.into())),
        }
    }
}

/// Paths are compared, and hashed, as their texts are.
impl Borrow<str> for SitePath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// The entries of `all` whose paths are `path` or lie below it; `""` means all. Looks at no others.
pub fn at_or_below<'a, K: Borrow<str> + Ord, V>(
    all: &'a BTreeMap<K, V>,
    path: &str,
) -> impl Iterator<Item = (&'a K, &'a V)> {
    // Between them there may be others, such as `a-b` between `a` and `a/b`.
    let itself = all.get_key_value(path);
    let folder = match path {
        "" => String::new(),
        _ => format!("{path}/"),
    };
    let below = all.range::<str, _>((Bound::Included(&*folder), Bound::Unbounded));
    let below = below.take_while(move |(known, _)| (*known).borrow().starts_with(&*folder));
    itself.into_iter().chain(below)
}

impl fmt::Display for SitePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SitePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// The address of a page on the site: begins with `/`, has no trailing slash (the home page `/` apart), no query, no
/// fragment. It is held unescaped; [`Route::href`] escapes it. Copies share it: lists of all pages have many.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Route(Arc<str>);

impl Route {
    /// The home page.
    pub fn home() -> Self {
        Self("/".into())
    }

    /// Returns the route written in `text`; `None` if a segment is `..` beyond the root.
    pub fn new(text: &str) -> Option<Self> {
        if text.trim_matches('/').is_empty() {
            return Some(Self::home());
        }
        let path = normalize("", text.trim_matches('/'))?;
        Some(Self(format!("/{path}").into()))
    }

    /// The route of the page written in `path`: its stem, where a last segment `index` means its
    /// folder.
    pub fn of_page(path: &SitePath) -> Self {
        let stem = path.stem();
        let stem = match stem.strip_suffix("index") {
            Some("") => "",
            Some(folder) if folder.ends_with('/') => folder.trim_end_matches('/'),
            _ => stem,
        };
        Self(format!("/{stem}").into())
    }

    /// The route as text, unescaped.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the route for an `href`: percent-encoded where a URL needs it (RFC 3986, 3.3).
    pub fn href(&self) -> String {
        encode_path(&self.0)
    }

    /// The last segment; empty for the home page.
    pub fn last_segment(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or("")
    }

    /// The static file that holds this page in an export: `guides/a/index.html`.
    pub fn export_file(&self) -> String {
        match self.0.trim_start_matches('/') {
            "" => "index.html".to_owned(),
            path => format!("{path}/index.html"),
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// A title from the last segment of a route: `-` and `_` become spaces, the first letter upper case.
pub fn title_of_name(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut chars = words.trim().chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => "Home".to_owned(),
    }
}

/// Returns `name` without the number that only orders it: `setup` of `01-setup`. A number of more than
/// three digits, or one that no word follows, is part of the name: a year, a date, a code.
pub fn unnumbered(name: &str) -> &str {
    let rest = name.trim_start_matches(|c: char| c.is_ascii_digit());
    if !(1..=3).contains(&(name.len() - rest.len())) {
        return name;
    }
    let rest = rest.strip_prefix(['-', '_', '.', ' ']);
    let rest = rest.map(|rest| rest.trim_start_matches(['-', '_', '.', ' ']));
    rest.filter(|rest| rest.starts_with(char::is_alphabetic))
        .unwrap_or(name)
}

/// Returns true if a segment of `address` begins with a dot, as in files that no site publishes.
pub fn is_dotted(address: &str) -> bool {
    let is_hidden = |name: &str| name.starts_with('.') && name != "." && name != "..";
    address.split('/').any(is_hidden)
}

/// Percent-encodes characters that the path of a URL cannot have (RFC 3986, 3.3), except `/`.
/// `path` is a name as it is: a `%` in it is a `%`.
pub fn encode_path(path: &str) -> String {
    encode(path, |_| false)
}

/// Percent-encodes as [`encode_path`] does, but leaves each `%XX`: for the path of an address that somebody wrote.
pub fn encode_address(path: &str) -> String {
    encode(
        path,
        |rest| matches!(rest, [b'%', a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit()),
    )
}

fn encode(path: &str, is_escape: impl Fn(&[u8]) -> bool) -> String {
    let mut encoded = String::with_capacity(path.len());
    let bytes = path.as_bytes();
    for (i, &byte) in bytes.iter().enumerate() {
        let stays = byte.is_ascii_alphanumeric() || b"/-_.~!$&'()*+,;=:@".contains(&byte);
        if stays || is_escape(&bytes[i..]) {
            encoded.push(byte as char);
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// Joins `link` to `folder` and resolves `.` and `..`; `None` when it leaves the root or nothing is left.
fn normalize(folder: &str, link: &str) -> Option<String> {
    let mut segments: Vec<&str> = folder
        .split('/')
        .filter(|segment| !segment.is_empty())
        .collect();
    for segment in link.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            segment => segments.push(segment),
        }
    }
    (!segments.is_empty()).then(|| segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_route(path: &str, route: &str) {
        assert_eq!(
            Route::of_page(&SitePath::new(path).unwrap()).as_str(),
            route
        );
    }

    #[test]
    fn numbers_that_order_names_are_left_out() {
        for (name, expected) in [
            ("01-setup", "setup"),
            ("2_more", "more"),
            ("3. Third", "Third"),
            ("010 - über", "über"),
            ("2", "2"),
            ("3d", "3d"),
            ("a1-b", "a1-b"),
            ("404-", "404-"),
            ("2024-review", "2024-review"),
            ("12-24-hours", "12-24-hours"),
            ("", ""),
        ] {
            assert_eq!(unnumbered(name), expected, "{name}");
        }
    }

    #[test]
    fn index_pages_stand_for_their_folder() {
        check_route("index.mdx", "/");
        check_route("guides/index.mdx", "/guides");
        check_route("guides/reindex.md", "/guides/reindex");
        check_route("api/snapshot.js.mdx", "/api/snapshot.js");
    }

    /// A look at all files for each of many that were removed would be the work of their square.
    #[test]
    fn what_lies_below_a_path_is_found_without_a_look_at_the_rest() {
        use std::cell::Cell;
        thread_local!(static LOOKS: Cell<usize> = const { Cell::new(0) });
        #[derive(PartialEq, Eq, PartialOrd, Ord)]
        struct Counted(String);
        impl Borrow<str> for Counted {
            fn borrow(&self) -> &str {
                LOOKS.set(LOOKS.get() + 1);
                &self.0
            }
        }
        const MANY: usize = 20_000;
        let names = (0..MANY).map(|i| format!("a/{i}.mdx"));
        let others = ["a", "a-b.mdx", "a.mdx", "aa/b.mdx", "b/c/d.mdx"].map(str::to_owned);
        let names: Vec<String> = names.chain(others).collect();
        let all: BTreeMap<Counted, ()> = names
            .iter()
            .map(|name| (Counted(name.clone()), ()))
            .collect();
        let below = |path: &str| at_or_below(&all, path).count();
        for path in &names[..MANY] {
            assert_eq!(below(path), 1);
        }
        let looks = LOOKS.replace(0);
        assert!(looks < MANY * 300, "{looks} looks");
        // Itself and what lies in it.
        assert_eq!(below("a"), MANY + 1);
        assert!(LOOKS.get() < 2 * MANY, "{} looks", LOOKS.get());
        assert_eq!(below(""), MANY + 5);
        assert_eq!((below("b"), below("b/c"), below("b/c/d")), (1, 1, 0));
    }

    #[test]
    fn a_path_never_leaves_the_root() {
        assert_eq!(SitePath::new("../etc/passwd"), None);
        let page = SitePath::new("a/b.mdx").unwrap();
        assert_eq!(page.resolve("../c.mdx").unwrap().as_str(), "c.mdx");
        assert_eq!(page.resolve("../../c.mdx"), None);
        assert_eq!(page.resolve("/x/./y.mdx").unwrap().as_str(), "x/y.mdx");
    }

    #[test]
    fn hrefs_are_escaped_once() {
        assert_eq!(
            Route::new("/a b/ü%20").unwrap().href(),
            "/a%20b/%C3%BC%2520"
        );
        assert_eq!(encode_address("/a b/ü%20%"), "/a%20b/%C3%BC%20%25");
    }
}
