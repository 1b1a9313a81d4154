//! Which sources decide what is made of each kind that is kept: those of the modules that its own use, and so on.
//!
//! Read by the build script, which names each kind by a digest of them: a program with another header finds every page body
//! that was kept, one that shows operations otherwise makes those anew and nothing else. It may take too many sources, never
//! too few: a module is taken whole, with every file that it includes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// The kinds, and the modules that make them. `body` holds the queries of the last four; it uses all of `render`.
pub(crate) const KINDS: &[(&str, &[&str])] = &[
    ("CUT", &["data"]),
    ("FRONT_MATTER", &["page"]),
    ("IMPORT_WORDS", &["imports"]),
    ("OPERATION_META", &["openapi"]),
    ("GRAMMAR_SPANS", &["render/highlight"]),
    ("PAGE_BODY", &["body", "body/reads", "render/prose"]),
    (
        "OPERATION_REFERENCE",
        &["body/reference", "render/reference"],
    ),
    ("MODEL_REFERENCE", &["body/reference", "render/reference"]),
    ("MANUAL_REFERENCE", &["body/manual", "render/reference"]),
];

/// Files by their path from the folder of the package, such as `src/mdx/js.rs`.
pub(crate) type Files = BTreeMap<PathBuf, Vec<u8>>;

/// The module that the file at `path` belongs to: one at the root of the crate, or one of `render` or `body`, whose parts
/// are as large. `render` itself is `render.rs`. `None` for what is no module, and for tests.
pub(crate) fn module_of(path: &Path) -> Option<String> {
    let path = path.strip_prefix("src").ok()?;
    let is_test = path.file_name()? == "tests.rs" || path.iter().any(|part| part == "tests");
    if path.extension()? != "rs" || is_test {
        return None;
    }
    let path = path.with_extension("");
    let mut names = path.iter().filter_map(|name| name.to_str());
    let first = names.next()?;
    Some(match names.next() {
        Some(second) if matches!(first, "render" | "body") => format!("{first}/{second}"),
        _ => first.to_owned(),
    })
}

/// The modules that each module uses. An error names what could not be told.
pub(crate) fn uses(files: &Files) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
    let modules: BTreeSet<String> = files.keys().filter_map(|path| module_of(path)).collect();
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, bytes) in files {
        let Some(own) = module_of(path) else { continue };
        let used = uses.entry(own.clone()).or_default();
        let text = String::from_utf8_lossy(bytes);
        let text = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        // Comments name what they are about, which need not be used.
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let text = lines.collect::<Vec<_>>().join("\n");
        for named in paths(&text) {
            let found = resolve(&named, path, &modules);
            if found.is_empty() {
                return Err(format!(
                    "{}: what is `{}`?",
                    path.display(),
                    named.join("::")
                ));
            }
            used.extend(found.into_iter().filter(|module| *module != own));
        }
    }
    Ok(uses)
}

/// The modules that the path `named` in the file at `path` may lead to.
fn resolve(named: &[String], path: &Path, modules: &BTreeSet<String>) -> BTreeSet<String> {
    let ups = named.iter().take_while(|name| *name == "super").count();
    let rest = &named[ups.max(1)..];
    let file = path.strip_prefix("src").unwrap_or(path).with_extension("");
    let place: Vec<&str> = file.iter().filter_map(|name| name.to_str()).collect();
    // A `super` may lead out of a module that is written within the file.
    let bases = match ups {
        0 => vec![0],
        _ => (0..=ups).map(|up| place.len().saturating_sub(up)).collect(),
    };
    let mut found = BTreeSet::new();
    for base in bases {
        let mut whole: Vec<&str> = place[..base].to_vec();
        whole.extend(rest.iter().map(String::as_str));
        let below = whole.get(..2).map(|names| names.join("/"));
        let below = below.filter(|name| modules.contains(name));
        let first = whole.first().filter(|name| modules.contains(**name));
        found.extend(below.or_else(|| first.map(|name| (*name).to_owned())));
    }
    found
}

/// Every path in `text` that begins with `crate` or `super`; the lists of a `use` one by one.
fn paths(text: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for word in ["crate", "super"] {
        for (at, _) in text.match_indices(word) {
            let is_name = |sign: char| sign.is_alphanumeric() || sign == '_' || sign == ':';
            let is_begin = !text[..at].ends_with(is_name);
            let rest = &text[at + word.len()..];
            if is_begin && let Some(rest) = rest.strip_prefix("::") {
                tree(&[word.to_owned()], rest, &mut all);
            }
        }
    }
    all
}

/// Adds the paths that `text` begins with, each below `base`; returns what comes after them.
fn tree<'a>(base: &[String], text: &'a str, all: &mut Vec<Vec<String>>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = tree(base, rest, all);
            // `as another`
            let end = rest.find([',', '}']).unwrap_or(rest.len());
            match rest[end..].strip_prefix(',') {
                Some(more) if !more.trim_start().starts_with('}') => rest = more,
                Some(more) => return &more.trim_start()[1..],
                None => return rest.get(end + 1..).unwrap_or_default(),
            }
        }
    }
    let end = text.find(|sign: char| !(sign.is_alphanumeric() || sign == '_' || sign == '*'));
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    let mut path = base.to_vec();
    path.push(name.to_owned());
    match rest.strip_prefix("::") {
        Some(rest) if !rest.starts_with('<') => tree(&path, rest, all),
        _ => {
            all.push(path);
            rest
        }
    }
}

/// The sources that decide what is made by `modules`.
pub(crate) fn sources_of<'a>(
    modules: &[&str],
    uses: &BTreeMap<String, BTreeSet<String>>,
    files: &'a Files,
) -> BTreeSet<&'a Path> {
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    let mut pending: Vec<&str> = modules.to_vec();
    while let Some(module) = pending.pop() {
        if taken.insert(module) {
            pending.extend(uses.get(module).into_iter().flatten().map(String::as_str));
        }
    }
    let mut sources = BTreeSet::new();
    for (path, bytes) in files {
        if module_of(path).is_some_and(|module| taken.contains(&*module)) {
            sources.insert(&**path);
            let text = String::from_utf8_lossy(bytes);
            for name in text
                .split("include_")
                .skip(1)
                .filter_map(|rest| rest.split('"').nth(1))
            {
                let included = normal(&path.with_file_name(name));
                sources.extend(files.get_key_value(&included).map(|(path, _)| &**path));
            }
        }
    }
    sources
}

/// `path` without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}
