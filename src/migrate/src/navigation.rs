//! Navigation of any generator, and what it is in `docs.json`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// An entry of a sidebar.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entry {
    /// The page at a path without ending, from the folder that is served.
    Page {
        page: String,
        /// Label, if it is not the title of the page.
        label: Option<String>,
    },
    /// A link.
    Link { label: String, href: String },
    /// Entries under a heading.
    Group(Group),
}

/// Entries under a heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Group {
    pub(crate) label: String,
    /// Page of the heading itself.
    pub(crate) root: Option<String>,
    /// Whether it is initially open, if that is said.
    pub(crate) is_open: Option<bool>,
    pub(crate) entries: Vec<Entry>,
}

/// A sidebar, as a tab of the site.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tab {
    pub(crate) label: String,
    pub(crate) entries: Vec<Entry>,
}

/// Counts of a navigation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// Pages that it lists.
    pub(crate) pages: BTreeSet<String>,
    /// Number of groups.
    pub(crate) groups: usize,
    /// Labels of pages that are not their titles.
    pub(crate) labels: Vec<(String, String)>,
}

/// Returns the members that hold `tabs`: `tabs`, or `groups` and `pages` of the only one.
pub(crate) fn members_of_tabs(tabs: &[Tab], counts: &mut Counts) -> Map<String, Value> {
    let tabs: Vec<&Tab> = tabs.iter().filter(|tab| !is_empty(&tab.entries)).collect();
    match tabs.as_slice() {
        [] => Map::from_iter([("pages".to_owned(), json!([]))]),
        [tab] => members(&tab.entries, counts),
        tabs => {
            let tabs = tabs.iter().map(|tab| {
                let mut members = members(&tab.entries, counts);
                members.shift_insert(0, "tab".to_owned(), tab.label.clone().into());
                Value::Object(members)
            });
            let tabs: Vec<Value> = tabs.collect();
            Map::from_iter([("tabs".to_owned(), tabs.into())])
        }
    }
}

/// Returns the members of an element that hold `entries`: `groups` or `pages`, and `global` with the
/// links among them, which have no label in `pages`.
pub(crate) fn members(entries: &[Entry], counts: &mut Counts) -> Map<String, Value> {
    let mut links = Vec::new();
    let pages = values(entries, &mut links, counts);
    let mut members = Map::new();
    if !links.is_empty() {
        members.insert("global".to_owned(), json!({ "anchors": links }));
    }
    let is_grouped = !pages.is_empty() && pages.iter().all(Value::is_object);
    let key = if is_grouped { "groups" } else { "pages" };
    members.insert(key.to_owned(), pages.into());
    members
}

fn values(entries: &[Entry], links: &mut Vec<Value>, counts: &mut Counts) -> Vec<Value> {
    let mut values = Vec::new();
    for entry in entries {
        match entry {
            Entry::Page { page, label } => {
                counts.pages.insert(page.clone());
                if let Some(label) = label {
                    counts.labels.push((page.clone(), label.clone()));
                }
                values.push(Value::String(page.clone()));
            }
            Entry::Link { label, href } => {
                let link = json!({ "anchor": label, "href": href });
                if !links.contains(&link) {
                    links.push(link);
                }
            }
            Entry::Group(group) => {
                let pages = values_of_group(group, links, counts);
                if pages.is_empty() && group.root.is_none() {
                    continue;
                }
                counts.groups += 1;
                let mut members = Map::new();
                members.insert("group".to_owned(), group.label.clone().into());
                if let Some(root) = &group.root {
                    counts.pages.insert(root.clone());
                    members.insert("root".to_owned(), root.clone().into());
                }
                if let Some(is_open) = group.is_open {
                    members.insert("expanded".to_owned(), is_open.into());
                }
                members.insert("pages".to_owned(), pages.into());
                values.push(Value::Object(members));
            }
        }
    }
    values
}

fn values_of_group(group: &Group, links: &mut Vec<Value>, counts: &mut Counts) -> Vec<Value> {
    // The page of a heading is not listed below it again.
    let is_own = |entry: &&Entry| {
        let is_root =
            matches!(entry, Entry::Page { page, .. } if Some(page) == group.root.as_ref());
        !is_root
    };
    let entries: Vec<Entry> = group.entries.iter().filter(is_own).cloned().collect();
    values(&entries, links, counts)
}

fn is_empty(entries: &[Entry]) -> bool {
    entries.iter().all(|entry| match entry {
        Entry::Group(group) => group.root.is_none() && is_empty(&group.entries),
        Entry::Page { .. } | Entry::Link { .. } => false,
    })
}

/// The first page of `entries`, wherever it is.
pub(crate) fn has_page(entries: &[Entry], route: &str) -> bool {
    entries.iter().any(|entry| match entry {
        Entry::Page { page, .. } => page == route,
        Entry::Group(group) => {
            group.root.as_deref() == Some(route) || has_page(&group.entries, route)
        }
        Entry::Link { .. } => false,
    })
}

/// Returns true if `href` leads to another site.
pub(crate) fn is_external(href: &str) -> bool {
    href.contains("://") || href.starts_with("mailto:") || href.starts_with("//")
}
