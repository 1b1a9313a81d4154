//! Entries of the operations of a document in lists: methods, paths, names, tags. Descriptions and
//! schemas are elsewhere.

use std::cmp::Reverse;
use std::sync::Arc;

use base::path::SitePath;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// The methods of a path item (OpenAPI 3.1, 4.8.9), in the order in which pages are made of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// `GET`.
    Get,
    /// `PUT`.
    Put,
    /// `POST`.
    Post,
    /// `DELETE`.
    Delete,
    /// `OPTIONS`.
    Options,
    /// `HEAD`.
    Head,
    /// `PATCH`.
    Patch,
    /// `TRACE`.
    Trace,
    /// `QUERY` (OpenAPI 3.2).
    Query,
    /// One of [`OTHERS`], in the letters of the author.
    Other(Arc<str>),
}

/// The member of a path item that holds the operations of methods without a member of their own (OpenAPI 3.2, 4.9.1).
pub const OTHERS: &str = "additionalOperations";

impl Method {
    const NAMED: [Self; 9] = [
        Self::Get,
        Self::Put,
        Self::Post,
        Self::Delete,
        Self::Options,
        Self::Head,
        Self::Patch,
        Self::Trace,
        Self::Query,
    ];

    /// The method that a member of a path item describes.
    pub fn of(member: &str) -> Option<Self> {
        Self::NAMED
            .into_iter()
            .find(|method| method.key() == member)
    }

    /// The methods of the operations in `others`, which is what [`OTHERS`] holds.
    pub fn others(others: &Value) -> impl Iterator<Item = Self> {
        let members = others.as_object().into_iter().flatten();
        let members = members.filter(|(_, operation)| operation.is_object());
        members.map(|(name, _)| Self::Other(name.as_str().into()))
    }

    /// The member of a path item, or of its [`OTHERS`], that describes it.
    pub fn key(&self) -> &str {
        match self {
            Self::Get => "get",
            Self::Put => "put",
            Self::Post => "post",
            Self::Delete => "delete",
            Self::Options => "options",
            Self::Head => "head",
            Self::Patch => "patch",
            Self::Trace => "trace",
            Self::Query => "query",
            Self::Other(name) => name,
        }
    }

    /// The method as it is sent (RFC 9110).
    pub fn name(&self) -> String {
        match self {
            Self::Other(name) => name.to_string(),
            named => named.key().to_ascii_uppercase(),
        }
    }
}

/// Entry of one operation in lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct OperationMeta {
    /// Summary.
    pub summary: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// The `operationId`.
    pub id: Option<String>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// Whether it has no page (`x-hidden`, `x-excluded`).
    pub hidden: bool,
    /// Address (`x-docs.href`).
    pub href: Option<String>,
    /// The titles and marks of `x-docs.metadata` that a sidebar shows.
    pub label: LabelOverrides,
    /// The protocol of a channel, such as `wss`.
    pub protocol: Option<String>,
}

/// Entry of one data model in lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaMeta {
    /// Title.
    pub title: Option<String>,
    /// Whether it is deprecated.
    pub deprecated: bool,
}

impl SchemaMeta {
    /// Reads the schema at hand.
    pub fn read(schema: &Value) -> Self {
        let title = schema.get("title").and_then(Value::as_str).map(str::trim);
        Self {
            title: title.filter(|title| !title.is_empty()).map(str::to_owned),
            deprecated: schema.get("deprecated") == Some(&Value::Bool(true)),
        }
    }
}

/// Fields of `x-docs.metadata` that a sidebar shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LabelOverrides {
    /// The title of the page.
    pub title: Option<String>,
    /// The title in the sidebar.
    pub sidebar_title: Option<String>,
    /// The name of an icon.
    pub icon: Option<String>,
    /// A word beside the title.
    pub tag: Option<String>,
    /// Whether it is deprecated, regardless of the operation.
    pub deprecated: Option<bool>,
    /// Whether the page is left out of the sidebar.
    pub hidden: Option<bool>,
    /// An address that the entry leads to instead.
    pub url: Option<String>,
    /// Whether the method is left out.
    pub hide_api_marker: Option<bool>,
    /// Whether the page is in the sidebar and is not to be found elsewhere (`noindex`, `searchable: false`).
    pub is_unlisted: bool,
}

/// The members of an operation that lists look at; the others are stepped over.
#[derive(Deserialize)]
struct Head {
    #[serde(default, deserialize_with = "present")]
    summary: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    tags: Option<Value>,
    #[serde(default, deserialize_with = "present", rename = "operationId")]
    id: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    deprecated: Option<Value>,
    #[serde(default, deserialize_with = "present", rename = "x-hidden")]
    hidden: Option<Value>,
    #[serde(default, deserialize_with = "present", rename = "x-excluded")]
    excluded: Option<Value>,
    #[serde(default, deserialize_with = "present", rename = "x-docs")]
    docs: Option<Value>,
    #[serde(default, deserialize_with = "present", rename = "x-mint")]
    mint: Option<Value>,
}

/// A member that is there, whatever it holds.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

impl OperationMeta {
    /// Reads the operation whose JSON is `text`; anything else is read as an empty operation.
    pub fn read_text(text: &[u8]) -> Self {
        let Ok(head) = serde_json::from_slice::<Head>(text) else {
            // Not an object, or one with a member twice, of which the last one counts.
            return Self::read(&serde_json::from_slice(text).unwrap_or(Value::Null));
        };
        let members = [
            ("summary", head.summary),
            ("tags", head.tags),
            ("operationId", head.id),
            ("deprecated", head.deprecated),
            ("x-hidden", head.hidden),
            ("x-excluded", head.excluded),
            ("x-docs", head.docs),
            ("x-mint", head.mint),
        ];
        let members = members.into_iter();
        let members = members.filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Self::read(&Value::Object(members.collect()))
    }

    /// Reads the operation at hand.
    pub fn read(operation: &Value) -> Self {
        let text = |key: &str| Some(operation.get(key)?.as_str()?.to_owned());
        let flag = |key: &str| operation.get(key).and_then(Value::as_bool) == Some(true);
        let docs = extension(operation);
        let tags = operation.get("tags").and_then(Value::as_array);
        Self {
            summary: text("summary").filter(|summary| !summary.is_empty()),
            tags: (tags.into_iter().flatten())
                .filter_map(|tag| Some(tag.as_str()?.to_owned()))
                .collect(),
            id: text("operationId"),
            deprecated: flag("deprecated"),
            hidden: flag("x-hidden") || flag("x-excluded"),
            href: docs
                .and_then(|docs| docs.get("href")?.as_str())
                .map(str::to_owned),
            label: docs
                .and_then(|docs| docs.get("metadata")?.as_object())
                .map_or_else(LabelOverrides::default, LabelOverrides::read),
            protocol: None,
        }
    }
}

impl LabelOverrides {
    fn read(metadata: &Map<String, Value>) -> Self {
        let text = |key: &str| Some(metadata.get(key)?.as_str()?.to_owned());
        let flag = |key: &str| metadata.get(key).and_then(Value::as_bool);
        Self {
            title: text("title"),
            sidebar_title: text("sidebarTitle"),
            icon: text("icon"),
            tag: text("tag"),
            deprecated: flag("deprecated"),
            hidden: flag("hidden"),
            url: text("url"),
            hide_api_marker: flag("hideApiMarker"),
            is_unlisted: flag("noindex") == Some(true) || flag("searchable") == Some(false),
        }
    }
}

/// Returns the extension of an operation or a schema: `x-docs`, else `x-mint`.
pub fn extension(value: &Value) -> Option<&Map<String, Value>> {
    let docs = value.get("x-docs").or_else(|| value.get("x-mint"))?;
    docs.as_object()
}

/// Groups that the tags of a document define for its operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagNames(Vec<TagMeta>);

/// Fields of one tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TagMeta {
    name: String,
    /// Name of its group: `x-group`, else `summary` (OpenAPI 3.2).
    label: Option<String>,
    /// Tag whose group contains its group (OpenAPI 3.2).
    parent: Option<String>,
    /// Whether it is no group of the navigation, but a mark of its operations.
    is_mark: bool,
}

/// The kinds of tags that are marks (OpenAPI 3.2, 4.22.1); others are groups.
const MARKS: [&str; 2] = ["badge", "audience"];

/// Maximum nesting of groups.
const MAX_GROUPS: usize = 8;

impl TagNames {
    /// Reads the `tags` of a document.
    pub fn read(tags: &Value) -> Self {
        let tags = tags.as_array().into_iter().flatten();
        let metas = tags.filter_map(|tag| {
            let text = |key: &str| {
                let text = tag.get(key)?.as_str()?.trim();
                (!text.is_empty()).then(|| text.to_owned())
            };
            let meta = TagMeta {
                name: tag.get("name")?.as_str()?.to_owned(),
                label: text("x-group").or_else(|| text("summary")),
                parent: text("parent"),
                is_mark: text("kind").is_some_and(|kind| MARKS.contains(&kind.as_str())),
            };
            let says_nothing = TagMeta {
                name: meta.name.clone(),
                ..TagMeta::default()
            };
            (meta != says_nothing).then_some(meta)
        });
        Self(metas.collect())
    }

    fn get(&self, tag: &str) -> Option<&TagMeta> {
        self.0.iter().find(|known| known.name == tag)
    }

    /// The name that the group of `tag` has.
    pub fn group<'a>(&'a self, tag: &'a str) -> &'a str {
        let label = self.get(tag).and_then(|known| known.label.as_deref());
        label.unwrap_or(tag)
    }

    /// The tag in whose group an operation of these `tags` is: the first that is a group.
    pub fn tag_of<'a>(&self, mut tags: impl Iterator<Item = &'a str>) -> Option<&'a str> {
        tags.find(|tag| self.get(tag).is_none_or(|known| !known.is_mark))
    }

    /// Returns true if a tag is not a group, but a mark of its operations.
    pub fn is_mark(&self, tag: &str) -> bool {
        self.get(tag).is_some_and(|known| known.is_mark)
    }

    /// The names of the groups around operations of `tag`, the outermost first, its own last.
    pub fn groups<'a>(&'a self, tag: &'a str) -> Vec<&'a str> {
        let tags = self.around(tag).into_iter();
        tags.map(|tag| self.group(tag)).collect()
    }

    /// The tags whose groups are around operations of `tag`, the outermost first, itself last.
    pub fn around<'a>(&'a self, tag: &'a str) -> Vec<&'a str> {
        let mut tags = vec![tag];
        while let Some(parent) = (tags.last())
            .and_then(|tag| self.get(tag)?.parent.as_deref())
            .filter(|parent| !tags.contains(parent) && tags.len() < MAX_GROUPS)
        {
            tags.push(parent);
        }
        tags.reverse();
        tags
    }
}

/// Kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// An operation of OpenAPI.
    Operation,
    /// A webhook of OpenAPI.
    Webhook,
    /// A channel of AsyncAPI.
    Channel,
    /// Introduction to the reference of a document, which is in no index.
    Introduction,
    /// A data model, which is in no index.
    Model,
}

/// Word in place of the method, for a webhook.
pub const WEBHOOK: &str = "WEBHOOK";

/// Word in place of the method, for a channel.
pub const CHANNEL: &str = "CHANNEL";

/// Word in place of the method, for the introduction to a reference. No page shows it.
pub const INFO: &str = "INFO";

/// Word in place of the method, for a data model. No page shows it.
pub const MODEL: &str = "MODEL";

/// One operation, webhook or channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationEntry {
    /// Pointer below its path: `/paths/~1users/get`, `/channels/chat`.
    pub key: String,
    /// Pointer to its content: the same, or behind the reference of its path item.
    pub at: String,
    /// Kind.
    pub kind: EntryKind,
    /// Method; [`CHANNEL`] of a channel.
    pub method: Method,
    /// Path as the document has it, or the name of the webhook or of the channel.
    pub path: String,
    /// Fields for lists.
    pub meta: OperationMeta,
}

impl OperationEntry {
    /// The method in upper case, or the word for a webhook and a channel.
    pub fn marker(&self) -> String {
        match self.kind {
            EntryKind::Operation => self.method.name(),
            EntryKind::Webhook => WEBHOOK.to_owned(),
            EntryKind::Channel => CHANNEL.to_owned(),
            EntryKind::Introduction => INFO.to_owned(),
            EntryKind::Model => MODEL.to_owned(),
        }
    }
}

/// The operations and webhooks of a document: paths in the order of the document, then webhooks; or its channels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperationIndex {
    /// The entries, in parts that follow one another.
    pub parts: Vec<Arc<Vec<OperationEntry>>>,
    /// The names of their groups.
    pub tags: TagNames,
}

impl OperationIndex {
    /// The tag in whose group an operation is.
    pub fn tag_of<'a>(&self, meta: &'a OperationMeta) -> Option<&'a str> {
        self.tags.tag_of(meta.tags.iter().map(String::as_str))
    }

    /// All of them.
    pub fn entries(&self) -> impl Iterator<Item = &OperationEntry> + Clone {
        self.parts.iter().flat_map(|part| part.iter())
    }

    /// Operations and channels that have pages, webhooks last.
    pub fn visible_entries(&self) -> impl Iterator<Item = &OperationEntry> {
        let of = |is_last| {
            let entries = self.entries().filter(|entry| !entry.meta.hidden);
            entries.filter(move |entry| (entry.kind == EntryKind::Webhook) == is_last)
        };
        of(false).chain(of(true))
    }

    /// The operation `METHOD /path`: the path exactly as the document has it (SPEC 2.5), but for a slash
    /// at its end.
    pub fn operation(&self, method: &str, path: &str) -> Option<&OperationEntry> {
        let of_path = |wanted: &str| {
            self.entries().find(|entry| {
                entry.kind == EntryKind::Operation
                    && entry.method.key().eq_ignore_ascii_case(method)
                    && entry.path == wanted
            })
        };
        let other = match path.strip_suffix('/') {
            Some("") => return of_path(path),
            Some(without) => without.to_owned(),
            None => format!("{path}/"),
        };
        of_path(path).or_else(|| of_path(&other))
    }

    /// The first method of the webhook `name`.
    pub fn webhook(&self, name: &str) -> Option<&OperationEntry> {
        let mut entries = self.entries();
        entries.find(|entry| entry.kind == EntryKind::Webhook && entry.path == name)
    }
}

/// A segment of a pointer without its escapes.
pub fn unescaped(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

/// Finds the specification at one of `paths` (in order) that `name` refers to: by its path or
/// address, from the folder of the file `from` that names it if it begins with a dot; else, as
/// authors shorten them, by the end of its path, its name without extension, or a part of its path.
/// Of several, the one nearest to `from` is returned.
pub fn find_spec<'a>(
    name: &str,
    from: Option<&SitePath>,
    paths: impl Iterator<Item = &'a str> + Clone,
) -> Option<usize> {
    let trimmed = name.trim();
    let mut name = trimmed;
    while let Some(rest) = ["../", "./", "/"]
        .iter()
        .find_map(|up| name.strip_prefix(up))
    {
        name = rest;
    }
    if name.is_empty() {
        return None;
    }
    let stem = |path: &'a str| {
        let file = path.rsplit('/').next().unwrap_or(path);
        file.rsplit_once('.').map_or(file, |(stem, _)| stem)
    };
    let exact = |name: &str| paths.clone().position(|path| path == name);
    let folder = from.map_or("", SitePath::folder);
    let nearest = |test: &dyn Fn(&'a str) -> bool| {
        let found = paths.clone().enumerate().filter(|(_, path)| test(path));
        let shared = |path: &str| {
            let both = path.split('/').zip(folder.split('/'));
            both.take_while(|(one, other)| one == other).count()
        };
        // Of those that are as near the first.
        let found = found.max_by_key(|(at, path)| (shared(path), Reverse(*at)));
        found.map(|(at, _)| at)
    };
    let at_end = |path: &str| {
        path.strip_suffix(name)
            .is_some_and(|before| before.ends_with('/'))
    };
    let relative = from.filter(|_| trimmed.starts_with('.'));
    let relative = relative.and_then(|from| from.resolve(trimmed));
    (relative.and_then(|path| exact(path.as_str())))
        .or_else(|| exact(name))
        .or_else(|| nearest(&at_end))
        .or_else(|| nearest(&|path| stem(path) == name))
        .or_else(|| nearest(&|path| path.contains(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_its_value_is() {
        let texts = [
            r#"{"summary":"Pets","tags":["a","b"],"operationId":"pets","deprecated":true,"parameters":[{"x":1}]}"#,
            r#"{"summary":"","x-hidden":true,"x-excluded":false,"responses":{}}"#,
            r#"{"x-mint":{"href":"/a","metadata":{"title":"T","hidden":true}},"description":"\u00e4"}"#,
            r#"{"x-docs":{"href":"/b"},"x-mint":{"href":"/a"}}"#,
            r#"{"summary":5,"tags":"a","operationId":null,"deprecated":"yes"}"#,
            r#"{"summary":"one","summary":"two","tags":[{}]}"#,
            r#"{"x-docs":null,"x-mint":{"href":"/a"}}"#,
            "[]",
            "null",
            "{",
            "",
        ];
        for text in texts {
            let value = serde_json::from_str(text).unwrap_or(Value::Null);
            assert_eq!(
                OperationMeta::read_text(text.as_bytes()),
                OperationMeta::read(&value),
                "{text}"
            );
        }
        let two = OperationMeta::read_text(texts[5].as_bytes());
        assert_eq!(two.summary.as_deref(), Some("two"));
    }

    #[test]
    fn shortened_names_of_specifications_are_found() {
        let paths = ["api/v1/openapi.json", "api/v2.yaml", "v1.yaml"];
        let find = |name| find_spec(name, None, paths.iter().copied());
        assert_eq!(find("v1.yaml"), Some(2));
        assert_eq!(find("/v1.yaml"), Some(2));
        assert_eq!(find("openapi.json"), Some(0));
        assert_eq!(find("v2"), Some(1));
        assert_eq!(find("api/v1"), Some(0));
        assert_eq!(find("v3"), None);
    }

    #[test]
    fn a_specification_is_named_from_the_folder_of_the_page() {
        let paths = [
            "api.json",
            "es/api.json",
            "es/store/api.json",
            "store/api.json",
        ];
        let find = |name, folder: &str| {
            let page = SitePath::new(&format!("{folder}/page.mdx"));
            find_spec(name, page.as_ref(), paths.iter().copied())
        };
        assert_eq!(find("../api.json", "es/store/pages"), Some(2));
        assert_eq!(find("../api.json", "store/pages"), Some(3));
        assert_eq!(find("./api.json", "es"), Some(1));
        assert_eq!(find("../../store/api.json", "es/pages"), Some(3));
        // What leads out of the site, or to nothing, is found as if it were shortened.
        assert_eq!(find("../../../store/api.json", "es/pages"), Some(3));
        assert_eq!(find("../../../api.json", "es"), Some(0));
        assert_eq!(find("api.json", "es/store"), Some(0));
        assert_eq!(find("store/api", "es/pages"), Some(2));
        assert_eq!(find("store/api", ""), Some(2));
    }
}
