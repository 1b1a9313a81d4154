//! Sections of the navigation tree: the content of one sidebar, and the choices above it.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::inputs::SourceFile;
use crate::navigation::{NavigationNode, PageId, Target};
use config::SpecSource;
use config::appearance::Icon;
use config::navigation::{Align, MAX_CHOICES, NodeKind};

/// One switcher above a section: what can be chosen, and what is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreadcrumbStep {
    /// Kind of the choices.
    pub kind: NodeKind,
    /// Choice that leads to this section.
    pub chosen: usize,
    /// The choices, in the order written, hidden ones too. Shared between the sections below them.
    pub choices: Arc<[Choice]>,
}

impl BreadcrumbStep {
    /// The choices that readers see, with their numbers: those that are not hidden, no more than [`MAX_CHOICES`] of them, and
    /// always the one that leads here.
    pub fn visible_choices(&self) -> Vec<(usize, &Choice)> {
        let choices = self.choices.iter().enumerate();
        let mut visible: Vec<_> = choices
            .filter(|(i, choice)| !choice.hidden || *i == self.chosen)
            .collect();
        if visible.len() > MAX_CHOICES {
            let chosen = visible.iter().position(|(i, _)| *i == self.chosen);
            if let Some(chosen) = chosen.filter(|chosen| *chosen >= MAX_CHOICES) {
                visible.swap(MAX_CHOICES - 1, chosen);
            }
            visible.truncate(MAX_CHOICES);
        }
        visible
    }
}

/// One choice of a switcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Visible label.
    pub label: String,
    /// Icon.
    pub icon: Option<Icon>,
    /// Whether it is left out of the switcher.
    pub hidden: bool,
    /// Destination, if it is only a link.
    pub href: Option<String>,
    /// The first visible page below it, the default version and language first.
    pub first_page: Option<PageId>,
    /// A word beside the label.
    pub tag: Option<String>,
    /// A sentence below the label.
    pub description: Option<String>,
    /// Whether it is shown first.
    pub is_default: bool,
    /// The side of the bar it stands on.
    pub align: Option<Align>,
}

/// A section before it has an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionDraft {
    /// The position of its container in the tree.
    pub position: Vec<u16>,
    /// The switchers above it, outermost first.
    pub breadcrumb: Vec<BreadcrumbStep>,
    /// Switchers that the sidebar renders.
    pub sidebar_switchers: Vec<BreadcrumbStep>,
    /// Nodes of the sidebar.
    pub nodes: Vec<NavigationNode>,
    /// The visible pages in reading order, each once.
    pub pages: Vec<PageId>,
    /// The pages that are listed but hidden.
    pub hidden_pages: Vec<PageId>,
    /// The specifications in scope of its pages, as the navigation names them, in reading order; each page at most once.
    pub scopes: Vec<(SourceFile, Arc<[SpecSource]>)>,
    /// The runs of pages that its sidebar shows, each once.
    pub runs: Vec<Arc<[SourceFile]>>,
}

/// Maximum number of pages of a run: a new label of one renders this many.
const MAX_RUN_PAGES: usize = 64;

/// The runs of consecutive pages, each rendered by itself.
pub fn runs(files: &[SourceFile]) -> impl Iterator<Item = &[SourceFile]> {
    files.chunks(MAX_RUN_PAGES)
}

/// Flattens the tree into sections, in the order of the document.
pub fn flatten(nodes: &[NavigationNode]) -> Vec<SectionDraft> {
    let mut sections = Vec::new();
    gather(nodes, &mut Vec::new(), &mut Vec::new(), &mut sections);
    sections
}

fn gather(
    nodes: &[NavigationNode],
    position: &mut Vec<u16>,
    breadcrumb: &mut Vec<BreadcrumbStep>,
    sections: &mut Vec<SectionDraft>,
) {
    let Some(kind) = nodes
        .first()
        .map(|node| node.kind)
        .filter(|kind| kind.is_switch())
    else {
        sections.push(section(nodes, position, breadcrumb));
        return;
    };
    let choices: Arc<[Choice]> = nodes.iter().map(choice).collect();
    for (chosen, node) in nodes.iter().enumerate() {
        // A link is a choice but nothing is below it.
        if matches!(node.target, Target::Href(_)) || node.children.is_empty() {
            continue;
        }
        position.push(u16::try_from(chosen).unwrap_or(u16::MAX));
        breadcrumb.push(BreadcrumbStep {
            kind,
            chosen,
            choices: choices.clone(),
        });
        gather(&node.children, position, breadcrumb, sections);
        breadcrumb.pop();
        position.pop();
    }
}

fn section(
    nodes: &[NavigationNode],
    position: &[u16],
    breadcrumb: &[BreadcrumbStep],
) -> SectionDraft {
    let (mut pages, mut hidden_pages) = (PageSet::default(), PageSet::default());
    pages.members.reserve(count_pages(nodes));
    list_pages(nodes, &mut |page, is_hidden| match is_hidden {
        true => hidden_pages.add(page),
        false => pages.add(page),
    });
    SectionDraft {
        position: position.to_vec(),
        breadcrumb: breadcrumb.to_vec(),
        sidebar_switchers: sidebar_switchers(breadcrumb),
        nodes: nodes.to_vec(),
        pages: pages.in_order,
        hidden_pages: hidden_pages.in_order,
        scopes: scopes(nodes),
        runs: shown_runs(nodes),
    }
}

/// Pages in the order they were added, each once.
#[derive(Default)]
struct PageSet {
    in_order: Vec<PageId>,
    members: FxHashSet<PageId>,
}

impl PageSet {
    fn add(&mut self, page: PageId) {
        if self.members.insert(page) {
            self.in_order.push(page);
        }
    }
}

/// The runs of pages that are not hidden, each once.
fn shown_runs(nodes: &[NavigationNode]) -> Vec<Arc<[SourceFile]>> {
    fn gather<'a>(
        nodes: &'a [NavigationNode],
        visited: &mut FxHashSet<&'a [SourceFile]>,
        found: &mut Vec<Arc<[SourceFile]>>,
    ) {
        for node in nodes.iter().filter(|node| !node.hidden) {
            if let Target::Files(files) = &node.target {
                found.extend(
                    runs(files)
                        .filter(|run| visited.insert(*run))
                        .map(Arc::from),
                );
            }
            gather(&node.children, visited, found);
        }
    }
    let mut found = Vec::new();
    gather(nodes, &mut FxHashSet::default(), &mut found);
    found
}

/// The switchers that stand in the sidebar: anchors, and what is below the tabs of the bar.
fn sidebar_switchers(breadcrumb: &[BreadcrumbStep]) -> Vec<BreadcrumbStep> {
    let bar = breadcrumb
        .iter()
        .position(|step| step.kind == NodeKind::Tab);
    let steps = breadcrumb.iter().enumerate().filter(|(i, step)| {
        let is_aside = matches!(
            step.kind,
            NodeKind::Anchor | NodeKind::Tab | NodeKind::Dropdown | NodeKind::Item
        );
        is_aside && Some(*i) != bar
    });
    steps.map(|(_, step)| step.clone()).collect()
}

/// The specifications in scope of every file below `nodes`: those at its first listing, if there are any.
fn scopes(nodes: &[NavigationNode]) -> Vec<(SourceFile, Arc<[SpecSource]>)> {
    if !has_scope(nodes) {
        return Vec::new();
    }
    let mut listed = Vec::new();
    list_scopes(nodes, &Arc::default(), &mut listed);
    // The first listing counts even if it has none.
    let mut seen = FxHashSet::default();
    listed.retain(|(file, scope)| seen.insert(*file) && !scope.is_empty());
    listed
}

/// Returns true if a specification is in scope of anything in `nodes`.
fn has_scope(nodes: &[NavigationNode]) -> bool {
    let mut nodes = nodes.iter();
    nodes.any(|node| !node.openapi.is_empty() || has_scope(&node.children))
}

/// Every listing of a file below `nodes` with its scope; a scope equal to that of the element around is shared with it.
fn list_scopes(
    nodes: &[NavigationNode],
    inherited: &Arc<[SpecSource]>,
    scopes: &mut Vec<(SourceFile, Arc<[SpecSource]>)>,
) {
    for node in nodes {
        let of = |spec: &SpecSource| SpecSource {
            directory: None,
            ..spec.clone()
        };
        let is_same = |(one, other): (&SpecSource, &SpecSource)| {
            one.source == other.source && one.overlays == other.overlays
        };
        let own = &node.openapi;
        let scope = match own.len() == inherited.len() && own.iter().zip(&**inherited).all(is_same)
        {
            true => Arc::clone(inherited),
            false => own.iter().map(of).collect(),
        };
        let files = node.target.pages().filter_map(PageId::file);
        let files = node.root.into_iter().chain(files);
        scopes.extend(files.map(|file| (file, Arc::clone(&scope))));
        list_scopes(&node.children, &scope, scopes);
    }
}

/// Approximate number of page listings below `nodes`.
fn count_pages(nodes: &[NavigationNode]) -> usize {
    let counts = nodes.iter().map(|node| match &node.target {
        Target::Files(files) => files.len(),
        _ => 1 + count_pages(&node.children),
    });
    counts.sum()
}

/// Every page below `nodes` in reading order, with whether it is hidden.
fn list_pages(nodes: &[NavigationNode], list: &mut dyn FnMut(PageId, bool)) {
    for node in nodes {
        let root = node.root.map(PageId::File).into_iter();
        root.chain(node.target.pages())
            .for_each(|page| list(page, node.hidden));
        list_pages(&node.children, list);
    }
}

fn choice(node: &NavigationNode) -> Choice {
    let nodes = std::slice::from_ref(node);
    Choice {
        label: node.label.clone(),
        icon: node.icon.clone(),
        hidden: node.hidden,
        href: match &node.target {
            Target::Href(href) => Some(href.clone()),
            _ => None,
        },
        // Where everything is hidden, the way in is the first hidden page.
        first_page: first_page(nodes, false).or_else(|| first_page(nodes, true)),
        tag: node.tag.clone(),
        description: node.description.clone(),
        is_default: node.is_default,
        align: node.align,
    }
}

/// The first page below `nodes`, the default product, version or language before the others.
pub fn first_page(nodes: &[NavigationNode], with_hidden: bool) -> Option<PageId> {
    let (first, rest): (Vec<_>, Vec<_>) = nodes.iter().partition(|node| node.is_default);
    first.into_iter().chain(rest).find_map(|node| {
        let own = node.root.map(PageId::File);
        let own = own.or_else(|| node.target.pages().next());
        own.filter(|_| with_hidden || !node.hidden)
            .or_else(|| first_page(&node.children, with_hidden))
    })
}
