//! Where the navigation lists pages, as far as search needs to know it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::navigation::{NavigationNode, PageId};
use config::navigation::NodeKind;

/// What the listing of a page says about finding it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The label of the tab it is below.
    pub tab: Option<String>,
    /// The version it belongs to; none if it is listed under several.
    pub version: Option<String>,
    /// The language it belongs to; none if it is listed under several.
    pub language: Option<String>,
    /// How much more it is worth, in thousandths: the nearest explicit value.
    pub boost: Option<i64>,
    /// Whether it is left out of the sidebar: the nearest explicit value.
    pub is_hidden: bool,
    /// Whether it is found although hidden, or not found although shown: the nearest explicit value.
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
    /// The placement of a page; `None` if the navigation does not list it.
    ///
    /// Of several listings a visible one counts before a hidden one, and the first of those. Where they differ in version
    /// or language the page belongs to none of them.
    pub fn of(&self, page: PageId) -> Option<&Placement> {
        self.pages.get(&page).map(|placement| &**placement)
    }
}

/// The placements of all pages that `nodes` list.
pub fn placements(nodes: &[NavigationNode]) -> Placements {
    let mut gathering = Gathering::default();
    gathering.nodes(nodes, None);
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

impl Gathering {
    fn nodes(&mut self, nodes: &[NavigationNode], tab: Option<&str>) {
        for node in nodes {
            let tab = match node.kind {
                NodeKind::Tab => Some(node.label.as_str()),
                _ => tab,
            };
            let pages = node.root.map(PageId::File);
            for page in pages.into_iter().chain(node.target.page()) {
                self.page(page, placement(node, tab));
            }
            self.nodes(&node.children, tab);
        }
    }

    fn page(&mut self, page: PageId, new: Placement) {
        let placement = match self.pages.get(&page) {
            Some(known) => both(known, &new),
            None => new,
        };
        let placement = match self.distinct.get(&placement) {
            Some(known) => known.clone(),
            None => {
                let placement = Arc::new(placement);
                self.distinct.insert(placement.clone());
                placement
            }
        };
        self.pages.insert(page, placement);
    }
}

fn placement(node: &NavigationNode, tab: Option<&str>) -> Placement {
    Placement {
        tab: tab.map(str::to_owned),
        version: node.version.clone(),
        language: node.language.clone(),
        boost: node.boost.map(|boost| boost.0),
        is_hidden: node.hidden,
        searchable: node.searchable,
    }
}

/// What counts of two listings of one page.
fn both(first: &Placement, second: &Placement) -> Placement {
    if first.is_hidden != second.is_hidden {
        let visible = if first.is_hidden { second } else { first };
        return visible.clone();
    }
    let common =
        |first: &Option<String>, second: &Option<String>| first.clone().filter(|_| first == second);
    // Whoever finds it in one place finds it.
    let rank = |searchable: Option<bool>| match searchable {
        Some(false) => 0,
        None => 1,
        Some(true) => 2,
    };
    Placement {
        version: common(&first.version, &second.version),
        language: common(&first.language, &second.language),
        searchable: [first.searchable, second.searchable]
            .into_iter()
            .max_by_key(|searchable| rank(*searchable))
            .flatten(),
        ..first.clone()
    }
}
