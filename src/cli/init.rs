//! `quire init`: writes the `docs.json` of a folder, the first pages of an empty one, and what a
//! repository and editors need around them.

mod surroundings;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use quire_source::load::load;
use quire_source::sources::Sources;
use serde_json::{Value, json};

use super::arguments::{InitArguments, Template};

/// A file to be written: its path, relative to the folder of the site, and its text.
type File = (PathBuf, String);

/// Path of the schema of `docs.json`.
const SCHEMA: &str = ".vscode/docs.schema.json";

const INDEX: &str = include_str!("init/index.mdx");
const QUICKSTART: &str = include_str!("init/quickstart.mdx");
const SPECIFICATION: &str = include_str!("init/openapi.yaml");

pub(super) fn init(arguments: &InitArguments) -> anyhow::Result<ExitCode> {
    let folder = &arguments.dir;
    for name in ["docs.json", "mint.json"] {
        if folder.join(name).symlink_metadata().is_ok() {
            bail!("{}: there is a {name} already", folder.display());
        }
    }
    fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    let sources = Sources::open(folder).with_context(|| format!("open {}", folder.display()))?;
    let mut files = match sources.holds_content() {
        true => vec![("docs.json".into(), pretty(&derived(folder)?)?)],
        false => starter(arguments.template, &name_of(folder))?,
    };
    files.extend(surroundings::surroundings(folder));
    let mut out = io::stdout().lock();
    for (path, text) in files {
        let shown = path.display();
        match create(&folder.join(&path), &text) {
            Ok(true) => writeln!(out, "{shown}: written")?,
            Ok(false) => writeln!(out, "{shown}: there already, left as it is")?,
            Err(error) => bail!("write {}: {error}", folder.join(&path).display()),
        }
    }
    writeln!(out, "next: quire dev {}", folder.display())?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the configuration that pages and specifications of `folder` give it.
fn derived(folder: &Path) -> anyhow::Result<Value> {
    let loaded = load(folder, "")?;
    let config = loaded
        .host
        .read(|db, site| queries::site::derived_config(db, site).clone());
    let config = config.map_err(|error| anyhow::anyhow!("read the folder: {error:?}"))?;
    config.with_context(|| format!("{}: nothing that can be read is a page", folder.display()))
}

/// Returns the files of a site that is begun.
fn starter(template: Template, name: &str) -> anyhow::Result<Vec<File>> {
    let guides = json!({ "tab": "Guides", "groups": [
        { "group": "Get started", "pages": ["index", "quickstart"] },
    ] });
    let reference = json!({ "tab": "API reference", "openapi": "openapi.yaml" });
    let (tabs, has_guides, has_reference) = match template {
        Template::Docs => (vec![guides], true, false),
        Template::Api => (vec![reference], false, true),
        Template::Both => (vec![guides, reference], true, true),
    };
    let config = json!({
        "theme": "mint",
        "name": name,
        "colors": { "primary": "#0a7a5a" },
        "navigation": { "tabs": tabs },
    });
    let mut files = vec![(PathBuf::from("docs.json"), pretty(&config)?)];
    if has_guides {
        files.push(("index.mdx".into(), INDEX.replace("NAME", name)));
        files.push(("quickstart.mdx".into(), QUICKSTART.to_owned()));
    }
    if has_reference {
        files.push(("openapi.yaml".into(), SPECIFICATION.replace("NAME", name)));
    }
    Ok(files)
}

/// Returns the name of a site in `folder`, as its label.
fn name_of(folder: &Path) -> String {
    let absolute = folder.canonicalize().unwrap_or_default();
    let name = absolute.file_name().and_then(|name| name.to_str());
    // YAML and JSX hold it as it is.
    let is_plain = |name: &&str| {
        name.chars()
            .all(|c| c.is_alphanumeric() || "-_ ".contains(c))
    };
    let name = name.filter(is_plain).unwrap_or("Documentation");
    queries::base::path::title_of_name(name)
}

/// Returns `config` as a file, with the schema by which editors check and complete it.
fn pretty(config: &Value) -> anyhow::Result<String> {
    let text = serde_json::to_string_pretty(config)?;
    let rest = text
        .strip_prefix('{')
        .context("a configuration is an object")?;
    Ok(format!("{{\n  \"$schema\": \"./{SCHEMA}\",{rest}\n"))
}

/// Writes a new file, with the folders that it is in; returns false if there is one.
fn create(path: &Path, text: &str) -> io::Result<bool> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    match file {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}
