//! Ignore rules: hidden files, files of tools and editors, and what `.mintignore` lists.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use queries::base::path::SitePath;

/// The name of the file with the author's own ignore rules, in the syntax of `.gitignore`.
pub const IGNORE_FILE: &str = ".mintignore";

/// Files that belong to a repository rather than to its documentation.
const REPOSITORY_FILES: &[&str] = &["README.md", "LICENSE.md", "CHANGELOG.md", "CONTRIBUTING.md"];

/// Those among them that may be pages, with the names by which a navigation lists them.
const PAGES: [(&str, &[u8]); 2] = [("README.md", b"README\""), ("CHANGELOG.md", b"CHANGELOG\"")];

/// Files at the top of a repository that tell coding agents how to work on it. Below, a page may well have such a name.
const AGENT_FILES: &[&str] = &["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// Returns true if editors leave files of this name beside those they write: backups, swap files,
/// files to be renamed. They come and go with every save, and are never meant to be published.
fn is_scratch(name: &str) -> bool {
    let is_emacs = name.starts_with('#') && name.ends_with('#');
    // Vim tries whether it may write with a file of this name.
    let is_vim = name == "4913" || name.ends_with(".swp") || name.ends_with(".swx");
    name.ends_with('~') || name.ends_with(".tmp") || is_emacs || is_vim
}

/// Folder of skills for coding agents: the one hidden folder that is published.
const SKILLS: [&str; 2] = [".mintlify", "skills"];

/// Returns true if a segment of `path` belongs to tools.
pub fn is_hidden(path: &str) -> bool {
    // Nearly none is, and every file is asked.
    if !path.starts_with('.') && !path.contains("/.") && !path.contains("node_modules") {
        return false;
    }
    let is_of_tools = |part: &str| part.starts_with('.') || part == "node_modules";
    let parts: Vec<&str> = path.split('/').collect();
    let Some(below) = parts.strip_prefix(&SKILLS) else {
        return parts != SKILLS[..1] && parts.iter().any(|part| is_of_tools(part));
    };
    match below {
        [] => false,
        [name] | [name, "SKILL.md"] => is_of_tools(name),
        _ => true,
    }
}

/// Ignore rules of a repository.
pub struct Rules {
    of_author: Gitignore,
    /// Which of [`PAGES`] are pages.
    page_kinds: [bool; PAGES.len()],
    /// The one file that counts.
    only: Option<SitePath>,
}

impl Rules {
    /// The rules of a repository whose ignore file holds `text`.
    pub fn of(text: &str) -> Self {
        let mut builder = GitignoreBuilder::new("");
        for line in text.lines() {
            if let Err(error) = builder.add_line(None, line) {
                tracing::warn!("{IGNORE_FILE}: {error}");
            }
        }
        Self {
            of_author: builder.build().unwrap_or_else(|_| Gitignore::empty()),
            page_kinds: [false; PAGES.len()],
            only: None,
        }
    }

    /// Counts READMEs and changelogs as pages if `config`, the text of `docs.json`, lists one or is
    /// absent: a folder of Markdown has what is in it.
    #[must_use]
    pub fn with_config(self, config: Option<&[u8]>) -> Self {
        let is_listed = |listed: &[u8]| {
            config.is_none_or(|config| config.windows(listed.len()).any(|at| at == listed))
        };
        Self {
            page_kinds: PAGES.map(|(_, listed)| is_listed(listed)),
            ..self
        }
    }

    /// Returns true if `other` counts the same files of a repository as pages.
    pub fn counts_like(&self, other: &Self) -> bool {
        self.page_kinds == other.page_kinds
    }

    /// Counts the file at `path` alone.
    #[must_use]
    pub fn only(self, path: SitePath) -> Self {
        Self {
            only: Some(path),
            ..self
        }
    }

    /// Whether the file or folder at `path` does not count.
    pub fn is_ignored(&self, path: &SitePath, is_folder: bool) -> bool {
        if let Some(only) = &self.only {
            return only != path;
        }
        let mut pages = PAGES.iter().zip(self.page_kinds);
        let is_page = pages.any(|((name, _), is_counted)| is_counted && *name == path.file_name());
        let of_repository = !is_page
            && (REPOSITORY_FILES.contains(&path.file_name())
                || AGENT_FILES.contains(&path.as_str()));
        (!is_folder && of_repository)
            || is_hidden(path.as_str())
            || (!is_folder && is_scratch(path.file_name()))
            || self.is_left_out(path, is_folder)
    }

    /// Returns true if the file at `path` is never published, whatever links to it. A README is not
    /// a page by itself, but its author may link to it.
    pub fn is_private(&self, path: &SitePath) -> bool {
        is_hidden(path.as_str()) || is_scratch(path.file_name()) || self.is_left_out(path, false)
    }

    /// Whether the rules of its author leave the file or folder at `path` out.
    fn is_left_out(&self, path: &SitePath, is_folder: bool) -> bool {
        let matched = (self.of_author).matched_path_or_any_parents(path.as_str(), is_folder);
        matched.is_ignore()
    }
}
