//! Elements and expressions in a body: their values, the components they call, the snippets they
//! render.

use std::rc::Rc;

use maud::html;

use super::islands::{marked, slot_marks, without_slots};
use super::{AsideKind, Island, MAX_SNIPPETS, Wrap, Writer};
use crate::components::panel;
use crate::element;
use crate::html::escaped;
use crate::instance::{Children, Instance};
use crate::label::Label;
use crate::problem::{Problem, problem};
use crate::words::Word;
use base::diagnostic::Code;
use mdx::js::eval::{ElementValue, Rendered, Scope, Value};
use mdx::js::part::{FILL, Part};
use mdx::markdown::{CodeBlockKind, Event, Tag, TagEnd, node_index, plain_events};
use mdx::{AttributeValue, Element, Fragment, Node, js, value};

impl<'a> Writer<'a> {
    /// The value of an expression where it stands.
    pub(super) fn value(&self, source: &str) -> Result<Value, String> {
        Ok(self.rendered(source)?.value)
    }

    /// What an expression shows where it stands.
    pub(super) fn rendered(&self, source: &str) -> Result<Rendered, String> {
        if let Some(literal) = value::literal(source) {
            return Ok(Rendered::of(from_json(literal)));
        }
        let expr = js::parse::expression(source)?;
        let program = self.context.program;
        program.render(|| program.eval(&expr, &self.scope))
    }

    /// Puts `html` next to the text, wherever it is in the text; the output in its place is for
    /// narrow screens.
    pub(crate) fn put_aside(&mut self, kind: AsideKind, html: &str) -> String {
        self.body.asides.push((kind, html.to_owned()));
        panel::in_text(html).into_string()
    }

    /// Renders an element that was written as Markdown.
    pub(super) fn element(&mut self, element: &'a Element) -> String {
        let is_link = element.name == "a"
            || (element.attributes.iter()).any(|attribute| attribute.name == "href");
        let outer = self.is_in_link;
        self.is_in_link |= is_link;
        let drawn = self.draw_element(element);
        self.is_in_link = outer;
        drawn
    }

    fn draw_element(&mut self, element: &'a Element) -> String {
        if let Some(fault) = &element.fault {
            let view = Problem {
                code: "unclosed-tag".to_owned(),
                message: fault.clone(),
                ..Problem::default()
            };
            return problem(&view).into_string();
        }
        let mut instance = self.instance(element);
        if &*instance.name == "Snippet"
            && let Some(file) = instance
                .text("file")
                .and_then(|name| self.context.snippets.get(&name))
        {
            return self.snippet(*file, &instance.props);
        }
        let component = match self.context.program.component(&instance.name, &self.scope) {
            Ok(None) if !self.is_handled(element) => return element::draw(self, &instance),
            Ok(None) => {
                let wrap = match element::is_phrasing(&instance.name) {
                    true => Wrap::Bare,
                    false => Wrap::Paragraphs,
                };
                let children = self.slotted(&instance.children, wrap);
                instance.children = Children::Values(children.values);
                let html = element::draw(self, &instance);
                let used = ComponentUse {
                    at: element.at,
                    name: &element.name,
                    source: source_of(element, &children.source),
                    slots: children.slots,
                };
                return self.island(used, html, None, &[]);
            }
            component => component,
        };
        let children = self.component_children(&instance.children);
        let component = match component {
            Ok(Some(Value::Snippet(file))) => {
                let mut props = instance.props;
                let values = children.values.iter();
                let html: String = values.map(|child| self.draw_value(child)).collect();
                if !html.is_empty() {
                    let html = without_slots(html, &children.slots);
                    props.push(("children".into(), Value::Html(html.into())));
                }
                return self.snippet(file, &props);
            }
            component => component,
        };
        let component_html = component.and_then(|component| {
            let value = ElementValue {
                name: instance.name.clone(),
                component,
                origin: 0,
                snippet: None,
                props: instance.props,
                children: children.values.clone(),
            };
            let value = Value::Element(value.into());
            self.context.program.render(|| Ok(value.clone()))
        });
        let used = ComponentUse {
            at: element.at,
            name: &element.name,
            source: source_of(element, &children.source),
            slots: children.slots,
        };
        match component_html {
            Ok(rendered) => self.draw_used(used, rendered),
            Err(fault) => {
                let html = self.fallback(element, &fault, children.values);
                // What only a browser can tell is shown there.
                self.island(used, html, None, &[])
            }
        }
    }

    /// What a component of the site gets as its children: elements, if they are all components of the site, so that it
    /// can look at their props and surround them with a context; otherwise HTML.
    fn component_children(&mut self, children: &Children<'a>) -> ComponentChildren {
        if let Children::Fragment(fragment) = children
            && let Some(elements) = self.component_elements(fragment)
        {
            return elements;
        }
        self.slotted(children, Wrap::Paragraphs)
    }

    /// Returns true if an element of HTML handles events.
    fn is_handled(&self, element: &Element) -> bool {
        let is_html = element.name.starts_with(|c: char| c.is_ascii_lowercase());
        let is_handler = |attribute: &mdx::Attribute| {
            is_handler(&attribute.name) && matches!(attribute.value, AttributeValue::Expression(_))
        };
        is_html && self.may_go_on() && element.attributes.iter().any(is_handler)
    }

    /// Returns true if a script may go on with what is rendered: the text of a page, as it is loaded.
    fn may_go_on(&self) -> bool {
        self.context.has_title && !self.is_of_specification() && !self.is_aside
    }

    /// Children as HTML with marks, so that a script finds them.
    fn slotted(&mut self, children: &Children<'a>, wrap: Wrap) -> ComponentChildren {
        let html = self.children(children, wrap);
        if html.is_empty() {
            return ComponentChildren::default();
        }
        let slot = self.slots;
        self.slots += 1;
        let html = slot_marks(slot).join(&html);
        ComponentChildren {
            values: vec![Value::Html(html.into())],
            source: format!("{{$s({slot})}}"),
            slots: vec![slot],
        }
    }

    fn component_elements(&mut self, fragment: &'a Fragment) -> Option<ComponentChildren> {
        // Nothing is rendered before it is certain that all of them are components.
        let children = self.only_components(fragment)?;
        let mut all = ComponentChildren::default();
        for child in children {
            let (element, component) = match child {
                ComponentChild::Element(element, component) => (element, component),
                ComponentChild::Expression(source, value) => {
                    all.source.push_str(&format!("{{{source}\n}}"));
                    all.values.push(value);
                    continue;
                }
            };
            let instance = self.instance(element);
            let children = self.component_children(&instance.children);
            all.source.push_str(&source_of(element, &children.source));
            all.slots.extend(children.slots);
            let element = ElementValue {
                name: instance.name,
                component: Some(component),
                origin: 0,
                snippet: None,
                props: instance.props,
                children: children.values,
            };
            all.values.push(Value::Element(element.into()));
        }
        Some(all)
    }

    /// What is in `fragment`, if that is nothing but components of the site.
    fn only_components(&self, fragment: &'a Fragment) -> Option<Vec<ComponentChild<'a>>> {
        let document = self.document();
        let mut all = Vec::new();
        for event in plain_events(&fragment.text) {
            let html = match event {
                Event::Html(html) | Event::InlineHtml(html) => html,
                Event::Text(text) if text.trim().is_empty() => continue,
                Event::Start(Tag::Paragraph | Tag::HtmlBlock)
                | Event::End(TagEnd::Paragraph | TagEnd::HtmlBlock)
                | Event::SoftBreak => continue,
                _ => return None,
            };
            match node_index(&html).and_then(|index| document.nodes.get(index)) {
                Some(Node::Element(element)) => {
                    let component = self.component_of(&element.name)?;
                    all.push(ComponentChild::Element(element, component));
                }
                Some(Node::Expression { source, .. }) => {
                    let expr = js::parse::expression(source).ok()?;
                    let value = self.context.program.eval(&expr, &self.scope).ok()?;
                    if !is_of_components(&value) {
                        return None;
                    }
                    all.push(ComponentChild::Expression(source, value));
                }
                None if html.trim().is_empty() => {}
                Some(Node::Formula { .. }) | None => return None,
            }
        }
        let is_element = |child: &ComponentChild<'_>| matches!(child, ComponentChild::Element(..));
        all.iter().any(is_element).then_some(all)
    }

    /// The component of the site called `name`, if it is no snippet.
    fn component_of(&self, name: &str) -> Option<Value> {
        match self.context.program.component(name, &self.scope) {
            Ok(Some(component @ (Value::Function(..) | Value::Object(_)))) => Some(component),
            _ => None,
        }
    }

    /// Replacement for a component that cannot be rendered at build time: its children, or a note.
    fn fallback(&mut self, element: &Element, fault: &str, children: Vec<Value>) -> String {
        let name = &element.name;
        let message = format!("`<{name}>` cannot be rendered at build time: it needs {fault}");
        let hint = "where no script runs, what it holds is shown in its place";
        self.report(
            Code::UnsupportedComponent,
            element.at,
            name.len() + 1,
            message,
            hint,
        );
        let drawn = children.into_iter().map(|child| self.draw_alone(child));
        let children: String = drawn.collect();
        if children.trim().is_empty() {
            let notice = Word::Interactive.around(&html! { code { (name) } });
            return html! { p.static-fallback { (notice) } }.into_string();
        }
        children
    }

    /// Shows a use of a component, or an expression, as it was rendered.
    pub(super) fn draw_used(&mut self, used: ComponentUse<'_>, rendered: Rendered) -> String {
        if !rendered.is_live || !self.may_go_on() {
            return without_slots(self.draw_value(&rendered.value), &used.slots);
        }
        let before = self.ids.clone();
        let html = self.draw_value(&rendered.value);
        let after = std::mem::replace(&mut self.ids, before);
        self.report_unfilled(&used, &rendered.unfilled);
        let first = rendered
            .first
            .map(|first| self.aside(|writer| writer.draw_value(&first)));
        self.ids = after;
        self.island(used, html, first, &rendered.parts)
    }

    /// Reports states whose content no text of the build has.
    fn report_unfilled(&mut self, used: &ComponentUse<'_>, names: &[Rc<str>]) {
        if names.is_empty() {
            return;
        }
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let names = names.join(" and ");
        let message = match used.name {
            "" => format!("what {names} brings is shown by a script alone"),
            name => format!("what {names} of `<{name}>` brings is shown by a script alone"),
        };
        let hint = "search, assistants and readers without scripts do not get it: write on the page what they need";
        let len = used.name.len() + 1;
        self.report(Code::ScriptOnlyContent, used.at, len, message, hint);
    }

    /// Marks the HTML of a use, for the script that goes on with it in a browser.
    fn island(
        &mut self,
        used: ComponentUse<'_>,
        html: String,
        first: Option<String>,
        parts: &[Part],
    ) -> String {
        if !self.may_go_on() {
            return without_slots(html, &used.slots);
        }
        let Some(locals) = self.locals() else {
            let name = used.name;
            let message = not_live(name, "it is given elements, which no script can have");
            self.report(
                Code::StaticComponent,
                used.at,
                name.len() + 1,
                message,
                NOT_LIVE_HINT,
            );
            return without_slots(html, &used.slots);
        };
        let parts = parts.iter().map(|part| {
            let value = Value::Element(part.element.clone());
            let html = self.aside(|writer| writer.draw_value(&value));
            (part.key.clone(), html)
        });
        let parts = distinct(parts.collect());
        let message = not_live(used.name, "");
        let otherwise =
            self.diagnostic(Code::StaticComponent, used.at, used.name.len() + 1, message);
        let number = self.body.islands.len();
        self.body.islands.push(Island {
            name: used.name.to_owned(),
            file: self.context.files[self.file].path.clone(),
            source: used.source,
            locals,
            first: first.filter(|first| *first != html),
            parts,
            otherwise: otherwise.hint(NOT_LIVE_HINT),
        });
        marked(number, &html)
    }

    /// Renders what is not on the page as it is loaded: it takes no ids, has no links and reports nothing.
    fn aside(&mut self, draw: impl FnOnce(&mut Self) -> String) -> String {
        let is_aside = std::mem::replace(&mut self.is_aside, true);
        let body = std::mem::take(&mut self.body);
        let ids = self.ids.clone();
        let footnotes = self.footnotes.clone();
        let (tally, reported) = (self.tally.clone(), self.reported.clone());
        let (unknown, heights) = (self.unknown.clone(), self.heights.clone());
        let (views, tags) = (self.views.clone(), self.tags.clone());
        let (nodes, has_image) = (self.nodes, self.has_image);
        let html = draw(self);
        (self.is_aside, self.body, self.ids) = (is_aside, body, ids);
        (self.footnotes, self.tally, self.reported) = (footnotes, tally, reported);
        (self.unknown, self.heights) = (unknown, heights);
        (self.views, self.tags) = (views, tags);
        (self.nodes, self.has_image) = (nodes, has_image);
        html
    }

    /// The names that a snippet was given, with their values in JavaScript; `None` if one is no data.
    fn locals(&self) -> Option<Vec<(String, String)>> {
        let locals = self.scope.locals().into_iter();
        let locals = locals.map(|(name, value)| Some((name.to_string(), literal(&value)?)));
        locals.collect()
    }

    /// Renders a child of a component that cannot be rendered.
    fn draw_alone(&mut self, child: Value) -> String {
        let rendered = self.context.program.render(|| Ok(child.clone()));
        match (rendered, child) {
            (Ok(rendered), _) => self.draw_value(&rendered.value),
            (Err(_), Value::Element(element)) => {
                let children = element.children.iter().cloned();
                children.map(|child| self.draw_alone(child)).collect()
            }
            (Err(_), _) => String::new(),
        }
    }

    /// The element with its props evaluated. A prop without a value is reported and left out.
    fn instance(&mut self, element: &'a Element) -> Instance<'a> {
        let mut props: Vec<(Rc<str>, Value)> = Vec::with_capacity(element.attributes.len());
        for attribute in &element.attributes {
            let name = &attribute.name;
            let value = match &attribute.value {
                AttributeValue::Absent => Value::Bool(true),
                AttributeValue::Text(text) => Value::text(text.as_str()),
                // What happens on events does not happen when the site is built.
                AttributeValue::Expression(_) if is_handler(name) => continue,
                AttributeValue::Expression(source) => {
                    let spread = source.strip_prefix("...").filter(|_| name.is_empty());
                    match self.value(spread.unwrap_or(source)) {
                        Ok(Value::Object(members)) if spread.is_some() => {
                            props.extend(members.iter().cloned());
                            continue;
                        }
                        Ok(value) => value,
                        Err(fault) => {
                            let tag = &element.name;
                            let message = format!(
                                "`{name}` of `<{tag}>` has no value at build time: {fault}"
                            );
                            let hint = "the attribute is left out; write the value itself";
                            self.report(
                                Code::UnsupportedExpression,
                                element.at,
                                tag.len() + 1,
                                message,
                                hint,
                            );
                            continue;
                        }
                    }
                }
            };
            props.push((name.as_str().into(), value));
        }
        let children = Children::Fragment(&element.children);
        Instance {
            name: element.name.as_str().into(),
            props,
            children,
            at: Some(element.at),
        }
    }

    /// Renders the imported snippet `file`; its expressions can use `props` and each of them by
    /// name.
    fn snippet(&mut self, file: usize, props: &[(Rc<str>, Value)]) -> String {
        let files = self.context.files;
        let Some(source) = files.get(file) else {
            return String::new();
        };
        if self.snippets_open >= MAX_SNIPPETS {
            return String::new();
        }
        let mut scope =
            Scope::of_module(file).with("props".into(), Value::Object(props.to_vec().into()));
        for (name, value) in props {
            scope = scope.with(name.clone(), value.clone());
        }
        let outer = (self.file, std::mem::replace(&mut self.scope, scope));
        self.file = file;
        self.snippets_open += 1;
        for diagnostic in &source.document.diagnostics {
            if !self.body.diagnostics.contains(diagnostic) {
                self.body.diagnostics.push(diagnostic.clone());
            }
        }
        let drawn = self.fragment(&source.document.root, Wrap::Paragraphs);
        self.snippets_open -= 1;
        (self.file, self.scope) = outer;
        drawn
    }

    /// Renders the children of a component.
    pub(crate) fn children(&mut self, children: &Children<'a>, wrap: Wrap) -> String {
        match children {
            Children::Fragment(fragment) => self.fragment(fragment, wrap),
            Children::Values(values) => values.iter().map(|value| self.draw_value(value)).collect(),
        }
    }

    /// The words that the prop `name` puts in a line: its elements are rendered.
    pub(crate) fn label(&mut self, element: &Instance<'a>, name: &str) -> Option<Label> {
        match element.prop(name)? {
            value if is_drawn(value) => {
                let value = value.clone();
                let label = Label::from_html(&self.draw_value(&value));
                (!label.is_empty()).then_some(label)
            }
            _ => element.text(name).map(Label::from),
        }
    }

    /// Like [`Self::label`], but text is one line of Markdown.
    pub(crate) fn inline_label(&mut self, element: &Instance<'a>, name: &str) -> Option<Label> {
        match element.prop(name)? {
            Value::Text(text) => {
                let text = text.clone();
                Some(Label::from_html(&self.inline_text(&text)))
            }
            _ => self.label(element, name),
        }
    }

    /// Renders a value: text and numbers as they are, elements as such, nothing for the rest.
    pub(crate) fn draw_value(&mut self, value: &Value) -> String {
        if !self.has_room() {
            return String::new();
        }
        match value {
            Value::Text(_) | Value::Number(_) => value
                .to_text()
                .map(|text| escaped(&text))
                .unwrap_or_default(),
            Value::Array(items) | Value::Set(items) => {
                items.iter().map(|item| self.draw_value(item)).collect()
            }
            Value::Html(html) => html.to_string(),
            Value::Element(element) => self.draw_element_value(element),
            Value::Undefined
            | Value::Null
            | Value::Bool(_)
            | Value::Object(_)
            | Value::Map(_)
            | Value::Function(..)
            | Value::Regex(_)
            | Value::Snippet(_) => String::new(),
        }
    }

    fn draw_element_value(&mut self, element: &ElementValue) -> String {
        let Some(file) = element.snippet else {
            return element::draw(self, &value_instance(element));
        };
        let children: String = element
            .children
            .iter()
            .map(|child| self.draw_value(child))
            .collect();
        let mut props = element.props.clone();
        props.push(("children".into(), Value::Html(children.into())));
        self.snippet(file, &props)
    }

    /// The components and code blocks that stand directly in `children`, in order.
    pub(crate) fn parts(&mut self, children: &Children<'a>) -> Vec<BodyPart<'a>> {
        let mut parts = Vec::new();
        match children {
            Children::Values(values) => values
                .iter()
                .for_each(|value| value_parts(value, &mut parts)),
            Children::Fragment(fragment) => self.fragment_parts(fragment, &mut parts),
        }
        parts
    }

    fn fragment_parts(&mut self, fragment: &'a Fragment, parts: &mut Vec<BodyPart<'a>>) {
        let document = self.document();
        let mut code: Option<(String, String)> = None;
        for event in plain_events(&fragment.text) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => {
                    match node_index(&html).and_then(|index| document.nodes.get(index)) {
                        Some(Node::Element(element)) => {
                            parts.push(BodyPart::Instance(self.instance(element)));
                        }
                        Some(Node::Expression { source, .. }) => {
                            if let Ok(value) = self.value(source) {
                                value_parts(&value, parts);
                            }
                        }
                        Some(Node::Formula { .. }) | None => {}
                    }
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    code = Some((info.into_string(), String::new()));
                }
                Event::Text(text) => {
                    if let Some((_, code)) = &mut code {
                        code.push_str(&text);
                    } else if !text.trim().is_empty() {
                        parts.push(BodyPart::Text);
                    }
                }
                Event::End(TagEnd::CodeBlock) => {
                    if let Some((info, code)) = code.take() {
                        let (info, code) = (self.interpolated(info), self.interpolated(code));
                        parts.push(BodyPart::Code { info, code });
                    }
                }
                Event::Code(_) => parts.push(BodyPart::Text),
                _ => {}
            }
        }
    }

    /// The value of the expression that is all of `fragment`.
    pub(crate) fn only_expression(&self, fragment: &Fragment) -> Option<Value> {
        match self.document().nodes.get(node_index(&fragment.text)?)? {
            Node::Expression { source, .. } => self.value(source).ok(),
            Node::Element(_) | Node::Formula { .. } => None,
        }
    }

    /// Code of a snippet with its props put in: `{name}` of a prop is its value, any other brace is code.
    pub(super) fn interpolated(&self, code: String) -> String {
        if !self.scope.has_locals() || !code.contains('{') {
            return code;
        }
        let mut out = String::with_capacity(code.len());
        let mut rest = code.as_str();
        while let Some(at) = rest.find('{') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let end = rest.find('}').unwrap_or(0);
            let name = rest.get(1..end).unwrap_or("").trim();
            let name = name.strip_prefix("props.").unwrap_or(name);
            match self.scope.local(name).map(|value| value.to_text()) {
                Some(Ok(text)) if !name.is_empty() => {
                    out.push_str(&text);
                    rest = &rest[end + 1..];
                }
                _ => {
                    out.push('{');
                    rest = &rest[1..];
                }
            }
        }
        out + rest
    }
}

/// Something that stands directly in what a component holds.
pub(crate) enum BodyPart<'a> {
    Instance(Instance<'a>),
    Code {
        info: String,
        code: String,
    },
    /// A word between them.
    Text,
}

fn value_parts(value: &Value, parts: &mut Vec<BodyPart<'_>>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| value_parts(item, parts)),
        Value::Element(element) if element.name.is_empty() && element.snippet.is_none() => {
            element
                .children
                .iter()
                .for_each(|child| value_parts(child, parts));
        }
        Value::Element(element) if element.snippet.is_none() => {
            parts.push(BodyPart::Instance(value_instance(element)));
        }
        _ => {}
    }
}

fn value_instance<'a>(element: &ElementValue) -> Instance<'a> {
    Instance {
        name: element.name.clone(),
        props: element.props.clone(),
        children: Children::Values(element.children.clone()),
        at: None,
    }
}

/// Advice on a use that does not react.
const NOT_LIVE_HINT: &str = "what its states show is on the page, all at once; for what must react, use a component of the theme";

/// Message about a use that does not react, without the reason if that is empty.
fn not_live(name: &str, reason: &str) -> String {
    match name {
        "" => format!("this expression does not react to readers: {reason}"),
        name => format!("`<{name}>` does not react to readers: {reason}"),
    }
}

/// A use of a component of the site, or an expression.
pub(super) struct ComponentUse<'s> {
    /// Offset in the file, for diagnostics.
    pub(super) at: usize,
    /// Name of the component; empty for an expression.
    pub(super) name: &'s str,
    /// What a script evaluates.
    pub(super) source: String,
    /// Numbers of the slots among its children.
    pub(super) slots: Vec<usize>,
}

/// Children of a component of the site.
#[derive(Default)]
struct ComponentChildren {
    values: Vec<Value>,
    /// The children in JSX.
    source: String,
    /// Numbers of the slots among them: HTML that is not the component's.
    slots: Vec<usize>,
}

/// A child that is a component of the site.
enum ComponentChild<'a> {
    Element(&'a Element, Value),
    Expression(&'a str, Value),
}

/// Returns true if a value shows nothing but components of the site.
fn is_of_components(value: &Value) -> bool {
    match value {
        Value::Undefined | Value::Null | Value::Bool(_) => true,
        Value::Array(items) => items.iter().all(is_of_components),
        Value::Element(element) => element.component.is_some(),
        _ => false,
    }
}

/// An element as JSX.
fn source_of(element: &Element, children: &str) -> String {
    let name = &element.name;
    let mut source = format!("<{name}");
    for attribute in &element.attributes {
        let name = &attribute.name;
        let is_name = |name: &str| {
            let is_part = |c: char| c.is_ascii_alphanumeric() || "_$-:".contains(c);
            !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(is_part)
        };
        match &attribute.value {
            AttributeValue::Expression(value) if name.is_empty() => {
                source.push_str(&format!(" {{{value}\n}}"));
            }
            _ if !is_name(name) || name.is_empty() => {}
            AttributeValue::Absent => source.push_str(&format!(" {name}")),
            AttributeValue::Text(text) => {
                let text = serde_json::Value::from(text.as_str());
                source.push_str(&format!(" {name}={{{text}}}"));
            }
            AttributeValue::Expression(value) => {
                source.push_str(&format!(" {name}={{{value}\n}}"));
            }
        }
    }
    source.push_str(&format!(">{children}</{name}>"));
    source
}

/// The parts without those that others stand for: with any children, a component is what it is with its own ones, unless
/// it looks at them.
fn distinct(mut parts: Vec<(String, String)>) -> Vec<(String, String)> {
    let is_open = |key: &str| key.ends_with("}]");
    parts.retain(|(key, html)| !is_open(key) || html.contains(FILL));
    let open: Vec<(String, String)> = parts
        .iter()
        .filter(|(key, _)| is_open(key))
        .cloned()
        .collect();
    parts.retain(|(key, html)| {
        let covers = |(other, outer): &(String, String)| {
            let start = other.trim_end_matches(']');
            let rest = key
                .strip_prefix(start)
                .and_then(|rest| rest.strip_prefix(",["));
            let (before, after) = outer.split_once(FILL).unwrap_or_default();
            rest.is_some_and(|rest| rest != "]]")
                && html.starts_with(before)
                && html.ends_with(after)
        };
        is_open(key) || !open.iter().any(covers)
    });
    parts
}

/// A value as an expression of JavaScript; `None` if it is more than data.
fn literal(value: &Value) -> Option<String> {
    let text = |text: &str| serde_json::Value::from(text).to_string();
    Some(match value {
        Value::Undefined => "void 0".to_owned(),
        Value::Null => "null".to_owned(),
        Value::Bool(bool) => bool.to_string(),
        Value::Number(_) => value.to_text().ok()?.to_string(),
        Value::Text(known) => text(known),
        Value::Html(html) => format!("$.html({})", text(html)),
        Value::Array(items) => {
            let items = items.iter().map(literal).collect::<Option<Vec<_>>>()?;
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let members = members.iter();
            let members =
                members.map(|(name, value)| Some(format!("{}:{}", text(name), literal(value)?)));
            format!("{{{}}}", members.collect::<Option<Vec<_>>>()?.join(","))
        }
        _ => return None,
    })
}

fn is_handler(name: &str) -> bool {
    name.len() > 2
        && name.starts_with("on")
        && name[2..].starts_with(|c: char| c.is_ascii_uppercase())
}

/// Returns true if a value has more than text: elements, alone or among others.
fn is_drawn(value: &Value) -> bool {
    match value {
        Value::Element(_) | Value::Html(_) => true,
        Value::Array(items) => items.iter().any(is_drawn),
        _ => false,
    }
}

/// A literal as a value of JavaScript.
fn from_json(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(bool) => Value::Bool(bool),
        serde_json::Value::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        serde_json::Value::String(text) => Value::Text(text.into()),
        serde_json::Value::Array(items) => {
            Value::Array(items.into_iter().map(from_json).collect::<Vec<_>>().into())
        }
        serde_json::Value::Object(members) => {
            let members = members
                .into_iter()
                .map(|(key, value)| (key.into(), from_json(value)));
            Value::Object(members.collect::<Vec<_>>().into())
        }
    }
}
