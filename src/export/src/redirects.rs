//! Redirects of an export: a page that leads on for each address that a page of the site can be asked for by, and tables for
//! the servers that take some.
//!
//! `_redirects` is read by Netlify and Cloudflare Pages, `vercel.json` by Vercel, and `_redirects.nginx.conf` is for an
//! `include` in the `http` block of nginx. Where the author has a file of that name, that one is served. All of them follow from
//! the same rules; what one of them cannot say as the server of the site does is told.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use queries::base::path::{Route, encode_address, encode_path};
use queries::site::{self, Output, Redirect, RouteTable};

use super::addresses::Addresses;

/// Maximum numbers of static and dynamic redirects, and of characters per line, on Cloudflare Pages
/// ("Redirects").
const CLOUDFLARE_FIXED: usize = 2000;
const CLOUDFLARE_WITH_SIGNS: usize = 100;
const CLOUDFLARE_LINE: usize = 1000;

/// Script that keeps query and fragment of the request, where the destination has none, as browsers
/// do on a redirect (RFC 9110, 10.2.2).
const SCRIPT: &str = "var a=document.links[0],q=location.search;if(q)a.search=a.search?a.search+\"&\"+q.slice(1):q;\
if(!a.hash)a.hash=location.hash;location.replace(a.href)";

/// The page that leads to `to`; `canonical` is its absolute URL.
pub(super) fn page(to: &str, canonical: &str) -> String {
    let escaped = queries::theme::html::escaped;
    let (to, canonical) = (escaped(to), escaped(canonical));
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <noscript><meta http-equiv=\"refresh\" content=\"0;url={to}\"></noscript>\
         <link rel=\"canonical\" href=\"{canonical}\"><title>Moved</title><p>This page is now at <a href=\"{to}\">{to}</a>.</p>\
         <script>{SCRIPT}</script></html>\n"
    )
}

/// The tables of redirects for servers.
#[derive(Default)]
pub(super) struct Tables {
    /// Name and content of each; none if the site has no redirects.
    pub(super) files: Vec<(&'static str, String)>,
    /// Redirects that the tables express differently from the server: address and reason.
    pub(super) unsaid: Vec<String>,
}

/// The tables of redirects for servers.
pub(super) fn tables(routes: &RouteTable, addresses: &Addresses<'_>, base: &str) -> Tables {
    let mut unsaid = Vec::new();
    let mut rules = Vec::new();
    for redirect in &routes.redirects {
        match Rule::of(redirect, addresses, base) {
            Ok(rule) => rules.extend(rule),
            Err(why) => unsaid.push(format!("{}: in no table: {why}", redirect.source)),
        }
    }
    let mut names: Vec<_> = addresses.names().all().collect();
    names.sort_unstable();
    rules.extend(names.into_iter().map(|(route, name)| Rule {
        source: vec![Part::Text(format!("{base}{}", encode_path(route)))],
        destination: vec![Part::Text(
            addresses.public(&format!("{base}{}", name.href())),
        )],
        written_source: route.to_owned(),
        is_permanent: true,
        shadowed: Vec::new(),
    }));
    if rules.is_empty() {
        return Tables {
            unsaid,
            ..Tables::default()
        };
    }
    let mut netlify = String::new();
    let (mut fixed, mut with_signs) = (0, 0);
    for rule in &rules {
        match rule.netlify() {
            Ok(line) => {
                let source = line.split(' ').next().unwrap_or_default();
                match source.contains([':', '*']) {
                    true => with_signs += 1,
                    false => fixed += 1,
                }
                if line.trim_end().chars().count() > CLOUDFLARE_LINE {
                    let why = format!(
                        "longer than the {CLOUDFLARE_LINE} characters of a line that Cloudflare reads"
                    );
                    unsaid.push(format!("{}: {why}", rule.written_source));
                }
                netlify.push_str(&line);
            }
            Err(why) => unsaid.push(format!("{}: not in _redirects: {why}", rule.written_source)),
        }
        if let Some(page) = rule.shadowed.first() {
            let why =
                format!("leads away from {page}, and maybe other pages, which the site shows");
            unsaid.push(format!(
                "{}: on Cloudflare and Vercel {why}",
                rule.written_source
            ));
        }
        if rule.has_query() {
            let why =
                "on Cloudflare the query of the request is lost, as the destination has its own";
            unsaid.push(format!("{}: {why}", rule.written_source));
        }
    }
    for (count, limit, kind) in [
        (fixed, CLOUDFLARE_FIXED, "without placeholders"),
        (with_signs, CLOUDFLARE_WITH_SIGNS, "with placeholders"),
    ] {
        if count > limit {
            unsaid.push(format!(
                "_redirects: {count} redirects {kind}, of which Cloudflare reads the first {limit}"
            ));
        }
    }
    let vercel: Vec<_> = rules.iter().map(Rule::vercel).collect();
    let vercel = serde_json::json!({ "trailingSlash": addresses.has_slash(), "redirects": vercel });
    let vercel = format!("{vercel:#}\n");
    let files = vec![
        ("_redirects", netlify),
        ("_redirects.nginx.conf", nginx(&rules)),
        ("vercel.json", vercel),
    ];
    Tables { files, unsaid }
}

/// A redirect with its placeholders, of which the last may stand for the rest of an address.
struct Rule {
    source: Vec<Part>,
    destination: Vec<Part>,
    /// The source as the author wrote it.
    written_source: String,
    is_permanent: bool,
    /// Pages and files of the site that the source stands for too: the site shows them.
    shadowed: Vec<String>,
}

/// A part of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Text as written in an `href`.
    Text(String),
    /// One segment, by its name.
    Segment(String),
    /// The rest of the path.
    Rest,
}

impl Rule {
    /// The rule for `redirect`, or why there can be none; nothing where the site has something at the source, which comes first.
    fn of(
        redirect: &Redirect,
        addresses: &Addresses<'_>,
        base: &str,
    ) -> Result<Option<Self>, &'static str> {
        let routes = addresses.routes();
        let path = format!("/{}", redirect.source.trim_matches('/'));
        let source = parts(&format!("{base}{}", path.trim_end_matches('/')));
        let is_exact = source.iter().all(|part| matches!(part, Part::Text(_)));
        if is_exact {
            let path = percent_encoding::percent_decode_str(&path).decode_utf8_lossy();
            if !matches!(
                site::resolve(routes, &path),
                None | Some(Output::Moved { .. })
            ) {
                return Ok(None);
            }
        }
        let is_local =
            redirect.destination.starts_with('/') && !redirect.destination.starts_with("//");
        let destination = match is_local {
            true => parts(&addresses.public(&format!("{base}{}", redirect.destination))),
            false => parts(&redirect.destination),
        };
        let is_known = |part: &Part| matches!(part, Part::Text(_)) || source.contains(part);
        if !destination.iter().all(is_known) {
            return Err("the destination names what the source does not");
        }
        let one = std::slice::from_ref(redirect);
        let leads = |path: &&str| !is_exact && site::redirected(one, path).is_some();
        let pages = routes.pages.keys().map(Route::as_str);
        let files = routes.files.keys().map(String::as_str);
        let over = pages.chain(files).filter(leads);
        let over = over.map(|path| format!("{base}{path}"));
        let over = over.collect();
        Ok(Some(Self {
            source,
            destination,
            written_source: redirect.source.clone(),
            is_permanent: redirect.permanent,
            shadowed: over,
        }))
    }

    /// Returns true if the destination has a query.
    fn has_query(&self) -> bool {
        self.destination
            .iter()
            .any(|part| matches!(part, Part::Text(text) if text.contains('?')))
    }

    /// The rule in `_redirects`, where a colon and an asterisk stand for something wherever they are.
    fn netlify(&self) -> Result<String, &'static str> {
        let is_sign = |part: &Part| matches!(part, Part::Text(text) if text.contains([':', '*']));
        if self.source.iter().any(is_sign) {
            return Err("a colon or an asterisk in a name is a placeholder there");
        }
        let path_of = |parts: &[Part], rest: &str| -> String {
            let parts = parts.iter().map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Segment(name) => format!(":{name}"),
                Part::Rest => rest.to_owned(),
            });
            parts.collect()
        };
        let status = if self.is_permanent { 301 } else { 302 };
        let (from, to) = (
            path_of(&self.source, "*"),
            path_of(&self.destination, ":splat"),
        );
        Ok(format!("{from} {to} {status}\n"))
    }

    /// The rule for Vercel, which reads sources as path-to-regexp 6 does, strict about slashes at the end.
    fn vercel(&self) -> serde_json::Value {
        let path_of = |parts: &[Part], rest: &str, is_source: bool| -> String {
            let parts = parts.iter().map(|part| match part {
                Part::Text(text) if is_source => plain(text),
                Part::Text(text) => text.clone(),
                Part::Segment(name) => format!(":{name}"),
                Part::Rest => rest.to_owned(),
            });
            parts.collect()
        };
        // Whole segments, the slash before them included; or what is left of one.
        let (rest, to) = match self.is_rest_whole() {
            true => (":rest*", ":rest*"),
            false => (":rest(.*)", ":rest"),
        };
        let slash = if rest == ":rest(.*)" && self.source.last() == Some(&Part::Rest) {
            ""
        } else {
            "{/}?"
        };
        serde_json::json!({
            "source": path_of(&self.source, rest, true) + slash,
            "destination": path_of(&self.destination, to, false),
            "permanent": self.is_permanent,
        })
    }

    /// Returns true if the rest consists of whole segments.
    fn is_rest_whole(&self) -> bool {
        let before = self.source.iter().rev().nth(1);
        self.source.last() == Some(&Part::Rest)
            && matches!(before, Some(Part::Text(text)) if text.ends_with('/'))
    }

    /// The key of the map of nginx: what is asked for, as it is asked for.
    fn nginx(&self) -> String {
        let mut pattern = String::from("^");
        let count = self.source.len();
        for (i, part) in self.source.iter().enumerate() {
            match part {
                Part::Text(text) if self.is_rest_whole() && i + 2 == count => {
                    pattern.push_str(&request_pattern(text.trim_end_matches('/')));
                }
                Part::Text(text) => pattern.push_str(&request_pattern(text)),
                Part::Segment(name) => {
                    let _ = write!(pattern, "(?<{}>[^/?]+)", variable(name));
                }
                Part::Rest if self.is_rest_whole() => {
                    pattern.push_str("(?:/(?<quire_rest>[^?]*))?");
                }
                Part::Rest => pattern.push_str("(?<quire_rest>[^?]*)"),
            }
        }
        let end = match self.source.last() {
            Some(Part::Rest) => "",
            _ => "/?",
        };
        format!("~{pattern}{end}(?:\\?|$)")
    }

    /// The value of the map of nginx, with the query of the request.
    fn nginx_value(&self) -> String {
        let to = self.destination.iter().map(|part| match part {
            Part::Text(text) => text.replace('$', "%24").replace('"', "%22"),
            Part::Segment(name) => format!("${{{}}}", variable(name)),
            Part::Rest => "${quire_rest}".to_owned(),
        });
        let to: String = to.collect();
        let (address, fragment) = to.split_at(to.find('#').unwrap_or(to.len()));
        let query = match self.has_query() {
            true => "$quire_more",
            false => "$is_args$args",
        };
        format!("{address}{query}{fragment}")
    }
}

/// `text` for path-to-regexp, in which no sign stands for anything.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if "(){}:*+?\\".contains(c) {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

/// The name of a variable of nginx, which has some of its own.
fn variable(name: &str) -> String {
    format!("quire_{name}")
}

/// A regular expression for `text`, which is escaped as in an `href`, as it may be asked for.
fn request_pattern(text: &str) -> String {
    let mut pattern = String::new();
    for byte in percent_encoding::percent_decode_str(text) {
        let c = char::from(byte);
        match c {
            _ if c.is_ascii_alphanumeric() || "-_~/".contains(c) => pattern.push(c),
            '.' => pattern.push_str("\\."),
            _ if "!$&'()*+,;=:@".contains(c) => {
                let _ = write!(pattern, "(?:\\{c}|%(?i:{byte:02X}))");
            }
            _ => {
                let _ = write!(pattern, "%(?i:{byte:02X})");
            }
        }
    }
    pattern
}

/// `address` as parts: `:name` stands for a segment, `:name*` and `*` at the end for the rest.
fn parts(address: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let end = address.find(['?', '#']).unwrap_or(address.len());
    let (address, tail) = address.split_at(end);
    let (origin, path) = match address.find("://") {
        Some(at) => {
            let end = address[at + 3..]
                .find('/')
                .map_or(address.len(), |slash| at + 3 + slash);
            address.split_at(end)
        }
        None => ("", address),
    };
    text.push_str(origin);
    let last = path.split('/').count() - 1;
    for (i, segment) in path.split('/').enumerate() {
        if i > 0 {
            text.push('/');
        }
        let name = segment.strip_prefix(':').filter(|name| !name.is_empty());
        match (name, segment.strip_suffix('*')) {
            (None, Some(prefix)) if i == last => {
                text.push_str(&encode_address(prefix));
                parts.push(Part::Text(std::mem::take(&mut text)));
                parts.push(Part::Rest);
            }
            (Some(_), Some(_)) if i == last => {
                parts.push(Part::Text(std::mem::take(&mut text)));
                parts.push(Part::Rest);
            }
            (Some(name), _) => {
                parts.push(Part::Text(std::mem::take(&mut text)));
                // What hosts take as a name.
                let name = name
                    .chars()
                    .filter(|c| c.is_ascii_alphanumeric() || *c == '_');
                let name: String = name.collect();
                parts.push(Part::Segment(
                    match name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                        true => name,
                        false => format!("p{name}"),
                    },
                ));
            }
            (None, _) => text.push_str(&encode_address(segment)),
        }
    }
    parts.push(Part::Text(text + tail));
    parts.retain(|part| *part != Part::Text(String::new()));
    parts
}

/// The redirects as maps of nginx. They go by what is asked for as it is escaped: what a placeholder stands for is handed on so,
/// and can be no line of its own in the answer.
fn nginx(rules: &[Rule]) -> String {
    let mut conf = String::from(
        "# In `http`: include /path/to/_redirects.nginx.conf;\n\
         # In `server`: if ($quire_moved) { return 308 $quire_moved; }\n\
         #              if ($quire_found) { return 307 $quire_found; }\n\
         map $args $quire_more {\n    default \"&$args\";\n    \"\" \"\";\n}\n",
    );
    for (name, is_permanent) in [("quire_moved", true), ("quire_found", false)] {
        let _ = writeln!(conf, "map $request_uri ${name} {{\n    default \"\";");
        // The first that knows an address decides, so those of the other map are in each.
        let mut shown = BTreeSet::new();
        for rule in rules {
            for path in rule
                .shadowed
                .iter()
                .filter(|path| shown.insert(path.as_str()))
            {
                let path = request_pattern(&encode_path(path));
                let _ = writeln!(
                    conf,
                    "    \"~^{path}(?:/|/index\\.html|\\.html|\\.md)?(?:\\?|$)\" \"\";"
                );
            }
            let to = match rule.is_permanent == is_permanent {
                true => rule.nginx_value(),
                false => String::new(),
            };
            let _ = writeln!(conf, "    \"{}\" \"{to}\";", rule.nginx());
        }
        conf.push_str("}\n");
    }
    conf
}
