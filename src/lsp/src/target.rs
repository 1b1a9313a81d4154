//! What the construct at an offset of a document means.

use std::ops::Range;

use queries::base::path::SitePath;
use queries::site::editor::{self, LinkedPlace, NamedOperation, component_docs};
use queries::site::{self, Db, Site, is_config};

use crate::completion::{ADDRESSES, reference_at};
use crate::cursor::{self, Cursor};
use crate::json;

/// Meaning of a construct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A page, or one of its headings.
    Page(LinkedPlace),
    /// Another file of the site.
    File(SitePath),
    /// A component of Quire.
    Component(String),
    /// A prop of one.
    Prop(String, String),
    /// A component that the page imports or declares.
    Local { name: String, file: SitePath },
    /// An operation, as `METHOD /path`, with the specification before it if one is named.
    Operation(String),
    /// An icon.
    Icon(String),
    /// A key of the frontmatter.
    Key(String),
    /// A field of the configuration, by its pointer.
    Field(Vec<String>, String),
    /// A value in a specification, by file and pointer.
    Value(SitePath, String),
    /// The page itself, by one of its headings or as a whole.
    Own(Option<String>),
}

/// A heading of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    pub(crate) range: Range<usize>,
    pub(crate) level: usize,
    pub(crate) id: String,
}

/// Returns the headings of the page `text`.
pub(crate) fn headings(text: &str) -> Vec<Heading> {
    let lines = cursor::lines(text).collect::<Vec<_>>();
    let found: Vec<(Range<usize>, usize)> = lines
        .into_iter()
        .filter_map(|(start, line)| {
            let range = cursor::heading(start, line)?;
            let level = line.trim_start().chars().take_while(|c| *c == '#').count();
            Some((range, level))
        })
        .collect();
    let words: Vec<&str> = found
        .iter()
        .map(|(range, _)| &text[range.clone()])
        .collect();
    let ids = editor::heading_ids(&words);
    let all = found.into_iter().zip(ids);
    all.map(|((range, level), id)| Heading { range, level, id })
        .collect()
}

/// Returns what stands at `offset` of the document at `path`, and its range.
pub(crate) fn at(
    (db, site): (&dyn Db, Site),
    path: &SitePath,
    text: &str,
    offset: usize,
) -> Option<(Target, Range<usize>)> {
    match path.extension().as_str() {
        "mdx" | "md" => in_page((db, site), path, text, offset),
        "json" if is_config(path) => in_config((db, site), text, offset),
        "json" | "yaml" | "yml" => {
            let range = reference_at(text, offset)?;
            let reference = &text[range.clone()];
            let (file, pointer) = reference.split_once('#').unwrap_or((reference, ""));
            let file = match file.is_empty() {
                true => path.clone(),
                false => path.resolve(file)?,
            };
            Some((Target::Value(file, pointer.to_owned()), range))
        }
        _ => None,
    }
}

fn in_page(
    context: (&dyn Db, Site),
    path: &SitePath,
    text: &str,
    offset: usize,
) -> Option<(Target, Range<usize>)> {
    let (db, _) = context;
    let words = |range: &Range<usize>| text[range.clone()].to_owned();
    let found = match cursor::at(text, offset) {
        Cursor::Key { range } => (Target::Key(words(&range)), range),
        Cursor::Value { key, range } => match &*key {
            "icon" => (Target::Icon(words(&range)), range),
            "openapi" | "api" | "asyncapi" => (Target::Operation(words(&range)), range),
            "url" | "canonical" => (address(context, path, &words(&range))?, range),
            _ => (Target::Key(key), range),
        },
        Cursor::Tag { range, .. } => {
            let name = words(&range);
            let target = match imported(db, path, text, &name) {
                Some(file) => Target::Local { name, file },
                None => Target::Component(name),
            };
            (target, range)
        }
        Cursor::Prop {
            component, range, ..
        } => (Target::Prop(component, words(&range)), range),
        Cursor::PropValue { prop, range, .. } if prop == "icon" => {
            (Target::Icon(words(&range)), range)
        }
        Cursor::PropValue { prop, range, .. } if ADDRESSES.contains(&&*prop) => {
            (address(context, path, &words(&range))?, range)
        }
        Cursor::PropValue {
            component,
            prop,
            range,
        } => (Target::Prop(component, prop), range),
        Cursor::Link { range } => (address(context, path, &words(&range))?, range),
        Cursor::Import { range } => {
            let file = editor::import_target(db, path, &words(&range))?;
            (Target::File(file), range)
        }
        Cursor::Heading { range } => {
            let heading = headings(text)
                .into_iter()
                .find(|known| known.range == range);
            (Target::Own(heading.map(|heading| heading.id)), range)
        }
        Cursor::Other => (Target::Own(None), offset..offset),
    };
    Some(found)
}

/// Returns what an address leads to from the page at `path`.
fn address((db, site): (&dyn Db, Site), path: &SitePath, href: &str) -> Option<Target> {
    let place = LinkedPlace::of(path, href)?;
    if editor::page_at(db, site, &place.route).is_some() {
        return Some(Target::Page(place));
    }
    let site::LinkTarget::Site { path: target, .. } = site::resolve_link(path, href) else {
        return None;
    };
    let file = editor::asset_at(db, site, &target)
        .or_else(|| editor::spec_at(db, site, &target))
        .or_else(|| editor::import_target(db, path, href));
    file.map(Target::File)
}

/// Returns the file of a component that the page imports or declares; `None` for those of Quire.
fn imported(db: &dyn Db, path: &SitePath, text: &str, name: &str) -> Option<SitePath> {
    let name = name.split('.').next().unwrap_or(name);
    let mut rest = text;
    while let Some(at) = rest.find("import ") {
        let begins_line = rest[..at].is_empty() || rest[..at].ends_with('\n');
        let from = &rest[at + 7..];
        rest = from;
        let Some(quote) = from.find(['"', '\'']).filter(|_| begins_line) else {
            continue;
        };
        let names = &from[..quote];
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        if !names.split(|c| !is_word(c)).any(|word| word == name) {
            continue;
        }
        let words = from[quote + 1..].split(['"', '\'', '\n']).next()?;
        return editor::import_target(db, path, words);
    }
    let is_known = component_docs().iter().any(|docs| docs.name == name);
    declaration(text, name)
        .filter(|_| !is_known)
        .map(|_| path.clone())
}

/// Returns the range of the name where `text` declares `name`.
pub(crate) fn declaration(text: &str, name: &str) -> Option<Range<usize>> {
    let starts = [
        "export const ",
        "export function ",
        "const ",
        "function ",
        "export default function ",
    ];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        for start in starts {
            if let Some(rest) = line.strip_prefix(start)
                && rest.strip_prefix(name).is_some_and(|rest| {
                    rest.starts_with(|c: char| !c.is_alphanumeric() && c != '_')
                })
            {
                let from = at + start.len();
                return Some(from..from + name.len());
            }
        }
        at += line.len();
    }
    None
}

fn in_config(
    (db, site): (&dyn Db, Site),
    text: &str,
    offset: usize,
) -> Option<(Target, Range<usize>)> {
    let cursor = json::at(text, offset)?;
    let range = cursor.range.clone();
    let value = text[range.clone()].to_owned();
    if cursor.is_key {
        return Some((Target::Field(cursor.way, value), range));
    }
    let config = SitePath::new("docs.json")?;
    let key = cursor.key.clone();
    let is_icon = key.as_deref() == Some("icon")
        || key.as_deref() == Some("name") && cursor.way.last().is_some_and(|way| way == "icon");
    if is_icon {
        return Some((Target::Icon(value), range));
    }
    if is_operation(&value) {
        return Some((Target::Operation(value), range));
    }
    let rooted = format!("/{}", value.trim_start_matches('/'));
    let target = match LinkedPlace::of(&config, &rooted) {
        Some(place) if editor::page_at(db, site, &place.route).is_some() => Target::Page(place),
        _ => match editor::spec_at(db, site, &value)
            .or_else(|| editor::asset_at(db, site, &rooted))
            .or_else(|| editor::import_target(db, &config, &rooted))
        {
            Some(file) if value.contains(['/', '.']) => Target::File(file),
            _ => Target::Field(cursor.way, key?),
        },
    };
    Some((target, range))
}

/// Returns true if `text` is `METHOD /path`.
fn is_operation(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(method, path)| {
        path.starts_with('/') && method.chars().all(|c| c.is_ascii_alphabetic())
    })
}

/// Returns the operation that the words of a page or of the configuration mean.
pub(crate) fn operation((db, site): (&dyn Db, Site), words: &str) -> Option<NamedOperation> {
    let mut operations = editor::operations(db, site).into_iter();
    operations.find(|known| {
        let is_of_spec = |spec: &str| spec.trim().trim_start_matches('/') == known.spec;
        words.eq_ignore_ascii_case(&known.name)
            || words.strip_suffix(&known.name).is_some_and(is_of_spec)
    })
}
