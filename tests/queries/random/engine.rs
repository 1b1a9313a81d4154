//! Which queries must run, by the rules of the engine over what a fresh database says of its
//! results.
//!
//! The rules (deep verification in the order of reads, results that are equal keep their revision
//! unless they became less durable, values that were evicted run when their value is wanted) are
//! written down here a second time. What each query reads comes from [`recorded`](super::recorded),
//! and must be in the table ([`super::table`]).

use std::collections::{BTreeMap, BTreeSet};

use base::path::SitePath;
use queries::inputs::is_foundation;
use queries::navigation::{PageId, sections};
use queries::search::embedded_passages;
use queries::site::route_table;
use salsa::plumbing::AsId;

use super::recorded::recorded;
use super::table::Table;
use crate::support::TestSite;
use crate::support::names::{Names, id_of, with_names};

/// A query or a field with what it is asked of: `page_title` of `index.mdx`, `SourceFile.digest` of
/// `index.mdx`.
pub(super) type Node = (String, String);

// Durabilities: lowered by an edit, of the configuration, as created, of what never changes.
pub(super) const LOW: u8 = 0;
pub(super) const MEDIUM: u8 = 1;
pub(super) const HIGH: u8 = 2;
pub(super) const NEVER: u8 = 3;

/// When something changed last, and how durable it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    pub(super) changed: u32,
    pub(super) durability: u8,
}

struct Memo {
    stamp: Stamp,
    verified: u32,
    reads: Vec<Node>,
    has_value: bool,
}

/// Queries that are asked with a key that the asking query interns: a place, a picture, a part of
/// an index.
const KEYED: [&str; 4] = [
    "slice_named",
    "image_size",
    "operation_part",
    "distant_meta",
];

/// What the inputs hold, by node.
pub(super) type Inputs = BTreeMap<Node, String>;

/// What the inputs of a site hold. Digests and ids as they are in its own database.
pub(super) fn inputs(site: &TestSite) -> Inputs {
    let db = &site.db;
    let mut inputs = Inputs::new();
    let mut set = |field: &str, key: String, value: String| {
        inputs.insert((field.to_owned(), key), value);
    };
    for file in site.files() {
        let path = || file.path(db).to_string();
        set(
            "SourceFile.digest",
            path(),
            format!("{:?}", file.digest(db)),
        );
        let size = format!("{:?}", file.image_size(db));
        set("SourceFile.image_size", path(), size);
        let subject = format!("{:?}", file.subject(db));
        set("SourceFile.subject", path(), subject);
        let modified = format!("{:?}", file.modified(db));
        set("SourceFile.modified", path(), modified);
    }
    for (i, bucket) in site.site.buckets(db).iter().enumerate() {
        let files = format!("{:?}", bucket.files(db));
        set("FileBucket.files", format!("bucket {i}"), files);
    }
    let specs = format!("{:?}", site.site.specs(db));
    set("Site.specs", String::new(), specs);
    let names = site.names().with_specs(site.site);
    for spec in site.site.specs(db) {
        let path = || spec.path(db).to_string();
        set("Spec.digest", path(), format!("{:?}", spec.digest(db)));
        set("Spec.slices", path(), format!("{:?}", spec.slices(db)));
        set("Spec.problems", path(), format!("{:?}", spec.problems(db)));
        for slice in spec.slices(db) {
            let key = names.of(slice.as_id()).expect("a slice has a name");
            set("SpecSlice.digest", key, format!("{:?}", slice.digest(db)));
        }
    }
    inputs
}

/// The names of what is there; everything in it was asked for before.
pub(super) fn names(site: &TestSite) -> Names<'_> {
    let sections = sections(&site.db, site.site);
    let files = site.known_files();
    Names::new(&site.db, site.site, files, sections)
        .with_specs(site.site)
        .with_passages()
}

/// What a fresh database knows of the site as it is.
pub(super) struct Facts {
    asked: Vec<Node>,
    reads: BTreeMap<Node, Vec<Node>>,
    /// The structs that queries make, which go when they are made no more.
    makes: BTreeMap<Node, Vec<Node>>,
    /// The results that can never change: the engine remembers neither what they rest on nor who
    /// reads them.
    eternal: BTreeSet<Node>,
    /// What the tracked fields of sections hold.
    fields: BTreeMap<Node, String>,
}

impl Facts {
    /// `ran` is everything that the fresh database ran, by the names of the engine; reads are
    /// looked up of what `is_wanted`.
    pub(super) fn new(
        fresh: &mut TestSite,
        ran: &BTreeMap<String, Node>,
        is_wanted: impl Fn(&Node) -> bool,
    ) -> Self {
        let recorded = recorded(fresh, ran, is_wanted);
        let names = names(fresh);
        let eternal = ran.values();
        let eternal = eternal.filter(|node| !recorded.changing.contains(*node));
        Self {
            eternal: eternal.cloned().collect(),
            asked: recorded.asked,
            makes: makes(fresh, &names),
            fields: fields(fresh, &names),
            reads: recorded.reads,
        }
    }

    /// The edges that are not in the table.
    pub(super) fn unknown(&self, table: &Table) -> BTreeSet<String> {
        let mut unknown = BTreeSet::new();
        for (query, reads) in &self.reads {
            unknown.extend((reads.iter()).filter_map(|read| table.complaint(query, read)));
        }
        unknown
    }
}

/// `page_title(Id(3))` with the name of its key.
pub(super) fn node_of(names: &Names<'_>, text: &str) -> Node {
    let (query, id) = text.trim_end_matches(')').split_once('(').expect(text);
    let key = names.of(id_of(id)).expect(text);
    (query.to_owned(), key)
}

/// Sections, runs of pages and passages.
fn makes(site: &TestSite, names: &Names<'_>) -> BTreeMap<Node, Vec<Node>> {
    let db = &site.db;
    let name = |id| names.of(id).expect("what was made has a name");
    let mut made = Vec::new();
    for section in sections(db, site.site) {
        let runs = section.runs(db).iter();
        made.extend(runs.map(|run| ("PageRun".to_owned(), name(run.as_id()))));
        made.push(("Section".to_owned(), name(section.as_id())));
    }
    let mut makes = BTreeMap::new();
    makes.insert(("sections".to_owned(), String::new()), made);
    for page in route_table(db, site.site).pages.values() {
        let id = match page {
            PageId::File(file) => file.as_id(),
            PageId::Generated(page) => page.as_id(),
        };
        let made = embedded_passages(db, *page).iter();
        let made = made.map(|passage| ("EmbeddedPassage".to_owned(), name(passage.as_id())));
        let query = ("embedded_passages".to_owned(), name(id));
        makes.insert(query, made.collect());
    }
    makes
}

fn fields(site: &TestSite, names: &Names<'_>) -> BTreeMap<Node, String> {
    let db = &site.db;
    let mut fields = BTreeMap::new();
    for section in sections(db, site.site) {
        let key = format!("{:?}", section.position(db));
        // The order of a map says nothing.
        let mut generated: Vec<String> = (section.generated(db).iter())
            .map(|entry| format!("{entry:?}"))
            .map(|text| with_names(&text, |id| names.of(id).unwrap_or_default()))
            .collect();
        generated.sort();
        let mut set = |field: &str, value: String| {
            let value = with_names(&value, |id| names.of(id).unwrap_or_default());
            fields.insert((format!("Section.{field}"), key.clone()), value);
        };
        set("breadcrumb", format!("{:?}", section.breadcrumb(db)));
        set(
            "sidebar_switchers",
            format!("{:?}", section.sidebar_switchers(db)),
        );
        set("nodes", format!("{:?}", section.nodes(db)));
        set("pages", format!("{:?}", section.pages(db)));
        set("hidden_pages", format!("{:?}", section.hidden_pages(db)));
        set("global", format!("{:?}", section.global(db)));
        set("scopes", format!("{:?}", section.scopes(db)));
        set("generated", generated.concat());
        let runs = section.runs(db).iter().map(|run| names.of(run.as_id()));
        set("runs", format!("{:?}", runs.collect::<Vec<_>>()));
    }
    fields
}

/// Follows the edits, and knows what must run at each question.
#[derive(Default)]
pub(super) struct Engine {
    revision: u32,
    /// When something of each durability changed last: what is as durable as nothing that changed
    /// is not looked at.
    last_changed: [u32; 4],
    inputs: BTreeMap<Node, Stamp>,
    held: Inputs,
    memos: BTreeMap<Node, Memo>,
    /// The tracked fields with their values.
    fields: BTreeMap<Node, (Stamp, String)>,
    /// The structs that each query made when it ran last.
    makes: BTreeMap<Node, Vec<Node>>,
    executed: BTreeMap<String, Vec<String>>,
}

impl Engine {
    /// Takes note of what an edit wrote.
    pub(super) fn write(&mut self, after: Inputs) {
        let is_first = self.held.is_empty();
        // Without a write there is no new revision.
        let is_write = after
            .iter()
            .any(|(node, value)| self.held.get(node) != Some(value));
        self.revision += u32::from(is_write);
        for (node, value) in after {
            let is_new = match self.held.get(&node) {
                Some(old) if *old == value => continue,
                old => old.is_none(),
            };
            let durability = match &*node.0 {
                "SourceFile.digest" if is_foundation(&SitePath::new(&node.1).unwrap()) => MEDIUM,
                "SourceFile.digest" if !is_new => LOW,
                "Site.specs" | "Spec.problems" => MEDIUM,
                "Spec.digest" => LOW,
                "SpecSlice.digest" if !is_new => MEDIUM,
                // What appears while a document is edited is being worked on.
                "SpecSlice.digest" if !is_first => {
                    let spec = node.1.split(": ").next().unwrap_or_default().to_owned();
                    let spec = ("Spec.digest".to_owned(), spec);
                    match self.held.contains_key(&spec) {
                        true => MEDIUM,
                        false => HIGH,
                    }
                }
                _ => HIGH,
            };
            self.set(node.clone(), durability);
            self.held.insert(node, value);
        }
    }

    /// The content of files was set to what it was, to make them durable again.
    pub(super) fn promoted(&mut self, paths: &BTreeSet<SitePath>) {
        self.revision += u32::from(!paths.is_empty());
        for path in paths {
            self.promote(path.as_str());
        }
    }

    fn promote(&mut self, path: &str) {
        self.set(("SourceFile.digest".to_owned(), path.to_owned()), HIGH);
    }

    fn set(&mut self, node: Node, durability: u8) {
        let changed = self.revision;
        let stamp = Stamp {
            changed,
            durability,
        };
        // A write counts for as durable as the input was; to make one is no write.
        if let Some(old) = self.inputs.insert(node, stamp) {
            self.last_changed[..=usize::from(old.durability)].fill(changed);
        }
        self.last_changed[usize::from(LOW)] = changed;
    }

    /// Asks for a value if there is one that holds in this revision, which runs nothing; says
    /// whether there is.
    pub(super) fn touch(&mut self, node: &Node) -> bool {
        let Some(memo) = self.memos.get_mut(node).filter(|memo| memo.has_value) else {
            return false;
        };
        let last_changed = self.last_changed[usize::from(memo.stamp.durability)];
        let holds = memo.verified >= self.revision.min(last_changed);
        if holds {
            memo.verified = self.revision;
        }
        holds
    }

    /// Whether a value of one of `queries` is missing since nobody asked for it after it was evicted.
    pub(super) fn misses(&self, queries: &[&str]) -> bool {
        let mut missing = self.memos.iter().filter(|(_, memo)| !memo.has_value);
        missing.any(|(node, _)| queries.contains(&&*node.0))
    }

    /// The values of `nodes` are evicted.
    pub(super) fn evict(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.memos.get_mut(node).expect("it was there").has_value = false;
        }
    }

    /// What runs when everything is asked, by name with keys. `backdated` are the results that came
    /// out equal.
    pub(super) fn predict(
        &mut self,
        facts: &Facts,
        backdated: &BTreeSet<Node>,
    ) -> BTreeMap<String, Vec<String>> {
        let mut run = Run {
            engine: self,
            facts,
            backdated,
        };
        for root in facts.asked.iter().chain(&facts.eternal) {
            run.fetch(root);
        }
        let mut executed = std::mem::take(&mut self.executed);
        for keys in executed.values_mut() {
            keys.sort();
        }
        executed
    }
}

/// One round of questions.
struct Run<'a> {
    engine: &'a mut Engine,
    facts: &'a Facts,
    backdated: &'a BTreeSet<Node>,
}

impl Run<'_> {
    /// The stamp of a field; `None` for a query.
    fn field(&mut self, node: &Node) -> Option<Stamp> {
        if let Some((stamp, _)) = self.engine.fields.get(node) {
            return Some(*stamp);
        }
        if !node.0.contains('.') {
            return None;
        }
        // What was never written is as it was made: paths, the address of the site.
        Some(self.engine.inputs.get(node).copied().unwrap_or(Stamp {
            changed: 1,
            durability: match &*node.0 {
                "Site.buckets" | "Site.base_path" | "Site.address" => HIGH,
                _ => NEVER,
            },
        }))
    }

    fn fetch(&mut self, node: &Node) -> Stamp {
        if let Some(stamp) = self.field(node) {
            return stamp;
        }
        let has_value = self
            .engine
            .memos
            .get(node)
            .is_some_and(|memo| memo.has_value);
        if !(has_value && self.is_valid(node)) {
            self.execute(node);
        }
        self.engine.memos[node].stamp
    }

    /// Whether what is remembered still holds; marks it as verified if so.
    fn is_valid(&mut self, node: &Node) -> bool {
        let revision = self.engine.revision;
        let Some(memo) = self.engine.memos.get(node) else {
            return false;
        };
        let last_changed = self.engine.last_changed[usize::from(memo.stamp.durability)];
        if memo.verified < revision && memo.verified < last_changed {
            let (since, reads) = (memo.verified, memo.reads.clone());
            if reads.iter().any(|read| self.has_changed(read, since)) {
                return false;
            }
        }
        if let Some(memo) = self.engine.memos.get_mut(node) {
            memo.verified = revision;
        }
        true
    }

    /// Whether `node` has another value than at revision `since`. Runs it if need be, which may
    /// show that it has not.
    fn has_changed(&mut self, node: &Node, since: u32) -> bool {
        if let Some(stamp) = self.field(node) {
            return stamp.changed > since;
        }
        let Some(memo) = self.engine.memos.get(node) else {
            return true;
        };
        let has_value = memo.has_value;
        if !self.is_valid(node) {
            // Without a value there is nothing to compare with.
            if !has_value {
                return true;
            }
            self.execute(node);
        }
        self.engine.memos[node].stamp.changed > since
    }

    fn execute(&mut self, node: &Node) {
        let executed = &mut self.engine.executed;
        executed
            .entry(node.0.clone())
            .or_default()
            .push(node.1.clone());
        let reads = self.facts.reads.get(node).cloned().unwrap_or_default();
        let mut stamp = Stamp {
            changed: 1,
            durability: NEVER,
        };
        for read in &reads {
            let read = self.fetch(read);
            stamp.changed = stamp.changed.max(read.changed);
            stamp.durability = stamp.durability.min(read.durability);
        }
        // Interning counts as a read of something that changed just now. It shows where there is
        // nothing to compare with: an evicted value that is made again is newer than all that it
        // read.
        if reads.iter().any(|read| KEYED.contains(&&*read.0)) {
            stamp.changed = self.engine.revision;
        }
        if let Some(made) = self.facts.makes.get(node) {
            for made in made {
                self.make(made, stamp);
            }
            let before = self.engine.makes.insert(node.clone(), made.clone());
            for gone in before.unwrap_or_default() {
                if !made.contains(&gone) {
                    self.forget(&gone);
                }
            }
        }
        if let Some(old) = self.engine.memos.get(node)
            && self.backdated.contains(node)
        {
            assert!(old.has_value, "{node:?} was equal to nothing");
            stamp.changed = old.stamp.changed;
        }
        let memo = Memo {
            stamp,
            verified: self.engine.revision,
            reads,
            has_value: true,
        };
        self.engine.memos.insert(node.clone(), memo);
    }

    /// A struct that is there again keeps the revisions of the fields that are equal, unless it
    /// became less durable.
    fn make(&mut self, made: &Node, stamp: Stamp) {
        let prefix = format!("{}.", made.0);
        let of_made = self.facts.fields.iter();
        let of_made =
            of_made.filter(|(field, _)| field.0.starts_with(&prefix) && field.1 == made.1);
        for (field, value) in of_made {
            let changed = match self.engine.fields.get(field) {
                Some((old, held)) if held == value && stamp.durability >= old.durability => {
                    old.changed
                }
                _ => stamp.changed,
            };
            let durability = stamp.durability;
            let stamp = Stamp {
                changed,
                durability,
            };
            (self.engine.fields).insert(field.clone(), (stamp, value.clone()));
        }
    }

    /// A struct that is made no more is gone with its fields and with what was asked of it.
    fn forget(&mut self, made: &Node) {
        let prefix = format!("{}.", made.0);
        let is_of = |node: &Node| node.1 == made.1;
        self.engine
            .fields
            .retain(|field, _| !(is_of(field) && field.0.starts_with(&prefix)));
        let queries = super::table::queries_of(&made.0);
        self.engine
            .memos
            .retain(|node, _| !(is_of(node) && queries.contains(&&*node.0)));
    }
}
