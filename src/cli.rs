//! The command line: every command as one variant, and one match.

use std::io::{self, IsTerminal, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, Parser, Subcommand};

use crate::bench;
use crate::check::{self, Findings, Format};
use crate::control;
use crate::daemon;
use crate::dev::{self, Preview};
use crate::explain::{self, Question};
use crate::export::{self, Outcome, Plan};
use crate::finder::Wanted;
use crate::index::Filter;
use crate::load::load;
use crate::openapi;
use crate::report::Counts;
use crate::search;
use crate::settings::{EmbedderSettings, LogFormat, Settings, SiteSettings};
use crate::store::state_folder;

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
        /// The id of the site in addresses; made from its name without one
        #[arg(long)]
        id: Option<String>,
        #[command(flatten)]
        state: State,
        #[command(flatten)]
        embedder: EmbedderArguments,
    },
    /// Serve many sites for as long as the machine runs: previews of branches, deployments, metrics
    #[command(after_help = "\
Examples:
  quire daemon --site docs=docs --site api=api/docs     at http://docs.localhost:3000 and so on
  quire daemon --config /etc/quire.toml                 as a service; SIGHUP reads the file again
  quire daemon --config quire.toml --print-config       every setting with its value

A branch, tag or commit of a site's repository is at http://REF--ID.localhost:3000; /_quire/diff there shows what it
changes. POST /api/sites/ID/deployments publishes what has changed elsewhere.")]
    Daemon {
        /// The configuration
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
        /// A site and its folder; may be given several times
        #[arg(long = "site", value_name = "ID=DIR", value_parser = site_argument)]
        sites: Vec<(String, PathBuf)>,
        /// The address and port to listen on
        #[arg(long, value_name = "ADDRESS")]
        listen: Option<std::net::SocketAddr>,
        /// The folder that state is kept in
        #[arg(long, value_name = "DIR")]
        state: Option<PathBuf>,
        /// How the log is written
        #[arg(long, value_enum)]
        log: Option<LogFormat>,
        /// Print the settings that would be used, and end
        #[arg(long)]
        print_config: bool,
    },
    /// Ask a running daemon how it is
    #[command(after_help = "\
Examples:
  quire status
  quire status --state /var/lib/quire --json | jq '.sites[].pages'")]
    Status {
        /// The state folder of the daemon
        #[arg(long, value_name = "DIR")]
        state: Option<PathBuf>,
        /// Print everything as JSON
        #[arg(long)]
        json: bool,
    },
    /// End a running daemon; requests that run do first
    #[command(after_help = "\
Examples:
  quire stop
  quire stop --state /var/lib/quire")]
    Stop {
        /// The state folder of the daemon
        #[arg(long, value_name = "DIR")]
        state: Option<PathBuf>,
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
        #[command(flatten)]
        state: State,
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
        #[command(flatten)]
        state: State,
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
    /// Show which queries and which files make a page, and what runs again after an edit
    #[command(after_help = "\
Examples:
  quire explain docs /guides/quickstart
  quire explain docs /guides/quickstart --watch           what ran after each edit, and why
  quire explain docs /api/list-pets --trace trace.json    for chrome://tracing or ui.perfetto.dev")]
    Explain {
        /// The folder of docs.json, this one without it, and the address of the page
        #[arg(required = true, num_args = 1..=2, value_names = ["DIR", "ROUTE"])]
        page: Vec<String>,
        /// Stay, and show after each edit what ran
        #[arg(long)]
        watch: bool,
        /// How many levels of queries to show
        #[arg(long, default_value_t = 4)]
        depth: usize,
        /// Write a trace for Chrome's viewer
        #[arg(long, value_name = "FILE", conflicts_with = "watch")]
        trace: Option<PathBuf>,
        /// Print JSON; with --watch an object a line
        #[arg(long)]
        json: bool,
    },
    /// Find pages of a site, by their words or by what they mean
    #[command(after_help = "\
Examples:
  quire search docs \"rotate an API key\"
  quire search docs webhooks --semantic --limit 3
  quire search docs webhooks --json | jq -r '.results[].url'
  quire search docs webhooks --semantic --embedder-url http://127.0.0.1:11434/v1 --embedder-model all-minilm
  quire search docs webhooks --semantic --embedder-folder models/all-MiniLM-L6-v2")]
    Search {
        /// The folder of docs.json, this one without it, and what to look for
        #[arg(required = true, num_args = 1..=2, value_names = ["DIR", "QUERY"])]
        query: Vec<String>,
        /// Find pages that say the same in other words, too
        #[arg(long)]
        semantic: bool,
        /// How many pages to show
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=50))]
        limit: u8,
        /// Only pages below the tab of this label
        #[arg(long)]
        tab: Option<String>,
        /// Only pages of the version of this label
        #[arg(long = "version-label", value_name = "VERSION")]
        version: Option<String>,
        /// Only pages in the language of this code
        #[arg(long)]
        language: Option<String>,
        /// Only pages with this tag
        #[arg(long)]
        tag: Option<String>,
        /// Print `{\"mode\":…,\"results\":[…]}` with the passages of each page
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        embedder: EmbedderArguments,
    },
    /// Replay edits on a copy of a site in memory, and measure them
    #[command(after_help = "\
Examples:
  quire bench docs                                    a table
  quire bench docs --edits 1000 --seed 7 --html costs.html
  quire bench docs --kinds words,operation            only these, and the first edits that they need")]
    Bench {
        /// The folder of docs.json
        #[arg(default_value = ".")]
        dir: PathBuf,
        /// How many edits
        #[arg(long, default_value_t = 200)]
        edits: usize,
        /// Where the random choices begin: the same seed makes the same edits
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The kinds of edits to make, and those that must come before them [default: all]
        #[arg(long, value_name = "KINDS", value_delimiter = ',')]
        kinds: Vec<bench::Kind>,
        /// Write everything that was measured as JSON
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
        /// Write a page with a table and plots
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
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

/// Where to keep what was drawn.
#[derive(clap::Args)]
struct State {
    /// The folder that keeps what was drawn for the next start; the user's cache folder without it, and nothing if
    /// QUIRE_STATE is `off`. It may be deleted at any time
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// Keep nothing, and use nothing that was kept
    #[arg(long, conflicts_with = "state")]
    no_state: bool,
}

impl State {
    /// The folder for the site in `root`.
    fn of(self, root: &Path) -> Option<PathBuf> {
        match self.no_state {
            true => None,
            false => self.state.or_else(|| state_folder(root)),
        }
    }
}

/// Who makes vectors of passages besides this program.
#[derive(clap::Args)]
struct EmbedderArguments {
    /// An endpoint that makes vectors of texts as OpenAI's /v1/embeddings does; passages are sent to it. What it made is
    /// kept, so each is sent once. Its key is taken from QUIRE_EMBEDDER_KEY
    #[arg(long, value_name = "URL", requires = "embedder_model")]
    embedder_url: Option<String>,
    /// The name of the model there
    #[arg(long, value_name = "NAME", requires = "embedder_url")]
    embedder_model: Option<String>,
    /// A folder with a model of the BERT family (config.json, tokenizer.json, model.safetensors), which is run here. Needs
    /// a program that was built with `--features bert`
    #[arg(long, value_name = "PATH", conflicts_with_all = ["embedder_url", "embedder_model"])]
    embedder_folder: Option<PathBuf>,
}

/// The variable that holds the key of an embedder.
const EMBEDDER_KEY: &str = "QUIRE_EMBEDDER_KEY";

impl EmbedderArguments {
    /// The settings that they stand for: whoever gives them may ask any server that they can reach.
    fn settings(self) -> anyhow::Result<Option<EmbedderSettings>> {
        if let Some(folder) = &self.embedder_folder {
            let settings = EmbedderSettings::of_folder(folder);
            settings.check().context("--embedder-folder")?;
            anyhow::ensure!(
                folder.is_dir(),
                "--embedder-folder: {} is no folder",
                folder.display()
            );
            return Ok(Some(settings));
        }
        let (Some(url), Some(model)) = (self.embedder_url, self.embedder_model) else {
            return Ok(None);
        };
        let settings = EmbedderSettings {
            private: true,
            key_env: std::env::var_os(EMBEDDER_KEY).map(|_| EMBEDDER_KEY.to_owned()),
            ..EmbedderSettings::new(&url, &model)
        };
        settings.check().context("--embedder-url")?;
        Ok(Some(settings))
    }
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
            run_daemon(settings, config, &cli.voice)
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
            runtime.spawn(async move {
                stopped().await;
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
                (false, true) => search::Style::Coloured,
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
        Command::Status { state, json } => status(state, json),
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
                explain,
                json,
                quiet,
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

/// A site on the command line: `ID=DIR`.
fn site_argument(text: &str) -> Result<(String, PathBuf), String> {
    let (id, folder) = text.split_once('=').ok_or("write `ID=DIR`")?;
    crate::settings::check_id(id).map_err(|error| error.to_string())?;
    Ok((id.to_owned(), PathBuf::from(folder)))
}

fn run_daemon(
    settings: Settings,
    config: Option<PathBuf>,
    voice: &Voice,
) -> anyhow::Result<ExitCode> {
    start_daemon_log(voice, settings.log);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(crate::host::STACK)
        .build()?;
    runtime.block_on(async {
        let daemon = daemon::start(settings, config).await?;
        tracing::info!(
            address = %daemon.address, state = %daemon.state().display(), sites = daemon.sites().all().len(),
            version = env!("CARGO_PKG_VERSION"), "listening"
        );
        let stop = daemon.stop();
        tokio::spawn(async move {
            stopped().await;
            stop.now();
        });
        daemon.serve(|| Box::pin(asked_to_reload())).await;
        anyhow::Ok(())
    })?;
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(ExitCode::SUCCESS)
}

/// Returns when the process gets SIGHUP.
async fn asked_to_reload() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::hangup()) {
        Ok(mut hangup) => {
            hangup.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}

fn status(state: Option<PathBuf>, json: bool) -> anyhow::Result<ExitCode> {
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
        "quire {}, up {}, {:.0} MB in memory, {:.0} % of what was needed had been kept",
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
        if number(&site["previews"]) > 0.0 {
            write!(out, "  {} previews", site["previews"])?;
        }
        if number(&site["queue"]) > 0.0 {
            write!(out, "  {} deployments wait", site["queue"])?;
        }
        if let Some(error) = site["error"].as_str() {
            write!(out, "  {error}")?;
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

fn start_daemon_log(voice: &Voice, format: LogFormat) {
    let level = match (voice.quiet, voice.verbose) {
        (true, _) => "warn",
        (false, 0) => "quire=info,warn",
        _ => "quire=debug,info",
    };
    let filter =
        tracing_subscriber::EnvFilter::try_from_env("QUIRE_LOG").unwrap_or_else(|_| level.into());
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    let log = log.with_ansi(use_color(io::stderr().is_terminal()));
    // A log that is there already is the log.
    let _ = match format {
        LogFormat::Text => log.try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
}
