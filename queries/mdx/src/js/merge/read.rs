//! Trees of values, with the handlers that lead a reader on and the events that they are given.

use std::rc::Rc;

use super::{Handler, Node, Shown, Slot};
use crate::js::eval::{Value, is_handler};
use crate::js::react::nothing;
use crate::js::values::ElementValue;

/// Events that lead a reader on.
const EVENTS: &[&str] = &[
    "onChange",
    "onClick",
    "onFocus",
    "onInput",
    "onMouseDown",
    "onMouseEnter",
    "onMouseOver",
    "onPointerDown",
    "onPointerEnter",
    "onSelect",
    "onSubmit",
    "onToggle",
    "onTouchStart",
];
/// The tree of a value.
pub(super) fn node(value: &Value, path: u64) -> Node {
    match value {
        Value::Text(text) => Node::Text(text.clone()),
        Value::Number(_) => value.to_text().map_or(Node::Nothing, Node::Text),
        Value::Html(html) => Node::Html(html.clone()),
        Value::Array(items) | Value::Set(items) => {
            let items = items.iter().enumerate();
            Node::List(items.map(|(at, item)| node(item, step(path, at))).collect())
        }
        Value::Element(element) => {
            let children = element.children.iter().enumerate();
            let slots = children.map(|(at, child)| Slot::new(node(child, step(path, at))));
            let slots = slots.collect();
            let handlers = handlers(element, path);
            let props = element.props.iter().filter(|(name, _)| !is_handler(name));
            Node::Element(Box::new(Shown {
                props: props.cloned().collect(),
                element: element.clone(),
                slots,
                path,
                handlers,
            }))
        }
        _ => Node::Nothing,
    }
}

fn step(path: u64, at: usize) -> u64 {
    (path.rotate_left(7) ^ (at as u64 + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The handlers of an element, with the events that a reader can make there.
fn handlers(element: &ElementValue, path: u64) -> Vec<Handler> {
    let props = element.props.iter();
    let handlers = props
        .filter(|(name, _)| EVENTS.contains(&&**name))
        .map(|(name, function)| {
            let kind = match element.prop("type") {
                Some(Value::Text(kind)) => &**kind,
                _ => "",
            };
            let value = || element.prop("value").cloned().unwrap_or(Value::Undefined);
            let targets = match (&*element.name, &**name, kind) {
                ("select", "onChange" | "onInput", _) => {
                    let mut options = Vec::new();
                    element
                        .children
                        .iter()
                        .for_each(|child| push_options(child, &mut options));
                    options
                        .into_iter()
                        .map(|value| vec![("value".into(), value)])
                        .collect()
                }
                ("input", "onChange" | "onInput" | "onClick", "checkbox") => {
                    let checked = element.prop("checked").is_some_and(Value::is_truthy);
                    vec![vec![
                        ("checked".into(), Value::Bool(!checked)),
                        ("value".into(), value()),
                    ]]
                }
                ("input", _, "radio") => {
                    vec![vec![
                        ("checked".into(), Value::Bool(true)),
                        ("value".into(), value()),
                    ]]
                }
                // What somebody types is not known.
                ("input" | "textarea", "onChange" | "onInput", _) => Vec::new(),
                _ => vec![vec![("value".into(), value())]],
            };
            Handler {
                path,
                function: function.clone(),
                events: targets.into_iter().map(event).collect(),
            }
        });
    handlers
        .filter(|handler| matches!(handler.function, Value::Function(..)))
        .collect()
}

fn event(target: Vec<(Rc<str>, Value)>) -> Value {
    let target = Value::Object(target.into());
    Value::Object(Rc::new(vec![
        ("target".into(), target.clone()),
        ("currentTarget".into(), target),
        ("preventDefault".into(), nothing()),
        ("stopPropagation".into(), nothing()),
    ]))
}

/// Collects the values of the options below `value`.
fn push_options(value: &Value, options: &mut Vec<Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| push_options(item, options)),
        Value::Element(element) if &*element.name == "option" => {
            let text = || {
                element
                    .children
                    .first()
                    .cloned()
                    .unwrap_or(Value::Undefined)
            };
            options.push(element.prop("value").cloned().unwrap_or_else(text));
        }
        Value::Element(element) => {
            element
                .children
                .iter()
                .for_each(|child| push_options(child, options));
        }
        _ => {}
    }
}
