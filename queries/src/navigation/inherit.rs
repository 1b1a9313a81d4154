//! Inheritance between navigation elements, and the resulting nodes.

use std::sync::Arc;

use crate::inputs::{SourceFile, Spec};
use crate::navigation::entry::{Entry, classify};
use crate::navigation::generate::{self, OperationGroup, Places};
use crate::navigation::{Navigation, NavigationNode, Target};
use crate::openapi::GeneratedPage;
use base::diagnostic::{Advice, Code, Diagnostic, Near, near};
use config::api::SpecSource;
use config::decode::Thousandths;
use config::navigation::{
    Child, Directory, Element, NavigationConfig, NodeKind, PageEntries, PageEntry, Scope,
    SpecReference,
};
use openapi::index::{EntryKind, OperationEntry, OperationIndex};
use theme::{language, words};

/// Target of a page entry.
pub enum EntryTarget {
    /// A file of the site.
    File(SourceFile),
    /// Nothing; perhaps another page was meant.
    Nothing(Option<Near>),
}

/// Lookup for the resolution: files, specifications and their operations.
pub trait Lookup {
    /// The page that the navigation calls `path`.
    fn page(&mut self, path: &str) -> EntryTarget;
    /// Like [`Lookup::page`], but looks for no suggestion when the page is missing.
    fn has_page(&mut self, path: &str) -> Option<SourceFile>;
    /// The specification of this kind at `source`, a path or an address, with its overlays.
    fn spec(&mut self, source: &SpecSource, kind: SpecKind) -> FoundSpec;
    /// The specification that an entry calls `name`, shortened as authors do.
    fn spec_named(&mut self, name: &str) -> Option<Spec>;
    /// The operations of `spec`.
    fn operations(&mut self, spec: Spec) -> Arc<OperationIndex>;
    /// The page that opens the reference of `spec`, as lists have it; `None` if the site wants none.
    fn introduction(&mut self, spec: Spec) -> Option<OperationEntry>;
    /// The data models of `spec`, as lists have them; none if the site wants no pages of them.
    fn models(&mut self, spec: Spec) -> Arc<Vec<OperationEntry>>;
    /// The page of the operation `key` of `spec` below `directory`.
    fn generated(&mut self, spec: Spec, key: &str, directory: &str) -> GeneratedPage;
    /// The specifications for entries that no element gives one.
    fn default_specs(&mut self) -> Vec<SpecSource>;
}

/// Kind of an API description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecKind {
    /// An OpenAPI document.
    OpenApi,
    /// An AsyncAPI document.
    AsyncApi,
}

impl SpecKind {
    /// Name for readers, first field of such a document, and a version of it.
    pub fn names(self) -> [&'static str; 3] {
        match self {
            Self::OpenApi => ["OpenAPI", "openapi", "3.1.0"],
            Self::AsyncApi => ["AsyncAPI", "asyncapi", "3.0.0"],
        }
    }
}

/// Result of looking up the source of a specification.
pub enum FoundSpec {
    /// A document of the kind that was looked for.
    Found(Spec),
    /// A file that is none.
    Other,
    /// Nothing; perhaps another one was meant.
    Missing(Option<Near>),
}

/// Inherited settings at some place of the tree.
#[derive(Clone, Default)]
struct InheritedSettings {
    openapi: Arc<[SpecSource]>,
    /// The element that gave the specifications, by its number.
    owner: usize,
    asyncapi: Arc<[SpecSource]>,
    version: Option<String>,
    language: Option<String>,
    hidden: bool,
    public: Option<bool>,
    boost: Option<Thousandths>,
    searchable: Option<bool>,
    directory: Directory,
}

impl InheritedSettings {
    /// Scope below an element of this scope: the nearest explicit value wins.
    fn child(&self, scope: &Scope) -> Self {
        let specs = |own: &[SpecReference], outer: &Arc<[SpecSource]>| match own {
            [] => Arc::clone(outer),
            own => own.iter().map(|reference| reference.spec.clone()).collect(),
        };
        Self {
            openapi: specs(&scope.openapi, &self.openapi),
            owner: self.owner,
            asyncapi: specs(&scope.asyncapi, &self.asyncapi),
            version: scope.version.clone().or_else(|| self.version.clone()),
            language: self.language.clone(),
            hidden: scope.hidden.unwrap_or(self.hidden),
            public: scope.public.or(self.public),
            boost: scope.boost.or(self.boost),
            searchable: scope.searchable.or(self.searchable),
            directory: scope.directory.unwrap_or(self.directory),
        }
    }

    /// An English label of ours in the language of the navigation.
    fn translated(&self, label: &str) -> String {
        let language = self.language.as_deref().unwrap_or(language::DEFAULT);
        words::translated(label, language).to_owned()
    }

    fn node(&self, kind: NodeKind, target: Target) -> NavigationNode {
        NavigationNode {
            kind,
            label: String::new(),
            icon: None,
            hidden: self.hidden,
            tag: None,
            expanded: None,
            public: self.public,
            boost: self.boost,
            searchable: self.searchable,
            description: None,
            color: None,
            align: None,
            is_default: false,
            directory: self.directory,
            openapi: self.openapi.clone(),
            has_own_openapi: false,
            asyncapi: self.asyncapi.clone(),
            version: self.version.clone(),
            language: self.language.clone(),
            target,
            root: None,
            children: Arc::default(),
        }
    }
}

/// The specification that `reference` names, or what is wrong with it.
pub fn look_up(
    lookup: &mut dyn Lookup,
    reference: &SpecReference,
    kind: SpecKind,
) -> Result<Spec, Box<Diagnostic>> {
    let source = &reference.spec.source;
    let [name, field, version] = kind.names();
    let (message, hint): (String, Advice) = match lookup.spec(&reference.spec, kind) {
        FoundSpec::Found(spec) => return Ok(spec),
        FoundSpec::Other => (
            format!("`{source}` is not an {name} document"),
            format!(
                "an {name} document has the field `{field}` at its top, such as `{field}: {version}`"
            )
            .into(),
        ),
        FoundSpec::Missing(_) if source.starts_with("http:") => (
            format!("`{source}` was not fetched"),
            "use `https://`, or allow its origin: QUIRE_FETCH_ALLOW, or `allow` of `[fetch]` in quire.toml; `quire dev` asks localhost"
                .into(),
        ),
        FoundSpec::Missing(_) if source.contains("://") => (
            format!("`{source}` could not be fetched"),
            match kind {
                SpecKind::OpenApi => {
                    "the pages of its operations are missing until it is; the log says why"
                }
                SpecKind::AsyncApi => {
                    "the pages of its channels are missing until it is; the log says why"
                }
            }
            .into(),
        ),
        FoundSpec::Missing(near) => (
            format!("there is no specification `{source}`"),
            match near {
                Some(near) => near.advice(),
                None => "the path is relative to the folder of docs.json".into(),
            },
        ),
    };
    let diagnostic = Diagnostic::new(Code::MissingSpec, reference.place.clone(), message);
    Err(Box::new(diagnostic.hint(hint)))
}

/// Resolves the navigation.
pub fn resolve(config: &NavigationConfig, lookup: &mut dyn Lookup) -> Navigation {
    let mut resolver = Resolver {
        lookup,
        places: Places::default(),
        is_selective: vec![false],
        diagnostics: Vec::new(),
    };
    let inherited = InheritedSettings::default().child(&config.scope);
    let specs = resolver.own_specs(&config.scope.openapi, SpecKind::OpenApi);
    let channels = resolver.own_specs(&config.scope.asyncapi, SpecKind::AsyncApi);
    let mut nodes = resolver.children(&config.children, &inherited);
    if nodes.is_empty() {
        nodes = resolver.reference(&specs, false, &inherited);
        nodes.extend(resolver.reference(&channels, false, &inherited));
    }
    let global = config.global.iter();
    let global = global.map(|element| resolver.element(element, &inherited));
    let global = global.collect();
    let mut overrides = Vec::new();
    for (i, child) in config.children.iter().enumerate() {
        if let Child::Element(element) = child {
            gather_globals(
                element,
                &inherited,
                &mut vec![i as u16],
                &mut resolver,
                &mut overrides,
            );
        }
    }
    resolver.places.assign_deferred_routes(resolver.lookup);
    Navigation {
        nodes,
        global,
        local_global: overrides,
        generated: Arc::new(resolver.places.generated),
        operations: resolver.places.operations,
        diagnostics: resolver.diagnostics,
    }
}

/// The global links that hold below one element only, by the position of that element.
fn gather_globals(
    element: &Element,
    inherited: &InheritedSettings,
    position: &mut Vec<u16>,
    resolver: &mut Resolver<'_>,
    found: &mut Vec<(Vec<u16>, Vec<NavigationNode>)>,
) {
    let inherited = inherited.child(&element.scope);
    if !element.global.is_empty() {
        let links = element.global.iter();
        let links = links.map(|link| resolver.element(link, &inherited));
        found.push((position.clone(), links.collect()));
    }
    for (i, child) in element.children.iter().enumerate() {
        if let Child::Element(child) = child {
            position.push(i as u16);
            gather_globals(child, &inherited, position, resolver, found);
            position.pop();
        }
    }
}

struct Resolver<'w> {
    lookup: &'w mut dyn Lookup,
    places: Places,
    /// By number of each element with specifications of its own: whether an entry below it picks
    /// operations from them. Then it lists only those.
    is_selective: Vec<bool>,
    diagnostics: Vec<Diagnostic>,
}

impl Resolver<'_> {
    fn children(
        &mut self,
        children: &[Child],
        inherited: &InheritedSettings,
    ) -> Vec<NavigationNode> {
        let mut nodes = Vec::with_capacity(children.len());
        for child in children {
            match child {
                Child::Pages(entries) => self.pages(entries, inherited, &mut nodes),
                Child::Element(element) => nodes.push(self.element(element, inherited)),
            }
        }
        mark_default(&mut nodes, children);
        nodes
    }

    fn element(&mut self, element: &Element, inherited: &InheritedSettings) -> NavigationNode {
        let mut inherited = inherited.child(&element.scope);
        match element.kind {
            NodeKind::Version => inherited.version = Some(element.label.clone()),
            NodeKind::Language => inherited.language = Some(element.label.clone()),
            _ => {}
        }
        let specs = self.own_specs(&element.scope.openapi, SpecKind::OpenApi);
        let channels = self.own_specs(&element.scope.asyncapi, SpecKind::AsyncApi);
        if !element.scope.openapi.is_empty() {
            inherited.owner = self.is_selective.len();
            self.is_selective.push(false);
        }
        let href = element.href.clone();
        let target = href.map_or(Target::None, |href| Target::Href(href.0));
        let mut node = inherited.node(element.kind, target);
        node.label = match (&element.name, element.label.as_str()) {
            (Some(name), "") => name.clone(),
            (_, label) => label.to_owned(),
        };
        node.icon = element.icon.clone();
        node.tag = element.tag.clone();
        node.expanded = element.expanded;
        node.description = element.description.clone();
        node.color = element.color.clone();
        node.align = element.align;
        node.has_own_openapi = !element.scope.openapi.is_empty();
        node.root =
            element
                .root
                .as_ref()
                .and_then(|root| match self.page(root, &inherited).target {
                    Target::File(file) => Some(file),
                    _ => None,
                });
        let mut children = self.children(&element.children, &inherited);
        let is_opened = node.root.is_some() || lists_files(&children);
        if !specs.is_empty() && !self.is_selective[inherited.owner] {
            let section = self.reference(&specs, is_opened, &inherited);
            if !section.is_empty() {
                // What was a link only now has pages, and leads to the first.
                node.target = Target::None;
            }
            children.extend(section);
        }
        if !channels.is_empty() {
            let section = match element.kind {
                NodeKind::Group => {
                    self.channels_of_group(element, &channels, is_opened, &inherited)
                }
                _ => self.reference(&channels, is_opened, &inherited),
            };
            if !section.is_empty() {
                node.target = Target::None;
            }
            children.extend(section);
        }
        node.children = children.into();
        node
    }

    /// The channels of `specs` as they stand in a group of the author's: those without a tag, or with one that is called as
    /// the group, are its pages.
    fn channels_of_group(
        &mut self,
        element: &Element,
        specs: &[(Spec, SpecSource)],
        is_opened: bool,
        inherited: &InheritedSettings,
    ) -> Vec<NavigationNode> {
        let groups = generate::groups(self.lookup, specs);
        let is_own = |group: &OperationGroup| group.is_untagged || group.label == element.label;
        let (untagged, tagged) = groups.into_iter().partition(is_own);
        let untagged: Vec<NavigationNode> = self.operation_groups(untagged, inherited);
        let pages = untagged.iter().flat_map(|group| group.children.iter());
        let pages: Vec<NavigationNode> = pages.cloned().collect();
        let tagged = self.operation_groups(tagged, inherited);
        let mut nodes = self.introductions(specs, is_opened, inherited);
        nodes.extend(pages);
        nodes.extend(tagged);
        nodes
    }

    /// The specifications that an element names itself, each looked up.
    fn own_specs(
        &mut self,
        references: &[SpecReference],
        kind: SpecKind,
    ) -> Vec<(Spec, SpecSource)> {
        let mut specs = Vec::new();
        for reference in references {
            match look_up(self.lookup, reference, kind) {
                Ok(spec) => specs.push((spec, reference.spec.clone())),
                Err(diagnostic) => self.diagnostics.push(*diagnostic),
            }
        }
        specs
    }

    /// The groups of all operations of `specs`, below the pages that open the reference of each, and their data models behind
    /// them. An element that `is_opened` by pages of the author's needs no such page.
    fn reference(
        &mut self,
        specs: &[(Spec, SpecSource)],
        is_opened: bool,
        inherited: &InheritedSettings,
    ) -> Vec<NavigationNode> {
        let section = self.section(specs, inherited);
        let mut nodes = self.introductions(specs, is_opened, inherited);
        nodes.extend(section);
        nodes.extend(self.models(specs, inherited));
        nodes
    }

    /// The pages that open the reference of each of `specs`. Called when its operations have their pages: it takes no
    /// address of theirs.
    fn introductions(
        &mut self,
        specs: &[(Spec, SpecSource)],
        is_opened: bool,
        inherited: &InheritedSettings,
    ) -> Vec<NavigationNode> {
        let mut nodes = Vec::new();
        for (spec, source) in specs {
            let index = self.lookup.operations(*spec);
            if is_opened || index.visible_entries().next().is_none() {
                continue;
            }
            let Some(entry) = self.lookup.introduction(*spec) else {
                continue;
            };
            let version = inherited.version.as_deref();
            let page = self
                .places
                .introduce(self.lookup, *spec, source, entry, version);
            nodes.extend(page.map(|target| inherited.node(NodeKind::Page, target)));
        }
        nodes
    }

    /// The group of the data models of `specs`, if the site wants pages of them.
    fn models(
        &mut self,
        specs: &[(Spec, SpecSource)],
        inherited: &InheritedSettings,
    ) -> Option<NavigationNode> {
        let mut children = Vec::new();
        for (spec, source) in specs {
            let models = self.lookup.models(*spec);
            for entry in models.iter() {
                let version = inherited.version.as_deref();
                let page = self
                    .places
                    .model(self.lookup, *spec, source, entry, version);
                children.extend(page.map(|target| inherited.node(NodeKind::Page, target)));
            }
        }
        if children.is_empty() {
            return None;
        }
        let mut node = inherited.node(NodeKind::Group, Target::None);
        node.label = inherited.translated(generate::MODELS);
        node.children = children.into();
        Some(node)
    }

    /// The groups of all operations of `specs`.
    fn section(
        &mut self,
        specs: &[(Spec, SpecSource)],
        inherited: &InheritedSettings,
    ) -> Vec<NavigationNode> {
        let groups = generate::groups(self.lookup, specs);
        self.operation_groups(groups, inherited)
    }

    fn operation_groups(
        &mut self,
        groups: Vec<OperationGroup>,
        inherited: &InheritedSettings,
    ) -> Vec<NavigationNode> {
        let mut nodes = Vec::new();
        for group in groups {
            let mut node = inherited.node(NodeKind::Group, Target::None);
            node.label = match group.is_named {
                true => group.label,
                false => inherited.translated(&group.label),
            };
            let mut children = Vec::with_capacity(group.entries.len());
            for (spec, source, entry) in group.entries {
                let version = inherited.version.as_deref();
                let target = self
                    .places
                    .place(self.lookup, spec, &source, &entry, version);
                children.push(inherited.node(NodeKind::Page, target));
            }
            children.extend(self.operation_groups(group.groups, inherited));
            node.children = children.into();
            nodes.push(node);
        }
        nodes
    }

    /// Adds the nodes of `entries`: one for each sequence of consecutive pages.
    fn pages(
        &mut self,
        entries: &PageEntries,
        inherited: &InheritedSettings,
        nodes: &mut Vec<NavigationNode>,
    ) {
        let mut files = Vec::new();
        let of_files = |files: &mut Vec<SourceFile>| {
            let target = Target::Files(files.drain(..).collect());
            inherited.node(NodeKind::Page, target)
        };
        for (i, text) in entries.texts().enumerate() {
            let file = match classify(text) {
                Entry::Page(path) => self.lookup.has_page(path),
                _ => None,
            };
            let Some(file) = file else {
                if !files.is_empty() {
                    nodes.push(of_files(&mut files));
                }
                nodes.push(self.page(&entries.entry(i, text), inherited));
                continue;
            };
            files.push(file);
        }
        if !files.is_empty() {
            nodes.push(of_files(&mut files));
        }
    }

    fn page(&mut self, entry: &PageEntry, inherited: &InheritedSettings) -> NavigationNode {
        let (kind, target) = match classify(&entry.text) {
            Entry::Link(href) => (NodeKind::Link, Target::Href(href.to_owned())),
            Entry::Operation { spec, method, path } => {
                let wanted = NamedPart::Operation(&method, path);
                (
                    NodeKind::Page,
                    self.operation(entry, spec, &wanted, inherited),
                )
            }
            Entry::Webhook { spec, name } => {
                let wanted = NamedPart::Webhook(name);
                (
                    NodeKind::Page,
                    self.operation(entry, spec, &wanted, inherited),
                )
            }
            Entry::Page(path) => (NodeKind::Page, self.look_up(entry, path)),
        };
        inherited.node(kind, target)
    }

    fn look_up(&mut self, entry: &PageEntry, path: &str) -> Target {
        match self.lookup.page(path) {
            EntryTarget::File(file) => Target::File(file),
            EntryTarget::Nothing(near) => {
                let message = format!("there is no page `{}`", entry.text);
                let diagnostic = Diagnostic::new(Code::MissingPage, entry.place.clone(), message);
                self.diagnostics.push(diagnostic.hint(match near {
                    Some(near) => near.advice(),
                    None => format!("create `{path}.mdx` or remove the entry").into(),
                }));
                Target::Missing(path.to_owned())
            }
        }
    }

    /// The page of an operation or a webhook that an entry names.
    fn operation(
        &mut self,
        entry: &PageEntry,
        spec_name: Option<&str>,
        part: &NamedPart<'_>,
        inherited: &InheritedSettings,
    ) -> Target {
        let sources = match spec_name {
            Some(name) => {
                // A specification that is in scope under this name brings its folder along.
                let clean = |path: &str| {
                    path.trim_start_matches("./")
                        .trim_start_matches('/')
                        .to_owned()
                };
                let scoped = inherited.openapi.iter();
                let mut scoped = scoped.filter(|source| clean(&source.source) == clean(name));
                let own = SpecSource {
                    source: name.to_owned(),
                    directory: None,
                    overlays: None,
                };
                vec![scoped.next().cloned().unwrap_or(own)]
            }
            None if inherited.openapi.is_empty() => self.lookup.default_specs(),
            None => inherited.openapi.to_vec(),
        };
        let mut specs = Vec::new();
        for source in sources {
            let spec = match self.lookup.spec(&source, SpecKind::OpenApi) {
                FoundSpec::Found(spec) => Some(spec),
                _ => self.lookup.spec_named(&source.source),
            };
            specs.extend(spec.map(|spec| (spec, source)));
        }
        if spec_name.is_none() {
            // Whether it was found or not, the author picks.
            self.is_selective[inherited.owner] = true;
        }
        for (spec, source) in &specs {
            let index = self.lookup.operations(*spec);
            let found = match part {
                NamedPart::Operation(method, path) => index.operation(method, path),
                NamedPart::Webhook(name) => index.webhook(name),
            };
            if let Some(found) = found.filter(|found| !found.meta.hidden) {
                let version = inherited.version.as_deref();
                return self
                    .places
                    .place(self.lookup, *spec, source, found, version);
            }
        }
        // A specification that the element around it names and that is not there is one error, said there.
        if spec_name.is_some() || !specs.is_empty() || inherited.openapi.is_empty() {
            self.unresolved(entry, spec_name, part, &specs);
        }
        Target::Missing(entry.text.clone())
    }

    fn unresolved(
        &mut self,
        entry: &PageEntry,
        spec_name: Option<&str>,
        part: &NamedPart<'_>,
        specs: &[(Spec, SpecSource)],
    ) {
        let sources: Vec<String> = specs
            .iter()
            .map(|(_, s)| format!("`{}`", s.source))
            .collect();
        let indexes: Vec<_> = specs
            .iter()
            .map(|(spec, _)| self.lookup.operations(*spec))
            .collect();
        let what = match part {
            NamedPart::Operation(method, path) => format!("operation `{method} {path}`"),
            NamedPart::Webhook(name) => format!("webhook `{name}`"),
        };
        let (message, advice) = match (spec_name, sources.is_empty()) {
            (Some(name), true) => (
                format!("there is no specification `{name}`"),
                Some("the path is relative to the folder of docs.json".into()),
            ),
            (None, true) => (
                format!("no specification is in scope for the {what}"),
                Some("set `openapi` on the element around it, or name the specification before the method".into()),
            ),
            _ => {
                let message = format!("the {what} is not in {}", sources.join(", "));
                let near = match part {
                    NamedPart::Operation(method, path) => generate::nearest_operation(&indexes, method, path),
                    NamedPart::Webhook(name) => {
                        let entries = indexes.iter().flat_map(|index| index.entries());
                        let names = entries.filter(|entry| entry.kind == EntryKind::Webhook).map(|entry| entry.path.as_str());
                        near(name, names).map(|near| near.map(|near| format!("webhook {near}")))
                    }
                };
                // A specification that the entry names before the operation stays.
                let written = |near: &str| match spec_name {
                    Some(spec_name) => format!("{spec_name} {near}"),
                    None => near.to_owned(),
                };
                (message, near.map(|near| {
                    let written = written(&near.word);
                    near.advice_with(Some(written))
                }))
            }
        };
        let diagnostic = Diagnostic::new(Code::UnresolvedOperation, entry.place.clone(), message);
        self.diagnostics.push(diagnostic.advise(advice));
    }
}

/// Part of a specification that an entry names.
enum NamedPart<'a> {
    /// An operation, by method and path.
    Operation(&'a str, &'a str),
    /// A webhook, by name.
    Webhook(&'a str),
}

/// Returns true if a visible page of the author is among `nodes`.
fn lists_files(nodes: &[NavigationNode]) -> bool {
    let mut shown = nodes.iter().filter(|node| !node.hidden);
    shown.any(|node| {
        let is_file = matches!(node.target, Target::File(_) | Target::Files(_));
        is_file || node.root.is_some() || lists_files(&node.children)
    })
}

/// Marks the product, version or language shown first among siblings: the one with `default`, else the
/// first.
fn mark_default(nodes: &mut [NavigationNode], children: &[Child]) {
    let is_chosen = |kind| {
        use NodeKind::{Language, Product, Version};
        matches!(kind, Product | Version | Language)
    };
    if !nodes.first().is_some_and(|node| is_chosen(node.kind)) {
        return;
    }
    let chosen = children.iter().position(
        |child| matches!(child, Child::Element(element) if element.default == Some(true)),
    );
    nodes[chosen.unwrap_or(0)].is_default = true;
}
