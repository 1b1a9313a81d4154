//! Tells the core what it is made of: a digest of its crates, the theme and the versions of what they depend on; and for
//! each kind of what is stored a digest of the crates that make it.
//!
//! Rendered results are stored on disk (`src/store.rs`). A program that may render differently must
//! not load them, so this digest is part of every key. A crate is taken whole, with the crates that
//! Cargo links into it: too many sources cost time once, too few would serve what an older program
//! drew.

#![expect(
    clippy::disallowed_methods,
    reason = "it runs before the core is compiled, and speaks to Cargo"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Kinds of what is stored, and the crate whose functions make them. A kind of another crate than `queries` must be made by
/// one call of a function of that crate.
const KINDS: &[(&str, &str)] = &[
    ("CUT", "base"),
    ("FRONT_MATTER", "mdx"),
    ("IMPORT_WORDS", "mdx"),
    ("OPERATION_META", "openapi"),
    ("GRAMMAR_SPANS", "highlight"),
    ("PAGE_BODY", "queries"),
    ("OPERATION_REFERENCE", "queries"),
    ("MODEL_REFERENCE", "queries"),
    ("COMPONENT_ROWS", "queries"),
    ("MANUAL_REFERENCE", "queries"),
];

/// The last module of `queries` that has a part in what is stored. Those after it in `lib.rs` use it and are not used by
/// it: the layer test says so.
const LAST_DRAWING: &str = "body";

/// What every kind depends on.
const COMMON: &[&str] = &["../Cargo.toml", "../Cargo.lock", "build.rs"];

fn main() {
    for path in COMMON {
        println!("cargo:rerun-if-changed={path}");
    }
    let all: BTreeSet<String> = closure("queries")
        .into_iter()
        .chain(["queries".to_owned()])
        .collect();
    for name in &all {
        for part in parts(name) {
            println!("cargo:rerun-if-changed={}", part.display());
        }
    }
    println!(
        "cargo:rustc-env=QUIRE_CORE={}",
        digest(&sources(&all, |_| true))
    );
    let drawing = drawing_modules();
    // For the tests: which sources each kind has.
    let mut kinds = String::new();
    for (kind, name) in KINDS {
        let mut crates = closure(name);
        crates.insert((*name).to_owned());
        let sources = sources(&crates, |path| is_drawing(path, &drawing));
        println!("cargo:rustc-env=QUIRE_KIND_{kind}={}", digest(&sources));
        for source in &sources {
            kinds.push_str(&format!("{kind} {}\n", source.display()));
        }
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it")).join("sources.txt");
    fs::write(&out, kinds).unwrap_or_else(|error| panic!("{out:?}: {error}"));
    println!("cargo:rustc-env=QUIRE_SOURCES={}", out.display());
}

/// The folder of a crate of the core.
fn folder(name: &str) -> PathBuf {
    match name {
        "queries" => PathBuf::from("."),
        _ => PathBuf::from(name),
    }
}

/// What a crate is made of. The crates of the others lie in the folder of `queries`.
fn parts(name: &str) -> Vec<PathBuf> {
    let folder = folder(name);
    match name {
        "queries" => ["Cargo.toml", "src"].map(|part| folder.join(part)).to_vec(),
        _ => vec![folder],
    }
}

/// The crates of the core that Cargo links into `name`, by what their manifests depend on.
fn closure(name: &str) -> BTreeSet<String> {
    let manifest = folder(name).join("Cargo.toml");
    let text =
        fs::read_to_string(&manifest).unwrap_or_else(|error| panic!("{manifest:?}: {error}"));
    let dependencies = text
        .split("\n[")
        .find_map(|part| part.strip_prefix("dependencies]"));
    let lines = dependencies.unwrap_or_default().lines();
    let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
    let mut found = BTreeSet::new();
    for name in names.filter(|name| !name.is_empty() && Path::new(name).join("Cargo.toml").exists())
    {
        found.extend(closure(name));
        found.insert(name.to_owned());
    }
    found
}

/// The modules of `queries` up to the last that renders, in the order of `lib.rs`.
fn drawing_modules() -> BTreeSet<String> {
    let text = fs::read_to_string("src/lib.rs").expect("the root of the crate");
    let mut modules = BTreeSet::from(["lib".to_owned()]);
    for line in text.lines() {
        let named = line
            .strip_prefix("pub mod ")
            .and_then(|rest| rest.strip_suffix(';'));
        let Some(name) = named else { continue };
        modules.insert(name.to_owned());
        if name == LAST_DRAWING {
            return modules;
        }
    }
    panic!("no module `{LAST_DRAWING}` in src/lib.rs");
}

/// Whether the file at `path` has a part in what is rendered: it is of another crate, or of one of
/// the `modules`.
fn is_drawing(path: &Path, modules: &BTreeSet<String>) -> bool {
    let Ok(below) = path.strip_prefix("./src") else {
        return true;
    };
    let first = below.iter().next().unwrap_or_default().to_string_lossy();
    modules.contains(first.trim_end_matches(".rs"))
}

/// Files of `crates` that `has_part` takes, and what everything depends on. Notes decide nothing.
fn sources(crates: &BTreeSet<String>, has_part: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = COMMON.iter().map(PathBuf::from).collect();
    for part in crates.iter().flat_map(|name| parts(name)) {
        list(&part, &mut files);
    }
    files.retain(|path| has_part(path) && path.extension().is_none_or(|end| end != "md"));
    files.sort();
    files
}

/// The digest of the files at `paths`.
fn digest(paths: &[PathBuf]) -> String {
    let mut hasher = blake3::Hasher::new();
    for path in paths {
        let bytes = fs::read(path).unwrap_or_default();
        hasher.update(path.to_string_lossy().as_bytes());
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(&bytes);
    }
    hasher.finalize().to_hex().to_string()
}

/// Adds the file at `path`, or every file below the folder at it.
fn list(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(entries) => {
            for entry in entries.flatten() {
                list(&entry.path(), files);
            }
        }
        Err(_) => files.push(path.to_owned()),
    }
}
