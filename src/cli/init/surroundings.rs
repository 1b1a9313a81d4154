//! Files around a new site: continuous integration, ignore rules, settings of editors.

use std::fs;
use std::path::{Path, PathBuf};

use super::File;

/// Schema of `docs.json` for editors. `tests/queries/schema.rs` writes it.
const SCHEMA: &str = include_str!("docs.schema.json");

/// Returns the files for a site in `folder`, which exists. The job of the integration is at the top
/// of the repository, everything else in the folder.
pub(super) fn surroundings(folder: &Path) -> Vec<File> {
    let below = repository_of(folder);
    let of_folder = [
        (".gitignore", include_str!("gitignore").to_owned()),
        (".editorconfig", editor_config(below.as_ref())),
        (
            ".vscode/extensions.json",
            include_str!("extensions.json").to_owned(),
        ),
        (
            ".vscode/settings.json",
            include_str!("settings.json").to_owned(),
        ),
        (super::SCHEMA, SCHEMA.to_owned()),
    ];
    let mut files = vec![integration(below)];
    files.extend(of_folder.map(|(path, text)| (PathBuf::from(path), text)));
    files
}

/// A folder of a git repository.
struct Below {
    /// Top of the repository.
    top: PathBuf,
    /// Path of the folder from there; empty for the top itself.
    path: PathBuf,
}

fn repository_of(folder: &Path) -> Option<Below> {
    let absolute = folder.canonicalize().ok()?;
    let top = absolute
        .ancestors()
        .find(|above| above.join(".git").exists())?;
    let path = absolute.strip_prefix(top).ok()?.to_owned();
    Some(Below {
        top: top.to_owned(),
        path,
    })
}

/// Returns the job that checks and builds the site: for GitLab if the repository comes from there,
/// else for GitHub.
fn integration(below: Option<Below>) -> File {
    let below = below.unwrap_or(Below {
        top: PathBuf::new(),
        path: PathBuf::new(),
    });
    let config = fs::read_to_string(below.top.join(".git/config")).unwrap_or_default();
    let (path, text) = match config.contains("gitlab") {
        true => (".gitlab-ci.yml", include_str!("gitlab-ci.yml")),
        false => (".github/workflows/docs.yml", include_str!("docs.yml")),
    };
    let dir: Vec<String> = (below.path.iter())
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    let dir = if dir.is_empty() {
        ".".to_owned()
    } else {
        dir.join("/")
    };
    let up: PathBuf = below.path.iter().map(|_| "..").collect();
    let text = text.replace("VERSION", env!("CARGO_PKG_VERSION"));
    (up.join(path), text.replace("DIR", &word(&dir)))
}

/// Returns `dir` as YAML and a shell read it: in quotes if it holds anything but plain characters.
fn word(dir: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    match dir.chars().all(is_plain) && !dir.starts_with('-') {
        true => dir.to_owned(),
        false => format!("'{}'", dir.replace('\'', "''")),
    }
}

/// Returns the rules for editors; at the top of a repository, or without one, they begin there.
fn editor_config(below: Option<&Below>) -> String {
    let is_top = below.is_none_or(|below| below.path.as_os_str().is_empty());
    let begin = if is_top { "root = true\n\n" } else { "" };
    format!("{begin}{}", include_str!("editorconfig"))
}
