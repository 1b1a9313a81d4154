//! The two doors to bytes: contents by digest, artifacts by key. In both the key names the value, so reading is pure.

use std::sync::Arc;

use base::content::{ContentHash, TextBytes};

/// This program, as far as it decides what is made: a digest of the sources of the core.
pub const PROGRAM: &str = env!("QUIRE_CORE");

/// Store of the contents of text files, implemented by the shell. The key determines the value, so
/// a read is never stale.
pub trait ContentStore: Send + Sync {
    /// The bytes whose digest is `digest`; `Ok(None)` only if they were never put there.
    fn bytes(&self, digest: ContentHash) -> Result<Option<TextBytes>, ContentLost>;
}

/// Error: the bytes of a digest are lost, because their file has changed and the change was not
/// reported yet.
///
/// It is also what a query unwinds with ([`crate::db::Db::bytes`]): no answer is made from other bytes than those that the
/// inputs name. The shell looks at the file, sets the inputs, and asks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentLost(pub ContentHash);

/// Store of artifacts, implemented by the shell: rendered pages, parsed frontmatter. It may drop
/// everything at any time, but never returns another value than it was given.
///
/// Reading it within a query is pure because a key is the digest of everything that its value depends on: the kind, the
/// program ([`Kind::key`]), and either all inputs, or the inputs known from the start together with the answers to every
/// question that was asked on the way (`trace.rs`).
pub trait ArtifactStore: Send + Sync {
    /// The value under `key`.
    fn get(&self, key: ContentHash) -> Option<Arc<[u8]>>;

    /// Returns true if values of `kind` are stored.
    fn stores(&self, kind: Kind) -> bool;

    /// Keeps `value` under `key`. Nobody asks for it again who has not the text whose digest is `text`, if one is given: it need
    /// not be kept when that is gone.
    fn put(&self, key: ContentHash, value: Vec<u8>, text: Option<ContentHash>);

    /// Is told of each value of `kind` that was needed, and whether it had to be made. For figures only.
    fn note(&self, kind: Kind, outcome: Outcome);
}

/// Origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Stored by an earlier run or page.
    Found,
    /// Made now.
    Made,
}

/// Kind of a stored value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The bodies of pages.
    PageBody,
    /// References of operations on pages.
    OperationReference,
    /// References of data models on pages.
    ModelReference,
    /// Rows of components that have a page of their own.
    ComponentRows,
    /// References of endpoints that are described in MDX.
    ManualReference,
    /// Metadata of operations for lists.
    OperationMeta,
    /// Frontmatter of pages.
    FrontMatter,
    /// The words of the imports of a file.
    ImportWords,
    /// Blocks of code, colored by grammars.
    GrammarSpans,
    /// Slices of specifications.
    Cut,
}

impl Kind {
    /// Every kind.
    pub const ALL: &[Kind] = &[
        Kind::PageBody,
        Kind::OperationReference,
        Kind::ModelReference,
        Kind::ComponentRows,
        Kind::ManualReference,
        Kind::OperationMeta,
        Kind::FrontMatter,
        Kind::ImportWords,
        Kind::GrammarSpans,
        Kind::Cut,
    ];

    /// Name, which is part of every key.
    pub fn name(self) -> &'static str {
        match self {
            Kind::PageBody => "page body",
            Kind::OperationReference => "operation reference",
            Kind::ModelReference => "model reference",
            Kind::ComponentRows => "component rows",
            Kind::ManualReference => "manual reference",
            Kind::OperationMeta => "operation meta",
            Kind::FrontMatter => "front matter",
            Kind::ImportWords => "import words",
            Kind::GrammarSpans => "grammar spans",
            Kind::Cut => "cut",
        }
    }

    /// The version of what makes it: a digest of the crates that have a part in it (`build.rs`), so
    /// that no version has to be raised by hand and none can be forgotten. The addresses of the
    /// theme, which stand in what is rendered, follow from it too.
    pub fn version(self) -> &'static str {
        match self {
            Kind::PageBody => env!("QUIRE_KIND_PAGE_BODY"),
            Kind::OperationReference => env!("QUIRE_KIND_OPERATION_REFERENCE"),
            Kind::ModelReference => env!("QUIRE_KIND_MODEL_REFERENCE"),
            Kind::ComponentRows => env!("QUIRE_KIND_COMPONENT_ROWS"),
            Kind::ManualReference => env!("QUIRE_KIND_MANUAL_REFERENCE"),
            Kind::OperationMeta => env!("QUIRE_KIND_OPERATION_META"),
            Kind::FrontMatter => env!("QUIRE_KIND_FRONT_MATTER"),
            Kind::ImportWords => env!("QUIRE_KIND_IMPORT_WORDS"),
            Kind::GrammarSpans => env!("QUIRE_KIND_GRAMMAR_SPANS"),
            Kind::Cut => env!("QUIRE_KIND_CUT"),
        }
    }

    /// The key of what is made of `parts`.
    pub fn key<'a>(self, parts: impl IntoIterator<Item = &'a [u8]>) -> ContentHash {
        let program = [self.version().as_bytes(), self.name().as_bytes()];
        ContentHash::of_parts(program.into_iter().chain(parts))
    }
}
