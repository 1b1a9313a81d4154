//! Starts of a large site: the first one, and those after it, each in a process of its own.
//!
//! `cargo bench -p quire --bench restart -- [PAGES]`. The site is generated from a seed, with a specification of 13 MB
//! made of the largest one of the corpus, if it is there. Times are from the start of the process, medians of five.

#![allow(clippy::print_stdout, reason = "it prints what it measures")]
#![allow(clippy::disallowed_methods, reason = "it stands outside of the core")]

#[path = "support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use queries::base::path::Route;
use queries::frame::{PageOptions, page_html};
use queries::site::{route_table, site_diagnostics};
use quire_engine::host::{FileChange, HostOptions, SiteHost};
use quire_source::load;
use quire_source::sources::Sources;
use quire_storage::store::Store;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long the specification is, in bytes.
const SPEC: usize = 13 << 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [start, folder, state, what] = &arguments[..]
        && start == "start"
    {
        return one_start(Path::new(folder), Path::new(state), what);
    }
    let pages = arguments.iter().find_map(|argument| argument.parse().ok());
    let (folder, bytes) = generate(pages.unwrap_or(10_000));
    println!(
        "{} files, {} MB, in {}",
        bytes.0,
        bytes.1 >> 20,
        folder.path().display()
    );
    // Files that were written a moment ago are read again.
    std::thread::sleep(Duration::from_millis(2_500));
    let state = folder.path().join(".state");
    run("empty process", folder.path(), &state, "nothing", 1);
    let plain = tempfile::tempdir().expect("a folder");
    let plain_state = folder.path().join(".plain-state");
    for (path, text) in support::site(pages.unwrap_or(10_000), 1) {
        let path = plain.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }
    std::thread::sleep(Duration::from_millis(2_500));
    for (name, what, times) in [
        ("pages alone: first start, every page", "all", 1),
        ("pages alone: second start, to the first page", "page", 5),
        ("pages alone: second start, every finding", "check", 3),
    ] {
        run(name, plain.path(), &plain_state, what, times);
    }
    run(
        "first start, to the first page",
        folder.path(),
        &folder.path().join(".other"),
        "page",
        1,
    );
    run("first start, every page", folder.path(), &state, "all", 1);
    run(
        "second start, to the first page",
        folder.path(),
        &state,
        "page",
        5,
    );
    run("second start, every page", folder.path(), &state, "all", 3);
    run(
        "second start, every finding",
        folder.path(),
        &state,
        "check",
        3,
    );
    let page = folder.path().join(format!("{}.mdx", support::path(7)));
    let text = fs::read_to_string(&page).expect("it was written");
    fs::write(&page, format!("{text}\nMore.\n")).expect("it can be written");
    run("after an edit", folder.path(), &state, "all", 1);
    fs::write(&page, &text).expect("it can be written");
    run("after its revert", folder.path(), &state, "all", 1);
}

/// Runs `what` `times` times, each in a process of its own, and prints the medians.
fn run(name: &str, folder: &Path, state: &Path, what: &str, times: usize) {
    let mut figures: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut order = Vec::new();
    for _ in 0..times {
        let output = Command::new(std::env::current_exe().expect("it has a path"))
            .arg("start")
            .args([folder, state])
            .arg(what)
            .output()
            .expect("it starts");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let (name, value) = line.rsplit_once(' ').expect("a figure");
            if !figures.contains_key(name) {
                order.push(name.to_owned());
            }
            let value = value.parse().expect("a number");
            figures.entry(name.to_owned()).or_default().push(value);
        }
    }
    println!("\n{name}");
    for figure in order {
        let values = figures.get_mut(&figure).expect("it was measured");
        values.sort_by(f64::total_cmp);
        println!("  {figure:34} {:10.1}", values[values.len() / 2]);
    }
}

/// One start: what is asked for is `nothing`, the first `page`, `all` pages, or every finding (`check`).
fn one_start(folder: &Path, state: &Path, what: &str) {
    let began = Instant::now();
    let said = |name: &str| println!("{name} {:.3}", began.elapsed().as_secs_f64() * 1e3);
    let empty = resident();
    if what == "nothing" {
        return println!("resident MB {empty:.1}");
    }
    let store = Store::open(state);
    said("store open ms");
    let stats = store.stats_of(folder);
    let sources = Sources::open(folder)
        .expect("a folder")
        .with_stat_cache(stats);
    said("files known ms");
    let paths = sources.walk(&sources.root(), &mut |_| {}).files;
    said("walked ms");
    let states = sources.look_all(&paths);
    said("looked at ms");
    let options = HostOptions {
        observer: None,
        store: store.clone(),
        reader: Some(load::reader(&sources)),
        cache_capacity: None,
    };
    let host = SiteHost::new("", options);
    let changes = paths.into_iter().zip(states);
    host.apply(changes.map(|(path, state)| FileChange { path, state }));
    said("inputs set ms");
    let first = Route::new(&support::path(0)).expect("a route");
    let options = PageOptions::default();
    let routes = host
        .read(|db, site| route_table(db, site).clone())
        .expect("it has routes");
    said("all routes ms");
    // As whoever publishes does.
    quire_storage::allocator::start_purger();
    let html = host.read(|db, site| page_html(db, site, routes.pages[&first], &options).html);
    assert!(html.expect("a page").contains("Section 0 of page 0"));
    said("first page ms");
    if what != "page" {
        let pages: Vec<_> = routes.pages.values().copied().collect();
        let lengths = host.read_all(&pages, |db, site, page| {
            page_html(db, site, *page, &options).html.len()
        });
        said("all pages ms");
        let bytes: usize = lengths
            .into_iter()
            .map(|length| length.expect("a page"))
            .sum();
        println!("pages {}", pages.len());
        println!("MB of pages {:.1}", bytes as f64 / 1e6);
        println!("resident MB above empty {:.1}", resident() - empty);
        host.evict();
        // Longer than what a start leaves is kept.
        std::thread::sleep(Duration::from_millis(2500));
        println!("... after idle {:.1}", resident() - empty);
    }
    if what == "check" {
        let found = host.read(|db, site| site_diagnostics(db, site).len());
        said("all findings ms");
        println!("findings {}", found.expect("findings"));
        host.evict();
        println!("resident MB above empty, checked {:.1}", resident() - empty);
    }
    store.idle();
    said("written ms");
    let stats = store.stats();
    let (found, made) = stats.total();
    println!("found {found}");
    println!("made {made}");
    println!("drawn {}", stats.drawn());
    println!("pack entries {}", stats.pack.entries);
    println!("pack MB {:.1}", stats.pack.bytes as f64 / 1e6);
    println!(
        "contents in memory MB {:.1}",
        stats.contents.bytes as f64 / 1e6
    );
}

/// How much memory this process has, in MB.
fn resident() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}

/// A folder with the site, how many files it has, and how many bytes they have together.
fn generate(pages: usize) -> (tempfile::TempDir, (usize, usize)) {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut count, mut bytes) = (0, 0);
    let mut write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
        count += 1;
        bytes += text.len();
    };
    let spec = specification();
    for (path, text) in support::site(pages, 1) {
        match &spec {
            Some(_) if path == "docs.json" => {
                let tab = "\"tabs\":[{\"tab\":\"API\",\"openapi\":\"openapi.json\"},";
                write(&path, &text.replacen("\"tabs\":[", tab, 1));
            }
            _ => write(&path, &text),
        }
    }
    if let Some(spec) = &spec {
        write("openapi.json", spec);
    }
    (folder, (count, bytes))
}

/// The largest specification of the corpus, its paths repeated until it is 13 MB long.
fn specification() -> Option<String> {
    let shared = std::env::var("QUIRE_SHARED").unwrap_or_else(|_| "../shared".to_owned());
    let folder = PathBuf::from(shared).join("corpus/openapi");
    let files = fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let largest = files.max_by_key(|path| fs::metadata(path).map_or(0, |data| data.len()))?;
    let mut value: serde_json::Value = serde_json::from_slice(&fs::read(largest).ok()?).ok()?;
    let paths = value.get("paths")?.as_object()?.clone();
    let mut length = serde_json::to_string_pretty(&value).ok()?.len();
    let own = serde_json::to_string_pretty(&paths).ok()?.len();
    for round in 0.. {
        if length >= SPEC || own == 0 {
            break;
        }
        let all = value.get_mut("paths")?.as_object_mut()?;
        for (path, item) in &paths {
            all.insert(format!("/again{round}{path}"), item.clone());
        }
        length += own;
    }
    serde_json::to_string_pretty(&value).ok()
}
