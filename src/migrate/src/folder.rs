//! The folder that is migrated: the list of its files, and their contents. Nothing outside of it is
//! read, and of what is in it neither links that lead out nor files of unusual size.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use queries::base::path::SitePath;
use quire_source::root_dir;

/// Maximum number of entries that are listed.
const MAX_ENTRIES: usize = 200_000;

/// Deepest nesting of folders that is listed.
const MAX_DEPTH: usize = 40;

/// Maximum size of a file that is read.
const MAX_BYTES: u64 = 4 << 20;

/// Folders of tools, which hold no source of a site.
const TOOLS: &[&str] = &["node_modules", ".git", ".docusaurus"];

/// Folders of what was built, at the top and beside the configuration of VitePress. Below, a folder
/// of pages may well have such a name.
const BUILT: &[&str] = &["build", "dist", "cache"];

/// The folder of a site.
pub(crate) struct Folder {
    root: PathBuf,
    /// Paths of files, sorted.
    files: Vec<SitePath>,
}

impl Folder {
    /// Lists the folder at `path`.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let root = path.canonicalize();
        let root = root.with_context(|| format!("open {}", path.display()))?;
        if !root.is_dir() {
            bail!("{}: is not a folder", path.display());
        }
        let mut files = Vec::new();
        let mut pending = vec![(root.clone(), 0)];
        let mut entries = 0;
        while let Some((folder, depth)) = pending.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                entries += 1;
                if entries > MAX_ENTRIES {
                    bail!(
                        "{}: holds more than {MAX_ENTRIES} files; name the folder of the \
                         documentation",
                        path.display()
                    );
                }
                let path = entry.path();
                // Links are not followed: what they lead to is listed where it is, or is outside.
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                let name = entry.file_name();
                let may_be_built = depth == 0 || folder.ends_with(".vitepress");
                let is_of_tools = TOOLS.iter().any(|tool| name == *tool)
                    || (may_be_built && BUILT.iter().any(|built| name == *built));
                if kind.is_dir() && !is_of_tools && depth < MAX_DEPTH {
                    pending.push((path, depth + 1));
                } else if kind.is_file() {
                    let below = path.strip_prefix(&root).ok().and_then(Path::to_str);
                    files.extend(below.and_then(SitePath::new));
                }
            }
        }
        files.sort();
        Ok(Self { root, files })
    }

    /// The files at or below the folder `subfolder`, in the order of their paths.
    pub(crate) fn files<'f>(&'f self, subfolder: &str) -> impl Iterator<Item = &'f SitePath> {
        let prefix = match subfolder {
            "" => String::new(),
            subfolder => format!("{subfolder}/"),
        };
        let start = self
            .files
            .partition_point(|path| path.as_str() < prefix.as_str());
        let files = self.files[start..].iter();
        files.take_while(move |path| path.as_str().starts_with(&prefix))
    }

    /// Returns true if there is a file at `path`.
    pub(crate) fn has(&self, path: &str) -> bool {
        let found = self.files.binary_search_by(|file| file.as_str().cmp(path));
        found.is_ok()
    }

    /// Returns true if there is a file below the folder `path`.
    pub(crate) fn has_folder(&self, path: &str) -> bool {
        self.files(path).next().is_some()
    }

    /// The first of `paths` that is a file.
    pub(crate) fn first(&self, paths: &[String]) -> Option<String> {
        paths.iter().find(|path| self.has(path)).cloned()
    }

    /// Reads the text of the file at `path`; `None` if there is none, it is too large, or leads out
    /// of the folder.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        let path = SitePath::new(path)?;
        let file = root_dir::open(&self.root, &path, |_| true).ok()??;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
        let is_whole = bytes.len() as u64 <= MAX_BYTES;
        is_whole.then(|| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Joins `path` to `folder` and resolves `.` and `..`; `None` if it leaves the root. The root itself
/// is empty.
pub(crate) fn join(folder: &str, path: &str) -> Option<String> {
    let mut segments: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            segment => segments.push(segment),
        }
    }
    Some(segments.join("/"))
}

/// The folder that holds the file at `path`; empty for the root.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
