//! The versions of what is kept: a change of the program makes anew what it may have changed, and nothing that it cannot.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use queries::store::Kind;

use crate::cases;

#[path = "../../queries/versions.rs"]
mod sources;
use sources::{Files, KINDS, module_of, sources_of, uses};

fn files() -> Files {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Files::new();
    for folder in ["src", "theme"] {
        for (path, bytes) in cases::files(&package.join(folder)) {
            files.insert(Path::new(folder).join(path), bytes);
        }
    }
    files
}

/// The kinds that a change of the file at `path` makes anew.
fn made_anew(path: &str, files: &Files) -> BTreeSet<&'static str> {
    let uses = uses(files).unwrap();
    assert!(files.contains_key(Path::new(path)), "{path}");
    let kinds = KINDS.iter().filter(|(_, modules)| {
        let sources = sources_of(modules, &uses, files);
        sources.contains(Path::new(path))
    });
    kinds.map(|(kind, _)| *kind).collect()
}

#[test]
fn every_kind_has_its_modules() {
    let named: BTreeSet<String> = KINDS.iter().map(|(kind, _)| (*kind).to_owned()).collect();
    let kinds: BTreeSet<String> = Kind::ALL
        .iter()
        .map(|kind| kind.name().replace(' ', "_").to_uppercase())
        .collect();
    assert_eq!(named, kinds);
    let modules: BTreeSet<String> = files().keys().filter_map(|path| module_of(path)).collect();
    for (kind, roots) in KINDS {
        for root in *roots {
            assert!(modules.contains(*root), "{kind}: {root}");
        }
    }
    // Two kinds whose sources differ have different versions, and none is that of nothing.
    let distinct: BTreeSet<&str> = Kind::ALL.iter().map(|kind| kind.version()).collect();
    assert!(distinct.len() > 4, "{distinct:?}");
    assert!(distinct.iter().all(|version| version.len() == 64));
}

#[test]
fn a_change_makes_anew_what_it_may_have_changed() {
    let files = files();
    let references = ["OPERATION_REFERENCE", "MODEL_REFERENCE", "MANUAL_REFERENCE"];
    let all_of = |kinds: &[&[&'static str]]| kinds.concat().into_iter().collect::<BTreeSet<_>>();
    let drawn = all_of(&[&references, &["PAGE_BODY"]]);
    let everything: BTreeSet<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
    // What stands around pages, and what is made of the whole site, is not kept.
    for path in [
        "src/frame.rs",
        "src/render/header.rs",
        "src/render/sidebar.rs",
        "src/render/toc.rs",
        "src/search.rs",
        "src/site.rs",
        "src/links.rs",
    ] {
        assert_eq!(made_anew(path, &files), BTreeSet::new(), "{path}");
    }
    for path in ["src/render/reference.rs", "src/render/reference/rows.rs"] {
        assert_eq!(made_anew(path, &files), all_of(&[&references]), "{path}");
    }
    for path in [
        "src/render/prose.rs",
        "src/render/components/card.rs",
        "theme/css/base.css",
    ] {
        let kinds = made_anew(path, &files);
        assert!(kinds.is_superset(&drawn), "{path}: {kinds:?}");
        for kind in ["CUT", "FRONT_MATTER", "IMPORT_WORDS", "OPERATION_META"] {
            assert!(!kinds.contains(kind), "{path}: {kind}");
        }
    }
    let kinds = made_anew("src/openapi/endpoint.rs", &files);
    assert!(kinds.is_superset(&all_of(&[&references, &["OPERATION_META"]])));
    assert!(!kinds.contains("CUT") && !kinds.contains("IMPORT_WORDS"));
    let kinds = made_anew("src/mdx/front_matter.rs", &files);
    assert!(kinds.contains("FRONT_MATTER") && !kinds.contains("CUT"));
    // How the text of a file is found, and what everything is kept by.
    for path in ["src/trace.rs", "src/store.rs"] {
        let kinds = made_anew(path, &files);
        assert!(kinds.is_superset(&drawn), "{path}: {kinds:?}");
    }
    assert!(made_anew("src/content.rs", &files).is_superset(&drawn));
    assert_eq!(made_anew("src/path.rs", &files), everything);
}

/// Another way to look for the same: no module that is named in a text is missing.
#[test]
fn no_use_is_overlooked() {
    let files = files();
    let uses = uses(&files).unwrap();
    let modules: BTreeSet<String> = files.keys().filter_map(|path| module_of(path)).collect();
    for (path, bytes) in &files {
        let Some(own) = module_of(path) else { continue };
        let text = String::from_utf8_lossy(bytes);
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for line in text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            for rest in line.split("crate::").skip(1) {
                let end =
                    rest.find(|sign: char| !(sign.is_alphanumeric() || sign == '_' || sign == ':'));
                let named: Vec<&str> = rest[..end.unwrap_or(rest.len())].split("::").collect();
                let below = named.get(..2).map(|names| names.join("/"));
                let below = below.filter(|name| modules.contains(name));
                let Some(module) = below.or_else(|| modules.get(named[0]).cloned()) else {
                    // A list: `use crate::{…}`.
                    continue;
                };
                if named.last() == Some(&"")
                    && modules
                        .iter()
                        .any(|of| of.starts_with(&format!("{module}/")))
                {
                    // A list of the parts of a module: `use crate::render::{…}`.
                    continue;
                }
                assert!(
                    module == own || uses[&own].contains(&module),
                    "{}: {line}",
                    path.display()
                );
            }
        }
    }
}

/// A method is called without a name of the module that it is written in: it must be written where its type is.
#[test]
fn methods_are_written_in_the_module_of_their_type() {
    let files = files();
    let mut declared: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut written: Vec<(PathBuf, String, String)> = Vec::new();
    for (path, bytes) in &files {
        let Some(own) = module_of(path) else { continue };
        let text = String::from_utf8_lossy(bytes);
        for line in text.lines() {
            let line = line.trim_start();
            let line = match line.strip_prefix("pub") {
                Some(rest) if rest.starts_with('(') => {
                    rest.split_once(") ").map_or("", |(_, rest)| rest)
                }
                Some(rest) => rest.trim_start(),
                None => line,
            };
            let name = |rest: &str| -> String {
                rest.chars()
                    .take_while(|sign| sign.is_alphanumeric() || *sign == '_')
                    .collect()
            };
            for word in ["struct ", "enum ", "trait ", "type "] {
                if let Some(rest) = line.strip_prefix(word) {
                    declared.entry(own.clone()).or_default().insert(name(rest));
                }
            }
            let is_block = line.starts_with("impl") && line.ends_with('{');
            if is_block && !line.contains(" for ") {
                let mut rest = &line["impl".len()..];
                if let Some(generic) = rest.strip_prefix('<') {
                    let mut depth = 1;
                    let end = generic.find(|sign: char| {
                        depth += i32::from(sign == '<') - i32::from(sign == '>');
                        depth == 0
                    });
                    rest = &generic[end.unwrap() + 1..];
                }
                let target = rest
                    .trim_start()
                    .split(['<', ' '])
                    .next()
                    .unwrap_or_default();
                let last = target.rsplit("::").next().unwrap_or_default();
                written.push((path.clone(), own.clone(), last.to_owned()));
            }
        }
    }
    assert!(written.len() > 100, "{}", written.len());
    // A macro writes for the types of the module that it stands in.
    written.retain(|(_, _, target)| !target.starts_with('$'));
    for (path, own, target) in written {
        assert!(
            declared
                .get(&own)
                .is_some_and(|types| types.contains(&target)),
            "{}: {target} is not of {own}",
            path.display()
        );
    }
}

#[test]
fn uses_are_read_as_the_compiler_reads_them() {
    let site = |text: &str| -> Files {
        let modules = ["a", "b", "c", "d", "render", "render/x", "render/y"];
        let empty = modules
            .iter()
            .map(|name| (PathBuf::from(format!("src/{name}.rs")), Vec::new()));
        let mut files: Files = empty.collect();
        files.insert("src/a.rs".into(), text.into());
        files
    };
    let of = |text: &str| {
        let uses = uses(&site(text)).unwrap();
        uses["a"].iter().cloned().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of("use crate::b;"), "b");
    assert_eq!(
        of("use crate::{b::{self, One as Two}, c::Three,\n    render::{x::f, y},};"),
        "b c render/x render/y"
    );
    assert_eq!(of("pub(crate) use crate::render::Other;"), "render");
    assert_eq!(
        of("html! { (crate::render::x::icon(\"a\")) }\n// crate::c::d\n"),
        "render/x"
    );
    assert_eq!(
        of("fn f() { super::d::<u8>() + crate::b::g::<crate::c::T>() }"),
        "b c d"
    );
    assert_eq!(
        of("mod inner { use super::super::b; use super::Own; }\n"),
        "b"
    );
    assert_eq!(of("#[cfg(test)]\nmod tests { use crate::b; }"), "");
    assert_eq!(of("use recrate::b; let supercrate = 1;"), "");
    assert!(uses(&site("use crate::nowhere::x;")).is_err());
}
