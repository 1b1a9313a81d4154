//! Pages that say the same in another language: by their paths, wherever the segment of the language stands, and where these
//! do not tell, by their positions in the navigation.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::db::Db;
use crate::inputs::{Site, SourceFile};
use crate::navigation::{NavigationNode, PageId, navigation_tree};
use crate::page::{front_matter_of, route_of};
use base::path::Route;
use config::navigation::NodeKind;
use theme::language;

/// A page in one of the languages of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twin {
    /// The language as HTML writes it (BCP 47).
    pub language: String,
    /// The page.
    pub page: PageId,
    /// Whether it is in the language that is shown first.
    pub is_default: bool,
}

/// The pages that say the same as a page, itself among them, in the order of their languages.
pub type Twins = HashMap<PageId, Arc<[Twin]>>;

/// The pages that exist in several languages.
///
/// Read by the alternates of every page. Wakes with the navigation; titles and bodies must not wake it.
#[salsa::tracked]
pub fn language_twins(db: &dyn Db, site: Site) -> Twins {
    let mut found = Twins::new();
    let name_of = |page: PageId| Some(page.file()?.path(db).stem().to_owned());
    gather(&navigation_tree(db, site).nodes, &name_of, &mut found);
    found
}

/// Destinations of a switcher of languages or versions, by page: the same page there, else one of
/// the same folder, else the first page that exists only there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switch {
    /// The segments of paths that a choice has for itself, for each choice.
    own_segments: Vec<Vec<String>>,
    /// The page of each choice, by its path without these segments or by its operation.
    pages: HashMap<String, Vec<Option<PageId>>>,
    /// The page of each choice, by its name, where no other page of the choice has that name.
    names: HashMap<String, Vec<Option<PageId>>>,
    /// The first page in each choice, by the folder.
    folders: HashMap<String, Vec<Option<PageId>>>,
    /// The first page of each choice that no choice before it shows.
    first: Vec<Option<PageId>>,
}

impl Switch {
    /// Destination of choice `to` on `page`, which is shown in choice `from`; `None` if there is
    /// none.
    pub fn destination(
        &self,
        db: &dyn Db,
        page: Option<PageId>,
        from: usize,
        to: usize,
    ) -> Option<PageId> {
        let near = page.and_then(|page| {
            self.twin(db, page, from, to).or_else(|| {
                // A page that both choices list stays what it is: it shows the first of them.
                let is_elsewhere = |found: &PageId| from == to || *found != page;
                let key = self.key(db, page, from);
                let of_folder = |folder| (*self.folders.get(folder)?.get(to)?).filter(is_elsewhere);
                page.file()?;
                folders_of(&key).find_map(of_folder)
            })
        });
        near.or_else(|| *self.first.get(to)?)
    }

    /// The page of choice `to` that is what `page` is in choice `from`: with the same path but for
    /// what is the choice's own, else with the same name as no other page there.
    pub fn twin(&self, db: &dyn Db, page: PageId, from: usize, to: usize) -> Option<PageId> {
        let is_elsewhere = |found: &PageId| from == to || *found != page;
        let in_choice = |pages: &Vec<Option<PageId>>, choice: usize| *pages.get(choice)?;
        let key = self.key(db, page, from);
        let same_path = self.pages.get(&key).and_then(|pages| in_choice(pages, to));
        same_path.filter(is_elsewhere).or_else(|| {
            let pages = self.names.get(name_of(page.file()?, db))?;
            in_choice(pages, from).filter(|named| *named == page)?;
            let named = in_choice(pages, to).filter(is_elsewhere)?;
            // One that has a twin by its path is that of another page.
            let taken = self.pages.get(&self.key(db, named, to))?;
            in_choice(taken, from).is_none().then_some(named)
        })
    }

    /// The key of `page` among the pages of choice `from`.
    fn key(&self, db: &dyn Db, page: PageId, from: usize) -> String {
        let own = self.own_segments.get(from).map_or(&[][..], Vec::as_slice);
        key_of(db, page, own)
    }
}

/// The last segment of the path of `file`.
fn name_of(file: SourceFile, db: &dyn Db) -> &str {
    let stem = file.path(db).stem();
    stem.rsplit('/').next().unwrap_or(stem)
}

/// The switchers of languages and versions, by the position of what holds the choices in the navigation.
///
/// Read by the header of every page that has such a switcher. Wakes with the navigation; titles and bodies must not wake it.
#[salsa::tracked]
pub fn switches(db: &dyn Db, site: Site) -> BTreeMap<Vec<u16>, Switch> {
    let mut found = BTreeMap::new();
    add_switches(
        db,
        &navigation_tree(db, site).nodes,
        &mut Vec::new(),
        &mut found,
    );
    found
}

fn add_switches(
    db: &dyn Db,
    nodes: &[NavigationNode],
    position: &mut Vec<u16>,
    found: &mut BTreeMap<Vec<u16>, Switch>,
) {
    let Some(first) = nodes.first().filter(|node| node.kind.is_switch()) else {
        return;
    };
    if nodes.len() > 1 && matches!(first.kind, NodeKind::Language | NodeKind::Version) {
        found.insert(position.clone(), switch(db, nodes));
    }
    for (i, node) in nodes.iter().enumerate() {
        position.push(u16::try_from(i).unwrap_or(u16::MAX));
        add_switches(db, &node.children, position, found);
        position.pop();
    }
}

fn switch(db: &dyn Db, nodes: &[NavigationNode]) -> Switch {
    let listed: Vec<Vec<PageId>> = nodes.iter().map(pages_of).collect();
    let mut switch = Switch {
        own_segments: own_segments(db, nodes, &listed),
        ..Switch::default()
    };
    let mut known: HashSet<PageId> = HashSet::new();
    for (i, pages) in listed.iter().enumerate() {
        let alone = pages.iter().find(|page| !known.contains(*page));
        switch.first.push(alone.or(pages.first()).copied());
        known.extend(pages);
        let put = |map: &mut HashMap<String, Vec<Option<PageId>>>, key: &str, page| {
            if !map.contains_key(key) {
                map.insert(key.to_owned(), vec![None; nodes.len()]);
            }
            if let Some(pages) = map.get_mut(key) {
                pages[i].get_or_insert(page);
            }
        };
        let mut names: HashMap<&str, usize> = HashMap::new();
        for file in pages.iter().filter_map(|page| page.file()) {
            *names.entry(name_of(file, db)).or_default() += 1;
        }
        for page in pages {
            let key = key_of(db, *page, &switch.own_segments[i]);
            put(&mut switch.pages, &key, *page);
            let name = page.file().map(|file| name_of(file, db));
            if let Some(name) = name.filter(|name| names.get(name) == Some(&1)) {
                put(&mut switch.names, name, *page);
            }
            for folder in folders_of(&key).filter(|_| page.file().is_some()) {
                put(&mut switch.folders, folder, *page);
            }
        }
    }
    switch
}

/// The pages below a node in their order: those that are shown, then those that are hidden, each once.
fn pages_of(node: &NavigationNode) -> Vec<PageId> {
    fn add(node: &NavigationNode, hidden: bool, pages: &mut Vec<PageId>) {
        if node.hidden == hidden {
            pages.extend(node.root.map(PageId::File));
            pages.extend(node.target.pages());
        }
        for child in &*node.children {
            add(child, hidden, pages);
        }
    }
    let mut pages = Vec::new();
    add(node, false, &mut pages);
    add(node, true, &mut pages);
    let mut seen = HashSet::new();
    pages.retain(|page| seen.insert(*page));
    pages
}

/// Path segments that identify each choice: its label, or the folders that all of its pages are in
/// and that are not common to all choices, or that most of its pages and none of another are in.
fn own_segments(
    db: &dyn Db,
    nodes: &[NavigationNode],
    page_lists: &[Vec<PageId>],
) -> Vec<Vec<String>> {
    let folders = |page: &PageId| -> Option<BTreeSet<String>> {
        let (folder, _) = page
            .file()?
            .path(db)
            .stem()
            .rsplit_once('/')
            .unwrap_or(("", ""));
        Some(folder.split('/').map(str::to_owned).collect())
    };
    let common = |pages: &Vec<PageId>| {
        let mut all = pages.iter().filter_map(folders);
        let first = all.next().unwrap_or_default();
        all.fold(first, |common, next| {
            common.intersection(&next).cloned().collect()
        })
    };
    let commons: Vec<BTreeSet<String>> = page_lists.iter().map(common).collect();
    let counts = |pages: &Vec<PageId>| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for folder in pages.iter().filter_map(folders).flatten() {
            *counts.entry(folder).or_default() += 1;
        }
        counts
    };
    let counts: Vec<BTreeMap<String, usize>> = page_lists.iter().map(counts).collect();
    let most = |i: usize| {
        let files = page_lists[i]
            .iter()
            .filter(|page| page.file().is_some())
            .count();
        let mine = counts[i]
            .iter()
            .filter(move |(_, count)| **count * 2 > files);
        let is_elsewhere = |folder: &String| {
            let others = counts.iter().enumerate().filter(|(other, _)| *other != i);
            others
                .into_iter()
                .any(|(_, counts)| counts.contains_key(folder))
        };
        let mine = mine.filter(|(folder, _)| !is_elsewhere(folder));
        mine.map(|(folder, _)| folder.clone()).collect::<Vec<_>>()
    };
    let of_choice = |(i, node): (usize, &NavigationNode)| {
        let is_label = |segment: &String| segment.eq_ignore_ascii_case(&node.label);
        let is_shared = |segment: &String| commons.iter().all(|common| common.contains(segment));
        let mut own = vec![node.label.clone()];
        if !commons[i].iter().any(is_label) {
            let folders: Vec<String> = commons[i]
                .iter()
                .filter(|it| !is_shared(it))
                .cloned()
                .collect();
            own.extend(folders);
            own.extend(most(i));
            own.sort();
            own.dedup();
        }
        own
    };
    nodes.iter().enumerate().map(of_choice).collect()
}

/// Key shared by the versions of a page in several choices: its path without the first segment of
/// each name in `own`, or method and path of its operation.
fn key_of(db: &dyn Db, page: PageId, own: &[String]) -> String {
    match page {
        PageId::File(file) => own
            .iter()
            .fold(file.path(db).stem().to_owned(), |stem, segment| {
                without_segment(&stem, segment)
            }),
        PageId::Generated(page) => page.operation(db).key(db).clone(),
    }
}

/// The folders that a path is in, the innermost first.
fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    fn around(path: &str) -> Option<&str> {
        Some(path.rsplit_once('/')?.0)
    }
    std::iter::successors(around(path), |path| around(path)).filter(|folder| !folder.is_empty())
}

/// The language that the site shows first, by its code in the configuration; `None` if it has no languages.
///
/// Read by what lists pages of that language alone. Stands between these and the navigation.
#[salsa::tracked]
pub fn default_language(db: &dyn Db, site: Site) -> Option<String> {
    fn first(nodes: &[NavigationNode]) -> Option<&NavigationNode> {
        let mut languages = nodes.iter().filter(|node| node.kind == NodeKind::Language);
        let own = languages.find(|node| node.is_default);
        own.or_else(|| nodes.iter().find_map(|node| first(&node.children)))
    }
    first(&navigation_tree(db, site).nodes).map(|node| node.label.clone())
}

/// A page in another language, as the head of a page and the site map name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternate {
    /// The language as HTML writes it (BCP 47).
    pub language: String,
    /// Address of the page below the root of the host.
    pub href: String,
    /// Whether it is in the language that is shown first.
    pub is_default: bool,
}

/// The page in all languages that it exists in, itself among them; empty if there is one alone. Pages that robots are asked
/// to leave alone are no alternates and have none.
///
/// Read by the page while it is composed, and by the site map. Wakes with the frontmatter of these pages, in which it is
/// nearly always the same.
#[salsa::tracked]
pub fn page_alternates(db: &dyn Db, page: PageId) -> Vec<Alternate> {
    let site = Site::get(db);
    let Some(twins) = language_twins(db, site).get(&page) else {
        return Vec::new();
    };
    if is_unindexed(db, page) {
        return Vec::new();
    }
    let shown = twins.iter().filter(|twin| !is_unindexed(db, twin.page));
    let alternates: Vec<Alternate> = shown
        .map(|twin| Alternate {
            language: twin.language.clone(),
            href: format!("{}{}", site.base_path(db), route_of(db, twin.page).href()),
            is_default: twin.is_default,
        })
        .collect();
    match alternates.len() {
        1 => Vec::new(),
        _ => alternates,
    }
}

/// Returns true if the page itself asks robots not to index it. Read by its twins in other
/// languages, which the rest of its frontmatter must not wake.
#[salsa::tracked(returns(copy))]
pub fn is_unindexed(db: &dyn Db, page: PageId) -> bool {
    let front_matter = front_matter_of(db, page);
    let robots = front_matter.robots.as_deref().unwrap_or("");
    front_matter.noindex == Some(true)
        || front_matter.hidden == Some(true)
        || robots.to_ascii_lowercase().contains("noindex")
}

/// A page of one language.
struct PageEntry {
    page: PageId,
    /// Path without the segment of the language.
    key: Option<String>,
    /// Way from the language: the position at each step, and among how many.
    way: Vec<(usize, usize)>,
}

fn gather(nodes: &[NavigationNode], name_of: &dyn Fn(PageId) -> Option<String>, found: &mut Twins) {
    let languages: Vec<&NavigationNode> = nodes
        .iter()
        .filter(|node| node.kind == NodeKind::Language)
        .collect();
    if languages.len() > 1 {
        pair(&languages, name_of, found);
        return;
    }
    for node in nodes {
        gather(&node.children, name_of, found);
    }
}

/// Finds the twins among the pages of `languages`. Those of the language shown first lead: others join one of them, or one
/// another.
fn pair(
    languages: &[&NavigationNode],
    name_of: &dyn Fn(PageId) -> Option<String>,
    found: &mut Twins,
) {
    let first = languages.iter().position(|node| node.is_default);
    let first = first.unwrap_or(0);
    let others = (0..languages.len()).filter(|i| *i != first);
    let mut clusters: Vec<BTreeMap<usize, PageId>> = Vec::new();
    let (mut by_key, mut by_way) = (HashMap::new(), HashMap::new());
    for i in std::iter::once(first).chain(others) {
        let mut pages = Vec::new();
        list(
            &languages[i].children,
            &mut Vec::new(),
            &mut pages,
            &|page| Some(without_language(&name_of(page)?, &languages[i].label)),
        );
        let mut seen = HashSet::new();
        pages.retain(|pages| seen.insert(pages.page));
        let mut unpaired = Vec::new();
        for pages in pages {
            let known = pages.key.as_ref().and_then(|key| by_key.get(key).copied());
            match known {
                Some(cluster) if i != first => {
                    let cluster: &mut BTreeMap<_, _> = &mut clusters[cluster];
                    cluster.entry(i).or_insert(pages.page);
                }
                _ => unpaired.push(pages),
            }
        }
        // Paths come first: a position says less.
        for pages in unpaired {
            let known = by_way.get(&pages.way).copied();
            let known = known.filter(|cluster: &usize| !clusters[*cluster].contains_key(&i));
            let cluster = known.unwrap_or(clusters.len());
            if cluster == clusters.len() {
                clusters.push(BTreeMap::new());
            }
            clusters[cluster].insert(i, pages.page);
            if let Some(key) = pages.key {
                by_key.entry(key).or_insert(cluster);
            }
            if i == first {
                by_way.insert(pages.way, cluster);
            }
        }
    }
    for cluster in clusters.iter().filter(|cluster| cluster.len() > 1) {
        let twins = cluster.iter().map(|(i, page)| Twin {
            language: language::tag(&languages[*i].label).to_owned(),
            page: *page,
            is_default: *i == first,
        });
        let twins: Arc<[Twin]> = twins.collect();
        for twin in &*twins {
            found.entry(twin.page).or_insert_with(|| twins.clone());
        }
    }
}

/// Lists the pages below `nodes` in their order.
fn list(
    nodes: &[NavigationNode],
    way: &mut Vec<(usize, usize)>,
    entries: &mut Vec<PageEntry>,
    key_of: &dyn Fn(PageId) -> Option<String>,
) {
    let of_node = |node: &NavigationNode| node.target.pages().count().max(1);
    let count = nodes.iter().map(of_node).sum();
    let mut at = 0;
    for node in nodes {
        let root = node.root.map(PageId::File);
        for (i, page) in node.target.pages().enumerate() {
            way.push((at + i, count));
            entries.push(PageEntry {
                page,
                key: key_of(page),
                way: way.clone(),
            });
            way.pop();
        }
        way.push((at, count));
        entries.extend(root.map(|page| PageEntry {
            page,
            key: key_of(page),
            way: way.clone(),
        }));
        list(&node.children, way, entries, key_of);
        way.pop();
        at += of_node(node);
    }
}

/// A path without the segment that is `language`; `index` stands for its folder.
fn without_language(stem: &str, language: &str) -> String {
    let path = without_segment(stem, language);
    Route::new(&path).map_or_else(String::new, |route| route.to_string())
}

/// A path without the first segment that is `name`; `index` stands for its folder.
fn without_segment(stem: &str, name: &str) -> String {
    let mut segments: Vec<&str> = stem.split('/').collect();
    let is_it = |segment: &&str| segment.eq_ignore_ascii_case(name);
    if let Some(at) = segments.iter().position(is_it) {
        segments.remove(at);
    }
    if segments.last() == Some(&"index") {
        segments.pop();
    }
    segments.join("/")
}
