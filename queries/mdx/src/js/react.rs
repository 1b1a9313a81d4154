//! Functions of React besides hooks: contexts, children, and wrappers of components.

use std::rc::Rc;

use super::eval::{Fault, Program, Scope, Value};
use super::values::ElementValue;
use super::{Expr, Function};

/// Member of the object of a context that identifies it.
const CONTEXT: &str = "$context";
/// Members of a context that are components.
const PROVIDER: &str = "Provider";
const CONSUMER: &str = "Consumer";

/// A component of a context.
pub(super) enum ContextPart {
    /// Gives its children a value.
    Provider,
    /// Calls its child with the value.
    Consumer,
}

/// Returns true if `name` is a function of React.
pub(super) fn is_function(name: &str) -> bool {
    matches!(
        name,
        "createContext"
            | "memo"
            | "forwardRef"
            | "cloneElement"
            | "isValidElement"
            | "startTransition"
    )
}

/// Returns true if `name` is a function of browsers that calls another one later.
pub(super) fn is_timer(name: &str) -> bool {
    matches!(
        name,
        "setTimeout"
            | "setInterval"
            | "requestAnimationFrame"
            | "queueMicrotask"
            | "clearTimeout"
            | "clearInterval"
            | "cancelAnimationFrame"
    )
}

/// Calls a timer: what it is given happens at once, a single time.
pub(super) fn call_timer(
    program: &Program,
    name: &str,
    arguments: Vec<Value>,
) -> Result<Value, Fault> {
    if let (false, Some(function)) = (
        name.starts_with('c'),
        arguments.into_iter().next().filter(is_component),
    ) {
        program.call(&function, Vec::new())?;
    }
    Ok(Value::Number(1.0))
}

/// Returns true if a value can be rendered as an element: a function, or a part of a context.
pub(super) fn is_component(value: &Value) -> bool {
    match value {
        Value::Function(..) => true,
        Value::Object(_) => context_part(value).is_some(),
        _ => false,
    }
}

/// Calls the function `name` of React; `at` is the place of the call, which identifies a context.
pub(super) fn call(
    program: &Program,
    name: &str,
    arguments: Vec<Value>,
    at: &Expr,
) -> Result<Value, Fault> {
    let mut arguments = arguments.into_iter();
    let first = arguments.next().unwrap_or(Value::Undefined);
    Ok(match name {
        "createContext" => {
            // Addresses of a process have fewer bits than a number has digits.
            let id = Value::Number(std::ptr::from_ref(at).addr() as f64);
            let part = |part: &str| {
                Value::Object(Rc::new(vec![
                    (CONTEXT.into(), id.clone()),
                    ("part".into(), Value::text(part)),
                    ("default".into(), first.clone()),
                ]))
            };
            Value::Object(Rc::new(vec![
                (CONTEXT.into(), id.clone()),
                ("default".into(), first.clone()),
                (PROVIDER.into(), part(PROVIDER)),
                (CONSUMER.into(), part(CONSUMER)),
            ]))
        }
        "isValidElement" => Value::Bool(matches!(first, Value::Element(_) | Value::Html(_))),
        "cloneElement" => match first {
            Value::Element(element) => {
                let mut element = ElementValue::clone(&element);
                if let Some(Value::Object(props)) = arguments.next() {
                    for (name, value) in props.iter() {
                        element.props.retain(|(known, _)| known != name);
                        element.props.push((name.clone(), value.clone()));
                    }
                }
                let children: Vec<Value> = arguments.collect();
                if !children.is_empty() {
                    element.children = children;
                }
                Value::Element(element.into())
            }
            other => other,
        },
        "startTransition" => program.call(&first, Vec::new())?,
        // `memo` and `forwardRef`: the component itself.
        _ => first,
    })
}

/// Returns the identity and the default value of a context, or of a part of one.
pub(super) fn context(value: &Value) -> Option<(u64, Value)> {
    let Value::Object(members) = value else {
        return None;
    };
    let member = |name: &str| members.iter().find(|(known, _)| **known == *name);
    let (_, id) = member(CONTEXT)?;
    let default = member("default").map_or(Value::Undefined, |(_, value)| value.clone());
    Some((id.to_number() as u64, default))
}

/// Returns the part of a context that `value` is. The context itself provides, too (React 19).
pub(super) fn context_part(value: &Value) -> Option<ContextPart> {
    context(value)?;
    let part = value.member(&Value::text("part")).ok()?;
    Some(match part {
        Value::Text(part) if &*part == CONSUMER => ContextPart::Consumer,
        _ => ContextPart::Provider,
    })
}

/// Returns true if `object` is `Children` or `React.Children`.
pub(super) fn is_children(object: &Expr, scope: &Scope) -> bool {
    let named = |expr: &Expr, name: &str| matches!(expr, Expr::Name(known) if **known == *name);
    match object {
        Expr::Member(react, key, _) => {
            named(react, "React") && matches!(&**key, Expr::Text(key) if &**key == "Children")
        }
        object => named(object, "Children") && !scope.has_local("Children"),
    }
}

/// Calls a function of `React.Children`.
pub(super) fn call_children(
    program: &Program,
    name: &str,
    arguments: Vec<Value>,
) -> Result<Value, Fault> {
    let mut arguments = arguments.into_iter();
    let given = arguments.next().unwrap_or(Value::Undefined);
    let mut children = Vec::new();
    if !given.is_nullish() {
        flatten(&given, &mut children);
    }
    // What shows nothing is counted, too.
    if matches!(name, "toArray" | "only") {
        children.retain(|child| !matches!(child, Value::Null));
    }
    let function = arguments.next().unwrap_or(Value::Undefined);
    let each = |children: Vec<Value>| -> Result<Vec<Value>, Fault> {
        let children = children.into_iter().enumerate();
        children
            .map(|(at, child)| program.call(&function, vec![child, Value::Number(at as f64)]))
            .collect()
    };
    Ok(match name {
        "count" => Value::Number(children.len() as f64),
        "toArray" => Value::Array(children.into()),
        "map" => Value::Array(each(children)?.into()),
        "forEach" => {
            each(children)?;
            Value::Undefined
        }
        "only" => match <[Value; 1]>::try_from(children) {
            Ok([only]) => only,
            Err(_) => return Err("`Children.only` of several children".to_owned()),
        },
        _ => return Err(format!("`Children.{name}`")),
    })
}

/// Collects children: arrays are taken apart, what shows nothing is `null`.
fn flatten(value: &Value, children: &mut Vec<Value>) {
    match value {
        Value::Undefined | Value::Null | Value::Bool(_) => children.push(Value::Null),
        Value::Array(items) => items.iter().for_each(|item| flatten(item, children)),
        value => children.push(value.clone()),
    }
}

/// A function that does nothing.
pub(super) fn nothing() -> Value {
    let function = Function {
        params: Vec::new(),
        body: Vec::new(),
    };
    Value::Function(function.into(), Scope::default())
}
