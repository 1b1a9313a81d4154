//! Components whose rows are on a page of their own: which they are, where they are, what can be reached from them.

use crate::db::Db;
use crate::inputs::{Site, Spec};
use crate::openapi::{SpecNode, slice_digest, slice_named, slice_references};
use crate::reference::{SpecDocument, SpecRead};
use crate::store::Kind;
use crate::trace::{ReadLog, Subject, cached};
use base::content::ContentHash;
use base::data::pointer;
use openapi::direction::Direction;
use openapi::reference::{Target, resolve};
use openapi::shared;
use openapi::slice::decode_fragment;
use rustc_hash::FxHashSet;

pub use keys::ComponentRows;

mod keys {
    #![allow(missing_docs, reason = "salsa writes methods without documentation")]

    use super::{Direction, SpecNode};

    /// The rows of a component, as values go in one direction.
    #[salsa::interned(unsafe(no_lifetime), debug, revisions = usize::MAX)]
    pub struct ComponentRows {
        #[returns(copy)]
        pub node: SpecNode,
        #[returns(copy)]
        pub direction: Direction,
    }
}

/// Prefix of the pages with the rows of components, below the base path: a language and a name
/// follow, and a slash at the end.
pub const ROWS: &str = "/_rows/";

/// Pointer prefix of components that can have a page of their rows.
const SCHEMAS: &str = "/components/schemas/";

/// Maximum number of characters of a component's name in an address.
const MAX_NAME_CHARS: usize = 60;

/// Whether a component has too many rows to be on each page that shows it.
///
/// Read by those pages. Wakes when it changes, or another that it reaches; stops there unless it grew or shrank past the bound.
#[salsa::tracked(returns(copy))]
pub fn is_large(db: &dyn Db, node: SpecNode) -> bool {
    let (spec, pointer) = (node.spec(db), node.pointer(db));
    let parts = [
        spec.path(db).as_str(),
        spec.name(db).as_str(),
        pointer,
        "is large",
    ];
    // Stored, because what is found of the pages that lead there asks for it again.
    cached(
        db,
        Kind::ComponentRows,
        Subject::of(&parts.map(str::as_bytes)),
        (spec, pointer.as_str()),
        |log: &ReadLog<'_, SpecRead>, pointer: &str| {
            let document = SpecDocument::new(log);
            shared::is_large(&document, pointer, document.settings())
        },
    )
}

/// The name of the page with the rows of the component at `pointer`, below [`ROWS`] and a language; none of what is no component.
fn name_of(db: &dyn Db, spec: Spec, pointer: &str, direction: Direction) -> Option<String> {
    let name = pointer.strip_prefix(SCHEMAS)?;
    if name.contains('/') {
        return None;
    }
    // Names that differ in their case alone are one file on some disks.
    let parts = [spec.name(db).as_str(), pointer, direction.word()];
    let digest = ContentHash::of_parts(parts.map(str::as_bytes)).short();
    Some(format!("{}-{}-{digest}", spelled(name), direction.word()))
}

/// The name of a component with the letters that addresses and files have.
fn spelled(name: &str) -> String {
    let name: String = pointer::segments(&format!("/{name}")).collect();
    let letters = name.chars().take(MAX_NAME_CHARS);
    let letters = letters.map(|c| match c {
        c if c.is_ascii_alphanumeric() || "_.".contains(c) => c,
        _ => '-',
    });
    letters.collect()
}

/// The address of the page with the rows of the component at `pointer`, without a language; `None` if it has none.
pub(super) fn rows_href(
    db: &dyn Db,
    spec: Spec,
    pointer: &str,
    direction: Direction,
) -> Option<String> {
    let name = name_of(db, spec, pointer, direction)?;
    let node = SpecNode::new(db, spec, pointer.to_owned());
    let base_path = Site::get(db).base_path(db);
    is_large(db, node).then(|| format!("{base_path}{ROWS}{name}/"))
}

impl ComponentRows {
    /// The rows of the component at `pointer` of `spec`.
    pub fn at(db: &dyn Db, spec: Spec, pointer: &str, direction: Direction) -> Self {
        Self::new(db, SpecNode::new(db, spec, pointer.to_owned()), direction)
    }

    /// Path of the page with the rows in `language`, below the base path.
    pub fn path(self, db: &dyn Db, language: &str) -> String {
        let node = self.node(db);
        let name = name_of(db, node.spec(db), node.pointer(db), self.direction(db));
        format!("{ROWS}{language}/{}/", name.unwrap_or_default())
    }
}

/// The rows whose page is at `path`, and the language that it is in.
pub fn rows_at(db: &dyn Db, site: Site, path: &str) -> Option<(ComponentRows, String)> {
    let rest = path.strip_prefix(ROWS)?;
    let (language, name) = rest.strip_suffix('/').unwrap_or(rest).split_once('/')?;
    let is_language = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    if !is_language(language) {
        return None;
    }
    for spec in site.specs(db) {
        let keys = spec.slices(db).iter().map(|slice| slice.key(db));
        for key in keys.filter_map(|key| key.strip_prefix(SCHEMAS)) {
            if !name.starts_with(&spelled(key)) {
                continue;
            }
            let pointer = format!("{SCHEMAS}{key}");
            let directions = Direction::ALL.into_iter();
            let mut named = directions.filter(|direction| {
                name_of(db, *spec, &pointer, *direction).is_some_and(|known| known == name)
            });
            if let Some(direction) = named.next() {
                let rows = ComponentRows::at(db, *spec, &pointer, direction);
                return is_large(db, rows.node(db)).then(|| (rows, language.to_owned()));
            }
        }
    }
    None
}

/// Digest of a component and of everything that it references, directly or indirectly. Read by the
/// pages that link to its rows: rows that they leave out count as part of their contents.
#[salsa::tracked(returns(copy))]
pub fn reach_digest(db: &dyn Db, node: SpecNode) -> ContentHash {
    let spec = node.spec(db);
    // Of components that all reach each other each is asked for all of them, so a reference is read once, as it is written.
    let (mut seen, mut known) = (FxHashSet::default(), FxHashSet::default());
    let mut open = vec![node];
    let mut digests = Vec::new();
    while let Some(node) = open.pop() {
        if !seen.insert(node) {
            continue;
        }
        let Some(slice) = slice_named(db, node) else {
            continue;
        };
        digests.push(slice_digest(db, slice));
        for (_, reference) in slice_references(db, slice) {
            if !known.insert(reference.as_str()) {
                continue;
            }
            let at = match reference.strip_prefix('#') {
                Some(fragment) if fragment.starts_with('/') => Some(decode_fragment(fragment)),
                // A name, which any slice may have.
                _ => target_of(db, spec, reference),
            };
            if let Some(at) = at {
                let pointer = crate::openapi::slice_pointer(&at).to_owned();
                open.push(SpecNode::new(db, spec, pointer));
            }
        }
    }
    ContentHash::of_parts(digests.iter().map(|digest| &digest.as_bytes()[..]))
}

/// The pointer that a reference by a name leads to: an anchor or an `$id`.
fn target_of(db: &dyn Db, spec: Spec, reference: &str) -> Option<String> {
    let log = ReadLog::unrecorded(db, spec);
    match resolve(&SpecDocument::new(&log), reference) {
        Target::Found(pointer) => Some(pointer),
        Target::External | Target::Missing => None,
    }
}
