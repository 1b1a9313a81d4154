//! The pages of an API reference as plain data: what the model in `openapi/` makes of a document, asked slice by slice.

mod rows;

pub use rows::{ComponentRows, ROWS, is_large, reach_digest, rows_at};

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::{api_config, icon_set, site_address};
use crate::db::Db;
use crate::inputs::{Site, Spec, SpecSlice};
use crate::navigation::PageId;
use crate::navigation::generate::untagged;
use crate::openapi::{
    Operation, SpecNode, channel_operations, operation_index, operation_named, schema_users,
    slice_around, slice_digest, slice_pointer, slice_value, spec_anchors, value_at,
};
use crate::page::{
    entry_name, front_matter, listed_label, model_href, operation_href, operation_title, route_of,
    subject_pages, title_by,
};
use crate::trace::{ReadLog, TracedRead, digest_of};
use base::content::ContentHash;
use base::diagnostic::{Code, Diagnostic};
use base::path::{Route, SitePath};
use base::place::Place;
use config::api::{ApiConfig, ExampleDefaults, Expanded};
use config::appearance::IconLibrary;
use openapi::direction::Direction;
use openapi::document::{Document, OperationName};
use openapi::endpoint::Settings;
use openapi::index::{OTHERS, unescaped};
use openapi::introduction::{Overview, OverviewGroup, OverviewPage};
use openapi::reference::pointer_of;
use openapi::resource::Resource;
use openapi::schema::{self, Schema};
use openapi::slice::{allof_targets, decode_fragment};
use openapi::version::Version;
use theme::reference::Use;

/// A read of the page of a reference while it is rendered: of its document, and of the site around
/// it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SpecRead {
    /// What is in the slice around this pointer?
    Slice(String),
    /// Which schema has this `$anchor`?
    Anchor(String),
    /// Which schema has this `$id`?
    Identified(String),
    /// Which components are based on the one at this pointer?
    Subtypes(String),
    /// Where is the page of the data model at this pointer?
    ModelHref(String),
    /// Where is the page of this operation?
    OperationHref(OperationName),
    /// Which operations are on the channel at this pointer?
    ChannelOperations(String),
    /// Where is the page with the rows of the component at this pointer, if they have one?
    RowsHref(String, Direction),
    /// Which security schemes are there, and which operations have pages?
    Overview,
    /// Where can readers get the document itself?
    Address,
    /// What are relative addresses of the document relative to?
    Base,
    /// How are pages modelled?
    Settings,
    /// Below which path is the site served?
    BasePath,
    /// Where are the names of icons looked up?
    Icons,
}

impl TracedRead for SpecRead {
    type Subject = Spec;

    fn digest(&self, db: &dyn Db, spec: Spec) -> ContentHash {
        let site = Site::get(db);
        let node = |pointer: &String| SpecNode::new(db, spec, pointer.clone());
        match self {
            Self::Slice(pointer) => {
                let slice = slice_around(db, spec, pointer).map(|(slice, _)| slice);
                digest_of(&slice.map(|slice| (&**slice.key(db), slice_digest(db, slice))))
            }
            Self::Anchor(name) => digest_of(&spec_anchors(db, spec).anchors.get(name)),
            Self::Identified(id) => digest_of(&spec_anchors(db, spec).ids.get(id)),
            Self::Subtypes(pointer) => digest_of(subtypes(db, node(pointer))),
            Self::ModelHref(pointer) => digest_of(model_href(db, node(pointer))),
            Self::OperationHref(name) => digest_of(&href_of(db, spec, name)),
            Self::ChannelOperations(pointer) => digest_of(channel_operations(db, node(pointer))),
            Self::RowsHref(pointer, direction) => {
                digest_of(&rows::rows_href(db, spec, pointer, *direction))
            }
            Self::Overview => digest_of(overview(db, spec)),
            Self::Address => digest_of(&address_of(db, spec)),
            Self::Base => digest_of(&base_of(db, spec)),
            Self::Settings => digest_of(reference_settings(db, site)),
            Self::BasePath => digest_of(site.base_path(db)),
            Self::Icons => digest_of(&icon_set(db, site).word()),
        }
    }
}

fn href_of(db: &dyn Db, spec: Spec, operation: &OperationName) -> Option<String> {
    let operation = match operation {
        OperationName::Id(id) => operation_named(db, SpecNode::new(db, spec, id.clone()))?,
        // Operations of other methods are known by the path and the method alone.
        OperationName::Pointer(pointer) => {
            let key = pointer.replacen(&format!("/{OTHERS}/"), "/", 1);
            Operation::new(db, spec, key)
        }
    };
    operation_href(db, operation).clone()
}

/// The address of the document behind `spec`, if it has one.
pub(crate) fn address_of(db: &dyn Db, spec: Spec) -> Option<String> {
    let path = spec.name(db);
    if path.is_url() {
        return Some(path.to_string());
    }
    let route = Route::new(path.as_str())?;
    let base_path = Site::get(db).base_path(db);
    Some(format!("{base_path}{}", route.href()))
}

/// Base of relative addresses of the document behind `spec`: the URL it was fetched from, else
/// where the site serves it.
fn base_of(db: &dyn Db, spec: Spec) -> String {
    let address = address_of(db, spec).unwrap_or_default();
    match spec.name(db).is_url() {
        true => address,
        false => format!(
            "{}{address}",
            site_address(db, Site::get(db)).unwrap_or_default()
        ),
    }
}

/// A document as a page sees it: every read is a query and recorded, so that the page rests on what it read and on nothing
/// else. What a method returns may change only if the digest of its [`SpecRead`] does.
#[derive(Clone, Copy)]
pub struct SpecDocument<'db, 'a> {
    version: Version,
    log: &'a ReadLog<'db, SpecRead>,
}

impl<'db, 'a> SpecDocument<'db, 'a> {
    /// The document whose reads `log` records.
    pub fn new(log: &'a ReadLog<'db, SpecRead>) -> Self {
        let version = log.read(|| SpecRead::Slice("/openapi".to_owned()), version_of);
        Self { version, log }
    }

    /// Path or address of the document, which is part of the key of every page of it.
    pub fn path(&self) -> &'db SitePath {
        self.log.read_own(|db, spec| spec.path(db))
    }

    /// Settings of reference pages.
    pub fn settings(&self) -> &'db Settings {
        let settings = |db, _| reference_settings(db, Site::get(db));
        self.log.read(|| SpecRead::Settings, settings)
    }

    /// Facts about the rest of the document for the page that opens the reference.
    pub fn overview(&self) -> &'db Overview {
        self.log.read(|| SpecRead::Overview, overview)
    }

    /// The path below which the site is served.
    pub fn base_path(&self) -> &'db str {
        let base_path = |db, _| Site::get(db).base_path(db).as_str();
        self.log.read(|| SpecRead::BasePath, base_path)
    }

    /// Icon library that is searched first.
    pub fn icons(&self) -> IconLibrary {
        let icons = |db, _| icon_set(db, Site::get(db));
        self.log.read(|| SpecRead::Icons, icons)
    }

    /// Reads what follows from the slice around `pointer` alone.
    fn in_slice<A>(&self, pointer: &str, answer: impl FnOnce(&'db dyn Db, Spec) -> A) -> A {
        let read = || SpecRead::Slice(slice_pointer(pointer).to_owned());
        self.log.read(read, answer)
    }
}

/// The dialect of a document.
fn version_of(db: &dyn Db, spec: Spec) -> Version {
    let version = value_at(db, spec, "/openapi").and_then(Value::as_str);
    version.and_then(Version::of).unwrap_or(Version::V31)
}

impl<'db> Document<'db> for SpecDocument<'db, '_> {
    fn version(&self) -> Version {
        self.version
    }

    fn value(&self, pointer: &str) -> Option<&'db Value> {
        self.in_slice(pointer, |db, spec| value_at(db, spec, pointer))
    }

    fn schema(&self, pointer: &str) -> Option<Arc<Schema>> {
        // The dialect, which it rests on too, was recorded first.
        self.in_slice(pointer, |db, spec| {
            schema_at(db, node(db, spec, pointer)).clone()
        })
    }

    fn anchor(&self, name: &str) -> Option<String> {
        let read = || SpecRead::Anchor(name.to_owned());
        let answer = |db, spec| spec_anchors(db, spec).anchors.get(name).cloned();
        self.log.read(read, answer)
    }

    fn identified(&self, id: &str) -> Option<String> {
        let read = || SpecRead::Identified(id.to_owned());
        let answer = |db, spec| spec_anchors(db, spec).ids.get(id).cloned();
        self.log.read(read, answer)
    }

    fn subtypes(&self, pointer: &str) -> Vec<String> {
        let read = || SpecRead::Subtypes(pointer.to_owned());
        let answer = |db, spec| subtypes(db, node(db, spec, pointer)).clone();
        self.log.read(read, answer)
    }

    fn address(&self) -> Option<String> {
        self.log.read(|| SpecRead::Address, address_of)
    }

    fn base(&self) -> String {
        self.log.read(|| SpecRead::Base, base_of)
    }

    fn model_href(&self, pointer: &str) -> Option<String> {
        let read = || SpecRead::ModelHref(pointer.to_owned());
        let answer = |db, spec| model_href(db, node(db, spec, pointer)).clone();
        self.log.read(read, answer)
    }

    fn operation_href(&self, operation: &OperationName) -> Option<String> {
        let read = || SpecRead::OperationHref(operation.clone());
        self.log.read(read, |db, spec| href_of(db, spec, operation))
    }

    fn channel_operations(&self, pointer: &str) -> Vec<String> {
        let read = || SpecRead::ChannelOperations(pointer.to_owned());
        let answer = |db, spec| channel_operations(db, node(db, spec, pointer)).clone();
        self.log.read(read, answer)
    }

    fn rows_href(&self, pointer: &str, direction: Direction) -> Option<String> {
        let read = || SpecRead::RowsHref(pointer.to_owned(), direction);
        let answer = |db, spec| rows::rows_href(db, spec, pointer, direction);
        self.log.read(read, answer)
    }
}

fn node(db: &dyn Db, spec: Spec, pointer: &str) -> SpecNode {
    SpecNode::new(db, spec, pointer.to_owned())
}

/// The schema at a place, lowered to the one form that pages know: once for each document, however many pages show it.
///
/// Read by the pages that reach it. Wakes when the slice that holds it changes.
#[salsa::tracked]
pub fn schema_at(db: &dyn Db, node: SpecNode) -> Option<Arc<Schema>> {
    let (spec, pointer) = (node.spec(db), node.pointer(db));
    let version = version_of(db, spec);
    let (slice, rest) = slice_around(db, spec, pointer)?;
    let top = slice_value(db, slice);
    let value = top.pointer(rest)?;
    let around = Resource::around(top, slice.key(db), rest);
    let around = around.as_ref();
    Some(schema::parse_within(version, value, pointer, around))
}

/// References of a component to the schemas that it is based on.
#[salsa::tracked]
fn slice_bases(db: &dyn Db, slice: SpecSlice) -> Vec<String> {
    allof_targets(slice_value(db, slice), slice.key(db))
}

/// The components that are based on each schema, in the order of the document. Wakes when what an `allOf` names changes.
#[salsa::tracked]
fn spec_subtypes(db: &dyn Db, spec: Spec) -> BTreeMap<String, Vec<String>> {
    let mut subtypes = BTreeMap::<String, Vec<String>>::new();
    for slice in spec.slices(db) {
        if !slice.key(db).starts_with("/components/schemas/") {
            continue;
        }
        for reference in slice_bases(db, *slice) {
            // A pointer is the same whatever schemas call themselves.
            let base = match reference.strip_prefix("#/") {
                Some(pointer) => Some(format!("/{}", decode_fragment(pointer))),
                None => pointer_of(spec_anchors(db, spec), reference, || own_address(db, spec)),
            };
            let Some(base) = base else { continue };
            let of_base = subtypes.entry(base).or_default();
            of_base.push(slice.key(db).to_string());
        }
    }
    subtypes
}

/// The address that a document gives itself, else the one where it is.
fn own_address(db: &dyn Db, spec: Spec) -> String {
    let named = value_at(db, spec, "/$self").and_then(Value::as_str);
    named.map_or_else(|| base_of(db, spec), str::to_owned)
}

/// The components that are based on one schema. Stands between all of them and the pages that
/// render this one.
#[salsa::tracked]
fn subtypes(db: &dyn Db, node: SpecNode) -> Vec<String> {
    let all = spec_subtypes(db, node.spec(db));
    all.get(node.pointer(db)).cloned().unwrap_or_default()
}

/// The operations with a page that name a data model, in the order of the document.
///
/// Read by the page of the data model while it is composed. Wakes when one of them is renamed or
/// moved, when a reference appears or vanishes; words of a description must not wake it, and it
/// wakes no rendering of the model itself.
#[salsa::tracked]
pub fn model_uses(db: &dyn Db, node: SpecNode) -> Vec<Use> {
    let users = schema_users(db, node).iter();
    users
        .filter_map(|operation| {
            Some(Use {
                href: operation_href(db, *operation).clone()?,
                method: entry_name(db, *operation).0,
                title: operation_title(db, *operation),
            })
        })
        .collect()
}

/// Overview of a specification for the page that opens its reference: security schemes, and pages
/// of operations by group.
///
/// Read by the rendering of that page. Wakes when an operation is renamed, appears or moves, when a
/// slice appears; words of a description must not wake it.
#[salsa::tracked]
pub fn overview(db: &dyn Db, spec: Spec) -> Overview {
    let keys = spec.slices(db).iter().map(|slice| slice.key(db));
    let schemes = keys.filter_map(|key| {
        let name = key.strip_prefix("/components/securitySchemes/")?;
        (!name.contains('/')).then(|| unescaped(name))
    });
    let site = Site::get(db);
    let index = operation_index(db, spec);
    let pages = &subject_pages(db, site).operations;
    // Groups that stand in others are told one behind the other, in the order of the outermost.
    let mut groups: Vec<(&str, Vec<OverviewGroup>)> = Vec::new();
    for entry in index.visible_entries() {
        let label = listed_label(entry);
        let operation = Operation::new(db, spec, entry.key.clone());
        let page = pages.get(&operation);
        let is_silent = label.hidden == Some(true) || entry.meta.label.is_unlisted;
        let is_told = |page: &&PageId| match page {
            PageId::File(file) => {
                let own = &front_matter(db, *file).value;
                let is_shown = own.hidden != Some(true) && own.noindex != Some(true);
                is_shown && own.searchable != Some(false)
            }
            PageId::Generated(_) => !is_silent,
        };
        let Some(page) = page.filter(is_told) else {
            continue;
        };
        let overview_page = OverviewPage {
            method: label.method,
            title: title_by(&entry.meta, (entry.marker(), entry.path.clone())),
            href: format!("{}{}", site.base_path(db), route_of(db, *page).href()),
            is_deprecated: label.deprecated,
        };
        let tag = index.tag_of(&entry.meta);
        let labels = tag.map_or_else(|| vec![untagged(entry)], |tag| index.tags.groups(tag));
        let (outermost, own) = (labels[0], labels[labels.len() - 1]);
        let at = groups.iter().position(|(label, _)| *label == outermost);
        let at = at.unwrap_or_else(|| {
            groups.push((outermost, Vec::new()));
            groups.len() - 1
        });
        let within = &mut groups[at].1;
        let known = within.iter().position(|group| group.tag.as_deref() == tag);
        let known = known.unwrap_or_else(|| {
            within.push(OverviewGroup {
                tag: tag.map(str::to_owned),
                label: own.to_owned(),
                pages: Vec::new(),
            });
            within.len() - 1
        });
        within[known].pages.push(overview_page);
    }
    Overview {
        schemes: schemes.collect(),
        groups: groups.into_iter().flat_map(|(_, groups)| groups).collect(),
    }
}

/// Settings of reference pages: the part of the configuration that they depend on.
#[salsa::tracked]
pub fn reference_settings(db: &dyn Db, site: Site) -> Settings {
    settings_of(api_config(db, site))
}

fn settings_of(config: &ApiConfig) -> Settings {
    Settings {
        pills: config.params.post.clone(),
        languages: config.examples.languages.clone(),
        has_optional: config.examples.defaults == ExampleDefaults::All,
        is_generated: config.examples.autogenerate,
        is_prefilled: config.examples.prefill,
        is_relayed: config.playground.proxy,
        sends_cookies: config.playground.credentials,
        is_expanded: config.params.expanded == Expanded::All,
        ..Settings::default()
    }
}

/// Diagnostics of a page of the specification at `path`, without those of the document as a whole:
/// one cause is reported once.
pub fn page_level(path: &SitePath, diagnostics: Vec<Diagnostic<String>>) -> Vec<Diagnostic> {
    let is_of_document = |code: Code| {
        matches!(
            code,
            Code::RefExternal | Code::RefMissing | Code::VersionNewer
        )
    };
    let of_page = diagnostics
        .into_iter()
        .filter(|found| !is_of_document(found.code));
    of_page
        .map(|found| found.at(|pointer| Place::value(path, pointer)))
        .collect()
}
