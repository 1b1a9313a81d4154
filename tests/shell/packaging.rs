//! What packages are made of: completions, man pages, the image, the unit and its settings. Whatever a
//! tool of the system judges is said to be skipped where the tool is missing; `tests/run` installs all.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use regex::Regex;

use crate::support::folder::Folder;
use crate::support::preview::Preview;
use crate::support::repository;

fn quire(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quire"))
        .args(arguments)
        .current_dir(repository())
        .env("QUIRE_STATE", "off")
        .stdin(Stdio::null())
        .output()
        .expect("it starts")
}

#[track_caller]
fn printed(arguments: &[&str]) -> String {
    let Output { status, stdout, .. } = quire(arguments);
    assert_eq!(status.code(), Some(0), "{arguments:?}");
    String::from_utf8(stdout).expect("UTF-8")
}

/// Runs a tool of the system; `None`, said loudly, where it is missing.
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn tool(name: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(name)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let Ok(output) = output else {
        eprintln!("SKIPPED: `{name}` is not installed");
        return None;
    };
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{name} {arguments:?}: {said}");
    Some(said)
}

/// Every command with its long options, as its help lists them.
fn commands() -> Vec<(Vec<String>, BTreeSet<String>)> {
    let listed = Regex::new(r"(?m)^  ([a-z]+) ").expect("a pattern");
    let option = Regex::new(r"(?m)^ +(?:-\w, )?--([a-z-]+)").expect("a pattern");
    let (mut found, mut waiting) = (Vec::new(), vec![Vec::<String>::new()]);
    while let Some(command) = waiting.pop() {
        let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        arguments.push("--help");
        let help = printed(&arguments);
        let help = help.split("\nExamples:").next().unwrap_or_default();
        if let Some((_, list)) = help.split_once("\nCommands:\n") {
            let list = list.split("\n\n").next().unwrap_or_default();
            let names = listed
                .captures_iter(list)
                .map(|found| found[1].to_owned())
                .filter(|name| name != "help");
            waiting.extend(names.map(|name| [&command[..], &[name]].concat()));
        }
        let options = option
            .captures_iter(help)
            .map(|found| found[1].to_owned())
            .collect();
        found.push((command, options));
    }
    assert!(found.len() > 18, "{found:?}");
    found
}

#[test]
fn completions_have_every_command_and_option() {
    for (shell, prefix) in [
        ("bash", "--"),
        ("zsh", "--"),
        ("fish", "-l "),
        ("powershell", "--"),
        ("elvish", "--"),
    ] {
        let script = printed(&["completions", shell]);
        for (command, options) in commands() {
            if let Some(name) = command.last() {
                assert!(script.contains(name.as_str()), "{shell}: {command:?}");
            }
            for option in options {
                let option = format!("{prefix}{option}");
                assert!(script.contains(&option), "{shell}: {command:?} {option}");
            }
        }
    }
}

#[test]
fn shells_read_their_completions() {
    let folder = Folder::new(&[]);
    for (shell, arguments) in [
        ("bash", &["-n"][..]),
        ("zsh", &["-n"]),
        ("fish", &["--no-execute"]),
    ] {
        let path = folder.at(shell);
        fs::write(&path, printed(&["completions", shell])).expect("it is written");
        let path = path.to_str().expect("UTF-8");
        let said = tool(shell, &[arguments, &[path]].concat());
        assert!(said.is_none_or(|said| said.is_empty()), "{shell}");
    }
    let ask = "source \"$0\"; COMP_WORDS=(quire che); COMP_CWORD=1; _quire quire che quire; echo \"${COMPREPLY[*]}\"";
    let bash = folder.at("bash");
    let said = tool("bash", &["-c", ask, bash.to_str().expect("UTF-8")]);
    assert_eq!(said.as_deref(), Some("check\n"));
}

#[test]
fn every_command_has_a_man_page_with_its_options() {
    let folder = Folder::new(&[]);
    let path = folder.at("man/man1");
    assert_eq!(printed(&["man", path.to_str().expect("UTF-8")]), "");
    let commands = commands();
    let written = fs::read_dir(&path).expect("a folder").count();
    assert_eq!(written, commands.len());
    for (command, options) in commands {
        let name = [&["quire".to_owned()][..], &command].concat().join("-");
        let page = path.join(format!("{name}.1"));
        let text = fs::read_to_string(&page).unwrap_or_else(|error| panic!("{page:?}: {error}"));
        for option in options {
            let option = format!("\\-\\-{}", option.replace('-', "\\-"));
            assert!(text.contains(&option), "{name}: {option}");
        }
        for section in ["NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES"] {
            let is_group = name == "quire-openapi" && section == "EXAMPLES";
            let has = text.contains(&format!(".SH {section}\n"));
            assert_ne!(has, is_group, "{name}: {section}");
        }
        // Utf-8 in, and no line too long: what man(1) does before it shows a page.
        let arguments = ["-man", "-Kutf8", "-Tutf8", "-ww", "-z"];
        let page = page.to_str().expect("UTF-8");
        let said = tool("groff", &[&arguments[..], &[page]].concat());
        assert_eq!(said.unwrap_or_default(), "", "{name}");
    }
    let first = fs::read_to_string(path.join("quire.1")).expect("it is there");
    assert_eq!(printed(&["man"]), first);
}

#[test]
fn examples_of_man_pages_keep_their_lines() {
    let folder = Folder::new(&[]);
    let path = folder.at("");
    printed(&["man", path.to_str().expect("UTF-8")]);
    let page = folder.at("quire-daemon.1");
    let arguments = ["-man", "-Kutf8", "-Tascii", "-P-cbou", "-rLL=80n"];
    let Some(shown) = tool(
        "groff",
        &[&arguments[..], &[page.to_str().unwrap()]].concat(),
    ) else {
        return;
    };
    let (_, examples) = shown.split_once("EXAMPLES\n").expect("a section");
    let mut lines = examples.lines().map(str::trim);
    assert!(
        lines
            .next()
            .unwrap()
            .starts_with("quire daemon --site docs=docs")
    );
    assert!(
        lines
            .next()
            .unwrap()
            .starts_with("quire daemon --config /etc")
    );
    assert!(shown.contains("NOTES\n"), "{shown}");
}

#[test]
fn health_is_the_exit_code() {
    let folder = Folder::new(&[("start.md", "# Start\n")]);
    let preview = Preview::of(&folder);
    let origin = format!("http://{}", preview.address);
    let check = |url: String, code: i32, says: &str| {
        let output = quire(&["health", &url]);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert_eq!(output.status.code(), Some(code), "{url}: {said}");
        assert!(said.contains(says), "{url}: {said}");
    };
    check(origin.clone(), 0, "200 OK");
    check(format!("{origin}/_quire/readyz"), 0, "200 OK");
    check(format!("{origin}/nowhere"), 1, "404");
    check("nothing".to_owned(), 1, "read the address nothing");
    drop(preview);
    check(origin, 1, "Connection refused");
}

/// Instructions of a Dockerfile: name and arguments, lines joined.
fn instructions(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.starts_with('#')).collect();
    let joined = lines.join("\n").replace("\\\n", " ");
    let parts = joined.lines().filter_map(|line| line.split_once(' '));
    parts
        .map(|(name, rest)| (name.to_owned(), rest.trim().to_owned()))
        .collect()
}

#[test]
fn the_image_is_built_of_what_is_there() {
    let text = fs::read_to_string(repository().join("src/packaging/Dockerfile")).unwrap();
    let ignored = fs::read_to_string(repository().join(".dockerignore")).unwrap();
    let instructions = instructions(&text);
    let all = |name: &str| {
        let found = instructions.iter().filter(move |(word, _)| word == name);
        found.map(|(_, rest)| rest.as_str()).collect::<Vec<_>>()
    };
    for copy in all("COPY") {
        let sources: Vec<&str> = copy.split(' ').collect();
        if sources[0].starts_with("--from=") {
            let stage = format!(" AS {}", &sources[0]["--from=".len()..]);
            assert!(
                all("FROM").iter().any(|from| from.ends_with(&stage)),
                "{copy}"
            );
            continue;
        }
        for source in &sources[..sources.len() - 1] {
            assert!(repository().join(source).exists(), "COPY {source}");
            let is_sent = ignored.lines().any(|line| line == format!("!{source}"));
            assert!(is_sent || *source == ".", "{source} is ignored");
        }
    }
    for argument in all("ARG") {
        let name = argument.split('=').next().unwrap_or_default();
        assert!(text.contains(&format!("${{{name}}}")), "ARG {name}");
    }
    let manifest = fs::read_to_string(repository().join("Cargo.toml")).unwrap();
    let version = Regex::new("rust-version = \"(.*)\"").unwrap();
    let version = &version.captures(&manifest).expect("a version")[1];
    assert!(all("ARG").contains(&format!("RUST={version}").as_str()));
    assert_eq!(all("EXPOSE"), ["3000"]);
    assert_eq!(all("USER"), ["10001:10001"]);
    // What is run without arguments is a command of the program.
    for (line, word) in [("CMD", "dev"), ("HEALTHCHECK", "health")] {
        assert!(all(line)[0].contains(&format!("\"{word}\"")), "{line}");
        printed(&[word, "--help"]);
    }
    // Whatever Cargo reads is sent.
    for path in ["Cargo.toml", "Cargo.lock", "src", "queries", "benches"] {
        assert!(
            ignored.lines().any(|line| line == format!("!{path}")),
            "{path}"
        );
    }
}

#[test]
fn settings_of_the_package_are_settings() {
    let path = repository().join("src/packaging/debian/quire.toml");
    let text = fs::read_to_string(&path).expect("it is there");
    let print = |path: &Path| {
        let path = path.to_str().expect("UTF-8");
        let text = printed(&["daemon", "--config", path, "--print-config"]);
        toml::from_str::<toml::Value>(&text).expect("TOML")
    };
    let settings = print(&path);
    assert_eq!(settings["state"].as_str(), Some("/var/lib/quire"));
    // Everything that is offered in a comment works without its sign.
    let folder = Folder::new(&[]);
    let is_offered = |line: &str| line.starts_with(|c: char| c.is_ascii_lowercase() || c == '[');
    let offered = text.lines().map(|line| match line.strip_prefix('#') {
        Some(rest) if is_offered(rest) => format!("{rest}\n"),
        _ => format!("{line}\n"),
    });
    folder.write("quire.toml", offered.collect::<String>());
    let settings = print(&folder.at("quire.toml"));
    let sites = settings["sites"].as_table().expect("sites");
    assert_eq!(sites.keys().collect::<Vec<_>>(), ["docs", "handbook"]);
    assert_eq!(settings["listen"]["admin"].as_str(), Some("127.0.0.1:3001"));
}

#[test]
fn the_unit_is_understood_and_confined() {
    let unit = repository().join("src/packaging/debian/quire.service");
    let text = fs::read_to_string(&unit).expect("it is there");
    let start = "ExecStart=/usr/bin/quire daemon --config /etc/quire/quire.toml\n";
    assert!(text.contains(start), "{text}");
    // The program stands elsewhere here, and its man page nowhere.
    let folder = Folder::new(&[]);
    let text = text
        .replace("/usr/bin/quire", env!("CARGO_BIN_EXE_quire"))
        .replace("Documentation=man:quire-daemon(1)\n", "");
    folder.write("quire.service", text);
    let path = folder.at("quire.service");
    let path = path.to_str().expect("UTF-8");
    let said = tool("systemd-analyze", &["verify", path]);
    assert_eq!(said.unwrap_or_default(), "");
    // A threshold of 2.0 of 10, where 10 is a service without limits.
    let security = ["security", "--offline=true", "--threshold=20", "--no-pager"];
    tool("systemd-analyze", &[&security[..], &[path]].concat());
}

#[test]
fn files_of_the_debian_package_exist() {
    let manifest = fs::read_to_string(repository().join("Cargo.toml")).expect("a manifest");
    let manifest: toml::Value = toml::from_str(&manifest).expect("TOML");
    let deb = &manifest["package"]["metadata"]["deb"];
    let assets = deb["assets"].as_array().expect("assets");
    let made = Folder::new(&[]);
    let status = Command::new(repository().join("src/packaging/generate"))
        .arg(env!("CARGO_BIN_EXE_quire"))
        .arg(made.at(""))
        .status();
    assert!(status.expect("it starts").success());
    for asset in assets {
        let source = asset[0].as_str().expect("a path");
        let path = match source.strip_prefix("target/packaging/") {
            Some(path) => made.at(path.replace('*', "quire").as_str()),
            None if source.starts_with("target/") => continue,
            None => repository().join(source),
        };
        assert!(path.exists(), "{source}");
    }
    let to = assets.iter().map(|asset| asset[1].as_str().unwrap());
    let to: Vec<String> = to.map(|path| format!("/{path}")).collect();
    for file in deb["conf-files"].as_array().expect("files") {
        assert!(to.contains(&file.as_str().unwrap().to_owned()), "{file}");
    }
}
