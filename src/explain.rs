//! `quire explain`: which queries and which files make a page; and, while it is edited, what ran again and why.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};

use anyhow::{Context, bail};
use queries::base::path::Route;
use queries::site::{self, PageOptions, page_html};
use serde_json::{Value, json};

use quire_engine::host::SiteHost;
use quire_engine::trace::{self, Names, Trace, readable};
use quire_site::feedback::Feedback;
use quire_site::service::{
    Edit, Hooks, Publication, SearchSetup, Service, Services, Setup, SiteSource,
};
use quire_source::fetch::FetchPolicy;
use quire_source::load::load_with;
use quire_storage::store::Store;

/// What is to be explained, and how.
pub struct Question<'a> {
    /// The address of the page.
    pub route: &'a str,
    /// How many levels of queries are shown.
    pub depth: usize,
    /// Whether everything is printed as JSON.
    pub json: bool,
    /// Where the trace is written for a viewer.
    pub trace: Option<&'a Path>,
}

/// Renders the page at the asked route of the site in `folder` from nothing, and writes to `out`
/// what that took.
pub fn explain(folder: &Path, question: &Question<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let loaded = load_with(folder, "", Some(Box::new(trace::note)), None)?;
    let (route, trace) = draw(&loaded.host, question.route)?;
    let names = loaded.host.names();
    if let Some(path) = question.trace {
        let trace = serde_json::to_vec(&trace.chrome(&names))?;
        std::fs::write(path, trace).with_context(|| format!("write {}", path.display()))?;
    }
    if question.json {
        writeln!(out, "{}", as_json(&route, &trace, &names))?;
        return Ok(());
    }
    let ran = trace.ran().count();
    writeln!(
        out,
        "{route}: {ran} queries ran in {:.1} ms; {} calls found theirs memoized\n",
        trace.took().as_secs_f64() * 1000.0,
        trace.calls.len().saturating_sub(ran)
    )?;
    write!(out, "{}", trace.tree(&names, question.depth, false))?;
    writeln!(out, "\ninputs")?;
    for (name, digest) in trace.inputs(&names) {
        writeln!(out, "  {digest}  {name}")?;
    }
    Ok(())
}

/// Keeps the site in `folder` and writes to `out`, after each edit, what ran for the asked page and why; until `stop` says
/// so.
pub fn follow(
    folder: &Path,
    question: &Question<'_>,
    out: &mut dyn Write,
    stop: mpsc::Receiver<()>,
) -> anyhow::Result<()> {
    let (edits, seen) = mpsc::channel();
    let edits = Mutex::new(edits);
    let on_publish = move |edit: &Edit| {
        if let Ok(edits) = edits.lock() {
            // Nobody listens any more at the end.
            let _ = edits.send(edit.clone());
        }
    };
    let services = Services::of(Store::in_memory(), Feedback::in_folder(None, "explained"));
    let service = Service::start(Setup {
        id: "explained".to_owned(),
        source: SiteSource::watched(folder.to_owned(), FetchPolicy::of_site(&[])?),
        publication: Publication {
            live: true,
            ..Publication::default()
        },
        search: SearchSetup::default(),
        services,
        hooks: Hooks {
            on_publish: Arc::new(on_publish),
            ..Hooks::default()
        },
    })?;
    let host = service.handle().host();
    let (route, _) = draw(&host, question.route)?;
    writeln!(
        out,
        "{route} is drawn; edit a file of the site (Ctrl-C ends this)"
    )?;
    out.flush()?;
    loop {
        let edit = match seen.recv_timeout(std::time::Duration::from_millis(200)) {
            Ok(edit) => edit,
            Err(mpsc::RecvTimeoutError::Timeout) => match stop.try_recv() {
                Err(mpsc::TryRecvError::Empty) => continue,
                _ => return Ok(()),
            },
            Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(()),
        };
        // What the publication did not need, the page may.
        let page = draw(&host, question.route);
        let names = host.names();
        let published = edit.trace.as_deref().cloned().unwrap_or_default();
        let of_page = page.map(|(_, trace)| trace).unwrap_or_default();
        let ran: Vec<&trace::Call> = published.ran().chain(of_page.ran()).collect();
        if question.json {
            let ran: Vec<Value> = ran.iter().map(|call| of_call(call, &names)).collect();
            writeln!(
                out,
                "{}",
                json!({ "because": edit.because(), "revision": edit.revision, "ran": ran })
            )?;
        } else {
            writeln!(
                out,
                "\n{}: {} queries, {:.2} ms",
                edit.because(),
                ran.len(),
                edit.took.as_secs_f64() * 1000.0
            )?;
            for call in ran {
                writeln!(
                    out,
                    "{:>9.1} µs  {}",
                    call.took.as_secs_f64() * 1e6,
                    readable(&call.query, &names)
                )?;
            }
        }
        out.flush()?;
    }
}

/// Composes the page at `route` as far as it is not there, and tells what that took.
fn draw(host: &SiteHost, route: &str) -> anyhow::Result<(Route, Trace)> {
    let Some(route) = Route::new(route) else {
        bail!("`{route}` is no address of a page");
    };
    let (drawn, trace) = trace::record(|| {
        host.read(|db, site| {
            let page = site::route_table(db, site).pages.get(&route).copied()?;
            Some(page_html(db, site, page, &PageOptions::default()).digest)
        })
    });
    match drawn {
        Ok(Some(_)) => Ok((route, trace)),
        Ok(None) => bail!("no page of the site is at {route}; `quire routes` lists them"),
        Err(error) => bail!("{route} could not be drawn: {error:?}"),
    }
}

fn as_json(route: &Route, trace: &Trace, names: &Names) -> Value {
    let calls: Vec<Value> = trace
        .calls
        .iter()
        .map(|call| of_call(call, names))
        .collect();
    let inputs = trace.inputs(names).into_iter();
    let inputs: Vec<Value> = inputs
        .map(|(name, digest)| json!({ "name": name, "digest": digest }))
        .collect();
    json!({
        "route": route.as_str(), "executed": trace.ran().count(),
        "ms": trace.took().as_secs_f64() * 1000.0, "calls": calls, "inputs": inputs,
    })
}

fn of_call(call: &trace::Call, names: &Names) -> Value {
    json!({
        "query": readable(&call.query, names), "parent": call.parent, "ran": call.ran,
        "start_us": call.start.as_secs_f64() * 1e6, "us": call.took.as_secs_f64() * 1e6,
    })
}
