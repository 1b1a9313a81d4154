//! The edits of a replay: seeded, each of the kind that authors make.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use queries::base::path::{Route, SitePath};
use queries::site::{self, PageId, bound_operation, file_named, is_page, page_route};

use super::text_of;
use super::texts::{with_color, with_description, with_label, with_title, with_word};
use queries::change::Part;
use quire_engine::host::{AppliedChanges, FileChange, SiteHost};
use quire_source::sources::FileState;

/// Kind of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Kind {
    /// A file is saved as it was.
    Untouched,
    /// Words of a page that was not edited before: its file becomes less durable.
    FirstWords,
    /// Words of a page.
    Words,
    /// A page is what it was before the last edit.
    Reverted,
    /// The title of a page.
    Title,
    /// A page appears.
    Added,
    /// A page vanishes.
    Removed,
    /// A color of the site.
    Color,
    /// A label of the navigation.
    Label,
    /// The words of an operation that was not edited before.
    FirstOperation,
    /// The words of an operation that was edited before.
    Operation,
    /// The words of a component of a specification.
    Component,
}

impl Kind {
    pub(super) const ALL: [Self; 12] = [
        Self::Untouched,
        Self::FirstWords,
        Self::Words,
        Self::Reverted,
        Self::Title,
        Self::Added,
        Self::Removed,
        Self::Color,
        Self::Label,
        Self::FirstOperation,
        Self::Operation,
        Self::Component,
    ];

    /// The kind that must come before this one for there to be something to edit.
    fn needs(self) -> Option<Self> {
        match self {
            Self::Untouched | Self::Words | Self::Title => Some(Self::FirstWords),
            Self::Reverted => Some(Self::Words),
            Self::Removed => Some(Self::Added),
            Self::Operation | Self::Component => Some(Self::FirstOperation),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Untouched => "saved without a change",
            Self::FirstWords => "words of a page, its first edit",
            Self::Words => "words of a page",
            Self::Reverted => "an edit taken back",
            Self::Title => "title of a page",
            Self::Added => "a page added",
            Self::Removed => "a page removed",
            Self::Color => "a color in docs.json",
            Self::Label => "a label of the navigation",
            Self::FirstOperation => "words of an operation, its first edit",
            Self::Operation => "words of an operation",
            Self::Component => "words of a shared component",
        }
    }

    /// The queries of `ran` that an edit of this kind cannot concern, with how often they ran.
    ///
    /// What is certain for every site is told here: which queries may run, and how often, until the page that shows the edit
    /// is there. The exact sets for given sites are the business of the tests.
    pub(super) fn unexpected(self, ran: &BTreeMap<String, u64>) -> Vec<String> {
        let allowed = self.allowed();
        let most = |name: &str| {
            let groups = allowed.iter();
            let mut groups = groups.filter(|(group, _)| group.contains(&name));
            groups.next().map_or(0, |(_, most)| *most)
        };
        let wrong = ran.iter().filter(|(name, count)| **count > most(name));
        wrong
            .map(|(name, count)| format!("{name} ×{count}"))
            .collect()
    }

    /// Groups of queries with how often each of them may run. Of several groups with a query the first counts.
    fn allowed(self) -> Vec<(&'static [&'static str], u64)> {
        const ANY: u64 = u64::MAX;
        match self {
            Self::Untouched => Vec::new(),
            Self::Words | Self::Reverted => vec![(BODY, 1)],
            // What rests on a page runs once, as it became less durable: its title, and the sidebar with it.
            Self::Title | Self::FirstWords => vec![(BODY, 1), (HEAD, 1), (TITLE, 1)],
            Self::Added | Self::Removed => vec![
                (BY_FILE, ANY),
                (BODY, 1),
                (HEAD, 1),
                (TITLE, ANY),
                (REFERENCE, 1),
                (LISTS, 1),
                (CONFIG, 1),
                (NAVIGATION, 1),
            ],
            Self::Color => vec![(CONFIG, 1)],
            Self::Label => vec![(CONFIG, 1), (HEAD, 1), (NAVIGATION, 1)],
            // The lists of operations become less durable, and what rests on them runs once. The edit of a component may be
            // its first.
            Self::FirstOperation | Self::Component => vec![
                (PARTS, ANY),
                (SHARED, ANY),
                (OF_LISTS, ANY),
                (TWINS, ANY),
                (HEAD, 1),
                (REFERENCE, 1),
                (LISTS, 1),
                (NAVIGATION, 1),
            ],
            Self::Operation => vec![(PARTS, ANY), (HEAD, 1), (REFERENCE, 1)],
        }
    }
}

/// Queries of a page's body.
const BODY: &[&str] = &[
    "front_matter",
    "has_feed",
    "manual_reference",
    "page_body",
    "page_imports",
];

/// Queries about a page besides its body, where one page is asked for.
const HEAD: &[&str] = &["is_unindexed", "page_alternates", "page_card", "page_head"];

/// Queries of other pages about a page, where the requested page is one of them.
const TITLE: &[&str] = &[
    "page_label",
    "page_title",
    "run_links",
    "section_header",
    "section_sidebar",
];

/// Projections of the configuration, and the frame.
const CONFIG: &[&str] = &[
    "api_config",
    "card_look",
    "content_config",
    "formula_signs",
    "frame_header",
    "icon_set",
    "navigation_config",
    "page_indexing",
    "redirects",
    "reference_pages",
    "reference_settings",
    "search_config",
    "seo_config",
    "site_config",
    "site_frame",
    "skill_name",
    "theme_config",
];

/// The navigation, the header and the sidebar of the page that is asked for.
const NAVIGATION: &[&str] = &[
    "breadcrumbs",
    "generated_pages",
    "has_navigation",
    "home_page",
    "is_introduced",
    "language_twins",
    "navigation_tree",
    "placements",
    "section_header",
    "section_sidebar",
    "sections",
    "switches",
];

/// Queries of a page about its twins in other languages.
const TWINS: &[&str] = &["is_unindexed"];

/// Queries that list the files of a bucket, or of all buckets.
const LISTS: &[&str] = &[
    "bucket_assets",
    "bucket_own_files",
    "bucket_pages",
    "bucket_subjects",
    "own_files",
    "page_list",
    "page_names",
    "route_table",
    "sections_by_page",
    "first_pages",
    "spec_scopes",
    "subject_pages",
];

/// Queries that ask whether a file is there, or where a page is.
const BY_FILE: &[&str] = &[
    "image_size",
    "page_imports",
    "page_route",
    "page_section",
    "replaced_page",
    "specs_in_scope",
];

/// Queries of a page about a specification, where one page is asked for.
const REFERENCE: &[&str] = &["model_reference", "operation_reference"];

/// Queries that read a part of a specification, or reach it. Values are evicted, and read again.
const PARTS: &[&str] = &[
    "distant_meta",
    "generated_front_matter",
    "introduction_meta",
    "operation_places",
    "schema_at",
    "model_meta",
    "schema_meta",
    "slice_anchors",
    "slice_bases",
    "slice_digest",
    "slice_meta",
    "slice_references",
    "slice_value",
    "tag_names",
];

/// Queries about each component that contains an edited one: whether it has a page of its own.
const SHARED: &[&str] = &["is_large"];

/// Queries that depend on the lists of a specification.
const OF_LISTS: &[&str] = &[
    "bucket_subjects",
    "generated_label",
    "generated_place",
    "model_uses",
    "named_operations",
    "operation_index",
    "operation_named",
    "operation_part",
    "operation_place",
    "overview",
    "page_binding",
    "page_label",
    "page_title",
    "run_links",
    "schema_users",
    "spec_anchors",
    "spec_models",
    "spec_subtypes",
    "spec_users",
    "subtypes",
];

/// The files of a site and what can be done to them.
pub(super) struct Script {
    random: fastrand::Rng,
    files: BTreeMap<SitePath, FileState>,
    pages: Vec<SitePath>,
    /// Specifications that the site uses.
    specs: Vec<SitePath>,
    /// Pages that were edited.
    edited: BTreeSet<SitePath>,
    /// Page of each operation, by specification and pointer.
    operations: Arc<BTreeMap<(SitePath, String), Route>>,
    /// The page whose words were edited last, and what it was before.
    before: Option<(SitePath, FileState)>,
    /// Pages that were added, the oldest first.
    added: Vec<SitePath>,
    /// The numbers of the words that were put into specifications, which find their places again.
    described: Vec<(SitePath, usize)>,
    /// The kinds of edits that are made, by turns.
    turns: Vec<Kind>,
    count: usize,
}

/// One edit.
pub(super) struct Edit {
    kind: Kind,
    pub(super) changes: Vec<FileChange>,
    path: SitePath,
    operations: Arc<BTreeMap<(SitePath, String), Route>>,
}

impl Script {
    /// Edits of `files`, of the `kinds` that are wanted and those they need; of every kind if none is named.
    pub(super) fn new(files: &[FileChange], seed: u64, kinds: &[Kind]) -> Self {
        // The kinds take turns, so that each is measured often enough; words count twice, as they do in life.
        const TURNS: [Kind; 12] = [
            Kind::Title,
            Kind::Untouched,
            Kind::FirstWords,
            Kind::FirstOperation,
            Kind::Words,
            Kind::Reverted,
            Kind::Words,
            Kind::Color,
            Kind::Added,
            Kind::Label,
            Kind::Removed,
            Kind::Operation,
        ];
        let mut wanted: BTreeSet<Kind> = kinds.iter().copied().collect();
        for kind in kinds {
            wanted.extend(std::iter::successors(kind.needs(), |kind| kind.needs()));
        }
        let turns = TURNS.into_iter();
        let turns = turns.filter(|kind| wanted.is_empty() || wanted.contains(kind));
        let files: BTreeMap<SitePath, FileState> = files
            .iter()
            .map(|change| (change.path.clone(), change.state.clone()))
            .collect();
        Self {
            random: fastrand::Rng::with_seed(seed),
            pages: files.keys().filter(|path| is_page(path)).cloned().collect(),
            files,
            specs: Vec::new(),
            edited: BTreeSet::new(),
            operations: Arc::default(),
            before: None,
            added: Vec::new(),
            described: Vec::new(),
            turns: turns.collect(),
            count: 0,
        }
    }

    /// Looks up which specifications the site uses and where their operations are shown.
    pub(super) fn see(&mut self, host: &SiteHost) {
        let seen = host.read(|db, site| {
            let routes = site::route_table(db, site);
            let mut operations = BTreeMap::new();
            for (route, page) in &routes.pages {
                let operation = match page {
                    PageId::Generated(page) => Some(page.operation(db)),
                    PageId::File(file) => bound_operation(db, *file),
                };
                if let Some(operation) = operation {
                    let spec = operation.spec(db).path(db).clone();
                    operations.insert((spec, operation.key(db).clone()), route.clone());
                }
            }
            let specs = site.specs(db).iter().map(|spec| spec.path(db).clone());
            (operations, specs.collect::<Vec<_>>())
        });
        let (operations, specs) = seen.unwrap_or_default();
        let is_shown = |path: &SitePath| operations.keys().any(|(spec, _)| spec == path);
        self.specs = specs
            .into_iter()
            .filter(|path| self.files.contains_key(path) && is_shown(path))
            .collect();
        self.operations = Arc::new(operations);
    }

    /// The files as they are now.
    pub(super) fn files(&self) -> Vec<FileChange> {
        let files = self.files.iter();
        files
            .map(|(path, state)| FileChange {
                path: path.clone(),
                state: state.clone(),
            })
            .collect()
    }

    /// The next edit; nothing if the site offers none.
    pub(super) fn next(&mut self) -> Option<Edit> {
        for _ in 0..self.turns.len() * 4 {
            let kind = self.turns[self.count % self.turns.len()];
            self.count += 1;
            let Some((path, state)) = self.draft(kind) else {
                continue;
            };
            let old = self.files.get(&path).cloned().unwrap_or(FileState::Absent);
            match &state {
                FileState::Absent => self.files.remove(&path),
                state => self.files.insert(path.clone(), state.clone()),
            };
            if is_page(&path) {
                self.edited.insert(path.clone());
                self.before = (kind == Kind::Words).then(|| (path.clone(), old));
            }
            return Some(Edit {
                kind,
                changes: vec![FileChange {
                    path: path.clone(),
                    state,
                }],
                path,
                operations: self.operations.clone(),
            });
        }
        None
    }

    fn draft(&mut self, kind: Kind) -> Option<(SitePath, FileState)> {
        let count = self.count;
        match kind {
            Kind::Untouched => {
                let path = self.some_page(true)?;
                Some((path.clone(), self.files.get(&path)?.clone()))
            }
            Kind::Words | Kind::FirstWords => {
                let path = self.some_page(kind == Kind::Words)?;
                let text = text_of(self.files.get(&path)?)?;
                Some((path, file_state(with_word(&text, count, &mut self.random)?)))
            }
            Kind::Reverted => self
                .before
                .take()
                .filter(|(_, state)| !matches!(state, FileState::Absent)),
            Kind::Title => {
                let path = self.some_page(true)?;
                let text = text_of(self.files.get(&path)?)?;
                Some((path, file_state(with_title(&text, count)?)))
            }
            Kind::Added => {
                let path = SitePath::new(&format!("measured/page-{count}.mdx"))?;
                self.added.push(path.clone());
                Some((
                    path,
                    file_state(format!(
                        "---\ntitle: Page {count}\n---\n\nWords of a new page.\n"
                    )),
                ))
            }
            Kind::Removed => {
                let path = (!self.added.is_empty()).then(|| self.added.remove(0))?;
                Some((path, FileState::Absent))
            }
            Kind::Color => {
                let path = SitePath::new("docs.json")?;
                let text = text_of(self.files.get(&path)?)?;
                Some((path, file_state(with_color(&text, &mut self.random)?)))
            }
            Kind::Label => {
                let path = SitePath::new("docs.json")?;
                let text = text_of(self.files.get(&path)?)?;
                Some((
                    path,
                    file_state(with_label(&text, count, &mut self.random)?),
                ))
            }
            Kind::FirstOperation => {
                let path = self
                    .specs
                    .get(self.random.usize(..self.specs.len().max(1)))?
                    .clone();
                let text = text_of(self.files.get(&path)?)?;
                let edited = with_description(&text, count, &mut self.random)?;
                self.described.push((path.clone(), count));
                Some((path, file_state(edited)))
            }
            Kind::Operation | Kind::Component => {
                let at = self.random.usize(..self.described.len().max(1));
                let (path, word) = self.described.get_mut(at)?;
                let text = text_of(self.files.get(path)?)?;
                let (old, new) = (format!("measured{word} "), format!("measured{count} "));
                *word = count;
                Some((path.clone(), file_state(text.replacen(&old, &new, 1))))
            }
        }
    }

    /// A page that was edited before, or one that was not.
    fn some_page(&mut self, edited: bool) -> Option<SitePath> {
        if edited && self.edited.len() >= 8 {
            let at = self.random.usize(..self.edited.len());
            let path = self.edited.iter().nth(at).cloned();
            return path.filter(|path| self.files.contains_key(path));
        }
        for _ in 0..50 {
            let path = self
                .pages
                .get(self.random.usize(..self.pages.len().max(1)))?;
            if self.edited.contains(path) == edited && self.files.contains_key(path) {
                return Some(path.clone());
            }
        }
        None
    }
}

impl Edit {
    /// Kind of the edit after the fact: what changed tells which words of a specification they
    /// were.
    pub(super) fn kind(&self, applied: &AppliedChanges) -> Kind {
        match self.kind {
            Kind::FirstOperation | Kind::Operation
                if !applied
                    .parts
                    .iter()
                    .any(|part| part.key.starts_with("/paths")) =>
            {
                Kind::Component
            }
            kind => kind,
        }
    }

    /// The addresses of the page that shows it.
    pub(super) fn routes(&self, host: &SiteHost, part: Option<&Part>) -> Vec<Route> {
        if let Some(part) = part {
            let key = (part.spec.clone(), part.key.to_string());
            // A component is looked at on the first page there is.
            let route = self
                .operations
                .get(&key)
                .or_else(|| self.operations.values().next());
            return route.cloned().into_iter().collect();
        }
        let shown = host.read(|db, site| {
            let file = file_named(db, &self.path).filter(|file| is_page(file.path(db)));
            match file {
                Some(file) => Some(page_route(db, file).clone()),
                None => site::route_table(db, site).pages.keys().next().cloned(),
            }
        });
        shown.ok().flatten().into_iter().collect()
    }
}

fn file_state(text: String) -> FileState {
    FileState::Text(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unexpected(kind: Kind, query: &str, count: u64) -> bool {
        !kind
            .unexpected(&[(query.to_owned(), count)].into())
            .is_empty()
    }

    #[test]
    fn what_a_kind_of_edit_cannot_concern_is_unexpected_of_every_kind() {
        for kind in Kind::ALL {
            assert!(unexpected(kind, "page_body", 2), "{kind:?}");
            assert!(unexpected(kind, "passage_embeddings", 1), "{kind:?}");
        }
        assert!(unexpected(Kind::Label, "page_binding", 1));
        assert!(unexpected(Kind::Label, "page_section", 1));
        assert!(unexpected(Kind::Color, "navigation_tree", 1));
        assert!(unexpected(Kind::Color, "page_head", 1));
        assert!(unexpected(Kind::Words, "page_head", 1));
        assert!(unexpected(Kind::FirstWords, "page_list", 1));
        assert!(unexpected(Kind::Added, "bucket_pages", 2));
        assert!(unexpected(Kind::Operation, "operation_index", 1));
        assert!(unexpected(Kind::Operation, "is_large", 1));
        assert!(!unexpected(Kind::Label, "section_sidebar", 1));
        assert!(!unexpected(Kind::Added, "page_list", 1));
    }
}
