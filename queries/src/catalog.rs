//! Catalog for programs: pages, operations and data models of a site. Nothing that search excludes
//! is in it. Composed on request, and not cached.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};

use crate::body::{model_reference, operation_reference};
use crate::db::Db;
use crate::fragment::{Fragment, named_by, operation_fragment};
use crate::inputs::{Site, Spec};
use crate::markdown::operation_of;
use crate::navigation::{PageId, sections};
use crate::openapi::{
    Operation, SpecNode, is_model, operation_index, operation_place, slice_value, spec_named,
    spec_paths, value_at,
};
use crate::outputs::route_table;
use crate::page::{entry_name, front_matter_of, meta_of, route_of, subject_pages, title_of};
use crate::reference::SpecDocument;
use crate::search::{PageFacets, page_facets};
use crate::trace::ReadLog;
use base::content::TextBytes;
use base::data::split::Format;
use base::data::{pointer, yaml};
use base::path::Route;
use openapi::fragment::{Room, put};
use openapi::mock::returned::{self, Returned, Verdict};
use openapi::slice::decode_fragment;

/// A page that is found and has a text of its own.
#[derive(Clone, Debug)]
pub struct CatalogPage {
    /// The page.
    pub page: PageId,
    /// Route.
    pub route: Route,
    /// Title.
    pub title: String,
    /// Description by its author.
    pub description: Option<String>,
}

/// The facets of a page that is found and has a text of its own.
pub fn readable_page(db: &dyn Db, page: PageId) -> Option<&PageFacets> {
    let facets = page_facets(db, page).as_ref()?;
    facets.leads_to.is_none().then_some(facets)
}

/// All pages: those of the navigation in its order, then all others by their routes.
pub fn listed_pages(db: &dyn Db, site: Site) -> Vec<PageId> {
    let listed = sections(db, site)
        .iter()
        .flat_map(|section| section.pages(db).iter().chain(section.hidden_pages(db)));
    let all = route_table(db, site).pages.values();
    let mut seen = HashSet::new();
    let pages = listed.chain(all).copied();
    pages.filter(|page| seen.insert(*page)).collect()
}

/// The pages that are found, in the order of [`listed_pages`].
pub fn catalog_pages(db: &dyn Db, site: Site) -> Vec<CatalogPage> {
    listed_pages(db, site)
        .into_iter()
        .filter_map(|page| {
            let facets = readable_page(db, page)?;
            Some(CatalogPage {
                page,
                route: facets.route.clone(),
                title: facets.title.clone(),
                description: facets.description.clone(),
            })
        })
        .collect()
}

/// The pages that are found whose addresses are most like `path`, the nearest first.
pub fn nearest_pages(db: &dyn Db, site: Site, path: &str, most: usize) -> Vec<CatalogPage> {
    let wanted = path.trim_matches('/').to_lowercase();
    let last = wanted.rsplit('/').next().unwrap_or("");
    let mut near: Vec<(f64, CatalogPage)> = catalog_pages(db, site)
        .into_iter()
        .map(|page| {
            let known = page.route.as_str().trim_matches('/').to_lowercase();
            let name = known.rsplit('/').next().unwrap_or("");
            let of_name = strsim::normalized_damerau_levenshtein(name, last);
            let of_path = strsim::normalized_damerau_levenshtein(&known, &wanted);
            (of_name.mul_add(2.0, of_path), page)
        })
        .filter(|(likeness, _)| *likeness > 1.2)
        .collect();
    near.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.route.cmp(&y.route)));
    near.truncate(most);
    near.into_iter().map(|(_, page)| page).collect()
}

/// An operation or a webhook whose page is found.
#[derive(Clone, Debug)]
pub struct CatalogOperation {
    /// The operation.
    pub operation: Operation,
    /// The page about it.
    pub page: PageId,
    /// Route.
    pub route: Route,
    /// Title of the page.
    pub title: String,
    /// Method in upper case; `WEBHOOK` for a webhook.
    pub method: String,
    /// Path, or the name of the webhook.
    pub path: String,
    /// `operationId` of it.
    pub id: Option<String>,
    /// First of its tags.
    pub tag: Option<String>,
    /// Path or address of its specification.
    pub spec: String,
    /// Whether it is marked as deprecated.
    pub is_deprecated: bool,
    /// The label of the version that the navigation lists it below.
    pub version: Option<String>,
    /// Whether that is another version than the site shows first.
    pub is_old: bool,
    /// The code of the language that the navigation lists it below.
    pub language: Option<String>,
}

/// The operations whose pages are found, in the order of the specifications' paths and of the documents.
pub fn catalog_operations(db: &dyn Db, site: Site) -> Vec<CatalogOperation> {
    let pages = &subject_pages(db, site).operations;
    let mut found = Vec::new();
    for (path, spec) in spec_paths(db, site) {
        for entry in operation_index(db, *spec).entries() {
            let operation = Operation::new(db, *spec, entry.key.clone());
            let Some(page) = pages.get(&operation).copied() else {
                continue;
            };
            if readable_page(db, page).is_none() {
                continue;
            }
            found.push(described(db, operation, page, path));
        }
    }
    found
}

fn described(db: &dyn Db, operation: Operation, page: PageId, spec: &str) -> CatalogOperation {
    let (method, path) = entry_name(db, operation);
    let meta = meta_of(db, operation);
    let facets = readable_page(db, page).map(|page| &page.facets);
    CatalogOperation {
        operation,
        page,
        route: route_of(db, page),
        title: title_of(db, page),
        method,
        path,
        id: meta.id.clone(),
        tag: meta.tags.first().cloned(),
        spec: spec.to_owned(),
        is_deprecated: meta.label.deprecated.unwrap_or(meta.deprecated),
        version: facets.and_then(|facets| facets.version.clone()),
        is_old: facets.is_some_and(|facets| facets.is_old),
        language: facets.and_then(|facets| facets.language.clone()),
    }
}

/// The operation that a page is about, if the page is found.
pub fn operation_of_page(db: &dyn Db, page: PageId) -> Option<CatalogOperation> {
    readable_page(db, page)?;
    let operation = operation_of(db, page)?;
    let spec = operation.spec(db).name(db).to_string();
    Some(described(db, operation, page, &spec))
}

/// The part of its specification that an operation is.
pub fn operation_document(db: &dyn Db, operation: Operation) -> Option<Fragment> {
    operation_fragment(db, operation, Room::ANSWER)
}

/// Schemas that contradict themselves of what an operation reaches, a line of Markdown for each.
pub fn operation_contradictions(db: &dyn Db, operation: Operation) -> Vec<String> {
    operation_reference(db, operation).contradictions()
}

/// Returns the paths or URLs of the specifications that have an operation or a data model with a
/// searchable page.
pub fn catalog_specs(db: &dyn Db, site: Site) -> Vec<String> {
    let pages = subject_pages(db, site);
    let operations = (pages.operations.iter())
        .filter(|(_, page)| readable_page(db, **page).is_some())
        .map(|(operation, _)| operation.spec(db));
    let models = (pages.models.iter())
        .filter(|(_, page)| readable_page(db, **page).is_some())
        .map(|(node, _)| node.spec(db));
    let used: HashSet<Spec> = operations.chain(models).collect();
    let paths = spec_paths(db, site).iter();
    paths
        .filter(|(_, spec)| used.contains(spec))
        .map(|(path, _)| path.clone())
        .collect()
}

/// The specification of this path as text, YAML or JSON as it is stored, and whether it is YAML. Operations and data models
/// whose pages are not found are left out.
pub fn spec_text(db: &dyn Db, site: Site, path: &str) -> Option<(String, bool)> {
    if !catalog_specs(db, site).iter().any(|known| known == path) {
        return None;
    }
    let spec = spec_paths(db, site)
        .iter()
        .find(|(known, _)| known == path)?
        .1;
    let stored = db.bytes(spec.digest(db));
    let is_json = stored
        .iter()
        .find(|byte| !byte.is_ascii_whitespace())
        .is_some_and(|byte| *byte == b'{');
    let hidden = hidden_places(db, site, spec);
    if hidden.is_empty() && spec.overlays(db).is_empty() {
        return Some((String::from_utf8_lossy(&stored).into_owned(), !is_json));
    }
    let format = match is_json {
        true => Format::Json,
        false => Format::Yaml,
    };
    let text = text_without(db, spec, format, &hidden);
    Some((text, !is_json))
}

/// A specification as text, without the slices at the pointers `hidden`.
fn text_without(db: &dyn Db, spec: Spec, format: Format, hidden: &HashSet<String>) -> String {
    let mut members = Map::new();
    for slice in spec.slices(db) {
        if !hidden.contains(&**slice.key(db)) {
            put(&mut members, slice.key(db), slice_value(db, *slice).clone());
        }
    }
    let mut value = Value::Object(members);
    match format {
        Format::Json => {
            yaml::without_spellings(&mut value);
            format!("{value:#}\n")
        }
        Format::Yaml => yaml::to_yaml(&value),
    }
}

/// A specification with its overlays as text.
pub fn overlaid_text(db: &dyn Db, spec: Spec, format: Format) -> String {
    text_without(db, spec, format, &HashSet::new())
}

/// The specification behind `spec` as visitors download it: as it is stored, or with its overlays.
pub fn spec_download(db: &dyn Db, spec: Spec) -> TextBytes {
    let format = Format::of(spec.path(db)).filter(|_| !spec.overlays(db).is_empty());
    match format {
        Some(format) => overlaid_text(db, spec, format).into(),
        None => db.bytes(spec.digest(db)),
    }
}

/// The pointers of the operations and data models of a specification whose pages are not found.
fn hidden_places(db: &dyn Db, site: Site, spec: Spec) -> HashSet<String> {
    let pages = subject_pages(db, site);
    let mut hidden = HashSet::new();
    for entry in operation_index(db, spec).entries() {
        let operation = Operation::new(db, spec, entry.key.clone());
        let page = pages.operations.get(&operation);
        if page.is_none_or(|page| readable_page(db, *page).is_none()) {
            hidden.extend(operation_place(db, operation).clone());
            hidden.insert(entry.key.clone());
        }
    }
    let models = pages.models.iter();
    let unseen =
        models.filter(|(node, page)| node.spec(db) == spec && readable_page(db, **page).is_none());
    hidden.extend(unseen.map(|(node, _)| node.pointer(db).clone()));
    hidden
}

const SCHEMAS: &str = "/components/schemas/";

/// The names of the data models of each specification that [`catalog_specs`] names, in the order of the documents.
pub fn schema_names(db: &dyn Db, site: Site) -> BTreeMap<String, Vec<String>> {
    let specs = catalog_specs(db, site).into_iter();
    let spec_names = specs.filter_map(|path| {
        let spec = spec_paths(db, site)
            .iter()
            .find(|(known, _)| *known == path)?
            .1;
        let hidden = hidden_places(db, site, spec);
        let keys = spec.slices(db).iter().map(|slice| slice.key(db));
        let keys = keys.filter(|key| !hidden.contains(&***key));
        let names = keys.filter_map(|key| {
            let name = key.strip_prefix(SCHEMAS)?;
            (!name.contains('/')).then(|| name.replace("~1", "/").replace("~0", "~"))
        });
        Some((path, names.collect()))
    });
    spec_names.collect()
}

/// A data model, or another part of a specification, with what it names.
#[derive(Clone, Debug)]
pub struct CatalogSchema {
    /// Path or address of its specification.
    pub spec: String,
    /// Key among `components.schemas`; of another part its reference.
    pub name: String,
    /// Value.
    pub value: Value,
    /// The parts that it names itself, by their references, and the data models that extend it; what those name is not among
    /// them.
    pub references: Map<String, Value>,
    /// Schemas that contradict themselves of what it reaches, a line of Markdown for each.
    pub contradictions: Vec<String>,
    /// Route of its page, if it has one.
    pub route: Option<Route>,
}

/// The data models called `name` in `spec`, or in every specification, of those that [`schema_names`] lists; or, where `name`
/// is a reference (`#/components/responses/Gone`), what it leads to.
pub fn schemas_named(
    db: &dyn Db,
    site: Site,
    spec: Option<&str>,
    name: &str,
) -> Vec<CatalogSchema> {
    let wanted = spec.map(|spec| spec_named(db, site, spec, None));
    let known = schema_names(db, site);
    let mut found = Vec::new();
    for (path, spec) in spec_paths(db, site) {
        let is_wanted = wanted.is_none_or(|wanted| wanted == Some(*spec));
        let Some(names) = known.get(path).filter(|_| is_wanted) else {
            continue;
        };
        let key = match name.strip_prefix('#') {
            Some(key) => decode_fragment(key),
            None => pointer::child("/components/schemas", name),
        };
        let model = pointer::segments(&key).nth(2);
        let model = model.filter(|_| is_model(&key));
        let is_told = match &model {
            Some(model) => names.contains(model),
            None => !is_hidden(db, site, *spec, &key),
        };
        let Some(value) = value_at(db, *spec, &key).filter(|_| is_told) else {
            continue;
        };
        let node = SpecNode::new(db, *spec, key.clone());
        let references = named_by(db, node).into_iter().filter_map(|pointer| {
            let target = value_at(db, *spec, &pointer)?.clone();
            Some((format!("#{pointer}"), target))
        });
        let page = subject_pages(db, site).models.get(&node).copied();
        found.push(CatalogSchema {
            spec: path.clone(),
            name: model.unwrap_or_else(|| format!("#{key}")),
            value: value.clone(),
            references: references.collect(),
            contradictions: match is_model(&key) {
                true => model_reference(db, node).contradictions(),
                false => Vec::new(),
            },
            route: page.map(|page| route_of(db, page)),
        });
    }
    found
}

/// Returns true if `pointer` is in an operation or a data model whose page is not searchable.
fn is_hidden(db: &dyn Db, site: Site, spec: Spec, pointer: &str) -> bool {
    let hidden = hidden_places(db, site, spec);
    let mut ends = pointer.match_indices('/').map(|(at, _)| at).skip(1);
    hidden.contains(pointer) || ends.any(|end| hidden.contains(&pointer[..end]))
}

/// Holds what an API returned against the operation that the page at `route` is about; `None` if that is no such page.
pub fn checked_reply(
    db: &dyn Db,
    site: Site,
    route: &str,
    returned: Returned<'_>,
) -> Option<Verdict> {
    let route = Route::new(route.strip_prefix(site.base_path(db).as_str())?)?;
    let page = *route_table(db, site).pages.get(&route)?;
    let Some(operation) = operation_of(db, page) else {
        // An endpoint that its author describes in MDX has no schemas to hold a body against.
        let is_manual = front_matter_of(db, page).api.is_some();
        return is_manual.then(|| Verdict {
            response: Some(String::new()),
            ..Verdict::default()
        });
    };
    let log = ReadLog::unrecorded(db, operation.spec(db));
    let document = SpecDocument::new(&log);
    let settings = document.settings();
    returned::check(&document, operation.key(db), settings, returned)
}
