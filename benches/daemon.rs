//! A daemon at work: pages served while files are edited, many sites, many previews, memory over many edits.
//!
//! `cargo bench --bench daemon -- [serving] [sites] [previews] [growth]`: without a name, all of them. The figures are
//! printed with what they mean; `QUIRE_BENCH_EDITS` sets how many edits `growth` makes.

#![allow(clippy::print_stdout, reason = "figures for who measures")]

#[path = "support/spread.rs"]
mod spread;
#[path = "support/mod.rs"]
mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use queries::base::path::SitePath;
use quire::daemon::{self, Stop};
use quire_engine::host::FileChange;
use quire_engine::meter::resident_bytes;
use quire_settings::{Settings, SiteSettings};
use quire_site::sites::Sites;
use quire_source::sources::FileState;
use spread::spread;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let names: Vec<String> = std::env::args()
        .skip(1)
        .filter(|name| !name.starts_with('-'))
        .collect();
    let wanted =
        |name: &str| names.is_empty() || names.iter().any(|wanted| name.contains(wanted.as_str()));
    if wanted("serving") {
        serving();
    }
    if wanted("sites") {
        sites();
    }
    if wanted("previews") {
        previews();
    }
    if wanted("growth") {
        growth();
    }
}

/// A daemon of this process, which ends with it.
struct Running {
    address: SocketAddr,
    sites: Arc<Sites>,
    stop: Stop,
    thread: Option<std::thread::JoinHandle<()>>,
}

fn start(settings: Settings) -> Running {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .thread_stack_size(quire_engine::host::STACK)
        .enable_all()
        .build()
        .expect("a runtime");
    let daemon = runtime
        .block_on(daemon::start(settings, None))
        .expect("it starts");
    let (address, sites, stop) = (daemon.address, daemon.sites().clone(), daemon.stop());
    let thread = std::thread::spawn(move || {
        runtime.block_on(daemon.serve(Arc::default()));
        runtime.shutdown_timeout(Duration::from_secs(5));
    });
    Running {
        address,
        sites,
        stop,
        thread: Some(thread),
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.now();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("nobody panics");
        }
    }
}

fn settings(state: &Path) -> Settings {
    let mut settings = Settings {
        state: Some(state.to_owned()),
        ..Settings::default()
    };
    settings.listen.address = SocketAddr::from(([127, 0, 0, 1], 0));
    settings
}

fn write_site(folder: &Path, pages: usize, seed: u64) {
    for (path, text) in support::site(pages, seed) {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("make folders");
        std::fs::write(path, text).expect("write");
    }
}

/// A connection that is kept.
struct Client(BufReader<TcpStream>, String);

impl Client {
    fn new(address: SocketAddr, host: &str) -> Self {
        let stream = TcpStream::connect(address).expect("connect");
        stream.set_nodelay(true).expect("a mode");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("a limit");
        Self(BufReader::new(stream), host.to_owned())
    }

    /// Status and body.
    fn get(&mut self, target: &str) -> (u16, Vec<u8>) {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n", self.1);
        self.0
            .get_mut()
            .write_all(request.as_bytes())
            .expect("send");
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a reply");
        let status = line
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .expect("a status");
        let mut length = 0;
        loop {
            line.clear();
            self.0.read_line(&mut line).expect("a header");
            if line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).expect("the whole body");
        (status, body)
    }
}

fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// 1,000 requests a second for pages of a site of 10,000, while a file is edited every 20 ms.
fn serving() {
    const PAGES: usize = 10_000;
    const THREADS: usize = 8;
    const RATE: u64 = 1000;
    const SECONDS: u64 = 20;
    let (folder, state) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    write_site(folder.path(), PAGES, 1);
    let before = resident_bytes();
    let mut settings = settings(state.path());
    settings
        .sites
        .insert("docs".into(), SiteSettings::of_folder(folder.path()));
    let began = Instant::now();
    let daemon = start(settings);
    let mut client = Client::new(daemon.address, "localhost");
    let (status, _) = client.get(&format!("/{}", support::path(0)));
    assert_eq!(status, 200);
    println!(
        "serving: the first page of {PAGES} after {:.0?}",
        began.elapsed()
    );
    while client.get("/_quire/readyz").0 != 200 {
        std::thread::sleep(Duration::from_millis(20));
    }
    println!(
        "serving: every page drawn after {:.2?}, {:.0} MB above the empty process",
        began.elapsed(),
        mb(resident_bytes() - before)
    );
    let stop = AtomicBool::new(false);
    let (mut times, edits) = std::thread::scope(|scope| {
        let editor = scope.spawn(|| {
            let mut count = 0;
            while !stop.load(Ordering::Relaxed) {
                let path = folder
                    .path()
                    .join(format!("{}.mdx", support::path(count % 50)));
                let text = std::fs::read_to_string(&path).expect("a page");
                std::fs::write(&path, format!("{text}\nEdit {count}.\n")).expect("write");
                count += 1;
                std::thread::sleep(Duration::from_millis(20));
            }
            count
        });
        let clients: Vec<_> = (0..THREADS)
            .map(|thread| {
                let address = daemon.address;
                scope.spawn(move || {
                    let mut client = Client::new(address, "localhost");
                    let began = Instant::now();
                    let gap = Duration::from_nanos(1_000_000_000 * THREADS as u64 / RATE);
                    let mut times = Vec::new();
                    let mut page = thread * 977;
                    while began.elapsed() < Duration::from_secs(SECONDS) {
                        // What is late is counted as late: the clock runs from when it was due.
                        let due = gap * u32::try_from(times.len()).expect("few");
                        std::thread::sleep(due.saturating_sub(began.elapsed()));
                        page = (page + 7919) % PAGES;
                        let (status, body) = client.get(&format!("/{}", support::path(page)));
                        assert_eq!(status, 200);
                        assert!(
                            body.ends_with(b"</html>") || body.ends_with(b"</html>\n"),
                            "a whole page"
                        );
                        times.push(began.elapsed() - due);
                    }
                    times
                })
            })
            .collect();
        let times: Vec<Duration> = clients
            .into_iter()
            .flat_map(|client| client.join().expect("a client"))
            .collect();
        stop.store(true, Ordering::Relaxed);
        (times, editor.join().expect("the editor"))
    });
    println!(
        "serving: {} requests in {SECONDS} s during {edits} edits: {}",
        times.len(),
        spread(&mut times)
    );
    let service = daemon
        .sites
        .get("docs")
        .and_then(|slot| slot.running())
        .expect("in memory");
    let (below, count, sum) = service.handle().meter().edits.cumulative();
    let share = |wanted: f64| {
        let bound = below
            .iter()
            .find(|(_, found)| *found as f64 >= count as f64 * wanted);
        bound.map_or("more than 4 s".to_owned(), |(bound, _)| {
            format!("<= {} ms", bound * 1000.0)
        })
    };
    println!(
        "serving: edit to servable: {count} edits, mean {:.3} ms, p50 {}, p99 {}",
        sum / count.max(1) as f64 * 1000.0,
        share(0.5),
        share(0.99)
    );
}

/// 20 sites in one process.
fn sites() {
    let state = tempfile::tempdir().expect("a folder");
    let folders: Vec<_> = (0..20u64)
        .map(|seed| {
            let folder = tempfile::tempdir().expect("a folder");
            write_site(folder.path(), 200, seed);
            folder
        })
        .collect();
    let before = resident_bytes();
    let mut settings = settings(state.path());
    for (i, folder) in folders.iter().enumerate() {
        settings
            .sites
            .insert(format!("site-{i}"), SiteSettings::of_folder(folder.path()));
    }
    let began = Instant::now();
    let daemon = start(settings);
    let mut client = Client::new(daemon.address, "localhost");
    while client.get("/_quire/readyz").0 != 200 {
        std::thread::sleep(Duration::from_millis(5));
    }
    println!(
        "sites: 20 of 200 pages, all drawn after {:.2?}, {:.1} MB each",
        began.elapsed(),
        mb(resident_bytes() - before) / 20.0
    );
    let mut times = Vec::new();
    for round in 0..100 {
        for i in 0..20 {
            let mut client = Client::new(daemon.address, &format!("site-{i}.localhost"));
            let began = Instant::now();
            let (status, _) = client.get(&format!("/{}", support::path(round % 200)));
            assert_eq!(status, 200);
            times.push(began.elapsed());
        }
    }
    println!("sites: a page of any of them: {}", spread(&mut times));
    std::thread::sleep(Duration::from_millis(5));
    daemon.sites.sweep(Duration::from_millis(1));
    println!(
        "sites: put out of memory: {:.1} MB are left of all",
        mb(resident_bytes().saturating_sub(before))
    );
    std::thread::sleep(Duration::from_secs(2));
    println!(
        "sites: two seconds later: {:.1} MB",
        mb(resident_bytes().saturating_sub(before))
    );
    for round in 1..=4 {
        for i in 0..20 {
            let mut client = Client::new(daemon.address, &format!("site-{i}.localhost"));
            for page in 0..200 {
                assert_eq!(client.get(&format!("/{}", support::path(page))).0, 200);
            }
        }
        let full = resident_bytes().saturating_sub(before);
        std::thread::sleep(Duration::from_millis(5));
        daemon.sites.sweep(Duration::from_millis(1));
        println!(
            "sites: back in memory and out again, round {round}: {:.1} MB, then {:.1} MB",
            mb(full),
            mb(resident_bytes().saturating_sub(before))
        );
    }
    let began = Instant::now();
    let mut client = Client::new(daemon.address, "site-7.localhost");
    assert_eq!(client.get(&format!("/{}", support::path(3))).0, 200);
    println!(
        "sites: one comes back with its first page after {:.1?}",
        began.elapsed()
    );
}

/// 50 previews of a repository of 2,000 pages, each of a branch that changes three of them.
fn previews() {
    const BRANCHES: usize = 50;
    let (folder, state) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    write_site(folder.path(), 2000, 1);
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("git");
        assert!(done.status.success(), "{arguments:?}");
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "one"]);
    for branch in 0..BRANCHES {
        git(&[
            "checkout",
            "--quiet",
            "-b",
            &format!("branch-{branch}"),
            "main",
        ]);
        for page in 0..3 {
            let path = folder
                .path()
                .join(format!("{}.mdx", support::path(branch * 3 + page)));
            let text = std::fs::read_to_string(&path).expect("a page");
            std::fs::write(&path, format!("{text}\nWords of branch {branch}.\n")).expect("write");
        }
        git(&["commit", "--quiet", "--all", "--message", "two"]);
    }
    git(&["checkout", "--quiet", "main"]);
    let mut settings = settings(state.path());
    settings
        .sites
        .insert("docs".into(), SiteSettings::of_folder(folder.path()));
    let daemon = start(settings);
    let mut client = Client::new(daemon.address, "localhost");
    while client.get("/_quire/readyz").0 != 200 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let before = resident_bytes();
    let mut times = Vec::new();
    for branch in 0..BRANCHES {
        let mut client = Client::new(daemon.address, &format!("branch-{branch}--docs.localhost"));
        let began = Instant::now();
        let (status, body) = client.get(&format!("/{}", support::path(branch * 3)));
        times.push(began.elapsed());
        assert_eq!(status, 200);
        assert!(String::from_utf8_lossy(&body).contains(&format!("Words of branch {branch}.")));
    }
    println!(
        "previews: first page of {BRANCHES} of 2,000 pages: {}",
        spread(&mut times)
    );
    println!(
        "previews: {:.1} MB each",
        mb(resident_bytes() - before) / BRANCHES as f64
    );
    let mut client = Client::new(daemon.address, "branch-7--docs.localhost");
    let began = Instant::now();
    let (status, body) = client.get("/_quire/diff?format=json");
    assert_eq!(status, 200);
    let value: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(value["changed"].as_array().map(Vec::len), Some(3));
    println!(
        "previews: the difference to the site, all 2,000 pages compared: {:.0?}",
        began.elapsed()
    );
}

/// Memory over many edits of a site of 1,000 pages.
fn growth() {
    let edits: usize = std::env::var("QUIRE_BENCH_EDITS")
        .ok()
        .and_then(|edits| edits.parse().ok())
        .unwrap_or(100_000);
    let (folder, state) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    write_site(folder.path(), 1000, 1);
    let mut settings = settings(state.path());
    let mut site = SiteSettings::of_folder(folder.path());
    site.watch = false;
    settings.sites.insert("docs".into(), site);
    let daemon = start(settings);
    let mut client = Client::new(daemon.address, "localhost");
    while client.get("/_quire/readyz").0 != 200 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let service = daemon
        .sites
        .get("docs")
        .and_then(|slot| slot.running())
        .expect("in memory");
    let (mut first, mut last, mut resting) = (0, 0, Duration::ZERO);
    let began = Instant::now();
    for edit in 0..=edits {
        let path = SitePath::new(&format!("{}.mdx", support::path(edit % 200))).expect("a path");
        let text = format!(
            "---\ntitle: Page {}\n---\n\nWords of edit {edit}.\n\n## Heading {}\n\nMore.\n",
            edit % 7,
            edit % 11
        );
        service.handle().publish(vec![FileChange {
            path,
            state: FileState::Text(text.into()),
        }]);
        if edit > 0 && edit % (edits / 10).max(1) == 0 {
            let at_once = mb(resident_bytes());
            // What is free is given back when nothing happens for a moment.
            let rests = Instant::now();
            std::thread::sleep(Duration::from_millis(1500));
            resting += rests.elapsed();
            last = resident_bytes();
            if first == 0 {
                first = last;
            }
            println!(
                "growth: {edit:>7} edits: {at_once:.1} MB, at rest {:.1}",
                mb(last)
            );
        }
    }
    println!(
        "growth: {:+.1} % at rest from a tenth of the edits to all of them; {:.0} µs an edit",
        (last as f64 / first.max(1) as f64 - 1.0) * 100.0,
        (began.elapsed() - resting).as_secs_f64() * 1e6 / edits as f64
    );
}
