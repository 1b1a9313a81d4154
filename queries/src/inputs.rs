//! Everything the world tells the core. Every other fact is derived from these.
//!
//! One writer sets them (`change.rs`), after it has compared digests: a setter starts a new revision even for an equal
//! value. A page is created with HIGH durability and lowered by its first edit, so that an edit costs
//! what it changed and not the size of the site. A file that the whole site rests on stays as it is created
//! ([`is_foundation`]).

#![allow(missing_docs, reason = "salsa writes methods without documentation")]

use std::sync::Arc;

use crate::db::Db;
use base::content::ContentHash;
use base::diagnostic::Diagnostic;
use base::image::ImageSize;
use base::path::SitePath;
use base::place::Place;
use mdx::front_matter::Subject;

/// Number of buckets for the files of a site. About the square root of the number of pages of a
/// large site, so that a site-wide list costs one step per bucket and one per file of the changed
/// bucket.
pub const BUCKETS: usize = 128;

/// One documentation site. There is one in each database.
#[salsa::input(singleton, debug)]
pub struct Site {
    /// Files, spread by [`bucket_of`]; always [`BUCKETS`] of them.
    #[returns(ref)]
    pub buckets: Vec<FileBucket>,
    /// The path below which the site is served, such as `/docs`; empty for the root of its host.
    #[returns(ref)]
    pub base_path: String,
    /// The address that the site is served at, such as `https://docs.example.org`, without the path below which it is; `None`
    /// where it is not known.
    #[default]
    #[returns(ref)]
    pub address: Option<String>,
    /// Whether a site without `docs.json` is made of what is there; never set again once files are.
    #[default]
    #[returns(copy)]
    pub derives_config: bool,
    /// OpenAPI documents, in order of their paths. Set when one appears or vanishes.
    #[returns(ref)]
    pub specs: Vec<Spec>,
}

/// An OpenAPI document: a file of the repository, or a document elsewhere that the shell fetched, with its overlays applied.
///
/// Its slices have HIGH durability until they are edited, and MEDIUM from then on: what rests on slices that nobody edits
/// is not looked at again after an edit of another one. The navigation is MEDIUM anyway (`docs.json`), so a first edit
/// goes no further than the lists of operations. Which slices there are changes as rarely as files appear: HIGH.
#[salsa::input(debug)]
pub struct Spec {
    /// Path below the content root, or its address; never set again.
    #[returns(ref)]
    pub path: SitePath,
    /// Name among several documents: path or URL, with a suffix for further ones with other
    /// overlays; never set again.
    #[returns(ref)]
    pub name: SitePath,
    /// The overlays that are applied to it, in order; never set again.
    #[returns(ref)]
    pub overlays: Vec<SitePath>,
    /// The digest of its text, which is in the content store. Read only by who shows lines of it.
    #[returns(copy)]
    pub digest: ContentHash,
    /// Slices, in the order of the document. Set when a slice appears, vanishes or moves.
    #[returns(ref)]
    pub slices: Vec<SpecSlice>,
    /// Errors of the document as JSON or YAML, and of its overlays.
    #[returns(ref)]
    pub problems: Vec<Diagnostic>,
    /// Places in overlays that define values, by pointer. Read only to locate diagnostics.
    #[returns(ref)]
    pub origins: Vec<(String, Place)>,
}

/// A part of an OpenAPI document that is edited by itself (`base/src/data/split.rs`).
#[salsa::input(debug)]
pub struct SpecSlice {
    /// Pointer in the document; never set again.
    #[returns(ref)]
    pub key: Arc<str>,
    /// The digest of its JSON, which is in the content store.
    #[returns(copy)]
    pub digest: ContentHash,
}

/// The files whose paths fall into one bucket. Set when a file appears or vanishes, never when one changes.
#[salsa::input(debug)]
pub struct FileBucket {
    /// The files that exist, in order of their paths. The paths stand beside them, so that whoever looks for a file by its
    /// path reads the bucket alone, and not the paths of others on the way.
    #[returns(ref)]
    pub files: Vec<(SitePath, SourceFile)>,
}

/// One file of the docs repository, as last seen by the shell. It stays the same input when its file vanishes and
/// comes back: existence is told by its bucket.
#[salsa::input(debug)]
pub struct SourceFile {
    /// Path below the content root; never set again.
    #[returns(ref)]
    pub path: SitePath,
    /// The digest of its bytes; the bytes of a text file are in the content store. Of a file that is only passed on (an
    /// image, a font) it is the digest of its length and modification time.
    #[returns(copy)]
    pub digest: ContentHash,
    /// Image dimensions, as far as the shell could tell. Apart from the digest, so that other
    /// pixels wake no page. Always HIGH: they change as rarely as files appear, and the bodies that
    /// depend on them must not become less durable with them.
    #[returns(copy)]
    pub image_size: Option<ImageSize>,
    /// Subject of a page by its frontmatter. Apart from the digest and always HIGH, as image
    /// dimensions are: every operation that could be linked to depends on it.
    #[returns(ref)]
    pub subject: Option<Subject>,
    /// Date of the last commit that changed a page, such as `2026-11-21`, as far as the shell knows
    /// a history. Apart from the digest and always HIGH: a commit says nothing new of a page's
    /// content.
    #[returns(ref)]
    pub modified: Option<Arc<str>>,
}

/// Whether the whole site may rest on the file at `path`: the configuration, and what it refers to.
///
/// Such a file has MEDIUM durability from the start and after every edit. Were it HIGH and lowered
/// by its first edit, everything that rests on it would count as changed and run once, the body of
/// every page among it; one would notice a first change of a color that renders the whole site.
/// Were it LOW, every keystroke in a page would walk all pages.
pub fn is_foundation(path: &SitePath) -> bool {
    path.extension() == "json" || path.as_str() == SETTINGS
}

/// The file beside the configuration that grades rules.
pub const SETTINGS: &str = "quire.toml";

/// Returns true if the file at `path` is the configuration of a site, or would be without another
/// one.
pub fn is_config(path: &SitePath) -> bool {
    matches!(path.as_str(), "docs.json" | "mint.json")
}

/// The bucket of the file at `path`.
pub fn bucket_of(path: &SitePath) -> usize {
    usize::from(ContentHash::of(path.as_str().as_bytes()).as_bytes()[0]) % BUCKETS
}

/// The file at `path`, if it exists. The reader wakes when a file of the same bucket appears or vanishes.
pub fn file_named(db: &dyn Db, path: &SitePath) -> Option<SourceFile> {
    let bucket = *Site::get(db).buckets(db).get(bucket_of(path))?;
    let files = bucket.files(db);
    let at = files.binary_search_by(|(known, _)| known.cmp(path)).ok()?;
    Some(files[at].1)
}
