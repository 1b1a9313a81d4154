//! Which queries must run: who reads whom, and when a result counts as changed.
//!
//! The rules are those of the engine (deep verification in the order of reads; a result that is equal and at least as
//! durable keeps its revision), written down a second time over a table of reads that is kept by hand ([`Facts::reads`]).
//! A query that begins to read something else, or to read more, fails here until the table says so: the table is the
//! place to think about who wakes whom.

use std::collections::BTreeMap;

use queries::body::{formula_signs, page_anchors, page_body, page_diagnostics, page_links};
use queries::config::navigation::NodeKind;
use queries::config::seo::Indexing;
use queries::config::{
    api_config, icon_set, navigation_config, redirects, search_config, seo_config, site_config,
    theme_config,
};
use queries::frame::{
    bucket_own_files, frame_header, own_files, section_header, section_sidebar, site_frame,
};
use queries::imports::page_imports;
use queries::inputs::{BUCKETS, FileBucket, SourceFile, bucket_of, file_named, is_foundation};
use queries::links::link_diagnostics;
use queries::navigation::{
    NavigationNode, PageId, Section, Target, generated_pages, has_navigation, home_page,
    navigation_tree, page_file, page_section, replaced_page, sections,
};
use queries::page::link::{LinkTarget, resolve};
use queries::page::{
    ImageKey, bucket_pages, front_matter, image_size, is_page, page_label, page_list, page_route,
    page_title,
};
use queries::path::{Route, SitePath};
use queries::search::visibility::{Finding, Standing, finding};
use queries::search::{
    PageFacets, bucket_search, embedded_title, page_embeddings, page_facets, page_indexing,
    page_text, page_text_digest, placements, search_digest, search_manifest,
};
use queries::site::{bucket_assets, bucket_diagnostics, orphan_diagnostic, route_table};
use salsa::plumbing::AsId;

use super::script::{IMAGE, SNIPPET};
use crate::support::TestSite;

/// A query or an input with its key: a path, `bucket 7`, the position of a section, nothing for the site.
type Node = (&'static str, String);

/// Durabilities: lowered by an edit, of the configuration, as created, of what never changes.
const LOW: u8 = 0;
const MEDIUM: u8 = 1;
const HIGH: u8 = 2;
const NEVER: u8 = 3;

/// When something changed last, and how durable it is.
#[derive(Clone, Copy)]
struct Stamp {
    changed: u32,
    durability: u8,
}

struct Memo {
    stamp: Stamp,
    verified: u32,
    reads: Vec<Node>,
    value: String,
}

/// The tracked fields of a section, as nodes.
const FIELDS: &[&str] = &[
    "breadcrumb",
    "sidebar_switchers",
    "nodes",
    "pages",
    "hidden_pages",
    "global",
];

/// Follows the edits, and knows what must run at each question.
pub(super) struct Predictor {
    revision: u32,
    inputs: BTreeMap<Node, Stamp>,
    memos: BTreeMap<Node, Memo>,
    /// The fields of sections with their values.
    fields: BTreeMap<Node, (Stamp, String)>,
    /// How often the section at a position was made anew; it is another one each time.
    births: BTreeMap<String, u32>,
    executed: BTreeMap<String, Vec<String>>,
}

impl Predictor {
    /// Knows the files of `site`, about which nobody asked yet.
    pub(super) fn new(site: &TestSite) -> Self {
        let made = |durability| Stamp {
            changed: 1,
            durability,
        };
        let digests = site.files().map(|file| {
            let path = file.path(&site.db);
            let durability = if is_foundation(path) { MEDIUM } else { HIGH };
            (("digest", path.to_string()), made(durability))
        });
        let sizes = site.files().map(|file| {
            let path = file.path(&site.db).to_string();
            (("image_size of the file", path), made(HIGH))
        });
        let subjects = site.files().map(|file| {
            let path = file.path(&site.db).to_string();
            (("subject of the file", path), made(HIGH))
        });
        let lists = (0..BUCKETS).map(|i| (("files", format!("bucket {i}")), made(HIGH)));
        Self {
            revision: 1,
            inputs: digests.chain(sizes).chain(subjects).chain(lists).collect(),
            memos: BTreeMap::new(),
            fields: BTreeMap::new(),
            births: BTreeMap::new(),
            executed: BTreeMap::new(),
        }
    }

    /// The content of a file was set.
    pub(super) fn edited(&mut self, path: &str) {
        let is_foundation = SitePath::new(path).is_some_and(|path| is_foundation(&path));
        let durability = if is_foundation { MEDIUM } else { LOW };
        self.set(("digest", path.to_owned()), durability);
    }

    /// The content of a file was set to what it was, to make it durable again.
    pub(super) fn promoted(&mut self, path: &str) {
        self.set(("digest", path.to_owned()), HIGH);
    }

    /// A picture has another size.
    pub(super) fn resized(&mut self, path: &str) {
        self.set(("image_size of the file", path.to_owned()), HIGH);
    }

    /// A file was made that there never was.
    pub(super) fn created(&mut self, path: &str) {
        let stamp = Stamp {
            changed: self.revision,
            durability: HIGH,
        };
        self.inputs.insert(("digest", path.to_owned()), stamp);
        self.inputs
            .insert(("subject of the file", path.to_owned()), stamp);
    }

    /// A file appeared or vanished.
    pub(super) fn list_changed(&mut self, path: &str) {
        self.set(("files", bucket_key(path)), HIGH);
    }

    fn set(&mut self, node: Node, durability: u8) {
        self.revision += 1;
        let stamp = Stamp {
            changed: self.revision,
            durability,
        };
        self.inputs.insert(node, stamp);
    }

    /// What runs when everything is asked, by name with keys.
    pub(super) fn predict(&mut self, facts: &Facts<'_>) -> BTreeMap<String, Vec<String>> {
        for root in facts.questions() {
            self.fetch(&root, facts);
        }
        let mut executed = std::mem::take(&mut self.executed);
        for keys in executed.values_mut() {
            keys.sort();
        }
        executed
    }

    fn fetch(&mut self, node: &Node, facts: &Facts<'_>) -> Stamp {
        if let Some(stamp) = self.inputs.get(node) {
            return *stamp;
        }
        if let Some((stamp, _)) = self.fields.get(node) {
            return *stamp;
        }
        if !self.is_valid(node, facts) {
            self.execute(node, facts);
        }
        self.memos[node].stamp
    }

    /// Whether what is remembered still holds; marks it as verified if so.
    fn is_valid(&mut self, node: &Node, facts: &Facts<'_>) -> bool {
        let Some(memo) = self.memos.get(node) else {
            return false;
        };
        if memo.verified < self.revision {
            let (since, reads) = (memo.verified, memo.reads.clone());
            if reads
                .iter()
                .any(|read| self.has_changed(read, since, facts))
            {
                return false;
            }
        }
        let revision = self.revision;
        if let Some(memo) = self.memos.get_mut(node) {
            memo.verified = revision;
        }
        true
    }

    /// Whether `node` has another value than at revision `since`. Runs it if need be, which may show that it has not.
    fn has_changed(&mut self, node: &Node, since: u32, facts: &Facts<'_>) -> bool {
        let is_known = self.inputs.contains_key(node)
            || self.fields.contains_key(node)
            || self.memos.contains_key(node);
        !is_known || self.fetch(node, facts).changed > since
    }

    fn execute(&mut self, node: &Node, facts: &Facts<'_>) {
        let (name, mut key) = (node.0.to_owned(), node.1.clone());
        match name.as_str() {
            "passage_windows" | "passage_embeddings" => "passage".clone_into(&mut key),
            _ => {}
        }
        self.executed.entry(name).or_default().push(key);
        let reads = facts.reads(node);
        let mut stamp = Stamp {
            changed: 1,
            durability: NEVER,
        };
        for read in &reads {
            let other = self.fetch(read, facts);
            stamp.changed = stamp.changed.max(other.changed);
            stamp.durability = stamp.durability.min(other.durability);
            if *read == ("navigation_tree", String::new()) && node.0 == "sections" {
                self.make_sections(stamp, facts);
            }
        }
        if node.0 == "embedded_passages" {
            // The passages that it no longer has are gone.
            let of_page = format!("{}\0", node.1);
            let passages = facts.passages(&node.1);
            self.memos.retain(|known, _| {
                !known.0.starts_with("passage_")
                    || !known.1.starts_with(&of_page)
                    || passages.contains(&known.1)
            });
        }
        let mut value = facts.value(node);
        if matches!(node.0, "sections" | "sections_by_page" | "page_section") {
            // A section that was made anew is another one, even at the same position.
            value = format!("{value} {:?}", facts.births_in(node, &self.births));
        }
        if let Some(old) = self.memos.get(node)
            && old.value == value
            && stamp.durability >= old.stamp.durability
        {
            stamp.changed = old.stamp.changed;
        }
        let memo = Memo {
            stamp,
            verified: self.revision,
            reads,
            value,
        };
        self.memos.insert(node.clone(), memo);
    }

    /// A section that is there again keeps the revisions of the fields that are equal, unless it became less durable.
    fn make_sections(&mut self, stamp: Stamp, facts: &Facts<'_>) {
        let positions = facts.positions();
        let is_gone = |node: &Node| !positions.contains(&node.1);
        self.fields.retain(|node, _| !is_gone(node));
        self.memos
            .retain(|node, _| !(node.0.starts_with("section_") && is_gone(node)));
        self.births
            .retain(|position, _| positions.contains(position));
        for position in positions {
            let is_new = !self.births.contains_key(&position);
            if is_new {
                self.births.insert(position.clone(), self.revision);
            }
            for field in FIELDS {
                let node = (*field, position.clone());
                let value = facts.field(field, &position);
                let kept = match self.fields.get(&node) {
                    Some((old, old_value))
                        if *old_value == value && stamp.durability >= old.durability =>
                    {
                        old.changed
                    }
                    _ => stamp.changed,
                };
                let stamp = Stamp {
                    changed: kept,
                    durability: stamp.durability,
                };
                self.fields.insert(node, (stamp, value));
            }
        }
    }
}

fn bucket_key(path: &str) -> String {
    let path = SitePath::new(path).expect("a path of the site");
    format!("bucket {}", bucket_of(&path))
}

/// The site after an edit, as a database sees it that never saw another one.
pub(super) struct Facts<'a> {
    site: &'a TestSite,
    /// The pages that the configuration lists, as written.
    listed: Vec<String>,
    /// What engine ids stand for.
    names: BTreeMap<String, String>,
}

impl<'a> Facts<'a> {
    pub(super) fn new(site: &'a TestSite, listed: Vec<String>) -> Self {
        let files = site.files().map(|file| {
            let id = format!("{:?}", file.as_id());
            (id, file.path(&site.db).to_string())
        });
        Self {
            site,
            listed,
            names: files.collect(),
        }
    }

    /// What is asked after an edit: all of `TestSite::outputs`.
    fn questions(&self) -> Vec<Node> {
        let db = &self.site.db;
        let site = |name| (name, String::new());
        let mut questions = vec![
            site("route_table"),
            site("site_frame"),
            site("own_files"),
            site("seo_config"),
            site("api_config"),
            site("navigation_tree"),
            site("sections"),
        ];
        let first = sections(db, self.site.site).first().copied();
        for file in page_list(db, self.site.site).value.values() {
            for query in [
                "front_matter",
                "page_body",
                "page_section",
                "page_title",
                "page_route",
            ] {
                questions.push(self.of_file(query, *file));
            }
            if self.asks_for_replaced(*file) {
                questions.push(self.of_file("replaced_page", *file));
            }
            if let Some(section) = page_section(db, *file).or(first) {
                questions.push(("section_header", self.position(section)));
                questions.push(("section_sidebar", self.position(section)));
            }
        }
        let mut labels = Vec::new();
        self.linked(
            &navigation_tree(db, self.site.site).nodes,
            true,
            &mut labels,
        );
        questions.extend(labels.iter().map(|file| self.of_file("page_label", *file)));
        questions.extend((0..BUCKETS).map(|i| ("bucket_diagnostics", format!("bucket {i}"))));
        questions.push(site("search_manifest"));
        for file in page_list(db, self.site.site).value.values() {
            let is_found = page_facets(db, PageId::File(*file)).is_some();
            questions.push(self.of_file("search_digest", *file));
            questions.push(self.of_file("page_facets", *file));
            if is_found {
                questions.push(self.of_file("page_text", *file));
            }
            questions.push(self.of_file("embedded_passages", *file));
            let passages = self.passages(file.path(db).as_str()).into_iter();
            questions.extend(passages.map(|passage| ("passage_embeddings", passage)));
        }
        questions
    }

    /// What a query reads, in order: the table of who wakes whom.
    fn reads(&self, (query, key): &Node) -> Vec<Node> {
        let (db, site) = (&self.site.db, self.site.site);
        let same = |name| (name, key.clone());
        let of_site = |name| (name, String::new());
        let buckets = |name| (0..BUCKETS).map(move |i| (name, format!("bucket {i}")));
        match *query {
            // Of one file.
            "front_matter" => vec![same("digest")],
            "page_body" => self.reads_of_body(key),
            // Its text is what it is known by.
            // No edit of the script takes the picture away.
            "image_size" => vec![
                ("files", bucket_key(key)),
                ("image_size of the file", key.clone()),
            ],
            "page_imports" => self.reads_of_imports(key),
            "page_anchors" | "page_links" => vec![same("page_body")],
            "page_diagnostics" => vec![same("front_matter"), same("page_body")],
            "page_title" => match &front_matter(db, self.file(key)).value.title {
                Some(_) => vec![same("front_matter")],
                None => vec![
                    same("front_matter"),
                    same("replaced_page"),
                    same("page_route"),
                ],
            },
            "replaced_page" => vec![of_site("generated_pages")],
            "page_label" => vec![same("front_matter"), same("page_title")],
            "page_route" => self.reads_of_route(key),
            "page_section" => vec![of_site("sections_by_page")],
            "orphan_diagnostic" => match page_section(db, self.file(key)) {
                Some(_) => vec![same("page_section")],
                None if !has_navigation(db, site) => {
                    vec![same("page_section"), of_site("has_navigation")]
                }
                None => vec![
                    same("page_section"),
                    of_site("has_navigation"),
                    same("front_matter"),
                ],
            },
            "link_diagnostics" => self.reads_of_link_check(key),
            // Of one bucket.
            "bucket_pages" | "bucket_assets" | "bucket_own_files" => vec![same("files")],
            "bucket_diagnostics" => {
                let mut reads = vec![same("bucket_pages")];
                for file in bucket_pages(db, self.bucket(key)) {
                    for query in ["page_diagnostics", "link_diagnostics", "orphan_diagnostic"] {
                        reads.push(self.of_file(query, *file));
                    }
                }
                reads
            }
            // Of what can be found.
            "placements" => vec![of_site("navigation_tree")],
            "page_indexing" => vec![of_site("seo_config")],
            "search_config" => vec![of_site("site_config")],
            "page_facets" => self.reads_of_facets(key),
            "page_text" => vec![same("page_body"), same("front_matter")],
            "page_text_digest" => vec![same("page_text")],
            "search_digest" => match self.facets(key) {
                Some(_) => vec![same("page_facets"), same("page_text_digest")],
                None => vec![same("page_facets")],
            },
            "bucket_search" => {
                let mut reads = vec![same("bucket_pages")];
                for file in bucket_pages(db, self.bucket(key)) {
                    reads.push(self.of_file("search_digest", *file));
                    if search_digest(db, PageId::File(*file)).is_some() {
                        reads.push(self.of_file("page_route", *file));
                    }
                }
                reads
            }
            "search_manifest" => buckets("bucket_search").collect(),
            // The script writes in one language.
            "embedded_title" => match self.facets(key) {
                Some(_) => vec![same("page_facets"), of_site("search_config")],
                None => vec![same("page_facets")],
            },
            "embedded_passages" => match self.facets(key) {
                Some(_) => vec![same("embedded_title"), same("page_text")],
                None => vec![same("embedded_title")],
            },
            "passage_windows" => {
                let page = key.split('\0').next().unwrap_or_default().to_owned();
                vec![("embedded_title", page.clone()), ("page_text", page)]
            }
            "passage_embeddings" => vec![same("passage_windows")],
            // Of the configuration.
            "site_config" => vec![
                ("files", bucket_key("docs.json")),
                ("digest", "docs.json".to_owned()),
            ],
            "navigation_config" | "theme_config" | "redirects" | "seo_config" | "api_config" => {
                vec![of_site("site_config")]
            }
            "frame_header" => vec![of_site("theme_config"), of_site("search_config")],
            "site_frame" | "icon_set" | "formula_signs" => vec![of_site("theme_config")],
            // Of the navigation.
            "navigation_tree" => self.reads_of_navigation(),
            "sections" | "home_page" | "has_navigation" | "generated_pages" => {
                vec![of_site("navigation_tree")]
            }
            "sections_by_page" => {
                let mut reads = vec![of_site("sections")];
                for field in ["pages", "hidden_pages"] {
                    reads.extend(self.positions().into_iter().map(|at| (field, at)));
                }
                reads
            }
            "section_header" => self.reads_of_header(key),
            "section_sidebar" => {
                let mut reads = vec![same("sidebar_switchers"), same("global"), same("nodes")];
                let mut files = Vec::new();
                self.linked(self.section(key).nodes(db), false, &mut files);
                for file in files {
                    reads.push(self.of_file("page_label", file));
                    if page_label(db, file).hidden != Some(true) {
                        reads.push(self.of_file("page_route", file));
                    }
                }
                reads
            }
            // Of all pages.
            "page_list" => {
                let mut pages: Vec<SourceFile> = Vec::new();
                for bucket in site.buckets(db) {
                    pages.extend_from_slice(bucket_pages(db, *bucket));
                }
                pages.sort_by_key(|file| file.path(db).stem());
                let routes = pages.iter().map(|file| self.of_file("page_route", *file));
                buckets("bucket_pages").chain(routes).collect()
            }
            "own_files" => {
                let mut files: Vec<SourceFile> = Vec::new();
                for bucket in site.buckets(db) {
                    files.extend_from_slice(bucket_own_files(db, *bucket));
                }
                files.sort_by_key(|file| file.path(db));
                let digests = files.iter().map(|file| self.of_file("digest", *file));
                buckets("bucket_own_files").chain(digests).collect()
            }
            "route_table" => {
                let mut reads = vec![of_site("generated_pages"), of_site("page_list")];
                reads.extend(buckets("bucket_assets"));
                if !page_list(db, site).value.contains_key(&Route::home()) {
                    reads.push(of_site("home_page"));
                    if let Some(PageId::File(first)) = home_page(db, site) {
                        reads.push(self.of_file("page_route", first));
                    }
                }
                reads.push(of_site("redirects"));
                reads.push(of_site("subject_pages"));
                reads
            }
            "subject_pages" => {
                let subjects = buckets("bucket_subjects");
                subjects.chain([of_site("generated_pages")]).collect()
            }
            "bucket_subjects" => {
                let mut reads = vec![same("bucket_pages")];
                for file in bucket_pages(db, self.bucket(key)) {
                    reads.push(self.of_file("subject of the file", *file));
                }
                reads
            }
            _ => panic!("nobody said what {query} reads"),
        }
    }

    /// Whether the page looks for an operation to take over what it does not say itself.
    fn asks_for_replaced(&self, file: SourceFile) -> bool {
        let matter = &front_matter(&self.site.db, file).value;
        matter.title.is_none() || matter.description.is_none()
    }

    /// A page and the snippet it imports, if it does.
    fn reads_of_body(&self, path: &str) -> Vec<Node> {
        let digest = |path: &str| ("digest", path.to_owned());
        let mut reads = vec![digest(path)];
        if self.site.text(path).contains("import") {
            reads.push(("page_imports", path.to_owned()));
            if !page_imports(&self.site.db, self.file(path)).is_empty() {
                reads.push(digest(SNIPPET));
            }
        }
        let has_dollars = |path: &str| self.site.exists(path) && self.site.text(path).contains('$');
        if has_dollars(path) {
            reads.push(("formula_signs", String::new()));
        }
        reads.push(("icon_set", String::new()));
        if self.site.text(path).contains("![") {
            reads.push(("image_size", IMAGE.to_owned()));
        }
        reads
    }

    /// The script makes imports of one snippet by its path; a snippet imports nothing.
    fn reads_of_imports(&self, path: &str) -> Vec<Node> {
        let mut reads = vec![("digest", path.to_owned()), ("files", bucket_key(SNIPPET))];
        if self.site.exists(SNIPPET) {
            reads.push(("digest", SNIPPET.to_owned()));
        }
        reads
    }

    fn facets(&self, path: &str) -> &Option<PageFacets> {
        page_facets(&self.site.db, PageId::File(self.file(path)))
    }

    /// A page asks where it is listed, and what it is called only if it is found.
    fn reads_of_facets(&self, path: &str) -> Vec<Node> {
        let (db, site) = (&self.site.db, self.site.site);
        let same = |name| (name, path.to_owned());
        let matter = &front_matter(db, self.file(path)).value;
        let mut reads = vec![same("front_matter"), ("placements", String::new())];
        let placements = placements(db, site);
        let finding = finding(Standing {
            has_navigation: placements.has_navigation,
            placement: placements.of(PageId::File(self.file(path))),
            hidden: matter.hidden,
            noindex: matter.noindex,
            searchable: matter.searchable,
        });
        if finding == Finding::WhereAllAre {
            reads.push(("page_indexing", String::new()));
        }
        let is_found = finding == Finding::Found
            || (finding == Finding::WhereAllAre && page_indexing(db, site) == Indexing::All);
        if is_found && let Some(stem) = path.strip_suffix(".md") {
            reads.push(("files", bucket_key(&format!("{stem}.mdx"))));
        }
        if self.facets(path).is_some() {
            reads.extend([same("page_route"), same("page_title")]);
        }
        reads
    }

    /// The keys of the passages of a page that are embedded.
    fn passages(&self, path: &str) -> Vec<String> {
        let embedded = page_embeddings(&self.site.db, PageId::File(self.file(path)));
        let digests = embedded.iter();
        digests
            .map(|(digest, _)| format!("{path}\0{digest:?}"))
            .collect()
    }

    /// Only `a/index.mdx` asks whether `a.mdx` or `a.md` is there.
    fn reads_of_route(&self, path: &str) -> Vec<Node> {
        let Some(folder) = path.strip_suffix("/index.mdx") else {
            return Vec::new();
        };
        self.reads_until_found(&[format!("{folder}.mdx"), format!("{folder}.md")])
    }

    fn reads_until_found(&self, paths: &[String]) -> Vec<Node> {
        let mut reads = Vec::new();
        for path in paths {
            reads.push(("files", bucket_key(path)));
            if self.site.exists(path) {
                break;
            }
        }
        reads
    }

    fn reads_of_navigation(&self) -> Vec<Node> {
        let mut reads = vec![("navigation_config", String::new())];
        for name in &self.listed {
            let endings = [".mdx", ".md", "/index.mdx", "/index.md"];
            let paths: Vec<String> = endings.iter().map(|end| format!("{name}{end}")).collect();
            reads.extend(self.reads_until_found(&paths));
            if page_file(&self.site.db, name).is_none() {
                // The suggestion is looked for among all names.
                reads.extend((0..BUCKETS).map(|i| ("files", format!("bucket {i}"))));
            }
        }
        reads
    }

    fn reads_of_header(&self, position: &str) -> Vec<Node> {
        let db = &self.site.db;
        let of_section = |name| (name, position.to_owned());
        let mut reads = vec![("frame_header", String::new()), of_section("breadcrumb")];
        for step in self.section(position).breadcrumb(db) {
            assert_eq!(step.kind, NodeKind::Tab, "the script makes tabs only");
            let first = step.choices.iter().filter_map(|choice| choice.first_page);
            let first = first.filter_map(PageId::file);
            reads.extend(first.map(|file| self.of_file("page_route", file)));
        }
        reads.push(of_section("global"));
        reads
    }

    fn reads_of_link_check(&self, path: &str) -> Vec<Node> {
        let (db, site) = (&self.site.db, self.site.site);
        let file = self.file(path);
        let pages = &page_list(db, site).value;
        let page_at = |path: &str| {
            let at = |path: &str| pages.get(&Route::new(path)?).copied();
            at(path).or_else(|| at(path.strip_suffix("/index")?))
        };
        let mut reads = vec![("page_links", path.to_owned())];
        for link in page_links(db, file) {
            // The place of a broken link is looked for in the text that it stands in.
            let place = || match &link.snippet {
                Some(snippet) => vec![
                    ("files", bucket_key(snippet.as_str())),
                    ("digest", snippet.to_string()),
                ],
                None => vec![("digest", path.to_owned())],
            };
            let (target, fragment) = match resolve(file.path(db), &link.href) {
                LinkTarget::External => continue,
                LinkTarget::Heading(fragment) => (Some(file), Some(fragment)),
                LinkTarget::Site { path, fragment, .. } => {
                    reads.push(("page_list", String::new()));
                    let target = page_at(&path);
                    if target.is_none() {
                        reads.push(("generated_pages", String::new()));
                    }
                    if target.is_none() && path != "/" {
                        // Perhaps a file, perhaps a redirect, else it is broken.
                        let asset = SitePath::new(&path).filter(|path| !is_page(path));
                        reads.extend(
                            asset
                                .iter()
                                .map(|path| ("files", bucket_key(path.as_str()))),
                        );
                        if asset.is_none_or(|path| file_named(db, &path).is_none()) {
                            reads.push(("redirects", String::new()));
                            // No redirect is there while the configuration is broken.
                            if !redirects(db, site).iter().any(|to| to.source == path) {
                                reads.extend(place());
                            }
                        }
                    }
                    (target, fragment)
                }
            };
            if let (Some(target), Some(fragment)) = (target, fragment) {
                reads.push(self.of_file("page_anchors", target));
                if !page_anchors(db, target).contains(&fragment) {
                    reads.extend(place());
                }
            }
        }
        reads
    }

    /// What a query returns, as text in which engine ids are replaced by what they stand for.
    fn value(&self, (query, key): &Node) -> String {
        let (db, site) = (&self.site.db, self.site.site);
        let file = || self.file(key);
        let text = match *query {
            "front_matter" => format!("{:?}", front_matter(db, file())),
            "page_body" => format!("{:?}", page_body(db, file())),
            "page_imports" => format!("{:?}", page_imports(db, file())),
            "image_size" => {
                let path = SitePath::new(key).expect("a path of the site");
                format!("{:?}", image_size(db, ImageKey::new(db, path)))
            }
            "icon_set" => format!("{:?}", icon_set(db, site)),
            "formula_signs" => format!("{:?}", formula_signs(db, site)),
            "page_anchors" => format!("{:?}", page_anchors(db, file())),
            "page_links" => format!("{:?}", page_links(db, file())),
            "page_diagnostics" => format!("{:?}", page_diagnostics(db, file())),
            "page_title" => page_title(db, file()).clone(),
            "page_label" => format!("{:?}", page_label(db, file())),
            "page_route" => page_route(db, file()).to_string(),
            "replaced_page" => format!("{:?}", replaced_page(db, file())),
            // The script makes no page about an operation.
            "bucket_subjects" | "subject_pages" => String::new(),
            "generated_pages" => format!("{:?}", generated_pages(db, site)),
            "orphan_diagnostic" => format!("{:?}", orphan_diagnostic(db, file())),
            "link_diagnostics" => format!("{:?}", link_diagnostics(db, file())),
            "bucket_pages" => format!("{:?}", bucket_pages(db, self.bucket(key))),
            "bucket_assets" => format!("{:?}", bucket_assets(db, self.bucket(key))),
            "bucket_own_files" => format!("{:?}", bucket_own_files(db, self.bucket(key))),
            "own_files" => format!("{:?}", own_files(db, site)),
            "bucket_diagnostics" => format!("{:?}", bucket_diagnostics(db, self.bucket(key))),
            "site_config" => format!("{:?}", site_config(db, site)),
            "navigation_config" => format!("{:?}", navigation_config(db, site)),
            "theme_config" => format!("{:?}", theme_config(db, site)),
            "redirects" => format!("{:?}", redirects(db, site)),
            "seo_config" => format!("{:?}", seo_config(db, site)),
            "api_config" => format!("{:?}", api_config(db, site)),
            "frame_header" => format!("{:?}", frame_header(db, site)),
            "site_frame" => format!("{:?}", site_frame(db, site)),
            "navigation_tree" => format!("{:?}", navigation_tree(db, site)),
            "home_page" => format!("{:?}", home_page(db, site)),
            "has_navigation" => has_navigation(db, site).to_string(),
            "sections" => format!("{:?}", self.positions()),
            "sections_by_page" => self.sections_by_page(),
            "page_section" => {
                let section = page_section(db, file());
                format!("{:?}", section.map(|section| self.position(section)))
            }
            "section_header" => section_header(db, self.section(key)).clone(),
            "section_sidebar" => format!("{:?}", section_sidebar(db, self.section(key))),
            "page_list" => format!("{:?}", page_list(db, site)),
            "route_table" => format!("{:?}", route_table(db, site)),
            "placements" => self.placements(),
            "page_indexing" => format!("{:?}", page_indexing(db, site)),
            "search_config" => format!("{:?}", search_config(db, site)),
            "page_facets" => format!("{:?}", self.facets(key)),
            "page_text" => format!("{:?}", page_text(db, PageId::File(file()))),
            "page_text_digest" => format!("{:?}", page_text_digest(db, PageId::File(file()))),
            "search_digest" => format!("{:?}", search_digest(db, PageId::File(file()))),
            "bucket_search" => format!("{:?}", bucket_search(db, self.bucket(key))),
            "search_manifest" => format!("{:?}", search_manifest(db, site)),
            "embedded_title" => format!("{:?}", embedded_title(db, PageId::File(file()))),
            "embedded_passages" => format!("{:?}", self.passages(key)),
            // What a passage says follows from its digest.
            "passage_windows" | "passage_embeddings" => key.clone(),
            _ => panic!("nobody said what {query} returns"),
        };
        self.with_names(&text)
    }

    fn placements(&self) -> String {
        let db = &self.site.db;
        let placements = placements(db, self.site.site);
        let mut text = placements.has_navigation.to_string();
        for file in self.site.files() {
            if let Some(placement) = placements.of(PageId::File(file)) {
                text.push_str(&format!("{} {placement:?}\n", file.path(db)));
            }
        }
        text
    }

    fn sections_by_page(&self) -> String {
        let db = &self.site.db;
        let mut text = String::new();
        for file in self.site.files() {
            if let Some(section) = page_section(db, file) {
                text.push_str(&format!("{} {}\n", file.path(db), self.position(section)));
            }
        }
        text
    }

    /// When the sections in the value of `node` were made.
    fn births_in(&self, node: &Node, births: &BTreeMap<String, u32>) -> Vec<(String, u32)> {
        let positions = match node.0 {
            "page_section" => page_section(&self.site.db, self.file(&node.1))
                .map(|section| vec![self.position(section)])
                .unwrap_or_default(),
            _ => self.positions(),
        };
        let births = positions.into_iter().map(|at| (at.clone(), births[&at]));
        births.collect()
    }

    fn field(&self, field: &str, position: &str) -> String {
        let db = &self.site.db;
        let section = self.section(position);
        let text = match field {
            "breadcrumb" => format!("{:?}", section.breadcrumb(db)),
            "sidebar_switchers" => format!("{:?}", section.sidebar_switchers(db)),
            "nodes" => format!("{:?}", section.nodes(db)),
            "pages" => format!("{:?}", section.pages(db)),
            "hidden_pages" => format!("{:?}", section.hidden_pages(db)),
            "global" => format!("{:?}", section.global(db)),
            _ => panic!("a section has no {field}"),
        };
        self.with_names(&text)
    }

    /// A file is shown as its engine id, which differs from one database to the next; here it becomes its path.
    fn with_names(&self, text: &str) -> String {
        const FILE: &str = "SourceFile { [salsa id]: ";
        let mut parts = text.split(FILE);
        let mut named = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (id, rest) = part.split_once(" }").expect("an engine id ends");
            named.push_str(self.names.get(id).expect("only files that exist are named"));
            named.push_str(rest);
        }
        named
    }

    fn positions(&self) -> Vec<String> {
        let sections = sections(&self.site.db, self.site.site);
        sections
            .iter()
            .map(|section| self.position(*section))
            .collect()
    }

    fn position(&self, section: Section<'_>) -> String {
        format!("{:?}", section.position(&self.site.db))
    }

    fn section(&self, position: &str) -> Section<'_> {
        let sections = sections(&self.site.db, self.site.site);
        let found = sections
            .iter()
            .find(|section| self.position(**section) == position);
        *found.expect("the section is there")
    }

    fn bucket(&self, key: &str) -> FileBucket {
        let number = key
            .strip_prefix("bucket ")
            .and_then(|n| n.parse::<usize>().ok());
        self.site.site.buckets(&self.site.db)[number.expect("a bucket")]
    }

    fn file(&self, path: &str) -> SourceFile {
        self.site.file(path)
    }

    fn of_file(&self, query: &'static str, file: SourceFile) -> Node {
        (query, file.path(&self.site.db).to_string())
    }

    /// The pages that `nodes` show, hidden ones too if asked for.
    fn linked(&self, nodes: &[NavigationNode], with_hidden: bool, files: &mut Vec<SourceFile>) {
        for node in nodes.iter().filter(|node| with_hidden || !node.hidden) {
            if let Target::File(file) = node.target {
                files.push(file);
            }
            self.linked(&node.children, with_hidden, files);
        }
    }
}
