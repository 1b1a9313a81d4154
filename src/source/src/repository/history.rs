//! When the files of a folder were changed last, by the commits that lead to one: one walk for all of them.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use anyhow::Context;
use queries::base::path::SitePath;
use queries::change::Dates;

use super::{Checkout, Repository, run};

/// Maximum number of commits walked. Files that none of them changed have no date.
const MAX_COMMITS: &str = "--max-count=100000";

impl Repository {
    /// The commit that is checked out; `None` before the first.
    pub fn head(&self) -> Option<String> {
        let mut parse = self.git();
        parse.args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
        let text = run(&mut parse).ok()?;
        Some(String::from_utf8_lossy(&text).trim().to_owned())
    }

    /// Leaves of `files` those that `commit` has in the folder `prefix`.
    pub fn retain_files(
        &self,
        commit: &str,
        prefix: &str,
        files: &mut BTreeSet<SitePath>,
    ) -> anyhow::Result<()> {
        let entries = self.entries(commit, prefix)?;
        files.retain(|path| entries.contains_key(path));
        Ok(())
    }

    /// The day of the last commit up to `commit` that changed each of the files `paths` of the folder `prefix`, in the time
    /// zone of who committed. The walk ends when every file has a day, or after 100,000 commits that touch the folder.
    ///
    /// A copy that was made without its whole history says of its oldest commits that they changed everything: what those
    /// changed has no day.
    pub fn dates(
        &self,
        commit: &str,
        prefix: &str,
        mut paths: BTreeSet<SitePath>,
    ) -> anyhow::Result<Dates> {
        let mut dates = Dates::new();
        if paths.is_empty() {
            return Ok(dates);
        }
        let oldest = std::fs::read_to_string(self.folder.join("shallow")).unwrap_or_default();
        let oldest: BTreeSet<&str> = oldest.lines().collect();
        let mut log = self.git();
        log.args(["log", "--format=%x01%H %cs", "--name-only", "-z"]);
        log.args(["--no-renames", MAX_COMMITS, "--end-of-options", commit]);
        if !prefix.is_empty() {
            log.args(["--", &format!(":(top,literal){prefix}")]);
        }
        // A copy without its trees would ask for each of them over the network.
        log.env("GIT_NO_LAZY_FETCH", "1");
        log.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = log.spawn().context("start `git`")?;
        let stdout = child.stdout.take().context("`git` gives no answers")?;
        let mut day: Option<Arc<str>> = None;
        let mut record = Vec::new();
        let mut answers = BufReader::with_capacity(1 << 16, stdout);
        while !paths.is_empty() {
            record.clear();
            if answers.read_until(0, &mut record)? == 0 {
                break;
            }
            let Ok(text) = std::str::from_utf8(record.strip_suffix(b"\0").unwrap_or(&record))
            else {
                continue;
            };
            if let Some(head) = text.strip_prefix('\u{1}') {
                let (name, date) = head.split_once(' ').unwrap_or((head, ""));
                day = (!oldest.contains(name) && date.len() == 10).then(|| Arc::from(date));
                continue;
            }
            let path = text.trim_start_matches('\n');
            let below = match prefix {
                "" => Some(path),
                _ => (path.strip_prefix(prefix)).and_then(|rest| rest.strip_prefix('/')),
            };
            let Some(path) = below.and_then(SitePath::new) else {
                continue;
            };
            if paths.remove(&path)
                && let Some(day) = &day
            {
                dates.insert(path, Arc::clone(day));
            }
        }
        // What is older is not asked for any more. It may have ended by itself.
        let _ = child.kill();
        child.wait()?;
        Ok(dates)
    }
}

/// The days of the files `paths` in `folder`, by the commit that is checked out there; none without a repository, or
/// without the program that reads it.
pub fn dates_in(folder: &Path, paths: BTreeSet<SitePath>) -> Dates {
    let dates = || {
        Checkout::containing(folder)?;
        let (repository, prefix) = Repository::containing(folder).ok()??;
        let head = repository.head()?;
        repository.dates(&head, &prefix, paths).ok()
    };
    dates().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::process::Command;

    fn git(folder: &Path, day: &str, arguments: &[&str]) {
        let date = format!("{day}T12:00:00Z");
        let status = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(["-c", "user.name=A", "-c", "user.email=a@b.c"])
            .args(arguments)
            .env("GIT_COMMITTER_DATE", &date)
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "{arguments:?}");
    }

    fn commit(folder: &Path, day: &str, files: &[(&str, &str)]) {
        for (path, text) in files {
            fs::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
            fs::write(folder.join(path), text).unwrap();
        }
        git(folder, day, &["add", "-A"]);
        git(folder, day, &["commit", "-q", "-m", "one\n\ntwo"]);
    }

    fn paths(names: &[&str]) -> BTreeSet<SitePath> {
        let paths = names.iter().map(|name| SitePath::new(name).unwrap());
        paths.collect()
    }

    fn date_lines(dates: &Dates) -> String {
        let lines = dates.iter().map(|(path, day)| format!("{path} {day}\n"));
        lines.collect()
    }

    #[test]
    fn each_file_has_the_day_of_its_last_commit() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, "2020-01-01", &["init", "-q", "-b", "main"]);
        let all = || paths(&["a.mdx", "ü b.mdx", "sub/c.mdx", "new.mdx"]);
        assert_eq!(date_lines(&dates_in(root, all())), "", "there is no commit");
        let first = [
            ("docs/a.mdx", "1"),
            ("docs/ü b.mdx", "1"),
            ("docs/sub/c.mdx", "1"),
            ("docsmore/a.mdx", "1"),
        ];
        commit(root, "2021-02-03", &first);
        commit(root, "2022-03-04", &[("docs/a.mdx", "2"), ("else", "1")]);
        commit(root, "2023-04-05", &[("docsmore/a.mdx", "2")]);
        fs::write(root.join("docs/new.mdx"), "not committed").unwrap();
        let docs = root.join("docs");
        let whole = "a.mdx 2022-03-04\nsub/c.mdx 2021-02-03\nü b.mdx 2021-02-03\n";
        assert_eq!(date_lines(&dates_in(&docs, all())), whole);
        // Of its oldest commit a copy does not know what it changed, even if there is none before.
        let copy = tempfile::tempdir().unwrap();
        let url = format!("file://{}", root.display());
        let target = copy.path().join("copy");
        let target = target.to_str().unwrap();
        git(
            root,
            "2024-01-01",
            &["clone", "-q", "--depth", "3", &url, target],
        );
        assert_eq!(
            date_lines(&dates_in(&Path::new(target).join("docs"), all())),
            "a.mdx 2022-03-04\n"
        );
        let target = format!("{target}2");
        git(
            root,
            "2024-01-01",
            &["clone", "-q", "--depth", "2", &url, &target],
        );
        let short = Path::new(&target).join("docs");
        assert_eq!(date_lines(&dates_in(&short, all())), "");
        assert_eq!(
            date_lines(&dates_in(Path::new("/"), all())),
            "",
            "no repository"
        );
    }
}
