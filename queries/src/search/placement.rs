//! Places of pages in the navigation, as far as search needs them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Product;
use super::kind::{self, PageKind};
use crate::navigation::{NavigationNode, PageId};
use config::navigation::NodeKind;

/// Search settings of the listing of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The label of the tab it is below.
    pub tab: Option<String>,
    /// The product it belongs to; none if it is listed under several.
    pub product: Option<Product>,
    /// The version it belongs to; none if it is listed under several.
    pub version: Option<String>,
    /// Whether that version is the one shown first, or there is none.
    pub is_default: bool,
    /// The language it belongs to; none if it is listed under several.
    pub language: Option<String>,
    /// Kind by the labels above it: the nearest that says something.
    pub kind: Option<PageKind>,
    /// Boost in thousandths: the nearest explicit value.
    pub boost: Option<i64>,
    /// Whether it is left out of the sidebar: the nearest explicit value.
    pub is_hidden: bool,
    /// Whether it is found although hidden, or not found although shown: the nearest explicit
    /// value.
    pub searchable: Option<bool>,
}

/// Every listed page with its placement. There are as many pages as a site has, and few placements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placements {
    /// Whether there is a navigation at all.
    pub has_navigation: bool,
    pages: HashMap<PageId, Arc<Placement>>,
}

impl Placements {
    /// Returns the placement of a page; `None` if the navigation does not list it.
    ///
    /// If the page is listed several times, visible listings win over hidden ones, and the first
    /// one wins among those. If they differ in product, version or language, the page has none.
    pub fn of(&self, page: PageId) -> Option<&Placement> {
        self.pages.get(&page).map(|placement| &**placement)
    }
}

/// The placements of all pages that `nodes` list.
pub fn placements(nodes: &[NavigationNode]) -> Placements {
    let mut gathering = Gathering::default();
    gathering.nodes(nodes, &Above::default());
    Placements {
        has_navigation: !nodes.is_empty(),
        pages: gathering.pages,
    }
}

#[derive(Default)]
struct Gathering {
    distinct: HashSet<Arc<Placement>>,
    pages: HashMap<PageId, Arc<Placement>>,
}

/// Facts about the elements around one.
#[derive(Clone, Default)]
struct Above<'a> {
    tab: Option<&'a str>,
    product: Option<&'a NavigationNode>,
    is_old: bool,
    kind: Option<PageKind>,
}

impl<'a> Above<'a> {
    /// Facts for the children of `node`.
    fn child(&self, node: &'a NavigationNode) -> Self {
        Self {
            tab: match node.kind {
                NodeKind::Tab => Some(node.label.as_str()),
                _ => self.tab,
            },
            product: match node.kind {
                NodeKind::Product => Some(node),
                _ => self.product,
            },
            is_old: self.is_old || node.kind == NodeKind::Version && !node.is_default,
            kind: kind::said_by(&node.label).or(self.kind),
        }
    }
}

impl Gathering {
    fn nodes(&mut self, nodes: &[NavigationNode], parents: &Above<'_>) {
        for node in nodes {
            let parents = parents.child(node);
            let pages = node.root.map(PageId::File);
            let mut own = None;
            for page in pages.into_iter().chain(node.target.pages()) {
                let own = own.get_or_insert_with(|| self.shared(placement(node, &parents)));
                self.page(page, own.clone());
            }
            self.nodes(&node.children, &parents);
        }
    }

    fn page(&mut self, page: PageId, new: Arc<Placement>) {
        let placement = match self.pages.get(&page) {
            Some(known) => self.shared(both(known, &new)),
            None => new,
        };
        self.pages.insert(page, placement);
    }

    /// The placement, the same one for all that are equal.
    fn shared(&mut self, placement: Placement) -> Arc<Placement> {
        match self.distinct.get(&placement) {
            Some(known) => known.clone(),
            None => {
                let placement = Arc::new(placement);
                self.distinct.insert(placement.clone());
                placement
            }
        }
    }
}

fn placement(node: &NavigationNode, parents: &Above<'_>) -> Placement {
    Placement {
        tab: parents.tab.map(str::to_owned),
        product: parents.product.map(|product| Product {
            label: product.label.clone(),
            is_default: product.is_default,
        }),
        version: node.version.clone(),
        is_default: !parents.is_old,
        kind: parents.kind,
        language: node.language.clone(),
        boost: node.boost.map(|boost| boost.0),
        is_hidden: node.hidden,
        searchable: node.searchable,
    }
}

/// Combination of two listings of one page.
fn both(first: &Placement, second: &Placement) -> Placement {
    if first.is_hidden != second.is_hidden {
        let visible = if first.is_hidden { second } else { first };
        return visible.clone();
    }
    fn common<T: Clone + PartialEq>(first: &Option<T>, second: &Option<T>) -> Option<T> {
        first.clone().filter(|_| first == second)
    }
    let product = |first: &Product, second: &Product| {
        let is_default = first.is_default || second.is_default;
        (first.label == second.label).then(|| Product {
            label: first.label.clone(),
            is_default,
        })
    };
    // Whoever finds it in one place finds it.
    let rank = |searchable: Option<bool>| match searchable {
        Some(false) => 0,
        None => 1,
        Some(true) => 2,
    };
    Placement {
        product: (first.product.as_ref().zip(second.product.as_ref()))
            .and_then(|(first, second)| product(first, second)),
        version: common(&first.version, &second.version),
        is_default: first.is_default || second.is_default,
        language: common(&first.language, &second.language),
        searchable: [first.searchable, second.searchable]
            .into_iter()
            .max_by_key(|searchable| rank(*searchable))
            .flatten(),
        ..first.clone()
    }
}

/// The labels above every listed page, outermost first, without those of versions and languages: its place as readers see
/// it. Of several listings the first that is shown counts.
pub fn breadcrumbs(nodes: &[NavigationNode]) -> HashMap<PageId, Arc<[String]>> {
    let mut found = HashMap::new();
    for is_hidden in [false, true] {
        add_breadcrumbs(nodes, &mut Vec::new(), is_hidden, &mut found);
    }
    found
}

fn add_breadcrumbs<'a>(
    nodes: &'a [NavigationNode],
    trail: &mut Vec<&'a str>,
    is_hidden: bool,
    found: &mut HashMap<PageId, Arc<[String]>>,
) {
    // Pages that stand side by side share their place.
    let mut own: Option<Arc<[String]>> = None;
    for node in nodes {
        let is_label = !matches!(node.kind, NodeKind::Version | NodeKind::Language);
        let pages = node.root.map(PageId::File);
        for page in pages.into_iter().chain(node.target.pages()) {
            if node.hidden == is_hidden {
                let labels = || trail.iter().map(|label| (*label).to_owned()).collect();
                let place = own.get_or_insert_with(labels);
                found.entry(page).or_insert_with(|| place.clone());
            }
        }
        let is_shown = is_label && !node.label.is_empty() && !node.children.is_empty();
        if is_shown {
            trail.push(&node.label);
        }
        add_breadcrumbs(&node.children, trail, is_hidden, found);
        if is_shown {
            trail.pop();
        }
    }
}
