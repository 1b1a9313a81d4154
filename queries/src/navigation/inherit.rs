//! What navigation elements take over from those above them, and the nodes that come out of it.

use crate::config::api::SpecSource;
use crate::config::decode::Thousandths;
use crate::config::navigation::{
    Child, Directory, Element, NavigationConfig, NodeKind, PageEntry, Scope, SpecReference,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::inputs::SourceFile;
use crate::navigation::entry::{Entry, classify};
use crate::navigation::{Navigation, NavigationNode, Target, Unresolved};

/// What a page entry was found to name.
pub enum Found {
    /// A file of the site.
    File(SourceFile),
    /// Nothing; perhaps another page was meant.
    Nothing(Option<String>),
}

/// What holds at some place of the tree.
#[derive(Clone, Default)]
struct Inherited {
    openapi: Vec<SpecSource>,
    asyncapi: Vec<SpecSource>,
    version: Option<String>,
    language: Option<String>,
    hidden: bool,
    public: Option<bool>,
    boost: Option<Thousandths>,
    searchable: Option<bool>,
    directory: Directory,
}

impl Inherited {
    /// The same below an element of this scope: the nearest explicit value wins.
    fn below(&self, scope: &Scope) -> Self {
        let specs = |own: &[SpecReference], outer: &[SpecSource]| match own {
            [] => outer.to_vec(),
            own => own.iter().map(|reference| reference.spec.clone()).collect(),
        };
        Self {
            openapi: specs(&scope.openapi, &self.openapi),
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
            children: Vec::new(),
        }
    }
}

/// Resolves the navigation. `find` looks up the page of a path.
pub fn resolve(config: &NavigationConfig, find: &mut dyn FnMut(&str) -> Found) -> Navigation {
    let mut resolver = Resolver {
        find,
        position: Vec::new(),
        unresolved: Vec::new(),
        diagnostics: Vec::new(),
    };
    let inherited = Inherited::default().below(&config.scope);
    let nodes = resolver.children(&config.children, &inherited);
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
    Navigation {
        nodes,
        global,
        local_global: overrides,
        unresolved: resolver.unresolved,
        diagnostics: resolver.diagnostics,
    }
}

/// The global links that hold below one element only, by the position of that element.
fn gather_globals(
    element: &Element,
    inherited: &Inherited,
    position: &mut Vec<u16>,
    resolver: &mut Resolver<'_>,
    found: &mut Vec<(Vec<u16>, Vec<NavigationNode>)>,
) {
    let inherited = inherited.below(&element.scope);
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

struct Resolver<'f> {
    find: &'f mut dyn FnMut(&str) -> Found,
    /// The position of the node that is being resolved.
    position: Vec<u16>,
    unresolved: Vec<Unresolved>,
    diagnostics: Vec<Diagnostic>,
}

impl Resolver<'_> {
    fn children(&mut self, children: &[Child], inherited: &Inherited) -> Vec<NavigationNode> {
        let mut nodes = Vec::with_capacity(children.len());
        for (i, child) in children.iter().enumerate() {
            // 65,536 siblings are more than any sidebar shows; what follows shares the last position.
            self.position.push(u16::try_from(i).unwrap_or(u16::MAX));
            nodes.push(match child {
                Child::Page(entry) => self.page(entry, inherited),
                Child::Element(element) => self.element(element, inherited),
            });
            self.position.pop();
        }
        mark_default(&mut nodes, children);
        nodes
    }

    fn element(&mut self, element: &Element, inherited: &Inherited) -> NavigationNode {
        let mut inherited = inherited.below(&element.scope);
        match element.kind {
            NodeKind::Version => inherited.version = Some(element.label.clone()),
            NodeKind::Language => inherited.language = Some(element.label.clone()),
            _ => {}
        }
        let target = element.href.clone().map_or(Target::None, Target::Href);
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
        node.children = self.children(&element.children, &inherited);
        node
    }

    fn page(&mut self, entry: &PageEntry, inherited: &Inherited) -> NavigationNode {
        let (kind, target) = match classify(&entry.text) {
            Entry::Link(href) => (NodeKind::Link, Target::Href(href.to_owned())),
            Entry::Operation { spec, method, path } => {
                self.leave(entry);
                let (spec, path) = (spec.map(str::to_owned), path.to_owned());
                (NodeKind::Page, Target::Operation { spec, method, path })
            }
            Entry::Webhook { spec, name } => {
                self.leave(entry);
                let (spec, name) = (spec.map(str::to_owned), name.to_owned());
                (NodeKind::Page, Target::Webhook { spec, name })
            }
            Entry::Page(path) => (NodeKind::Page, self.look_up(entry, path)),
        };
        inherited.node(kind, target)
    }

    fn look_up(&mut self, entry: &PageEntry, path: &str) -> Target {
        match (self.find)(path) {
            Found::File(file) => Target::File(file),
            Found::Nothing(near) => {
                let message = format!("there is no page `{}`", entry.text);
                let mut diagnostic =
                    Diagnostic::new(Code::MissingPage, entry.place.clone(), message);
                diagnostic.hint = Some(match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("create `{path}.mdx` or remove the entry"),
                });
                self.diagnostics.push(diagnostic);
                Target::Missing(path.to_owned())
            }
        }
    }

    /// Leaves an entry to whoever knows the specifications.
    fn leave(&mut self, entry: &PageEntry) {
        self.unresolved.push(Unresolved {
            position: self.position.clone(),
            place: entry.place.clone(),
        });
    }
}

/// Of the versions or languages beside each other one is shown first: the one that says so, else the first.
fn mark_default(nodes: &mut [NavigationNode], children: &[Child]) {
    let is_chosen = |kind| matches!(kind, NodeKind::Version | NodeKind::Language);
    if !nodes.first().is_some_and(|node| is_chosen(node.kind)) {
        return;
    }
    let chosen = children.iter().position(
        |child| matches!(child, Child::Element(element) if element.default == Some(true)),
    );
    nodes[chosen.unwrap_or(0)].is_default = true;
}
