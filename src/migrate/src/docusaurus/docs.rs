//! Documents of Docusaurus: their ids, addresses and order, as its plugin for documents gives them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use queries::base::path::SitePath;
use regex::Regex;

use crate::draft::{Draft, normal};
use crate::folder::join;
use crate::page::{Page, is_page};

/// A document.
#[derive(Clone, Debug)]
pub(crate) struct Doc {
    /// Its name in the navigation of `docs.json`.
    pub(crate) name: String,
    /// Path from the folder of the documents.
    pub(crate) path: String,
    /// Address.
    pub(crate) address: String,
    /// Label in the sidebar, if it is not the title of the page.
    pub(crate) label: Option<String>,
    pub(crate) position: Option<f64>,
    /// Title that readers see.
    pub(crate) title: String,
}

/// The documents of one folder, by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Docs {
    pub(crate) folder: String,
    pub(crate) by_id: BTreeMap<String, Doc>,
}

impl Docs {
    /// The document that a sidebar calls `id`.
    pub(crate) fn get(&self, id: &str) -> Option<&Doc> {
        // Sidebars of old versions have `version-1.0/` before each id.
        let bare = || {
            id.strip_prefix("version-")
                .and_then(|rest| rest.split_once('/'))
        };
        self.by_id.get(id).or_else(|| self.by_id.get(bare()?.1))
    }
}

/// Reads the documents in `folder`, which were at `base`.
pub(crate) fn read(draft: &mut Draft<'_>, folder: &str, base: &str) -> Docs {
    let mut docs = Docs {
        folder: folder.to_owned(),
        by_id: BTreeMap::new(),
    };
    let is_hidden = |path: &str| path.split('/').any(|part| part.starts_with(['_', '.']));
    let all = draft.folder;
    for path in all.files(folder).filter(|path| is_page(path)) {
        let below = path.as_str()[folder.len()..].trim_start_matches('/');
        if is_hidden(below) {
            continue;
        }
        let page = Page::read(draft.folder, path);
        if page.is_draft() {
            draft.report.count(
                "`draft: true`",
                "write `hidden: true`, or list the page in `.mintignore`",
                crate::node::Place::of_file(path.as_str()),
            );
        } else {
            let (id, doc) = doc(draft, &page, path, below, base);
            draft.moves(&doc.address, &doc.name);
            docs.by_id.insert(id, doc);
        }
        draft.add_page(page);
    }
    let new = draft.below_served(folder).to_owned();
    if !docs.by_id.is_empty() {
        draft.moves_folder(base, &new);
    }
    docs
}

fn doc(
    draft: &Draft<'_>,
    page: &Page,
    path: &SitePath,
    relative: &str,
    base: &str,
) -> (String, Doc) {
    let stem = relative.rsplit_once('.').map_or(relative, |(stem, _)| stem);
    let (folder, file) = stem.rsplit_once('/').unwrap_or(("", stem));
    let folders: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let folders: Vec<&str> = folders.into_iter().map(|part| unnumbered(part).1).collect();
    let (number, bare) = unnumbered(file);
    let own_id = page.meta.text_of("id").unwrap_or(bare);
    let folder = folders.join("/");
    let id = match folder.is_empty() {
        true => own_id.to_owned(),
        false => format!("{folder}/{own_id}"),
    };
    let is_index = is_category_index(bare, folders.last().copied());
    let slug = match page.meta.text_of("slug") {
        Some(slug) if slug.starts_with('/') => slug.to_owned(),
        Some(slug) => join(&folder, slug).unwrap_or_default(),
        None if is_index => folder.clone(),
        None => id.clone(),
    };
    let own_title = page.title();
    let title = own_title.unwrap_or(bare).to_owned();
    let label = page
        .meta
        .text_of("sidebar_label")
        .filter(|label| *label != title);
    // Without a title a page is called after its file, whose name may begin with a number.
    let label = label.map(str::to_owned).or_else(|| match own_title {
        None if bare != file => Some(bare.to_owned()),
        _ => None,
    });
    let doc = Doc {
        name: draft.page_name(path),
        path: relative.to_owned(),
        address: normal(&format!("{base}/{slug}")),
        label,
        position: page.meta.number_of("sidebar_position").or(number),
        title,
    };
    (id, doc)
}

/// Returns true if a file of the name `file` is the page of the folder `folder` that it is in.
pub(crate) fn is_category_index(file: &str, folder: Option<&str>) -> bool {
    let file = file.to_lowercase();
    file == "index"
        || file == "readme"
        || folder.is_some_and(|folder| folder.to_lowercase() == file)
}

/// Splits a number that only orders off `name`: `01-intro`. Dates and versions are names.
pub(crate) fn unnumbered(name: &str) -> (Option<f64>, &str) {
    static NAME: LazyLock<Option<(Regex, Regex)>> = LazyLock::new(|| {
        let ignored = r"^(?:(?:\d{2}|\d{4})[-_.]\d{2}(?:[-_.](?:\d{2}|\d{4}))?|\d+[-_.]\d+)";
        let numbered = r"^(\d+)\s*[-_.]+\s*([^-_.\s].*)$";
        Some((Regex::new(ignored).ok()?, Regex::new(numbered).ok()?))
    });
    let Some((ignored, numbered)) = &*NAME else {
        return (None, name);
    };
    if ignored.is_match(name) {
        return (None, name);
    }
    let Some(found) = numbered.captures(name) else {
        return (None, name);
    };
    let number = found.get(1).and_then(|number| number.as_str().parse().ok());
    (number, found.get(2).map_or(name, |rest| rest.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_order_and_dates_are_names() {
        for (name, number, rest) in [
            ("01-intro", Some(1.0), "intro"),
            ("2. Setup", Some(2.0), "Setup"),
            ("3 - a", Some(3.0), "a"),
            ("2021-11-foo", None, "2021-11-foo"),
            ("1.2-notes", None, "1.2-notes"),
            ("v2", None, "v2"),
            ("7", None, "7"),
        ] {
            assert_eq!(unnumbered(name), (number, rest), "{name}");
        }
    }
}
