//! Links that open a file in the editor of the user who runs `quire dev`.

use std::fmt::Write;
use std::path::Path;

/// URL schemes of editors, by the name of the program.
const SCHEMES: &[(&str, Scheme)] = &[
    ("code", Scheme::Colons("vscode://file")),
    ("code-insiders", Scheme::Colons("vscode-insiders://file")),
    ("codium", Scheme::Colons("vscodium://file")),
    ("cursor", Scheme::Colons("cursor://file")),
    ("windsurf", Scheme::Colons("windsurf://file")),
    ("zed", Scheme::Colons("zed://file")),
    ("idea", Scheme::Query("idea://open?file=")),
    ("webstorm", Scheme::Query("webstorm://open?file=")),
    ("pycharm", Scheme::Query("pycharm://open?file=")),
    ("rustrover", Scheme::Query("rustrover://open?file=")),
    ("phpstorm", Scheme::Query("phpstorm://open?file=")),
    ("subl", Scheme::Query("subl://open?url=file://")),
    ("mate", Scheme::Query("txmt://open?url=file://")),
];

/// An editor that opens files by links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Editor(Scheme);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    /// Path, line and column follow, apart by colons.
    Colons(&'static str),
    /// The path follows, then line and column as parameters.
    Query(&'static str),
}

impl Editor {
    /// Finds the editor that the environment names: `QUIRE_EDITOR`, `VISUAL` or `EDITOR`, the first that opens links.
    /// Editors of a terminal open none; then it is VS Code.
    pub fn of_environment() -> Self {
        let names = ["QUIRE_EDITOR", "VISUAL", "EDITOR"];
        let named = names.iter().filter_map(|name| std::env::var(name).ok());
        Self::of(named)
    }

    fn of(commands: impl Iterator<Item = String>) -> Self {
        let known = |command: String| {
            let program = command.split_whitespace().next()?;
            let name = Path::new(program).file_stem()?.to_str()?;
            let found = SCHEMES.iter().find(|(known, _)| *known == name);
            found.map(|(_, scheme)| *scheme)
        };
        let mut found = commands.filter_map(known);
        Self(found.next().unwrap_or(SCHEMES[0].1))
    }

    /// The link that opens `file`, an absolute path, at a line and a column from 1; `None` if its name is no text.
    pub fn link(self, file: &Path, line: u32, column: u32) -> Option<String> {
        let path = file.to_str()?.replace('\\', "/");
        let path = encoded(match path.strip_prefix('/') {
            Some(path) => path,
            None => &path,
        });
        Some(match self.0 {
            Scheme::Colons(start) => format!("{start}/{path}:{line}:{column}"),
            Scheme::Query(start) => format!("{start}/{path}&line={line}&column={column}"),
        })
    }
}

/// A path as part of an address (RFC 3986, 2.3), slashes and colons of drives as they are.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                out.push(char::from(byte));
            }
            byte => {
                // Writing to a string does not fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_editor_that_opens_links_is_taken() {
        let of = |commands: &[&str]| Editor::of(commands.iter().map(|it| (*it).to_owned()));
        let link = |editor: Editor| editor.link(Path::new("/a b/ü.mdx"), 3, 7).expect("a link");
        assert_eq!(link(of(&[])), "vscode://file/a%20b/%C3%BC.mdx:3:7");
        assert_eq!(link(of(&["vim"])), "vscode://file/a%20b/%C3%BC.mdx:3:7");
        let cursor = of(&["", "nano", "/usr/bin/cursor --wait", "code"]);
        assert_eq!(link(cursor), "cursor://file/a%20b/%C3%BC.mdx:3:7");
        let idea = link(of(&["idea"]));
        assert_eq!(idea, "idea://open?file=/a%20b/%C3%BC.mdx&line=3&column=7");
    }

    #[test]
    fn no_name_of_a_file_says_more_than_its_name() {
        let link = Editor::of(std::iter::empty()).link(Path::new("/a\"&?#<x>%2e.mdx"), 1, 1);
        assert_eq!(
            link.as_deref(),
            Some("vscode://file/a%22%26%3F%23%3Cx%3E%252e.mdx:1:1")
        );
    }
}
