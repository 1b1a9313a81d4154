//! Administration: health, status, metrics, and a front page that lists the sites.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hyper::{Response, StatusCode, header};
use queries::theme::console::{self, SiteEntry};

use super::flight::Flight;
use super::reply::{self, Body, full, problem, set};
use quire_assistant::model;
use quire_engine::meter::{Histogram, Meter, Requests, resident_bytes};
use quire_net::relay::Relay;
use quire_search::embedder;
use quire_site::service::Status;
use quire_site::sites::{SiteSlot, Sites};

/// The process.
pub struct Process {
    /// When it began.
    pub began: Instant,
    /// Whether every site was started once.
    pub is_ready: AtomicBool,
    /// Requests that were answered.
    pub requests: Requests,
    /// Room for the replies that clients have not taken yet.
    pub flight: Flight,
}

impl Default for Process {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            is_ready: AtomicBool::new(false),
            requests: Requests::default(),
            flight: Flight::default(),
        }
    }
}

pub(super) fn healthy() -> Response<Body> {
    text("text/plain; charset=utf-8", "ok\n".to_owned())
}

/// Time limit of a site to render a page and to search.
const PATIENCE: Duration = Duration::from_secs(10);

/// Readiness: each loaded site renders a page and searches. A site with faulty or unreadable pages
/// is served and reported as degraded; one that cannot show any page is not ready.
pub(super) async fn ready(process: &Process, sites: &Arc<Sites>) -> Response<Body> {
    if !process.is_ready.load(Ordering::Acquire) {
        return problem(
            StatusCode::SERVICE_UNAVAILABLE,
            "starting",
            "some sites are still being read",
        );
    }
    let sites = sites.clone();
    let examined = tokio::task::spawn_blocking(move || examine(&sites));
    match tokio::time::timeout(PATIENCE, examined).await {
        Ok(Ok(Ok(lines))) => {
            let state = match lines.is_empty() {
                true => "ready",
                false => "degraded",
            };
            text("text/plain; charset=utf-8", format!("{state}\n{lines}"))
        }
        Ok(Ok(Err(why))) => problem(StatusCode::SERVICE_UNAVAILABLE, "internal", &why),
        Ok(Err(error)) => {
            let why = format!("the sites cannot be examined: {error}");
            problem(StatusCode::SERVICE_UNAVAILABLE, "internal", &why)
        }
        Err(_) => problem(
            StatusCode::SERVICE_UNAVAILABLE,
            "slow",
            "readiness check timed out (10 s)",
        ),
    }
}

/// Problems of the served sites, one per line; an error if one cannot show any page.
fn examine(sites: &Sites) -> Result<String, String> {
    let mut lines = String::new();
    if let Some(why) = sites.outage() {
        let _ = writeln!(lines, "storage: {why}");
    }
    for (site, why) in sites.behind() {
        let _ = writeln!(lines, "{site}: serving what was published before: {why}");
    }
    for slot in sites.all() {
        let Some(service) = slot.running() else {
            if let Some(why) = slot.failure() {
                let _ = writeln!(lines, "{}: cannot be read: {why}", slot.id);
            }
            continue;
        };
        let wrong = service.handle().examine();
        let wrong = wrong.map_err(|why| format!("the site {} {why}", slot.id))?;
        for what in wrong {
            let _ = writeln!(lines, "{}: {what}", slot.id);
        }
    }
    Ok(lines)
}

pub(super) fn status(process: &Process, sites: &Sites) -> Response<Body> {
    let value = status_json(process, sites);
    text(reply::JSON, format!("{value}\n"))
}

/// Status of the daemon, as `quire status --json` prints it.
pub fn status_json(process: &Process, sites: &Sites) -> serde_json::Value {
    let slots = sites.all();
    let stats = sites.store().stats();
    let (found, made) = stats.total();
    let pack = stats.pack;
    let sites: Vec<serde_json::Value> = slots.iter().map(site_json).collect();
    serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "pid": std::process::id(),
        "uptime_s": process.began.elapsed().as_secs(),
        "rss_bytes": resident_bytes(),
        "sites": sites,
        "cache": {
            "entries": pack.entries, "bytes": pack.bytes,
            "hit_rate": found as f64 / (found + made).max(1) as f64,
        },
    })
}

fn site_json(slot: &Arc<SiteSlot>) -> serde_json::Value {
    let queue = slot.deployments.unfinished().len();
    let previews = slot.previews.open().len();
    let warnings_of_settings = slot.warnings();
    let last = slot.deployments.last(1).into_iter().next();
    let last = last.map(|last| serde_json::json!({ "id": last.id, "status": last.status }));
    let Some(service) = slot.running() else {
        let failure = slot.failure();
        return serde_json::json!({
            "id": slot.id,
            "root": slot.settings.root.as_ref().map(|root| root.display().to_string()).or(slot.settings.git.clone()),
            "state": if failure.is_some() { "failed" } else { "idle" },
            "error": failure, "warnings": warnings_of_settings, "queue": queue, "previews": previews, "last_deployment": last,
        });
    };
    let site = service.handle();
    let status = site.status();
    // What is being written is as it should be; what cannot be read is not.
    let is_partial = (status.held_back.iter()).any(|held| !held.is_unfinished());
    let held_back: Vec<_> = (status.held_back.iter())
        .map(|held_back| held_back.report.json())
        .collect();
    let embedder = status.embedder.map(|(status, waiting)| {
        serde_json::json!({
            "model": status.model, "embedded": status.embedded, "waiting": waiting,
            "failed": status.failed, "requests": status.requests, "seconds": status.seconds,
            "error": status.error,
        })
    });
    let model = status.model.map(|status| {
        serde_json::json!({
            "model": status.model, "asked": status.asked, "answered": status.answered,
            "today": status.today.0, "per_day": status.today.1, "resting": status.is_resting, "error": status.error,
        })
    });
    let edit = status.last_edit.map(|edit| {
        serde_json::json!({
            "kind": edit.kind(), "executed": edit.executed, "ms": edit.took.as_secs_f64() * 1000.0,
        })
    });
    let faults = status.faults.into_iter();
    let faults = faults.map(|(what, why)| serde_json::json!({ "what": what, "error": why }));
    let faults: Vec<serde_json::Value> = faults.collect();
    serde_json::json!({
        "id": slot.id,
        "root": site.root(),
        "revision": status.revision,
        "pages": status.pages,
        "state": if faults.is_empty() && !is_partial { "ready" } else { "degraded" },
        "faults": { "present": faults, "seen": status.faults_seen, "rebuilt": status.rebuilt },
        "last_edit": edit,
        "search": { "passages": status.search.passages, "semantic": status.search.semantic, "embedder": embedder },
        "assistant": { "model": model },
        "diagnostics": { "errors": status.errors, "warnings": status.warnings },
        // Documents that end in the middle, and what cannot be read: what they held before is served.
        "held_back": held_back,
        // What is wrong with its settings, or with what they name.
        "warnings": warnings_of_settings,
        "queue": queue, "previews": previews, "last_deployment": last,
    })
}

/// The page of a machine with several sites.
pub(super) fn front(sites: &Sites) -> Response<Body> {
    let entries: Vec<SiteEntry> = sites
        .all()
        .iter()
        .map(|slot| {
            let service = slot.running();
            let site = service.as_ref().map(|service| service.handle());
            let (errors, warnings) = site.map_or((0, 0), |site| site.counted_diagnostics());
            SiteEntry {
                id: slot.id.clone(),
                name: site.and_then(|site| site.name()),
                pages: site.map(|site| site.view().page_count()),
                previews: slot
                    .previews
                    .open()
                    .iter()
                    .map(|preview| preview.label.clone())
                    .collect(),
                failure: slot.failure(),
                errors,
                warnings,
            }
        })
        .collect();
    let mut response = reply::console(console::front(&entries));
    set(
        &mut response,
        header::HeaderName::from_static("x-robots-tag"),
        "noindex",
    );
    response
}

/// Metrics in the text format of Prometheus (0.0.4).
pub(super) fn metrics(process: &Process, sites: &Sites, relay: Option<&Relay>) -> Response<Body> {
    let mut out = String::new();
    let mut family = |name: &str, kind: &str, help: &str, samples: &[(String, f64)]| {
        let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (labels, value) in samples {
            let _ = writeln!(out, "{name}{labels} {value}");
        }
    };
    let bare = |value: f64| [(String::new(), value)];
    family(
        "quire_uptime_seconds",
        "gauge",
        "Time since the process was started.",
        &bare(process.began.elapsed().as_secs_f64()),
    );
    family(
        "quire_resident_bytes",
        "gauge",
        "Resident memory of the process.",
        &bare(resident_bytes() as f64),
    );
    let requests = process.requests.by_status().into_iter();
    let requests = requests.map(|(status, n)| (format!("{{code=\"{status}\"}}"), n as f64));
    family(
        "quire_http_requests_total",
        "counter",
        "Answered requests by status code.",
        &requests.collect::<Vec<_>>(),
    );
    family(
        "quire_http_reply_bytes",
        "gauge",
        "Bytes of replies buffered for clients.",
        &bare(process.flight.bytes() as f64),
    );
    let slots = sites.all();
    let of = |value: &dyn Fn(&Arc<SiteSlot>) -> Option<f64>| -> Vec<(String, f64)> {
        let samples = slots
            .iter()
            .filter_map(|slot| Some((site_label(slot), value(slot)?)));
        samples.collect()
    };
    let states: Vec<(String, Status)> = (slots.iter())
        .filter_map(|slot| Some((site_label(slot), slot.running()?.handle().status())))
        .collect();
    let of_state = |value: &dyn Fn(&Status) -> Option<f64>| -> Vec<(String, f64)> {
        let samples =
            (states.iter()).filter_map(|(label, state)| Some((label.clone(), value(state)?)));
        samples.collect()
    };
    family(
        "quire_site_up",
        "gauge",
        "Whether the site is loaded.",
        &of(&|slot| Some(f64::from(u8::from(slot.running().is_some())))),
    );
    family(
        "quire_revision",
        "gauge",
        "Changes published since the site was loaded.",
        &of_state(&|state| Some(state.revision as f64)),
    );
    family(
        "quire_pages",
        "gauge",
        "Pages of the site.",
        &of_state(&|state| Some(state.pages as f64)),
    );
    family(
        "quire_faults_total",
        "counter",
        "Queries that failed because of a fault of the program.",
        &of_state(&|state| Some(state.faults_seen as f64)),
    );
    family(
        "quire_previews_open",
        "gauge",
        "Open previews of the site.",
        &of(&|slot| Some(slot.previews.open().len() as f64)),
    );
    family(
        "quire_deployments_unfinished",
        "gauge",
        "Deployments in progress.",
        &of(&|slot| Some(slot.deployments.unfinished().len() as f64)),
    );
    let count = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed) as f64;
    family(
        "quire_page_cache_hits_total",
        "counter",
        "Page requests answered from the cache.",
        &of(&|slot| Some(count(&slot.meter()?.page_hits))),
    );
    family(
        "quire_page_cache_misses_total",
        "counter",
        "Page requests that had to compose the page.",
        &of(&|slot| Some(count(&slot.meter()?.page_misses))),
    );
    let embedder = |value: &dyn Fn(&embedder::Status) -> f64| {
        of_state(&|state| Some(value(&state.embedder.as_ref()?.0)))
    };
    family(
        "quire_embedder_texts_total",
        "counter",
        "Texts embedded by the embedder of the site.",
        &embedder(&|status| status.embedded as f64),
    );
    family(
        "quire_embedder_failed_total",
        "counter",
        "Texts that the embedder rejected, or whose vectors were unusable.",
        &embedder(&|status| status.failed as f64),
    );
    family(
        "quire_embedder_waiting",
        "gauge",
        "Passages waiting for their vectors.",
        &of_state(&|state| Some(state.embedder.as_ref()?.1 as f64)),
    );
    family(
        "quire_embedder_requests_total",
        "counter",
        "Requests to the embedder, for passages and queries.",
        &embedder(&|status| status.requests as f64),
    );
    family(
        "quire_embedder_request_seconds_total",
        "counter",
        "Time spent in requests to the embedder.",
        &embedder(&|status| status.seconds),
    );
    let model = |value: &dyn Fn(&model::Status) -> u64| {
        of_state(&|state| Some(value(state.model.as_ref()?) as f64))
    };
    family(
        "quire_assistant_model_asked_total",
        "counter",
        "Answers requested from the language model.",
        &model(&|status| status.asked),
    );
    family(
        "quire_assistant_model_answered_total",
        "counter",
        "Answers that the language model completed.",
        &model(&|status| status.answered),
    );
    if let Some(relay) = relay {
        let ended = relay.counters.by_outcome();
        let ended = ended.map(|(outcome, n)| (format!("{{outcome=\"{outcome}\"}}"), n as f64));
        family(
            "quire_relay_requests_total",
            "counter",
            "Finished playground requests by outcome.",
            &ended.collect::<Vec<_>>(),
        );
        let of = |direction: &str, bytes| (format!("{{direction=\"{direction}\"}}"), count(bytes));
        family(
            "quire_relay_bytes_total",
            "counter",
            "Bytes of bodies sent to and received from APIs.",
            &[
                of("sent", &relay.counters.sent),
                of("received", &relay.counters.received),
            ],
        );
        family(
            "quire_relay_in_flight",
            "gauge",
            "Playground requests in flight.",
            &bare(relay.in_flight() as f64),
        );
    }
    let stats = sites.store().stats();
    let kinds = |value: &dyn Fn((u64, u64)) -> u64| -> Vec<(String, f64)> {
        let kinds = stats.kinds.iter();
        kinds
            .map(|(kind, counts)| (format!("{{kind=\"{kind}\"}}"), value(*counts) as f64))
            .collect()
    };
    family(
        "quire_artifacts_found_total",
        "counter",
        "Cache hits by kind of value.",
        &kinds(&|(found, _)| found),
    );
    family(
        "quire_artifacts_made_total",
        "counter",
        "Cache misses by kind of value.",
        &kinds(&|(_, made)| made),
    );
    family(
        "quire_artifacts_bytes",
        "gauge",
        "Size of the artifact cache.",
        &bare(stats.pack.bytes as f64),
    );
    let meters: Vec<(&str, Arc<Meter>)> = slots
        .iter()
        .filter_map(|slot| Some((slot.id.as_str(), slot.meter()?)))
        .collect();
    let mut executed = Vec::new();
    let mut validated = Vec::new();
    for (id, meter) in &meters {
        for (query, count) in meter.by_query() {
            let labels = format!("{{site=\"{id}\",query=\"{query}\"}}");
            executed.push((labels.clone(), count.executed as f64));
            validated.push((labels, count.validated as f64));
        }
    }
    family(
        "quire_queries_executed_total",
        "counter",
        "Executed queries by name.",
        &executed,
    );
    family(
        "quire_queries_validated_total",
        "counter",
        "Validated queries by name: the last result was still valid.",
        &validated,
    );
    type Pick = fn(&Meter) -> &Histogram;
    let histograms: [(&str, &str, Pick); 2] = [
        (
            "quire_edit_seconds",
            "Time from detecting a change until its pages can be served.",
            |meter| &meter.edits,
        ),
        (
            "quire_search_follow_seconds",
            "Time from publishing a change until search finds it.",
            |meter| &meter.found,
        ),
    ];
    for (name, help, pick) in histograms {
        let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} histogram\n");
        for (id, meter) in &meters {
            write_histogram(&mut out, name, &format!("site=\"{id}\""), pick(meter));
        }
    }
    let name = "quire_http_request_seconds";
    let help = "From the head of a request until the head of its reply.";
    let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} histogram\n");
    write_histogram(&mut out, name, "", &process.requests.seconds);
    text("text/plain; version=0.0.4; charset=utf-8", out)
}

/// Writes the samples of a histogram whose labels are `labels`.
fn write_histogram(out: &mut String, name: &str, labels: &str, histogram: &Histogram) {
    let (below, count, sum) = histogram.cumulative();
    let (comma, braced) = match labels {
        "" => ("", String::new()),
        _ => (",", format!("{{{labels}}}")),
    };
    for (bound, count) in below {
        let _ = writeln!(
            out,
            "{name}_bucket{{{labels}{comma}le=\"{bound}\"}} {count}"
        );
    }
    let _ = writeln!(out, "{name}_bucket{{{labels}{comma}le=\"+Inf\"}} {count}");
    let _ = writeln!(
        out,
        "{name}_sum{braced} {sum}\n{name}_count{braced} {count}"
    );
}

/// Ids are letters, digits and hyphens: nothing is to be escaped.
fn site_label(slot: &SiteSlot) -> String {
    format!("{{site=\"{}\"}}", slot.id)
}

fn text(media_type: &str, text: String) -> Response<Body> {
    let mut response = Response::new(full(text));
    set(&mut response, header::CONTENT_TYPE, media_type);
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}
