//! Expressions to values. Everything is bounded: steps, depth, and the size of values.

mod change;
mod statement;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::rc::Rc;

use base::path::is_dotted;

use self::change::{ChangedNames, not_own};
use self::statement::{Flow, binds};
use super::regex::Regex;
pub use super::render::Rendered;
use super::render::Rendering;
pub use super::values::{ElementValue, Local, Scope, Value, number_text};
use super::{
    Expr, Function, Item, Jsx, Loop, Member, Module, Pattern, Statement, builtin, hook, react,
};
use crate::tag::THEME;

/// The object that has the hooks.
const REACT: &str = "React";

/// Maximum number of steps of one page.
const MAX_STEPS: u32 = 200_000;
/// Deepest nesting of calls.
const MAX_DEPTH: u32 = 48;
/// Maximum depth of nested values that loops may create.
const MAX_NESTING: u32 = 64;

/// One module of a program.
#[derive(Debug, Default)]
pub struct LoadedModule {
    /// Declarations.
    pub module: Module,
    /// Module of each import, in order.
    pub targets: Vec<Option<usize>>,
    /// Whether it is a file of Markdown, whose default is its content.
    pub is_markdown: bool,
}

/// Declarations of a page and everything it imports.
#[derive(Debug, Default)]
pub struct Program {
    /// The modules; the page itself is the first.
    pub modules: Vec<LoadedModule>,
    /// Names of the components of the theme.
    components: &'static [&'static str],
    pub(super) steps: Cell<u32>,
    depth: Cell<u32>,
    blocks: Cell<u32>,
    /// A hook whose first value was used.
    hook: Cell<Option<&'static str>>,
    /// Names whose values were changed: these may form cycles with them.
    changed: ChangedNames,
    /// Components that are being rendered.
    pub(super) rendering: Rendering,
}

/// Why something has no value at build time, naming the construct: ``the hook `useState` ``.
pub type Fault = String;

/// Returns true if `name` is a prop that handles an event: `onClick`.
pub fn is_handler(name: &str) -> bool {
    name.strip_prefix("on")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

impl Drop for Program {
    fn drop(&mut self) {
        for local in self.changed.0.take() {
            // Nothing is run any more: its aliases are not read.
            let _ = local.change(&[], |value| Ok(std::mem::replace(value, Value::Undefined)));
        }
    }
}

impl Program {
    /// A program without modules, which knows the `components` of the theme.
    pub fn with_components(components: &'static [&'static str]) -> Self {
        let mut program = Self::default();
        program.components = components;
        program
    }

    /// The value of `expr` in `scope`.
    pub fn eval(&self, expr: &Expr, scope: &Scope) -> Result<Value, Fault> {
        self.spend(1)?;
        if self.depth.get() >= MAX_DEPTH {
            return Err("an expression that calls too deep".to_owned());
        }
        self.depth.set(self.depth.get() + 1);
        let value = self.eval_nested(expr, scope);
        self.depth.set(self.depth.get() - 1);
        value
    }

    /// Counts steps; making much costs more than one.
    pub(super) fn spend(&self, steps: usize) -> Result<(), Fault> {
        let steps = u32::try_from(steps).unwrap_or(MAX_STEPS);
        self.steps.set(self.steps.get().saturating_add(steps));
        if self.steps.get() > self.rendering.most_steps(MAX_STEPS) {
            return Err("an expression that takes too many steps".to_owned());
        }
        Ok(())
    }

    /// Counts the steps of what was made by one of them.
    fn count_steps(&self, value: Value) -> Result<Value, Fault> {
        self.spend(match &value {
            Value::Array(items) | Value::Set(items) => items.len(),
            Value::Object(members) => members.len(),
            Value::Map(pairs) => pairs.len(),
            Value::Text(text) => text.len() / 256,
            _ => 0,
        })?;
        Ok(value)
    }

    /// Refuses values in values without end, which loops could make: what is done with them is done for each of those within.
    pub(super) fn shallow(&self, value: Value) -> Result<Value, Fault> {
        if !value.is_plain() {
            let mut depths = super::values::Depths::default();
            let depth = depths.of(&value);
            self.spend(depths.count() / 8)?;
            if depth > MAX_NESTING {
                return Err("values that nest too deep".to_owned());
            }
        }
        Ok(value)
    }

    fn eval_nested(&self, expr: &Expr, scope: &Scope) -> Result<Value, Fault> {
        Ok(match expr {
            Expr::Undefined => Value::Undefined,
            Expr::Null => Value::Null,
            Expr::Bool(bool) => Value::Bool(*bool),
            Expr::Number(number) => Value::Number(*number),
            Expr::Text(text) => Value::Text(text.clone()),
            Expr::Regex(source, flags) => Value::Regex(Regex::new(source, flags)?.into()),
            Expr::Template(texts, between) => {
                let mut whole = String::new();
                for (i, text) in texts.iter().enumerate() {
                    whole.push_str(text);
                    if let Some(expr) = between.get(i) {
                        whole.push_str(&self.eval(expr, scope)?.to_text()?);
                    }
                }
                self.count_steps(Value::Text(whole.into()))?
            }
            Expr::Name(name) => self.lookup(name, scope)?,
            Expr::Array(items) => {
                self.count_steps(Value::Array(self.items(items, scope)?.into()))?
            }
            Expr::Object(members) => {
                let object = self.object(members, scope)?;
                self.count_steps(object)?
            }
            Expr::Member(object, key, is_optional) => {
                let object = match &**object {
                    // The names of the language itself are known by what is asked of them.
                    Expr::Name(name) if builtin::is_global(name) && !scope.has_local(name) => {
                        return builtin::constant(name, &self.eval(key, scope)?.to_text()?);
                    }
                    object => self.eval(object, scope)?,
                };
                if *is_optional && object.is_nullish() {
                    return Ok(Value::Undefined);
                }
                let key = self.eval(key, scope)?;
                object.member(&key)?
            }
            Expr::Call(callee, arguments) => self.call_expr(callee, arguments, scope)?,
            // What is not there has a type all the same (ECMA-262, 13.5.3): `typeof window`.
            Expr::Unary("typeof", operand) if self.is_nowhere(operand, scope)? => {
                Value::text("undefined")
            }
            Expr::Unary(operator, operand) => {
                let operand = self.eval(operand, scope)?;
                match *operator {
                    "!" => Value::Bool(!operand.is_truthy()),
                    "-" => Value::Number(-operand.to_number()),
                    "+" => Value::Number(operand.to_number()),
                    _ => Value::Text(operand.type_name().into()),
                }
            }
            Expr::Binary(operator, left, right) => self.binary(operator, left, right, scope)?,
            Expr::Conditional(condition, yes, no) => {
                let chosen = if self.eval(condition, scope)?.is_truthy() {
                    yes
                } else {
                    no
                };
                self.eval(chosen, scope)?
            }
            Expr::Function(function) => Value::Function(function.clone(), scope.clone()),
            Expr::Jsx(jsx) => self.jsx(jsx, scope)?,
            Expr::Assign(target, value) => {
                let Some(place) = self.target(target, scope)? else {
                    return Err(not_own(target));
                };
                let value = self.shallow(self.eval(value, scope)?)?;
                if place.keys.is_empty() {
                    place.local.set(value.clone())?;
                    self.watch(&place.local);
                } else {
                    self.change(&place, |part| {
                        *part = value.clone();
                        Ok(())
                    })?;
                }
                value
            }
            Expr::New(name, arguments) => {
                let arguments = self.items(arguments, scope)?;
                self.count_steps(builtin::construct(name, &arguments)?)?
            }
            Expr::SetState(key, value) => {
                let value = self.eval(value, scope)?;
                self.set_state(*key, value)?;
                Value::Undefined
            }
            Expr::Other(word) => return Err(format!("`{word}`")),
        })
    }

    /// Returns true if `operand` is an undefined name: neither of the page, nor of its imports, nor
    /// of the language.
    fn is_nowhere(&self, operand: &Expr, scope: &Scope) -> Result<bool, Fault> {
        let Expr::Name(name) = operand else {
            return Ok(false);
        };
        let is_known = scope.has_local(name)
            || builtin::is_global(name)
            || builtin::is_function(name)
            || [REACT, THEME].contains(&&**name);
        Ok(!is_known && self.exported(scope.module, name)?.is_none())
    }

    /// Returns the value of `name` in `scope`.
    pub fn lookup(&self, name: &str, scope: &Scope) -> Result<Value, Fault> {
        if let Some(value) = scope.local(name) {
            return Ok(value);
        }
        match self.exported(scope.module, name)? {
            Some(value) => Ok(value),
            // Its hooks are known by their names: `const { useState } = React`.
            None if name == REACT => Ok(Value::Object(Vec::new().into())),
            None if name == THEME => {
                let names = self.components.iter();
                let members = names.map(|name| ((*name).into(), Value::Text((*name).into())));
                Ok(Value::Object(members.collect::<Vec<_>>().into()))
            }
            // `list.filter(Boolean)` passes a function of the language on.
            None if builtin::is_function(name) => {
                let call = Expr::Call(
                    Expr::Name(name.into()).into(),
                    vec![Item(Expr::Name("value".into()), false)],
                );
                let params = vec![Pattern::Name("value".into())];
                let function = Function {
                    params,
                    body: vec![Statement::Return(call)],
                };
                Ok(Value::Function(function.into(), scope.clone()))
            }
            None => Err(format!("`{name}`, which is not defined here")),
        }
    }

    /// Returns true if `module` has a declaration of `name`.
    fn declares(&self, module: usize, name: &str) -> bool {
        let declarations = self
            .modules
            .get(module)
            .map(|loaded| &loaded.module.declarations);
        (declarations.into_iter().flatten()).any(|(pattern, _)| binds(pattern, name))
    }

    /// Returns the value of `name` at the top level of `module`.
    fn exported(&self, module: usize, name: &str) -> Result<Option<Value>, Fault> {
        let Some(loaded) = self.modules.get(module) else {
            return Ok(None);
        };
        let scope = Scope::of_module(module);
        for (pattern, value) in &loaded.module.declarations {
            if binds(pattern, name) {
                let value = self.eval(value, &scope)?;
                let bound = self.bind(pattern, value, &scope)?;
                return Ok(bound.local(name));
            }
        }
        for ((here, there, from), target) in loaded.module.imports.iter().zip(&loaded.targets) {
            if **here == *name {
                let Some(target) = *target else {
                    let is = if is_dotted(from) {
                        "hidden"
                    } else {
                        "not there"
                    };
                    return Err(format!("`{name}`, whose file `{from}` is {is}"));
                };
                return self.import(target, there).map(Some);
            }
        }
        Ok(None)
    }

    fn import(&self, module: usize, name: &str) -> Result<Value, Fault> {
        let missing = || format!("`{name}`, which its file does not export");
        let loaded = self.modules.get(module).ok_or_else(missing)?;
        if name == "default" && loaded.is_markdown {
            return Ok(Value::Snippet(module));
        }
        if name == "default" {
            let default = loaded.module.default.as_ref().ok_or_else(missing)?;
            return self.eval(default, &Scope::of_module(module));
        }
        self.depth.set(self.depth.get() + 1);
        let value = if self.depth.get() > MAX_DEPTH {
            Ok(None)
        } else {
            self.exported(module, name)
        };
        self.depth.set(self.depth.get() - 1);
        value?.ok_or_else(missing)
    }

    fn items(&self, items: &[Item], scope: &Scope) -> Result<Vec<Value>, Fault> {
        let mut values = Vec::with_capacity(items.len());
        for Item(expr, is_spread) in items {
            let value = self.eval(expr, scope)?;
            match (is_spread, value.items()) {
                (true, Some(inner)) => {
                    self.spend(inner.len())?;
                    values.extend(inner);
                }
                (true, None) => return Err("a spread of what has no items".to_owned()),
                _ => values.push(value),
            }
        }
        Ok(values)
    }

    fn object(&self, members: &[Member], scope: &Scope) -> Result<Value, Fault> {
        let mut object: Vec<(Rc<str>, Value)> = Vec::with_capacity(members.len());
        let mut set =
            |key: Rc<str>, value: Value| match object.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) => *known = value,
                None => object.push((key, value)),
            };
        for member in members {
            match member {
                Member::Pair(key, value) => {
                    let key = self.eval(key, scope)?.to_text()?;
                    set(key, self.eval(value, scope)?);
                }
                Member::Spread(expr) => match self.eval(expr, scope)? {
                    Value::Object(inner) => inner
                        .iter()
                        .for_each(|(key, value)| set(key.clone(), value.clone())),
                    value if value.is_nullish() => {}
                    _ => return Err("a spread of what is no object".to_owned()),
                },
            }
        }
        Ok(Value::Object(object.into()))
    }

    fn binary(
        &self,
        operator: &str,
        left: &Expr,
        right: &Expr,
        scope: &Scope,
    ) -> Result<Value, Fault> {
        let left = self.eval(left, scope)?;
        match operator {
            "&&" if !left.is_truthy() => return Ok(left),
            "||" if left.is_truthy() => return Ok(left),
            "??" if !left.is_nullish() => return Ok(left),
            _ => {}
        }
        let right = self.eval(right, scope)?;
        let numbers = || (left.to_number(), right.to_number());
        Ok(match operator {
            "&&" | "||" | "??" => right,
            "===" => Value::Bool(left.equals(&right)),
            "!==" => Value::Bool(!left.equals(&right)),
            "==" => Value::Bool(left.equals(&right) || (left.is_nullish() && right.is_nullish())),
            "!=" => {
                Value::Bool(!(left.equals(&right) || (left.is_nullish() && right.is_nullish())))
            }
            "+" => match (&left, &right) {
                (Value::Number(a), Value::Number(b)) => Value::Number(a + b),
                _ => {
                    let whole = [&*left.to_text()?, &*right.to_text()?].concat();
                    if whole.len() > 1 << 20 {
                        return Err("a string that is too long".to_owned());
                    }
                    self.count_steps(Value::Text(whole.into()))?
                }
            },
            "-" => Value::Number(numbers().0 - numbers().1),
            "*" => Value::Number(numbers().0 * numbers().1),
            "/" => Value::Number(numbers().0 / numbers().1),
            "%" => Value::Number(numbers().0 % numbers().1),
            comparison => {
                let is = |less: bool, same: bool| match comparison {
                    "<" => less,
                    "<=" => less || same,
                    ">" => !less && !same,
                    _ => !less,
                };
                Value::Bool(match (&left, &right) {
                    (Value::Text(a), Value::Text(b)) => is(a < b, a == b),
                    _ => {
                        let (a, b) = numbers();
                        !a.is_nan() && !b.is_nan() && is(a < b, a == b)
                    }
                })
            }
        })
    }

    fn call_expr(&self, callee: &Expr, arguments: &[Item], scope: &Scope) -> Result<Value, Fault> {
        if let Expr::Member(object, key, is_optional) = callee {
            let key = self.eval(key, scope)?.to_text()?;
            if let Expr::Name(name) = &**object
                && builtin::is_global(name)
                && !scope.has_local(name)
            {
                let arguments = self.items(arguments, scope)?;
                return self.count_steps(builtin::call_global(self, name, &key, &arguments)?);
            }
            if **object == Expr::Name(REACT.into()) {
                if react::is_function(&key) {
                    let arguments = self.items(arguments, scope)?;
                    return react::call(self, &key, arguments, callee);
                }
                if let Some(value) = self.hook(&key, arguments, scope)? {
                    return Ok(value);
                }
            }
            if react::is_children(object, scope) {
                let arguments = self.items(arguments, scope)?;
                return react::call_children(self, &key, arguments);
            }
            let place = match builtin::is_change(&key) {
                true => self.target(object, scope)?,
                false => None,
            };
            let object = match &place {
                Some(place) => place.value()?,
                None => self.eval(object, scope)?,
            };
            if *is_optional && object.is_nullish() {
                return Ok(Value::Undefined);
            }
            if let Some(place) = place
                && matches!(object, Value::Array(_) | Value::Set(_) | Value::Map(_))
            {
                drop(object);
                let arguments = self.items(arguments, scope)?;
                return self.call_change(&place, &key, arguments);
            }
            if let Value::Object(members) = &object
                && let Some((_, function)) = members.iter().find(|(name, _)| *name == key)
            {
                return self.call(function, self.items(arguments, scope)?);
            }
            let arguments = self.items(arguments, scope)?;
            return self.count_steps(builtin::call_method(self, &object, &key, arguments)?);
        }
        if let Expr::Name(name) = callee
            && matches!(scope.local(name), None | Some(Value::Undefined))
        {
            if hook::is_hook(name)
                && let Some(value) = self.hook(name, arguments, scope)?
            {
                return Ok(value);
            }
            if builtin::is_function(name) {
                let arguments = self.items(arguments, scope)?;
                return builtin::call_function(name, &arguments);
            }
            if react::is_function(name) && !self.declares(scope.module, name) {
                let arguments = self.items(arguments, scope)?;
                return react::call(self, name, arguments, callee);
            }
            if self.rendering.is_reacting() && react::is_timer(name) {
                return react::call_timer(self, name, self.items(arguments, scope)?);
            }
        }
        let function = self.eval(callee, scope)?;
        let values = self.items(arguments, scope)?;
        let lent = arguments.iter().map(|argument| match argument {
            Item(Expr::Name(name), false) => scope.lookup(name).cloned(),
            _ => None,
        });
        let has_spread = arguments.iter().any(|Item(_, is_spread)| *is_spread);
        match has_spread {
            true => self.call(&function, values),
            false => self.call_lent(&function, values, &lent.collect::<Vec<_>>()),
        }
    }

    /// The first value of the hook `name`; `None` if it is a function of the author's that only is named like one.
    fn hook(&self, name: &str, arguments: &[Item], scope: &Scope) -> Result<Option<Value>, Fault> {
        let Some(known) = hook::known_value(name) else {
            return match self.exported(scope.module, name) {
                Ok(Some(_)) => Ok(None),
                _ => Err(format!("the hook `{name}`")),
            };
        };
        let arguments = self.items(arguments, scope)?;
        // A context is what surrounds it, and nothing that changes.
        if known != "useContext" {
            self.hook.set(self.hook.get().or(Some(known)));
        }
        hook::call(self, known, &arguments).map(Some)
    }

    /// Returns a hook whose first value was used since the last call: the output is its first
    /// render.
    pub fn take_hook(&self) -> Option<&'static str> {
        self.hook.take()
    }

    /// Calls `function`.
    pub fn call(&self, function: &Value, arguments: Vec<Value>) -> Result<Value, Fault> {
        self.call_lent(function, arguments, &[])
    }

    /// Calls `function`; the names in `lent` are those that the arguments are the values of.
    fn call_lent(
        &self,
        function: &Value,
        arguments: Vec<Value>,
        lent: &[Option<Rc<Local>>],
    ) -> Result<Value, Fault> {
        let Value::Function(function, scope) = function else {
            return Err("a call of what is no function".to_owned());
        };
        let mut scope = scope.clone();
        let mut arguments = arguments.into_iter();
        for (i, pattern) in function.params.iter().enumerate() {
            if let Pattern::Rest(name) = pattern {
                let rest: Vec<Value> = arguments.by_ref().collect();
                scope = scope.with(name.clone(), Value::Array(rest.into()));
                continue;
            }
            let value = arguments.next().unwrap_or(Value::Undefined);
            scope = match (pattern, lent.get(i)) {
                (Pattern::Name(name), Some(Some(local))) if !value.is_plain() => {
                    scope.lent(name.clone(), local)
                }
                _ => self.bind(pattern, value, &scope)?,
            };
        }
        let known = self.with_changed(|all| all.len());
        let flow = self.block(&function.body, &mut scope)?;
        drop(scope);
        self.let_go(known);
        Ok(match flow {
            Flow::Return(value) => value,
            _ => Value::Undefined,
        })
    }

    fn jsx(&self, jsx: &Jsx, scope: &Scope) -> Result<Value, Fault> {
        let mut props: Vec<(Rc<str>, Value)> = Vec::with_capacity(jsx.attributes.len());
        for (name, value) in &jsx.attributes {
            // What happens on events is only looked at: a handler without a value is none.
            if is_handler(name) {
                if let Ok(handler) = self.eval(value, scope) {
                    props.push((name.clone(), handler));
                }
                continue;
            }
            match self.eval(value, scope)? {
                Value::Object(members) if name.is_empty() => props.extend(members.iter().cloned()),
                value => props.push((name.clone(), value)),
            }
        }
        let children = jsx
            .children
            .iter()
            .map(|child| self.eval(child, scope))
            .collect::<Result<Vec<_>, _>>()?;
        let origin = std::ptr::from_ref(jsx).addr();
        self.element(&jsx.name, props, children, scope, origin)
    }

    /// The element `name` with these props.
    fn element(
        &self,
        name: &Rc<str>,
        props: Vec<(Rc<str>, Value)>,
        children: Vec<Value>,
        scope: &Scope,
        origin: usize,
    ) -> Result<Value, Fault> {
        let (component, snippet) = match self.component(name, scope)? {
            None => (None, None),
            Some(Value::Snippet(module)) => (None, Some(module)),
            Some(component) if react::is_component(&component) => (Some(component), None),
            // `const Tag = level > 1 ? 'h3' : 'h2'`.
            Some(Value::Text(tag)) => {
                let element = ElementValue {
                    name: tag,
                    component: None,
                    origin,
                    snippet: None,
                    props,
                    children,
                };
                return Ok(Value::Element(element.into()));
            }
            Some(_) => return Err(format!("`<{name}>`, which is no component")),
        };
        let element = ElementValue {
            name: name.clone(),
            component,
            origin,
            snippet,
            props,
            children,
        };
        Ok(Value::Element(element.into()))
    }

    /// Returns the component `name` that the page declares or imports; `None` if it is one of the
    /// theme or of HTML.
    pub fn component(&self, name: &str, scope: &Scope) -> Result<Option<Value>, Fault> {
        if !name.starts_with(|c: char| c.is_ascii_uppercase()) || name == "React.Fragment" {
            return Ok(None);
        }
        let mut parts = name.split('.');
        let first = parts.next().unwrap_or(name);
        let mut found = match scope.local(first) {
            Some(value) => Some(value),
            None => self.exported(scope.module, first)?,
        };
        for part in parts {
            found = found
                .map(|object| object.member(&Value::Text(part.into())))
                .transpose()?;
        }
        Ok(found)
    }
}
