//! Hooks of React, as they are when a component is first rendered, as on a server, or rendered
//! again with another state.

use std::rc::Rc;

use super::eval::{Fault, Program, Scope, Value};
use super::react::{context, nothing};
use super::{Expr, Function, Item, Pattern, StateKey, Statement};

/// Hooks that have a value.
const KNOWN: &[&str] = &[
    "useCallback",
    "useContext",
    "useDebugValue",
    "useDeferredValue",
    "useEffect",
    "useId",
    "useImperativeHandle",
    "useInsertionEffect",
    "useLayoutEffect",
    "useMemo",
    "useReducer",
    "useRef",
    "useState",
    "useTransition",
];

/// Returns true if `name` is a hook by the naming rule of React.
pub fn is_hook(name: &str) -> bool {
    name.strip_prefix("use")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// The hook `name`, if its value is known.
pub fn known_value(name: &str) -> Option<&'static str> {
    KNOWN.iter().copied().find(|known| *known == name)
}

/// The value of the hook `name`.
pub fn call(program: &Program, name: &str, arguments: &[Value]) -> Result<Value, Fault> {
    let argument = |index: usize| arguments.get(index).cloned().unwrap_or(Value::Undefined);
    // A function as the first value is called for it.
    let first = || match argument(0) {
        function @ Value::Function(..) => program.call(&function, Vec::new()),
        value => Ok(value),
    };
    let pair = |value: Value, function: Value| Value::Array(Rc::new(vec![value, function]));
    let key = program.rendering.next_hook();
    Ok(match name {
        "useState" => {
            let state = program.state(key, first)?;
            pair(state, setter(key, Expr::Name("value".into()), &[]))
        }
        "useReducer" => {
            let initial = || match argument(2) {
                function @ Value::Function(..) => program.call(&function, vec![argument(1)]),
                _ => Ok(argument(1)),
            };
            let state = program.state(key, initial)?;
            let name = |name: &str| Item(Expr::Name(name.into()), false);
            let next = Expr::Call(
                Expr::Name("reducer".into()).into(),
                vec![name("state"), name("value")],
            );
            let bound = [("reducer", argument(0)), ("state", state.clone())];
            pair(state, setter(key, next, &bound))
        }
        "useRef" => Value::Object(Rc::new(vec![("current".into(), argument(0))])),
        "useMemo" => first()?,
        "useCallback" | "useDeferredValue" => argument(0),
        "useContext" => match context(&argument(0)) {
            Some((id, default)) => program.rendering.context(id).unwrap_or(default),
            None => return Err("the hook `useContext` of what is no context".to_owned()),
        },
        "useTransition" => pair(Value::Bool(false), nothing()),
        "useId" => Value::text("id"),
        "useEffect" | "useLayoutEffect" | "useInsertionEffect" => {
            program.rendering.add_effect(argument(0));
            Value::Undefined
        }
        _ => Value::Undefined,
    })
}

/// The function that sets the state of `key` to what `next` makes of its parameter, `value`.
fn setter(key: StateKey, next: Expr, bound: &[(&str, Value)]) -> Value {
    let function = Function {
        params: vec![Pattern::Name("value".into())],
        body: vec![Statement::Run(Expr::SetState(key, next.into()))],
    };
    let scope = Scope::default();
    let scope = bound.iter().fold(scope, |scope, (name, value)| {
        scope.with((*name).into(), value.clone())
    });
    Value::Function(function.into(), scope)
}
