//! Imports that are allowed: between the modules of the core, and from the shell into it. Between the
//! crates of the shell Cargo keeps them.

use std::collections::BTreeSet;
use std::path::Path;

use crate::cases::own_files;

/// The crates of the core that compute and know no database, as Cargo keeps them apart: each with those it uses.
const CRATES: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("embedding", &[]),
    ("formula", &[]),
    ("island", &[]),
    ("lint", &["base"]),
    ("mdx", &["base"]),
    ("highlight", &["mdx"]),
    ("openapi", &["base"]),
    ("config", &["base"]),
    ("utility", &[]),
    (
        "theme",
        &["base", "formula", "highlight", "mdx", "openapi", "utility"],
    ),
];

/// What the shell sees of the core.
const FACADE: &[&str] = &["base", "change", "site", "theme"];

/// The rows of the crate `queries`. A module uses the rows above its own.
const ROWS: &[&[&str]] = &[
    &["inputs", "store", "db", "trace"],
    &["change", "config", "imports", "openapi"],
    &["navigation"],
    &["binding"],
    &["page"],
    &["alternates", "reference", "skill"],
    &["exports"],
    &["body", "fragment", "mock"],
    &["head"],
    &["feed", "frame", "links", "outputs", "relay", "search"],
    &["backlinks", "blocks", "card", "markdown"],
    &["catalog"],
    &["programs"],
    &["site"],
];

/// What a module may use of its own row.
const SIDEWAYS: &[(&str, &str)] = &[
    ("inputs", "db"),
    ("db", "store"),
    ("trace", "db"),
    ("trace", "store"),
    ("feed", "search"),
    ("frame", "feed"),
    ("frame", "relay"),
    ("outputs", "feed"),
    ("outputs", "frame"),
    ("links", "outputs"),
];

/// Source files by their path, without comments and without their tests.
pub(crate) fn sources(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let sources = own_files(&folder).into_iter().map(|(path, bytes)| {
        let text = String::from_utf8(bytes).unwrap();
        let text = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        let lines = text
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default());
        (path, lines.collect::<Vec<_>>().join("\n"))
    });
    let is_source = |path: &str| path.ends_with(".rs");
    sources.filter(|(path, _)| is_source(path)).collect()
}

/// The module at the root that a file belongs to.
fn module(path: &str) -> &str {
    path.split('/')
        .next()
        .unwrap_or(path)
        .trim_end_matches(".rs")
}

/// The modules at the root that `text` names after `crate::`.
fn used(text: &str) -> Vec<&str> {
    let after = text.split("crate::").skip(1);
    let mut used: Vec<&str> = after
        .map(|rest| {
            let end = rest.find(|c: char| !(c.is_ascii_lowercase() || c == '_'));
            &rest[..end.unwrap_or(rest.len())]
        })
        .collect();
    used.sort_unstable();
    used.dedup();
    used
}

fn row(module: &str) -> usize {
    let found = ROWS.iter().position(|row| row.contains(&module));
    found.unwrap_or_else(|| panic!("`{module}` is in no row of the table"))
}

#[test]
fn a_module_of_the_core_uses_those_above_it() {
    let mut wrong = String::new();
    for (path, text) in sources("src") {
        let from = module(&path);
        if from == "lib" {
            continue;
        }
        for to in used(&text) {
            let is_allowed = to == from || row(to) < row(from) || SIDEWAYS.contains(&(from, to));
            if !is_allowed {
                wrong.push_str(&format!("{path} uses {to}\n"));
            }
        }
    }
    assert_eq!(wrong, "");
}

/// Every module is in the table, and the table names no module that is gone.
#[test]
fn the_table_is_complete() {
    let lib = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"));
    let lib = lib.unwrap();
    let declared = lib.lines().filter_map(|line| line.strip_prefix("pub mod "));
    let mut declared: Vec<&str> = declared.map(|name| name.trim_end_matches(';')).collect();
    let mut known: Vec<&str> = ROWS.iter().flat_map(|row| row.iter().copied()).collect();
    declared.sort_unstable();
    known.sort_unstable();
    assert_eq!(declared, known);
}

/// What computes does not ask: the files in these folders take plain values.
#[test]
fn folders_that_compute_do_not_see_the_database() {
    for (path, text) in sources("src") {
        let computes = ["binding/", "navigation/", "page/", "search/"];
        if computes.iter().any(|folder| path.starts_with(folder)) {
            assert!(!used(&text).contains(&"db"), "{path} imports the database");
            assert!(!text.contains("salsa"), "{path} names the engine");
            assert!(!text.contains("dyn Db"), "{path} takes the database");
        }
    }
}

/// What the manifest of a crate depends on.
pub(crate) fn dependencies(manifest: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(manifest).unwrap();
    let section = text
        .split("\n[")
        .find_map(|part| part.strip_prefix("dependencies]"));
    let lines = section.unwrap_or_default().lines();
    let entries = lines.filter(|line| !line.starts_with('#'));
    let names = entries.filter_map(|line| line.split(['.', ' ', '=']).next());
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Every folder with a manifest is in the table, and uses what its row names.
#[test]
fn a_crate_of_the_core_uses_what_its_row_names() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let manifest = entry.path().join("Cargo.toml");
        if manifest.exists() {
            found.push((
                entry.file_name().into_string().unwrap(),
                dependencies(&manifest),
            ));
        }
    }
    found.sort();
    let own: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
    let found: Vec<(String, Vec<String>)> = found
        .into_iter()
        .map(|(name, used)| {
            (
                name,
                used.into_iter().filter(|name| own.contains(name)).collect(),
            )
        })
        .collect();
    let mut expected: Vec<(String, Vec<String>)> = CRATES
        .iter()
        .map(|(name, used)| {
            let used = used.iter().map(|name| (*name).to_owned());
            ((*name).to_owned(), used.collect())
        })
        .collect();
    expected.sort();
    assert_eq!(found, expected);
}

/// The shell asks the core through its façade.
#[test]
fn the_shell_uses_the_facade() {
    for (path, text) in sources("../src") {
        for rest in text.split("queries::").skip(1) {
            let end = rest.find(|sign: char| !(sign.is_ascii_lowercase() || sign == '_'));
            let module = &rest[..end.unwrap_or(rest.len())];
            assert!(FACADE.contains(&module), "{path} uses queries::{module}");
        }
    }
}

/// Libraries that one crate of the shell answers for: no other manifest below `src/` names them.
const OWNERS: &[(&str, &str)] = &[
    ("salsa", "engine"),
    ("tantivy", "search"),
    ("resvg", "cards"),
    ("rmcp", "mcp"),
    ("hyper-util", "http"),
    ("notify", "source"),
    ("lz4_flex", "storage"),
    ("object_store", "bucket"),
    ("tokio-postgres", "postgres"),
    ("deadpool-postgres", "postgres"),
    ("candle-core", "encoder"),
    ("tokenizers", "encoder"),
    ("gemm", "encoder"),
];

#[test]
fn a_library_is_named_by_its_crate_alone() {
    let shell = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(shell).unwrap().flatten() {
        let manifest = entry.path().join("Cargo.toml");
        if manifest.exists() {
            let name = entry.file_name().into_string().unwrap();
            found.push((name, dependencies(&manifest)));
        }
    }
    // The program, whose manifest is that of the workspace.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    found.push(("the program".to_owned(), dependencies(&root)));
    for (library, owner) in OWNERS {
        let named = found
            .iter()
            .filter(|(_, used)| used.iter().any(|name| name == library));
        let named: Vec<&str> = named.map(|(name, _)| name.as_str()).collect();
        assert_eq!(named, [*owner], "{library}");
    }
}

/// Words by which a file of the shell could reach the network, and the files that may have them: what others wrote reaches
/// what `network.rs` lets it reach because there is no other way.
const CONNECTING: &[(&str, &[&str])] = &[
    ("ClientBuilder", &["net/src/network.rs"]),
    ("Client::builder", &[]),
    // It wraps the client of the bucket, and reads the date of each answer.
    ("Client::new", &["bucket/src/clock.rs"]),
    ("ReqwestConnector", &["bucket/src/clock.rs"]),
    ("reqwest::get", &[]),
    ("reqwest::blocking", &[]),
    ("reqwest::Client", &[]),
    ("reqwest::dns", &["net/src/network/guard.rs"]),
    ("dns_resolver", &["net/src/network.rs"]),
    ("redirect::Policy", &["net/src/network.rs"]),
    ("hyper::client", &[]),
    ("hyper_util::client", &[]),
    ("TcpStream::connect", &[]),
    // It listens.
    ("TcpSocket", &["http/src/server.rs"]),
    ("UdpSocket", &[]),
    ("net::connect", &[]),
    ("lookup_host", &["net/src/network/guard.rs"]),
    ("SocketAddrs", &[]),
    // Of this machine: the daemon on a state folder, the service manager.
    ("UnixStream::connect", &["control.rs"]),
    ("UnixDatagram", &["daemon.rs"]),
    // The bucket that the operator names.
    ("AmazonS3Builder", &["bucket/src/client.rs"]),
    // The database that the operator names.
    ("Manager::from_config", &["postgres/src/client.rs"]),
    ("config.connect(", &["postgres/src/change.rs"]),
    // The browser of `dev --open`, and `git`, which is told to fetch by the settings of the operator alone.
    ("Command::new", &["dev.rs", "source/src/repository.rs"]),
];

#[test]
fn there_is_one_way_to_the_network() {
    let mut wrong = String::new();
    for (path, text) in sources("../src") {
        for (word, allowed) in CONNECTING {
            if text.contains(word) && !allowed.contains(&path.as_str()) {
                wrong.push_str(&format!("{path} names {word}\n"));
            }
        }
    }
    assert_eq!(wrong, "");
    // A row that nothing needs any more lets in what nobody looked at.
    for (word, allowed) in CONNECTING {
        for path in *allowed {
            let text = std::fs::read_to_string(Path::new("../src").join(path));
            assert!(text.is_ok_and(|text| text.contains(word)), "{path}: {word}");
        }
    }
    // Nor does a library of the shell bring another client with it.
    // Every version of the workspace stands in its manifest.
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("a manifest");
    for library in [
        "ureq",
        "curl",
        "isahc",
        "attohttpc",
        "minreq",
        "surf",
        "tungstenite",
        "awc",
        "socket2",
    ] {
        let is_named = |line: &str| line.split([' ', '.', '=']).next() == Some(library);
        assert!(!manifest.lines().any(is_named), "{library}");
    }
}

/// Files of the shell besides `storage/` that write to the disk, and what: nothing of it is read by
/// a later start.
const WRITERS: &[(&str, &str)] = &[
    ("cli.rs", "the report that an argument names"),
    (
        "cli/init.rs",
        "the files that a new site begins with, and those around it",
    ),
    (
        "cli/man.rs",
        "man pages in the folder that an argument names",
    ),
    ("cli/manual.rs", "the pages of the manual"),
    (
        "cli/migrate.rs",
        "docs.json of a site of another generator, and titles in its pages",
    ),
    ("cli/mv.rs", "the folder that something is moved into"),
    ("cli/reference.rs", "the reference that it is tested with"),
    ("control.rs", "the socket of a daemon"),
    ("explain.rs", "the trace that an argument names"),
    ("export/src/lib.rs", "the folder of a build"),
    (
        "export/src/turn.rs",
        "the lease of an output folder, which goes with it",
    ),
    ("export/src/writer.rs", "the files of a build"),
    (
        "migrate/src/script/tests.rs",
        "the folders that it is tested with",
    ),
    (
        "rewrite.rs",
        "the files of the author that a command corrects",
    ),
    (
        "search/src/index/directory.rs",
        "the index that a library keeps in a scratch folder",
    ),
    (
        "serve.rs",
        "a folder for search indexes that goes with the process",
    ),
    (
        "site/src/sites/deploy/tests.rs",
        "the folders that it is tested with",
    ),
    (
        "source/src/repository.rs",
        "copies without a name of large files of a commit, while they are sent",
    ),
    (
        "source/src/sources/tests.rs",
        "the folders that it is tested with",
    ),
    (
        "source/src/watch/cookies.rs",
        "signs for the watch, and the folder of those",
    ),
    (
        "source/src/watch/tests.rs",
        "the folders that it is tested with",
    ),
];

/// Calls that write to the disk.
const WRITES: &[&str] = &[
    "fs::write(",
    "fs::create_dir",
    "fs::rename(",
    "fs::remove_",
    "fs::copy(",
    "fs::set_permissions(",
    "fs::hard_link(",
    "fs::symlink(",
    "File::create",
    "File::options",
    "OpenOptions",
    "DirBuilder",
    "tempfile::",
    ".set_len(",
    "create_in_dir(",
    "MmapDirectory",
];

#[test]
fn only_storage_writes_what_is_kept() {
    let writing: Vec<String> = sources("../src")
        .into_iter()
        .filter(|(path, _)| !path.starts_with("storage/"))
        .filter(|(_, text)| WRITES.iter().any(|write| text.contains(write)))
        .map(|(path, _)| path)
        .collect();
    let known: Vec<&str> = WRITERS.iter().map(|(path, _)| *path).collect();
    assert_eq!(writing, known);
}

/// Words by which a file of the shell starts a thread or a task that may outlive the call.
const STARTS: &[&str] = &[
    "thread::Builder",
    "thread::spawn",
    "ThreadPoolBuilder",
    "tokio::spawn",
    "runtime.spawn(",
    "tasks.spawn",
];

/// Files whose threads and tasks wait for nothing but their work, and end with it.
const ENDING: &[&str] = &[
    "engine/src/host.rs",
    "migrate/src/lib.rs",
    "search/src/search_service/documents.rs",
    "source/src/fetch.rs",
    "source/src/repository.rs",
];

#[test]
fn what_waits_is_in_the_table() {
    let starts = |text: &str| STARTS.iter().any(|word| text.contains(word));
    let found = sources("../src").into_iter();
    let found = found.filter(|(path, text)| !path.ends_with("tests.rs") && starts(text));
    let found: BTreeSet<String> = found.map(|(path, _)| path).collect();
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/README.md");
    let readme = std::fs::read_to_string(readme).expect("a README");
    let section = readme.split("## What wakes the process\n").nth(1);
    let section = section.and_then(|rest| rest.split("\n## ").next());
    let rows = section.expect("its section").lines();
    let named = rows.filter_map(|row| row.strip_prefix("| `")?.split('`').next());
    let listed: BTreeSet<String> = named
        .chain(ENDING.iter().copied())
        .map(Into::into)
        .collect();
    let missing: Vec<_> = found.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&found).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "start what waits and are not listed: {missing:?}; are listed and start nothing: {gone:?}"
    );
}
