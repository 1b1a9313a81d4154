//! The commands around the daemon: run it, ask it.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use super::arguments::Voice;
use super::lines::{self, Lines};
use super::signals::{self, Ending};
use super::{log_filter, say, told_of_dropped, use_color};
use crate::control;
use crate::daemon;
use crate::place::Place;
use crate::serve;
use quire_settings::{LogFormat, Settings};
use quire_site::sites::folder_missing;

/// Runs a daemon until it is asked to end; asked again in the meantime, it ends at once.
pub(super) fn run(
    settings: Settings,
    config: Option<PathBuf>,
    voice: &Voice,
) -> anyhow::Result<ExitCode> {
    let runtime = prepare(settings.log, voice)?;
    runtime.block_on(async {
        // Before anybody is told that there is a daemon: a signal that nobody takes ends the process.
        let reload = signals::reloads()?;
        let ending = Ending::taken()?;
        let daemon = daemon::start(settings, config).await?;
        tracing::info!(
            address = %daemon.address, admin = daemon.admin.map(tracing::field::display), state = %daemon.state().display(), sites = daemon.sites().all().len(),
            version = env!("CARGO_PKG_VERSION"), "listening"
        );
        tokio::spawn(end(ending, daemon.stop()));
        // By a thread that answers requests: connections need not be handed on by this one.
        tokio::spawn(daemon.serve(reload)).await?;
        anyhow::Ok(())
    })?;
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(ExitCode::SUCCESS)
}

/// Serves what the daemon of the state folder `from` has published, until the process is asked to
/// end.
pub(super) fn run_served(
    settings: &Settings,
    from: &Place,
    cache: Option<&Path>,
    voice: &Voice,
) -> anyhow::Result<ExitCode> {
    let runtime = prepare(settings.log, voice)?;
    runtime.block_on(async {
        let ending = Ending::taken()?;
        let server = serve::start(settings, from, cache)?;
        tracing::info!(
            address = %server.address, admin = server.admin.map(tracing::field::display), from = %from,
            sites = server.sites().all().len(), version = env!("CARGO_PKG_VERSION"), "listening"
        );
        tokio::spawn(end(ending, server.stop()));
        tokio::spawn(server.serve()).await?;
        anyhow::Ok(())
    })?;
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(ExitCode::SUCCESS)
}

/// Prepares a process that serves: its log, its limits, its threads.
fn prepare(log: LogFormat, voice: &Voice) -> io::Result<tokio::runtime::Runtime> {
    lines::start(|dropped| tracing::warn!("{}", told_of_dropped(dropped)));
    start_log(voice, log);
    allow_files();
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(quire_engine::host::STACK)
        .build()
}

/// Stops what serves when the process is asked to end; asked again in the meantime, it ends at once.
async fn end(mut ending: Ending, stop: daemon::Stop) {
    ending.asked().await;
    stop.now();
    ending.asked().await;
    say("asked to end a second time: what is being answered is cut off");
    lines::end();
    std::process::exit(1);
}

/// Takes as many open files as the system gives without asking.
fn allow_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = Rlimit {
        current: maximum,
        maximum,
    };
    if current != maximum
        && let Err(error) = setrlimit(Resource::Nofile, wanted)
    {
        tracing::debug!("the limit of open files stays as it is: {error}");
    }
}

/// Asks the daemon of the state folder how it is.
pub(super) fn status(state: Option<PathBuf>, json: bool) -> anyhow::Result<ExitCode> {
    let state = state.map_or_else(control::default_state, Ok)?;
    let status = control::ask(&state, "status")?;
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{status}")?;
        return Ok(ExitCode::SUCCESS);
    }
    let number = |value: &serde_json::Value| value.as_f64().unwrap_or(0.0);
    writeln!(
        out,
        "quire {}, up {}, {:.0} MB in memory, cache hit rate {:.0} %",
        status["version"].as_str().unwrap_or("?"),
        indicatif::HumanDuration(Duration::from_secs(
            status["uptime_s"].as_u64().unwrap_or(0)
        )),
        number(&status["rss_bytes"]) / 1e6,
        number(&status["cache"]["hit_rate"]) * 100.0,
    )?;
    for site in status["sites"].as_array().into_iter().flatten() {
        write!(
            out,
            "{:<20} {:<8}",
            site["id"].as_str().unwrap_or("?"),
            site["state"].as_str().unwrap_or("?")
        )?;
        if site["pages"].is_u64() {
            write!(
                out,
                " {:>6} pages  revision {}  {} errors, {} warnings",
                site["pages"],
                site["revision"],
                site["diagnostics"]["errors"],
                site["diagnostics"]["warnings"]
            )?;
        }
        for entry in site["held_back"].as_array().into_iter().flatten() {
            let path = entry["path"].as_str().unwrap_or("?");
            let message = entry["message"].as_str().unwrap_or("?");
            write!(out, "  {path}: {message}")?;
        }
        if number(&site["previews"]) > 0.0 {
            write!(out, "  {} previews", site["previews"])?;
        }
        if number(&site["queue"]) > 0.0 {
            write!(out, "  {} deployments wait", site["queue"])?;
        }
        if let Some(error) = site["error"].as_str() {
            write!(out, "  {error}")?;
        }
        for warning in new_warnings(site) {
            write!(out, "  {warning}")?;
        }
        writeln!(out)?;
        let embedder = &site["search"]["embedder"];
        if embedder.is_object() {
            write!(
                out,
                "{:29} {}: {} texts embedded in {:.1} s, {} passages wait",
                "",
                embedder["model"].as_str().unwrap_or("?"),
                embedder["embedded"],
                number(&embedder["seconds"]),
                embedder["waiting"]
            )?;
            if number(&embedder["failed"]) > 0.0 {
                write!(out, ", {} texts given up", embedder["failed"])?;
            }
            if let Some(error) = embedder["error"].as_str() {
                write!(out, "  {error}")?;
            }
            writeln!(out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Warnings of a site, by its status, that its error and its held-back files do not say already: a
/// missing folder is both why a site cannot be read and wrong with its settings.
fn new_warnings(site: &serde_json::Value) -> impl Iterator<Item = &str> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or("").to_owned();
    let (id, root) = (text(&site["id"]), text(&site["root"]));
    let held_back = site["held_back"].as_array().into_iter().flatten();
    let held_back = held_back.filter(|held_back| held_back["path"] == ".");
    let mut reasons = held_back
        .map(|held_back| &held_back["message"])
        .chain([&site["error"]]);
    let is_said = reasons.any(|why| why.as_str().is_some_and(|why| why.contains(&root)));
    let missing = folder_missing(&id, &root);
    let warnings = site["warnings"].as_array().into_iter().flatten();
    warnings
        .map(|warning| warning.as_str().unwrap_or("?"))
        .filter(move |warning| !(is_said && warning.starts_with(&missing)))
}

/// What the log of a daemon holds, unless QUIRE_LOG says otherwise.
pub(super) fn log_level(voice: &Voice) -> &'static str {
    match (voice.quiet, voice.verbose) {
        (true, _) => "warn,rmcp=error",
        (false, 0) => "quire=info,warn,rmcp=error",
        // The engine has a line for each query that runs.
        _ => "quire=debug,info,rmcp=warn,salsa=warn",
    }
}

fn start_log(voice: &Voice, format: LogFormat) {
    let log = tracing_subscriber::fmt()
        .with_env_filter(log_filter(log_level(voice)))
        .with_writer(|| Lines)
        .log_internal_errors(false);
    let log = log.with_ansi(use_color(io::stderr().is_terminal()));
    // A log that is there already is the log.
    let _ = match format {
        LogFormat::Text => log.try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_missing_folder_is_said_once() {
        let missing = format!("{}: No such file", folder_missing("one", "/docs"));
        let other = "no deployment with a token of the site one is accepted";
        let site = |error: Value, held_back: Value| {
            json!({
                "id": "one", "root": "/docs", "error": error, "held_back": held_back,
                "warnings": [missing, other],
            })
        };
        let check = |error: Value, held_back: Value, expected: &[&str]| {
            let site = site(error, held_back);
            assert_eq!(new_warnings(&site).collect::<Vec<_>>(), expected, "{site}");
        };
        let gone = json!([{ "path": ".", "message": "/docs, the folder of the site, is gone" }]);
        let page = json!([{ "path": "a.mdx", "message": "/docs/a.mdx cannot be read" }]);
        check(Value::Null, json!([]), &[&missing, other]);
        check(Value::Null, page, &[&missing, other]);
        check(Value::Null, gone, &[other]);
        check(json!("open /docs: No such file"), Value::Null, &[other]);
        check(json!("the embedder"), Value::Null, &[&missing, other]);
    }
}
