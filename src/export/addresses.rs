//! Addresses as a server of files answers them at once: pages under the names of their files, redirects followed.

use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;

use memchr::memmem;
use queries::base::path::Route;
use queries::site::{self, Output, RouteTable};

/// How many redirects one after the other are followed.
const FOLLOWED: usize = 8;

/// The addresses of an export.
pub struct Addresses<'a> {
    routes: &'a RouteTable,
    /// The path below which the site will be served.
    base_path: &'a str,
    /// What whole addresses of the site begin with, where it is known: its address, and what its author calls canonical.
    bases: Vec<&'a str>,
    /// Whether pages are at `/a/` rather than `/a`.
    has_slash: bool,
    /// Where paths lead that were asked for: links repeat from page to page.
    known: Mutex<HashMap<String, Led>>,
    /// Addresses that lead on.
    moved: Mutex<BTreeSet<String>>,
}

/// Where a path comes to in the end.
#[derive(Clone, Default)]
struct Led {
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
            base_path,
            bases: bases.filter(|base| !base.is_empty()).collect(),
            has_slash,
            known: Mutex::default(),
            moved: Mutex::default(),
        }
    }

    /// What is at which address of the site.
    pub fn routes(&self) -> &'a RouteTable {
        self.routes
    }

    /// Whether pages are at `/a/` rather than `/a`.
    pub fn has_slash(&self) -> bool {
        self.has_slash
    }

    /// The file of the page at `route`.
    pub fn file(&self, route: &Route) -> String {
        match (self.has_slash, route.as_str().trim_start_matches('/')) {
            (_, "") => "index.html".to_owned(),
            (true, path) => format!("{path}/index.html"),
            (false, path) => format!("{path}.html"),
        }
    }

    /// The path of the page at `route`, as it stands in an `href`, below the base path.
    pub fn page(&self, route: &Route) -> String {
        let href = route.href();
        match self.has_slash && !href.ends_with('/') {
            true => format!("{href}/"),
            false => href,
        }
    }

    /// `address` with the name that its page has here; as it is where it leads to no page.
    pub fn of(&self, address: &str) -> String {
        let mut moved = BTreeSet::new();
        let written = self.written(address, &mut moved);
        self.note(moved);
        written.unwrap_or_else(|| address.to_owned())
    }

    /// `html`, whose addresses of pages have the names that they have here. `quote` is how a quote is written in it.
    pub fn within(&self, html: &str, quote: &str) -> String {
        let mut moved = BTreeSet::new();
        let html = self.after(&format!(" href={quote}"), html, quote, &mut moved);
        self.note(moved);
        html
    }

    /// A whole page, whose addresses of pages have the names that they have here: those of its links, and what its head
    /// says of where it is.
    pub fn page_within(&self, html: &str) -> Within {
        let mut moved = BTreeSet::new();
        let html = self.head_within(self.after(" href=\"", html, "\"", &mut moved), &mut moved);
        self.note(moved.iter().cloned());
        Within { html, moved }
    }

    fn head_within(&self, html: String, moved: &mut BTreeSet<String>) -> String {
        let Some(end) = html.find("</head>") else {
            return html;
        };
        let mut head = html[..end].to_owned();
        for start in [
            " property=\"og:url\" content=\"",
            "\"url\":\"",
            "\"item\":\"",
            "\"@type\":\"TechArticle\",\"@id\":\"",
            "\"@type\":\"APIReference\",\"@id\":\"",
        ] {
            head = self.after(start, &head, "\"", moved);
        }
        head + &html[end..]
    }

    /// `html`, whose addresses of pages behind `start` and up to `quote` have the names that they have here; those that lead on are
    /// added to `moved`.
    fn after(&self, start: &str, html: &str, quote: &str, moved: &mut BTreeSet<String>) -> String {
        let mut written = String::with_capacity(html.len() + html.len() / 64);
        let mut rest = html;
        let finder = memmem::Finder::new(start);
        while let Some(at) = finder.find(rest.as_bytes()) {
            let (before, value) = rest.split_at(at + start.len());
            written.push_str(before);
            let end = value.find(quote).unwrap_or(value.len());
            match self.written(&value[..end], moved) {
                Some(address) => written.push_str(&address),
                None => written.push_str(&value[..end]),
            }
            rest = &value[end..];
        }
        written.push_str(rest);
        written
    }

    /// The address of the page that `address` leads to; none if it leads to something else, or elsewhere. One that leads on is
    /// added to `moved`.
    fn written(&self, address: &str, moved: &mut BTreeSet<String>) -> Option<String> {
        let own = self.bases.iter().find_map(|base| {
            let local = address.strip_prefix(base)?;
            Some((*base, local.strip_prefix(self.base_path).unwrap_or(local)))
        });
        let (origin, local) = match own {
            Some(own) => own,
            None => ("", address.strip_prefix(self.base_path)?),
        };
        if !local.starts_with('/') || local.starts_with("//") {
            return None;
        }
        let end = local.find(['?', '#']).unwrap_or(local.len());
        let (path, tail) = local.split_at(end);
        let mut known = self
            .known
            .lock()
            .unwrap_or_else(|broken| broken.into_inner());
        let led = match known.get(path) {
            Some(led) => led.clone(),
            None => {
                let led = self.led(path);
                known.insert(path.to_owned(), led.clone());
                led
            }
        };
        moved.extend(led.moved);
        let to = led.to?;
        // A redirect to a heading leads there, unless the link names another.
        let to = match tail.contains('#') {
            true => to.split('#').next().unwrap_or_default(),
            false => &to,
        };
        let base = self.base_path;
        Some(match to.split_once('#') {
            Some((to, heading)) => format!("{origin}{base}{to}{tail}#{heading}"),
            None => format!("{origin}{base}{to}{tail}"),
        })
    }

    /// Where a link to `path` comes to in the end, below the base path: where it leads elsewhere, to the page that leads there.
    fn led(&self, path: &str) -> Led {
        let mut moved = None;
        let to = self.led_to(path, &mut moved);
        Led { to, moved }
    }

    fn led_to(&self, path: &str, moved: &mut Option<String>) -> Option<String> {
        let mut heading = String::new();
        let mut at = path.to_owned();
        for _ in 0..FOLLOWED {
            let decoded = percent_encoding::percent_decode_str(&at).decode_utf8_lossy();
            match site::resolve(self.routes, &decoded) {
                Some(Output::Page(_, route)) => {
                    return Some(format!("{}{heading}", self.page(&route)));
                }
                Some(Output::Moved { to, .. }) => {
                    if at == path {
                        *moved = Some(decoded.into_owned());
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
                    | Output::Theme(_),
                )
                | None
                    if at == path =>
                {
                    return None;
                }
                _ => break,
            }
        }
        let decoded = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
        Some(self.page(&Route::new(&decoded)?))
    }

    /// Notes addresses that lead on, of a page that is as it was.
    pub fn note(&self, moved: impl IntoIterator<Item = String>) {
        let all = self.moved.lock();
        all.unwrap_or_else(|broken| broken.into_inner())
            .extend(moved);
    }

    /// The addresses that lead elsewhere and that were written or asked for.
    pub fn moved(&self) -> BTreeSet<String> {
        let moved = self
            .moved
            .lock()
            .unwrap_or_else(|broken| broken.into_inner());
        moved.clone()
    }
}
