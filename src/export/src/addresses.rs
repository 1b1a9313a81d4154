//! Addresses as a server of files answers them at once: pages under the names of their files, redirects followed.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;

use memchr::memmem;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use queries::base::path::{Route, encode_path};
use queries::site::{self, Output, RouteTable};

use super::names::Names;

/// Maximum number of redirects followed in a row.
const FOLLOWED: usize = 8;

/// The file of a page in its folder.
const INDEX: &str = "index.html";

/// Prefixes and suffixes of addresses that belong to the route of a page.
const AROUND: [(&str, &str); 7] = [
    ("", ".md"),
    ("", "/rss.xml"),
    ("/og", ".png"),
    (site::ISLANDS, ".js"),
    (site::WHOLE, "/"),
    (site::WHOLE, ""),
    (site::WHOLE, "/index.html"),
];

/// Characters that are escaped in a part of a query (RFC 3986, 2.3).
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// The addresses of an export.
pub struct Addresses<'a> {
    routes: &'a RouteTable,
    names: Names,
    /// The path below which the site will be served.
    base_path: &'a str,
    /// Origins of the site, where known: its address, and the canonical one of its author.
    bases: Vec<&'a str>,
    /// Whether pages are at `/a/` rather than `/a`.
    has_slash: bool,
    /// Cache of resolved paths: links repeat from page to page.
    resolutions: Mutex<HashMap<String, Resolution>>,
    /// Addresses that lead on.
    redirected: Mutex<BTreeSet<String>>,
}

/// Final destination of a path.
#[derive(Clone, Default)]
struct Resolution {
    /// The address of the page there; none if it is something else, or elsewhere.
    to: Option<String>,
    /// The path as it is looked up, if it leads on.
    moved: Option<String>,
}

/// A page whose addresses have the names that they have in the export.
pub struct Within {
    /// The page.
    pub html: String,
    /// The addresses in it that lead on.
    pub moved: BTreeSet<String>,
}

impl<'a> Addresses<'a> {
    /// The addresses of the site of `routes`.
    pub fn new(
        routes: &'a RouteTable,
        base_path: &'a str,
        bases: impl IntoIterator<Item = &'a str>,
        has_slash: bool,
    ) -> Self {
        let bases = bases.into_iter().map(|base| base.trim_end_matches('/'));
        Self {
            routes,
            names: Names::new(routes),
            base_path,
            bases: bases.filter(|base| !base.is_empty()).collect(),
            has_slash,
            resolutions: Mutex::default(),
            redirected: Mutex::default(),
        }
    }

    /// Routes of the site.
    pub fn routes(&self) -> &'a RouteTable {
        self.routes
    }

    /// Returns true if pages are at `/a/` rather than `/a`.
    pub fn has_slash(&self) -> bool {
        self.has_slash
    }

    /// Names that pages have instead of their own.
    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// Inputs of a page's address besides its route.
    pub fn key(&self) -> Vec<u8> {
        let mut key = vec![u8::from(self.has_slash)];
        for name in self.names.numbered() {
            key.extend_from_slice(name.as_bytes());
            key.push(b'\n');
        }
        key
    }

    /// The page at `route` as it is called here.
    pub fn name<'r>(&'r self, route: &'r Route) -> &'r Route {
        self.names.of(route.as_str()).unwrap_or(route)
    }

    /// The path of what goes with a page, such as its text, as it is called here.
    pub fn output<'p>(&self, path: &'p str) -> Cow<'p, str> {
        if self.names.is_empty() {
            return Cow::Borrowed(path);
        }
        let named = AROUND.iter().find_map(|(before, behind)| {
            let route = path.strip_prefix(before)?.strip_suffix(behind)?;
            Some(format!("{before}{}{behind}", self.names.of(route)?))
        });
        named.map_or(Cow::Borrowed(path), Cow::Owned)
    }

    /// The file of the page at `route`.
    pub fn file(&self, route: &Route) -> String {
        let route = self.name(route);
        match (self.has_slash, route.as_str().trim_start_matches('/')) {
            (_, "") => "index.html".to_owned(),
            (true, path) => format!("{path}/index.html"),
            (false, path) => format!("{path}.html"),
        }
    }

    /// The path of the page at `route`, as it stands in an `href`, below the base path. Where a name in it has a dot, it is that
    /// of the file: some servers take such a folder for a file, or list what is in it.
    pub fn page(&self, route: &Route) -> String {
        let href = self.name(route).href();
        let has_dot = href.contains('.');
        match self.has_slash && !href.ends_with('/') {
            true if has_dot => format!("{href}/{INDEX}"),
            true => format!("{href}/"),
            false => href,
        }
    }

    /// `address` with the name that its page has here; as it is where it leads to no page.
    pub fn of(&self, address: &str) -> String {
        let mut moved = BTreeSet::new();
        let written = self.page_address(address, &mut moved);
        self.note(moved);
        written.unwrap_or_else(|| address.to_owned())
    }

    /// Like [`Addresses::of`], as it is told to others: without the name of a file.
    pub fn public(&self, address: &str) -> String {
        without_index(self.of(address))
    }

    /// `text` in Markdown, in which what goes with pages has the names that it has here; pages are called as they are on the
    /// site.
    pub fn text_within<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.names.is_empty() {
            return Cow::Borrowed(text);
        }
        let text = self.each(&[("](", ")"), ("<", ">")], text, &mut |address| {
            self.renamed_address(address)
        });
        Cow::Owned(text)
    }

    /// `address` of the site, if what is there has another name here.
    fn renamed_address(&self, address: &str) -> Option<String> {
        let (origin, local) = self.local(address)?;
        let end = local.find(['?', '#']).unwrap_or(local.len());
        let (path, tail) = local.split_at(end);
        let decoded = percent_decode_str(path).decode_utf8_lossy();
        let named = match self.names.of(decoded.trim_end_matches('/')) {
            Some(name) => without_index(self.page(name)),
            None => match self.output(&decoded) {
                Cow::Owned(named) => encode_path(&named),
                Cow::Borrowed(_) => return None,
            },
        };
        Some(format!("{origin}{}{named}{tail}", self.base_path))
    }

    /// `address`, of somebody else, with the address of a text of the site in it that has another name here.
    fn rewrite_embedded(&self, address: &str) -> Option<String> {
        if self.names.is_empty() {
            return None;
        }
        let start = address
            .find("https%3A%2F%2F")
            .or_else(|| address.find("http%3A%2F%2F"))?;
        let (before, asked) = address.split_at(start);
        let (asked, behind) = asked.split_at(asked.find("%20").unwrap_or(asked.len()));
        let decoded = percent_decode_str(asked).decode_utf8_lossy();
        let named = self.renamed_address(&decoded)?;
        Some(format!(
            "{before}{}{behind}",
            utf8_percent_encode(&named, COMPONENT)
        ))
    }

    /// `html`, whose addresses of pages have the names that they have here. `quote` is how a quote is written in it.
    pub fn rewrite_html(&self, html: &str, quote: &str) -> String {
        let mut moved = BTreeSet::new();
        let html = self.after(&format!(" href={quote}"), html, quote, &mut moved);
        self.note(moved);
        html
    }

    /// Rewrites the URLs of pages in a complete HTML page to their file names in this export: those
    /// of links, and those in its `<head>` (such as `og:url`).
    pub fn page_within(&self, html: &str) -> Within {
        let mut moved = BTreeSet::new();
        let html = self.head_within(self.after(" href=\"", html, "\"", &mut moved), &mut moved);
        let html = match self.names.is_empty() {
            true => html,
            false => self.after(" data-page-copy=\"", &html, "\"", &mut moved),
        };
        self.note(moved.iter().cloned());
        Within { html, moved }
    }

    fn head_within(&self, html: String, redirected: &mut BTreeSet<String>) -> String {
        let Some(end) = html.find("</head>") else {
            return html;
        };
        let mut head = html[..end].to_owned();
        for start in [
            " property=\"og:url\" content=\"",
            " property=\"og:image\" content=\"",
            " name=\"twitter:image\" content=\"",
            "\"image\":\"",
            "\"url\":\"",
            "\"item\":\"",
            "\"@type\":\"TechArticle\",\"@id\":\"",
            "\"@type\":\"APIReference\",\"@id\":\"",
        ] {
            head = self.after(start, &head, "\"", redirected);
        }
        head + &html[end..]
    }

    /// `html`, whose addresses of pages behind `start` and up to `quote` have the names that they have here; those that lead on are
    /// added to `redirected`.
    fn after(
        &self,
        start: &str,
        html: &str,
        quote: &str,
        redirected: &mut BTreeSet<String>,
    ) -> String {
        self.each(&[(start, quote)], html, &mut |address| {
            self.page_address(address, redirected)
        })
    }

    /// `text`, with what `rewrite` makes of each address in it that stands between one of these pairs of signs.
    fn each(
        &self,
        signs: &[(&str, &str)],
        text: &str,
        rewrite: &mut dyn FnMut(&str) -> Option<String>,
    ) -> String {
        let mut text = Cow::Borrowed(text);
        for (start, end) in signs {
            let mut output = String::with_capacity(text.len() + text.len() / 64);
            let mut rest = &*text;
            let finder = memmem::Finder::new(start);
            while let Some(at) = finder.find(rest.as_bytes()) {
                let (before, value) = rest.split_at(at + start.len());
                output.push_str(before);
                let end = value.find(end).unwrap_or(value.len());
                match rewrite(&value[..end]) {
                    Some(address) => output.push_str(&address),
                    None => output.push_str(&value[..end]),
                }
                rest = &value[end..];
            }
            output.push_str(rest);
            text = Cow::Owned(output);
        }
        text.into_owned()
    }

    /// Prefix before the base path in `address`, and the path after it; `None` for another site.
    fn local<'t>(&'t self, address: &'t str) -> Option<(&'t str, &'t str)> {
        let own = self.bases.iter().find_map(|base| {
            let local = address.strip_prefix(base)?;
            Some((*base, local.strip_prefix(self.base_path).unwrap_or(local)))
        });
        let (origin, local) = match own {
            Some(own) => own,
            None => ("", address.strip_prefix(self.base_path)?),
        };
        (local.starts_with('/') && !local.starts_with("//")).then_some((origin, local))
    }

    /// The address of the page that `address` leads to; none if it leads to something else, or elsewhere. One that leads on is
    /// added to `redirected`.
    fn page_address(&self, address: &str, redirected: &mut BTreeSet<String>) -> Option<String> {
        let Some((origin, local)) = self.local(address) else {
            return self.rewrite_embedded(address);
        };
        let end = local.find(['?', '#']).unwrap_or(local.len());
        let (path, tail) = local.split_at(end);
        let mut known = self
            .resolutions
            .lock()
            .unwrap_or_else(|broken| broken.into_inner());
        let resolution = match known.get(path) {
            Some(resolution) => resolution.clone(),
            None => {
                let resolution = self.resolve(path);
                known.insert(path.to_owned(), resolution.clone());
                resolution
            }
        };
        redirected.extend(resolution.moved);
        let to = resolution.to?;
        // A redirect to a heading leads there, unless the link names another.
        let to = match tail.contains('#') {
            true => to.split('#').next().unwrap_or_default(),
            false => &to,
        };
        let base = self.base_path;
        // A whole address is told to others.
        let is_whole = !origin.is_empty();
        let to = match is_whole {
            true => Cow::Owned(without_index(to.to_owned())),
            false => Cow::Borrowed(to),
        };
        Some(match to.split_once('#') {
            Some((to, heading)) => format!("{origin}{base}{to}{tail}#{heading}"),
            None => format!("{origin}{base}{to}{tail}"),
        })
    }

    /// Final destination of a link to `path`, below the base path: redirects are followed.
    fn resolve(&self, path: &str) -> Resolution {
        let mut moved = None;
        let to = self.led_to(path, &mut moved);
        Resolution { to, moved }
    }

    fn led_to(&self, path: &str, redirected: &mut Option<String>) -> Option<String> {
        let mut heading = String::new();
        let mut at = path.to_owned();
        for _ in 0..FOLLOWED {
            let decoded = percent_decode_str(&at).decode_utf8_lossy();
            match site::resolve(self.routes, &decoded) {
                Some(Output::Page(_, route)) => {
                    return Some(format!("{}{heading}", self.page(&route)));
                }
                Some(Output::Moved { to, .. }) => {
                    if at == path {
                        *redirected = Some(decoded.into_owned());
                    }
                    let end = to.find(['?', '#']).unwrap_or(to.len());
                    let (next, tail) = to.split_at(end);
                    // What stands in a query is for whoever answers it, and nobody does here.
                    if let Some(at) = tail.find('#') {
                        heading = tail[at..].to_owned();
                    }
                    if !next.starts_with('/') || next.starts_with("//") {
                        break;
                    }
                    at = next.to_owned();
                }
                Some(
                    Output::File(_)
                    | Output::Archive
                    | Output::Text(_)
                    | Output::Card(_)
                    | Output::Islands(_)
                    | Output::Theme(_),
                )
                | None
                    if at == path =>
                {
                    return match self.output(&decoded) {
                        Cow::Owned(named) => Some(encode_path(&named)),
                        Cow::Borrowed(_) => None,
                    };
                }
                _ => break,
            }
        }
        let decoded = percent_decode_str(path).decode_utf8_lossy();
        Some(self.page(&Route::new(&decoded)?))
    }

    /// Notes addresses that lead on, of a page that is as it was.
    pub fn note(&self, redirected: impl IntoIterator<Item = String>) {
        let all = self.redirected.lock();
        all.unwrap_or_else(|broken| broken.into_inner())
            .extend(redirected);
    }

    /// The addresses that lead elsewhere and that were written or asked for.
    pub fn moved(&self) -> BTreeSet<String> {
        let moved = self
            .redirected
            .lock()
            .unwrap_or_else(|broken| broken.into_inner());
        moved.clone()
    }
}

/// `address` of a page without the name of its file.
fn without_index(address: String) -> String {
    let end = address.find(['?', '#']).unwrap_or(address.len());
    match address[..end].strip_suffix("/index.html") {
        Some(folder) => format!("{folder}/{}", &address[end..]),
        None => address,
    }
}
