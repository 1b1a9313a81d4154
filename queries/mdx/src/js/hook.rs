//! Hooks of React, as they are when a component is first rendered, as on a server. Later changes,
//! by a click or in the browser, do not happen when the site is built, which is reported to the
//! author.

use std::rc::Rc;

use super::Function;
use super::eval::{Fault, Program, Scope, Value};

/// Hooks that have a first value.
const KNOWN: &[&str] = &[
    "useCallback",
    "useEffect",
    "useId",
    "useInsertionEffect",
    "useLayoutEffect",
    "useMemo",
    "useReducer",
    "useRef",
    "useState",
];

/// Returns true if `name` is a hook by the naming rule of React.
pub fn is_hook(name: &str) -> bool {
    name.strip_prefix("use")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// The hook `name`, if its first value is known.
pub fn known(name: &str) -> Option<&'static str> {
    KNOWN.iter().copied().find(|known| *known == name)
}

/// The first value of the hook `name`.
pub fn call(program: &Program, name: &str, arguments: &[Value]) -> Result<Value, Fault> {
    let argument = |index: usize| arguments.get(index).cloned().unwrap_or(Value::Undefined);
    // A function as the first value is called for it.
    let first = || match argument(0) {
        function @ Value::Function(..) => program.call(&function, Vec::new()),
        value => Ok(value),
    };
    let nothing = || {
        let function = Function {
            params: Vec::new(),
            body: Vec::new(),
        };
        Value::Function(function.into(), Scope::default())
    };
    Ok(match name {
        "useState" => Value::Array(Rc::new(vec![first()?, nothing()])),
        "useReducer" => Value::Array(Rc::new(vec![argument(1), nothing()])),
        "useRef" => Value::Object(Rc::new(vec![("current".into(), argument(0))])),
        "useMemo" => first()?,
        "useCallback" => argument(0),
        "useId" => Value::text("id"),
        _ => Value::Undefined,
    })
}
