//! The site that a migration makes: its configuration while it is put together, and the addresses
//! that change with it.

use std::collections::{BTreeMap, BTreeSet};

use queries::base::path::{Route, SitePath};
use serde_json::{Map, Value, json};

use crate::folder::Folder;
use crate::navigation::{Counts, is_external};
use crate::node::{Data, Node, Place};
use crate::page::{Page, is_page};
use crate::report::Report;
use crate::script::Scripts;

/// Color of the theme where the old site has none that is known.
const COLOR: &str = "#16794c";

/// A site while it is put together.
pub(crate) struct Draft<'f> {
    pub(crate) folder: &'f Folder,
    pub(crate) scripts: Scripts<'f>,
    pub(crate) report: Report,
    pub(crate) counts: Counts,
    /// Folder that is served, from the folder of the migration; empty for that one.
    pub(crate) served: String,
    /// Members of `docs.json` behind the required ones.
    pub(crate) config: Map<String, Value>,
    pub(crate) name: Option<String>,
    pub(crate) colors: Map<String, Value>,
    pub(crate) navigation: Map<String, Value>,
    /// Lines of `.mintignore`.
    pub(crate) ignored: Vec<String>,
    /// Pages that were looked at.
    pub(crate) pages: Vec<Page>,
    /// Positions in `pages` by the routes that they have now.
    pub(crate) by_route: BTreeMap<String, usize>,
    /// New routes by old addresses.
    new_routes: BTreeMap<String, String>,
    /// Addresses that were redirected already, in order.
    redirects: Vec<(String, String)>,
    /// Folders whose pages moved together: old and new address.
    patterns: Vec<(String, String)>,
}

impl<'f> Draft<'f> {
    /// Returns an empty site of `folder`, of which the folder `served` is served.
    pub(crate) fn new(folder: &'f Folder, served: &str) -> Self {
        Self {
            folder,
            scripts: Scripts::new(folder),
            report: Report::default(),
            counts: Counts::default(),
            served: served.to_owned(),
            config: Map::new(),
            name: None,
            colors: Map::new(),
            navigation: Map::new(),
            ignored: Vec::new(),
            pages: Vec::new(),
            by_route: BTreeMap::new(),
            new_routes: BTreeMap::new(),
            redirects: Vec::new(),
            patterns: Vec::new(),
        }
    }

    /// The path of the file at `path`, from the folder that is served.
    pub(crate) fn below_served<'p>(&self, path: &'p str) -> &'p str {
        let below = path
            .strip_prefix(&self.served)
            .filter(|_| !self.served.is_empty());
        let below = below.filter(|below| below.is_empty() || below.starts_with('/'));
        below.map_or(path, |below| below.trim_start_matches('/'))
    }

    /// The name of the page at `path` in the navigation.
    pub(crate) fn page_name(&self, path: &SitePath) -> String {
        let below = SitePath::new(self.below_served(path.as_str()));
        below.map_or_else(String::new, |below| below.stem().to_owned())
    }

    /// The route of the page that the navigation calls `page`.
    pub(crate) fn route(page: &str) -> String {
        let path = SitePath::new(&format!("{page}.mdx"));
        path.map_or_else(
            || "/".to_owned(),
            |path| Route::of_page(&path).as_str().to_owned(),
        )
    }

    /// Says that the page `page` was at the address `old`.
    pub(crate) fn moves(&mut self, old: &str, page: &str) {
        let new = Self::route(page);
        self.new_routes.entry(normal(old)).or_insert(new);
    }

    /// Says that the addresses below `old` lead to the same below `new`.
    pub(crate) fn moves_folder(&mut self, old: &str, new: &str) {
        let pair = (normal(old), normal(new));
        if pair.0 != pair.1 && pair.0 != "/" && !self.patterns.contains(&pair) {
            self.patterns.push(pair);
        }
    }

    /// Adds a page, and returns its name in the navigation.
    pub(crate) fn add_page(&mut self, page: Page) -> String {
        let name = self.page_name(&page.path);
        self.by_route.insert(Self::route(&name), self.pages.len());
        self.pages.push(page);
        name
    }

    /// The page at the address `route` of the new site.
    pub(crate) fn page_at(&self, route: &str) -> Option<&Page> {
        self.by_route.get(route).and_then(|i| self.pages.get(*i))
    }

    /// Adds a redirect that the old site had.
    pub(crate) fn redirect(&mut self, from: &str, to: &str) {
        let pair = (normal(from), self.address(to));
        if pair.0 != normal(&pair.1) && is_plain(&pair.0) {
            self.redirects.push(pair);
        }
    }

    /// Adds a redirect as it is, patterns too.
    pub(crate) fn keep_redirect(&mut self, from: &str, to: &str) {
        self.redirects.push((from.to_owned(), to.to_owned()));
    }

    /// Where `href`, an address of the old site, is now.
    pub(crate) fn address(&self, href: &str) -> String {
        if is_external(href) || href.starts_with('#') {
            return href.to_owned();
        }
        let end = href.find(['?', '#']).unwrap_or(href.len());
        let (path, rest) = href.split_at(end);
        let old = normal(path);
        let new = self.new_routes.get(&old).cloned().unwrap_or(old);
        format!("{new}{rest}")
    }

    /// Ignores whatever is not below one of `folders`, and what is not `docs.json`.
    pub(crate) fn allow_only(&mut self, folders: &[String]) {
        let below = folders
            .iter()
            .map(|folder| self.below_served(folder).to_owned());
        let below: Vec<String> = below.collect();
        let mut lines = vec!["/*".to_owned(), "!/docs.json".to_owned()];
        for folder in &below {
            let is_within = below.iter().any(|other| is_below(folder, other));
            if folder.is_empty() || is_within {
                continue;
            }
            let mut path = String::new();
            let mut parts = folder.split('/').peekable();
            while let Some(part) = parts.next() {
                path.push('/');
                path.push_str(part);
                lines.push(format!("!{path}"));
                if parts.peek().is_some() {
                    lines.push(format!("{path}/*"));
                }
            }
        }
        let has_root = below.iter().any(String::is_empty);
        let mut seen = BTreeSet::new();
        lines.retain(|line| !has_root && seen.insert(line.clone()));
        self.ignored.extend(lines);
    }

    /// Reports that the folder that `key` names is not in the folder of the migration.
    pub(crate) fn report_outside(&mut self, place: &Place, key: &str) {
        let message = format!("`{key}`, which leads out of the folder");
        let hint = "migrate the folder that holds both: `quire migrate ..`";
        self.report.add(place, message, hint);
    }

    /// Reads `node` as a text; what only a program can tell is reported.
    pub(crate) fn text(&mut self, node: Option<&Node>, what: &str, hint: &str) -> Option<String> {
        let node = node?;
        match &node.data {
            Data::Text(text) => Some(text.clone()),
            Data::Unknown(why) => {
                self.report.add(&node.place, format!("{what}: {why}"), hint);
                None
            }
            _ => None,
        }
    }

    /// Adds the member `key` of `docs.json`.
    pub(crate) fn set(&mut self, key: &str, value: Value) {
        self.config.insert(key.to_owned(), value);
    }

    /// The redirects of `docs.json`: single ones first, which win over those of folders. Addresses at
    /// which a page is have none.
    fn redirects(&mut self) -> Vec<Value> {
        let files = self.folder.files(&self.served).filter(|path| is_page(path));
        let used_routes: BTreeSet<String> = files
            .map(|path| Self::route(&self.page_name(path)))
            .collect();
        let mut seen = BTreeSet::new();
        let mut redirects: Vec<(String, String)> = Vec::new();
        let mut hidden = Vec::new();
        for (old, new) in &self.new_routes {
            if old == new || old == "/" || !is_plain(old) {
                continue;
            }
            if used_routes.contains(old) {
                hidden.push(old.clone());
                continue;
            }
            let covered = self.patterns.iter().find(|(from, _)| is_below(old, from));
            let by_pattern = covered.map(|(from, to)| format!("{to}{}", &old[from.len()..]));
            if by_pattern.as_ref() != Some(new) {
                redirects.push((old.clone(), new.clone()));
            }
        }
        redirects.extend(self.redirects.iter().cloned());
        let mut patterns = self.patterns.clone();
        patterns.sort_by_key(|(from, _)| std::cmp::Reverse(from.matches('/').count()));
        let patterns = patterns.into_iter().map(|(from, to)| {
            let to = if to == "/" { String::new() } else { to };
            (format!("{from}/:path*"), format!("{to}/:path*"))
        });
        if let Some(first) = hidden.first() {
            self.report.note(format!(
                "old addresses that show another page now, as another file has that path: {}, such \
                 as {first}",
                hidden.len()
            ));
        }
        let all = redirects.into_iter().chain(patterns);
        let all = all.filter(|(from, to)| {
            is_source(from)
                && !used_routes.contains(from)
                && from != to
                && seen.insert(from.clone())
        });
        all.map(|(from, to)| json!({ "source": from, "destination": to }))
            .collect()
    }

    /// Returns `docs.json` and the number of redirects in it.
    pub(crate) fn finish(&mut self) -> (Value, usize) {
        let redirects = self.redirects();
        let count = redirects.len();
        let mut config = Map::new();
        config.insert("theme".to_owned(), "mint".into());
        let name = self.name.clone().filter(|name| !name.trim().is_empty());
        config.insert(
            "name".to_owned(),
            name.unwrap_or_else(|| "Documentation".to_owned()).into(),
        );
        if let Some(description) = self.config.shift_remove("description") {
            config.insert("description".to_owned(), description);
        }
        if !self.colors.contains_key("primary") {
            self.colors
                .shift_insert(0, "primary".to_owned(), COLOR.into());
        }
        config.insert("colors".to_owned(), Value::Object(self.colors.clone()));
        config.extend(std::mem::take(&mut self.config));
        config.insert(
            "navigation".to_owned(),
            Value::Object(self.navigation.clone()),
        );
        if count > 0 {
            config.insert("redirects".to_owned(), redirects.into());
        }
        (Value::Object(config), count)
    }
}

/// `address` with one slash before it and none behind it.
pub(crate) fn normal(address: &str) -> String {
    let parts: Vec<&str> = address.split('/').filter(|part| !part.is_empty()).collect();
    format!("/{}", parts.join("/"))
}

fn is_below(address: &str, folder: &str) -> bool {
    let rest = address.strip_prefix(folder);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

/// Returns true if `address` can be the source of a redirect.
fn is_source(address: &str) -> bool {
    address != "/" && address.starts_with('/') && !address.contains(['?', '#', '\n', '\\'])
}

/// Returns true if no part of `address` would be a placeholder in a redirect.
fn is_plain(address: &str) -> bool {
    let is_plain = |part: &str| !part.starts_with(':') && !part.ends_with('*');
    address.split('/').all(is_plain)
}

/// A color in hexadecimal digits, as `docs.json` has it.
pub(crate) fn hex_color(text: &str) -> Option<String> {
    let digits = text.trim().strip_prefix('#')?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    match (is_hex, digits.len()) {
        (true, 6) => Some(format!("#{}", digits.to_ascii_lowercase())),
        (true, 8) => Some(format!("#{}", digits[..6].to_ascii_lowercase())),
        (true, 3) => {
            let twice = digits.chars().flat_map(|c| [c, c]);
            Some(format!(
                "#{}",
                twice.collect::<String>().to_ascii_lowercase()
            ))
        }
        _ => None,
    }
}

/// The label of a name of a file or a folder.
pub(crate) fn label(name: &str) -> String {
    queries::base::path::title_of_name(name)
}

/// `text` as a part of an address: lower case, `-` between words.
pub(crate) fn kebab(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// Returns true for files of a static folder that are no part of a site of Quire, or made by it.
fn is_unserved(name: &str) -> bool {
    let endings = [".html", ".js", ".mjs", ".css", ".json", ".toml"];
    matches!(name, "CNAME" | "robots.txt" | "_redirects" | "_headers")
        || endings.iter().any(|ending| name.ends_with(ending))
}

/// Adds the addresses of the files in `folder`, which were served at the root: `/img/…` is
/// `/static/img/…` now.
pub(crate) fn redirect_assets(draft: &mut Draft<'_>, folder: &str) {
    let below = draft.below_served(folder).to_owned();
    let mut folders = BTreeSet::new();
    let mut files = Vec::new();
    for path in draft.folder.files(folder) {
        let rest = path.as_str()[folder.len()..].trim_start_matches('/');
        match rest.split_once('/') {
            Some((first, _)) if !first.starts_with('.') => {
                folders.insert(first.to_owned());
            }
            None if !rest.starts_with('.') && !is_unserved(rest) => {
                files.push(rest.to_owned());
            }
            _ => {}
        }
    }
    if folders.is_empty() && files.is_empty() {
        return;
    }
    for name in files {
        draft
            .redirects
            .push((format!("/{name}"), format!("/{below}/{name}")));
    }
    for name in folders {
        draft.moves_folder(&format!("/{name}"), &format!("/{below}/{name}"));
    }
    draft.report.note(format!(
        "files of {folder}/ are at /{below}/… now; redirects lead there from the old addresses. On a \
         static host, pictures need the files themselves: `git mv {folder}/* {}`",
        if draft.served.is_empty() { "." } else { &draft.served }
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_and_addresses_have_one_form() {
        assert_eq!(hex_color("#ABC").as_deref(), Some("#aabbcc"));
        assert_eq!(hex_color("#aabbccdd").as_deref(), Some("#aabbcc"));
        assert_eq!(hex_color("rgb(1, 2, 3)"), None);
        assert_eq!(hex_color("#aéb"), None);
        assert_eq!(normal("a//b/"), "/a/b");
        assert_eq!(
            kebab("Getting Started: the API!"),
            "getting-started-the-api"
        );
        assert!(is_source("/a") && !is_source("/") && !is_source("/a?b"));
        assert!(is_plain("/a:b") && !is_plain("/a/:b"));
    }
}
