//! Components of the theme as scripts of a page name them: by their props, and by their children where these matter.
//!
//! `queries/theme/js/islands.js` makes the same keys of what a component returns in a browser.

use std::rc::Rc;

use super::eval::{Value, is_handler};
use super::values::ElementValue;

/// Stands for the children of a part that has any.
pub const FILL: &str = "<q-fill></q-fill>";

/// A component of the theme with known props.
#[derive(Clone, Debug)]
pub struct Part {
    /// JSON of `[name, props]` for any children, of `[name, props, children]` for those alone.
    pub key: String,
    /// The element to render.
    pub element: Rc<ElementValue>,
}

impl Part {
    /// The parts that `element` is: with its own children, if they are static, and with any.
    pub(super) fn of(element: &Rc<ElementValue>) -> Vec<Self> {
        let mut parts = Vec::new();
        let Some(start) = start_of(element) else {
            return parts;
        };
        if let Some(children) = children_of(&element.children) {
            parts.push(Self {
                key: format!("{start},[{children}]]"),
                element: element.clone(),
            });
        }
        if !element.children.is_empty() {
            let element = ElementValue {
                children: vec![Value::Html(FILL.into())],
                ..ElementValue::clone(element)
            };
            parts.push(Self {
                key: format!("{start}]"),
                element: element.into(),
            });
        }
        parts
    }
}

/// `["name",{…}`.
fn start_of(element: &ElementValue) -> Option<String> {
    let mut members = Vec::new();
    for (at, (name, value)) in element.props.iter().enumerate() {
        let is_last = !element.props[at + 1..]
            .iter()
            .any(|(later, _)| later == name);
        let is_told = !matches!(&**name, "key" | "ref" | "children");
        if is_last && is_told && !matches!(value, Value::Undefined) {
            if is_handler(name) {
                return None;
            }
            members.push((name.clone(), data(value)?));
        }
    }
    members.sort();
    let members: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("{}:{value}", json(name)))
        .collect();
    Some(format!(
        "[{},{{{}}}",
        json(&element.name),
        members.join(",")
    ))
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The JSON of a prop; `None` if it is no data.
fn data(value: &Value) -> Option<String> {
    Some(match value {
        Value::Undefined | Value::Null => "null".to_owned(),
        Value::Bool(bool) => bool.to_string(),
        Value::Number(number) if !number.is_finite() => "null".to_owned(),
        Value::Number(_) => value.to_text().ok()?.to_string(),
        Value::Text(text) => json(text),
        Value::Array(items) => {
            let items = items.iter().map(data).collect::<Option<Vec<_>>>()?;
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let mut all = Vec::new();
            for (name, value) in members.iter() {
                if !matches!(value, Value::Undefined) {
                    all.push((name.clone(), data(value)?));
                }
            }
            all.sort();
            let all: Vec<String> = all
                .iter()
                .map(|(name, value)| format!("{}:{value}", json(name)))
                .collect();
            format!("{{{}}}", all.join(","))
        }
        Value::Element(element) => whole(element)?,
        _ => return None,
    })
}

fn whole(element: &ElementValue) -> Option<String> {
    let children = children_of(&element.children)?;
    Some(format!("{},[{children}]]", start_of(element)?))
}

/// The JSON of children, without its brackets: texts that stand together are one.
fn children_of(children: &[Value]) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    let mut text: Option<String> = None;
    if !gather(children, &mut all, &mut text) {
        return None;
    }
    all.extend(text.map(|text| json(&text)));
    Some(all.join(","))
}

fn gather(children: &[Value], all: &mut Vec<String>, text: &mut Option<String>) -> bool {
    children.iter().all(|child| match child {
        Value::Undefined | Value::Null | Value::Bool(_) => true,
        Value::Text(_) | Value::Number(_) => {
            let more = child.to_text().unwrap_or_default();
            text.get_or_insert_default().push_str(&more);
            true
        }
        Value::Array(items) => gather(items, all, text),
        Value::Element(element) if element.name.is_empty() && element.snippet.is_none() => {
            gather(&element.children, all, text)
        }
        Value::Element(element) => {
            all.extend(text.take().map(|text| json(&text)));
            let known = whole(element);
            let is_known = known.is_some();
            all.extend(known);
            is_known
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::js::eval::{LoadedModule, Program, Scope};
    use crate::js::parse;

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        let mut program = Program::default();
        program.modules.push(LoadedModule::default());
        let expr = parse::expression(source).unwrap();
        let Ok(Value::Element(element)) = program.eval(&expr, &Scope::of_module(0)) else {
            panic!("{source}");
        };
        let parts = Part::of(&element);
        let keys: Vec<&str> = parts.iter().map(|part| &*part.key).collect();
        assert_eq!(keys, expected, "{source}");
    }

    #[test]
    fn props_and_static_children_are_the_key() {
        check(
            "<Card title=\"A\" href={undefined} key=\"1\" n={2.5} at={{ b: [null, true], a: 'é\"' }}>{1} b<b>{false}c</b><></></Card>",
            &[
                r#"["Card",{"at":{"a":"é\"","b":[null,true]},"n":2.5,"title":"A"},["1 b",["b",{},["c"]]]]"#,
                r#"["Card",{"at":{"a":"é\"","b":[null,true]},"n":2.5,"title":"A"}]"#,
            ],
        );
        check("<Icon icon=\"a\" />", &[r#"["Icon",{"icon":"a"},[]]"#]);
    }

    #[test]
    fn handlers_are_no_part() {
        check("<Card onClick={() => 1}>a</Card>", &[]);
        check(
            "<Card><button onClick={() => 1}>a</button></Card>",
            &[r#"["Card",{}]"#],
        );
    }
}
