//! The core can do nothing but compute: no crate that does I/O, no call that does, no order of hash maps; and no result
//! knows on which line it was found.

use base::content::ContentHash;
use base::diagnostic::Diagnostic;
use base::place::Place;
use queries::body::{page_anchors, page_body, page_diagnostics, page_links};
use queries::links::link_diagnostics;
use queries::page::front_matter;

use crate::layers::{dependencies, sources};
use crate::support::TestSite;

/// What the core may depend on. Each of them computes only; one that does I/O has no place here.
const DEPENDENCIES: &[&str] = &[
    "base64",
    "blake3",
    "encre-css",
    "flate2",
    "html5gum",
    "icu_normalizer",
    "jsonschema",
    "maud",
    "memchr",
    "oxc_allocator",
    "oxc_ast",
    "oxc_codegen",
    "oxc_parser",
    "oxc_semantic",
    "oxc_span",
    "oxc_transformer",
    "postcard",
    "pulldown-cmark",
    "pulldown-latex",
    "regex",
    "rustc-hash",
    "salsa",
    "serde",
    "serde_json",
    "serde_json_path",
    "serde_yaml",
    "sha2",
    "strsim",
    "syntect",
    "toml",
    "two-face",
];

/// The folders of the crates of the core, from that of `queries`.
const CRATES: &[&str] = &[
    ".",
    "base",
    "config",
    "embedding",
    "formula",
    "highlight",
    "island",
    "lint",
    "mdx",
    "openapi",
    "theme",
    "utility",
];

/// Source files of all crates of the core, by their paths, without comments and tests.
fn all_sources() -> impl Iterator<Item = (String, String)> {
    CRATES.iter().flat_map(|name| {
        let folder = format!("{name}/src");
        let found = sources(&folder).into_iter();
        found.map(move |(path, text)| (format!("{folder}/{path}"), text))
    })
}

#[test]
fn the_core_depends_on_crates_that_compute() {
    let mut names = std::collections::BTreeSet::new();
    for name in CRATES {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        names.extend(dependencies(&folder.join("Cargo.toml")));
    }
    names.retain(|name| !CRATES.contains(&&**name));
    assert_eq!(Vec::from_iter(&names), DEPENDENCIES);
}

#[test]
fn the_core_does_not_reach_for_the_world() {
    for (path, text) in all_sources() {
        for part in ["fs", "net", "env", "thread", "process", "time"] {
            let call = format!("std::{part}");
            assert!(!text.contains(&format!("{call}::")), "{path} uses {call}");
            assert!(
                !text.contains(&format!("use {call};")),
                "{path} uses {call}"
            );
        }
        assert!(!text.contains("static mut"), "{path} has state");
        assert!(!text.contains("thread_local!"), "{path} has state");
    }
}

/// A hash map may be looked into, never walked: its order is another one in every run. The lint `iter_over_hash_type`
/// sees `for` loops; this sees the methods too, of variables that are made in the file.
#[test]
fn hash_maps_are_looked_into_and_never_walked() {
    for (path, text) in all_sources() {
        let lines = text.lines().filter(|line| line.contains("Hash"));
        let made = lines.filter(|line| line.contains("HashMap::") || line.contains("HashSet::"));
        for line in made {
            let Some(name) = line
                .trim()
                .strip_prefix("let mut ")
                .and_then(|rest| rest.split([' ', ':', '=']).next())
            else {
                continue;
            };
            for walk in [".iter()", ".keys()", ".values()", ".into_iter()", ".drain("] {
                assert!(
                    !text.contains(&format!("{name}{walk}")),
                    "{path} walks `{name}`"
                );
            }
            for walk in [format!("in {name} "), format!("in &{name} ")] {
                assert!(!text.contains(&walk), "{path} walks `{name}`");
            }
        }
    }
}

const PAGE: &str = "---\ntitle: Spoons\nhidden: perhaps\n---\n\n## Tea\n\nA [broken](/nowhere) link, a <Crad>card</Crad>.\n\n\
    ### Soup\n\nA {window.x} and a `<`.\n\n<Note>\n  Never closed.\n";

fn site(text: &str) -> TestSite {
    TestSite::new(&[("index.mdx", text)])
}

/// Everything that queries say of the page, apart from the body, with blocks counted from `first`.
fn facts(site: &TestSite, first: u32) -> String {
    let (db, file) = (&site.db, site.file("index.mdx"));
    let relative = |diagnostics: &[Diagnostic]| {
        let shown = diagnostics.iter().map(|found| {
            let mut found = found.clone();
            if let Place::Block { block, .. } = &mut found.place {
                *block -= first;
            }
            format!("{found:?}\n")
        });
        shown.collect::<String>()
    };
    let matter = front_matter(db, file);
    format!(
        "{:?}\n{}{}{}{:?}\n{:?}\n{:?}\n",
        matter.value,
        relative(&matter.diagnostics),
        relative(page_diagnostics(db, file)),
        relative(link_diagnostics(db, file)),
        page_anchors(db, file),
        page_links(db, file),
        page_body(db, file).outline,
    )
}

#[test]
fn blank_lines_above_change_no_result() {
    let before = site(PAGE);
    let after = site(&PAGE.replace("---\n\n## Tea", "---\n\n\n\n\n\n## Tea"));
    assert!(
        facts(&before, 0).contains("BrokenLink"),
        "the page is wrong in some way"
    );
    assert_eq!(facts(&before, 0), facts(&after, 0));
    let html = |site: &TestSite| {
        ContentHash::of(page_body(&site.db, site.file("index.mdx")).html.as_bytes())
    };
    assert_eq!(html(&before), html(&after));
}

/// A paragraph moves what follows by one block, and by nothing else.
#[test]
fn a_paragraph_above_moves_places_by_one_block() {
    let before = site(PAGE);
    let longer = "---\n\nA paragraph of\nthree lines and\nno heading.\n\n## Tea";
    let after = site(&PAGE.replace("---\n\n## Tea", longer));
    assert_eq!(facts(&before, 0), facts(&after, 1));
}
