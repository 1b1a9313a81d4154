//! Merges what a component shows in several states, so that all of it can be read without a script: what a state adds
//! stands where it would appear, what it shows instead of something else stands after that, each once. A part that a
//! single control opens becomes `<details>`.
//!
//! Elements are the same if one expression made them. Their children are compared by position, as a list of JSX has a
//! fixed number of them: a part that is not shown is `false` there.

mod read;
mod same;
mod write;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::eval::{Value, is_handler};
use super::values::ElementValue;
use read::node;
pub(super) use same::same_value;
use write::values;

/// Elements that a reader operates: the words on them are those at first.
const CONTROLS: &[&str] = &["button", "input", "option", "select", "summary", "textarea"];
/// Elements whose text is code.
const CODE: &[&str] = &["CodeBlock", "Mermaid", "code", "pre"];
/// Maximum number of words of texts that stand in one line, one for each state.
const MAX_JOINED: usize = 12;
/// Number of different words from which on texts may be alike.
const MIN_COMPARED_WORDS: usize = 20;
/// Elements that show something without words.
const MEDIA: &[&str] = &["audio", "iframe", "img", "object", "video"];
/// Elements that stand in a line of text.
const INLINE: &[&str] = &[
    "a", "b", "code", "em", "i", "kbd", "mark", "small", "span", "strong",
];
/// Props of HTML elements that decide what they show; others are about looks and behavior.
const CONTENT_PROPS: &[&str] = &["alt", "href", "poster", "src", "srcSet"];
/// Utility classes that hide an element.
const HIDING: &[&str] = &[
    "grid-rows-[0fr]",
    "h-0",
    "hidden",
    "invisible",
    "max-h-0",
    "opacity-0",
    "scale-0",
    "sr-only",
];

/// A function that an event or a hook calls, with what it may be given.
#[derive(Clone, Debug)]
pub(super) struct Handler {
    /// Path of the element in the tree.
    pub(super) path: u64,
    pub(super) function: Value,
    pub(super) events: Vec<Value>,
}

/// What differs between a state and that at first.
#[derive(Clone, Debug, Default)]
pub(super) struct Change {
    /// Path of the element whose handler led to it by setting one state that was not set.
    opened_by: Option<u64>,
    /// Whether only numbers differ: results of sums are no text of the author's.
    is_numeric: bool,
    /// The number at first and now, if it is one: the order of slides.
    order: Option<(f64, f64)>,
}

impl Change {
    /// The change of `states`: pairs of the values at first and now.
    pub(super) fn new(states: &[(Value, Value)]) -> Self {
        let order = match states {
            [(Value::Number(before), Value::Number(now))] => Some((*before, *now)),
            _ => None,
        };
        let is_number = |(_, now): &(Value, Value)| matches!(now, Value::Number(_));
        Self {
            opened_by: None,
            is_numeric: states.iter().all(is_number),
            order,
        }
    }

    /// Notes that a handler of the element at `path` made the change of `states`.
    pub(super) fn set_trigger(&mut self, path: u64, states: &[(Value, Value)]) {
        if let [(before, now)] = states
            && before.is_nullish() | matches!(before, Value::Bool(false))
            && now.is_truthy()
        {
            self.opened_by = Some(path);
        }
    }
}

/// What a component shows, in one state or in several.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    root: Vec<Slot>,
    has_grown: bool,
}

#[derive(Clone, Debug)]
enum Node {
    /// Shows nothing.
    Nothing,
    Text(Rc<str>),
    Html(Rc<str>),
    List(Vec<Node>),
    Element(Box<Shown>),
}

#[derive(Clone, Debug)]
struct Shown {
    element: Rc<ElementValue>,
    props: Vec<(Rc<str>, Value)>,
    slots: Vec<Slot>,
    path: u64,
    handlers: Vec<Handler>,
}

/// A place among the children of an element.
#[derive(Clone, Debug)]
struct Slot {
    /// Number of children in one state.
    span: usize,
    /// What different states show there; at least one.
    variants: Vec<Variant>,
    /// Whether the slot before opens it.
    is_opened: bool,
}

#[derive(Clone, Debug)]
struct Variant {
    order: Option<f64>,
    nodes: Vec<Node>,
}

/// How a node of another state relates to what is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// Shows nothing new.
    Covered,
    /// Shows more.
    Grows,
    /// Shows something else, somewhere within the same element.
    Inner,
    /// Is something else.
    Other,
}

impl Tree {
    /// The tree of one state; `path` identifies its root.
    pub(super) fn new(value: &Value, path: u64) -> Self {
        Self {
            root: vec![Slot::new(node(value, path))],
            has_grown: false,
        }
    }

    /// All handlers, in order.
    pub(super) fn handlers(&self) -> Vec<Handler> {
        let mut handlers = Vec::new();
        self.root
            .iter()
            .for_each(|slot| slot.push_handlers(&mut handlers));
        handlers
    }

    /// Adds what another state shows; returns the handlers of what is new, or `None` if nothing is.
    pub(super) fn merge(&mut self, other: Self, change: Change) -> Option<Vec<Handler>> {
        let mut merge = Merge {
            change,
            comparisons_left: Cell::new(MAX_FITS),
            grafted: Vec::new(),
            has_grown: false,
        };
        let nodes = other.root.into_iter().flat_map(Slot::into_nodes).collect();
        merge.slots(&mut self.root, nodes, false);
        self.has_grown |= merge.has_grown;
        merge.has_grown.then_some(merge.grafted)
    }

    /// The value to render; `None` if no state added anything.
    pub(super) fn into_value(self) -> Option<Value> {
        self.has_grown.then(|| match values(self.root) {
            values if values.len() == 1 => values.into_iter().next().unwrap_or(Value::Undefined),
            values => Value::Array(values.into()),
        })
    }
}

impl Slot {
    fn new(node: Node) -> Self {
        let variant = Variant {
            order: None,
            nodes: vec![node],
        };
        Self {
            span: 1,
            variants: vec![variant],
            is_opened: false,
        }
    }

    /// The children of one state.
    fn into_nodes(self) -> Vec<Node> {
        let first = self.variants.into_iter().next();
        first.map_or_else(Vec::new, |variant| variant.nodes)
    }

    fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.variants.iter().flat_map(|variant| &variant.nodes)
    }

    fn push_handlers(&self, handlers: &mut Vec<Handler>) {
        self.nodes().for_each(|node| node.push_handlers(handlers));
    }

    fn is_empty(&self) -> bool {
        !self.nodes().any(Node::shows)
    }
}

impl Node {
    fn push_handlers(&self, handlers: &mut Vec<Handler>) {
        match self {
            Self::List(items) => items.iter().for_each(|item| item.push_handlers(handlers)),
            Self::Element(shown) => {
                handlers.extend(shown.handlers.iter().cloned());
                shown
                    .slots
                    .iter()
                    .for_each(|slot| slot.push_handlers(handlers));
            }
            Self::Nothing | Self::Text(_) | Self::Html(_) => {}
        }
    }

    /// Returns true if a reader loses something without it.
    fn shows(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Text(text) => text.contains(char::is_alphanumeric),
            Self::Html(html) => html_shows(html),
            Self::List(items) => items.iter().any(Self::shows),
            Self::Element(shown) => {
                let name = &*shown.element.name;
                let is_component = shown.element.snippet.is_some()
                    || name.starts_with(|c: char| c.is_ascii_uppercase()) && name != "Icon";
                MEDIA.contains(&name)
                    || is_component
                    || shown.slots.iter().any(|slot| !slot.is_empty())
            }
        }
    }

    fn is_inline(&self) -> bool {
        match self {
            Self::Text(_) => true,
            Self::Element(shown) => INLINE.contains(&&*shown.element.name),
            _ => false,
        }
    }

    /// Returns true if the element at `path` is it or in it.
    fn holds(&self, path: u64) -> bool {
        match self {
            Self::List(items) => items.iter().any(|item| item.holds(path)),
            Self::Element(shown) => {
                shown.path == path
                    || (shown.slots.iter()).any(|slot| slot.nodes().any(|node| node.holds(path)))
            }
            _ => false,
        }
    }
}

/// Returns true if HTML has words or pictures.
fn html_shows(html: &str) -> bool {
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        if rest[..start].contains(char::is_alphanumeric) {
            return true;
        }
        let tag = &rest[start + 1..];
        let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next();
        if name.is_some_and(|name| MEDIA.contains(&name)) {
            return true;
        }
        rest = tag.find('>').map_or("", |end| &tag[end + 1..]);
    }
    rest.contains(char::is_alphanumeric)
}

/// Maximum number of comparisons for one state.
const MAX_FITS: u32 = 200_000;

/// One step of merging.
struct Merge {
    change: Change,
    /// Comparisons that may still be made; without any, nothing is new.
    comparisons_left: Cell<u32>,
    grafted: Vec<Handler>,
    has_grown: bool,
}

impl Merge {
    /// How `other` fits to `node`; within a control everything is about the control.
    fn fit(&self, node: &Node, other: &Node, is_control: bool) -> Fit {
        let left = self.comparisons_left.get();
        self.comparisons_left.set(left.saturating_sub(1));
        if left == 0 {
            return Fit::Covered;
        }
        if is_control || !other.shows() {
            return match (node, other) {
                (Node::Element(shown), Node::Element(other)) if reveals(shown, other) => Fit::Grows,
                _ => Fit::Covered,
            };
        }
        match (node, other) {
            (Node::Text(text), Node::Text(other)) => match self.is_same_text(text, other) {
                true => Fit::Covered,
                false => Fit::Other,
            },
            (Node::Html(html), Node::Html(other)) if html == other => Fit::Covered,
            (Node::List(items), Node::List(others)) => self.fit_list(items, others),
            (Node::Element(shown), Node::Element(other)) if is_same(shown, other) => {
                let within = self.fit_slots(shown, &other.slots);
                match within {
                    Fit::Covered if reveals(shown, other) => Fit::Grows,
                    Fit::Other | Fit::Inner
                        if &*shown.element.name == "pre" || are_panels(shown, other) =>
                    {
                        Fit::Other
                    }
                    Fit::Other => Fit::Inner,
                    within => within,
                }
            }
            (node, _) if !node.shows() && !matches!(node, Node::Element(_)) => Fit::Grows,
            _ => Fit::Other,
        }
    }

    fn fit_list(&self, items: &[Node], others: &[Node]) -> Fit {
        let mut next = 0;
        let fits = others.iter().enumerate().map(|(at, other)| {
            if let Some(found) = self.covering(items, other, next) {
                next = found + 1;
                return Fit::Covered;
            }
            match items.get(at) {
                Some(item) if items.len() == others.len() => {
                    self.fit(item, other, false).max(Fit::Grows)
                }
                _ => Fit::Grows,
            }
        });
        match fits.max().unwrap_or(Fit::Covered) {
            // An item is one more then.
            Fit::Other => Fit::Grows,
            fit => fit,
        }
    }

    /// The item that shows what `other` does, by its index; `next` is looked at first.
    fn covering(&self, items: &[Node], other: &Node, next: usize) -> Option<usize> {
        let order = (next..items.len()).chain(0..next.min(items.len()));
        let mut order = order.filter(|at| self.fit(&items[*at], other, false) == Fit::Covered);
        order.next()
    }

    fn fit_nodes(&self, nodes: &[Node], others: &[&Node], is_control: bool) -> Fit {
        let pairs = nodes.iter().zip(others);
        let fits = pairs.map(|(node, other)| self.fit(node, other, is_control));
        fits.max().unwrap_or(Fit::Covered)
    }

    fn fit_slots(&self, shown: &Shown, others: &[Slot]) -> Fit {
        let is_control = is_control(&shown.element);
        let others: Vec<&Node> = others.iter().flat_map(Slot::nodes).collect();
        let mut at = 0;
        let fits = shown.slots.iter().map(|slot| {
            let range = others.get(at..at + slot.span).unwrap_or_default();
            at += slot.span;
            self.fit_slot(slot, range, is_control).0
        });
        fits.max().unwrap_or(Fit::Covered)
    }

    /// The best fit of the variants of `slot`, and which it is.
    fn fit_slot(&self, slot: &Slot, others: &[&Node], is_control: bool) -> (Fit, usize) {
        let fits = slot.variants.iter().enumerate();
        let fits =
            fits.map(|(at, variant)| (self.fit_nodes(&variant.nodes, others, is_control), at));
        fits.min().unwrap_or((Fit::Other, 0))
    }

    fn is_same_text(&self, text: &str, other: &str) -> bool {
        let is_result = self.change.is_numeric && words(text).eq(words(other));
        text.trim() == other.trim() || is_result || is_alike(text, other)
    }

    /// Merges the children `others` of the same element.
    fn slots(&mut self, slots: &mut Vec<Slot>, others: Vec<Node>, is_control: bool) {
        let mut ranges = Vec::with_capacity(slots.len());
        let mut rest = others.iter();
        for slot in &*slots {
            let range: Vec<&Node> = rest.by_ref().take(slot.span).collect();
            ranges.push(self.fit_slot(slot, &range, is_control));
        }
        let differs = |at: &usize| ranges[*at].0 >= Fit::Inner;
        let first = (0..slots.len()).find(differs);
        let last = (0..slots.len()).rev().find(differs);
        let mut fused = None;
        // A title and a text that change together stay together.
        if let (Some(first), Some(last)) = (first, last)
            && first < last
            && slots[first..=last]
                .iter()
                .all(|slot| slot.variants.len() == 1)
        {
            let span = slots[first..=last].iter().map(|slot| slot.span).sum();
            let whole = slots.splice(first..=last, [Slot::new(Node::Nothing)]);
            let nodes: Vec<Node> = whole.flat_map(Slot::into_nodes).collect();
            let slot = &mut slots[first];
            slot.span = span;
            slot.variants = vec![Variant {
                order: self.change.order.map(|(before, _)| before),
                nodes,
            }];
            ranges.splice(first..=last, [(Fit::Other, 0)]);
            fused = Some(first);
        }
        let mut others = others.into_iter();
        for (at, (fit, variant)) in ranges.into_iter().enumerate() {
            let nodes: Vec<Node> = others.by_ref().take(slots[at].span).collect();
            let (before, slot) = slots.split_at_mut(at);
            let Some(slot) = slot.first_mut() else {
                continue;
            };
            match fit {
                Fit::Covered => {}
                Fit::Inner | Fit::Other if slot.variants.len() > 1 || fit == Fit::Other => {
                    let is_empty = fused != Some(at) && slot.is_empty();
                    self.add(slot, nodes, is_empty);
                }
                Fit::Grows | Fit::Inner | Fit::Other => {
                    let was_empty = slot.is_empty() && slot.variants.len() == 1;
                    for (node, other) in slot.variants[variant].nodes.iter_mut().zip(nodes) {
                        self.node(node, other, is_control);
                    }
                    slot.is_opened |= was_empty && self.is_opened_by(before);
                }
            }
        }
    }

    /// Adds another variant to `slot`, in the order of what leads to them, or the first one.
    fn add(&mut self, slot: &mut Slot, nodes: Vec<Node>, is_first: bool) {
        self.has_grown = true;
        nodes
            .iter()
            .for_each(|node| node.push_handlers(&mut self.grafted));
        let order = self.change.order.map(|(_, now)| now);
        let variant = Variant { order, nodes };
        if is_first {
            slot.variants = vec![variant];
            return;
        }
        if let ([only], Some((before, _))) = (&mut *slot.variants, self.change.order) {
            only.order.get_or_insert(before);
        }
        let is_after = |known: &Variant| match (known.order, order) {
            (Some(known), Some(order)) => known > order,
            _ => false,
        };
        let at = slot.variants.iter().position(is_after);
        slot.variants
            .insert(at.unwrap_or(slot.variants.len()), variant);
    }

    fn node(&mut self, node: &mut Node, other: Node, is_control: bool) {
        match (node, other) {
            (Node::List(items), Node::List(others)) => self.list(items, others),
            (Node::Element(shown), Node::Element(other)) if is_same(shown, &other) => {
                if reveals(shown, &other) {
                    self.has_grown = true;
                    show(shown, &other);
                }
                let is_control = is_control || CONTROLS.contains(&&*shown.element.name);
                let others = other.slots.into_iter().flat_map(Slot::into_nodes).collect();
                self.slots(&mut shown.slots, others, is_control);
            }
            (node, other) => {
                if !is_control && !node.shows() && other.shows() {
                    self.has_grown = true;
                    other.push_handlers(&mut self.grafted);
                    *node = other;
                }
            }
        }
    }

    fn list(&mut self, items: &mut Vec<Node>, others: Vec<Node>) {
        let is_parallel = items.len() == others.len();
        let mut at = 0;
        for (index, other) in others.into_iter().enumerate() {
            if let Some(found) = self.covering(items, &other, at) {
                at = found + 1;
                continue;
            }
            if is_parallel
                && let Some(item) = items.get_mut(index)
                && self.fit(item, &other, false) < Fit::Other
            {
                self.node(item, other, false);
                at = index + 1;
                continue;
            }
            self.has_grown = true;
            other.push_handlers(&mut self.grafted);
            items.insert(at.min(items.len()), other);
            at += 1;
        }
    }

    /// Returns true if the control that led here is the last thing before a slot.
    fn is_opened_by(&self, before: &[Slot]) -> bool {
        let Some(path) = self.change.opened_by else {
            return false;
        };
        let last = before.iter().rev().find(|slot| !slot.is_empty());
        last.is_some_and(|slot| {
            !slot.is_opened && slot.variants.len() == 1 && slot.nodes().any(|node| node.holds(path))
        })
    }
}

/// The words of a text without its numbers.
fn words(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphabetic())
}

/// Returns true if what stands directly in both differs and is no word in a line: Markdown of the author's, code, a long
/// text. The elements are panels then, one after the other.
fn are_panels(shown: &Shown, other: &Shown) -> bool {
    let is_code = CODE.contains(&&*shown.element.name);
    let texts = |shown: &Shown| -> Vec<Rc<str>> {
        let nodes = shown.slots.iter().flat_map(Slot::nodes);
        let texts = nodes.filter_map(|node| match node {
            Node::Html(html) => Some(html.clone()),
            Node::Text(text) => {
                let is_long =
                    is_code || text.trim().contains('\n') || words_of(text).count() > MAX_JOINED;
                is_long.then(|| text.clone())
            }
            _ => None,
        });
        texts.collect()
    };
    let (known, new) = (texts(shown), texts(other));
    !known.is_empty() && new.iter().any(|text| !known.contains(text))
}

/// Returns true if a text says little that `text` does not: code that options are filled into.
fn is_alike(text: &str, other: &str) -> bool {
    let known: BTreeSet<&str> = words_of(text).collect();
    let words: BTreeSet<&str> = words_of(other).collect();
    let new = words.difference(&known).count();
    words.len() >= MIN_COMPARED_WORDS && new * 4 < words.len()
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

fn is_control(element: &ElementValue) -> bool {
    let has_role = matches!(
        element.prop("role"),
        Some(Value::Text(role)) if matches!(&**role, "button" | "tab" | "switch" | "option")
    );
    CONTROLS.contains(&&*element.name) || has_role
}

/// Returns true if one expression made both, with the same content besides children.
fn is_same(shown: &Shown, other: &Shown) -> bool {
    let (a, b) = (&shown.element, &other.element);
    let is_html = !a.name.starts_with(|c: char| c.is_ascii_uppercase()) && a.snippet.is_none();
    let is_content = |name: &&Rc<str>| match is_html {
        true => CONTENT_PROPS.contains(&&***name),
        false => !matches!(&***name, "key" | "ref" | "className" | "style") && !is_handler(name),
    };
    let names = a.props.iter().chain(&b.props).map(|(name, _)| name);
    let is_equal = |name: &Rc<str>| match (a.prop(name), b.prop(name)) {
        (Some(a), Some(b)) => same_value(a, b),
        (a, b) => a.or(b).is_none_or(|value| !value.is_truthy()),
    };
    a.origin == b.origin
        && a.name == b.name
        && a.snippet == b.snippet
        && a.children.len() == b.children.len()
        && names.filter(is_content).all(is_equal)
}

/// Returns true if `shown` is hidden by its looks, and `other` is not.
fn reveals(shown: &Shown, other: &Shown) -> bool {
    is_hidden(&shown.props) && !is_hidden(&other.props)
}

fn is_hidden(props: &[(Rc<str>, Value)]) -> bool {
    let prop = |name: &str| {
        let found = props.iter().rev().find(|(known, _)| **known == *name);
        found.map(|(_, value)| value)
    };
    let is_set = |name: &str| prop(name).is_some_and(Value::is_truthy);
    let classes = match prop("className").or(prop("class")) {
        Some(Value::Text(classes)) => classes.clone(),
        _ => "".into(),
    };
    let style = |name: &str, hiding: &[&str]| match prop("style") {
        Some(style @ Value::Object(_)) => match style.member(&Value::text(name)) {
            Ok(Value::Undefined) | Err(_) => false,
            Ok(value) => value.to_text().is_ok_and(|text| hiding.contains(&&*text)),
        },
        _ => false,
    };
    is_set("hidden")
        || classes
            .split_whitespace()
            .any(|class| HIDING.contains(&class))
        || style("display", &["none"])
        || style("visibility", &["hidden"])
        || style("opacity", &["0"])
        || style("height", &["0", "0px"])
        || style("maxHeight", &["0", "0px"])
}

/// Gives `shown` the looks of `other`.
fn show(shown: &mut Shown, other: &Shown) {
    let is_looks = |name: &str| {
        matches!(
            name,
            "hidden" | "className" | "class" | "style" | "aria-hidden"
        )
    };
    shown.props.retain(|(name, _)| !is_looks(name));
    let looks = other.props.iter().filter(|(name, _)| is_looks(name));
    shown.props.extend(looks.cloned());
}
