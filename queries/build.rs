//! Tells the core what it is made of: a digest of its sources, its theme and the versions of what it depends on.
//!
//! What was drawn is kept beyond the life of a process (`src/store.rs`). A program that might draw otherwise must not find
//! it, so the digest is part of every key.

#![expect(
    clippy::disallowed_methods,
    reason = "it runs before the core is compiled, and speaks to Cargo"
)]

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let mut paths = Vec::new();
    for folder in ["src", "theme"] {
        println!("cargo:rerun-if-changed={folder}");
        list(Path::new(folder), &mut paths);
    }
    for file in ["Cargo.toml", "../Cargo.lock"] {
        println!("cargo:rerun-if-changed={file}");
        paths.push(PathBuf::from(file));
    }
    paths.sort();
    let mut hasher = blake3::Hasher::new();
    for path in paths {
        let bytes = fs::read(&path).unwrap_or_default();
        hasher.update(path.to_string_lossy().as_bytes());
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(&bytes);
    }
    println!("cargo:rustc-env=QUIRE_CORE={}", hasher.finalize().to_hex());
}

/// Adds every file below `folder` to `paths`.
fn list(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            list(&path, paths);
        } else {
            paths.push(path);
        }
    }
}
