//! The versions of what is stored: a change of the program makes anew what it may have changed.

use std::collections::BTreeSet;

use queries::store::Kind;

/// The sources of each kind, as the build script found them: `KIND path`, the path from the folder of the package.
const SOURCES: &str = include_str!(env!("QUIRE_SOURCES"));

/// The kinds that a change of the file at `path` makes anew.
fn made_anew(path: &str) -> BTreeSet<&'static str> {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    assert!(file.exists(), "{path}");
    let pairs = SOURCES.lines().filter_map(|line| line.split_once(' '));
    let of = pairs.filter(|(_, source)| source.trim_start_matches("./") == path);
    of.map(|(kind, _)| kind).collect()
}

#[test]
fn every_kind_has_its_version() {
    let named: BTreeSet<String> = (SOURCES.lines())
        .filter_map(|line| Some(line.split_once(' ')?.0.to_owned()))
        .collect();
    let kinds: BTreeSet<String> = Kind::ALL
        .iter()
        .map(|kind| kind.name().replace(' ', "_").to_uppercase())
        .collect();
    assert_eq!(named, kinds);
    // One for each crate that makes some of them, and none is that of nothing.
    let versions: BTreeSet<&str> = Kind::ALL.iter().map(|kind| kind.version()).collect();
    assert_eq!(versions.len(), 5, "{versions:?}");
    assert!(versions.iter().all(|version| version.len() == 64));
}

#[test]
fn a_change_makes_anew_what_it_may_have_changed() {
    let drawn = [
        "COMPONENT_ROWS",
        "MANUAL_REFERENCE",
        "MODEL_REFERENCE",
        "OPERATION_REFERENCE",
        "PAGE_BODY",
    ];
    let with = |more: &[&'static str]| drawn.iter().chain(more).copied().collect::<BTreeSet<_>>();
    // What stands around pages, and what is made of the whole site, is not stored.
    for path in [
        "src/frame.rs",
        "src/search.rs",
        "src/site.rs",
        "src/links.rs",
    ] {
        assert_eq!(made_anew(path), BTreeSet::new(), "{path}");
    }
    assert_eq!(made_anew("src/search/html.rs"), BTreeSet::new());
    for path in [
        "src/body.rs",
        "src/body/reads.rs",
        "src/trace.rs",
        "src/openapi.rs",
    ] {
        assert_eq!(made_anew(path), with(&[]), "{path}");
    }
    for path in [
        "config/src/site.rs",
        "theme/src/components/card.rs",
        "theme/css/base.css",
    ] {
        assert_eq!(made_anew(path), with(&[]), "{path}");
    }
    // The colors of code are made without the theme.
    let of_code = with(&["GRAMMAR_SPANS"]);
    assert_eq!(made_anew("highlight/src/grammars.rs"), of_code);
    let of_documents = with(&["OPERATION_META"]);
    assert_eq!(made_anew("openapi/src/endpoint.rs"), of_documents);
    let of_pages = with(&["FRONT_MATTER", "GRAMMAR_SPANS", "IMPORT_WORDS"]);
    assert_eq!(made_anew("mdx/src/front_matter.rs"), of_pages);
    for path in ["base/src/path.rs", "base/Cargo.toml", "../Cargo.lock"] {
        assert_eq!(made_anew(path).len(), Kind::ALL.len(), "{path}");
    }
}
