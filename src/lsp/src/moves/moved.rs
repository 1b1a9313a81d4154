//! Moved files, and what a link or an entry of the configuration that names one becomes.

use std::collections::BTreeMap;

use queries::base::path::{Route, SitePath};
use queries::site::{LinkTarget, is_page, resolve_link};

/// Extensions that links to pages are written with.
const EXTENSIONS: &[&str] = &[".mdx", ".md", ".html"];

/// Files by their paths before and after.
#[derive(Debug, Default)]
pub struct Moves {
    files: BTreeMap<SitePath, SitePath>,
    /// Pages by their routes before.
    pages: BTreeMap<Route, SitePath>,
}

impl Moves {
    /// Moves of files, by their paths before.
    pub fn new(files: BTreeMap<SitePath, SitePath>) -> Self {
        let pages = files.iter().filter(|(old, _)| is_page(old));
        let pages = pages.map(|(old, new)| (Route::of_page(old), new.clone()));
        Self {
            pages: pages.collect(),
            files,
        }
    }

    /// Returns the path of a file after the move.
    pub fn after<'a>(&'a self, path: &'a SitePath) -> &'a SitePath {
        self.files.get(path).unwrap_or(path)
    }

    /// Returns the routes of pages that are at another one afterwards, each with the new one.
    pub fn routes(&self) -> Vec<(Route, Route)> {
        let routes = self.pages.iter();
        let routes = routes.map(|(old, file)| (old.clone(), Route::of_page(file)));
        routes.filter(|(old, new)| old != new).collect()
    }

    /// Returns `href` as it must be written in the file at `path`, itself before its move; `None` if
    /// it stays as it is.
    pub(super) fn link(&self, path: &SitePath, href: &str) -> Option<String> {
        let LinkTarget::Site { path: target, .. } = resolve_link(path, href) else {
            return None;
        };
        let path_part = href.find(['?', '#']).map_or(href, |at| &href[..at]);
        let rest = &href[path_part.len()..];
        let (new, is_page) = match Route::new(&target).and_then(|route| self.pages.get(&route)) {
            Some(file) => (Route::of_page(file).as_str().to_owned(), true),
            None => match SitePath::new(&target).and_then(|file| self.files.get(&file)) {
                Some(file) => (format!("/{file}"), false),
                None => (target.clone(), Route::new(&target).is_some()),
            },
        };
        let new_path = self.after(path);
        let is_rooted = path_part.starts_with('/');
        if new == target && (is_rooted || new_path.folder() == path.folder()) {
            return None;
        }
        let extension = EXTENSIONS.iter().find(|end| path_part.ends_with(**end));
        let extension = extension
            .filter(|_| is_page && new != "/")
            .map_or("", |end| end);
        let link = match is_rooted {
            true => new,
            false => {
                let relative = relative(new_path.folder(), new.trim_start_matches('/'));
                match path_part.starts_with("./") || relative.is_empty() {
                    true if !relative.starts_with('.') => format!("./{relative}"),
                    _ => relative,
                }
            }
        };
        Some(format!("{link}{extension}{rest}"))
    }

    /// Returns the words of an import in the file at `path` after the move.
    pub(super) fn import(&self, path: &SitePath, words: &str) -> Option<String> {
        let target = path.resolve(words)?;
        let (new, moved) = (self.after(&target), self.after(path));
        if words.starts_with('/') {
            return (*new != target).then(|| format!("/{new}"));
        }
        if !words.starts_with('.') || *new == target && moved.folder() == path.folder() {
            return None;
        }
        let link = relative(moved.folder(), new.as_str());
        Some(match link.starts_with('.') {
            true => link,
            false => format!("./{link}"),
        })
    }

    /// Returns an entry of the configuration after the move: the path of a page or a file.
    pub(super) fn entry(&self, text: &str) -> Option<String> {
        let written = text.find(['?', '#']).map_or(text, |at| &text[..at]);
        let rest = &text[written.len()..];
        let slash = if written.starts_with('/') { "/" } else { "" };
        let path = SitePath::new(written.trim_end_matches('/'))?;
        if let Some(new) = self.files.get(&path) {
            return Some(format!("{slash}{new}{rest}"));
        }
        let as_page = SitePath::new(&format!("{path}.mdx"))?;
        let (old, new) = (self.files.iter()).find(|(old, _)| {
            is_page(old)
                && (old.stem() == path.as_str() || Route::of_page(old) == Route::of_page(&as_page))
        })?;
        let new = match old.stem() == path.as_str() {
            true => new.stem().to_owned(),
            false => Route::of_page(new)
                .as_str()
                .trim_start_matches('/')
                .to_owned(),
        };
        Some(format!("{slash}{new}{rest}"))
    }
}

/// Returns the relative link from a file in `folder` to `target`, both below the root.
fn relative(folder: &str, target: &str) -> String {
    let mut from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let mut to: Vec<&str> = target.split('/').filter(|part| !part.is_empty()).collect();
    from.reverse();
    to.reverse();
    while to.len() > 1 && from.last().is_some() && from.last() == to.last() {
        from.pop();
        to.pop();
    }
    to.reverse();
    "../".repeat(from.len()) + &to.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> SitePath {
        SitePath::new(text).expect("a path")
    }

    fn moves(files: &[(&str, &str)]) -> Moves {
        Moves::new(
            files
                .iter()
                .map(|(old, new)| (path(old), path(new)))
                .collect(),
        )
    }

    #[test]
    fn links_lead_to_the_new_place() {
        let moves = moves(&[("a/old.mdx", "b/c/new.mdx"), ("img/x.png", "y.png")]);
        let cases = [
            ("index.mdx", "/a/old#part", Some("/b/c/new#part")),
            ("index.mdx", "a/old.mdx?x=1", Some("b/c/new.mdx?x=1")),
            ("index.mdx", "./a/old", Some("./b/c/new")),
            ("a/other.mdx", "old.html", Some("../b/c/new.html")),
            ("a/other.mdx", "../img/x.png", Some("../y.png")),
            ("a/other.mdx", "https://example.org/a/old", None),
            ("a/other.mdx", "#part", None),
            ("a/other.mdx", "/a/older", None),
            // Links of the moved page itself.
            ("a/old.mdx", "other", Some("../../a/other")),
            ("a/old.mdx", "./other.md", Some("../../a/other.md")),
            ("a/old.mdx", "/img/x.png", Some("/y.png")),
            ("a/old.mdx", "/a/other", None),
            ("a/old.mdx", "#part", None),
        ];
        for (from, href, expected) in cases {
            let link = moves.link(&path(from), href);
            assert_eq!(link.as_deref(), expected, "{from}: {href}");
        }
    }

    #[test]
    fn imports_lead_to_the_new_place() {
        let moves = moves(&[("snippets/a.mdx", "snippets/b/c.mdx"), ("p/x.mdx", "x.mdx")]);
        let cases = [
            ("index.mdx", "/snippets/a.mdx", Some("/snippets/b/c.mdx")),
            ("index.mdx", "./snippets/a.mdx", Some("./snippets/b/c.mdx")),
            (
                "p/x.mdx",
                "../snippets/other.mdx",
                Some("./snippets/other.mdx"),
            ),
            ("p/x.mdx", "react", None),
        ];
        for (from, words, expected) in cases {
            let import = moves.import(&path(from), words);
            assert_eq!(import.as_deref(), expected, "{from}: {words}");
        }
    }

    #[test]
    fn entries_name_the_new_place() {
        let moves = moves(&[
            ("a/old.mdx", "a/new.mdx"),
            ("b/index.mdx", "c/index.mdx"),
            ("l.svg", "i/l.svg"),
        ]);
        let cases = [
            ("a/old", Some("a/new")),
            ("/a/old.mdx", Some("/a/new.mdx")),
            ("/a/old#x", Some("/a/new#x")),
            ("b/index", Some("c/index")),
            ("/b", Some("/c")),
            ("/l.svg", Some("/i/l.svg")),
            ("a/older", None),
            ("", None),
        ];
        for (entry, expected) in cases {
            assert_eq!(moves.entry(entry).as_deref(), expected, "{entry}");
        }
    }
}
