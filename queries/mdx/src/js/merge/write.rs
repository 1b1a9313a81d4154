//! Values of merged trees.

use super::{Node, Slot, is_control};
use crate::js::eval::Value;
use crate::js::values::ElementValue;

/// The values of children, from merged ones.
pub(super) fn values(slots: Vec<Slot>) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::with_capacity(slots.len());
    for slot in slots {
        if slot.is_opened {
            let at = values
                .iter()
                .rposition(|value| !matches!(value, Value::Undefined));
            let summary = at.map(|at| std::mem::replace(&mut values[at], Value::Undefined));
            let content = slot.into_nodes().into_iter().map(into_value).collect();
            values.push(details(summary.unwrap_or(Value::Undefined), content));
            continue;
        }
        let is_inline = slot.variants.len() > 1 && slot.nodes().all(Node::is_inline);
        for (at, variant) in slot.variants.into_iter().enumerate() {
            if at > 0 && is_inline {
                values.push(Value::text(" / "));
            }
            values.extend(variant.nodes.into_iter().map(into_value));
        }
    }
    values
}

fn into_value(node: Node) -> Value {
    match node {
        Node::Nothing => Value::Undefined,
        Node::Text(text) => Value::Text(text),
        Node::Html(html) => Value::Html(html),
        Node::List(items) => {
            Value::Array(items.into_iter().map(into_value).collect::<Vec<_>>().into())
        }
        Node::Element(shown) => {
            let element = ElementValue {
                name: shown.element.name.clone(),
                component: None,
                origin: shown.element.origin,
                snippet: shown.element.snippet,
                props: shown.props,
                children: values(shown.slots),
            };
            Value::Element(element.into())
        }
    }
}

/// `<details>` with what opened it as its summary.
fn details(summary: Value, content: Vec<Value>) -> Value {
    let element = |name: &str, children: Vec<Value>| {
        let element = ElementValue {
            name: name.into(),
            component: None,
            origin: 0,
            snippet: None,
            props: Vec::new(),
            children,
        };
        Value::Element(element.into())
    };
    let summary = element("summary", vec![without_controls(&summary)]);
    element("details", [summary].into_iter().chain(content).collect())
}

/// `value` with `<span>` instead of each control: a summary is one itself.
fn without_controls(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(
            items
                .iter()
                .map(without_controls)
                .collect::<Vec<_>>()
                .into(),
        ),
        Value::Element(element) => {
            let mut element = ElementValue::clone(element);
            element.children = element.children.iter().map(without_controls).collect();
            if is_control(&element) {
                let is_behavior = |name: &str| {
                    matches!(name, "type" | "role" | "disabled" | "tabIndex")
                        || name.starts_with("aria-")
                };
                element.props.retain(|(name, _)| !is_behavior(name));
                if &*element.name == "button" {
                    element.name = "span".into();
                }
            }
            Value::Element(element.into())
        }
        value => value.clone(),
    }
}
