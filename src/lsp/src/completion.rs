//! Completion: components, props, icons, pages, anchors, operations, and fields of the frontmatter and of `docs.json`.

use std::ops::Range;

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionTextEdit, Documentation,
    InsertTextFormat, MarkupContent, MarkupKind, TextEdit,
};
use queries::base::path::{Route, SitePath};
use queries::site::editor::{
    self, ComponentDocs, LinkedPlace, component_docs, config_fields, config_words, pages_named,
};
use queries::site::{self, Db, PageId, Site, catalog_specs, is_config};

use crate::cursor::{self, Cursor};
use crate::json;
use crate::project::At;
use crate::text::Text;

/// Maximum number of items of a list; the client asks again as more is typed.
const MAX_ITEMS: usize = 200;

/// Props whose values are addresses.
pub(crate) const ADDRESSES: &[&str] = &["href", "src", "img", "url", "file", "cta"];

/// Items under construction.
struct List<'a> {
    text: &'a Text,
    range: Range<usize>,
    has_snippets: bool,
    items: Vec<CompletionItem>,
    is_incomplete: bool,
}

impl List<'_> {
    fn add(&mut self, label: &str, kind: CompletionItemKind, item: CompletionItem) {
        if self.items.len() >= MAX_ITEMS {
            self.is_incomplete = true;
            return;
        }
        let text = match item.insert_text {
            Some(text) => text,
            None => label.to_owned(),
        };
        let edit = TextEdit::new(self.text.range(self.range.clone()), text);
        let number = self.items.len();
        self.items.push(CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            text_edit: Some(CompletionTextEdit::Edit(edit)),
            insert_text: None,
            // The order of the list is the order of the site.
            sort_text: Some(format!("{number:05}")),
            ..item
        });
    }

    /// Adds an item with placeholders; `plain` for clients that have none.
    fn add_snippet(
        &mut self,
        label: &str,
        kind: CompletionItemKind,
        (snippet, plain): (String, &str),
        item: CompletionItem,
    ) {
        let item = match self.has_snippets {
            true => CompletionItem {
                insert_text: Some(snippet),
                insert_text_format: Some(InsertTextFormat::SNIPPET),
                ..item
            },
            false => CompletionItem {
                insert_text: Some(plain.to_owned()),
                ..item
            },
        };
        self.add(label, kind, item);
    }

    /// Returns what is typed of the item.
    fn typed(&self, offset: usize) -> &str {
        let end = offset.clamp(self.range.start, self.range.end);
        &self.text.as_str()[self.range.start..end]
    }
}

/// Returns the completions at a place.
pub(crate) fn complete(at: &At, has_snippets: bool) -> CompletionList {
    let At {
        path, text, offset, ..
    } = at;
    let offset = *offset;
    let found = at.project.host.read(|db, site| {
        let mut list = List {
            text,
            range: offset..offset,
            has_snippets,
            items: Vec::new(),
            is_incomplete: false,
        };
        match path.extension().as_str() {
            "mdx" | "md" => in_page(&mut list, (db, site), path, offset),
            "json" if is_config(path) => in_config(&mut list, (db, site), offset),
            "json" | "yaml" | "yml" => in_spec(&mut list, (db, site), path, offset),
            _ => {}
        }
        (list.items, list.is_incomplete)
    });
    let (items, is_incomplete) = found.unwrap_or_default();
    CompletionList {
        is_incomplete,
        items,
    }
}

pub(crate) fn markdown(text: impl Into<String>) -> Documentation {
    Documentation::MarkupContent(MarkupContent {
        kind: MarkupKind::Markdown,
        value: text.into(),
    })
}

fn detail(detail: impl Into<String>) -> CompletionItem {
    CompletionItem {
        detail: Some(detail.into()),
        ..CompletionItem::default()
    }
}

fn about(about: Option<&str>) -> CompletionItem {
    CompletionItem {
        documentation: about.map(markdown),
        ..CompletionItem::default()
    }
}

fn in_page(list: &mut List<'_>, context: (&dyn Db, Site), path: &SitePath, offset: usize) {
    let text = list.text.as_str();
    match cursor::at(text, offset) {
        Cursor::Key { range } => {
            let block = cursor::front_matter(text).unwrap_or(range.clone());
            let has_value = text[range.end..].starts_with(':');
            let present: Vec<&str> = (text[block].lines())
                .filter_map(|line| line.split_once(':'))
                .map(|(key, _)| key)
                .collect();
            let own = text[range.clone()].to_owned();
            list.range = range;
            for (key, what) in editor::front_matter_fields() {
                if present.contains(&key) && key != own {
                    continue;
                }
                let item = CompletionItem {
                    insert_text: (!has_value).then(|| format!("{key}: ")),
                    ..about(Some(what))
                };
                list.add(key, CompletionItemKind::PROPERTY, item);
            }
        }
        Cursor::Value { key, range } => {
            list.range = range;
            front_matter_value(list, context, &key, offset);
        }
        Cursor::Tag { range, is_closing } => {
            list.range = range;
            tag(list, offset, is_closing);
        }
        Cursor::Prop {
            component,
            range,
            present,
            has_value,
        } => {
            list.range = range;
            let docs = component_docs();
            let docs = docs.iter().find(|docs| docs.name == component);
            let props = docs.map(|docs| &docs.props[..]).unwrap_or_default();
            for (prop, what) in props {
                if present.iter().any(|known| known == prop) {
                    continue;
                }
                match has_value {
                    true => list.add(prop, CompletionItemKind::FIELD, about(Some(what))),
                    false => {
                        let snippet = (format!("{prop}=\"$1\"$0"), *prop);
                        list.add_snippet(
                            prop,
                            CompletionItemKind::FIELD,
                            snippet,
                            about(Some(what)),
                        );
                    }
                }
            }
        }
        Cursor::PropValue {
            component,
            prop,
            range,
        } => {
            list.range = range;
            prop_value(list, context, path, (&component, &prop), offset);
        }
        Cursor::Link { range } => {
            list.range = range;
            link(list, context, path, offset);
        }
        Cursor::Import { range } => {
            list.range = range;
            let typed = list.typed(offset).trim_start_matches(['.', '/']).to_owned();
            let (db, site) = context;
            for file in editor::modules_named(db, site, &typed, MAX_ITEMS) {
                list.add(
                    &format!("/{file}"),
                    CompletionItemKind::FILE,
                    CompletionItem::default(),
                );
            }
        }
        Cursor::Heading { .. } | Cursor::Other => {}
    }
}

fn tag(list: &mut List<'_>, offset: usize, is_closing: bool) {
    let text = list.text.as_str();
    let start = list.range.start;
    if is_closing {
        let open = cursor::open_elements(text, start.saturating_sub(2));
        let ends = text[list.range.end..].starts_with('>');
        if let Some(name) = open.last() {
            let end = if ends { "" } else { ">" };
            let item = CompletionItem {
                insert_text: Some(format!("{name}{end}")),
                ..CompletionItem::default()
            };
            list.add(name, CompletionItemKind::CLASS, item);
        }
        return;
    }
    // The name alone is completed where props or an end follow.
    let is_whole = !text[list.range.end..].starts_with([' ', '>', '/', '\t']);
    let open = cursor::open_elements(text, offset.saturating_sub(1));
    let inner = open.last().map(String::as_str).unwrap_or_default();
    let mut docs = component_docs();
    // Children of the element around come first: `<Tab>` in `<Tabs>`.
    let is_child = |docs: &ComponentDocs| {
        let parents = [("Tab", "Tabs"), ("Step", "Steps"), ("Card", "CardGroup")];
        let parents = [&parents[..], &[("Accordion", "AccordionGroup")]].concat();
        parents.contains(&(docs.name, inner))
    };
    docs.sort_by_key(|docs| !is_child(docs));
    for docs in docs {
        let name = docs.name;
        let item = CompletionItem {
            detail: Some(docs.about.replace('`', "")),
            documentation: Some(markdown(component_text(&docs))),
            ..CompletionItem::default()
        };
        let is_single = docs
            .example
            .is_some_and(|example| !example.contains(&format!("</{name}>")));
        match is_whole {
            false => list.add(name, CompletionItemKind::CLASS, item),
            true => {
                let snippet = match is_single {
                    true => format!("{name} $1/>$0"),
                    false => format!("{name}$1>$0</{name}>"),
                };
                list.add_snippet(name, CompletionItemKind::CLASS, (snippet, name), item);
            }
        }
    }
}

/// Description of a component for people: what it is, its props, an example.
pub(crate) fn component_text(docs: &ComponentDocs) -> String {
    let mut text = docs.about.to_owned();
    if !docs.props.is_empty() {
        text.push_str("\n\n");
        for (prop, what) in &docs.props {
            text.push_str(&format!("- `{prop}`: {what}\n"));
        }
    }
    if let Some(example) = docs.example {
        text.push_str(&format!("\n```mdx\n{example}\n```\n"));
    }
    text
}

fn prop_value(
    list: &mut List<'_>,
    context: (&dyn Db, Site),
    path: &SitePath,
    (component, prop): (&str, &str),
    offset: usize,
) {
    if prop == "icon" {
        icons(list, context, offset);
    } else if ADDRESSES.contains(&prop) {
        link(list, context, path, offset);
    } else {
        let docs = component_docs();
        let docs = docs.iter().find(|docs| docs.name == component);
        let props = docs.map(|docs| &docs.props[..]).unwrap_or_default();
        let what = props.iter().find(|(name, _)| *name == prop);
        for word in what.map(|(_, what)| words_of(what)).unwrap_or_default() {
            list.add(
                word,
                CompletionItemKind::ENUM_MEMBER,
                CompletionItem::default(),
            );
        }
    }
}

/// Returns the values that a description names in backticks.
fn words_of(about: &str) -> Vec<&str> {
    let named = about.split('`').skip(1).step_by(2);
    let is_word = |word: &&str| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    };
    named.filter(is_word).collect()
}

fn icons(list: &mut List<'_>, (db, site): (&dyn Db, Site), offset: usize) {
    let typed = list.typed(offset).to_lowercase();
    let names = editor::icons(db, site);
    let (begin, within): (Vec<&str>, Vec<&str>) = names
        .into_iter()
        .filter(|name| name.contains(&typed))
        .partition(|name| name.starts_with(&typed));
    for name in begin.into_iter().chain(within) {
        list.add(name, CompletionItemKind::COLOR, CompletionItem::default());
    }
}

fn link(list: &mut List<'_>, context: (&dyn Db, Site), path: &SitePath, offset: usize) {
    let (db, site) = context;
    let typed = list.typed(offset).to_owned();
    if typed.contains("://") || typed.starts_with("mailto:") {
        return;
    }
    if let Some((page, _)) = typed.split_once('#') {
        let href = match page.is_empty() {
            true => "#",
            false => page,
        };
        let Some(place) = LinkedPlace::of(path, href) else {
            return;
        };
        let Some(PageId::File(file)) = editor::page_at(db, site, &place.route) else {
            return;
        };
        for anchor in site::page_anchors(db, file) {
            let label = format!("{page}#{anchor}");
            list.add(
                &label,
                CompletionItemKind::REFERENCE,
                CompletionItem::default(),
            );
        }
        return;
    }
    let is_relative = typed.starts_with('.');
    let part = typed.trim_start_matches(['.', '/']);
    for page in pages_named(db, site, part, MAX_ITEMS + 1) {
        let label = match is_relative {
            true => relative(path, &page.route),
            false => page.route.as_str().to_owned(),
        };
        let item = CompletionItem {
            // Titles find a page as well as its address does.
            filter_text: Some(format!("{label} {}", page.label)),
            ..detail(page.label)
        };
        list.add(&label, CompletionItemKind::FILE, item);
    }
    if typed.starts_with('/') {
        for file in editor::assets_named(db, site, part, MAX_ITEMS) {
            list.add(&file, CompletionItemKind::FILE, CompletionItem::default());
        }
    }
}

/// Returns the relative address of `route` from the page at `path`.
fn relative(path: &SitePath, route: &Route) -> String {
    let mut from: Vec<&str> = path.folder().split('/').filter(|s| !s.is_empty()).collect();
    let to: Vec<&str> = route
        .as_str()
        .split('/')
        .filter(|s| !s.is_empty())
        .collect();
    let same = (from.iter().zip(&to)).take_while(|(a, b)| a == b).count();
    let same = same.min(to.len().saturating_sub(1));
    from.drain(..same);
    let up = match from.len() {
        0 => "./".to_owned(),
        levels => "../".repeat(levels),
    };
    format!("{up}{}", to[same..].join("/"))
}

fn front_matter_value(list: &mut List<'_>, context: (&dyn Db, Site), key: &str, offset: usize) {
    let (db, site) = context;
    let typed = list.typed(offset).to_lowercase();
    match key {
        "icon" => icons(list, context, offset),
        "openapi" => operations(list, context, &typed),
        "openapi-schema" => {
            for (spec, names) in editor::schemas(db, site) {
                for name in names {
                    if name.to_lowercase().contains(&typed) {
                        list.add(&name, CompletionItemKind::STRUCT, detail(spec.as_str()));
                    }
                }
            }
        }
        _ => {
            let mut fields = editor::front_matter_fields();
            let what = fields.find(|(name, _)| *name == key);
            for word in what.map(|(_, what)| words_of(what)).unwrap_or_default() {
                list.add(
                    word,
                    CompletionItemKind::ENUM_MEMBER,
                    CompletionItem::default(),
                );
            }
        }
    }
}

fn operations(list: &mut List<'_>, (db, site): (&dyn Db, Site), typed: &str) {
    let several = catalog_specs(db, site).len() > 1;
    for operation in editor::operations(db, site) {
        let label = match several {
            true => format!("{} {}", operation.spec, operation.name),
            false => operation.name,
        };
        let is_named =
            label.to_lowercase().contains(typed) || operation.title.to_lowercase().contains(typed);
        if is_named {
            let item = CompletionItem {
                filter_text: Some(format!("{label} {}", operation.title)),
                deprecated: operation.is_deprecated.then_some(true),
                ..detail(operation.title)
            };
            list.add(&label, CompletionItemKind::METHOD, item);
        }
    }
}

fn in_config(list: &mut List<'_>, context: (&dyn Db, Site), offset: usize) {
    let (db, site) = context;
    let Some(cursor) = json::at(list.text.as_str(), offset) else {
        return;
    };
    list.range = cursor.range.clone();
    let quoted = |word: &str| match cursor.is_quoted {
        true => word.to_owned(),
        false => format!("\"{word}\""),
    };
    if cursor.is_key {
        for field in config_fields(&cursor.way, &cursor.siblings) {
            if cursor.siblings.contains(&field.key) {
                continue;
            }
            let text = match cursor.has_value || cursor.is_quoted {
                true => quoted(&field.key),
                false => format!("{}: ", quoted(&field.key)),
            };
            let item = CompletionItem {
                insert_text: Some(text),
                filter_text: Some(quoted(&field.key)),
                ..about(field.about)
            };
            list.add(&field.key, CompletionItemKind::PROPERTY, item);
        }
        return;
    }
    let key = cursor.key.as_deref();
    let add = |list: &mut List<'_>, word: &str, kind, item: CompletionItem| {
        let item = CompletionItem {
            insert_text: Some(quoted(word)),
            filter_text: Some(quoted(word)),
            ..item
        };
        list.add(word, kind, item);
    };
    let typed = list.typed(offset).to_owned();
    let within = cursor.way.last().map(String::as_str);
    match (key, within) {
        (Some("icon"), _) | (Some("name"), Some("icon")) => {
            let names = editor::icons(db, site);
            for name in names.into_iter().filter(|name| name.contains(&typed)) {
                add(
                    list,
                    name,
                    CompletionItemKind::COLOR,
                    CompletionItem::default(),
                );
            }
        }
        (None, Some("pages")) | (Some("root"), _) => {
            for page in pages_named(db, site, typed.trim_start_matches('/'), MAX_ITEMS + 1) {
                // Pages of specifications are listed by the specification.
                if let PageId::File(file) = page.page {
                    let stem = file.path(db).stem().to_owned();
                    add(list, &stem, CompletionItemKind::FILE, detail(page.label));
                }
            }
        }
        (Some("openapi" | "asyncapi" | "source"), _) | (None, Some("openapi" | "asyncapi")) => {
            for spec in catalog_specs(db, site) {
                add(
                    list,
                    &spec,
                    CompletionItemKind::FILE,
                    CompletionItem::default(),
                );
            }
        }
        (Some(key), _) => {
            for word in config_words(&cursor.way, key) {
                add(
                    list,
                    word,
                    CompletionItemKind::ENUM_MEMBER,
                    CompletionItem::default(),
                );
            }
        }
        (None, _) => {}
    }
}

/// References to data models of the same document.
fn in_spec(list: &mut List<'_>, (db, site): (&dyn Db, Site), path: &SitePath, offset: usize) {
    let Some(range) = reference_at(list.text.as_str(), offset) else {
        return;
    };
    list.range = range;
    let all = editor::schemas(db, site);
    let own = all.iter().find(|(spec, _)| spec == path);
    for name in own.map(|(_, names)| &names[..]).unwrap_or_default() {
        let escaped = name.replace('~', "~0").replace('/', "~1");
        let label = format!("#/components/schemas/{escaped}");
        list.add(
            &label,
            CompletionItemKind::STRUCT,
            CompletionItem::default(),
        );
    }
}

/// Returns the range of the value of the `$ref` at `offset`, without quotes.
pub(crate) fn reference_at(text: &str, offset: usize) -> Option<Range<usize>> {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = text[offset..]
        .find('\n')
        .map_or(text.len(), |at| offset + at);
    let line = &text[start..end];
    let at = line.find("$ref")? + 4;
    let rest = line[at..].trim_start_matches(['"', '\'']).trim_start();
    let value = rest
        .strip_prefix(':')?
        .trim_start()
        .trim_start_matches(['"', '\'']);
    let from = start + line.len() - value.len();
    let len = value
        .find(['"', '\'', ' ', '}', ',', '\r'])
        .unwrap_or(value.len());
    (from <= offset && offset <= from + len).then_some(from..from + len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_addresses_lead_to_their_pages() {
        let cases = [
            ("a/b.mdx", "/a/c", "./c"),
            ("a/b.mdx", "/d/e", "../d/e"),
            ("b.mdx", "/d/e", "./d/e"),
            ("a/x/b.mdx", "/a/c", "../c"),
            ("a/b.mdx", "/a", "../a"),
        ];
        for (path, route, expected) in cases {
            let path = SitePath::new(path).expect("a path");
            let route = Route::new(route).expect("a route");
            let href = relative(&path, &route);
            assert_eq!(href, expected);
            let place = LinkedPlace::of(&path, &href).expect("a place");
            assert_eq!(place.route, route, "{href}");
        }
    }

    #[test]
    fn references_are_found_in_both_formats() {
        for marked in [
            "  $ref: '#/comp|'",
            "\"$ref\": \"#/comp|\"",
            "$ref: #/comp|",
        ] {
            let offset = marked.find('|').expect("a mark");
            let text = marked.replacen('|', "", 1);
            let range = reference_at(&text, offset).expect("a reference");
            assert_eq!(&text[range], "#/comp", "{marked}");
        }
    }
}
