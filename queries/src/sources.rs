//! A page and everything that it imports, as they are read before they are drawn.

use crate::config::content_config;
use crate::content::ContentHash;
use crate::db::Db;
use crate::imports::{Imports, page_imports};
use crate::inputs::{Site, SourceFile};
use crate::path::SitePath;
use crate::trace::digest_of;

/// What is asked while files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asking {
    /// For the imports of the page, and what is in them.
    Imports,
    /// For the variables of the site.
    Variables,
}

/// Reads `file` and what it imports. `asking` is told what was asked, in order.
pub fn load<'db, 'a>(
    db: &'db dyn Db,
    file: SourceFile,
    asking: &'a dyn Fn(Asking),
) -> Loader<'db, 'a> {
    let mut loader = Loader {
        db,
        asking,
        imports: None,
        sources: Vec::new(),
        files: Vec::new(),
    };
    loader.source(file);
    loader.follow();
    loader
}

/// The digest of imports and of what is in their files.
pub fn imports_digest(db: &dyn Db, imports: &Imports) -> ContentHash {
    let facts = imports.iter().map(|((importer, words), file)| {
        let (path, digest) = (file.path(db), file.digest(db));
        (importer, words, path, digest)
    });
    digest_of(&facts.collect::<Vec<_>>())
}

/// The digest of the variables of the site.
pub fn variables_digest(db: &dyn Db) -> ContentHash {
    digest_of(&content_config(db, Site::get(db)).variables.0)
}

/// Reads a page and everything that it imports.
pub struct Loader<'db, 'a> {
    db: &'db dyn Db,
    asking: &'a dyn Fn(Asking),
    /// Asked for when the first import is met: most pages have none.
    imports: Option<&'db Imports>,
    /// What was read: the page first.
    pub sources: Vec<Source>,
    /// The files behind it.
    pub files: Vec<SourceFile>,
}

/// The text of a file.
pub struct Source {
    /// It, with the variables of the site put in.
    pub text: String,
    /// Where the first byte stands that is not UTF-8.
    pub invalid_at: Option<usize>,
}

impl<'db> Loader<'db, '_> {
    /// Reads `file`, with the variables of the site put in.
    fn source(&mut self, file: SourceFile) {
        let bytes = self.db.bytes(file.digest(self.db));
        let text = String::from_utf8_lossy(&bytes);
        let invalid_at = match &text {
            std::borrow::Cow::Owned(_) => {
                bytes.utf8_chunks().next().map(|chunk| chunk.valid().len())
            }
            std::borrow::Cow::Borrowed(_) => None,
        };
        let text = if text.contains("{{") {
            self.with_variables(&text)
        } else {
            text.into_owned()
        };
        self.sources.push(Source { text, invalid_at });
        self.files.push(file);
    }

    fn follow(&mut self) {
        let page = self.files[0];
        let text = &self.sources[0].text;
        if !text.contains("import") && !text.contains("<Snippet") {
            return;
        }
        let imports = page_imports(self.db, page);
        (self.asking)(Asking::Imports);
        self.imports = Some(imports);
        for file in imports.values() {
            if !self.files.contains(file) {
                self.source(*file);
            }
        }
    }

    /// The number of the file that `words` name in `importer`.
    pub fn number(&self, importer: &SitePath, words: &str) -> Option<usize> {
        let file = self.imports?.get(&(importer.clone(), words.to_owned()))?;
        self.files.iter().position(|known| known == file)
    }

    /// `text` with `{{name}}` replaced where the configuration has a value for the name.
    fn with_variables(&self, text: &str) -> String {
        (self.asking)(Asking::Variables);
        let variables = &content_config(self.db, Site::get(self.db)).variables;
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("{{") {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let end = rest.find("}}").unwrap_or(0);
            match variables.get(rest.get(2..end).unwrap_or("").trim()) {
                Some(value) if end > 0 => {
                    out.push_str(value);
                    rest = &rest[end + 2..];
                }
                _ => {
                    out.push_str("{{");
                    rest = &rest[2..];
                }
            }
        }
        out + rest
    }
}
