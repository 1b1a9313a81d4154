//! The configuration of a folder that has none: navigation from its folders, references from its
//! specifications. It is what `docs.json` would hold, and read the same way.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use base::path::{SitePath, unnumbered};
use serde_json::{Value, json};

/// Color of the theme where nobody chose one.
const COLOR: &str = "#0a7a5a";

/// Name of a site whose pages and documents say none.
const NAME: &str = "Documentation";

/// A specification in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {
    /// Path.
    pub path: SitePath,
    /// `info.title`.
    pub title: Option<String>,
    /// Whether it describes channels (AsyncAPI).
    pub is_asyncapi: bool,
}

/// Returns the configuration for `pages` and `documents`, in any order; `None` if there is neither.
/// `name` is that of the site, if a page says one, and `label` makes a label of the name of a
/// folder.
pub fn derived(
    name: Option<&str>,
    pages: &[SitePath],
    documents: &[Specification],
    label: &dyn Fn(&str) -> String,
) -> Option<Value> {
    let mut root = Folder::default();
    for page in pages {
        root.insert(page.stem());
    }
    let guides = root.entries("", label);
    let references: Vec<Value> = documents
        .iter()
        .map(|document| {
            let key = if document.is_asyncapi {
                "asyncapi"
            } else {
                "openapi"
            };
            let title = document.title.clone();
            let name = document.path.stem().rsplit('/').next().unwrap_or_default();
            let group = title.unwrap_or_else(|| label(name));
            json!({ "group": group, key: document.path.to_string() })
        })
        .collect();
    let navigation = match (guides.is_empty(), references.is_empty()) {
        (true, true) => return None,
        (false, true) => json!({ "groups": grouped(guides) }),
        (true, false) => json!({ "groups": references }),
        (false, false) => json!({ "tabs": [
            { "tab": "Guides", "groups": grouped(guides) },
            { "tab": "API reference", "groups": references },
        ] }),
    };
    let title = match documents {
        [document] => document.title.as_deref(),
        _ => None,
    };
    Some(json!({
        "theme": "mint",
        "name": name.or(title).unwrap_or(NAME),
        "colors": { "primary": COLOR },
        "navigation": navigation,
    }))
}

/// Returns true if the navigation of `derived`, a configuration of [`derived`], lists files.
pub fn lists_pages(derived: &Value) -> bool {
    let navigation = &derived["navigation"];
    let groups = navigation["tabs"][0]["groups"].as_array();
    let groups = groups.or_else(|| navigation["groups"].as_array());
    groups.is_some_and(|groups| groups.iter().any(|group| group.get("pages").is_some()))
}

/// Puts the pages of the root into a group, before those of the folders.
fn grouped(entries: Vec<Value>) -> Vec<Value> {
    let (pages, mut groups): (Vec<Value>, Vec<Value>) =
        entries.into_iter().partition(Value::is_string);
    if !pages.is_empty() {
        groups.insert(0, json!({ "group": "Overview", "pages": pages }));
    }
    groups
}

/// Pages and folders of a folder.
#[derive(Default)]
struct Folder<'p> {
    pages: Vec<&'p str>,
    folders: BTreeMap<&'p str, Folder<'p>>,
}

impl<'p> Folder<'p> {
    /// Adds the page at `stem`, relative to this folder, without its extension.
    fn insert(&mut self, stem: &'p str) {
        match stem.split_once('/') {
            Some((folder, rest)) => self.folders.entry(folder).or_default().insert(rest),
            None => self.pages.push(stem),
        }
    }

    /// Returns the pages, then the folders as groups. `prefix` is the path of this folder with a
    /// slash behind it.
    fn entries(&self, prefix: &str, label: &dyn Fn(&str) -> String) -> Vec<Value> {
        let mut pages = self.pages.clone();
        pages.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| natural(a, b)));
        pages.dedup();
        let pages = pages.iter().map(|page| json!(format!("{prefix}{page}")));
        let mut folders: Vec<(&&str, &Folder<'_>)> = self.folders.iter().collect();
        folders.sort_by(|(a, _), (b, _)| natural(a, b));
        let groups = folders.into_iter().map(|(name, folder)| {
            let pages = folder.entries(&format!("{prefix}{name}/"), label);
            json!({ "group": label(unnumbered(name)), "pages": pages })
        });
        pages.chain(groups).collect()
    }
}

/// Places the page that a folder begins with first.
fn rank(page: &str) -> u8 {
    match page.to_ascii_lowercase().as_str() {
        "index" => 0,
        "readme" => 1,
        "introduction" | "intro" | "overview" => 2,
        "quickstart" | "getting-started" => 3,
        "changelog" | "license" | "code_of_conduct" => 9,
        _ => 5,
    }
}

/// Compares names by their letters, and digits in them as numbers: `2-setup` before `10-more`.
fn natural(a: &str, b: &str) -> Ordering {
    let number = |text: &str| {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        (digits, text[..digits].trim_start_matches('0').to_owned())
    };
    let whole = a.cmp(b);
    let (mut a, mut b) = (a, b);
    loop {
        let ((in_a, left), (in_b, right)) = (number(a), number(b));
        if in_a > 0 && in_b > 0 {
            let order = left.len().cmp(&right.len()).then(left.cmp(&right));
            if order != Ordering::Equal {
                return order;
            }
            (a, b) = (&a[in_a..], &b[in_b..]);
            continue;
        }
        let (mut rest_a, mut rest_b) = (a.chars(), b.chars());
        match (rest_a.next(), rest_b.next()) {
            (None, None) => return whole,
            (None, _) => return Ordering::Less,
            (_, None) => return Ordering::Greater,
            (Some(x), Some(y)) => {
                let order = x.to_lowercase().cmp(y.to_lowercase());
                if order != Ordering::Equal {
                    return order;
                }
            }
        }
        (a, b) = (rest_a.as_str(), rest_b.as_str());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(paths: &[&str]) -> Vec<SitePath> {
        paths
            .iter()
            .filter_map(|path| SitePath::new(path))
            .collect()
    }

    fn document(path: &str, title: Option<&str>, is_asyncapi: bool) -> Specification {
        Specification {
            path: SitePath::new(path).unwrap(),
            title: title.map(str::to_owned),
            is_asyncapi,
        }
    }

    #[track_caller]
    fn check(pages: &[&str], documents: &[Specification], navigation: Value, name: &str) {
        let config = derived(None, &paths(pages), documents, &str::to_owned).unwrap();
        assert_eq!(config["navigation"], navigation);
        assert_eq!(config["name"], name);
    }

    #[test]
    fn folders_are_groups_in_natural_order() {
        let pages = [
            "10-more/a.md",
            "2-setup/b.md",
            "2-setup/README.md",
            "2-setup/linux/x.mdx",
            "zebra.md",
            "README.md",
            "CHANGELOG.md",
            "Alpha.md",
        ];
        check(
            &pages,
            &[],
            json!({ "groups": [
                { "group": "Overview", "pages": ["README", "Alpha", "zebra", "CHANGELOG"] },
                { "group": "setup", "pages": [
                    "2-setup/README", "2-setup/b", { "group": "linux", "pages": ["2-setup/linux/x"] },
                ] },
                { "group": "more", "pages": ["10-more/a"] },
            ] }),
            "Documentation",
        );
    }

    #[test]
    fn documents_are_references() {
        check(
            &[],
            &[document("api/openapi.yaml", Some("Pets"), false)],
            json!({ "groups": [{ "group": "Pets", "openapi": "api/openapi.yaml" }] }),
            "Pets",
        );
        check(
            &["index.md"],
            &[
                document("a.json", None, false),
                document("events.yaml", Some("Events"), true),
            ],
            json!({ "tabs": [
                { "tab": "Guides", "groups": [{ "group": "Overview", "pages": ["index"] }] },
                { "tab": "API reference", "groups": [
                    { "group": "a", "openapi": "a.json" }, { "group": "Events", "asyncapi": "events.yaml" },
                ] },
            ] }),
            "Documentation",
        );
        assert_eq!(derived(Some("A"), &[], &[], &str::to_owned), None);
    }

    #[test]
    fn numbers_in_names_are_compared_as_numbers() {
        let mut names = ["b10", "b9", "a", "B9x", "b009", "b"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["a", "b", "b009", "b9", "B9x", "b10"]);
    }
}
