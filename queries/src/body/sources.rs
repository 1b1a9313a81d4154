//! Loads the text of a page and of everything that it imports, before the page is rendered.

use crate::body::reads::BodyReader;
use crate::imports::Imports;
use crate::inputs::SourceFile;
use base::content::TextBytes;
use base::path::SitePath;
use config::appearance::Variables;

/// Reads the page and what it imports.
pub(super) fn load<'db, 'a>(reader: &'a BodyReader<'db, 'a>) -> Loader<'db, 'a> {
    let mut loader = Loader {
        reader,
        imports: None,
        sources: Vec::new(),
        files: Vec::new(),
    };
    loader.source(reader.page(), reader.own());
    loader.follow();
    loader
}

/// Reads a page and everything that it imports.
pub(super) struct Loader<'db, 'a> {
    reader: &'a BodyReader<'db, 'a>,
    /// Loaded at the first import: most pages have none.
    imports: Option<&'db Imports>,
    /// Sources that were read: the page first.
    pub(super) sources: Vec<Source<'db>>,
    /// The files behind it.
    files: Vec<SourceFile>,
}

/// The text of a file.
pub(super) struct Source<'db> {
    /// Path of the file.
    pub(super) path: &'db SitePath,
    /// Text, with the variables of the site filled in.
    pub(super) text: String,
    /// Offset of the first byte that is not UTF-8.
    pub(super) invalid_at: Option<usize>,
}

impl<'db> Loader<'db, '_> {
    /// Takes up a file, with the variables of the site put in.
    fn source(&mut self, file: SourceFile, (path, bytes): (&'db SitePath, TextBytes)) {
        let text = String::from_utf8_lossy(&bytes);
        let invalid_at = match &text {
            std::borrow::Cow::Owned(_) => {
                bytes.utf8_chunks().next().map(|chunk| chunk.valid().len())
            }
            std::borrow::Cow::Borrowed(_) => None,
        };
        let text = if text.contains("{{") {
            with_variables(&text, self.reader.variables())
        } else {
            text.into_owned()
        };
        self.sources.push(Source {
            path,
            text,
            invalid_at,
        });
        self.files.push(file);
    }

    fn follow(&mut self) {
        let text = &self.sources[0].text;
        if !text.contains("import") && !text.contains("<Snippet") {
            return;
        }
        let imports = self.reader.imports();
        self.imports = Some(imports);
        for file in imports.values() {
            if !self.files.contains(file) {
                self.source(*file, self.reader.imported(*file));
            }
        }
    }

    /// The number of the file that `words` name in `importer`.
    pub(super) fn number(&self, importer: &SitePath, words: &str) -> Option<usize> {
        let file = self.imports?.get(&(importer.clone(), words.to_owned()))?;
        self.files.iter().position(|known| known == file)
    }
}

/// `text` with `{{name}}` replaced where the configuration has a value for the name.
pub(super) fn with_variables(text: &str, variables: &Variables) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some(end) = rest.find("}}") else { break };
        match variables.get(rest.get(2..end).unwrap_or("").trim()) {
            Some(value) => {
                out.push_str(value);
                rest = &rest[end + 2..];
            }
            None => {
                out.push_str("{{");
                rest = &rest[2..];
            }
        }
    }
    out + rest
}
