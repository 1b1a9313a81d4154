//! The command line: one function for each command.

mod arguments;
mod backup;
mod daemon;
mod deployments;
mod init;
mod lines;
mod man;
mod manual;
mod migrate;
mod mv;
#[cfg(test)]
mod reference;
mod signals;

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{CommandFactory, Parser};
use queries::base::diagnostic::Severity;

use self::arguments::{
    AskArguments, BenchArguments, BuildArguments, CheckArguments, Cli, Command, DaemonArguments,
    DevArguments, ExplainArguments, HealthArguments, LspArguments, ManArguments, McpArguments,
    OpenapiCommand, RoutesArguments, SearchArguments, ServeArguments, StopArguments, TrailingSlash,
    Voice,
};
use self::lines::Lines;
use self::signals::Ending;
use crate::ask;
use crate::bench;
use crate::check::{self, ExcludedFindings, Findings, Format};
use crate::control;
use crate::dev::{self, Preview, Say};
use crate::explain::{self, Question};
use crate::openapi;
use crate::search_command as search;
use quire_engine::report::Counts;
use quire_export::{self as export, BuildResult, Outcome, Plan};
use quire_mcp as mcp;
use quire_net::relay::Relay;
use quire_search::index::Filter;
use quire_search::search_service::SearchQuery;
use quire_settings::{AssistantSettings, RelaySettings, Settings, SiteSettings};
use quire_source::load::load;
use quire_storage::store::state_folder;

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
    if matches!(cli.command, Command::Dev { .. } | Command::Mcp { .. }) {
        lines::start(|dropped| say(&told_of_dropped(dropped)));
    }
    // A daemon says itself how its log is written.
    if !matches!(cli.command, Command::Daemon(_) | Command::Serve(_)) {
        start_log(&cli.voice);
    }
    let code = match command(cli) {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    };
    lines::end();
    code
}

fn told_of_dropped(lines: u64) -> String {
    format!("{lines} lines of the log were dropped, as nobody read them")
}

fn command(Cli { command, voice }: Cli) -> anyhow::Result<ExitCode> {
    match command {
        Command::Dev(arguments) => dev(arguments, &voice),
        Command::Daemon(arguments) => serve(arguments, &voice),
        Command::Serve(arguments) => serve_published(arguments, &voice),
        Command::Status(arguments) => daemon::status(arguments.state, arguments.json),
        Command::Backup(arguments) => backup::backup(&arguments, &voice),
        Command::Restore(arguments) => backup::restore(&arguments, &voice),
        Command::Deployments { command } => deployments::deployments(command),
        Command::Stop(arguments) => stop(arguments, &voice),
        Command::Health(arguments) => health(&arguments, &voice),
        Command::Build(arguments) => build(arguments, &voice),
        Command::Check(arguments) => check_site(arguments, &voice),
        Command::Init(arguments) => init::init(&arguments),
        Command::Manual(arguments) => manual::manual(&arguments, &voice),
        Command::Mv(arguments) => mv::mv(&arguments),
        Command::Migrate(arguments) => migrate::migrate(&arguments),
        Command::Lsp(arguments) => edit(arguments),
        Command::Routes(arguments) => routes(&arguments),
        Command::Explain(arguments) => explain_page(&arguments),
        Command::Search(arguments) => search_site(arguments),
        Command::Ask(arguments) => ask_site(arguments),
        Command::Mcp(arguments) => answer_programs(arguments),
        Command::Bench(arguments) => measure(&arguments, &voice),
        Command::Openapi { command } => match command {
            OpenapiCommand::Check(arguments) => {
                let findings = openapi::findings(&arguments.specs)?;
                write_findings(&findings, arguments.strict, arguments.format, &voice)
            }
            OpenapiCommand::Routes(arguments) => {
                write_routes(&openapi::pages(&arguments.specs)?, arguments.json)
            }
        },
        Command::Completions(arguments) => completions(arguments.shell),
        Command::Man(arguments) => manual(&arguments),
    }
}

/// `quire lsp`: serves an editor until it ends.
fn edit(arguments: LspArguments) -> anyhow::Result<ExitCode> {
    quire_lsp::serve(quire_lsp::Options {
        site: arguments.site,
        preview: arguments.preview,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// `quire completions`: the script of a shell.
fn completions(shell: clap_complete::Shell) -> anyhow::Result<ExitCode> {
    // In memory first: the generator panics where nobody reads.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "quire", &mut script);
    io::stdout().lock().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// `quire man`: one page to standard output, or all of them to a folder.
fn manual(arguments: &ManArguments) -> anyhow::Result<ExitCode> {
    match &arguments.dir {
        Some(folder) => man::write_all(folder)?,
        None => man::print(&mut io::stdout().lock())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// `quire health`: exit code 1 if the server does not answer, as health checks of containers expect.
fn health(arguments: &HealthArguments, voice: &Voice) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let status = match runtime.block_on(quire_net::health::check(&arguments.url)) {
        Ok(status) => status,
        Err(error) => {
            say(&format!("error: {error:#}"));
            return Ok(ExitCode::from(1));
        }
    };
    if !voice.quiet {
        writeln!(io::stdout().lock(), "{status}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// `quire daemon`, or the settings that it would use.
fn serve(arguments: DaemonArguments, voice: &Voice) -> anyhow::Result<ExitCode> {
    let mut settings = match &arguments.config {
        Some(config) => Settings::read(config)?,
        None => Settings::default(),
    };
    for (id, folder) in arguments.sites {
        settings.sites.insert(id, SiteSettings::of_folder(&folder));
    }
    settings.listen.address = arguments.listen.unwrap_or(settings.listen.address);
    arguments.relay.change(&mut settings.relay);
    settings.state = arguments.state.or(settings.state);
    settings.log = arguments.log.map_or(settings.log, Into::into);
    if let Some(role) = arguments.role {
        settings.storage.role = role.into();
    }
    if settings.sites.is_empty() && !arguments.print_config {
        anyhow::bail!("there is no site to serve: give `--site ID=DIR` or `--config FILE`");
    }
    settings.check()?;
    if arguments.print_config {
        let mut out = io::stdout().lock();
        write!(out, "{}", toml::to_string(&settings)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    daemon::run(settings, arguments.config, voice)
}

fn serve_published(arguments: ServeArguments, voice: &Voice) -> anyhow::Result<ExitCode> {
    let mut settings = match &arguments.config {
        Some(config) => Settings::read(config)?,
        None => Settings::default(),
    };
    settings.listen.address = arguments.listen.unwrap_or(settings.listen.address);
    settings.log = arguments.log.map_or(settings.log, Into::into);
    settings.check()?;
    let from = match arguments.records {
        Some(records) => arguments.from.with_records(records),
        None => arguments.from,
    };
    daemon::run_served(&settings, &from, arguments.cache.as_deref(), voice)
}

fn stop(arguments: StopArguments, voice: &Voice) -> anyhow::Result<ExitCode> {
    let state = arguments.state.map_or_else(control::default_state, Ok)?;
    control::stop(&state)?;
    if !voice.quiet {
        say("the daemon has stopped");
    }
    Ok(ExitCode::SUCCESS)
}

fn explain_page(arguments: &ExplainArguments) -> anyhow::Result<ExitCode> {
    let (dir, route) = match arguments.page.as_slice() {
        [route] => (".", route.as_str()),
        [dir, route, ..] => (dir.as_str(), route.as_str()),
        [] => anyhow::bail!("give the address of a page"),
    };
    let dir = Path::new(dir);
    let question = Question {
        route,
        depth: arguments.depth,
        json: arguments.json,
        trace: arguments.trace.as_deref(),
    };
    let mut out = io::stdout().lock();
    if !arguments.watch {
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

/// `quire search`: exit code 1 if nothing is found, as that of grep.
fn search_site(arguments: SearchArguments) -> anyhow::Result<ExitCode> {
    let (dir, query) = folder_and_words(&arguments.query, "say what to look for")?;
    let search_query = SearchQuery {
        query: query.to_owned(),
        semantic: arguments.semantic,
        limit: usize::from(arguments.limit),
        filter: Filter {
            tab: arguments.tab,
            version: arguments.version,
            language: arguments.language,
            tag: arguments.tag,
            ..Filter::default()
        },
        sections: true,
    };
    let mut out = io::stdout().lock();
    let state = state_folder(dir);
    let place = search::Place {
        folder: dir,
        state: state.as_deref(),
        embedder: arguments.embedder.settings()?,
    };
    let count = search::search(&place, &search_query, style(arguments.json), &mut out)?;
    Ok(ExitCode::from(u8::from(count == 0)))
}

/// `quire ask`: exit code 1 if the site does not answer.
fn ask_site(arguments: AskArguments) -> anyhow::Result<ExitCode> {
    let (dir, question) = folder_and_words(&arguments.question, "say what to ask")?;
    let mut out = io::stdout().lock();
    let state = state_folder(dir);
    let place = search::Place {
        folder: dir,
        state: state.as_deref(),
        embedder: arguments.embedder.settings()?,
    };
    let model = arguments.model.settings()?;
    let answer = ask::ask(
        &place,
        model.as_ref(),
        question,
        style(arguments.json),
        &mut out,
    )?;
    if let Some(notice) = answer.notice.filter(|_| !arguments.json) {
        say(&format!("note: {notice}"));
    }
    let is_refused = answer.answered == quire_assistant::Answered::Not;
    Ok(ExitCode::from(u8::from(is_refused)))
}

/// `quire mcp`: until the program at the other end is gone.
fn answer_programs(arguments: McpArguments) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(quire_engine::host::STACK)
        .build()?;
    let state = arguments.state.of(&arguments.dir);
    let answered = runtime.block_on(mcp::local::answer(&arguments.dir, state.as_deref()));
    // A thread may still wait for a line that nobody writes.
    runtime.shutdown_timeout(Duration::from_millis(100));
    answered.map(|()| ExitCode::SUCCESS)
}

/// The folder of a site, this one unless it is given, and the words that follow it.
fn folder_and_words<'a>(
    arguments: &'a [String],
    missing: &str,
) -> anyhow::Result<(&'a Path, &'a str)> {
    let (dir, words) = match arguments {
        [words] => (".", words.as_str()),
        [dir, words, ..] => (dir.as_str(), words.as_str()),
        [] => ("", ""),
    };
    anyhow::ensure!(!words.trim().is_empty(), "{missing}");
    Ok((Path::new(dir), words))
}

/// How an answer is written to this terminal, or to whatever reads it.
fn style(json: bool) -> search::Style {
    match (json, io::stdout().is_terminal()) {
        (true, _) => search::Style::Json,
        (false, true) => search::Style::Colored,
        (false, false) => search::Style::Plain,
    }
}

/// `quire bench`: exit code 1 if an edit ran what it should not.
fn measure(arguments: &BenchArguments, voice: &Voice) -> anyhow::Result<ExitCode> {
    let plan = bench::Plan {
        folder: &arguments.dir,
        edits: arguments.edits,
        seed: arguments.seed,
        kinds: &arguments.kinds,
    };
    let bar = progress_bar(voice.quiet, "{bar:30} {pos}/{len} edits {elapsed}");
    bar.set_length(arguments.edits as u64);
    let outcome = bench::run(&plan, &|done| bar.set_position(done as u64))?;
    bar.finish_and_clear();
    if let Some(path) = &arguments.json {
        let text = format!("{:#}\n", outcome.json());
        std::fs::write(path, text).with_context(|| format!("write {}", path.display()))?;
    }
    if let Some(path) = &arguments.html {
        let page = outcome.html()?;
        std::fs::write(path, page).with_context(|| format!("write {}", path.display()))?;
    }
    outcome.write_table(&mut io::stdout().lock())?;
    Ok(ExitCode::from(u8::from(!outcome.is_sound())))
}

fn check_site(arguments: CheckArguments, voice: &Voice) -> anyhow::Result<ExitCode> {
    let state = arguments.state.of(&arguments.dir);
    let known = ExcludedFindings {
        baseline: arguments.baseline.as_deref(),
        since: arguments.since.as_deref(),
    };
    let bar = progress_bar(voice.quiet, "{bar:30} {pos}/{len} links {elapsed}");
    let progress = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let options = check::Options {
        known,
        state: state.as_deref(),
        external: arguments
            .external
            .then_some(&progress as &dyn Fn(usize, usize)),
    };
    let dir = &arguments.dir;
    let findings = match arguments.fix {
        true => {
            let dry_run = arguments.dry_run;
            let (fixed, findings) = check::fix::fix(dir, options, dry_run)?;
            // Programs read the standard output.
            match arguments.format {
                Format::Text => fixed.write(&mut io::stdout().lock(), dry_run)?,
                _ => fixed.write(&mut io::stderr().lock(), dry_run)?,
            }
            findings
        }
        false => check::findings(dir, options)?,
    };
    bar.finish_and_clear();
    write_findings(&findings, arguments.strict, arguments.format, voice)
}

fn routes(arguments: &RoutesArguments) -> anyhow::Result<ExitCode> {
    let loaded = load(&arguments.dir, "")?;
    let routes = loaded
        .host
        .read(|db, site| queries::site::routes::routes(db, site));
    let routes = routes.map_err(|error| anyhow::anyhow!("list the routes: {error:?}"))?;
    write_routes(&routes, arguments.json)
}

fn write_findings(
    findings: &Findings,
    strict: bool,
    format: Format,
    voice: &Voice,
) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    let color = use_color(out.is_terminal());
    check::write(&mut out, findings, format, color, voice.verbose > 0)?;
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

fn dev(arguments: DevArguments, voice: &Voice) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let say: Say = match voice.quiet {
        true => Arc::new(|_| ()),
        false => Arc::new(say),
    };
    let mut relay = RelaySettings::default();
    arguments.relay.change(&mut relay);
    let preview = Preview {
        relay: Relay::of(&relay)?,
        state: arguments.state.of(&arguments.dir),
        embedder: arguments.embedder.settings()?,
        folder: arguments.dir,
        id: arguments.id,
        host: arguments.host,
        port: arguments.port,
        admin: arguments.admin,
        open: arguments.open,
        search_deadline: Duration::from_millis(arguments.search_deadline),
        poll: arguments.poll,
        mock: arguments.mock,
        assistant: AssistantSettings {
            chat_completions: arguments.chat_completions,
            model: arguments.model.settings()?,
            ..AssistantSettings::default()
        },
        say: say.clone(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(quire_engine::host::STACK)
        .build()?;
    runtime
        .block_on(async {
            let folder = preview.folder.clone();
            let running = dev::start(preview).await?;
            // Before it is said where it is: who reads that may end it at once.
            let mut ending = Ending::taken()?;
            let origins = dev::origins(running.address);
            let (nearest, others) = origins.split_first().context("no address")?;
            say(&format!(
                "{} at {nearest} (ready in {:.0?}; press Ctrl-C to stop)",
                folder.display(),
                started.elapsed()
            ));
            for other in others {
                say(&format!("in the network at {other}"));
            }
            for admin in running.admin.into_iter().flat_map(dev::origins) {
                say(&format!("status and what readers say at {admin}"));
            }
            // By a thread that answers requests: connections need not be handed on by this one.
            tokio::spawn(async move { running.serve(ending.asked()).await }).await?;
            Ok(())
        })
        .map(|()| ExitCode::SUCCESS)
        .inspect(|_| runtime.shutdown_timeout(Duration::from_secs(1)))
}

fn build(arguments: BuildArguments, voice: &Voice) -> anyhow::Result<ExitCode> {
    let BuildArguments {
        explain,
        json,
        allow_errors,
        strict,
        ..
    } = arguments;
    let plan = Plan {
        state: arguments.state.of(&arguments.dir),
        folder: arguments.dir,
        out: arguments.out,
        base_path: match arguments.base_path.trim_matches('/') {
            "" => String::new(),
            path => format!("/{path}"),
        },
        base_url: arguments.base_url,
        trailing_slash: arguments.trailing_slash == TrailingSlash::Always,
        clean: arguments.clean,
        force: arguments.force,
        cards: !arguments.no_cards,
    };
    // The least severe diagnostics that fail the build.
    let fails_on = match (allow_errors, strict) {
        (true, _) => None,
        (false, true) => Some(Severity::Warning),
        (false, false) => Some(Severity::Error),
    };
    let started = Instant::now();
    let bar = progress_bar(voice.quiet, "{bar:30} {pos}/{len} pages {elapsed}");
    let built = export::build_last(&plan, &|done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    })?;
    bar.finish_and_clear();
    let took = started.elapsed();
    let counts = Counts::of(built.reports.iter().map(|report| &report.diagnostic));
    let mut out = io::stdout().lock();
    if explain {
        write_files(&built, &mut out)?;
    }
    say_failures(&built, fails_on);
    if !voice.quiet {
        say_notes(&built, &counts, fails_on);
    }
    write_summary(&built, &counts, took, (json, voice.quiet), &mut out)?;
    // What is not on the disk is missing whatever was allowed.
    let is_whole = built.unwritten.is_empty();
    let fatal = match fails_on {
        None => 0,
        Some(Severity::Warning) => counts.errors + counts.warnings,
        Some(_) => counts.errors + built.failed.len(),
    };
    Ok(ExitCode::from(u8::from(!is_whole || fatal > 0)))
}

/// Names each file, and what became of it.
fn write_files(built: &BuildResult, out: &mut dyn Write) -> io::Result<()> {
    for (path, outcome) in &built.files {
        let why = match outcome {
            Outcome::Added => "added: it was not in the output folder",
            Outcome::Changed => "changed: its bytes differ from the last build",
            Outcome::Unchanged => "unchanged",
            Outcome::Removed => "removed: the site has it no more",
        };
        writeln!(out, "{path}: {why}")?;
    }
    for source in built.left_out.iter().chain(&built.unportable()) {
        writeln!(out, "{source}")?;
    }
    Ok(())
}

/// Says what could not be rendered or written, and the diagnostics that fail the build.
fn say_failures(built: &BuildResult, fails_on: Option<Severity>) {
    for (route, why) in &built.failed {
        say(&format!(
            "error: {route} could not be drawn, its last file stays: {why}"
        ));
    }
    for (path, why) in &built.unwritten {
        say(&format!("error: {path}: {why}"));
    }
    let is_fatal = |severity| match fails_on {
        Some(Severity::Warning) => severity != Severity::Info,
        _ => severity == Severity::Error,
    };
    for report in &built.reports {
        if is_fatal(report.diagnostic.severity()) {
            say(report.text(io::stderr().is_terminal()).trim_end());
        }
    }
}

/// A number of things in words: `1 warning`, `2 warnings`.
fn count_of(count: usize, thing: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{end}")
}

/// Says what a build leaves to another command.
fn say_notes(built: &BuildResult, counts: &Counts, fails_on: Option<Severity>) {
    if counts.warnings > 0 && fails_on != Some(Severity::Warning) {
        say(&format!(
            "note: {} (`quire check` lists {})",
            count_of(counts.warnings, "warning"),
            if counts.warnings == 1 { "it" } else { "them" }
        ));
    }
    if built.left > 0 {
        say(&format!(
            "note: kept {} files of an earlier build: something could not be read or fetched, and they may belong to it",
            built.left
        ));
    }
    if !built.left_out.is_empty() {
        say(&format!(
            "note: {} addresses cannot be file names, or redirect differently on some hosts (`--explain` lists them; `quire dev` and `quire daemon` serve them)",
            built.left_out.len()
        ));
    }
    let unportable = built.unportable();
    if let Some(first) = unportable.first() {
        let rest = match unportable.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more: `--explain` lists them)"),
        };
        say(&format!("note: {first}{rest}"));
    }
}

/// Writes the counts of a build, as JSON or as a line.
fn write_summary(
    built: &BuildResult,
    counts: &Counts,
    took: Duration,
    (json, quiet): (bool, bool),
    out: &mut dyn Write,
) -> io::Result<()> {
    let count = |outcome| built.count(outcome);
    let (added, changed, unchanged, removed) = (
        count(Outcome::Added),
        count(Outcome::Changed),
        count(Outcome::Unchanged),
        count(Outcome::Removed),
    );
    if json {
        let value = serde_json::json!({
            "pages": built.pages, "failed": built.failed.len(),
            "errors": counts.errors, "warnings": counts.warnings,
            "unwritten": built.unwritten.len(), "left": built.left, "left_out": built.left_out.len(),
            "unportable": built.unportable().len(), "added": added, "changed": changed,
            "unchanged": unchanged, "removed": removed, "cards_drawn": built.drawn, "bytes": built.bytes, "ms": took.as_secs_f64() * 1000.0,
        });
        writeln!(out, "{value}")
    } else if !quiet {
        writeln!(
            out,
            "{}, {} of HTML in {took:.2?}: {added} files added, {changed} changed, {unchanged} unchanged, {removed} removed",
            count_of(built.pages, "page"),
            size(built.bytes),
        )
    } else {
        Ok(())
    }
}

/// A number of bytes, as people read it.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
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
    // In one piece: lines of several threads are not mixed.
    let _ = Lines.write_all(format!("{line}\n").as_bytes());
}

/// What is said of the log: what QUIRE_LOG asks for, else `level`.
fn log_filter(level: &str) -> tracing_subscriber::EnvFilter {
    tracing_subscriber::EnvFilter::try_from_env("QUIRE_LOG").unwrap_or_else(|_| level.into())
}

/// What the log of a command holds, unless QUIRE_LOG says otherwise.
fn log_level(voice: &Voice) -> &'static str {
    match (voice.quiet, voice.verbose) {
        (true, _) => "error",
        (false, 0) => "warn,rmcp=error",
        (false, 1) => "quire=info,warn,rmcp=error",
        // The engine has a line for each query that runs.
        _ => "quire=debug,info,rmcp=warn,salsa=warn",
    }
}

fn start_log(voice: &Voice) {
    let log = tracing_subscriber::fmt()
        .with_env_filter(log_filter(log_level(voice)))
        .with_writer(|| Lines);
    // A log that is there already is the log.
    let _ = log
        .with_ansi(use_color(io::stderr().is_terminal()))
        .without_time()
        .try_init();
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::{Level, enabled};

    #[test]
    fn no_log_has_a_line_for_each_query() {
        for (verbose, has_debug) in [(0, false), (1, false), (2, true), (3, true)] {
            let voice = Voice {
                quiet: false,
                verbose,
            };
            check_log(log_level(&voice), has_debug);
            check_log(daemon::log_level(&voice), verbose > 0);
        }
    }

    #[track_caller]
    fn check_log(level: &str, has_debug: bool) {
        let filter = tracing_subscriber::EnvFilter::new(level);
        let log = tracing_subscriber::fmt().with_env_filter(filter).finish();
        tracing::subscriber::with_default(log, || {
            assert_eq!(
                enabled!(target: "quire::watch", Level::DEBUG),
                has_debug,
                "{level}"
            );
            assert!(
                !enabled!(target: "salsa::function::execute", Level::INFO),
                "{level}"
            );
            assert!(
                enabled!(target: "salsa::function::execute", Level::ERROR),
                "{level}"
            );
        });
    }
}
