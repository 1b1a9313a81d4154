//! The pages that operations and channels get: where each is, and the groups they stand in (SPEC 2.5, REFERENCE-PRODUCT 4.4).

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::inputs::{SourceFile, Spec};
use crate::navigation::inherit::Lookup;
use crate::navigation::{Target, slug};
use crate::openapi::GeneratedPage;
use base::diagnostic::{Near, near};
use base::path::Route;
use config::api::SpecSource;
use config::redirect::Redirect;
use openapi::channel;
use openapi::index::{EntryKind, OperationEntry, OperationIndex};
use openapi::introduction::INTRODUCTION;

/// The folder of generated pages when none is named (SPEC 2.5).
const DIRECTORY: &str = "api-reference";

/// The group of operations without a tag.
const UNTAGGED: &str = "API Reference";

/// The group of channels without a tag that are spoken over WebSockets.
const WEBSOCKETS: &str = "Websockets";

/// The group of other channels without a tag.
const CHANNELS: &str = "Channels";

/// The name of the page that opens a reference, in its folder.
const OPENING: &str = "introduction";

/// The group of data models, and their folder in that of the reference.
pub(super) const MODELS: &str = "Models";

/// Names by which a site has such a page of its own in that folder. So is a page that the folder itself leads to.
const OWN_OPENINGS: [&str; 2] = [OPENING, "overview"];

/// The group of what has no tag.
pub fn untagged(entry: &OperationEntry) -> &'static str {
    let protocol = entry.meta.protocol.as_deref();
    let is_websocket = |protocol: &str| matches!(&*channel::marker(protocol), "WS" | "WSS");
    match entry.kind {
        EntryKind::Channel if protocol.is_none_or(is_websocket) => WEBSOCKETS,
        EntryKind::Channel => CHANNELS,
        _ => UNTAGGED,
    }
}

/// The pages made of operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generated {
    /// Place of each page.
    pub places: HashMap<GeneratedPage, GeneratedPlace>,
    /// The page at each of their routes.
    pub pages: BTreeMap<Route, GeneratedPage>,
    /// Redirects from the addresses of the reference product, for pages whose address differs here.
    pub redirects: Vec<Redirect>,
    /// Files that stand where a page would have been generated, and take its place.
    pub overridden: HashMap<SourceFile, GeneratedPage>,
    /// The specifications whose reference is opened by a page.
    pub introduced: HashSet<Spec>,
}

/// Place of a generated page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedPlace {
    /// Address.
    pub route: Route,
    /// The version of the element that lists it first.
    pub version: Option<String>,
}

/// Gives pages to operations while the navigation is resolved.
#[derive(Default)]
pub(super) struct Places {
    pub(super) generated: Generated,
    /// Index entry of each.
    pub(super) operations: HashMap<GeneratedPage, OperationEntry>,
    /// The target of each page that was placed.
    targets: HashMap<GeneratedPage, Target>,
    /// Pages that get the addresses that are left, in order: what they are called moves no operation.
    deferred: Vec<Waiting>,
}

/// A page that waits for its address.
struct Waiting {
    page: GeneratedPage,
    /// The address if it is free.
    wanted: String,
    version: Option<String>,
}

impl Places {
    /// The page of an operation: the one it has, or a new one.
    pub(super) fn place(
        &mut self,
        lookup: &mut dyn Lookup,
        spec: Spec,
        source: &SpecSource,
        entry: &OperationEntry,
        version: Option<&str>,
    ) -> Target {
        let directory = source.directory.as_deref().unwrap_or(DIRECTORY);
        let page = lookup.generated(spec, &entry.key, directory);
        if let Some(target) = self.targets.get(&page) {
            return target.clone();
        }
        let reference = match &entry.meta.href {
            Some(href) => slug::href(href),
            None => {
                let index = lookup.operations(spec);
                let (tag, summary) = (index.tag_of(&entry.meta), entry.meta.summary.as_deref());
                let (tag, summary, name) = match entry.kind {
                    EntryKind::Operation => {
                        let name = format!("{}-{}", entry.method.key(), entry.path);
                        (tag, summary, name)
                    }
                    EntryKind::Webhook | EntryKind::Introduction | EntryKind::Model => {
                        (tag, summary, entry.path.clone())
                    }
                    // Channels stand below the folder of their group.
                    EntryKind::Channel => {
                        let tag = tag.unwrap_or_else(|| untagged(entry));
                        (Some(tag), summary, entry.path.clone())
                    }
                };
                slug::operation(directory, tag, summary, &name)
            }
        };
        let wanted = match slug::safe(&reference) {
            // Nothing that an address can show is left of the summary.
            empty if empty.is_empty() || empty.ends_with('/') => {
                let name = format!("{}-{}", entry.method.key(), entry.path);
                slug::safe(&slug::operation(directory, None, None, &name))
            }
            wanted => wanted,
        };
        let target = self.settle(lookup, page, &wanted, version);
        if let Target::Generated(_) = target {
            self.operations.insert(page, entry.clone());
            self.redirect(&reference, page);
            if entry.kind == EntryKind::Channel && entry.meta.href.is_none() {
                // The key of a channel leads to its page, too, whatever its title is.
                let index = lookup.operations(spec);
                let tag = index.tag_of(&entry.meta).unwrap_or_else(|| untagged(entry));
                self.redirect(
                    &slug::operation(directory, Some(tag), None, &entry.path),
                    page,
                );
            }
        }
        self.targets.insert(page, target.clone());
        target
    }

    /// The page that opens the reference of a specification below the folder of `source`; none if the site has one of its
    /// own there.
    pub(super) fn introduce(
        &mut self,
        lookup: &mut dyn Lookup,
        spec: Spec,
        source: &SpecSource,
        entry: OperationEntry,
        version: Option<&str>,
    ) -> Option<Target> {
        let directory = source.directory.as_deref().unwrap_or(DIRECTORY);
        let page = lookup.generated(spec, INTRODUCTION, directory);
        if let Some(target) = self.targets.get(&page) {
            return Some(target.clone());
        }
        let folder = directory.trim_matches('/');
        let own = OWN_OPENINGS.map(|name| match folder {
            "" => name.to_owned(),
            folder => format!("{folder}/{name}"),
        });
        let own = own.iter().map(String::as_str);
        let mut own = own.chain((!folder.is_empty()).then_some(folder));
        if own.any(|path| lookup.has_page(path).is_some()) {
            return None;
        }
        let wanted = slug::safe(&slug::operation(directory, None, None, OPENING));
        Route::new(&wanted)?;
        self.generated.introduced.insert(spec);
        Some(self.wait(page, wanted, entry, version))
    }

    /// The page of a data model below the folder of `source`; none if it can have no address.
    pub(super) fn model(
        &mut self,
        lookup: &mut dyn Lookup,
        spec: Spec,
        source: &SpecSource,
        entry: &OperationEntry,
        version: Option<&str>,
    ) -> Option<Target> {
        let directory = source.directory.as_deref().unwrap_or(DIRECTORY);
        let page = lookup.generated(spec, &entry.key, directory);
        if let Some(target) = self.targets.get(&page) {
            return Some(target.clone());
        }
        // A dot is a part of many names, and those with and without one are two.
        let name = entry.path.replace(['.', '/'], "-");
        let model_route = slug::safe(&slug::operation(directory, Some(MODELS), None, &name));
        Route::new(&model_route)?;
        if let Some(file) = lookup.has_page(&model_route)
            && !self.generated.overridden.contains_key(&file)
        {
            // The author's own page wins, as it does over that of an operation.
            self.generated.overridden.insert(file, page);
            self.targets.insert(page, Target::File(file));
            return Some(Target::File(file));
        }
        Some(self.wait(page, model_route, entry.clone(), version))
    }

    fn wait(
        &mut self,
        page: GeneratedPage,
        path: String,
        entry: OperationEntry,
        version: Option<&str>,
    ) -> Target {
        let target = Target::Generated(page);
        self.deferred.push(Waiting {
            page,
            wanted: path,
            version: version.map(str::to_owned),
        });
        self.operations.insert(page, entry);
        self.targets.insert(page, target.clone());
        target
    }

    /// Gives the pages that wait the addresses that neither another page has nor a file of the author's.
    pub(super) fn assign_deferred_routes(&mut self, lookup: &mut dyn Lookup) {
        for waiting in std::mem::take(&mut self.deferred) {
            let numbered = (0u32..).map(|number| match number {
                0 => waiting.wanted.clone(),
                number => format!("{}-{number}", waiting.wanted),
            });
            let mut routes = numbered.map_while(|path| Some((Route::new(&path)?, path)));
            let free = routes.find(|(route, path)| {
                !self.generated.pages.contains_key(route) && lookup.has_page(path).is_none()
            });
            if let Some((route, _)) = free {
                self.generated.pages.insert(route.clone(), waiting.page);
                let version = waiting.version;
                let place = GeneratedPlace { route, version };
                self.generated.places.insert(waiting.page, place);
            }
        }
    }

    fn settle(
        &mut self,
        lookup: &mut dyn Lookup,
        page: GeneratedPage,
        route_path: &str,
        version: Option<&str>,
    ) -> Target {
        for attempt in 0u32.. {
            let path = match attempt {
                0 => route_path.to_owned(),
                n => format!("{route_path}-{n}"),
            };
            let Some(route) = Route::new(&path) else {
                return Target::None;
            };
            if self.generated.pages.contains_key(&route) {
                continue;
            }
            if let Some(file) = lookup.has_page(&path) {
                // The author's own page wins, once: a second operation of that name gets another address.
                if self.generated.overridden.contains_key(&file) {
                    continue;
                }
                self.generated.overridden.insert(file, page);
                return Target::File(file);
            }
            self.generated.pages.insert(route.clone(), page);
            let version = version.map(str::to_owned);
            let place = GeneratedPlace { route, version };
            self.generated.places.insert(page, place);
            return Target::Generated(page);
        }
        Target::None
    }

    /// Leads from where the reference product has the page to where it is here.
    fn redirect(&mut self, reference: &str, page: GeneratedPage) {
        let Some(place) = self.generated.places.get(&page) else {
            return;
        };
        let source = format!("/{reference}");
        let is_taken = |route| self.generated.pages.contains_key(&route);
        if source == place.route.as_str() || Route::new(&source).is_none_or(is_taken) {
            return;
        }
        // `:` and `*` mean something else in the source of a redirect.
        if source.contains([':', '*', '?', '#']) {
            return;
        }
        self.generated.redirects.push(Redirect {
            source,
            destination: place.route.to_string(),
            permanent: true,
            place: None,
        });
    }
}

/// A group of operations, by its name.
#[derive(Default)]
pub(super) struct OperationGroup {
    pub(super) label: String,
    /// Whether it is that of channels without a tag.
    pub(super) is_untagged: bool,
    /// Whether an author gave the label: the name of a tag.
    pub(super) is_named: bool,
    pub(super) entries: Vec<(Spec, SpecSource, OperationEntry)>,
    /// Groups in it, behind its operations.
    pub(super) groups: Vec<OperationGroup>,
}

/// The group of this name among `groups`, which is added if there is none.
fn group_mut<'g>(groups: &'g mut Vec<OperationGroup>, label: &str) -> &'g mut OperationGroup {
    let at = groups.iter().position(|group| group.label == label);
    let at = at.unwrap_or_else(|| {
        groups.push(OperationGroup {
            label: label.to_owned(),
            ..OperationGroup::default()
        });
        groups.len() - 1
    });
    &mut groups[at]
}

/// The operations of several specifications by group, in the order in which the groups are met.
pub(super) fn groups(lookup: &mut dyn Lookup, specs: &[(Spec, SpecSource)]) -> Vec<OperationGroup> {
    let mut groups: Vec<OperationGroup> = Vec::new();
    for (spec, source) in specs {
        let index = lookup.operations(*spec);
        for entry in index.visible_entries() {
            let labels = match index.tag_of(&entry.meta) {
                Some(tag) => index.tags.groups(tag),
                None => vec![untagged(entry)],
            };
            let (outermost, inner) = labels.split_first().unwrap_or((&UNTAGGED, &[]));
            let mut group = group_mut(&mut groups, outermost);
            group.is_untagged |=
                entry.kind == EntryKind::Channel && index.tag_of(&entry.meta).is_none();
            let is_tagged = index.tag_of(&entry.meta).is_some();
            group.is_named |= is_tagged;
            for label in inner {
                group = group_mut(&mut group.groups, label);
                group.is_named |= is_tagged;
            }
            group.entries.push((*spec, source.clone(), entry.clone()));
        }
    }
    groups
}

/// Suggestion for an operation that is in none of `indexes`.
pub fn nearest_operation(
    indexes: &[std::sync::Arc<OperationIndex>],
    method: &str,
    path: &str,
) -> Option<Near> {
    let entries = indexes.iter().flat_map(|index| index.entries());
    let entries = entries.filter(|entry| entry.kind == EntryKind::Operation);
    let of_path: Vec<&OperationEntry> = entries.clone().filter(|e| e.path == path).collect();
    if let Some(entry) = of_path.first() {
        return Some(Near {
            word: format!("{} {path}", entry.method.name()),
            is_only: of_path.len() == 1,
        });
    }
    let paths: Vec<String> = entries
        .map(|entry| format!("{} {}", entry.method.name(), entry.path))
        .collect();
    let wanted = format!("{method} {path}");
    near(&wanted, paths.iter().map(String::as_str))
}
