//! `quire deployments`: asks the daemon of a state folder about the deployments of a site.

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::arguments::{DeploymentsCommand, SiteOfDaemon};
use crate::control;
use quire_site::sites::deploy::differing;

/// Pause between two looks at a deployment that is running.
const PAUSE: Duration = Duration::from_millis(20);

/// How long the command waits for a rollback.
const PATIENCE: Duration = Duration::from_secs(300);

pub(super) fn deployments(command: DeploymentsCommand) -> anyhow::Result<ExitCode> {
    match command {
        DeploymentsCommand::List(of) => list(&of),
        DeploymentsCommand::Show(arguments) => {
            let found = ask(
                &arguments.of,
                "GET",
                &format!("/{}", arguments.number),
                None,
            )?;
            print(&arguments.of, &found, details)
        }
        DeploymentsCommand::Diff(arguments) => {
            let with = (arguments.with).map_or(String::new(), |with| format!("?with={with}"));
            let path = format!("/{}/diff{with}", arguments.number);
            let found = ask(&arguments.of, "GET", &path, None)?;
            print(&arguments.of, &found, differences)
        }
        DeploymentsCommand::Rollback(arguments) => {
            roll_back(&arguments.of, arguments.number, arguments.reason)
        }
    }
}

/// Sends a request about the deployments of a site; an error is what the daemon says.
fn ask(of: &SiteOfDaemon, method: &str, path: &str, body: Option<&Value>) -> anyhow::Result<Value> {
    let state = of.state.clone().map_or_else(control::default_state, Ok)?;
    let path = format!("/api/sites/{}/deployments{path}", of.site);
    let (status, reply) = control::request(&state, method, &path, body)?;
    if status >= 400 {
        let message = reply["error"]["message"].as_str();
        bail!(
            "{}",
            message.unwrap_or("the daemon refuses without a reason")
        );
    }
    Ok(reply)
}

fn print(
    of: &SiteOfDaemon,
    found: &Value,
    text: fn(&mut dyn Write, &Value) -> io::Result<()>,
) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    match of.json {
        true => writeln!(out, "{found}")?,
        false => text(&mut out, found)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(of: &SiteOfDaemon) -> anyhow::Result<ExitCode> {
    let found = ask(of, "GET", "", None)?;
    print(of, &found, |out, found| {
        let all = found["deployments"].as_array();
        let all = all.map(Vec::as_slice).unwrap_or_default();
        if all.is_empty() {
            return writeln!(out, "no deployments");
        }
        let live = all.iter().find(|one| one["status"] == "success");
        for one in all {
            let mark = match live.is_some_and(|live| live["id"] == one["id"]) {
                true => '*',
                false => ' ',
            };
            writeln!(out, "{mark} {}", line(one))?;
        }
        Ok(())
    })
}

/// A deployment in one line.
fn line(one: &Value) -> String {
    let text = |name: &str| one[name].as_str().unwrap_or("").to_owned();
    let created = one["created"].as_u64().unwrap_or(0);
    let mut line = format!(
        "{:>5}  {}  {:<11} {:<8}",
        one["id"].as_u64().unwrap_or(0),
        queries::theme::console::moment(created),
        text("status"),
        text("cause"),
    );
    if let Some(commit) = one["commit"].as_str() {
        line += &format!("  {}", commit.get(..10).unwrap_or(commit));
    }
    if let Some(from) = one["from"].as_u64() {
        line += &format!("  to {from}");
    }
    line += &format!("  {} changed", one["changed"]);
    if one["status"] == "success" && one["release"].is_null() {
        line += "  not stored";
    }
    for extra in [text("reason"), text("error")] {
        if !extra.is_empty() {
            line += &format!("  {extra}");
        }
    }
    line
}

fn details(out: &mut dyn Write, one: &Value) -> io::Result<()> {
    writeln!(out, "{}", line(one).trim_start())?;
    for entry in one["log"].as_array().into_iter().flatten() {
        writeln!(out, "  {}", entry.as_str().unwrap_or(""))?;
    }
    Ok(())
}

fn differences(out: &mut dyn Write, found: &Value) -> io::Result<()> {
    let (from, to) = (&found["from"], &found["to"]);
    let mut total = 0;
    for (mark, name) in [('+', "added"), ('~', "changed"), ('-', "removed")] {
        for path in found[name].as_array().into_iter().flatten() {
            writeln!(out, "{mark} {}", path.as_str().unwrap_or("?"))?;
            total += 1;
        }
    }
    writeln!(out, "{} between {from} and {to}", differing(total))
}

fn roll_back(
    of: &SiteOfDaemon,
    number: Option<u64>,
    reason: Option<String>,
) -> anyhow::Result<ExitCode> {
    let number = match number {
        Some(number) => number,
        None => published_before(&ask(of, "GET", "", None)?)
            .context("no earlier deployment is stored; `quire deployments list` shows which are")?,
    };
    let body = json!({ "reason": reason });
    let mut deployment = ask(of, "POST", &format!("/{number}/rollback"), Some(&body))?;
    let id = deployment["id"].as_u64().unwrap_or(0);
    let end = Instant::now() + PATIENCE;
    while !matches!(deployment["status"].as_str(), Some("success" | "failure")) {
        if Instant::now() > end {
            bail!("deployment {id} is still running; `quire deployments show` tells how it ends");
        }
        thread::sleep(PAUSE);
        deployment = ask(of, "GET", &format!("/{id}"), None)?;
    }
    print(of, &deployment, details)?;
    Ok(match deployment["status"] == "success" {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Number of the last deployment that is stored and differs from the published one.
fn published_before(list: &Value) -> Option<u64> {
    let all = list["deployments"].as_array()?;
    let mut published = all.iter().filter(|one| one["status"] == "success");
    let live = published.next()?;
    let before = |one: &&Value| one["release"].is_string() && one["release"] != live["release"];
    published.find(before)?["id"].as_u64()
}
