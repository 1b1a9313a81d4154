//! A legacy `mint.json`, read as if it were upgraded.
//!
//! The upgrade moves nodes of the old document to where `docs.json` has them and remembers where they came from, so
//! that the one decoder reads both formats and its complaints point into the file the user has.

mod navigation;

use serde_json::Value;

use crate::reference::Document;
use base::data::pointer::{child, item};

/// Keys of `mint.json` that are not copied to a key of the same name: they have no counterpart, or
/// are converted.
const CONSUMED: &[&str] = &[
    "$schema",
    "analytics",
    "anchors",
    "api",
    "background",
    "backgroundImage",
    "codeBlock",
    "colors",
    "eyebrow",
    "font",
    "footer",
    "footerSocials",
    "integrations",
    "isWhiteLabeled",
    "layout",
    "metadata",
    "modeToggle",
    "navigation",
    "openapi",
    "primaryTab",
    "rounded",
    "search",
    "seo",
    "sidebar",
    "tabs",
    "theme",
    "topAnchor",
    "topbar",
    "topbarCtaButton",
    "topbarLinks",
    "versions",
];

/// A part of the new document, with the pointer into the old one that its diagnostics refer to.
enum Draft {
    /// The node at a pointer, with everything below it.
    Moved(String),
    /// An object that the old document does not have.
    Object(String, Vec<(String, Draft)>),
    /// A list that the old document does not have.
    List(String, Vec<Draft>),
    /// A value that replaces the one at a pointer.
    Instead(String, Value),
}

/// Configuration in the form of `docs.json`.
pub fn upgrade(old: &Document) -> Document {
    let root = Old {
        document: old,
        at: String::new(),
    };
    let mut members = Vec::new();
    members.push(field("theme", theme(&root)));
    for key in old
        .value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, _)| key)
    {
        if !CONSUMED.contains(&key.as_str()) {
            members.push((key.clone(), Draft::Moved(child("", key))));
        }
    }
    members.extend(root.pick("colors", "colors", &["primary", "light", "dark"]));
    members.extend(root.pick("search", "search", &["prompt"]));
    members.extend(appearance(&root));
    members.extend(api(&root));
    members.extend(chrome(&root));
    members.push(field("navigation", navigation::navigation(&root)));
    let mut new = Document::new(old.place("", base::place::Part::Value).path(), Value::Null);
    // An old document that is no object is left for the decoder to report.
    new.value = if old.value.is_object() {
        assemble(Draft::Object(String::new(), members), "", old, &mut new)
    } else {
        old.value.clone()
    };
    new
}

fn assemble(draft: Draft, at: &str, old: &Document, new: &mut Document) -> Value {
    match draft {
        Draft::Moved(from) => {
            new.adopt(at, old, &from);
            old.value.pointer(&from).cloned().unwrap_or_default()
        }
        Draft::Instead(from, value) => {
            new.adopt(at, old, &from);
            value
        }
        Draft::Object(from, members) => {
            new.adopt(at, old, &from);
            let members = members.into_iter().map(|(key, draft)| {
                let value = assemble(draft, &child(at, &key), old, new);
                (key, value)
            });
            Value::Object(members.collect())
        }
        Draft::List(from, drafts) => {
            new.adopt(at, old, &from);
            let drafts = drafts.into_iter().enumerate();
            let items = drafts.map(|(i, draft)| assemble(draft, &item(at, i), old, new));
            Value::Array(items.collect())
        }
    }
}

fn field(key: &str, draft: Draft) -> (String, Draft) {
    (key.to_owned(), draft)
}

/// A node of the old document.
#[derive(Clone)]
struct Old<'a> {
    document: &'a Document,
    at: String,
}

impl<'a> Old<'a> {
    fn value(&self) -> &'a Value {
        self.document
            .value
            .pointer(&self.at)
            .unwrap_or(&Value::Null)
    }

    fn get(&self, key: &str) -> Option<Self> {
        self.value().get(key)?;
        let at = child(&self.at, key);
        Some(Self {
            document: self.document,
            at,
        })
    }

    fn text(&self, key: &str) -> Option<&'a str> {
        self.value().get(key)?.as_str()
    }

    fn items(&self, key: &str) -> Vec<Self> {
        let Some(list) = self.get(key) else {
            return Vec::new();
        };
        let count = list.value().as_array().map_or(0, Vec::len);
        let items = (0..count).map(|i| Self {
            document: self.document,
            at: item(&list.at, i),
        });
        items.collect()
    }

    fn relocation(&self) -> Draft {
        Draft::Moved(self.at.clone())
    }

    fn replacement(&self, value: impl Into<Value>) -> Draft {
        Draft::Instead(self.at.clone(), value.into())
    }

    /// An object of some members under new names.
    fn renamed(&self, names: &[(&str, &str)]) -> Draft {
        // What is no object is left for the decoder to report.
        if !self.value().is_object() {
            return self.relocation();
        }
        let members = names
            .iter()
            .filter_map(|(old, new)| Some(field(new, self.get(old)?.relocation())));
        Draft::Object(self.at.clone(), members.collect())
    }

    /// The member `new` that holds only `keys` of the member `old`.
    fn pick(&self, old: &str, new: &str, keys: &[&str]) -> Option<(String, Draft)> {
        let names: Vec<_> = keys.iter().map(|key| (*key, *key)).collect();
        Some(field(new, self.get(old)?.renamed(&names)))
    }

    fn object(&self, members: Vec<(String, Draft)>) -> Option<Draft> {
        (!members.is_empty()).then(|| Draft::Object(self.at.clone(), members))
    }
}

/// The old layouts are gone; the names that still exist are kept.
fn theme(root: &Old<'_>) -> Draft {
    use crate::appearance::ThemeName;
    let name = root.text("theme").unwrap_or("mint");
    let name = ThemeName::ALL.iter().find(|(word, _)| *word == name);
    root.replacement(name.map_or("mint", |(word, _)| word))
}

fn appearance(root: &Old<'_>) -> Vec<(String, Draft)> {
    let mut members = Vec::new();
    if let Some(toggle) = root.get("modeToggle") {
        let names = [("default", "default"), ("isHidden", "strict")];
        members.push(field("appearance", toggle.renamed(&names)));
    }
    let mut background = Vec::new();
    if let Some(style) = root.get("background").and_then(|old| old.get("style")) {
        background.push(field("decoration", style.relocation()));
    }
    if let Some(color) = root.get("colors").and_then(|old| old.get("background")) {
        background.push(field("color", color.relocation()));
    }
    if let Some(image) = root.get("backgroundImage") {
        background.push(field("image", image.relocation()));
    }
    members.extend(
        root.object(background)
            .map(|draft| field("background", draft)),
    );
    if let Some(font) = root.get("font") {
        let names = [
            ("family", "family"),
            ("weight", "weight"),
            ("url", "source"),
            ("format", "format"),
        ];
        let mut fonts = Vec::new();
        for (old, new) in [("headings", "heading"), ("body", "body")] {
            fonts.extend(font.get(old).map(|old| field(new, old.renamed(&names))));
        }
        let fonts = font.object(fonts).unwrap_or_else(|| font.renamed(&names));
        members.push(field("fonts", fonts));
    }
    let mut styling = Vec::new();
    if let Some(display) = root.get("eyebrow").and_then(|old| old.get("display")) {
        styling.push(field("eyebrows", display.relocation()));
    }
    if let Some(mode) = root.get("codeBlock").and_then(|old| old.get("mode")) {
        let theme = if mode.value() == "auto" {
            "system"
        } else {
            "dark"
        };
        styling.push(field("codeblocks", mode.replacement(theme)));
    }
    members.extend(root.object(styling).map(|draft| field("styling", draft)));
    members
}

fn api(root: &Old<'_>) -> Option<(String, Draft)> {
    let mut members = Vec::new();
    members.extend(
        root.get("openapi")
            .map(|old| field("openapi", old.relocation())),
    );
    if let Some(api) = root.get("api") {
        let mut mdx = Vec::new();
        mdx.extend(
            api.get("baseUrl")
                .map(|old| field("server", old.relocation())),
        );
        mdx.extend(api.pick("auth", "auth", &["method", "name"]));
        members.extend(api.object(mdx).map(|draft| field("mdx", draft)));
        if let Some(playground) = api.get("playground") {
            let mut members_of = Vec::new();
            if let Some(mode) = playground.get("mode") {
                let display = match mode.value().as_str() {
                    Some("show") => mode.replacement("interactive"),
                    Some("hide") => mode.replacement("none"),
                    _ => mode.relocation(),
                };
                members_of.push(field("display", display));
            }
            if let Some(off) = playground.get("disableProxy") {
                let proxy = off.value().as_bool().map(|off| !off);
                let proxy = proxy.map_or_else(|| off.relocation(), |proxy| off.replacement(proxy));
                members_of.push(field("proxy", proxy));
            }
            let draft = playground.object(members_of);
            members.extend(draft.map(|draft| field("playground", draft)));
        }
        let example = api.get("request").and_then(|old| old.get("example"));
        members.extend(example.and_then(|old| {
            let languages = old.get("languages")?;
            let draft = old.object(vec![field("languages", languages.relocation())])?;
            Some(field("examples", draft))
        }));
    }
    root.object(members).map(|draft| field("api", draft))
}

fn chrome(root: &Old<'_>) -> Vec<(String, Draft)> {
    let mut members = Vec::new();
    let mut navbar = Vec::new();
    if let Some(links) = root.get("topbarLinks") {
        let names = [("name", "label"), ("url", "href")];
        let items = root.items("topbarLinks");
        let items = items.iter().map(|link| link.renamed(&names)).collect();
        navbar.push(field("links", Draft::List(links.at, items)));
    }
    if let Some(button) = root.get("topbarCtaButton") {
        let kind = if button.text("type") == Some("github") {
            "github"
        } else {
            "button"
        };
        let mut primary = vec![field("type", button.replacement(kind))];
        for (old, new) in [("name", "label"), ("url", "href")] {
            primary.extend(button.get(old).map(|old| field(new, old.relocation())));
        }
        navbar.push(field("primary", Draft::Object(button.at, primary)));
    }
    members.extend(root.object(navbar).map(|draft| field("navbar", draft)));
    members.extend(footer(root).map(|draft| field("footer", draft)));
    let mut seo = Vec::new();
    if let Some(all) = root.get("seo").and_then(|old| old.get("indexHiddenPages")) {
        let indexing = if all.value() == true {
            "all"
        } else {
            "navigable"
        };
        seo.push(field("indexing", all.replacement(indexing)));
    }
    seo.extend(
        root.get("metadata")
            .map(|old| field("metatags", old.relocation())),
    );
    members.extend(root.object(seo).map(|draft| field("seo", draft)));
    let mut integrations = Vec::new();
    for section in ["analytics", "integrations"]
        .iter()
        .filter_map(|key| root.get(key))
    {
        for key in section
            .value()
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, _)| key)
        {
            let Some(old) = section.get(key) else {
                continue;
            };
            let only = match key.as_str() {
                "intercom" => Some("appId"),
                "frontchat" => Some("snippetId"),
                _ => None,
            };
            let draft = match only {
                Some(only) if old.value().is_string() => {
                    Draft::Object(old.at.clone(), vec![field(only, old.relocation())])
                }
                _ => old.relocation(),
            };
            integrations.push(field(key, draft));
        }
    }
    members.extend(
        root.object(integrations)
            .map(|draft| field("integrations", draft)),
    );
    members
}

fn footer(root: &Old<'_>) -> Option<Draft> {
    let mut members = Vec::new();
    let footer = root.get("footer");
    let nested = footer.as_ref().and_then(|footer| footer.get("socials"));
    if let Some(socials) = root.get("footerSocials").or(nested) {
        let draft = if let Some(list) = socials.value().as_array() {
            let entries = list.iter().enumerate().filter_map(|(i, entry)| {
                let url = child(&item(&socials.at, i), "url");
                Some(field(entry.get("type")?.as_str()?, Draft::Moved(url)))
            });
            Draft::Object(socials.at.clone(), entries.collect())
        } else {
            socials.relocation()
        };
        members.push(field("socials", draft));
    }
    if let Some(footer) = footer {
        let names = [("label", "label"), ("url", "href")];
        let columns = footer.items("links").into_iter().map(|column| {
            if !column.value().is_object() {
                return column.relocation();
            }
            let mut members = Vec::new();
            let title = column.get("title");
            members.extend(title.map(|title| field("header", title.relocation())));
            if let Some(links) = column.get("links") {
                let items = column.items("links");
                let items = items.iter().map(|link| link.renamed(&names)).collect();
                members.push(field("items", Draft::List(links.at, items)));
            }
            Draft::Object(column.at.clone(), members)
        });
        let columns: Vec<_> = columns.collect();
        if !columns.is_empty() {
            members.push(field(
                "links",
                Draft::List(child(&footer.at, "links"), columns),
            ));
        }
    }
    root.object(members)
}
