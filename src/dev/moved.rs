//! Pages that were renamed or removed while a site is previewed: which links and entries of the
//! navigation still name them, and the command that changes these.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::{Duration, Instant};

use queries::base::content::ContentHash;
use queries::base::diagnostic::{Code, Diagnostic};
use queries::base::path::SitePath;
use queries::site::{
    self, Db, LinkTarget, Site, config_diagnostics, file_named, is_page, link_diagnostics,
    page_links, page_list, resolve_link,
};
use quire_engine::host::SiteHost;

/// Maximum time between the removal of a page and its appearance under another name.
const TOGETHER: Duration = Duration::from_secs(5);

/// Maximum number of pages reported one by one after an edit.
const MAX_REPORTED: usize = 5;

/// Maximum number of places listed for a page.
const MAX_PLACES: usize = 4;

/// Maximum number of pages whose lines are sketched; in larger sites only equal pages are recognized.
const MAX_SKETCHED: usize = 2_000;

/// Number of lines that a sketch holds.
const SKETCH: usize = 32;

/// Share of lines, in percent, that two pages must have in common to be the same page.
const ALIKE: usize = 60;

/// Fingerprint of the content of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sketch {
    digest: ContentHash,
    /// The smallest hashes of its lines, in order: a sample that two texts share as far as they share
    /// lines.
    lines: Vec<u64>,
}

impl Sketch {
    fn of(digest: ContentHash, text: &[u8]) -> Self {
        let lines = text.split(|byte| *byte == b'\n');
        let hashes = lines.map(<[u8]>::trim_ascii).filter(|line| line.len() > 3);
        let hashes: BTreeSet<u64> = hashes
            .map(|line| {
                let mut hasher = DefaultHasher::new();
                line.hash(&mut hasher);
                hasher.finish()
            })
            .collect();
        Self {
            digest,
            lines: hashes.into_iter().take(SKETCH).collect(),
        }
    }

    /// Returns the share of lines in common, in percent.
    fn likeness(&self, other: &Self) -> usize {
        if self.digest == other.digest {
            return 100;
        }
        let ours: BTreeSet<&u64> = self.lines.iter().collect();
        let all: BTreeSet<&u64> = ours.iter().copied().chain(&other.lines).collect();
        let sample: Vec<&u64> = all.into_iter().take(SKETCH).collect();
        let theirs: BTreeSet<&u64> = other.lines.iter().collect();
        let common = (sample.iter())
            .filter(|line| ours.contains(*line) && theirs.contains(*line))
            .count();
        // Of very short pages only equal ones are the same.
        match sample.len() {
            0..3 => 0,
            len => common * 100 / len,
        }
    }
}

/// A page that appeared or vanished a moment ago.
struct Recent {
    path: SitePath,
    sketch: Sketch,
    at: Instant,
}

/// The pages of a site as they were, by which renamed ones are recognized.
#[derive(Default)]
pub(super) struct Pages {
    sketches: BTreeMap<SitePath, Sketch>,
    added: Vec<Recent>,
    removed: Vec<Recent>,
}

/// A page that is not where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MovedPage {
    path: SitePath,
    /// Its new path, if it was renamed.
    new_path: Option<SitePath>,
}

impl Pages {
    /// Sketches every page of the site.
    pub(super) fn of(host: &SiteHost) -> Self {
        let sketches = host.read(|db, site| {
            let pages = page_list(db, site);
            let pages = pages.value.values();
            let is_sketched = pages.len() <= MAX_SKETCHED;
            pages
                .map(|file| {
                    let path = file.path(db).clone();
                    (path, sketch(db, file.digest(db), is_sketched))
                })
                .collect()
        });
        Self {
            sketches: sketches.unwrap_or_default(),
            ..Self::default()
        }
    }

    /// Follows an edit; returns the pages that it removed, and those that now turn out to be renamed.
    pub(super) fn follow(
        &mut self,
        host: &SiteHost,
        edited: &[SitePath],
        removed: &[SitePath],
        now: Instant,
    ) -> Vec<MovedPage> {
        let is_sketched = self.sketches.len() <= MAX_SKETCHED;
        let current = host.read(|db, _| {
            let pages = edited.iter().filter(|path| is_page(path));
            let files = pages.filter_map(|path| Some((path.clone(), file_named(db, path)?)));
            files
                .map(|(path, file)| (path, sketch(db, file.digest(db), is_sketched)))
                .collect::<BTreeMap<_, _>>()
        });
        self.note(current.unwrap_or_default(), removed, now)
    }

    fn note(
        &mut self,
        current: BTreeMap<SitePath, Sketch>,
        removed: &[SitePath],
        now: Instant,
    ) -> Vec<MovedPage> {
        let is_recent = |recent: &Recent| now.duration_since(recent.at) <= TOGETHER;
        self.added.retain(is_recent);
        self.removed.retain(is_recent);
        let mut removals = Vec::new();
        for path in removed.iter().filter(|path| !current.contains_key(*path)) {
            let Some(sketch) = self.sketches.remove(path) else {
                continue;
            };
            self.added.retain(|added| added.path != *path);
            let at = now;
            let path = path.clone();
            removals.push(path.clone());
            self.removed.push(Recent { path, sketch, at });
        }
        for (path, sketch) in current {
            let before = self.sketches.insert(path.clone(), sketch.clone());
            // A page that was saved again in another way was not removed.
            self.removed.retain(|removed| removed.path != path);
            if before.is_none() {
                let at = now;
                self.added.push(Recent { path, sketch, at });
            }
        }
        let mut found: Vec<MovedPage> = self.renamed();
        let named: BTreeSet<SitePath> = found.iter().map(|page| page.path.clone()).collect();
        removals.retain(|path| !named.contains(path));
        found.extend(removals.into_iter().map(|path| MovedPage {
            path,
            new_path: None,
        }));
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }

    /// Pairs pages that vanished with those that appeared, the most alike first, and forgets them.
    fn renamed(&mut self) -> Vec<MovedPage> {
        let mut pairs: Vec<(usize, bool, usize, usize)> = Vec::new();
        for (from, removed) in self.removed.iter().enumerate() {
            for (to, added) in self.added.iter().enumerate() {
                let likeness = removed.sketch.likeness(&added.sketch);
                let has_name = removed.path.file_name() == added.path.file_name();
                if likeness >= ALIKE {
                    pairs.push((likeness, has_name, from, to));
                }
            }
        }
        pairs.sort_by(|a, b| (b.0, b.1, a.2, a.3).cmp(&(a.0, a.1, b.2, b.3)));
        let (mut froms, mut tos) = (BTreeSet::new(), BTreeSet::new());
        let mut found = Vec::new();
        for (_, _, from, to) in pairs {
            if froms.contains(&from) || tos.contains(&to) {
                continue;
            }
            froms.insert(from);
            tos.insert(to);
            found.push(MovedPage {
                path: self.removed[from].path.clone(),
                new_path: Some(self.added[to].path.clone()),
            });
        }
        let mut at = 0..;
        self.removed
            .retain(|_| at.next().is_none_or(|at| !froms.contains(&at)));
        let mut at = 0..;
        self.added
            .retain(|_| at.next().is_none_or(|at| !tos.contains(&at)));
        found
    }
}

fn sketch(db: &dyn Db, digest: ContentHash, is_sketched: bool) -> Sketch {
    match is_sketched {
        true => Sketch::of(digest, &db.bytes(digest)),
        false => Sketch {
            digest,
            lines: Vec::new(),
        },
    }
}

/// What still names a page that is gone.
#[derive(Debug, Default, PartialEq, Eq)]
struct BrokenMentions {
    links: usize,
    entries: usize,
    /// Its diagnostics, the first of each file first.
    diagnostics: Vec<Diagnostic>,
}

/// Returns a report, in lines, of what the pages in `removals` leave broken in the site in `folder`.
pub(super) fn report(host: &SiteHost, folder: &Path, removals: &[MovedPage]) -> Vec<String> {
    let mut groups = grouped(removals);
    let more = groups.split_off(groups.len().min(MAX_REPORTED));
    let found = host.read(|db, site| {
        let groups = groups.iter().map(|(_, pages)| pages);
        let broken: Vec<BrokenMentions> = groups
            .map(|pages| broken_references(db, site, pages))
            .collect();
        let placed = broken.into_iter().map(|mut broken| {
            let first = broken.diagnostics.len().min(MAX_PLACES);
            let rest = broken.diagnostics.split_off(first);
            let places = site::located_all(db, &broken.diagnostics).into_iter();
            let places = places.map(|(at, _)| format!("{}:{}:{}", at.path, at.line, at.column));
            (broken, places.collect::<Vec<_>>(), rest.len())
        });
        placed.collect::<Vec<_>>()
    });
    let mut lines = Vec::new();
    for ((moved, _), (broken, places, rest)) in groups.iter().zip(found.unwrap_or_default()) {
        lines.extend(text(folder, moved, &broken, &places, rest));
    }
    if !more.is_empty() {
        lines.push(format!(
            "and {} more pages are gone; `quire check` has every link to them",
            more.len()
        ));
    }
    lines
}

/// Puts pages that moved with their folder into one group, named by the folder.
fn grouped(removals: &[MovedPage]) -> Vec<(MovedPage, Vec<SitePath>)> {
    let mut groups: Vec<(MovedPage, Vec<SitePath>)> = Vec::new();
    for page in removals {
        let of_folder = page
            .new_path
            .as_ref()
            .and_then(|new| folders(&page.path, new));
        let Some((from, to)) = of_folder else {
            groups.push((page.clone(), vec![page.path.clone()]));
            continue;
        };
        let group = MovedPage {
            path: from,
            new_path: Some(to),
        };
        match groups.iter_mut().find(|(other, _)| *other == group) {
            Some((_, pages)) => pages.push(page.path.clone()),
            None => groups.push((group, vec![page.path.clone()])),
        }
    }
    for (group, pages) in &mut groups {
        // One page of a folder moved by itself.
        if let ([only], false) = (&pages[..], is_page(&group.path)) {
            let page = removals.iter().find(|page| page.path == *only);
            *group = page.cloned().unwrap_or_else(|| group.clone());
        }
    }
    groups
}

/// Returns the folders whose renaming moved `from` to `to`: what is left of both without the parts
/// that they end with.
fn folders(from: &SitePath, to: &SitePath) -> Option<(SitePath, SitePath)> {
    let (mut from, mut to) = (from.as_str(), to.as_str());
    let mut is_within = false;
    while let (Some((above_from, a)), Some((above_to, b))) =
        (from.rsplit_once('/'), to.rsplit_once('/'))
    {
        if a != b {
            break;
        }
        (from, to) = (above_from, above_to);
        is_within = true;
    }
    let pair = (SitePath::new(from)?, SitePath::new(to)?);
    (is_within && pair.0 != pair.1).then_some(pair)
}

/// Returns what names one of `pages`, which are gone.
fn broken_references(db: &dyn Db, site: Site, pages: &[SitePath]) -> BrokenMentions {
    let removed_routes: BTreeSet<&str> =
        pages.iter().map(|path| route_name(path.as_str())).collect();
    let mut found = BrokenMentions::default();
    for file in page_list(db, site).value.values() {
        let path = file.path(db);
        let names_gone = |href: &str| match resolve_link(path, href) {
            LinkTarget::Site { path, .. } => {
                removed_routes.contains(route_name(path.trim_matches('/')))
            }
            LinkTarget::External | LinkTarget::Heading(_) => false,
        };
        let links = page_links(db, *file).iter();
        let broken_links: Vec<&str> = links
            .filter(|link| !link.is_shown && names_gone(&link.href))
            .map(|link| link.href.as_str())
            .collect();
        if broken_links.is_empty() {
            continue;
        }
        // A redirect, or another page at its address, may have taken its place.
        let diagnostics = link_diagnostics(db, *file).iter().filter(|found| {
            let href = quoted(&found.message);
            found.code == Code::BrokenLink && href.is_some_and(|href| broken_links.contains(&href))
        });
        let before = found.diagnostics.len();
        found.diagnostics.extend(diagnostics.cloned());
        if found.diagnostics.len() > before {
            found.links += broken_links.len();
        }
    }
    for entry in config_diagnostics(db, site) {
        let name = quoted(&entry.message).map(|name| route_name(name.trim_matches('/')));
        if entry.code == Code::MissingPage && name.is_some_and(|name| removed_routes.contains(name))
        {
            found.entries += 1;
            found.diagnostics.push(entry);
        }
    }
    found
}

/// Returns the first text between backticks.
fn quoted(message: &str) -> Option<&str> {
    message.split('`').nth(1)
}

/// Returns the path of a page as links name it: without its extension and the name of an index page.
fn route_name(path: &str) -> &str {
    let path = [".mdx", ".md", ".html"]
        .iter()
        .find_map(|ending| path.strip_suffix(ending))
        .unwrap_or(path);
    match path {
        "index" => "",
        path => path.strip_suffix("/index").unwrap_or(path),
    }
}

/// Returns the lines about a page or a folder; none if nothing names it.
fn text(
    folder: &Path,
    removal: &MovedPage,
    references: &BrokenMentions,
    places: &[String],
    more: usize,
) -> Vec<String> {
    let counted = |n: usize, one: &str, many: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    };
    let counts = [
        counted(references.links, "link", "links"),
        counted(references.entries, "navigation entry", "navigation entries"),
    ];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    if counts.is_empty() {
        return Vec::new();
    }
    let name = if references.links + references.entries == 1 {
        "still names"
    } else {
        "still name"
    };
    let (old, counts) = (&removal.path, counts.join(" and "));
    let mut lines = vec![match &removal.new_path {
        Some(new) => format!("renamed {old} to {new}: {counts} {name} the old path"),
        None => format!("removed {old}: {counts} {name} it"),
    }];
    let mut listed = format!("  {}", places.join("  "));
    if more > 0 {
        write!(listed, "  and {more} more").unwrap_or_default();
    }
    lines.push(listed);
    if let Some(new) = &removal.new_path {
        let [old, new] = [old, new].map(|path| word(&folder.join(path.as_str())));
        lines.push(format!("  to change them: quire mv --moved {old} {new}"));
    }
    lines
}

/// Returns `path` as a shell reads it, relative to the current folder.
fn word(path: &Path) -> String {
    let text = path.display().to_string();
    let text = text.strip_prefix("./").unwrap_or(&text);
    let is_plain = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    match text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> SitePath {
        SitePath::new(text).unwrap()
    }

    fn sketch_of(text: &str) -> Sketch {
        Sketch::of(ContentHash::of(text.as_bytes()), text.as_bytes())
    }

    const TEXT: &str = "---\ntitle: A\n---\n\nFirst line.\n\nSecond line.\n\nThird line.\n\n## Part\n\nFourth line.\n";

    fn pages(texts: &[(&str, &str)]) -> Pages {
        let sketches = texts
            .iter()
            .map(|(name, text)| (path(name), sketch_of(text)));
        Pages {
            sketches: sketches.collect(),
            ..Pages::default()
        }
    }

    /// Follows edits, a moment after one another: files with their texts, files that go, and what is
    /// gone afterwards.
    type Step<'a> = (
        &'a [(&'a str, &'a str)],
        &'a [&'a str],
        &'a [(&'a str, Option<&'a str>)],
    );

    #[track_caller]
    fn check(pages: &mut Pages, steps: &[Step<'_>]) {
        let start = Instant::now();
        for (i, (edited, removed, expected)) in steps.iter().enumerate() {
            let current = edited
                .iter()
                .map(|(name, text)| (path(name), sketch_of(text)));
            let removed: Vec<SitePath> = removed.iter().map(|name| path(name)).collect();
            let now = start + Duration::from_secs(i as u64);
            let found = pages.note(current.collect(), &removed, now);
            let expected = expected.iter().map(|(old, new)| MovedPage {
                path: path(old),
                new_path: new.map(path),
            });
            assert_eq!(found, expected.collect::<Vec<_>>(), "step {i}");
        }
    }

    #[test]
    fn equal_and_nearly_equal_pages_are_renamed() {
        let nearly = TEXT.replace("Second", "Other");
        let moved: &[(&str, Option<&str>)] = &[("a.mdx", Some("b/c.mdx"))];
        for text in [TEXT, &nearly] {
            let new: &[(&str, &str)] = &[("b/c.mdx", text)];
            let of_one = || pages(&[("a.mdx", TEXT)]);
            check(&mut of_one(), &[(new, &["a.mdx"], moved)]);
            check(&mut of_one(), &[(new, &[], &[]), (&[], &["a.mdx"], moved)]);
            let removed: &[(&str, Option<&str>)] = &[("a.mdx", None)];
            let steps: [Step<'_>; 2] = [(&[], &["a.mdx"], removed), (new, &[], moved)];
            check(&mut of_one(), &steps);
        }
    }

    #[test]
    fn other_pages_are_not_renamed() {
        let other = "---\ntitle: A\n---\n\nSomething else.\n\nOf its own.\n\n## Another\n\nText.\n";
        let removed: &[(&str, Option<&str>)] = &[("a.mdx", None)];
        let of_one = || pages(&[("a.mdx", TEXT)]);
        check(&mut of_one(), &[(&[("b.mdx", other)], &["a.mdx"], removed)]);
        let late: [Step<'_>; 8] = [
            (&[], &["a.mdx"], removed),
            (&[], &[], &[]),
            (&[], &[], &[]),
            (&[], &[], &[]),
            (&[], &[], &[]),
            (&[], &[], &[]),
            (&[], &[], &[]),
            (&[("b.mdx", TEXT)], &[], &[]),
        ];
        check(&mut of_one(), &late);
        // Saved by way of another file.
        check(&mut of_one(), &[(&[("a.mdx", other)], &["a.mdx"], &[])]);
        // A copy beside it.
        check(&mut of_one(), &[(&[("b.mdx", TEXT)], &[], &[])]);
        // No page of the site.
        check(&mut of_one(), &[(&[], &["picture.svg"], &[])]);
    }

    #[test]
    fn each_page_is_renamed_once() {
        let mut site = pages(&[("x/a.mdx", TEXT), ("x/b.mdx", TEXT)]);
        let new: &[(&str, &str)] = &[("y/a.mdx", TEXT), ("y/b.mdx", TEXT)];
        let moved: &[(&str, Option<&str>)] =
            &[("x/a.mdx", Some("y/a.mdx")), ("x/b.mdx", Some("y/b.mdx"))];
        check(
            &mut site,
            &[(new, &["x/a.mdx", "x/b.mdx"], moved), (&[], &[], &[])],
        );
    }

    #[test]
    fn a_folder_is_one_line() {
        let rename_of = |old: &str, new: &str| MovedPage {
            path: path(old),
            new_path: Some(path(new)),
        };
        let gone = [
            rename_of("a/x.mdx", "b/x.mdx"),
            rename_of("a/y/z.mdx", "b/y/z.mdx"),
            rename_of("c/x.mdx", "d/x.mdx"),
            rename_of("e.mdx", "f.mdx"),
        ];
        let groups: Vec<(MovedPage, usize)> = grouped(&gone)
            .into_iter()
            .map(|(group, pages)| (group, pages.len()))
            .collect();
        let expected = [
            (rename_of("a", "b"), 2),
            (rename_of("c/x.mdx", "d/x.mdx"), 1),
            (rename_of("e.mdx", "f.mdx"), 1),
        ];
        assert_eq!(groups, expected);
    }

    #[test]
    fn names_of_pages_are_those_of_links() {
        for (written, name) in [
            ("a/b.mdx", "a/b"),
            ("a/index.md", "a"),
            ("index.mdx", ""),
            ("a/b", "a/b"),
        ] {
            assert_eq!(route_name(written), name);
        }
        assert_eq!(word(Path::new("./docs/a.mdx")), "docs/a.mdx");
        assert_eq!(
            word(Path::new("my docs/it's.mdx")),
            r"'my docs/it'\''s.mdx'"
        );
    }
}
