//! Changes of what functions made: names get other values, and lists grow.

use std::cell::Cell;
use std::rc::Rc;

use super::{Expr, Fault, Item, Local, Program, Scope, Value, builtin};
use crate::js::values::make_mut;

/// Names whose values were changed while a page is rendered.
#[derive(Default)]
pub(super) struct ChangedNames(pub(super) Cell<Vec<Rc<Local>>>);

impl std::fmt::Debug for ChangedNames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Changed")
    }
}

/// Something that can be changed: a name of a function, or what keys lead to from it.
pub(super) struct Target {
    pub(super) local: Rc<Local>,
    pub(super) keys: Vec<Value>,
}

impl Target {
    pub(super) fn value(&self) -> Result<Value, Fault> {
        let mut value = self.local.value();
        for key in &self.keys {
            value = match &value {
                Value::Map(pairs) => {
                    let found = pairs.iter().find(|(known, _)| known.equals(key));
                    found.map_or(Value::Undefined, |(_, value)| value.clone())
                }
                value => value.member(key)?,
            };
        }
        Ok(value)
    }
}

impl Program {
    /// Resolves `expr` as the target of a change; `None` if no function bound it.
    pub(super) fn target(&self, expr: &Expr, scope: &Scope) -> Result<Option<Target>, Fault> {
        Ok(match expr {
            Expr::Name(name) => scope.lookup(name).map(|local| Target {
                local: local.clone(),
                keys: Vec::new(),
            }),
            Expr::Member(object, key, _) => match self.target(object, scope)? {
                Some(mut target) => {
                    target.keys.push(self.eval(key, scope)?);
                    Some(target)
                }
                None => None,
            },
            // `(groups[name] ??= []).push(page)`.
            Expr::Assign(target, _) => {
                self.eval(expr, scope)?;
                self.target(target, scope)?
            }
            // `groups.get(name).push(page)`.
            Expr::Call(callee, arguments) => {
                let (Expr::Member(object, key, _), [Item(argument, false)]) =
                    (&**callee, &**arguments)
                else {
                    return Ok(None);
                };
                if **key != Expr::Text("get".into()) {
                    return Ok(None);
                }
                match self.target(object, scope)? {
                    Some(mut target) if matches!(target.value()?, Value::Map(_)) => {
                        target.keys.push(self.eval(argument, scope)?);
                        Some(target)
                    }
                    _ => None,
                }
            }
            _ => None,
        })
    }

    /// Changes `target`.
    pub(super) fn change<T>(
        &self,
        target: &Target,
        change: impl FnOnce(&mut Value) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let changed = target.local.change(&target.keys, change)?;
        self.watch(&target.local);
        Ok(changed)
    }

    /// Registers `local` for [`Self::let_go`], because its value may refer back to it: a reference
    /// cycle that would never be freed.
    pub(super) fn watch(&self, local: &Rc<Local>) {
        let local = local.root();
        if !local.value().is_plain() && local.watch() {
            self.with_changed(|all| all.push(local));
        }
    }

    pub(super) fn with_changed<T>(&self, with: impl FnOnce(&mut Vec<Rc<Local>>) -> T) -> T {
        let mut changed = self.changed.0.take();
        let result = with(&mut changed);
        self.changed.0.set(changed);
        result
    }

    /// Clears the registered variables after the first `count_before` that only the list still refers to.
    pub(super) fn let_go(&self, count_before: usize) {
        let since = self.with_changed(|all| all.split_off(count_before));
        let mut kept = Vec::new();
        // The innermost first: it may be what knows an outer one.
        for local in since.into_iter().rev() {
            if Rc::strong_count(&local) > 1 {
                kept.push(local);
            }
        }
        self.with_changed(|all| all.extend(kept.into_iter().rev()));
    }

    /// Calls the method `name`, which changes it, of what is at `target`.
    pub(super) fn call_change(
        &self,
        target: &Target,
        name: &str,
        arguments: Vec<Value>,
    ) -> Result<Value, Fault> {
        if matches!(name, "sort" | "reverse") {
            // The author's functions determine the change: they are called before anything is
            // changed.
            let changed = builtin::call_method(self, &target.value()?, name, arguments)?;
            let changed = self.count_steps(changed)?;
            // Nobody looks at an array of others that is put in order for what is returned.
            let _ = self.change(target, |part| {
                if let (Value::Array(items), Value::Array(ordered)) = (part, &changed) {
                    make_mut(items)?.clone_from(ordered);
                }
                Ok(())
            });
            return Ok(changed);
        }
        let arguments = arguments.into_iter().map(|value| self.shallow(value));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        self.change(target, |part| builtin::change(part, name, &arguments))
    }
}

/// The fault of a change of `target`, which no function made.
pub(super) fn not_own(mut target: &Expr) -> Fault {
    while let Expr::Member(object, ..) = target {
        target = object;
    }
    match target {
        Expr::Name(name) => format!("a change of `{name}`, which is not of the function"),
        _ => "a change of what has no name".to_owned(),
    }
}
