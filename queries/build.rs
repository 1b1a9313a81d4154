//! Tells the core what it is made of: a digest of its sources, its theme and the versions of what it depends on; and the
//! same of the sources of each kind of what is kept (`versions.rs`).
//!
//! What was drawn is kept beyond the life of a process (`src/store.rs`). A program that might draw otherwise must not find
//! it, so the digest is part of every key.

#![expect(
    clippy::disallowed_methods,
    reason = "it runs before the core is compiled, and speaks to Cargo"
)]

use std::fs;
use std::path::Path;

use versions::{Files, KINDS};

mod versions;

/// What every kind depends on.
const COMMON: &[&str] = &["Cargo.toml", "../Cargo.lock", "build.rs", "versions.rs"];

fn main() {
    let mut files = Files::new();
    for folder in ["src", "theme", "models"] {
        println!("cargo:rerun-if-changed={folder}");
        list(Path::new(folder), &mut files);
    }
    for file in COMMON {
        println!("cargo:rerun-if-changed={file}");
        files.insert(file.into(), fs::read(file).unwrap_or_default());
    }
    let all = digest(&files, files.keys().map(|path| &**path));
    println!("cargo:rustc-env=QUIRE_CORE={all}");
    let uses = versions::uses(&files);
    if let Err(error) = &uses {
        println!("cargo:warning=everything that is kept has one version: {error}");
    }
    for (kind, modules) in KINDS {
        let version = match &uses {
            Ok(uses) => {
                let mut sources = versions::sources_of(modules, uses, &files);
                sources.extend(COMMON.iter().map(Path::new));
                digest(&files, sources)
            }
            Err(_) => all.clone(),
        };
        println!("cargo:rustc-env=QUIRE_KIND_{kind}={version}");
    }
}

/// The digest of the files at `paths`.
fn digest<'a>(files: &Files, paths: impl IntoIterator<Item = &'a Path>) -> String {
    let mut hasher = blake3::Hasher::new();
    for path in paths {
        let bytes = files.get(path).map_or(&[][..], Vec::as_slice);
        hasher.update(path.to_string_lossy().as_bytes());
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    hasher.finalize().to_hex().to_string()
}

/// Adds every file below `folder` to `files`.
fn list(folder: &Path, files: &mut Files) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            list(&path, files);
        } else {
            let bytes = fs::read(&path).unwrap_or_default();
            files.insert(path, bytes);
        }
    }
}
