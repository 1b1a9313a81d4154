//! Opens files below a folder. Nothing outside of it is ever read, even if other processes change
//! the folder at the same time.
//!
//! A file is opened by the path that it was judged by, in which no part may be a link: a part that
//! has become one since is refused by the system, and the path is resolved again. The caller
//! decides what a path may lead to.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use queries::base::path::SitePath;
use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;

/// Maximum number of attempts for a path that changes while it is resolved.
const ATTEMPTS: usize = 16;

/// Opens the regular file at `path` below `root`, a path without links; `None` if there is none, or `is_open` does not hold
/// of where it lies. Links are followed to what lies below `root`, and to nothing else.
pub fn open(
    root: &Path,
    path: &SitePath,
    is_open: impl Fn(&SitePath) -> bool,
) -> io::Result<Option<File>> {
    let mut at = Some(path.clone());
    for _ in 0..ATTEMPTS {
        let Some(place) = at.filter(&is_open) else {
            return Ok(None);
        };
        match open_plain(root, &place) {
            Ok(file) => return Ok(file.metadata()?.is_file().then_some(file)),
            // A part of the path is a link; or no folder, which looking at it tells from a link to one.
            Err(error) if is_link(&error) => at = place_of(root, path)?,
            // What the path led to a moment ago is gone: another may have taken its place.
            Err(error) if error.kind() == io::ErrorKind::NotFound && place != *path => {
                at = place_of(root, path)?;
            }
            Err(error) => return Err(error),
        }
    }
    let why = format!("{path} leads elsewhere each time it is looked at");
    Err(io::Error::other(why))
}

/// Resolves `path`, following links; `None` if it leads out of `root`.
pub fn place_of(root: &Path, path: &SitePath) -> io::Result<Option<SitePath>> {
    let place = root.join(path.as_str()).canonicalize()?;
    let below = place.strip_prefix(root).ok().and_then(Path::to_str);
    Ok(below
        .filter(|below| !below.is_empty())
        .and_then(SitePath::new))
}

fn is_link(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::LOOP | Errno::NOTDIR | Errno::XDEV)
    )
}

/// Opens the file at `path` below `root`, in which no part is a link.
fn open_plain(root: &Path, path: &SitePath) -> io::Result<File> {
    let root = openat(rustix::fs::CWD, root, FOLDER, Mode::empty())?;
    let file = match at_once(root.as_fd(), path) {
        // Systems before Linux 5.6 do not know the call, and filters of calls refuse those that they do not know.
        Err(Errno::NOSYS | Errno::PERM) => step_by_step(root.as_fd(), path)?,
        opened => opened?,
    };
    Ok(file.into())
}

/// A pipe without a writer must not hold up who opens it.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

const FOLDER: OFlags = OFlags::CLOEXEC
    .union(OFlags::NOFOLLOW)
    .union(OFlags::DIRECTORY)
    .union(ONLY_WALKED);

/// Flags to open a folder on the way: traversal needs no right to list.
#[cfg(target_os = "linux")]
const ONLY_WALKED: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const ONLY_WALKED: OFlags = OFlags::RDONLY;

#[cfg(target_os = "linux")]
fn at_once(root: BorrowedFd<'_>, path: &SitePath) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    openat2(root, path.as_str(), FILE, Mode::empty(), resolve)
}

#[cfg(not(target_os = "linux"))]
fn at_once(_: BorrowedFd<'_>, _: &SitePath) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Opens folder by folder: none of them is a link, and the path of a site never leads up.
fn step_by_step(root: BorrowedFd<'_>, path: &SitePath) -> Result<OwnedFd, Errno> {
    let mut folder: Option<OwnedFd> = None;
    for name in path.folder().split('/').filter(|name| !name.is_empty()) {
        let from = folder.as_ref().map_or(root, AsFd::as_fd);
        folder = Some(openat(from, name, FOLDER, Mode::empty())?);
    }
    let from = folder.as_ref().map_or(root, AsFd::as_fd);
    openat(from, path.file_name(), FILE, Mode::empty())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// What the two ways to open a path say of it.
    fn open_both_ways(root: &Path, path: &str) -> [Result<bool, Errno>; 2] {
        let root = openat(rustix::fs::CWD, root, FOLDER, Mode::empty()).unwrap();
        let path = SitePath::new(path).unwrap();
        let is_file = |file: OwnedFd| File::from(file).metadata().unwrap().is_file();
        [at_once, step_by_step].map(|open| open(root.as_fd(), &path).map(is_file))
    }

    #[test]
    fn both_ways_open_files_and_no_links() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("a/b")).unwrap();
        for path in ["page.mdx", "a/b/page.mdx"] {
            fs::write(at(path), "x").unwrap();
        }
        symlink("page.mdx", at("link.mdx")).unwrap();
        symlink("a", at("folder")).unwrap();
        symlink("/", at("out")).unwrap();
        assert_eq!(open_both_ways(folder.path(), "page.mdx"), [Ok(true); 2]);
        assert_eq!(open_both_ways(folder.path(), "a/b/page.mdx"), [Ok(true); 2]);
        assert_eq!(open_both_ways(folder.path(), "a/b"), [Ok(false); 2]);
        assert_eq!(
            open_both_ways(folder.path(), "none.mdx"),
            [Err(Errno::NOENT); 2]
        );
        assert_eq!(
            open_both_ways(folder.path(), "link.mdx"),
            [Err(Errno::LOOP); 2]
        );
        for path in ["folder/b/page.mdx", "out/etc/passwd", "page.mdx/x"] {
            for refused in open_both_ways(folder.path(), path) {
                let error = refused.unwrap_err();
                assert!(is_link(&error.into()), "{path}: {error}");
            }
        }
    }

    #[test]
    fn links_are_followed_within_the_folder_and_judged_by_where_they_lead() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("a")).unwrap();
        fs::write(root.join("a/page.mdx"), "x").unwrap();
        fs::write(root.join("secret.mdx"), "x").unwrap();
        symlink("a", root.join("relative")).unwrap();
        symlink(root.join("a/page.mdx"), root.join("absolute.mdx")).unwrap();
        symlink("secret.mdx", root.join("public.mdx")).unwrap();
        symlink("/etc/passwd", root.join("outside.mdx")).unwrap();
        symlink("..", root.join("up")).unwrap();
        let is_open = |path: &SitePath| path.as_str() != "secret.mdx";
        let is_there = |path: &str| {
            let opened = open(&root, &SitePath::new(path).unwrap(), is_open);
            opened
                .map(|file| file.is_some())
                .map_err(|error| error.kind())
        };
        for path in ["a/page.mdx", "relative/page.mdx", "absolute.mdx"] {
            assert_eq!(is_there(path), Ok(true), "{path}");
        }
        for path in [
            "public.mdx",
            "secret.mdx",
            "outside.mdx",
            "a",
            "relative",
            "up",
        ] {
            assert_eq!(is_there(path), Ok(false), "{path}");
        }
        assert_eq!(is_there("none.mdx"), Err(io::ErrorKind::NotFound));
        let missing = is_there("a/page.mdx/none");
        assert_eq!(missing, Err(io::ErrorKind::NotADirectory));
    }

    /// Whoever opens a pipe waits for a writer.
    #[test]
    fn a_pipe_is_no_file_and_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let pipe = rustix::fs::FileType::Fifo;
        let at = root.join("pipe.mdx");
        rustix::fs::mknodat(rustix::fs::CWD, &at, pipe, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let path = SitePath::new("pipe.mdx").unwrap();
        assert!(open(&root, &path, |_| true).unwrap().is_none());
    }
}
