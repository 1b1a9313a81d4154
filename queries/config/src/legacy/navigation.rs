//! The navigation of a `mint.json`: one flat list of groups, spread over tabs, anchors and versions by address.

use serde_json::Value;

use crate::legacy::{Draft, Old, field};
use base::data::pointer::child;

/// A tab or anchor of the old format: it owns the groups whose pages are below its address.
struct Owner<'a> {
    old: Old<'a>,
    url: &'a str,
}

impl Owner<'_> {
    fn is_external(&self) -> bool {
        self.url.contains(':') || self.url.starts_with('#')
    }

    fn owns(&self, page: &str) -> bool {
        let below = page
            .trim_start_matches('/')
            .strip_prefix(self.url.trim_matches('/'));
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

fn owners<'a>(root: &Old<'a>, key: &str) -> Vec<Owner<'a>> {
    let owners = root.items(key).into_iter().map(|old| Owner {
        url: old.text("url").unwrap_or(""),
        old,
    });
    owners.collect()
}

/// The old format has one flat list of groups. A version takes the groups that name it or none; in it, tabs (or anchors,
/// where there are no tabs) take the groups whose first page is below their address, the rest comes first.
pub(super) fn navigation(root: &Old<'_>) -> Draft {
    let (links, anchors): (Vec<_>, Vec<_>) = owners(root, "anchors")
        .into_iter()
        .partition(Owner::is_external);
    let mut members = Vec::new();
    if !links.is_empty() {
        let names = [("name", "anchor"), ("icon", "icon"), ("url", "href")];
        let links = links.iter().map(|link| link.old.renamed(&names)).collect();
        let list = field("anchors", Draft::List("/anchors".to_owned(), links));
        let global = Draft::Object("/anchors".to_owned(), vec![list]);
        members.push(field("global", global));
    }
    let versions = root.items("versions");
    if versions.is_empty() {
        members.push(containers(root, &anchors, None));
    } else {
        let versions = versions.iter().filter_map(|version| {
            let name = version.value().as_str().or_else(|| version.text("name"))?;
            let mut members = vec![field("version", version.replacement(name))];
            members.extend(
                version
                    .get("default")
                    .map(|old| field("default", old.relocation())),
            );
            members.push(containers(root, &anchors, Some(name)));
            Some(Draft::Object(version.at.clone(), members))
        });
        let versions = Draft::List("/versions".to_owned(), versions.collect());
        members.push(field("versions", versions));
    }
    Draft::Object("/navigation".to_owned(), members)
}

fn containers(root: &Old<'_>, anchors: &[Owner<'_>], version: Option<&str>) -> (String, Draft) {
    let of_version = |old: &Old<'_>| match (old.text("version"), version) {
        (Some(wanted), Some(version)) => wanted == version,
        _ => true,
    };
    let groups = root.items("navigation");
    let groups: Vec<_> = groups
        .into_iter()
        .filter(|group| of_version(group))
        .collect();
    let tabs = owners(root, "tabs");
    let (list, label) = if tabs.is_empty() {
        ("anchors", "anchor")
    } else {
        ("tabs", "tab")
    };
    let owners: Vec<&Owner<'_>> = tabs
        .iter()
        .chain(anchors)
        .filter(|owner| of_version(&owner.old))
        .collect();
    let at = "/navigation".to_owned();
    if owners.is_empty() {
        return field(
            "groups",
            Draft::List(at, groups.iter().map(group).collect()),
        );
    }
    let mut owned: Vec<Vec<Draft>> = owners.iter().map(|_| Vec::new()).collect();
    let mut rest = Vec::new();
    for old in &groups {
        let page = first_page(old.value()).unwrap_or("");
        let candidates = owners.iter().enumerate();
        let candidates = candidates.filter(|(_, owner)| !owner.is_external() && owner.owns(page));
        match candidates.max_by_key(|(_, owner)| owner.url.trim_matches('/').len()) {
            Some((i, _)) => owned[i].push(group(old)),
            None => rest.push(group(old)),
        }
    }
    let mut elements = Vec::new();
    if !rest.is_empty() {
        let first = root.get(if tabs.is_empty() {
            "topAnchor"
        } else {
            "primaryTab"
        });
        let mut members = match &first {
            Some(first) if first.text("name").is_some() => {
                vec![field(label, Draft::Moved(child(&first.at, "name")))]
            }
            _ => vec![field(
                label,
                Draft::Instead(at.clone(), "Documentation".into()),
            )],
        };
        let icon = first.and_then(|first| first.get("icon"));
        members.extend(icon.map(|icon| field("icon", icon.relocation())));
        members.push(field("groups", Draft::List(at.clone(), rest)));
        elements.push(Draft::Object(at.clone(), members));
    }
    for (owner, groups) in owners.iter().zip(owned) {
        let mut members = Vec::new();
        for (old, new) in [("name", label), ("icon", "icon"), ("openapi", "openapi")] {
            members.extend(owner.old.get(old).map(|old| field(new, old.relocation())));
        }
        if owner.is_external() {
            members.extend(
                owner
                    .old
                    .get("url")
                    .map(|url| field("href", url.relocation())),
            );
        } else {
            members.push(field("groups", Draft::List(at.clone(), groups)));
        }
        elements.push(Draft::Object(owner.old.at.clone(), members));
    }
    field(list, Draft::List(at, elements))
}

/// A group without what only the old format has.
fn group(old: &Old<'_>) -> Draft {
    if !old.value().is_object() {
        return Draft::Moved(old.at.clone());
    }
    let mut members = Vec::new();
    for (key, _) in old.value().as_object().into_iter().flatten() {
        if key == "iconType" {
            continue;
        }
        let Some(member) = old.get(key) else { continue };
        members.push(field(key, member.relocation()));
    }
    Draft::Object(old.at.clone(), members)
}

/// The first page of a group, wherever it is nested.
fn first_page(group: &Value) -> Option<&str> {
    let entries = group.get("pages")?.as_array()?;
    entries
        .iter()
        .find_map(|entry| entry.as_str().or_else(|| first_page(entry)))
}
