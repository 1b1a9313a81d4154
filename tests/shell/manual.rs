//! References in the manual that follow from the shell: `quire.toml`, from the types that are read,
//! and the HTTP operations, as the server describes them. `UPDATE_EXPECT=1` writes them again.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use quire_settings::Settings;
use toml::Value;

use crate::support::folder::Folder;
use crate::support::preview::Preview;

/// A field of a struct, as its source says.
#[derive(Debug)]
struct Field {
    name: String,
    of: String,
    docs: String,
}

/// The structs of a Rust source by their names; no more of the grammar than `quire-settings` uses.
fn structs(source: &str, found: &mut BTreeMap<String, Vec<Field>>) {
    let (mut docs, mut name, mut is_skipped) = (String::new(), None, false);
    for line in source.lines() {
        let text = line.trim();
        if let Some(of) = line
            .strip_prefix("pub struct ")
            .and_then(|rest| rest.strip_suffix(" {"))
        {
            name = Some(of.to_owned());
            docs.clear();
        } else if line == "}" {
            name = None;
        } else if let Some(words) = text.strip_prefix("///") {
            docs = format!("{docs} {}", words.trim());
        } else if let Some((field, of)) = text
            .strip_prefix("pub ")
            .and_then(|rest| rest.split_once(": "))
            && let Some(name) = &name
        {
            let field = Field {
                name: field.to_owned(),
                of: of.trim_end_matches(',').to_owned(),
                docs: std::mem::take(&mut docs).trim().to_owned(),
            };
            if !std::mem::take(&mut is_skipped) {
                found.entry(name.clone()).or_default().push(field);
            }
        } else if text == "#[serde(skip)]" {
            is_skipped = true;
        } else if !text.starts_with("#[") {
            docs.clear();
        }
    }
}

/// Every table, so that the default of each key is known.
const WHOLE: &str = r#"
[sites.docs]
root = "docs"
[sites.docs.assistant.model]
url = "https://models.example.org/v1"
model = "m"
[sites.docs.assistant.rerank]
url = "https://models.example.org/v1"
model = "m"
[sites.docs.embedder]
url = "https://models.example.org/v1"
model = "m"
"#;

/// Name of a type for people.
fn kind(of: &str) -> String {
    let inner = of
        .strip_prefix("Option<")
        .and_then(|rest| rest.strip_suffix('>'));
    match inner.unwrap_or(of) {
        "bool" => "true or false".to_owned(),
        "String" => "text".to_owned(),
        "PathBuf" => "path".to_owned(),
        "SocketAddr" => "address and port".to_owned(),
        "u8" | "u16" | "u32" | "u64" | "usize" => "number".to_owned(),
        "Vec<String>" | "Vec<PathBuf>" => "list of texts".to_owned(),
        "LogFormat" => "text or json".to_owned(),
        "Role" => "all, serve or build".to_owned(),
        "FailOn" => "error, warning or never".to_owned(),
        "ModelApi" => "openai or anthropic".to_owned(),
        "BTreeMap<String, String>" => "table of texts".to_owned(),
        "BTreeMap<String, Vec<String>>" => "table of lists of texts".to_owned(),
        other => panic!("name the type {other} for people"),
    }
}

struct Page<'a> {
    structs: &'a BTreeMap<String, Vec<Field>>,
    defaults: &'a Value,
    text: String,
    keys: usize,
}

impl Page<'_> {
    /// Writes the table at `path`, of the type `of`, and those within.
    fn table(&mut self, path: &[&str], of: &str) {
        let shown = match path {
            [] => "At the top".to_owned(),
            path => format!("`[{}]`", path.join(".").replace("docs", "ID")),
        };
        write!(self.text, "\n## {shown}\n").unwrap();
        let default = path
            .iter()
            .try_fold(self.defaults, |value, key| value.get(*key));
        let mut within = Vec::new();
        let structs = self.structs;
        let mut rows = String::new();
        for field in structs
            .get(of)
            .unwrap_or_else(|| panic!("{of} is not in the sources"))
        {
            let inner = field.of.trim_start_matches("Option<").trim_end_matches('>');
            if structs.contains_key(inner) {
                within.push((vec![field.name.as_str()], inner));
                continue;
            }
            if field.of == "BTreeMap<String, SiteSettings>" {
                within.push((vec![field.name.as_str(), "docs"], "SiteSettings"));
                continue;
            }
            let given = default.and_then(|table| table.get(&field.name));
            let is_given =
                WHOLE.contains(&format!("\n{} = ", field.name)) && path.contains(&"docs");
            let default = match given {
                Some(Value::String(text)) if !is_given => format!(" default={:?}", text),
                Some(value) if !is_given => format!(" default=\"{value}\""),
                _ => String::new(),
            };
            let (name, kind) = (&field.name, kind(&field.of));
            let docs = field.docs.replace('<', "&lt;").replace('{', "\\{");
            let open = format!("<ResponseField name=\"{name}\" type=\"{kind}\"{default}>");
            write!(rows, "\n{open}\n  {docs}\n</ResponseField>\n").unwrap();
            self.keys += 1;
        }
        if !rows.is_empty() {
            self.text.push_str(&rows);
        }
        for (names, of) in within {
            self.table(&[path, &names].concat(), of);
        }
    }
}

#[test]
fn each_setting_of_a_daemon_is_described() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root.join("src/settings/src")).expect("it is there") {
        let source = fs::read_to_string(entry.expect("it is read").path()).expect("it is read");
        structs(&source, &mut found);
    }
    let settings: Settings = toml::from_str(WHOLE).expect("it is valid");
    let defaults = Value::try_from(&settings).expect("it is TOML");
    let mut page = Page {
        structs: &found,
        defaults: &defaults,
        text: "---\ntitle: quire.toml\ndescription: \"Every setting of the daemon: type, default, \
               meaning.\"\n---\n\n{/* Written by tests/shell/manual.rs from the types that \
               are read. */}\n\n`quire daemon --config quire.toml` reads it; `--print-config` prints every \
               setting with its value. A key that is not known is an error. `SIGHUP` has the file read \
               again.\n"
            .to_owned(),
        keys: 0,
    };
    page.table(&[], "Settings");
    assert!(page.keys > 60, "{} keys", page.keys);
    // Each key that is printed is described.
    let path = root.join("fixtures/manual/reference/quire-toml.mdx");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &page.text).expect("it is written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page.text,
        "{} (UPDATE_EXPECT=1 writes it)",
        path.display()
    );
}

#[test]
fn the_http_operations_in_the_manual_are_those_of_the_server() {
    let folder = Folder::new(&[("index.md", "# A\n")]);
    let preview = Preview::of(&folder);
    let served = preview.get("/_quire/openapi.json");
    assert_eq!(served.status, 200);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("fixtures/manual/reference/openapi.json");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, served.text()).expect("it is written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == served.text(),
        "{} (UPDATE_EXPECT=1 writes it)",
        path.display()
    );
}
