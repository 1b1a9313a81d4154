//! Reads the navigation: which fields an element has, and which of its children win.

use serde_json::Value;

use crate::api::SpecSource;
use crate::decode::{Decode, Fields, Href, Log, Node};
use crate::navigation::{
    Child, Element, MAX_CHOICES, NavigationConfig, NodeKind, PageEntries, Scope, SpecReference,
    child_keys,
};
use base::data::pointer;
use base::diagnostic::Code;
use base::place::Part;

/// Deepest nesting of elements that is read.
const MAX_DEPTH: usize = 24;

impl Decode for NavigationConfig {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        let mut fields = node.fields(log)?;
        let scope = scope(&mut fields, None);
        let global = global(&mut fields);
        let (children, _) = children(&mut fields, None, &scope, 0);
        fields.finish();
        Some(Self {
            scope,
            global,
            children,
        })
    }
}

/// Reads an element of a known kind. `None` only if it is no object or stands for something that is not here.
fn element(node: &Node<'_>, kind: NodeKind, log: &mut Log<'_>, depth: usize) -> Option<Element> {
    if is_untrusted(node, log) {
        return None;
    }
    if depth > MAX_DEPTH {
        let message = format!("navigation elements nest deeper than {MAX_DEPTH}");
        node.complain(log, message, None);
        return None;
    }
    let mut fields = node.fields(log)?;
    let label = label(&mut fields, kind);
    let scope = scope(&mut fields, Some(kind));
    let global = global(&mut fields);
    let (children, href) = children(&mut fields, Some(kind), &scope, depth);
    let is_language = kind == NodeKind::Language;
    let element = Element {
        kind,
        label,
        name: (kind == NodeKind::Product)
            .then(|| fields.optional("name"))
            .flatten(),
        icon: fields.optional("icon"),
        root: fields.optional("root"),
        href,
        tag: fields.optional("tag"),
        expanded: fields.optional("expanded"),
        align: fields.optional("align"),
        color: fields.optional("color"),
        description: fields.optional("description"),
        default: fields.optional("default"),
        banner: is_language.then(|| fields.optional("banner")).flatten(),
        footer: is_language.then(|| fields.optional("footer")).flatten(),
        navbar: is_language.then(|| fields.optional("navbar")).flatten(),
        scope,
        global,
        children,
    };
    fields.finish();
    Some(element)
}

/// Returns true, and reports it, if the node names content of another git repository.
fn is_untrusted(node: &Node<'_>, log: &mut Log<'_>) -> bool {
    let is_untrusted = node.value.get("sourceRef").is_some();
    if is_untrusted {
        let message = "`sourceRef` names another repository, which is not read; it is left out";
        let pointer = format!("{}/sourceRef", node.pointer);
        log.report(
            Code::UnknownField,
            &pointer,
            Part::Key,
            message.to_owned(),
            None,
        );
    }
    is_untrusted
}

fn label(fields: &mut Fields<'_, '_, '_>, kind: NodeKind) -> String {
    let Some(node) = fields.node(kind.word()) else {
        if !fields.has(kind.word()) {
            fields.missing(kind.word());
        }
        return String::new();
    };
    let label = String::decode(&node, fields.log).unwrap_or_default();
    if kind == NodeKind::Language && !is_language_code(&label) && node.value.is_string() {
        let message = format!("`{label}` is not the code of a language");
        let hint = "use a code such as `en`, `pt-BR` or `zh-Hans`".to_owned();
        node.complain(fields.log, message, Some(hint.into()));
    }
    label
}

/// Returns true if `code` has the form of a language tag (RFC 5646): two or three letters, then
/// parts of 2 to 8 characters.
fn is_language_code(code: &str) -> bool {
    let mut parts = code.split('-');
    let language = parts.next().unwrap_or("");
    matches!(language.len(), 2 | 3)
        && language.bytes().all(|byte| byte.is_ascii_alphabetic())
        && parts.all(|part| {
            matches!(part.len(), 2..=8) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

fn scope(fields: &mut Fields<'_, '_, '_>, kind: Option<NodeKind>) -> Scope {
    Scope {
        openapi: specs(fields, "openapi"),
        asyncapi: specs(fields, "asyncapi"),
        graphql: specs(fields, "graphql"),
        sdk: fields.optional("sdk"),
        // On a version this is its label.
        version: (kind != Some(NodeKind::Version))
            .then(|| fields.optional("version"))
            .flatten(),
        hidden: fields.optional("hidden"),
        public: fields.optional("public"),
        boost: fields.optional("boost"),
        searchable: fields.optional("searchable"),
        directory: fields.optional("directory"),
    }
}

/// The specifications that the field `key` names: one or a list, each a path or address or an object.
pub(crate) fn specs(fields: &mut Fields<'_, '_, '_>, key: &'static str) -> Vec<SpecReference> {
    let Some(node) = fields.node(key) else {
        return Vec::new();
    };
    let log = &mut *fields.log;
    let items = match node.value {
        Value::Array(_) => node.items(log).unwrap_or_default(),
        _ => vec![node],
    };
    let specs = items.iter().filter_map(|item| {
        let spec = SpecSource::decode(item, log)?;
        let place = match item.value {
            Value::Object(_) => log
                .document
                .place(&format!("{}/source", item.pointer), Part::Value),
            _ => log.document.place(&item.pointer, Part::Value),
        };
        let overlays = spec.overlays.iter().flatten().enumerate().map(|(i, _)| {
            let pointer = format!("{}/overlays/{i}", item.pointer);
            log.document.place(&pointer, Part::Value)
        });
        Some(SpecReference {
            place,
            overlays: overlays.collect(),
            spec,
        })
    });
    specs.collect()
}

/// Links that are shown everywhere; they lead somewhere and hold nothing.
fn global(fields: &mut Fields<'_, '_, '_>) -> Vec<Element> {
    let Some(node) = fields.node("global") else {
        return Vec::new();
    };
    let Some(mut fields) = node.fields(fields.log) else {
        return Vec::new();
    };
    let mut elements = Vec::new();
    for key in [
        "languages",
        "versions",
        "tabs",
        "dropdowns",
        "anchors",
        "products",
    ] {
        let Some(list) = fields.node(key) else {
            continue;
        };
        let kind = NodeKind::listed_under(key).expect("each of these keys lists a kind");
        let mut count = ChoiceCount::default();
        for item in list.items(fields.log).unwrap_or_default() {
            let Some(mut element) = element(&item, kind, fields.log, 0) else {
                continue;
            };
            if item.value.get("href").is_none() {
                let message = "`href` is missing here: a global element is a link".to_owned();
                fields
                    .log
                    .report(Code::MissingField, &item.pointer, Part::Key, message, None);
            }
            element.children.clear();
            count.add(&element, &item, key, fields.log);
            elements.push(element);
        }
    }
    fields.finish();
    elements
}

/// Counts what a reader chooses from in one list.
#[derive(Default)]
struct ChoiceCount(usize);

impl ChoiceCount {
    /// Counts an element of the list `key`. The first that is too many is reported.
    fn add(&mut self, element: &Element, item: &Node<'_>, key: &str, log: &mut Log<'_>) {
        if !element.kind.is_switch() || element.scope.hidden == Some(true) {
            return;
        }
        self.0 += 1;
        if self.0 == MAX_CHOICES + 1 {
            let message = format!(
                "at most {MAX_CHOICES} elements of `{key}` are shown, among them the one whose page is open"
            );
            let hint =
                "put them into groups; pages that no header leads to are still found by search";
            log.report(
                Code::TooManyChoices,
                &item.pointer,
                Part::Value,
                message,
                Some(hint.into()),
            );
        }
    }
}

/// The children of an element, or where it leads. Of several keys the first of [`child_keys`] is used, the others are
/// reported.
fn children(
    fields: &mut Fields<'_, '_, '_>,
    kind: Option<NodeKind>,
    scope: &Scope,
    depth: usize,
) -> (Vec<Child>, Option<Href>) {
    let mut chosen_key: Option<&str> = None;
    let (mut children, mut href) = (Vec::new(), None);
    for &key in child_keys(kind) {
        let Some(node) = fields.node(key) else {
            continue;
        };
        // An empty list hides nothing.
        if node.value.as_array().is_some_and(Vec::is_empty) {
            continue;
        }
        let winner = match chosen_key {
            None if key == "href" && kind == Some(NodeKind::Tab) && !scope.openapi.is_empty() => {
                Some("openapi")
            }
            None if key == "href" && kind == Some(NodeKind::Tab) && !scope.asyncapi.is_empty() => {
                Some("asyncapi")
            }
            chosen_key => chosen_key,
        };
        if let Some(winner) = winner {
            let message = format!("`{key}` is ignored here, because `{winner}` is used");
            let hint = format!("an element has children of one kind; remove `{key}` or `{winner}`");
            log_extra(fields, &node, message, hint);
            continue;
        }
        match key {
            "href" => {
                href = link(&node, fields.log);
                chosen_key = href.is_some().then_some(key);
            }
            "pages" => {
                children = entries(&node, fields.log, depth + 1);
                chosen_key = Some(key);
            }
            _ => {
                let Some(kind) = NodeKind::listed_under(key) else {
                    continue;
                };
                let mut count = ChoiceCount::default();
                for item in node.items(fields.log).unwrap_or_default() {
                    let Some(element) = element(&item, kind, fields.log, depth + 1) else {
                        continue;
                    };
                    count.add(&element, &item, key, fields.log);
                    children.push(Child::Element(Box::new(element)));
                }
                chosen_key = Some(key);
            }
        }
    }
    (children, href)
}

fn log_extra(fields: &mut Fields<'_, '_, '_>, node: &Node<'_>, message: String, hint: String) {
    fields.log.report(
        Code::ExtraChildren,
        &node.pointer,
        Part::Key,
        message,
        Some(hint.into()),
    );
}

/// The entries of `pages`: texts and groups.
fn entries(node: &Node<'_>, log: &mut Log<'_>, depth: usize) -> Vec<Child> {
    let Some(items) = node.value.as_array() else {
        node.reject(log, "a list");
        return Vec::new();
    };
    // Where every item was written in the list itself, the place of one tells that of the next.
    let is_whole = log.document.is_whole(&node.pointer);
    let mut children: Vec<Child> = Vec::new();
    let mut is_open = false;
    for (index, value) in items.iter().enumerate() {
        if let Value::String(text) = value {
            match children.last_mut() {
                Some(Child::Pages(entries)) if is_open => entries.push(text),
                _ => {
                    let pointer = pointer::item(&node.pointer, index);
                    let place = log.document.place(&pointer, Part::Value);
                    children.push(Child::Pages(PageEntries::new(text, place)));
                }
            }
            is_open = is_whole;
            continue;
        }
        is_open = false;
        let pointer = pointer::item(&node.pointer, index);
        if log.document.is_broken(&pointer) {
            continue;
        }
        let item = Node { value, pointer };
        children.extend(group(&item, log, depth).map(|group| Child::Element(Box::new(group))));
    }
    children
}

/// The group that an item of `pages` is which is no text.
fn group(item: &Node<'_>, log: &mut Log<'_>, depth: usize) -> Option<Element> {
    match item.value {
        Value::Object(members) => {
            let other = NodeKind::ALL.iter().find(|(word, kind)| {
                kind.is_switch() && *word != "version" && members.contains_key(*word)
            });
            if let Some((word, _)) = other
                && !members.contains_key("group")
            {
                let message = format!("`pages` holds pages and groups, not `{word}`");
                item.complain(log, message, None);
                return None;
            }
            element(item, NodeKind::Group, log, depth)
        }
        _ => {
            item.reject(log, "the path of a page or a group");
            None
        }
    }
}

/// Destination of a link: a path from the root, a fragment, or a URL.
fn link(node: &Node<'_>, log: &mut Log<'_>) -> Option<Href> {
    let href = Href::decode(node, log)?;
    let scheme = href.split(':').next().unwrap_or("");
    let has_scheme = scheme.len() < href.len()
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    if has_scheme || href.starts_with(['/', '#']) {
        return Some(href);
    }
    let hint = if href.contains('.') && !href.contains(' ') {
        format!("did you mean `https://{}`?", href.0)
    } else {
        format!("did you mean `/{}`?", href.0)
    };
    let message = format!(
        "`{}` is neither an address with a scheme nor a path from the root",
        href.0
    );
    node.complain(log, message, Some(hint.into()));
    None
}
