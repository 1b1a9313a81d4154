//! Reads of a body besides its own text. Each read has a digest: the answer of [`BodyReader`] may
//! change only if [`BodyRead::digest`] does.

use serde::{Deserialize, Serialize};

use crate::config::{content_config, icon_set, theme_config};
use crate::db::Db;
use crate::imports::{Imports, page_imports};
use crate::inputs::{Site, SourceFile};
use crate::page::{ImageKey, image_size};
use crate::store::Kind;
use crate::trace::{ReadLog, TracedRead, digest_of};
use base::content::{ContentHash, TextBytes};
use base::image::ImageSize;
use base::path::SitePath;
use config::appearance::Variables;
use highlight::Spans;
use mdx::Dollars;
use theme::icon_library::Library;

/// A read of a body.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum BodyRead {
    /// Imported files and their contents.
    Imports,
    /// Variables of the site.
    Variables,
    /// Meaning of dollar signs.
    Dollars,
    /// Below which path is the site served?
    BasePath,
    /// Icon library that is searched first.
    Icons,
    /// Dimensions of the picture at this path.
    Image(SitePath),
}

impl TracedRead for BodyRead {
    type Subject = SourceFile;

    fn digest(&self, db: &dyn Db, file: SourceFile) -> ContentHash {
        let site = Site::get(db);
        match self {
            Self::Imports => imports_digest(db, page_imports(db, file)),
            Self::Variables => digest_of(&content_config(db, site).variables.0),
            Self::Dollars => digest_of(&formula_signs(db, site)),
            Self::BasePath => digest_of(site.base_path(db)),
            Self::Icons => digest_of(&icon_set(db, site).word()),
            Self::Image(path) => digest_of(&image_size(db, ImageKey::new(db, path.clone()))),
        }
    }
}

/// The digest of imports and of what is in their files.
fn imports_digest(db: &dyn Db, imports: &Imports) -> ContentHash {
    let facts = imports.iter().map(|((importer, words), file)| {
        let (path, digest) = (file.path(db), file.digest(db));
        (importer, words, path, digest)
    });
    digest_of(&facts.collect::<Vec<_>>())
}

/// Reads for a body.
pub(super) struct BodyReader<'db, 'a>(&'a ReadLog<'db, BodyRead>);

impl<'db, 'a> BodyReader<'db, 'a> {
    pub(super) fn new(log: &'a ReadLog<'db, BodyRead>) -> Self {
        Self(log)
    }

    /// The page itself.
    pub(super) fn page(&self) -> SourceFile {
        self.0.read_own(|_, file| file)
    }

    /// The path and the bytes of the page, which are the key of its body.
    pub(super) fn own(&self) -> (&'db SitePath, TextBytes) {
        self.0
            .read_own(|db, file| (file.path(db), db.bytes(file.digest(db))))
    }

    pub(super) fn imports(&self) -> &'db Imports {
        self.0.read(|| BodyRead::Imports, page_imports)
    }

    /// The path and the bytes of a file that the page imports.
    pub(super) fn imported(&self, imported: SourceFile) -> (&'db SitePath, TextBytes) {
        let read = |db: &'db dyn Db, _| (imported.path(db), db.bytes(imported.digest(db)));
        self.0.read(|| BodyRead::Imports, read)
    }

    pub(super) fn variables(&self) -> &'db Variables {
        let variables = |db, _| &content_config(db, Site::get(db)).variables;
        self.0.read(|| BodyRead::Variables, variables)
    }

    pub(super) fn dollars(&self) -> Dollars {
        let signs = |db, _| formula_signs(db, Site::get(db));
        self.0.read(|| BodyRead::Dollars, signs)
    }

    pub(super) fn base_path(&self) -> &'db str {
        let base_path = |db, _| Site::get(db).base_path(db).as_str();
        self.0.read(|| BodyRead::BasePath, base_path)
    }

    pub(super) fn icons(&self) -> Library {
        let icons = |db, _| crate::config::library(icon_set(db, Site::get(db)));
        self.0.read(|| BodyRead::Icons, icons)
    }

    pub(super) fn image_size(&self, path: &SitePath) -> Option<ImageSize> {
        let size = |db, _| image_size(db, ImageKey::new(db, path.clone()));
        self.0.read(|| BodyRead::Image(path.clone()), size)
    }

    pub(super) fn spans(&self, language: &str, code: &str) -> Spans {
        grammar_spans(self.0, language, code)
    }
}

/// The spans of a block of code that only a grammar can color, found or made.
///
/// A fact of the artifact store and no query: a grammar reads 0.4 MB/s (`benches/highlight.rs`), so
/// a block of a kilobyte takes milliseconds, which nobody should wait for who edits the words
/// around it; and a query would need an entity for each block, made by whoever renders. Blocks with
/// a lexer are not stored: at 100 to 600 MB/s one of 300 bytes takes one to three microseconds.
pub(super) fn grammar_spans<R: TracedRead>(
    log: &ReadLog<'_, R>,
    language: &str,
    code: &str,
) -> Spans {
    if !highlight::has_grammar(language) {
        return Spans::new();
    }
    let parts = [language.as_bytes(), code.as_bytes()];
    log.fact(Kind::GrammarSpans, &parts, || {
        highlight::by_grammar(language, code)
    })
}

/// Meaning of dollar signs in pages (`styling.latex`): formulas if the site enables them, plain
/// dollars if it disables them, else formulas where they can hardly be anything else.
///
/// Read by the bodies of pages with a dollar sign. Apart from the rest of the configuration, so that an edit there wakes
/// none of them.
#[salsa::tracked(returns(copy))]
pub fn formula_signs(db: &dyn Db, site: Site) -> Dollars {
    match theme_config(db, site).styling.latex {
        Some(true) => Dollars::Formulas,
        Some(false) => Dollars::Text,
        None => Dollars::Detected,
    }
}
