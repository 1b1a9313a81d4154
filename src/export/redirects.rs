//! Redirects of an export: a page that leads on for each address that a page of the site can be asked for by, and tables for
//! the servers that take some.
//!
//! `_redirects` is read by Netlify and Cloudflare Pages, `vercel.json` by Vercel, and `_redirects.nginx.conf` is for an
//! `include` in the `http` block of nginx. Where the author has a file of that name, that one is served.

use std::fmt::Write as _;

use queries::base::path::encode_address;
use queries::site::{Redirect, RouteTable};

use super::addresses::Addresses;

/// The page that leads to `to`; `canonical` is its whole address.
pub(super) fn page(to: &str, canonical: &str) -> String {
    let escaped = queries::theme::html::escaped;
    let (to, canonical) = (escaped(to), escaped(canonical));
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url={to}\">\
         <link rel=\"canonical\" href=\"{canonical}\"><title>Moved</title><p>This page is now at <a href=\"{to}\">{to}</a>.</p></html>\n"
    )
}

/// The tables of redirects for servers: name and content of each; none if the site has no redirects.
pub(super) fn tables(
    routes: &RouteTable,
    addresses: &Addresses<'_>,
    base: &str,
) -> Vec<(&'static str, String)> {
    let rules: Vec<Rule> = (routes.redirects.iter())
        .filter_map(|redirect| Rule::of(redirect, addresses, base))
        .collect();
    if rules.is_empty() {
        return Vec::new();
    }
    let vercel: Vec<_> = rules.iter().map(Rule::vercel).collect();
    let vercel = serde_json::json!({ "trailingSlash": addresses.has_slash(), "redirects": vercel });
    let vercel = serde_json::to_string_pretty(&vercel).expect("texts are JSON");
    vec![
        ("_redirects", rules.iter().map(Rule::netlify).collect()),
        ("_redirects.nginx.conf", nginx(&rules)),
        ("vercel.json", format!("{vercel}\n")),
    ]
}

/// A redirect with its placeholders, of which the last may stand for the rest of an address.
struct Rule {
    source: Vec<Part>,
    destination: Vec<Part>,
    is_permanent: bool,
}

/// A part of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// As it stands in an `href`.
    Text(String),
    /// One segment, by its name.
    Segment(String),
    /// What is left.
    Rest,
}

impl Rule {
    /// The rule for `redirect`; none if its source says no path, or its destination names what the source does not.
    fn of(redirect: &Redirect, addresses: &Addresses<'_>, base: &str) -> Option<Self> {
        let source = parts(&format!("{base}/{}", redirect.source.trim_matches('/')));
        let is_local =
            redirect.destination.starts_with('/') && !redirect.destination.starts_with("//");
        let destination = match is_local {
            true => parts(&addresses.of(&format!("{base}{}", redirect.destination))),
            false => parts(&redirect.destination),
        };
        let is_known = |part: &Part| matches!(part, Part::Text(_)) || source.contains(part);
        destination.iter().all(is_known).then_some(Self {
            source,
            destination,
            is_permanent: redirect.permanent,
        })
    }

    fn netlify(&self) -> String {
        let written = |parts: &[Part], rest: &str| -> String {
            let parts = parts.iter().map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Segment(name) => format!(":{name}"),
                Part::Rest => rest.to_owned(),
            });
            parts.collect()
        };
        let status = if self.is_permanent { 301 } else { 302 };
        let (from, to) = (
            written(&self.source, "*"),
            written(&self.destination, ":splat"),
        );
        format!("{from} {to} {status}\n")
    }

    fn vercel(&self) -> serde_json::Value {
        let written = |parts: &[Part], rest: &str| -> String {
            let parts = parts.iter().map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Segment(name) => format!(":{name}"),
                Part::Rest => rest.to_owned(),
            });
            parts.collect()
        };
        serde_json::json!({
            "source": written(&self.source, ":rest(.*)"),
            "destination": written(&self.destination, ":rest"),
            "permanent": self.is_permanent,
        })
    }
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
                parts.push(Part::Segment(name.collect()));
            }
            (None, _) => text.push_str(&encode_address(segment)),
        }
    }
    parts.push(Part::Text(text + tail));
    parts.retain(|part| *part != Part::Text(String::new()));
    parts
}

/// The redirects as maps of nginx.
fn nginx(rules: &[Rule]) -> String {
    let mut conf = String::from(
        "# In `http`: include /path/to/_redirects.nginx.conf;\n\
         # In `server`: if ($quire_moved) { return 308 $quire_moved$is_args$args; }\n\
         #              if ($quire_found) { return 307 $quire_found$is_args$args; }\n",
    );
    for (name, is_permanent) in [("quire_moved", true), ("quire_found", false)] {
        let _ = writeln!(conf, "map $uri ${name} {{\n    default \"\";");
        for rule in rules
            .iter()
            .filter(|rule| rule.is_permanent == is_permanent)
        {
            let mut pattern = String::from("~^");
            for part in &rule.source {
                match part {
                    // nginx compares what it has unescaped.
                    Part::Text(text) => {
                        let text = percent_encoding::percent_decode_str(text).decode_utf8_lossy();
                        pattern.push_str(&regex::escape(&text).replace('"', "\\x22"));
                    }
                    Part::Segment(name) => {
                        let _ = write!(pattern, "(?<{name}>[^/]+)");
                    }
                    Part::Rest => pattern.push_str("(?<rest>.*)"),
                }
            }
            let end = if rule.source.last() == Some(&Part::Rest) {
                "$"
            } else {
                "/?$"
            };
            let to = rule.destination.iter().map(|part| match part {
                Part::Text(text) => text.replace('$', "%24").replace('"', "%22"),
                Part::Segment(name) => format!("${{{name}}}"),
                Part::Rest => "${rest}".to_owned(),
            });
            let to: String = to.collect();
            let _ = writeln!(conf, "    \"{pattern}{end}\" \"{to}\";");
        }
        conf.push_str("}\n");
    }
    conf
}
