//! The command line: every command as one variant, and one match.

mod arguments;
mod daemon;
mod signals;

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Parser;
use queries::diagnostic::Severity;

use self::arguments::{Cli, Command, OpenapiCommand, Voice};
use self::signals::Ending;
use crate::bench;
use crate::check::{self, Findings, Format};
use crate::control;
use crate::dev::{self, Preview};
use crate::explain::{self, Question};
use crate::export::{self, Outcome, Plan};
use crate::index::Filter;
use crate::load::load;
use crate::openapi;
use crate::report::Counts;
use crate::search;
use crate::search_service::Wanted;
use crate::settings::{Settings, SiteSettings};
use crate::store::state_folder;

/// Runs the command line of this process. Exit codes: 0 fine, 1 the site has errors or an output could not be
/// written, 2 wrong usage or nothing to work on.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers, not errors. Nothing can be done if nobody listens.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    // A daemon says itself how its log is written.
    if !matches!(cli.command, Command::Daemon { .. }) {
        start_log(&cli.voice);
    }
    match command(cli) {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}

fn command(cli: Cli) -> anyhow::Result<ExitCode> {
    let quiet = cli.voice.quiet;
    match cli.command {
        Command::Dev {
            dir,
            host,
            port,
            open,
            id,
            state,
            embedder,
        } => dev(Preview {
            state: state.of(&dir),
            embedder: embedder.settings()?,
            folder: dir,
            id,
            host,
            port,
            open,
            say: if quiet {
                Arc::new(|_| ())
            } else {
                Arc::new(say)
            },
        }),
        Command::Daemon {
            config,
            sites,
            listen,
            state,
            log,
            print_config,
        } => {
            let mut settings = match &config {
                Some(config) => Settings::read(config)?,
                None => Settings::default(),
            };
            for (id, folder) in sites {
                settings.sites.insert(id, SiteSettings::of_folder(&folder));
            }
            settings.listen.address = listen.unwrap_or(settings.listen.address);
            settings.state = state.or(settings.state);
            settings.log = log.unwrap_or(settings.log);
            if settings.sites.is_empty() && !print_config {
                anyhow::bail!("there is no site to serve: give `--site ID=DIR` or `--config FILE`");
            }
            settings.check()?;
            if print_config {
                let mut out = io::stdout().lock();
                write!(out, "{}", toml::to_string(&settings)?)?;
                return Ok(ExitCode::SUCCESS);
            }
            daemon::run(settings, config, &cli.voice)
        }
        Command::Explain {
            page,
            watch,
            depth,
            trace,
            json,
        } => {
            let (dir, route) = match page.as_slice() {
                [route] => (".", route.as_str()),
                [dir, route, ..] => (dir.as_str(), route.as_str()),
                [] => anyhow::bail!("give the address of a page"),
            };
            let dir = Path::new(dir);
            let question = Question {
                route,
                depth,
                json,
                trace: trace.as_deref(),
            };
            let mut out = io::stdout().lock();
            if !watch {
                explain::explain(dir, &question, &mut out)?;
                return Ok(ExitCode::SUCCESS);
            }
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()?;
            let _entered = runtime.enter();
            let (ended, stop) = std::sync::mpsc::channel();
            let mut ending = Ending::taken()?;
            runtime.spawn(async move {
                ending.asked().await;
                // Who is told may have ended by itself.
                let _ = ended.send(());
            });
            explain::follow(dir, &question, &mut out, stop)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Search {
            query,
            semantic,
            limit,
            tab,
            version,
            language,
            tag,
            json,
            embedder,
        } => {
            let (dir, query) = match query.as_slice() {
                [query] => (".", query.as_str()),
                [dir, query, ..] => (dir.as_str(), query.as_str()),
                [] => anyhow::bail!("say what to look for"),
            };
            anyhow::ensure!(!query.trim().is_empty(), "say what to look for");
            let wanted = Wanted {
                query: query.to_owned(),
                semantic,
                limit: usize::from(limit),
                filter: Filter {
                    tab,
                    version,
                    language,
                    tag,
                },
                sections: true,
            };
            let dir = Path::new(dir);
            let mut out = io::stdout().lock();
            let style = match (json, io::stdout().is_terminal()) {
                (true, _) => search::Style::Json,
                (false, true) => search::Style::Colored,
                (false, false) => search::Style::Plain,
            };
            let state = state_folder(dir);
            let place = search::Place {
                folder: dir,
                state: state.as_deref(),
                embedder: embedder.settings()?,
            };
            let count = search::search(&place, &wanted, style, &mut out)?;
            Ok(if count > 0 {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(1)
            })
        }
        Command::Bench {
            dir,
            edits,
            seed,
            kinds,
            json,
            html,
        } => {
            let plan = bench::Plan {
                folder: &dir,
                edits,
                seed,
                kinds: &kinds,
            };
            let bar = progress_bar(quiet, "{bar:30} {pos}/{len} edits {elapsed}");
            bar.set_length(edits as u64);
            let outcome = bench::run(&plan, &|done| bar.set_position(done as u64))?;
            bar.finish_and_clear();
            if let Some(path) = json {
                let text = format!("{:#}\n", outcome.json());
                std::fs::write(&path, text).with_context(|| format!("write {}", path.display()))?;
            }
            if let Some(path) = html {
                std::fs::write(&path, outcome.html()?)
                    .with_context(|| format!("write {}", path.display()))?;
            }
            outcome.write_table(&mut io::stdout().lock())?;
            Ok(ExitCode::from(u8::from(!outcome.is_sound())))
        }
        Command::Status { state, json } => daemon::status(state, json),
        Command::Stop { state } => {
            let state = state.map_or_else(control::default_state, Ok)?;
            control::ask(&state, "stop")?;
            if !quiet {
                say("the daemon ends");
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Build {
            dir,
            out,
            base_path,
            base_url,
            clean,
            explain,
            allow_errors,
            strict,
            json,
            state,
        } => {
            let base_path = base_path.trim_matches('/');
            let base_path = if base_path.is_empty() {
                String::new()
            } else {
                format!("/{base_path}")
            };
            build(
                &Plan {
                    state: state.of(&dir),
                    folder: dir,
                    out,
                    base_path,
                    base_url,
                    clean,
                },
                &Telling {
                    explain,
                    json,
                    quiet,
                    fails_on: match (allow_errors, strict) {
                        (true, _) => None,
                        (false, true) => Some(Severity::Warning),
                        (false, false) => Some(Severity::Error),
                    },
                },
            )
        }
        Command::Check {
            dir,
            strict,
            format,
            state,
        } => write_findings(
            &check::findings(&dir, state.of(&dir).as_deref())?,
            strict,
            format,
            cli.voice.verbose > 0,
        ),
        Command::Openapi {
            command:
                OpenapiCommand::Check {
                    specs,
                    strict,
                    format,
                },
        } => {
            let findings = openapi::findings(&specs)?;
            write_findings(&findings, strict, format, cli.voice.verbose > 0)
        }
        Command::Openapi {
            command: OpenapiCommand::Routes { specs, json },
        } => write_routes(&openapi::pages(&specs)?, json),
        Command::Routes { dir, json } => {
            let loaded = load(&dir, "")?;
            let routes = loaded
                .host
                .read(|db, site| queries::site::routes::routes(db, site));
            let routes = routes.map_err(|error| anyhow::anyhow!("list the routes: {error:?}"))?;
            write_routes(&routes, json)
        }
    }
}

fn write_findings(
    findings: &Findings,
    strict: bool,
    format: Format,
    verbose: bool,
) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    let color = use_color(out.is_terminal());
    check::write(&mut out, findings, format, color, verbose)?;
    let counts = Counts::of(findings.reports.iter().map(|report| &report.diagnostic));
    let failed = counts.errors > 0 || (strict && counts.warnings > 0);
    Ok(ExitCode::from(u8::from(failed)))
}

fn write_routes(routes: &serde_json::Value, json: bool) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{routes}")?;
    } else {
        write_tree(&mut out, &routes["tree"], 0)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn dev(preview: Preview) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let say = preview.say.clone();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(crate::host::STACK)
        .build()?;
    runtime
        .block_on(async {
            let folder = preview.folder.clone();
            let running = dev::start(preview).await?;
            // Before it is said where it is: who reads that may end it at once.
            let mut ending = Ending::taken()?;
            say(&format!(
                "{} at http://{} (ready in {:.0?}; Ctrl-C ends it)",
                folder.display(),
                running.address,
                started.elapsed()
            ));
            running.serve(ending.asked()).await;
            Ok(())
        })
        .map(|()| ExitCode::SUCCESS)
        .inspect(|_| runtime.shutdown_timeout(Duration::from_secs(1)))
}

/// How a build tells what it did.
struct Telling {
    /// Whether each file is named.
    explain: bool,
    /// Whether the counts are JSON.
    json: bool,
    quiet: bool,
    /// Which diagnostics fail the build.
    fails_on: Option<Severity>,
}

fn build(plan: &Plan, telling: &Telling) -> anyhow::Result<ExitCode> {
    let Telling {
        explain,
        json,
        quiet,
        fails_on,
    } = *telling;
    let started = Instant::now();
    let bar = progress_bar(quiet, "{bar:30} {pos}/{len} pages {elapsed}");
    let built = export::build(plan, &|done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    })?;
    bar.finish_and_clear();
    let mut out = io::stdout().lock();
    if explain {
        for (path, outcome) in &built.files {
            let why = match outcome {
                Outcome::Added => "added: it was not in the output folder",
                Outcome::Changed => "changed: its bytes differ from the last build",
                Outcome::Unchanged => "unchanged",
                Outcome::Removed => "removed: the site has it no more",
            };
            writeln!(out, "{path}: {why}")?;
        }
        for source in &built.left_out {
            writeln!(out, "{source}: left out: no file can have a name that long")?;
        }
    }
    for (route, why) in &built.failed {
        say(&format!(
            "error: {route} could not be drawn, its last file stays: {why}"
        ));
    }
    for (path, why) in &built.unwritten {
        say(&format!("error: {path}: {why}"));
    }
    let counts = Counts::of(built.reports.iter().map(|report| &report.diagnostic));
    let is_fatal = |severity| match fails_on {
        Some(Severity::Warning) => severity != Severity::Info,
        _ => severity == Severity::Error,
    };
    for report in &built.reports {
        if is_fatal(report.diagnostic.severity()) {
            say(report.text(io::stderr().is_terminal()).trim_end());
        }
    }
    if counts.warnings > 0 && fails_on != Some(Severity::Warning) && !quiet {
        say(&format!(
            "note: {} warnings (`quire check` lists them)",
            counts.warnings
        ));
    }
    if !built.left_out.is_empty() && !quiet {
        say(&format!(
            "note: redirects left out, as no file can have a name that long: {} (`--explain` lists them; `quire dev` and `quire daemon` serve them)",
            built.left_out.len()
        ));
    }
    let count = |outcome| built.count(outcome);
    let (added, changed, unchanged, removed) = (
        count(Outcome::Added),
        count(Outcome::Changed),
        count(Outcome::Unchanged),
        count(Outcome::Removed),
    );
    let took = started.elapsed();
    if json {
        let value = serde_json::json!({
            "pages": built.pages, "failed": built.failed.len(),
            "errors": counts.errors, "warnings": counts.warnings,
            "unwritten": built.unwritten.len(), "left_out": built.left_out.len(), "added": added, "changed": changed,
            "unchanged": unchanged, "removed": removed, "bytes": built.bytes, "ms": took.as_secs_f64() * 1000.0,
        });
        writeln!(out, "{value}")?;
    } else if !quiet {
        writeln!(
            out,
            "{} pages, {:.1} MB of HTML in {took:.2?}: {added} files added, {changed} changed, {unchanged} unchanged, {removed} removed",
            built.pages,
            built.bytes as f64 / 1e6,
        )?;
    }
    // What is not on the disk is missing whatever was allowed.
    let is_whole = built.unwritten.is_empty();
    let diagnostics = match fails_on {
        None => 0,
        Some(Severity::Warning) => counts.errors + counts.warnings,
        Some(_) => counts.errors + built.failed.len(),
    };
    Ok(ExitCode::from(u8::from(!is_whole || diagnostics > 0)))
}

/// A bar at the terminal, if there is one; elsewhere nothing is shown.
fn progress_bar(quiet: bool, template: &str) -> indicatif::ProgressBar {
    let bar = indicatif::ProgressBar::hidden();
    if io::stderr().is_terminal() && !quiet {
        bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        if let Ok(style) = indicatif::ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
    }
    bar
}

fn write_tree(out: &mut dyn Write, nodes: &serde_json::Value, depth: usize) -> io::Result<()> {
    for node in nodes.as_array().into_iter().flatten() {
        let text = |key: &str| node[key].as_str().unwrap_or("");
        let pad = "  ".repeat(depth);
        let hidden = if node["hidden"] == true {
            " (hidden)"
        } else {
            ""
        };
        let route = text("route");
        let gap = if route.is_empty() { "" } else { "  " };
        writeln!(
            out,
            "{pad}{} {}{hidden}{gap}{route}",
            text("kind"),
            text("label")
        )?;
        write_tree(out, &node["children"], depth + 1)?;
    }
    Ok(())
}

fn use_color(is_terminal: bool) -> bool {
    is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Says something to the person at the terminal; results go to standard output instead.
fn say(line: &str) {
    // Nothing can be done if nobody listens.
    let _ = writeln!(io::stderr(), "{line}");
}

/// What is said of the log: what QUIRE_LOG asks for, else `level`.
fn log_filter(level: &str) -> tracing_subscriber::EnvFilter {
    tracing_subscriber::EnvFilter::try_from_env("QUIRE_LOG").unwrap_or_else(|_| level.into())
}

fn start_log(voice: &Voice) {
    let level = match (voice.quiet, voice.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "quire=info,warn",
        _ => "quire=debug,info",
    };
    let log = tracing_subscriber::fmt()
        .with_env_filter(log_filter(level))
        .with_writer(io::stderr);
    // A log that is there already is the log.
    let _ = log
        .with_ansi(use_color(io::stderr().is_terminal()))
        .without_time()
        .try_init();
}
