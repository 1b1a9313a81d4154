//! The command line: every command as one variant, and one match.

use std::io::{self, IsTerminal, Write};
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};

use crate::check::{self, Findings, Format};
use crate::daemon::{self, Preview};
use crate::export::{self, Outcome, Plan};
use crate::load::load;
use crate::openapi;
use crate::report::Counts;

/// Documentation sites from MDX pages, docs.json and OpenAPI documents: preview, build, check.
#[derive(Parser)]
#[command(
    name = "quire",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  quire dev docs                preview the site in docs/ and reload it while you write
  quire build docs --out site   write it as static files
  quire check docs --strict     list everything that is wrong with it"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    voice: Voice,
}

#[derive(Args)]
struct Voice {
    /// Say less: only results and errors
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Say more; twice for details of the program itself
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
}

#[derive(Subcommand)]
enum Command {
    /// Preview a site: serve it, watch it, reload open pages in place, show errors over the page
    #[command(after_help = "\
Examples:
  quire dev                     the site in this folder, at http://127.0.0.1:3000
  quire dev docs --open         open it in a browser
  quire dev docs --port 8080    at another port; if it is taken, at the next free one")]
    Dev {
        /// The folder of docs.json
        #[arg(default_value = ".")]
        dir: PathBuf,
        /// The address to listen on; 0.0.0.0 shows the preview to the whole network
        #[arg(long, default_value = "127.0.0.1")]
        host: IpAddr,
        /// The port; 0 for any
        #[arg(long, default_value_t = 3000)]
        port: u16,
        /// Open a browser
        #[arg(long)]
        open: bool,
    },
    /// Write the site as static files
    #[command(after_help = "\
Examples:
  quire build docs --out site
  quire build docs --out site --base-path /docs --base-url https://example.org")]
    Build {
        /// The folder of docs.json
        #[arg(default_value = ".")]
        dir: PathBuf,
        /// The folder to write to
        #[arg(long, default_value = "site")]
        out: PathBuf,
        /// The path below which the site will be served
        #[arg(long, default_value = "")]
        base_path: String,
        /// The address of the site, for canonical links
        #[arg(long)]
        base_url: Option<String>,
        /// Empty the output folder first
        #[arg(long)]
        clean: bool,
        /// Say of each file whether it was added, changed, removed or left as it was
        #[arg(long)]
        explain: bool,
        /// Print the counts as JSON
        #[arg(long)]
        json: bool,
    },
    /// List everything that is wrong: configuration, navigation, frontmatter, MDX, links, anchors
    #[command(after_help = "\
Examples:
  quire check docs              exit code 1 if there are errors
  quire check docs --strict     warnings count too
  quire check docs --format json | jq 'select(.severity == \"error\")'")]
    Check {
        /// The folder of docs.json
        #[arg(default_value = ".")]
        dir: PathBuf,
        /// Warnings count as errors
        #[arg(long)]
        strict: bool,
        /// How findings are written
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Print the navigation tree with the route of each page
    #[command(after_help = "\
Examples:
  quire routes docs
  quire routes docs --json | jq -r '.pages[].route'")]
    Routes {
        /// The folder of docs.json
        #[arg(default_value = ".")]
        dir: PathBuf,
        /// Print `{\"tree\":[…],\"pages\":[…]}`
        #[arg(long)]
        json: bool,
    },
    /// Look at OpenAPI documents by themselves
    Openapi {
        #[command(subcommand)]
        command: OpenapiCommand,
    },
}

#[derive(Subcommand)]
enum OpenapiCommand {
    /// List everything that is wrong with specifications
    #[command(after_help = "\
Examples:
  quire openapi check api.yaml
  quire openapi check *.json --strict --format sarif > findings.sarif")]
    Check {
        /// The specifications: JSON or YAML
        #[arg(required = true, value_name = "SPEC")]
        specs: Vec<PathBuf>,
        /// Warnings count as errors
        #[arg(long)]
        strict: bool,
        /// How findings are written
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Print the pages that specifications would get, by group
    #[command(after_help = "\
Examples:
  quire openapi routes api.yaml
  quire openapi routes api.yaml --json | jq -r '.pages[] | .operation + \" \" + .route'")]
    Routes {
        /// The specifications: JSON or YAML
        #[arg(required = true, value_name = "SPEC")]
        specs: Vec<PathBuf>,
        /// Print `{\"tree\":[…],\"pages\":[…]}`
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command line of this process. Exit codes: 0 fine, 1 the site has errors, 2 wrong usage or nothing to work on.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers, not errors. Nothing can be done if nobody listens.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    start_log(&cli.voice);
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
        } => dev(Preview {
            folder: dir,
            host,
            port,
            open,
            say: if quiet {
                Arc::new(|_| ())
            } else {
                Arc::new(say)
            },
        }),
        Command::Build {
            dir,
            out,
            base_path,
            base_url,
            clean,
            explain,
            json,
        } => {
            let base_path = base_path.trim_matches('/');
            let base_path = if base_path.is_empty() {
                String::new()
            } else {
                format!("/{base_path}")
            };
            build(
                &Plan {
                    folder: dir,
                    out,
                    base_path,
                    base_url,
                    clean,
                },
                explain,
                json,
                quiet,
            )
        }
        Command::Check {
            dir,
            strict,
            format,
        } => write_findings(
            &check::findings(&dir)?,
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
            let running = daemon::start(preview).await?;
            say(&format!(
                "{} at http://{} (ready in {:.0?}; Ctrl-C ends it)",
                folder.display(),
                running.address,
                started.elapsed()
            ));
            running.serve(stopped()).await;
            Ok(())
        })
        .map(|()| ExitCode::SUCCESS)
        .inspect(|_| runtime.shutdown_timeout(Duration::from_secs(1)))
}

/// Returns when the process is asked to end.
async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn build(plan: &Plan, explain: bool, json: bool, quiet: bool) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let bar = indicatif::ProgressBar::hidden();
    if io::stderr().is_terminal() && !quiet {
        bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        if let Ok(style) =
            indicatif::ProgressStyle::with_template("{bar:30} {pos}/{len} pages {elapsed}")
        {
            bar.set_style(style);
        }
    }
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
    }
    for (route, why) in &built.failed {
        say(&format!(
            "error: {route} could not be drawn, its last file stays: {why}"
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
            "pages": built.pages, "failed": built.failed.len(), "added": added, "changed": changed,
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
    Ok(ExitCode::from(u8::from(!built.failed.is_empty())))
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

fn start_log(voice: &Voice) {
    let level = match (voice.quiet, voice.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "quire=info,warn",
        _ => "quire=debug,info",
    };
    let filter =
        tracing_subscriber::EnvFilter::try_from_env("QUIRE_LOG").unwrap_or_else(|_| level.into());
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    // A log that is there already is the log.
    let _ = log
        .with_ansi(use_color(io::stderr().is_terminal()))
        .without_time()
        .try_init();
}
