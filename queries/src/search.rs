//! Search documents: pages and their passages as plain text, before they are cut into words.
//!
//! An index outside follows these by their digests; what is here never knows how it is searched. Texts are made when they
//! are asked for and forgotten soon; digests stay. What says whether and where a page is found (its frontmatter, the
//! navigation) is apart from its text, so that a new label reads no page again.

mod chunks;
pub(crate) mod document;
pub mod html;
pub mod kind;
pub mod placement;
pub(crate) mod reference;
pub mod visibility;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::body::{page_body, reference_of, whole_groups};
use crate::config::{search_config, seo_config};
use crate::db::Db;
use crate::inputs::{FileBucket, Site, SourceFile, Spec, file_named};
use crate::navigation::{PageId, generated_pages, navigation_tree};
use crate::page::{
    bucket_pages, described, front_matter, generated_front_matter, page_list, route_of, title_of,
};
use crate::trace::digest_of;
use base::content::ContentHash;
use base::path::{Route, SitePath};
use config::seo::Indexing;
use document::without_title;
use embedding::{Embedder, Embedding};
pub use kind::PageKind;
use kind::Shape;
use mdx::front_matter::FrontMatter;
use openapi::search::{FieldGroup, SearchText};
use placement::{Placement, Placements};
use visibility::{Finding, Standing, finding};

/// Searchable content of one page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchDocument {
    /// Route.
    pub route: Route,
    /// Title.
    pub title: String,
    /// Description by its author; empty if there is none.
    pub description: String,
    /// The words by which its author wants it found.
    pub keywords: Vec<String>,
    /// Facets.
    pub facets: Facets,
    /// Kind of page.
    pub kind: PageKind,
    /// Destination, for a page without text of its own (`url` of the frontmatter).
    pub leads_to: Option<String>,
    /// Boost in thousandths; 1000 for nearly all pages.
    pub boost: i64,
    /// The method, path, `operationId`, tag and statuses of an endpoint; the name of a data model; empty for prose.
    pub names: Vec<String>,
    /// Text in reading order: what stands before the first heading, then a passage for each heading.
    pub passages: Vec<Passage>,
}

/// The part of a page below one heading, up to the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The id of its heading; `None` for what stands before the first.
    pub anchor: Option<String>,
    /// The headings above it, outermost first, its own last; the title of the page is not among them.
    pub headings: Vec<String>,
    /// Prose, as readers see it: one blank between words, paragraphs by a line break.
    pub body: String,
    /// Code.
    pub code: String,
}

impl Passage {
    /// The digest of what it says on a page with this title: passages with equal digests are embedded alike.
    pub fn digest(&self, title: &str) -> ContentHash {
        crate::trace::digest_of(&(title, self))
    }
}

/// A product of a site.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Product {
    /// Label in the navigation.
    pub label: String,
    /// Whether it is the one shown first.
    pub is_default: bool,
}

/// Facets of a search: the place of a page in the navigation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facets {
    /// The label of its tab.
    pub tab: Option<String>,
    /// Its product.
    pub product: Option<Product>,
    /// The label of its version.
    pub version: Option<String>,
    /// Whether that version is another one than the site shows first.
    pub is_old: bool,
    /// The code of its language.
    pub language: Option<String>,
    /// The tags of its frontmatter and of its operation.
    pub tags: Vec<String>,
}

/// Places of pages in the navigation. Read by the facets of every page; titles and bodies must not
/// wake it, and labels change it only where they are facets.
#[salsa::tracked]
pub fn placements(db: &dyn Db, site: Site) -> Placements {
    placement::placements(&navigation_tree(db, site).nodes)
}

/// The labels above every listed page: its place as readers see it. Read when something is found, and by nothing that is
/// indexed: labels wake no page.
#[salsa::tracked]
pub fn breadcrumbs(db: &dyn Db, site: Site) -> Arc<HashMap<PageId, Arc<[String]>>> {
    Arc::new(placement::breadcrumbs(&navigation_tree(db, site).nodes))
}

/// Whether pages outside of the navigation are found (`seo.indexing`). Read by the facets of such
/// pages; apart from the rest of the configuration, so that an edit there wakes none of them.
#[salsa::tracked(returns(copy))]
pub fn page_indexing(db: &dyn Db, site: Site) -> Indexing {
    seo_config(db, site).indexing
}

/// Facts about a searchable page besides its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PageFacets {
    /// Route.
    pub route: Route,
    /// Title.
    pub title: String,
    /// Description by its author.
    pub description: Option<String>,
    /// The words by which its author wants it found.
    pub keywords: Vec<String>,
    /// Facets.
    pub facets: Facets,
    /// Kind of page by the labels above it.
    pub placed: Option<PageKind>,
    /// Whether it is the home page, or has the whole window for itself (`mode: custom`).
    pub is_front: bool,
    /// Destination, for a page without text of its own.
    pub leads_to: Option<String>,
    /// Boost in thousandths.
    pub boost: i64,
}

/// Facts about a page besides its text; `None` if it is not searchable.
///
/// Read by the digest of the page. Its words wake it as they wake its frontmatter, and it is equal to before; it wakes no
/// text.
#[salsa::tracked]
pub fn page_facets(db: &dyn Db, page: PageId) -> Option<PageFacets> {
    let site = Site::get(db);
    let front_matter = match page {
        PageId::File(file) => &front_matter(db, file).value,
        PageId::Generated(page) => generated_front_matter(db, page),
    };
    let placements = placements(db, site);
    let placement = placements.of(page);
    let standing = Standing {
        has_navigation: placements.has_navigation,
        placement,
        hidden: front_matter.hidden,
        noindex: front_matter.noindex,
        searchable: front_matter.searchable,
    };
    match finding(standing) {
        Finding::Found => {}
        Finding::WhereAllAre if page_indexing(db, site) == Indexing::All => {}
        Finding::WhereAllAre | Finding::Never => return None,
    }
    if page.file().is_some_and(|file| is_shadowed(db, file)) {
        return None;
    }
    let placement = placement.cloned().unwrap_or_else(|| Placement {
        is_default: true,
        ..Placement::default()
    });
    let route = route_of(db, page);
    Some(PageFacets {
        is_front: route.as_str() == "/" || front_matter.mode.as_deref() == Some("custom"),
        placed: placement.kind,
        leads_to: front_matter.url.clone(),
        route,
        title: title_of(db, page),
        // That of an operation is Markdown of any length, and is part of its text.
        description: page
            .file()
            .and(front_matter.description.as_deref())
            .map(|text| described(text, &mut str::to_owned).0),
        keywords: front_matter.keywords.clone(),
        facets: Facets {
            tab: placement.tab,
            product: placement.product,
            version: placement.version.or_else(|| front_matter.version.clone()),
            is_old: !placement.is_default,
            language: placement.language,
            tags: tags(front_matter),
        },
        boost: front_matter.boost.or(placement.boost).unwrap_or(1000),
    })
}

/// Returns true if robots may list a page: it is shown, or the site lists all pages, and it does
/// not forbid indexing. `searchable: false` concerns search alone.
///
/// Read by the site map. The words of the page wake it as they wake its frontmatter, and it is equal to before.
#[salsa::tracked(returns(copy))]
pub fn is_listed_for_robots(db: &dyn Db, page: PageId) -> bool {
    let site = Site::get(db);
    let front_matter = match page {
        PageId::File(file) => &front_matter(db, file).value,
        PageId::Generated(page) => generated_front_matter(db, page),
    };
    let placements = placements(db, site);
    let placement = placements.of(page).map(|placement| Placement {
        searchable: placement.searchable.filter(|searchable| *searchable),
        ..placement.clone()
    });
    let robots = front_matter.robots.as_deref().unwrap_or("");
    let found = finding(Standing {
        has_navigation: placements.has_navigation,
        placement: placement.as_ref(),
        hidden: front_matter.hidden,
        noindex: Some(
            front_matter.noindex == Some(true) || robots.to_ascii_lowercase().contains("noindex"),
        ),
        searchable: None,
    });
    match found {
        Finding::Found => true,
        Finding::WhereAllAre => page_indexing(db, site) == Indexing::All,
        Finding::Never => false,
    }
}

/// The tags that a page gives itself: `tag`, and a list `tags`.
fn tags(front_matter: &FrontMatter) -> Vec<String> {
    let listed = front_matter
        .other
        .get("tags")
        .and_then(|tags| tags.as_array());
    let listed = listed.into_iter().flatten();
    let listed = listed.filter_map(|tag| tag.as_str().map(str::to_owned));
    let mut tags: Vec<String> = front_matter.tag.iter().cloned().chain(listed).collect();
    let mut seen = std::collections::HashSet::new();
    tags.retain(|tag| !tag.is_empty() && seen.insert(tag.clone()));
    tags
}

/// Returns true if another file is served at the route of this one: `a.mdx` wins over `a.md`.
fn is_shadowed(db: &dyn Db, file: SourceFile) -> bool {
    let path = file.path(db);
    if path.extension() != "md" {
        return false;
    }
    let other = SitePath::new(&format!("{}.mdx", path.stem()));
    other.is_some_and(|path| file_named(db, &path).is_some())
}

/// The text of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PageText {
    /// The method, path, `operationId`, tag and statuses of its endpoint; the name of its data model.
    pub names: Vec<String>,
    /// The tag of its operation.
    pub tag: Option<String>,
    /// The first sentence of what it shows of a specification.
    pub summary: String,
    /// Passages in reading order.
    pub passages: Vec<Passage>,
}

/// The text of a page: that of its rendered body, with what it imports and what its components say,
/// and of the operation or the data model that it shows.
///
/// Read by its digest and by the index. Wakes with the body and with what it shows. Evicted when
/// many others were asked for since; asking again renders nothing, because bodies are kept
/// elsewhere.
#[salsa::tracked(lru = 128)]
pub fn page_text(db: &dyn Db, page: PageId) -> Arc<PageText> {
    Arc::new(text_of(&TextSource::of(db, page)))
}

/// Sources of the text of a page.
#[derive(Serialize)]
struct TextSource<'a> {
    /// The rendered body.
    body: Option<&'a str>,
    /// Part of a specification that it shows.
    given: Option<TextParts<'a>>,
}

#[derive(Serialize)]
struct TextParts<'a> {
    search: &'a SearchText,
    /// Groups of its fields, those of components that have a page of their own among them.
    groups: Vec<FieldGroup>,
    content: &'a str,
    summary: &'a str,
}

impl<'a> TextSource<'a> {
    fn of(db: &'a dyn Db, page: PageId) -> Self {
        let body = page.file().map(|file| page_body(db, file));
        Self {
            body: body.map(|body| body.html.as_str()),
            given: reference_of(db, page).map(|given| TextParts {
                search: &given.search,
                groups: whole_groups(db, page, given),
                content: &given.content,
                summary: &given.summary,
            }),
        }
    }
}

fn text_of(source: &TextSource<'_>) -> PageText {
    let own = source.body.map_or_else(Vec::new, html::passages);
    let Some(given) = &source.given else {
        return PageText {
            passages: own,
            ..PageText::default()
        };
    };
    let mut passages = reference::description(given.search);
    passages.extend(html::passages(given.content));
    passages.extend(own);
    passages.extend(reference::fields(&given.groups));
    PageText {
        names: given.search.words.clone(),
        tag: given.search.tag.clone(),
        summary: given.summary.to_owned(),
        passages,
    }
}

/// The digest of all that [`search_document`] of a page follows from; `None` if it is not to be
/// found. Unlike [`search_digest`] it is known without reading the text out of what is rendered,
/// and not kept.
pub fn search_source(db: &dyn Db, page: PageId) -> Option<ContentHash> {
    let facets = page_facets(db, page).as_ref()?;
    if facets.leads_to.is_some() {
        return Some(digest_of(facets));
    }
    Some(digest_of(&(facets, TextSource::of(db, page))))
}

/// The digest of the text of a page: what stays of it. Stands between the text, which is forgotten, and the lists.
#[salsa::tracked(returns(copy))]
pub fn page_text_digest(db: &dyn Db, page: PageId) -> ContentHash {
    digest_of(&**page_text(db, page))
}

/// The digest of everything that can be found of a page; `None` if it is not to be found. Two documents of one page with
/// the same digest are equal.
///
/// Read by the lists that an index follows. Wakes when the words of the page change or where it is listed.
#[salsa::tracked(returns(copy))]
pub fn search_digest(db: &dyn Db, page: PageId) -> Option<ContentHash> {
    let facets = page_facets(db, page).as_ref()?;
    if facets.leads_to.is_some() {
        return Some(digest_of(facets));
    }
    let kind = page_kind(db, page);
    Some(digest_of(&(facets, kind, page_text_digest(db, page))))
}

/// The shape of the text of a page. Stands between the text, which is forgotten, and the kind of the page: a new label
/// reads no text.
#[salsa::tracked(returns(copy))]
pub fn page_shape(db: &dyn Db, page: PageId) -> Shape {
    let text = page_text(db, page);
    Shape::of(&text.names, &text.passages)
}

/// Kind of a page, by facts about it and the shape of its text.
///
/// Read by `search_digest`. Runs again when [`page_facets`] or [`page_shape`] changes; its result
/// rarely changes.
#[salsa::tracked(returns(copy))]
pub fn page_kind(db: &dyn Db, page: PageId) -> PageKind {
    let Some(facets) = page_facets(db, page) else {
        return PageKind::default();
    };
    kind::kind(&kind::Page {
        title: &facets.title,
        route: facets.route.as_str(),
        placed: facets.placed,
        shape: page_shape(db, page),
        is_front: facets.is_front,
    })
}

/// Search document of a page; `None` if it is not searchable. Composed of its facets and its text,
/// and not cached.
pub fn search_document(db: &dyn Db, page: PageId) -> Option<Arc<SearchDocument>> {
    let facets = page_facets(db, page).clone()?;
    let is_elsewhere = facets.leads_to.is_some();
    let (text, kind) = match is_elsewhere {
        true => (Arc::default(), PageKind::default()),
        false => (page_text(db, page).clone(), page_kind(db, page)),
    };
    let description = facets.description;
    let mut narrowed = facets.facets;
    if let Some(tag) = text.tag.as_ref().filter(|tag| !narrowed.tags.contains(tag)) {
        narrowed.tags.push(tag.clone());
    }
    Some(Arc::new(SearchDocument {
        passages: without_title(&text.passages, &facets.title),
        route: facets.route,
        title: facets.title,
        description: description.unwrap_or_else(|| text.summary.clone()),
        keywords: facets.keywords,
        facets: narrowed,
        kind,
        leads_to: facets.leads_to,
        boost: facets.boost,
        names: text.names.clone(),
    }))
}

/// A page that is found, as an index follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundPage {
    /// The page.
    pub page: PageId,
    /// [`search_digest`] of it: another one means another document.
    pub digest: ContentHash,
}

/// The pages of a part of the site that are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPages {
    /// Pages by their routes.
    pub pages: BTreeMap<Route, FoundPage>,
    /// The digest of their routes and digests: as long as it is the same no document of this part has changed.
    pub digest: ContentHash,
}

impl FoundPages {
    fn new(db: &dyn Db, pages: impl Iterator<Item = PageId>) -> Self {
        let pages = pages.filter_map(|page| {
            let digest = search_digest(db, page)?;
            Some((route_of(db, page), FoundPage { page, digest }))
        });
        Self::of(pages.collect())
    }

    /// Returns `pages` with a digest of the whole list.
    pub fn of(pages: BTreeMap<Route, FoundPage>) -> Self {
        let digest = Self::digest(pages.iter().map(|(route, found)| (route, found.digest)));
        Self { pages, digest }
    }

    /// The digest of a part with these pages, in the order of their routes.
    pub fn digest<'a>(pages: impl Iterator<Item = (&'a Route, ContentHash)>) -> ContentHash {
        digest_of(&pages.collect::<Vec<_>>())
    }
}

/// The pages of one bucket that are found. Read by an index when the digest of the bucket is another one.
#[salsa::tracked]
pub fn bucket_search(db: &dyn Db, bucket: FileBucket) -> FoundPages {
    let files = bucket_pages(db, bucket).iter();
    FoundPages::new(db, files.map(|file| PageId::File(*file)))
}

/// The pages made of one specification that are found. Read by an index when the digest of the specification is another
/// one.
#[salsa::tracked]
pub fn spec_search(db: &dyn Db, spec: Spec) -> FoundPages {
    let site = Site::get(db);
    let generated = generated_pages(db, site).pages.iter();
    let of_spec = generated.filter(|(_, page)| page.operation(db).spec(db) == spec);
    let mut of_spec = of_spec.peekable();
    let written = of_spec.peek().map(|_| &page_list(db, site).value);
    // What an author wrote is served in their place.
    let is_served = |route: &Route| written.is_none_or(|written| !written.contains_key(route));
    let pages = of_spec.filter(|(route, _)| is_served(route));
    FoundPages::new(db, pages.map(|(_, page)| PageId::Generated(*page)))
}

/// Digests that an index compares after an edit: one per bucket of files and per specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SearchManifest {
    /// The digests of [`bucket_search`], in order of the buckets.
    pub buckets: Vec<ContentHash>,
    /// The digests of [`spec_search`], by the names of the specifications.
    pub specs: BTreeMap<SitePath, ContentHash>,
}

/// The digests of all parts of the site: as long as they are the same nothing that can be found has changed.
///
/// Read by an index after each edit. It costs one step for each bucket and one for each page of a bucket with a page that
/// was edited, whatever the size of the site.
#[salsa::tracked]
pub fn search_manifest(db: &dyn Db, site: Site) -> Arc<SearchManifest> {
    let buckets = site.buckets(db).iter();
    let specs = site.specs(db).iter();
    Arc::new(SearchManifest {
        buckets: buckets
            .map(|bucket| bucket_search(db, *bucket).digest)
            .collect(),
        specs: specs
            .map(|spec| (spec.name(db).clone(), spec_search(db, *spec).digest))
            .collect(),
    })
}

mod tracked {
    #![allow(missing_docs, reason = "salsa writes methods without documentation")]

    use super::{ContentHash, PageId};

    /// A passage of a page that is embedded.
    ///
    /// It is known by what it says, so a page that is read again finds the passages again that did
    /// not change; those that it no longer has go with their vectors. Its text is not held: it is
    /// looked up on the page.
    #[salsa::tracked(debug)]
    pub struct EmbeddedPassage<'db> {
        /// Page.
        #[returns(copy)]
        pub page: PageId,
        /// [`super::Passage::digest`] of it.
        #[returns(copy)]
        pub digest: ContentHash,
    }
}

pub use tracked::EmbeddedPassage;

/// The title of a page whose passages are embedded: an English page that is found, unless the site compares no meanings
/// (`search.semantic: false`).
///
/// Read by the passages of the page, each of which is embedded with it. Other facets, such as the label of a tab, must not
/// wake those: the text of the page may be forgotten by then.
#[salsa::tracked]
pub fn embedded_title(db: &dyn Db, page: PageId) -> Option<String> {
    let facets = page_facets(db, page).as_ref()?;
    if facets.leads_to.is_some() {
        return None;
    }
    let is_wanted = is_embedded(facets.facets.language.as_deref())
        && search_config(db, Site::get(db)).semantic != Some(false);
    is_wanted.then(|| facets.title.clone())
}

/// Returns true if the built-in vectors cover the language with this code; a page without one is
/// English.
pub fn is_embedded(language: Option<&str>) -> bool {
    let code = language.unwrap_or("en").get(..2);
    code.is_some_and(|code| code.eq_ignore_ascii_case("en"))
}

/// The passages of a page that are embedded, in the order of its document.
#[salsa::tracked]
pub fn embedded_passages<'db>(db: &'db dyn Db, page: PageId) -> Vec<EmbeddedPassage<'db>> {
    let Some(title) = embedded_title(db, page) else {
        return Vec::new();
    };
    let passages = without_title(&page_text(db, page).passages, title);
    let passages = passages.iter();
    passages
        .map(|passage| EmbeddedPassage::new(db, page, passage.digest(title)))
        .collect()
}

/// The texts of a passage to be embedded. Stands between the page and the vectors: another passage of the page must not
/// wake those of this one. Evicted when many others were asked for since, and then the vectors are made once more.
#[salsa::tracked(lru = 1024)]
pub fn passage_windows<'db>(db: &'db dyn Db, passage: EmbeddedPassage<'db>) -> Vec<String> {
    let page = passage.page(db);
    let Some(title) = embedded_title(db, page) else {
        return Vec::new();
    };
    let passages = without_title(&page_text(db, page).passages, title);
    let wanted = passage.digest(db);
    let found = (passages.iter()).find(|passage| passage.digest(title) == wanted);
    found.map_or_else(Vec::new, |found| chunks::windows(title, found))
}

/// The texts of a passage on a page with this title, as [`passage_windows`] has them, for external
/// embedders.
pub fn passage_texts(title: &str, passage: &Passage) -> Vec<String> {
    chunks::windows(title, passage)
}

/// The vectors of a passage, one for each window of its text.
///
/// Read by the index, which stores the vectors; here they are evicted. Wakes when the words of the
/// passage change, or what stands above them.
#[salsa::tracked(lru = 1024)]
pub fn passage_embeddings<'db>(db: &'db dyn Db, passage: EmbeddedPassage<'db>) -> Arc<[Embedding]> {
    let windows = passage_windows(db, passage).iter();
    windows
        .map(|text| Embedder::built_in().embed(text))
        .collect()
}

/// Returns the vectors of all passages of a page with the digests of the passages, in document
/// order; empty if the page is not embedded.
pub fn page_embeddings(db: &dyn Db, page: PageId) -> Vec<(ContentHash, Arc<[Embedding]>)> {
    let passages = embedded_passages(db, page).iter();
    passages
        .map(|passage| {
            let vectors = passage_embeddings(db, *passage).clone();
            (passage.digest(db), vectors)
        })
        .collect()
}

/// Returns the texts whose vectors [`page_embeddings`] returns, without caching anything: for an
/// index that embeds all pages of a site and stores the vectors itself. The memos of each passage
/// would take more memory than its vectors.
pub fn page_windows(db: &dyn Db, page: PageId) -> Vec<(ContentHash, Vec<String>)> {
    let Some(title) = embedded_title(db, page) else {
        return Vec::new();
    };
    let passages = without_title(&page_text(db, page).passages, title);
    let windows = |passage: &Passage| (passage.digest(title), chunks::windows(title, passage));
    passages.iter().map(windows).collect()
}

/// Sets how many results each query of this module keeps that lets go of its results.
pub fn set_cache_capacity(db: &mut dyn Db, capacity: usize) {
    page_text::set_lru_capacity(db, capacity);
    passage_windows::set_lru_capacity(db, capacity);
    passage_embeddings::set_lru_capacity(db, capacity);
}
