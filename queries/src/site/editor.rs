//! What editors ask while a page is written: names for completion, their descriptions, and where a page is named.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::text_at;
use crate::binding::bound_operation;
use crate::config::{icon_set, library};
use crate::db::Db;
use crate::inputs::{Site, file_named};
use crate::markdown::page_markdown;
use crate::navigation::PageId;
use crate::openapi::{
    Operation, operation_index, operation_place, spec_named, spec_paths, value_at,
};
use crate::outputs::route_table;
use crate::page::locating::Locating;
use crate::page::{
    entry_name, label_of, meta_of, operation_title, page_list, route_of, subject_pages, title_of,
};
use base::path::{Route, SitePath};
use base::place::{Located, Place};
use config::fields::{description, field_of};
use config::reference::Document;
use config::site::known_fields;
use mdx::front_matter;
use mdx::heading::{HeadingIds, words_of};
use mdx::imports::candidates;
use openapi::index::EntryKind;
use theme::icon_library::{icon_names, library_icon};

pub use crate::backlinks::{LinkedPlace, importers_of, links_to};
pub use theme::{ComponentDocs, component_docs};

/// A page for completion.
#[derive(Clone, Debug)]
pub struct NamedPage {
    /// Route.
    pub route: Route,
    /// Label in the navigation.
    pub label: String,
    /// The page.
    pub page: PageId,
}

/// Returns the pages whose route or label contains `part`, whatever its case, by their routes; at most `most`.
pub fn pages_named(db: &dyn Db, site: Site, part: &str, most: usize) -> Vec<NamedPage> {
    let part = part.to_lowercase();
    let pages = route_table(db, site).pages.iter();
    let matches = pages.filter_map(|(route, page)| {
        let label = &label_of(db, *page).label;
        let is_named = contains(route.as_str(), &part) || contains(label, &part);
        is_named.then(|| NamedPage {
            route: route.clone(),
            label: label.clone(),
            page: *page,
        })
    });
    matches.take(most).collect()
}

/// Returns true if `text` contains `part`, which is in lower case.
fn contains(text: &str, part: &str) -> bool {
    if text.is_ascii() {
        let (text, part) = (text.as_bytes(), part.as_bytes());
        return part.is_empty()
            || text
                .windows(part.len())
                .any(|window| window.eq_ignore_ascii_case(part));
    }
    text.to_lowercase().contains(part)
}

/// Returns the addresses of files that the site passes on as they are and that contain `part`; at most `most`.
pub fn assets_named(db: &dyn Db, site: Site, part: &str, most: usize) -> Vec<String> {
    let files = route_table(db, site).files.keys();
    let named = files.filter(|path| path.contains(part));
    named.take(most).cloned().collect()
}

/// Returns the paths of files that can be imported and that contain `part`, in order; at most `most`.
pub fn modules_named(db: &dyn Db, site: Site, part: &str, most: usize) -> Vec<SitePath> {
    let buckets = site.buckets(db).iter();
    let files = buckets.flat_map(|bucket| bucket.files(db));
    let is_module =
        |path: &SitePath| matches!(path.extension().as_str(), "mdx" | "md" | "jsx" | "tsx");
    let named = files.map(|(path, _)| path);
    let named = named.filter(|path| path.as_str().contains(part) && is_module(path));
    let mut named: Vec<SitePath> = named.cloned().collect();
    named.sort();
    named.truncate(most);
    named
}

/// Returns the page at `route`.
pub fn page_at(db: &dyn Db, site: Site, route: &Route) -> Option<PageId> {
    route_table(db, site).pages.get(route).copied()
}

/// Returns the names of the icons that the site looks up first.
pub fn icons(db: &dyn Db, site: Site) -> Vec<&'static str> {
    icon_names(library(icon_set(db, site)))
}

/// A field of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigField {
    /// Key.
    pub key: String,
    /// What it does.
    pub about: Option<&'static str>,
    /// Values, where there is a closed list.
    pub words: Vec<&'static str>,
}

/// Returns the fields of the object at `way` of a configuration, in their order: an index in `way` is any number. `siblings`
/// are the keys that the object has.
pub fn config_fields(way: &[String], siblings: &[String]) -> Vec<ConfigField> {
    let mut pointer = String::new();
    let object: Map<String, Value> = (siblings.iter())
        .map(|key| (key.clone(), Value::Null))
        .collect();
    let mut value = Value::Object(object);
    for segment in way.iter().rev() {
        value = match segment.parse::<usize>() {
            Ok(_) => Value::Array(vec![value]),
            Err(_) => Value::Object(Map::from_iter([(segment.clone(), value)])),
        };
    }
    for segment in way {
        let segment = segment.parse::<usize>().map_or(&**segment, |_| "0");
        base::data::pointer::push(&mut pointer, segment);
    }
    let Some(path) = SitePath::new("docs.json") else {
        return Vec::new();
    };
    let known = known_fields(&Document::new(&path, value));
    let fields = known.into_iter().filter_map(|(field, words)| {
        let key = field.strip_prefix(&pointer)?.strip_prefix('/')?;
        (!key.contains('/')).then(|| ConfigField {
            key: key.replace("~1", "/").replace("~0", "~"),
            about: description(&field_of(&field)),
            words,
        })
    });
    fields.collect()
}

/// Returns the values that the field `key` of the object at `way` can have, where there is a closed list.
pub fn config_words(way: &[String], key: &str) -> Vec<&'static str> {
    let mut fields = config_fields(way, &[key.to_owned()]).into_iter();
    let field = fields.find(|field| field.key == key);
    field.map(|field| field.words).unwrap_or_default()
}

/// Returns the keys of the frontmatter, each with what it does.
pub fn front_matter_fields() -> impl Iterator<Item = (&'static str, &'static str)> {
    let named = front_matter::fields().filter(|field| !field.name.ends_with('…'));
    named.map(|field| (field.name, field.about))
}

/// Returns what the key `key` of the frontmatter does.
pub fn front_matter_about(key: &str) -> Option<&'static str> {
    front_matter::description(key)
}

/// Returns the ids of the headings of a page whose texts are `headings`, in Markdown and in order.
pub fn heading_ids(headings: &[&str]) -> Vec<String> {
    let mut ids = HeadingIds::default();
    let id_of = |heading: &&str| match own_id(heading) {
        Some(id) => id.to_owned(),
        None => ids.next(&words_of(heading)),
    };
    headings.iter().map(id_of).collect()
}

/// Returns the id that the author gives a heading: `Words {#id}`.
pub fn own_id(heading: &str) -> Option<&str> {
    let (_, id) = heading.trim_end().strip_suffix('}')?.rsplit_once("{#")?;
    Some(id)
}

/// What people read of a page at a glance.
#[derive(Clone, Debug)]
pub struct PageSummary {
    /// Title.
    pub title: String,
    /// Route.
    pub route: Route,
    /// The page as Markdown.
    pub text: Arc<str>,
}

/// Returns what people read of `page` at a glance.
pub fn page_summary(db: &dyn Db, page: PageId) -> PageSummary {
    PageSummary {
        title: title_of(db, page),
        route: route_of(db, page),
        text: page_markdown(db, page).clone(),
    }
}

/// Returns the drawing of an icon as SVG.
pub fn icon_drawing(db: &dyn Db, site: Site, name: &str) -> Option<String> {
    let drawn = library_icon(library(icon_set(db, site)), None, name)?;
    let svg = drawn.into_string();
    Some(svg.replacen(
        "<svg ",
        "<svg xmlns=\"http://www.w3.org/2000/svg\" fill=\"none\" stroke=\"currentColor\" ",
        1,
    ))
}

/// Returns the file that the words of an import in the file at `path` name.
pub fn import_target(db: &dyn Db, path: &SitePath, words: &str) -> Option<SitePath> {
    let mut candidates = candidates(path, words).into_iter();
    let file = candidates.find_map(|path| file_named(db, &path))?;
    Some(file.path(db).clone())
}

/// Returns the file behind the address `path` of the site, if it is one that is passed on.
pub fn asset_at(db: &dyn Db, site: Site, path: &str) -> Option<SitePath> {
    let file = route_table(db, site).files.get(path)?;
    Some(file.path(db).clone())
}

/// Returns the specification that `name` means.
pub fn spec_at(db: &dyn Db, site: Site, name: &str) -> Option<SitePath> {
    let spec = spec_named(db, site, name.trim_start_matches('/'), None)?;
    Some(spec.path(db).clone())
}

/// An operation by its name.
#[derive(Clone, Debug)]
pub struct NamedOperation {
    /// The operation.
    pub operation: Operation,
    /// Method and path, as pages name it: `GET /pets`.
    pub name: String,
    /// Title.
    pub title: String,
    /// Path or address of its specification.
    pub spec: String,
    /// Whether it is marked as deprecated.
    pub is_deprecated: bool,
}

/// Returns the operations and webhooks of all specifications, whether a page shows them or not.
pub fn operations(db: &dyn Db, site: Site) -> Vec<NamedOperation> {
    let specs = spec_paths(db, site).iter();
    let found = specs.flat_map(|(path, spec)| {
        let entries = operation_index(db, *spec).entries();
        entries.filter_map(|entry| {
            let is_named = !matches!(entry.kind, EntryKind::Introduction | EntryKind::Model);
            is_named.then(|| {
                let operation = Operation::new(db, *spec, entry.key.clone());
                let (method, name) = entry_name(db, operation);
                NamedOperation {
                    operation,
                    name: format!("{method} {name}"),
                    title: operation_title(db, operation),
                    spec: path.clone(),
                    is_deprecated: meta_of(db, operation).deprecated,
                }
            })
        })
    });
    found.collect()
}

/// Returns the description of an operation, in Markdown.
pub fn operation_about(db: &dyn Db, operation: Operation) -> Option<&str> {
    let value = value_at(db, operation.spec(db), operation.key(db))?;
    value.get("description")?.as_str()
}

/// Returns the names of the data models of each specification, in the order of the documents.
pub fn schemas(db: &dyn Db, site: Site) -> Vec<(SitePath, Vec<String>)> {
    let specs = site.specs(db).iter();
    let named = specs.map(|spec| {
        let keys = spec.slices(db).iter().map(|slice| slice.key(db));
        let names = keys.filter_map(|key| {
            let name = key.strip_prefix("/components/schemas/")?;
            (!name.contains('/')).then(|| name.replace("~1", "/").replace("~0", "~"))
        });
        (spec.path(db).clone(), names.collect())
    });
    named.collect()
}

/// Returns where an operation is written.
pub fn operation_location(db: &dyn Db, operation: Operation) -> Option<Located> {
    let spec = operation.spec(db);
    let pointer = operation_place(db, operation).clone()?;
    let bytes = text_at(db, spec.path(db))?;
    Some(Locating::new(spec.path(db), &bytes).of(&Place::key(spec.path(db), pointer)))
}

/// Returns the operations of the specification at `path`, each with its line, from 1, in order.
pub fn operations_in(db: &dyn Db, site: Site, path: &SitePath) -> Vec<(u32, Operation)> {
    let specs = site.specs(db).iter();
    let Some(spec) = specs.copied().find(|spec| spec.path(db) == path) else {
        return Vec::new();
    };
    let bytes = text_at(db, path).unwrap_or_else(|| Vec::new().into());
    let mut locating = Locating::new(path, &bytes);
    let index = operation_index(db, spec);
    let mut found: Vec<(u32, Operation)> = (index.entries())
        .filter_map(|entry| {
            let operation = Operation::new(db, spec, entry.key.clone());
            let place = Place::key(path, operation_place(db, operation).clone()?);
            Some((locating.of(&place).line, operation))
        })
        .collect();
    found.sort_by_key(|(line, _)| *line);
    found
}

/// Returns the page about an operation, and the pages that are written for it.
pub fn pages_of_operation(
    db: &dyn Db,
    site: Site,
    operation: Operation,
) -> (Option<PageId>, Vec<SitePath>) {
    let shown = subject_pages(db, site).operations.get(&operation).copied();
    let files = page_list(db, site).value.values();
    let bound = files.filter(|file| bound_operation(db, **file) == Some(operation));
    (shown, bound.map(|file| file.path(db).clone()).collect())
}

/// Returns the place in its document of the value at `pointer` of the file at `path`.
pub fn location_of(db: &dyn Db, path: &SitePath, pointer: &str) -> Option<Located> {
    let bytes = text_at(db, path)?;
    Some(Locating::new(path, &bytes).of(&Place::key(path, pointer)))
}
