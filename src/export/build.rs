//! Digests the sources of the crates that decide what an export holds: the next build of another
//! program makes everything again. The core has its own digest (`queries/build.rs`), and that of
//! the versions of what both depend on.

use std::path::Path;
use std::{env, fs};

/// Crates that an export is made by, besides the core: `quire-export` and what it depends on, without those of its features.
const CRATES: [&str; 7] = [
    "cards", "engine", "export", "net", "search", "source", "storage",
];

fn main() {
    let mut hasher = blake3::Hasher::new();
    let with_models = env::var_os("CARGO_FEATURE_BERT").is_some();
    for name in CRATES.into_iter().chain(with_models.then_some("encoder")) {
        let folder = format!("../{name}/src");
        println!("cargo:rerun-if-changed={folder}");
        add(&mut hasher, Path::new(&folder));
    }
    println!("cargo:rustc-env=QUIRE_SHELL={}", hasher.finalize().to_hex());
}

/// Adds the file at `path`, or all files below the folder `path`, to the digest. `.md` files are
/// ignored.
fn add(hasher: &mut blake3::Hasher, path: &Path) {
    if let Ok(entries) = fs::read_dir(path) {
        let mut below: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        below.sort();
        below.iter().for_each(|path| add(hasher, path));
        return;
    }
    if path.extension().is_some_and(|end| end == "md") {
        return;
    }
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    hasher.update(path.as_os_str().as_encoded_bytes());
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(&bytes);
}
