//! `quire bench`: what edits of a real site cost, replayed on a copy of it in memory.
//!
//! Each edit is applied, published, and the page that shows it is composed: that is what is timed, from the moment the
//! change is known; the author has the page open before. Reading files and waiting for their events is left out, the same for every edit. At the end every page
//! is compared with that of a site that was built from the edited files and nothing else.

mod edits;
mod plots;
mod texts;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use queries::base::path::Route;
use queries::site::{self, PageId, PageOptions, page_html};
use queries::theme::measurements::{self, Figure, Measurements, Row};
use serde_json::{Value, json};

use quire_engine::host::{FileChange, HostOptions, SiteHost};
use quire_engine::meter::{Count, Meter, resident_bytes};
use quire_engine::publish::Publisher;
use quire_source::load;
use quire_source::sources::FileState;

pub use edits::Kind;
use edits::Script;

/// What to replay.
pub struct Plan<'a> {
    /// The folder of the site.
    pub folder: &'a Path,
    /// How many edits.
    pub edits: usize,
    /// Where the random choices begin.
    pub seed: u64,
    /// The kinds of edits that are wanted, with those they need; every kind if none is named.
    pub kinds: &'a [Kind],
}

/// One edit that was replayed.
struct Sample {
    kind: Kind,
    /// Until its page could be sent.
    took: Duration,
    /// How often each query ran.
    ran: BTreeMap<String, u64>,
    /// What ran although the edit cannot concern it.
    unexpected: Vec<String>,
}

/// What was measured.
pub struct Outcome {
    name: String,
    plan: (usize, u64),
    pages: usize,
    files: usize,
    /// Reading the files, and rendering every page from them.
    cold: (Duration, Duration),
    samples: Vec<Sample>,
    /// Pages that were compared at the end with those of a clean build, and the addresses of those that differ.
    compared: usize,
    differing: Vec<String>,
    /// Memory of the process at the start, with the site rendered, and at the end.
    memory: [u64; 3],
}

/// Replays `plan`; `progress` is told how many edits are done.
pub fn run(plan: &Plan<'_>, progress: &dyn Fn(usize)) -> anyhow::Result<Outcome> {
    let at_start = resident_bytes();
    let began = Instant::now();
    let sources = load::open_configured(plan.folder)?;
    let paths = sources.walk(&sources.root(), &mut |_| {}).files;
    let states = sources.look_all(&paths);
    let files: Vec<FileChange> = paths
        .into_iter()
        .zip(states)
        .map(|(path, state)| FileChange { path, state })
        .collect();
    let reading = began.elapsed();
    let mut script = Script::new(&files, plan.seed, plan.kinds);
    let meter = Arc::new(Meter::default());
    let host = Arc::new(SiteHost::new(
        "",
        HostOptions {
            observer: Some(meter.observer()),
            ..HostOptions::default()
        },
    ));
    let began = Instant::now();
    let publisher = Publisher::new(host.clone(), PageOptions::default(), meter.clone());
    publisher.publish(files.clone());
    let pages = publisher.snapshot().routes.pages.len();
    if pages == 0 {
        bail!("{}: the site has no pages to edit", plan.folder.display());
    }
    draw_all(&host)?;
    let drawing = began.elapsed();
    let memory_after_render = resident_bytes();
    script.see(&host);
    let mut samples = Vec::with_capacity(plan.edits);
    while samples.len() < plan.edits {
        let Some(sample) = replay(&mut script, &publisher, &meter) else {
            bail!(
                "{}: nothing in the site can be edited",
                plan.folder.display()
            );
        };
        samples.push(sample);
        progress(samples.len());
    }
    let at_end = resident_bytes();
    let (compared, differing) = compare(&host, &script)?;
    let name = plan.folder.canonicalize()?;
    let name = name
        .file_name()
        .context("a folder")?
        .to_string_lossy()
        .into_owned();
    Ok(Outcome {
        name,
        plan: (plan.edits, plan.seed),
        pages,
        files: files.len(),
        cold: (reading, drawing),
        samples,
        compared,
        differing,
        memory: [at_start, memory_after_render, at_end],
    })
}

/// Composes every page, by as many threads as there are cores; returns their digests.
fn draw_all(host: &SiteHost) -> anyhow::Result<BTreeMap<Route, String>> {
    let routes = host
        .read(|db, site| site::route_table(db, site).clone())
        .map_err(|error| anyhow::anyhow!("{error:?}"))?;
    let pages: Vec<(&Route, &PageId)> = routes.pages.iter().collect();
    let drawn = host.read_all(&pages, |db, site, (route, page)| {
        let page = page_html(db, site, **page, &PageOptions::default());
        ((*route).clone(), page.digest.short())
    });
    let drawn = drawn.into_iter().collect::<Result<_, _>>();
    drawn.map_err(|error| anyhow::anyhow!("{error:?}"))
}

/// Makes the next edit of `script` and measures it; nothing if the site offers none.
fn replay(script: &mut Script, publisher: &Publisher, meter: &Meter) -> Option<Sample> {
    let mut edit = script.next()?;
    // The author has the page open: what earlier edits left to be done for it is done.
    let host = publisher.host();
    let part = edit
        .changes
        .iter()
        .find_map(|change| host.part_changed_by(change));
    let open = edit.routes(&host, part.as_ref());
    publisher.digests(&open);
    let before = meter.by_query();
    let began = Instant::now();
    let applied = publisher.publish(std::mem::take(&mut edit.changes));
    let routes = edit.routes(&host, applied.parts.first());
    publisher.digests(&routes);
    let took = began.elapsed();
    let ran = difference(&before, &meter.by_query());
    let kind = edit.kind(&applied);
    Some(Sample {
        kind,
        took,
        unexpected: kind.unexpected(&ran),
        ran,
    })
}

fn difference(
    before: &BTreeMap<String, Count>,
    after: &BTreeMap<String, Count>,
) -> BTreeMap<String, u64> {
    let ran = after.iter().map(|(name, count)| {
        let known = before.get(name).map_or(0, |count| count.executed);
        (name.clone(), count.executed - known)
    });
    ran.filter(|(_, count)| *count > 0).collect()
}

/// Compares every page with that of a site that is built from the edited files alone.
fn compare(host: &SiteHost, script: &Script) -> anyhow::Result<(usize, Vec<String>)> {
    let clean = SiteHost::new("", HostOptions::default());
    clean.apply(script.files());
    let (ours, theirs) = (draw_all(host)?, draw_all(&clean)?);
    let routes = ours.keys().chain(theirs.keys());
    let mut differing: Vec<String> = routes
        .filter(|route| ours.get(*route) != theirs.get(*route))
        .map(ToString::to_string)
        .collect();
    differing.sort();
    differing.dedup();
    Ok((theirs.len(), differing))
}

impl Outcome {
    /// Whether every page is that of a clean build, and nothing ran that an edit cannot concern.
    pub fn is_sound(&self) -> bool {
        self.differing.is_empty()
            && self
                .samples
                .iter()
                .all(|sample| sample.unexpected.is_empty())
    }

    fn rows(&self) -> Vec<Row> {
        let rebuild = ms(self.cold.1);
        let kinds = Kind::ALL.iter().filter_map(|kind| {
            let samples: Vec<&Sample> = self
                .samples
                .iter()
                .filter(|sample| sample.kind == *kind)
                .collect();
            let mut times: Vec<Duration> = samples.iter().map(|sample| sample.took).collect();
            times.sort();
            let mut counts: Vec<u64> = samples
                .iter()
                .map(|sample| sample.ran.values().sum())
                .collect();
            counts.sort_unstable();
            let last = times.len().checked_sub(1)?;
            let at = |share: f64| ms(times[(last as f64 * share).round() as usize]);
            let mut names: BTreeMap<&str, u64> = BTreeMap::new();
            for (name, count) in samples.iter().flat_map(|sample| &sample.ran) {
                *names.entry(name).or_default() += count;
            }
            let mut names: Vec<(&str, u64)> = names.into_iter().collect();
            names.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
            let average = |count: u64| count as f64 / samples.len() as f64;
            Some(Row {
                kind: kind.name().to_owned(),
                edits: samples.len(),
                p50: at(0.5),
                p99: at(0.99),
                max: at(1.0),
                queries: counts[last / 2],
                ratio: rebuild / at(0.5).max(1e-6),
                expected: samples
                    .iter()
                    .filter(|sample| sample.unexpected.is_empty())
                    .count(),
                names: names
                    .into_iter()
                    .take(12)
                    .map(|(name, count)| format!("{name} {:.1}", average(count)))
                    .collect(),
                unexpected: samples
                    .iter()
                    .flat_map(|sample| sample.unexpected.clone())
                    .take(5)
                    .collect(),
            })
        });
        kinds.collect()
    }

    /// Writes a table for people.
    pub fn write_table(&self, out: &mut dyn Write) -> std::io::Result<()> {
        writeln!(
            out,
            "{}: {} pages from {} files, {} edits (seed {})\n",
            self.name, self.pages, self.files, self.plan.0, self.plan.1
        )?;
        writeln!(
            out,
            "{:<34} {:>6} {:>10} {:>10} {:>10} {:>8} {:>10} {:>10}",
            "edit", "edits", "p50 ms", "p99 ms", "max ms", "queries", "x faster", "predicted"
        )?;
        for row in self.rows() {
            writeln!(
                out,
                "{:<34} {:>6} {:>10.3} {:>10.3} {:>10.3} {:>8} {:>10.0} {:>10}",
                row.kind,
                row.edits,
                row.p50,
                row.p99,
                row.max,
                row.queries,
                row.ratio,
                format!("{}/{}", row.expected, row.edits)
            )?;
            for unexpected in &row.unexpected {
                writeln!(out, "    ran unexpectedly: {unexpected}")?;
            }
        }
        writeln!(
            out,
            "\nfrom nothing: {:.1} ms to read, {:.1} ms to draw every page\nmemory: {:.1} MB at the start, {:.1} MB drawn, {:.1} MB after the edits",
            ms(self.cold.0),
            ms(self.cold.1),
            self.memory[0] as f64 / 1e6,
            self.memory[1] as f64 / 1e6,
            self.memory[2] as f64 / 1e6
        )?;
        match self.differing.as_slice() {
            [] => writeln!(
                out,
                "all {} pages are those of a clean build, byte for byte",
                self.compared
            ),
            [first, ..] => writeln!(
                out,
                "{} of {} pages differ from those of a clean build, {first} first",
                self.differing.len(),
                self.compared
            ),
        }
    }

    /// Everything as JSON; times are in milliseconds.
    pub fn json(&self) -> Value {
        let rows: Vec<Value> = self
            .rows()
            .iter()
            .map(|row| {
                json!({
                    "kind": row.kind, "edits": row.edits, "p50_ms": row.p50, "p99_ms": row.p99,
                    "max_ms": row.max, "queries_p50": row.queries, "times_faster": row.ratio,
                    "as_predicted": row.expected, "queries_per_edit": row.names, "unexpected": row.unexpected,
                })
            })
            .collect();
        let samples: Vec<Value> = self
            .samples
            .iter()
            .map(|sample| {
                let queries: u64 = sample.ran.values().sum();
                json!({ "kind": sample.kind.name(), "ms": ms(sample.took), "queries": queries })
            })
            .collect();
        json!({
            "site": self.name, "pages": self.pages, "files": self.files, "edits": self.plan.0, "seed": self.plan.1,
            "cold": { "read_ms": ms(self.cold.0), "draw_ms": ms(self.cold.1) },
            "memory_bytes": { "start": self.memory[0], "drawn": self.memory[1], "end": self.memory[2] },
            "kinds": rows, "samples": samples,
            "clean_build": { "pages": self.compared, "differing": self.differing },
        })
    }

    /// A page with the table and pictures of it; it needs nothing from elsewhere.
    pub fn html(&self) -> anyhow::Result<String> {
        let rows = self.rows();
        let figures = vec![
            Figure {
                title: "Edit to servable, by kind of edit".to_owned(),
                words: "The bar ends at the median, the line at the 99th percentile. The scale is logarithmic.".to_owned(),
                legend: Vec::new(),
                svg: plots::by_kind(&rows, ms(self.cold.1))?,
            },
            Figure {
                title: "Every edit, in the order of the replay".to_owned(),
                words: "One dot an edit. A dot far above its neighbors is the first edit of a file, or the machine's other work."
                    .to_owned(),
                legend: Kind::ALL
                    .iter()
                    .filter(|kind| self.samples.iter().any(|sample| sample.kind == **kind))
                    .map(|kind| (plots::color(*kind), kind.name().to_owned()))
                    .collect(),
                svg: plots::over_time(&self.samples)?,
            },
        ];
        Ok(measurements::page(&Measurements {
            name: self.name.clone(),
            pages: self.pages,
            edits: self.plan.0,
            seed: self.plan.1,
            reading: ms(self.cold.0),
            drawing: ms(self.cold.1),
            memory: self.memory,
            compared: self.compared,
            differing: self.differing.len(),
            rows,
            figures,
        }))
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The text of a file that is one.
fn text_of(state: &FileState) -> Option<String> {
    match state {
        FileState::Text(bytes) => String::from_utf8(bytes.to_vec()).ok(),
        FileState::Seen(seen) => String::from_utf8(seen.bytes.as_ref()?.to_vec()).ok(),
        FileState::Opaque(..) | FileState::Absent | FileState::Unreadable(_) => None,
    }
}
