//! Real sites: their configuration is read without an error, and every page they name is found.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use base::diagnostic::Severity;
use queries::config::site_config;
use queries::navigation::{NavigationNode, Target, navigation_tree};
use utility::stylesheet;

use crate::support::{TestSite, shown};

/// The folder of real sites; `None` when this machine has none.
pub(crate) fn corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let shared = std::env::var_os("QUIRE_SHARED").map_or_else(beside, PathBuf::from);
    let corpus = shared.join("corpus");
    corpus.join("manifest.json").is_file().then_some(corpus)
}

fn read(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path
            .strip_prefix(root)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            read(root, &path, files);
        } else if name.ends_with(".json") {
            files.push((
                name,
                String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into(),
            ));
        } else {
            files.push((name, String::new()));
        }
    }
}

#[derive(Default)]
struct Counts {
    /// Listings of pages that are there.
    files: u64,
    /// Listings of pages that are not, by their path.
    missing: BTreeSet<String>,
    operations: u64,
}

fn count(nodes: &[NavigationNode], counts: &mut Counts) {
    for node in nodes {
        match &node.target {
            Target::File(_) => counts.files += 1,
            Target::Files(files) => counts.files += files.len() as u64,
            Target::Generated(_) => counts.operations += 1,
            // The specification of these is elsewhere.
            Target::Missing(entry) if entry.contains(" /") => counts.operations += 1,
            Target::Missing(path) => {
                counts.missing.insert(path.clone());
            }
            Target::None | Target::Href(_) => {}
        }
        count(&node.children, counts);
    }
}

/// How many pages of the site stand beside children of a kind that wins, so that they are not shown: reported as
/// `extra-children`, and not shown by the reference product either.
fn ignored_pages(id: &str) -> u64 {
    match id {
        // `tabs` beside `versions` at the root.
        "spree" => 302,
        // `pages` beside `groups` in five dropdowns.
        "stagehand" => 5,
        _ => 0,
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn real_sites_are_read_without_errors() {
    let Some(corpus) = corpus() else {
        eprintln!("SKIPPED real_sites_are_read_without_errors: no corpus; set QUIRE_SHARED");
        return;
    };
    let manifest = std::fs::read_to_string(corpus.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let mut report = String::new();
    for entry in manifest["sites"].as_array().unwrap() {
        let id = entry["id"].as_str().unwrap();
        let folder = corpus.join(entry["path"].as_str().unwrap());
        let mut files = Vec::new();
        read(&folder, &folder, &mut files);
        let files: Vec<_> = files
            .iter()
            .map(|(p, t)| (p.as_str(), t.as_str()))
            .collect();
        let site = TestSite::new(&files);
        let config = site_config(&site.db, site.site);
        let errors: Vec<_> = config
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity() == Severity::Error)
            .cloned()
            .collect();
        report.push_str(&shown(&errors));
        let mut counts = Counts::default();
        count(&navigation_tree(&site.db, site.site).nodes, &mut counts);
        let written = entry["navigation_pages"].as_u64().unwrap();
        let ignored = ignored_pages(id);
        let missing = entry["navigation_pages_missing"].as_u64().unwrap();
        let operations = entry["navigation_operations"].as_u64().unwrap();
        let expected = (written - ignored - missing, missing, operations);
        let missing = counts.missing.len() as u64;
        let found = (counts.files, missing, counts.operations);
        if found != expected {
            let line = format!("{id}: {found:?} instead of {expected:?}\n");
            report.push_str(&line);
        }
    }
    assert_eq!(report, "");
}

/// The classes that stand as plain strings in the pages and components below `folder`.
fn classes(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            classes(&path, found);
            continue;
        }
        let extension = path.extension().and_then(|name| name.to_str());
        if !matches!(extension, Some("mdx" | "md" | "jsx" | "tsx")) {
            continue;
        }
        let text = std::fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&text);
        for name in ["className=\"", "class=\""] {
            for rest in text.split(name).skip(1) {
                let value = rest.split(['"', '\n']).next().unwrap();
                found.extend(value.split_whitespace().map(str::to_owned));
            }
        }
    }
}

/// What authors of real sites write as a class: how much of it has rules, and that what has none is their own.
#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn utilities_of_real_sites_have_rules() {
    let Some(corpus) = corpus() else {
        eprintln!("SKIPPED utilities_of_real_sites_have_rules: no corpus; set QUIRE_SHARED");
        return;
    };
    let mut found = BTreeSet::new();
    classes(&corpus.join("sites"), &mut found);
    let (known, own): (BTreeSet<_>, BTreeSet<_>) = found
        .into_iter()
        .partition(|class| !stylesheet(&BTreeSet::from([class.clone()]), "").is_empty());
    // A class with a variant, a number or brackets is meant as a utility.
    let is_meant = |class: &&String| {
        let is_template = class.contains(['<', '%', '{', '$']) || *class == "...";
        let has_number = class
            .rsplit('-')
            .next()
            .is_some_and(|last| last.starts_with(|c: char| c.is_ascii_digit()));
        !is_template && (class.contains([':', '[', '/']) || has_number)
    };
    let missing: Vec<&String> = own.iter().filter(is_meant).collect();
    // 371 of 540. Of the others these look like utilities: of the typography plug-in, a mark that only other classes
    // speak of, and two names that a site has made itself.
    assert!(
        known.len() >= 371,
        "{} with rules; none: {own:?}",
        known.len()
    );
    let of_sites = [
        "dark:prose-invert",
        "group/copy",
        "hover:bg-accent",
        "theme-dark:bg-gray-800",
    ];
    assert_eq!(missing, of_sites);
}
