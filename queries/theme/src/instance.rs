//! One use of a component: its props with their values, and what it holds.

use std::rc::Rc;

use crate::html::text_of;
use mdx::Fragment;
use mdx::js::builtin::to_json;
use mdx::js::eval::Value;

/// A component or an HTML element, ready to be rendered.
pub(super) struct Instance<'a> {
    /// Name; empty for a fragment.
    pub(super) name: Rc<str>,
    /// Props in order; the last of a name counts.
    pub(super) props: Vec<(Rc<str>, Value)>,
    /// Children.
    pub(super) children: Children<'a>,
    /// Offset in the file being rendered, if it was written as Markdown.
    pub(super) at: Option<usize>,
}

/// Children of a component.
pub(super) enum Children<'a> {
    /// Markdown.
    Fragment(&'a Fragment),
    /// Values of JavaScript.
    Values(Vec<Value>),
}

impl Instance<'_> {
    /// Instance under another name.
    pub(super) fn with_name(&self, name: &str) -> Self {
        let children = match &self.children {
            Children::Fragment(fragment) => Children::Fragment(fragment),
            Children::Values(values) => Children::Values(values.clone()),
        };
        Self {
            name: name.into(),
            props: self.props.clone(),
            children,
            at: self.at,
        }
    }

    /// The value of `name`.
    pub(super) fn prop(&self, name: &str) -> Option<&Value> {
        self.props
            .iter()
            .rev()
            .find(|(known, _)| **known == *name)
            .map(|(_, value)| value)
    }

    /// The value of `name` as text: a string, a number, the words of elements that are not rendered
    /// where text must stand.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        words(self.prop(name)?)
    }

    /// Returns true if `name` is set to a truthy value; the string `false` is not one.
    pub(super) fn flag(&self, name: &str) -> bool {
        match self.prop(name) {
            Some(Value::Text(text)) => &**text != "false",
            Some(value) => value.is_truthy(),
            None => false,
        }
    }

    /// The value of `name` as JSON.
    pub(super) fn json(&self, name: &str) -> Option<serde_json::Value> {
        to_json(self.prop(name)?).ok()
    }

    /// The texts of `name`: of a list, or one.
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        match self.prop(name) {
            Some(Value::Array(items)) => items.iter().filter_map(words).collect(),
            Some(value) => words(value).into_iter().collect(),
            None => Vec::new(),
        }
    }
}

/// The words of a value: of text and numbers, and of elements, which have some or are none.
pub(super) fn words(value: &Value) -> Option<String> {
    match value {
        Value::Text(_) | Value::Number(_) => value.to_text().ok().map(|text| text.to_string()),
        Value::Html(_) | Value::Element(_) => {
            let mut text = String::new();
            push_words(value, &mut text);
            let words: Vec<&str> = text.split_whitespace().collect();
            (!words.is_empty()).then(|| words.join(" "))
        }
        _ => None,
    }
}

fn push_words(value: &Value, text: &mut String) {
    match value {
        Value::Text(_) | Value::Number(_) => text.extend(value.to_text().ok().as_deref()),
        Value::Html(html) => text.push_str(&text_of(html)),
        Value::Array(items) => items.iter().for_each(|item| push_words(item, text)),
        Value::Element(element) => {
            (element.children.iter()).for_each(|child| push_words(child, text));
        }
        _ => {}
    }
}
