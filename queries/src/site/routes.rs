//! The navigation tree and the pages as `quire routes` shows them: the shape that scripts hold on to.

use serde_json::{Map, Value, json};

use crate::binding::{model_about, operation_about};
use crate::db::Db;
use crate::inputs::Site;
use crate::navigation::{NavigationNode, PageId, Target, navigation_tree, section_of, sections};
use crate::page::{
    entry_name, front_matter_of, is_introduction, is_named, label_of, page_list, route_of, title_of,
};
use base::data::pointer;
use config::navigation::NodeKind;

/// `{"tree": […], "pages": […]}`: the navigation in display order, and every page, those of the navigation first.
pub fn routes(db: &dyn Db, site: Site) -> Value {
    let tree: Vec<Value> = navigation_tree(db, site)
        .nodes
        .iter()
        .flat_map(NavigationNode::each)
        .map(|node| node_value(db, &node))
        .collect();
    let mut pages: Vec<PageId> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let listed = sections(db, site)
        .iter()
        .flat_map(|section| section.pages(db).iter().chain(section.hidden_pages(db)));
    let files = page_list(db, site).value.values();
    for page in listed.copied().chain(files.map(|file| PageId::File(*file))) {
        if seen.insert(page) {
            pages.push(page);
        }
    }
    let pages: Vec<Value> = pages.into_iter().map(|page| page_value(db, page)).collect();
    json!({ "tree": tree, "pages": pages })
}

fn node_value(db: &dyn Db, node: &NavigationNode) -> Value {
    let mut value = Map::new();
    let label = match &node.target {
        target if node.kind == NodeKind::Page => match target.pages().next() {
            Some(page) => label_of(db, page).label.clone(),
            None => node.label.clone(),
        },
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
    if let Some(spec) = node.asyncapi.first() {
        value.insert("asyncapi".into(), spec.source.clone().into());
    }
    let route = match &node.target {
        Target::Href(href) => Some(href.clone()),
        target => {
            let page = target.pages().next();
            let page = page.or_else(|| node.root.map(PageId::File));
            page.map(|page| route_of(db, page).to_string())
        }
    };
    if let Some(route) = route {
        value.insert("route".into(), route.into());
    }
    let children: Vec<Value> = node
        .children
        .iter()
        .flat_map(NavigationNode::each)
        .map(|child| node_value(db, &child))
        .collect();
    value.insert("children".into(), children.into());
    Value::Object(value)
}

fn page_value(db: &dyn Db, page: PageId) -> Value {
    let front_matter = &*front_matter_of(db, page);
    let mut value = Map::new();
    value.insert("route".into(), route_of(db, page).to_string().into());
    value.insert("title".into(), title_of(db, page).into());
    if let Some(title) = &front_matter.sidebar_title {
        value.insert("sidebarTitle".into(), title.clone().into());
    }
    if let Some(description) = &front_matter.description {
        value.insert("description".into(), description.clone().into());
    }
    let operation = operation_about(db, page);
    let schema = model_about(db, page);
    let spec = operation.map(|operation| operation.spec(db));
    let spec = spec.or(schema.map(|schema| schema.spec(db)));
    let spec = spec.map(|spec| Value::from(spec.name(db).as_str()));
    let source = match page {
        PageId::File(file) => Value::from(file.path(db).as_str()),
        PageId::Generated(_) => Value::Null,
    };
    value.insert("source".into(), source);
    let operation = operation.filter(|operation| !is_introduction(db, *operation));
    let operation = operation.map(|operation| match entry_name(db, operation) {
        (method, name) if is_named(&method) => format!("{} {name}", method.to_lowercase()),
        (method, path) => format!("{method} {path}"),
    });
    value.insert(
        "operation".into(),
        operation.map_or(Value::Null, Value::from),
    );
    let schema = schema.and_then(|schema| pointer::segments(schema.pointer(db)).last());
    value.insert("schema".into(), schema.map_or(Value::Null, Value::from));
    value.insert("spec".into(), spec.unwrap_or_default());
    if let Some(version) = &front_matter.version {
        value.insert("version".into(), version.clone().into());
    }
    let section = section_of(db, page);
    let hidden = front_matter
        .hidden
        .unwrap_or_else(|| section.is_none_or(|section| section.hidden_pages(db).contains(&page)));
    value.insert(
        "deprecated".into(),
        (front_matter.deprecated == Some(true)).into(),
    );
    value.insert("hidden".into(), hidden.into());
    value.insert(
        "noindex".into(),
        (front_matter.noindex == Some(true)).into(),
    );
    Value::Object(value)
}
