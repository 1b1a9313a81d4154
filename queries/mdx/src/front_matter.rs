//! The YAML block at the top of a page.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use base::data::{pointer, yaml};
use base::diagnostic::{Code, Diagnostic, Near, Parsed, Severity, distance, near};
use base::path::SitePath;
use base::place::{Part, Place};

use crate::heading;

mod fields;

pub use fields::{Field, description, fields};

/// Subject that a page declares (SPEC 2.6).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Value of `openapi:`.
    pub operation: Option<String>,
    /// Value of `openapi-schema:`.
    pub schema: Option<String>,
    /// Value of `asyncapi:`.
    pub channel: Option<String>,
}

/// Frontmatter of a page. Absent fields are `None`; their defaults are set where they are used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrontMatter {
    /// The title of the page.
    pub title: Option<String>,
    /// Description of the page, in a sentence.
    pub description: Option<String>,
    /// Text of the first level-1 heading below the frontmatter.
    pub title_heading: Option<String>,
    /// The title in the sidebar, when it differs.
    pub sidebar_title: Option<String>,
    /// The name of the icon beside the title.
    pub icon: Option<String>,
    /// The style of the icon, such as `solid`.
    pub icon_type: Option<String>,
    /// A label beside the title in the sidebar.
    pub tag: Option<String>,
    /// An address that the navigation entry leads to instead of the page.
    pub url: Option<String>,
    /// The layout of the page: `wide`, `custom`, `frame`, `center` or `assistant`.
    pub mode: Option<String>,
    /// Whether the page is left out of navigation, search and site map.
    pub hidden: Option<bool>,
    /// Whether robots are asked to leave it alone.
    pub noindex: Option<bool>,
    /// `false` leaves it out of search.
    pub searchable: Option<bool>,
    /// A factor on its rank in search, in thousandths.
    pub boost: Option<i64>,
    /// Words under which it is found.
    pub keywords: Vec<String>,
    /// Whether what it describes should no longer be used.
    pub deprecated: Option<bool>,
    /// Whether the links to the previous and next page are left out.
    pub hide_footer_pagination: Option<bool>,
    /// Whether the method is left out of the sidebar.
    pub hide_api_marker: Option<bool>,
    /// Whether it may be read without signing in.
    pub public: Option<bool>,
    /// The playground: `interactive`, `simple`, `none` or `auth`.
    pub playground: Option<String>,
    /// `METHOD <full URL>` or `METHOD <relative path>` (SPEC 2.6).
    pub api: Option<String>,
    /// `[<spec_path> ]METHOD /path` or `[<spec_path> ]webhook <name>` (SPEC 2.6).
    pub openapi: Option<String>,
    /// `[<spec_file> ]<SchemaName>` (SPEC 2.6).
    pub openapi_schema: Option<String>,
    /// `[<document> ]<channel>`: a channel of an AsyncAPI document.
    pub asyncapi: Option<String>,
    /// The authentication method, over the site's (SPEC 2.6).
    pub auth_method: Option<String>,
    /// The version it belongs to.
    pub version: Option<String>,
    /// Address elsewhere, of which this is a copy.
    pub canonical: Option<String>,
    /// The content of its `robots` tag.
    pub robots: Option<String>,
    /// Whether it shows when it was last changed.
    pub timestamp: Option<bool>,
    /// When it was last changed, as the author writes it.
    pub last_updated: Option<String>,
    /// When it was written, as the author writes it.
    pub created: Option<String>,
    /// Whether it has a feed.
    pub rss: Option<bool>,
    /// Page menu instead of the site's, as JSON.
    pub contextual: Option<String>,
    /// `og:*` and `twitter:*` tags.
    pub meta: BTreeMap<String, String>,
    /// Every other key, unchanged.
    #[serde(with = "as_text")]
    pub other: BTreeMap<String, Value>,
}

impl FrontMatter {
    /// Returns the heading of the text that the page shows as its title, at the top, and not again:
    /// one that repeats `title`, or stands for it.
    pub fn shown_heading(&self) -> Option<&str> {
        let repeated = self.title_heading.as_deref().filter(|heading| {
            let title = self.own_title().unwrap_or_default();
            title.split_whitespace().eq(heading.split_whitespace())
        });
        let heading = repeated.or_else(|| self.heading_as_title());
        heading.filter(|_| self.has_header())
    }

    /// Returns the heading of the text that is the title of the page: without `title`, and without a
    /// subject that gives it one.
    pub fn heading_as_title(&self) -> Option<&str> {
        let bindings = [
            &self.openapi,
            &self.asyncapi,
            &self.openapi_schema,
            &self.api,
        ];
        let has_other = self.own_title().is_some() || bindings.into_iter().any(Option::is_some);
        self.title_heading.as_deref().filter(|_| !has_other)
    }

    /// Returns true if the page shows its title above the text.
    pub fn has_header(&self) -> bool {
        !matches!(self.mode.as_deref(), Some("custom" | "frame"))
    }

    /// Returns `title`, if it is not blank.
    pub fn own_title(&self) -> Option<&str> {
        let title = self.title.as_deref();
        title.filter(|title| !title.trim().is_empty())
    }
}

/// The fields that are understood and change nothing yet; those of the configuration are in `config/unused.rs`.
pub const UNUSED: &[&str] = &["public"];

/// The known key that `key` is a misspelling of: in other letters or signs, with two letters swapped, or, if it is long,
/// with a letter or two amiss. Short words are near to those that authors use for purposes of their own.
fn suggestion(key: &str) -> Option<Near> {
    let letters = |name: &str| name.replace(['-', '_'], "").to_lowercase();
    let sorted = |name: &str| {
        let mut letters: Vec<char> = name.to_lowercase().chars().collect();
        letters.sort_unstable();
        letters
    };
    let (written, shuffled) = (letters(key), sorted(key));
    let is_spelt = |known: &&str| letters(known) == written;
    let is_swapped =
        |known: &&str| known.len() >= 5 && sorted(known) == shuffled && distance(key, known) == 1;
    let mut known = fields::names();
    let found = known
        .find(is_spelt)
        .or_else(|| fields::names().find(is_swapped));
    if let Some(word) = found {
        return Some(Near {
            word: word.to_owned(),
            is_only: true,
        });
    }
    let is_slip = |known: &&str| {
        let most = if known.len() < 8 { 1 } else { 2 };
        known.len() >= 6 && key.len() >= 6 && distance(key, known) <= most
    };
    near(key, fields::names().filter(is_slip))
}

/// Values of any shape, serialized as JSON: the format of stored values is not self-describing.
mod as_text {
    use std::collections::BTreeMap;

    use serde::de::Error as _;
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    pub(super) fn serialize<S: Serializer>(
        values: &BTreeMap<String, Value>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        if values.is_empty() {
            return "".serialize(serializer);
        }
        let text = serde_json::to_string(values).map_err(S::Error::custom)?;
        text.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, Value>, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() {
            return Ok(BTreeMap::new());
        }
        serde_json::from_str(&text).map_err(D::Error::custom)
    }
}

/// The text of the frontmatter of a page and where it begins; `None` if the page has none.
pub fn source(text: &str) -> Option<(usize, &str)> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let first = text[start..].split_inclusive('\n').next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let begin = start + first.len();
    let mut at = begin;
    for line in text[begin..].split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((begin, &text[begin..at]));
        }
        at += line.len();
    }
    None
}

/// The byte offset where the body of a page begins.
pub fn body_start(text: &str) -> usize {
    match source(text) {
        Some((begin, yaml)) => {
            let end = begin + yaml.len();
            text[end..]
                .find('\n')
                .map_or(text.len(), |newline| end + newline + 1)
        }
        None => text.len() - text.trim_start_matches('\u{feff}').len(),
    }
}

/// The byte offset and length in a page of the member of its frontmatter at `target`.
pub fn position(text: &str, target: &str, part: Part) -> Option<(usize, usize)> {
    let (begin, yaml) = source(text)?;
    let (at, len) = yaml::position(yaml, target, part)?;
    Some((begin + at, len))
}

/// Reads the frontmatter of `path`, whose content is `text`. A page without one has an empty one.
pub fn parse(path: &SitePath, text: &str) -> Parsed<FrontMatter> {
    let mut parsed = parse_fields(path, text);
    parsed.value.title_heading = heading::first_title(&text[body_start(text)..]);
    parsed
}

/// Reads the fields of the frontmatter.
fn parse_fields(path: &SitePath, text: &str) -> Parsed<FrontMatter> {
    let Some((begin, source)) = source(text) else {
        return Parsed {
            value: FrontMatter::default(),
            diagnostics: misplaced(path, text).into_iter().collect(),
        };
    };
    if source.trim().is_empty() {
        return Parsed::default();
    }
    let invalid = |at: usize, message: String| {
        Parsed {
        value: FrontMatter::default(),
        diagnostics: vec![
            Diagnostic::new(Code::InvalidFrontMatter, Place::in_text(path, text, at, 1), message)
                .hint("quote values that hold `: ` or `#`, or begin with one of `[ ] { } & * ! | > ' \" % @`"),
        ],
    }
    };
    match yaml::parse(source) {
        Ok(Value::Object(members)) => {
            let mut reader = Reader {
                path,
                diagnostics: Vec::new(),
            };
            let value = reader.front_matter(members);
            Parsed {
                value,
                diagnostics: reader.diagnostics,
            }
        }
        Ok(Value::Null) => Parsed::default(),
        Ok(_) => invalid(
            begin,
            "the frontmatter is not a list of `key: value` lines".to_owned(),
        ),
        Err(error) => invalid(
            begin + error.at,
            format!("the frontmatter is not valid YAML: {}", error.message),
        ),
    }
}

/// Maximum number of lines searched for misplaced frontmatter.
const MAX_LINES: usize = 60;

/// Members of the frontmatter of other tools, by which it is recognized too.
const FOREIGN: &[&str] = &[
    "author",
    "categories",
    "date",
    "draft",
    "id",
    "image",
    "lang",
    "layout",
    "order",
    "permalink",
    "sidebar_label",
    "sidebar_position",
    "slug",
    "summary",
    "tags",
    "template",
    "weight",
];

/// A report of what looks like frontmatter in a page that has none: behind something else, indented, between other signs, or
/// without an end.
fn misplaced(path: &SitePath, text: &str) -> Option<Diagnostic> {
    let text_begin = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut at = text_begin;
    let mut lines = Vec::new();
    for line in text[text_begin..].split_inclusive('\n').take(MAX_LINES) {
        lines.push((at, line.trim_end()));
        at += line.len();
    }
    let opening = opening_line(&lines)?;
    let (at, line) = lines[opening];
    let sign = line.trim();
    let is_toml = sign.starts_with('+');
    let mut is_known = false;
    let mut ending = None;
    for (_, line) in &lines[opening + 1..] {
        let line = line.trim_start();
        if line == sign || matches!(line, "---" | "...") {
            ending = Some(line);
            break;
        }
        let separator = if is_toml { '=' } else { ':' };
        let member = line.split_once(separator).map(|(name, _)| name.trim());
        match member {
            Some(name) if fields::names().any(|known| known == name) || FOREIGN.contains(&name) => {
                is_known = true;
            }
            // The first line that is no member ends what may be one.
            None if !is_known && !line.is_empty() && !line.starts_with('#') => return None,
            _ => {}
        }
    }
    if !is_known {
        return None;
    }
    let (message, hint) = if is_toml {
        (
            "frontmatter in TOML is not read",
            "write it in YAML: `---` around lines such as `title: Start`",
        )
    } else if is_dashes(sign) {
        (
            "frontmatter begins and ends with three hyphens, and here are dashes",
            "write `---`",
        )
    } else if names_language(sign) {
        (
            "frontmatter names no language, it is YAML",
            "write `---` alone",
        )
    } else if sign.len() > 3 {
        (
            "frontmatter begins and ends with three hyphens, and here are more",
            "write `---`",
        )
    } else if line.starts_with([' ', '\t']) {
        (
            "frontmatter is not indented",
            "remove the spaces in front of `---` and of the members",
        )
    } else if opening > 0 && ending.is_some() {
        (
            "frontmatter begins on the first line of a page, and here it does not",
            "move it before everything else",
        )
    } else if opening > 0 {
        return None;
    } else if ending == Some("...") {
        (
            "frontmatter ends with `---`, not with `...`",
            "write `---` in place of `...`",
        )
    } else {
        (
            "the frontmatter has no end",
            "write `---` on a line of its own behind its last member",
        )
    };
    let place = Place::in_text(
        path,
        text,
        at + (line.len() - line.trim_start().len()),
        sign.len(),
    );
    let message = format!("{message}: it is shown as text");
    Some(Diagnostic::new(Code::MisplacedFrontMatter, place, message).hint(hint))
}

/// The line that opens what looks like frontmatter: the first one behind blank lines, comments, imports and exports.
fn opening_line(lines: &[(usize, &str)]) -> Option<usize> {
    let mut comment = None;
    for (number, (_, line)) in lines.iter().enumerate() {
        let line = line.trim();
        if let Some(end) = comment {
            if line.contains(end) {
                comment = None;
            }
            continue;
        }
        let opened = [("<!--", "-->"), ("{/*", "*/}")];
        if let Some((start, end)) = opened.iter().find(|(start, _)| line.starts_with(start)) {
            if !line[start.len()..].contains(end) {
                comment = Some(*end);
            }
            continue;
        }
        let is_module = line.starts_with("import ") || line.starts_with("export ");
        if line.is_empty() || is_module {
            continue;
        }
        let is_of = |sign: u8| line.len() >= 3 && line.bytes().all(|byte| byte == sign);
        let is_opening = is_of(b'-') || line == "+++" || is_dashes(line) || names_language(line);
        return is_opening.then_some(number);
    }
    None
}

/// Returns true if `line` holds nothing but dashes, which programs for texts make of hyphens.
fn is_dashes(line: &str) -> bool {
    let is_dash = |c: char| matches!(c, '-' | '–' | '—' | '―' | '−');
    !line.is_ascii() && line.chars().all(is_dash)
}

/// Returns true if `line` opens frontmatter of a named language, as some programs read it.
fn names_language(line: &str) -> bool {
    matches!(line, "---yaml" | "---yml" | "---toml" | "---json")
}

/// Returns the subject that the page `text` declares. For most pages the first bytes are enough.
pub fn subject(path: &SitePath, text: &[u8]) -> Option<Subject> {
    let is_page = matches!(path.extension().as_str(), "mdx" | "md");
    let has = |name: &str| memchr::memmem::find(text, name.as_bytes()).is_some();
    if !is_page || !(has("openapi") || has("asyncapi")) {
        return None;
    }
    let text = String::from_utf8_lossy(text);
    let front_matter = parse(path, &text).value;
    let subject = Subject {
        operation: front_matter.openapi,
        schema: front_matter.openapi_schema,
        channel: front_matter.asyncapi,
    };
    (subject != Subject::default()).then_some(subject)
}

/// Frontmatter of a value that is written elsewhere (`x-docs.metadata`). What is of the wrong type is left out.
pub fn of_value(value: &Value) -> FrontMatter {
    let (Value::Object(members), Some(path)) = (value, SitePath::new("metadata")) else {
        return FrontMatter::default();
    };
    let mut reader = Reader {
        path: &path,
        diagnostics: Vec::new(),
    };
    reader.front_matter(members.clone())
}

struct Reader<'a> {
    path: &'a SitePath,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn front_matter(&mut self, members: serde_json::Map<String, Value>) -> FrontMatter {
        let mut front_matter = FrontMatter::default();
        for (key, value) in members {
            if UNUSED.contains(&key.as_str()) {
                let place = Place::key(self.path, pointer::child("", &key));
                let message = format!("`{key}` has no effect yet");
                self.diagnostics
                    .push(Diagnostic::new(Code::UnusedField, place, message));
            }
            match key.as_str() {
                "title" => front_matter.title = self.text(&key, value),
                "description" => front_matter.description = self.text(&key, value),
                "sidebarTitle" => front_matter.sidebar_title = self.text(&key, value),
                "icon" => front_matter.icon = self.icon(&key, value, &mut front_matter.icon_type),
                "iconType" => front_matter.icon_type = self.text(&key, value),
                "tag" => front_matter.tag = self.text(&key, value),
                "url" => front_matter.url = self.address(&key, value),
                "mode" => front_matter.mode = self.text(&key, value),
                "hidden" => front_matter.hidden = self.flag(&key, value),
                "noindex" => front_matter.noindex = self.flag(&key, value),
                "searchable" => front_matter.searchable = self.flag(&key, value),
                "boost" => front_matter.boost = self.thousandths(&key, value),
                "keywords" => front_matter.keywords = self.list(&key, value),
                "deprecated" => front_matter.deprecated = self.flag(&key, value),
                "hideFooterPagination" => {
                    front_matter.hide_footer_pagination = self.flag(&key, value);
                }
                "hideApiMarker" => front_matter.hide_api_marker = self.flag(&key, value),
                "public" => front_matter.public = self.flag(&key, value),
                "playground" => front_matter.playground = self.text(&key, value),
                "api" => front_matter.api = self.text(&key, value),
                "asyncapi" => front_matter.asyncapi = self.text(&key, value),
                "openapi" => front_matter.openapi = self.text(&key, value),
                "openapi-schema" => front_matter.openapi_schema = self.text(&key, value),
                "authMethod" => front_matter.auth_method = self.text(&key, value),
                "version" => front_matter.version = self.text(&key, value),
                "canonical" => front_matter.canonical = self.address(&key, value),
                "robots" => front_matter.robots = self.text(&key, value),
                "timestamp" => front_matter.timestamp = self.flag(&key, value),
                "lastUpdatedDate" => front_matter.last_updated = self.text(&key, value),
                "createdDate" => front_matter.created = self.text(&key, value),
                "rss" => front_matter.rss = self.flag(&key, value),
                "contextual" => front_matter.contextual = Some(value.to_string()),
                name if name.starts_with("og:") || name.starts_with("twitter:") => {
                    if let Some(text) = self.text(&key, value) {
                        front_matter.meta.insert(key, text);
                    }
                }
                _ => {
                    self.check_name(&key);
                    front_matter.other.insert(key, value);
                }
            }
        }
        front_matter
    }

    /// Reports a key that is one of the known ones in another spelling. Any other is the author's own business.
    fn check_name(&mut self, key: &str) {
        let Some(near) = suggestion(key) else { return };
        let place = Place::key(self.path, pointer::child("", key));
        let message = format!("`{key}` is not known and has no effect");
        let mut diagnostic = Diagnostic::new(Code::UnknownField, place, message);
        // What the author wants of the page does not happen.
        diagnostic.severity = Severity::Warning;
        self.diagnostics.push(diagnostic.hint(near.advice()));
    }

    /// Numbers, dates and booleans are taken as the text they were written as.
    fn text(&mut self, key: &str, value: Value) -> Option<String> {
        match value {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(bool) => Some(bool.to_string()),
            Value::Null => None,
            _ => self.mismatch(key, "text"),
        }
    }

    /// An address that a browser opens rather than runs.
    fn address(&mut self, key: &str, value: Value) -> Option<String> {
        let text = self.text(key, value)?;
        match crate::link::is_script(&text) {
            true => self.mismatch(key, "an `https://` address or a path of the site"),
            false => Some(text),
        }
    }

    fn flag(&mut self, key: &str, value: Value) -> Option<bool> {
        match value {
            Value::Bool(flag) => Some(flag),
            Value::Null => None,
            Value::String(text) if matches!(text.as_str(), "true" | "yes" | "on") => Some(true),
            Value::String(text) if matches!(text.as_str(), "false" | "no" | "off") => Some(false),
            _ => self.mismatch(key, "`true` or `false`"),
        }
    }

    fn thousandths(&mut self, key: &str, value: Value) -> Option<i64> {
        match value.as_f64() {
            Some(number) => Some((number * 1000.0).round() as i64),
            None if value.is_null() => None,
            None => self.mismatch(key, "a number"),
        }
    }

    /// A list, or text with commas.
    fn list(&mut self, key: &str, value: Value) -> Vec<String> {
        match value {
            Value::Array(items) => items
                .into_iter()
                .filter_map(|item| self.text(key, item))
                .collect(),
            Value::String(text) => text
                .split(',')
                .map(|word| word.trim().to_owned())
                .filter(|word| !word.is_empty())
                .collect(),
            Value::Null => Vec::new(),
            _ => self.mismatch(key, "a list").unwrap_or_default(),
        }
    }

    /// A name, or an object of name and style.
    fn icon(&mut self, key: &str, value: Value, style: &mut Option<String>) -> Option<String> {
        let Value::Object(mut object) = value else {
            return self.text(key, value);
        };
        if let Some(given) = object
            .remove("style")
            .and_then(|style| style.as_str().map(str::to_owned))
        {
            *style = Some(given);
        }
        object
            .remove("name")
            .and_then(|name| name.as_str().map(str::to_owned))
    }

    fn mismatch<T>(&mut self, key: &str, expected: &str) -> Option<T> {
        let place = Place::value(self.path, pointer::child("", key));
        let message = format!("`{key}` should be {expected}; it was ignored");
        self.diagnostics.push(Diagnostic::new(
            Code::InvalidFrontMatterField,
            place,
            message,
        ));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_text(text: &str) -> Parsed<FrontMatter> {
        parse(&SitePath::new("a.mdx").unwrap(), text)
    }

    #[test]
    fn misspelt_keys_are_warned_of_and_other_keys_are_the_authors_own() {
        for (key, known) in [
            ("titel", "title"),
            ("tilte", "title"),
            ("Title", "title"),
            ("sidebartitle", "sidebarTitle"),
            ("sidebar_title", "sidebarTitle"),
            ("sidebarTitel", "sidebarTitle"),
            ("descripton", "description"),
            ("desciption", "description"),
            ("keyword", "keywords"),
            ("no-index", "noindex"),
        ] {
            let found = parse_text(&format!("---\n{key}: A\n---\n")).diagnostics;
            assert_eq!(found.len(), 1, "{key}: {found:?}");
            assert_eq!(found[0].replacement.as_deref(), Some(known));
            assert_eq!(found[0].severity, Severity::Warning);
        }
        for key in [
            "author",
            "date",
            "draft",
            "group",
            "hide",
            "layout",
            "order",
            "position",
            "publish",
            "section",
            "session",
            "slug",
            "subtitle",
            "summary",
            "tags",
            "title_en",
            "titles",
            "type",
            "tile",
            "uri",
            "versions_seen",
        ] {
            let found = parse_text(&format!("---\n{key}: A\n---\n")).diagnostics;
            assert!(found.is_empty(), "{key}: {found:?}");
        }
    }

    #[test]
    fn frontmatter_that_is_none_is_reported_where_it_begins() {
        let path = SitePath::new("a.mdx").unwrap();
        for (text, line, words) in [
            ("\n---\ntitle: A\n---\n\nB\n", 2, "first line"),
            ("\u{feff}\n---\ntitle: A\n---\n", 2, "first line"),
            ("<!-- c -->\n---\ntitle: A\n---\n", 2, "first line"),
            (
                "<!-- c\nd -->\n\n---\n# x\ntitle: A\n---\n",
                4,
                "first line",
            ),
            ("{/* c */}\n---\ntitle: A\n---\n", 2, "first line"),
            (
                "import X from '/a.mdx'\n\n---\nsidebarTitle: A\n---\n",
                3,
                "first line",
            ),
            (" ---\n title: A\n ---\n", 1, "indented"),
            ("----\ntitle: A\n----\n", 1, "three hyphens"),
            ("---\ntitle: A\n...\n\nB\n", 1, "`...`"),
            ("---\r\ntitle: A\r\n\r\nB\r\n", 1, "no end"),
            ("+++\ntitle = \"A\"\n+++\n", 1, "TOML"),
            ("---\nslug: /a\ntitle: A\n", 1, "no end"),
            ("—\ntitle: A\n—\n", 1, "dashes"),
            ("–-\ntitle: A\n–-\n", 1, "dashes"),
            ("---yaml\ntitle: A\n---\n", 1, "language"),
        ] {
            let found = parse(&path, text).diagnostics;
            assert_eq!(found.len(), 1, "{text:?}");
            assert_eq!(found[0].code, Code::MisplacedFrontMatter, "{text:?}");
            assert!(
                found[0].message.contains(words),
                "{text:?}: {}",
                found[0].message
            );
            let starts = text.split_inclusive('\n').map(str::len);
            let start: usize = starts.take(line - 1).sum();
            let sign = text[start..]
                .lines()
                .next()
                .unwrap()
                .trim()
                .trim_start_matches('\u{feff}');
            let at = start + text[start..].find(sign).unwrap();
            assert_eq!(
                found[0].place,
                Place::in_text(&path, text, at, sign.len()),
                "{text:?}"
            );
        }
        for text in [
            "---\ntitle: A\n---\n",
            "Words.\n\n---\n\ntitle: this is about a title\n\n---\n",
            "---\n\nA rule at the top. Note: title is none.\n",
            "---\nNote: words\n\n---\n",
            "\n---\n\nWords between rules.\n\n---\n",
            "import X from '/a.mdx'\n\n---\n\n<X />\n\n---\n\ntitle: x\n",
            "\n---\ntitle: a setext heading, or a rule\n\nWords.\n",
            "# Heading\n\n---\ntitle: A\n---\n",
            "— a quote\ntitle: A\n",
            "—\n\nA line of its own.\n",
            "",
            "---",
        ] {
            assert!(parse(&path, text).diagnostics.is_empty(), "{text:?}");
        }
    }

    #[test]
    fn foreign_keys_are_kept() {
        let parsed = parse_text("---\ntitle: A\nsidebar_position: 3\nog:title: B\n---\nbody");
        assert_eq!(parsed.value.title.as_deref(), Some("A"));
        assert_eq!(parsed.value.other["sidebar_position"], 3);
        assert_eq!(parsed.value.meta["og:title"], "B");
        assert!(parsed.diagnostics.is_empty());
    }

    #[test]
    fn the_body_begins_after_the_closing_line() {
        let text = "---\ntitle: A\n---\nbody";
        assert_eq!(&text[body_start(text)..], "body");
        assert_eq!(body_start("--- not\n"), 0);
        assert_eq!(body_start("---\ntitle: never closed\n"), 0);
    }

    #[test]
    fn broken_yaml_is_pointed_at() {
        let parsed = parse_text("---\ntitle: A\ndescription: b: c: d\n---\n");
        let Place::Block { line, .. } = parsed.diagnostics[0].place else {
            panic!("{:?}", parsed.diagnostics)
        };
        assert_eq!(
            (parsed.diagnostics[0].code, line),
            (Code::InvalidFrontMatter, 2)
        );
    }

    #[test]
    fn wrong_types_cost_one_field() {
        let parsed = parse_text("---\ntitle: [a]\nhidden: 3\nversion: 2.0\n---\n");
        assert_eq!(parsed.diagnostics.len(), 2);
        assert_eq!(parsed.value.version.as_deref(), Some("2.0"));
    }
}
