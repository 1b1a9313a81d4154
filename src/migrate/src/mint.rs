//! `mint.json`: written as the `docs.json` that it is read as.

use queries::base::path::SitePath;
use serde_json::Value;

use crate::draft::Draft;
use crate::folder::{Folder, parent};
use crate::node::{Node, Place};
use crate::page::{Page, is_page};

/// Reads the site whose configuration is the file `file`.
pub(crate) fn read<'f>(folder: &'f Folder, file: &str) -> Draft<'f> {
    let mut draft = Draft::new(folder, parent(file));
    let text = folder.read(file).unwrap_or_default();
    let (Ok(old), Some(path)) = (serde_json::from_str::<Value>(&text), SitePath::new(file)) else {
        draft.report.add(
            &Place::of_file(file),
            "the file, which is not valid JSON",
            "mend it, and migrate again",
        );
        return draft;
    };
    let node = Node::of_value(&path, &old);
    let mut new = match queries::site::upgraded_config(&path, old) {
        Value::Object(new) => new,
        _ => return draft,
    };
    if let Some(Value::Object(navigation)) = new.shift_remove("navigation") {
        draft.navigation = navigation;
    }
    if let Some(Value::Object(colors)) = new.shift_remove("colors") {
        draft.colors = colors;
    }
    draft.name = new
        .shift_remove("name")
        .and_then(|name| name.as_str().map(str::to_owned));
    new.shift_remove("theme");
    for redirect in new
        .shift_remove("redirects")
        .as_ref()
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let text = |key: &str| redirect[key].as_str();
        if let (Some(from), Some(to)) = (text("source"), text("destination")) {
            draft.keep_redirect(from, to);
        }
    }
    draft.config = new;
    list_pages(&Value::Object(draft.navigation.clone()), &mut draft);
    for key in [
        "isWhiteLabeled",
        "sidebar",
        "rounded",
        "layout",
        "topAnchor",
    ] {
        if let Some(node) = node.get(key) {
            draft
                .report
                .add(&node.place, format!("`{key}`"), "docs.json has no such key");
        }
    }
    let served = draft.served.clone();
    for path in folder.files(&served).filter(|path| is_page(path)) {
        draft.add_page(Page::read(folder, path));
    }
    draft
}

/// Counts the pages and the groups in a part of the navigation.
fn list_pages(value: &Value, draft: &mut Draft<'_>) {
    match value {
        Value::Object(members) => {
            draft.counts.groups += usize::from(members.contains_key("group"));
            for (key, member) in members {
                match member {
                    Value::Array(items) if key == "pages" => {
                        let pages = items.iter().filter_map(Value::as_str);
                        draft
                            .counts
                            .pages
                            .extend(pages.map(|page| page.trim_matches('/').to_owned()));
                        items.iter().for_each(|item| list_pages(item, draft));
                    }
                    member => list_pages(member, draft),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| list_pages(item, draft)),
        _ => {}
    }
}
