//! The navigation tree and the pages as `quire routes` shows them: the shape that scripts hold on to.

use serde_json::{Map, Value, json};

use crate::config::navigation::NodeKind;
use crate::db::Db;
use crate::inputs::{Site, SourceFile};
use crate::navigation::{NavigationNode, Target, navigation_tree, page_section, sections};
use crate::page::{front_matter, page_label, page_list, page_route, page_title};

/// `{"tree": […], "pages": […]}`: the navigation in display order, and every page, those of the navigation first.
pub fn routes(db: &dyn Db, site: Site) -> Value {
    let tree: Vec<Value> = navigation_tree(db, site)
        .nodes
        .iter()
        .map(|node| node_value(db, node))
        .collect();
    let mut pages: Vec<SourceFile> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    let listed = sections(db, site)
        .iter()
        .flat_map(|section| section.pages(db).iter().chain(section.hidden_pages(db)));
    for file in listed.chain(page_list(db, site).value.values()) {
        if seen.insert(file.path(db)) {
            pages.push(*file);
        }
    }
    json!({ "tree": tree, "pages": pages.into_iter().map(|file| page_value(db, file)).collect::<Vec<_>>() })
}

fn node_value(db: &dyn Db, node: &NavigationNode) -> Value {
    let mut value = Map::new();
    let label = match &node.target {
        Target::File(file) if node.kind == NodeKind::Page => page_label(db, *file).label.clone(),
        _ => node.label.clone(),
    };
    value.insert("kind".into(), node.kind.word().into());
    value.insert("label".into(), label.into());
    if let Some(icon) = &node.icon {
        value.insert("icon".into(), icon.name.clone().into());
    }
    if node.hidden {
        value.insert("hidden".into(), true.into());
    }
    if let Some(spec) = node.openapi.first() {
        value.insert("openapi".into(), spec.source.clone().into());
    }
    let route = match &node.target {
        Target::File(file) => Some(page_route(db, *file).to_string()),
        Target::Href(href) => Some(href.clone()),
        Target::None => node.root.map(|file| page_route(db, file).to_string()),
        Target::Missing(_) | Target::Operation { .. } | Target::Webhook { .. } => None,
    };
    if let Some(route) = route {
        value.insert("route".into(), route.into());
    }
    let children: Vec<Value> = node
        .children
        .iter()
        .map(|child| node_value(db, child))
        .collect();
    value.insert("children".into(), children.into());
    Value::Object(value)
}

fn page_value(db: &dyn Db, file: SourceFile) -> Value {
    let matter = &front_matter(db, file).value;
    let mut value = Map::new();
    value.insert("route".into(), page_route(db, file).to_string().into());
    value.insert("title".into(), page_title(db, file).clone().into());
    if let Some(title) = &matter.sidebar_title {
        value.insert("sidebarTitle".into(), title.clone().into());
    }
    if let Some(description) = &matter.description {
        value.insert("description".into(), description.clone().into());
    }
    value.insert("source".into(), file.path(db).to_string().into());
    // Operations and schemas are bound when specifications are read.
    value.insert("operation".into(), Value::Null);
    value.insert("schema".into(), Value::Null);
    value.insert("spec".into(), Value::Null);
    if let Some(version) = &matter.version {
        value.insert("version".into(), version.clone().into());
    }
    let section = page_section(db, file);
    let hidden = matter
        .hidden
        .unwrap_or_else(|| section.is_none_or(|section| section.hidden_pages(db).contains(&file)));
    value.insert(
        "deprecated".into(),
        (matter.deprecated == Some(true)).into(),
    );
    value.insert("hidden".into(), hidden.into());
    value.insert("noindex".into(), (matter.noindex == Some(true)).into());
    Value::Object(value)
}
