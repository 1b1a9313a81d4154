//! Expressions to values. Everything is bounded: steps, depth, and the size of what is made.

use std::cell::Cell;
use std::rc::Rc;

use super::regex::Regex;
pub use super::values::{ElementValue, Local, Scope, Value, number_text};
use super::{Expr, Function, Item, Jsx, Loop, Member, Module, Pattern, Statement, builtin, hook};

/// The object that has the hooks.
const REACT: &str = "React";

/// Most steps of one page.
const MAX_STEPS: u32 = 200_000;
/// Deepest nesting of calls.
const MAX_DEPTH: u32 = 48;
/// Most values in each other that loops may make.
const MAX_NESTING: u32 = 64;

/// One module of a program.
#[derive(Debug, Default)]
pub struct Loaded {
    /// What it declares.
    pub module: Module,
    /// For each of its imports, in order: the module it comes from.
    pub targets: Vec<Option<usize>>,
    /// Whether it is a file of Markdown, whose default is its content.
    pub is_markdown: bool,
}

/// What a page and everything it imports declare.
#[derive(Debug, Default)]
pub struct Program {
    /// The modules; the page itself is the first.
    pub modules: Vec<Loaded>,
    steps: Cell<u32>,
    depth: Cell<u32>,
    /// A hook whose first value was used.
    hook: Cell<Option<&'static str>>,
    /// Names whose values were changed: what they hold may hold them.
    changed: Changed,
}

/// Names whose values were changed while a page is drawn.
#[derive(Default)]
struct Changed(Cell<Vec<Rc<Local>>>);

impl std::fmt::Debug for Changed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Changed")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        for local in self.changed.0.take() {
            // Nothing is run any more: whoever stands for it does not look.
            let _ = local.change(&[], |value| Ok(std::mem::replace(value, Value::Undefined)));
        }
    }
}

/// What a statement leads to.
enum Flow {
    /// The next statement.
    Next,
    /// The end of the loop or of the `switch`.
    Break,
    /// The next round of the loop.
    Continue,
    /// The end of the function.
    Return(Value),
}

/// Something that can be changed: a name of a function, or what keys lead to from it.
struct Target {
    local: Rc<Local>,
    keys: Vec<Value>,
}

impl Target {
    fn value(&self) -> Result<Value, Fault> {
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

/// Why something has no value when the site is built, naming the construct: ``the hook `useState` ``.
pub type Fault = String;

impl Program {
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
    fn spend(&self, steps: usize) -> Result<(), Fault> {
        let steps = u32::try_from(steps).unwrap_or(MAX_STEPS);
        self.steps.set(self.steps.get().saturating_add(steps));
        if self.steps.get() > MAX_STEPS {
            return Err("an expression that takes too many steps".to_owned());
        }
        Ok(())
    }

    /// Counts the steps of what was made by one of them.
    fn made(&self, value: Value) -> Result<Value, Fault> {
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
                self.made(Value::Text(whole.into()))?
            }
            Expr::Name(name) => self.lookup(name, scope)?,
            Expr::Array(items) => self.made(Value::Array(self.items(items, scope)?.into()))?,
            Expr::Object(members) => {
                let object = self.object(members, scope)?;
                self.made(object)?
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
                self.made(builtin::construct(name, &arguments)?)?
            }
            Expr::Other(word) => return Err(format!("`{word}`")),
        })
    }

    /// Whether `operand` is a name that nothing has: of the page, of its imports, of the language.
    fn is_nowhere(&self, operand: &Expr, scope: &Scope) -> Result<bool, Fault> {
        let Expr::Name(name) = operand else {
            return Ok(false);
        };
        let is_known = scope.has_local(name)
            || builtin::is_global(name)
            || builtin::is_function(name)
            || &**name == REACT;
        Ok(!is_known && self.exported(scope.module, name)?.is_none())
    }

    /// What `name` stands for in `scope`.
    pub fn lookup(&self, name: &str, scope: &Scope) -> Result<Value, Fault> {
        if let Some(value) = scope.local(name) {
            return Ok(value);
        }
        match self.exported(scope.module, name)? {
            Some(value) => Ok(value),
            // Its hooks are known by their names: `const { useState } = React`.
            None if name == REACT => Ok(Value::Object(Vec::new().into())),
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

    /// What `name` stands for at the top level of `module`.
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
                    return Err(format!("`{name}`, whose file `{from}` is not there"));
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
                    self.made(Value::Text(whole.into()))?
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
                return self.made(builtin::call_global(self, name, &key, &arguments)?);
            }
            if **object == Expr::Name(REACT.into())
                && let Some(value) = self.hook(&key, arguments, scope)?
            {
                return Ok(value);
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
            return self.made(builtin::call_method(self, &object, &key, arguments)?);
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
        }
        let function = self.eval(callee, scope)?;
        let values = self.items(arguments, scope)?;
        let lent = arguments.iter().map(|argument| match argument {
            Item(Expr::Name(name), false) => scope.found(name).cloned(),
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
        let Some(known) = hook::known(name) else {
            return match self.exported(scope.module, name) {
                Ok(Some(_)) => Ok(None),
                _ => Err(format!("the hook `{name}`")),
            };
        };
        self.hook.set(self.hook.get().or(Some(known)));
        hook::call(self, known, &self.items(arguments, scope)?).map(Some)
    }

    /// A hook whose first value was used since the last call: what was drawn is how it first appears.
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

    /// What `expr` stands for, to be changed; `None` if no function made it.
    fn target(&self, expr: &Expr, scope: &Scope) -> Result<Option<Target>, Fault> {
        Ok(match expr {
            Expr::Name(name) => scope.found(name).map(|local| Target {
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
    fn change<T>(
        &self,
        target: &Target,
        change: impl FnOnce(&mut Value) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let changed = target.local.change(&target.keys, change)?;
        self.watch(&target.local);
        Ok(changed)
    }

    /// Takes care that what `local` holds does not hold it for ever.
    fn watch(&self, local: &Rc<Local>) {
        let local = local.root();
        if !local.value().is_plain() && local.watch() {
            self.with_changed(|all| all.push(local));
        }
    }

    fn with_changed<T>(&self, with: impl FnOnce(&mut Vec<Rc<Local>>) -> T) -> T {
        let mut changed = self.changed.0.take();
        let result = with(&mut changed);
        self.changed.0.set(changed);
        result
    }

    /// Lets go of what was changed since there were `known` of them and nothing but the list knows any more.
    fn let_go(&self, known: usize) {
        let since = self.with_changed(|all| all.split_off(known));
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
    fn call_change(
        &self,
        target: &Target,
        name: &str,
        arguments: Vec<Value>,
    ) -> Result<Value, Fault> {
        if matches!(name, "sort" | "reverse") {
            // Functions of the author's say how: they are called before anything is changed.
            let changed = builtin::call_method(self, &target.value()?, name, arguments)?;
            let changed = self.made(changed)?;
            // Nobody looks at an array of others that is put in order for what is returned.
            let _ = self.change(target, |part| {
                if let (Value::Array(items), Value::Array(ordered)) = (part, &changed) {
                    super::values::own(items)?.clone_from(ordered);
                }
                Ok(())
            });
            return Ok(changed);
        }
        let arguments = arguments.into_iter().map(|value| self.shallow(value));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        self.change(target, |part| builtin::change(part, name, &arguments))
    }

    /// Runs statements until one leads elsewhere.
    fn block(&self, statements: &[Statement], scope: &mut Scope) -> Result<Flow, Fault> {
        for statement in statements {
            match self.statement(statement, scope)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&self, statement: &Statement, scope: &mut Scope) -> Result<Flow, Fault> {
        match statement {
            Statement::Declare(pattern, value) => {
                let value = self.eval(value, scope)?;
                *scope = self.bind(pattern, value, scope)?;
            }
            Statement::Recursive(name, function) => {
                *scope = scope.with(name.clone(), Value::Undefined);
                if let Some(local) = scope.found(name) {
                    local.set(Value::Function(function.clone(), scope.clone()))?;
                    self.watch(local);
                }
            }
            Statement::Several(statements) => return self.block(statements, scope),
            Statement::Run(expr) => {
                self.eval(expr, scope)?;
            }
            Statement::Return(value) => return self.eval(value, scope).map(Flow::Return),
            Statement::If(condition, yes, no) => {
                let branch = match self.eval(condition, scope)?.is_truthy() {
                    true => yes,
                    false => no,
                };
                return self.block(branch, &mut scope.clone());
            }
            Statement::Block(statements) => return self.block(statements, &mut scope.clone()),
            Statement::Loop(repeated) => return self.repeat(repeated, scope),
            Statement::Of(pattern, items, body) => {
                let items = self.eval(items, scope)?.items();
                let items = items.ok_or("a loop over what has no items")?;
                for item in items {
                    self.spend(1)?;
                    let mut inner = self.bind(pattern, item, scope)?;
                    match self.block(body, &mut inner)? {
                        Flow::Break => break,
                        Flow::Return(value) => return Ok(Flow::Return(value)),
                        Flow::Next | Flow::Continue => {}
                    }
                }
            }
            Statement::Switch(of, cases) => {
                let of = self.eval(of, scope)?;
                let mut found = None;
                for (at, (case, _)) in cases.iter().enumerate() {
                    if let Some(case) = case
                        && self.eval(case, scope)?.equals(&of)
                    {
                        found = Some(at);
                        break;
                    }
                }
                let found = found.or_else(|| cases.iter().position(|(case, _)| case.is_none()));
                let mut inner = scope.clone();
                for (_, body) in cases.iter().skip(found.unwrap_or(cases.len())) {
                    match self.block(body, &mut inner)? {
                        Flow::Next => {}
                        Flow::Break => break,
                        flow => return Ok(flow),
                    }
                }
            }
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            Statement::Other(words) => return Err(words.clone()),
        }
        Ok(Flow::Next)
    }

    fn repeat(&self, repeated: &Loop, scope: &Scope) -> Result<Flow, Fault> {
        let mut scope = scope.clone();
        if let Some(start) = &repeated.start {
            self.statement(start, &mut scope)?;
        }
        let mut is_asked = !repeated.is_late;
        loop {
            self.spend(1)?;
            if let (true, Some(condition)) = (is_asked, &repeated.condition)
                && !self.eval(condition, &scope)?.is_truthy()
            {
                return Ok(Flow::Next);
            }
            is_asked = true;
            match self.block(&repeated.body, &mut scope.clone())? {
                Flow::Break => return Ok(Flow::Next),
                Flow::Return(value) => return Ok(Flow::Return(value)),
                Flow::Next | Flow::Continue => {}
            }
            if let Some(step) = &repeated.step {
                self.eval(step, &scope)?;
            }
        }
    }

    /// `scope` with what `pattern` binds of `value`.
    fn bind(&self, pattern: &Pattern, value: Value, scope: &Scope) -> Result<Scope, Fault> {
        Ok(match pattern {
            Pattern::Name(name) | Pattern::Rest(name) => scope.with(name.clone(), value),
            Pattern::Default(pattern, default) => {
                let value = if matches!(value, Value::Undefined) {
                    self.eval(default, scope)?
                } else {
                    value
                };
                self.bind(pattern, value, scope)?
            }
            Pattern::Array(items) => {
                let mut scope = scope.clone();
                for (i, item) in items.iter().enumerate() {
                    if let Some(item) = item {
                        scope = self.bind(item, value.member(&Value::Number(i as f64))?, &scope)?;
                    }
                }
                scope
            }
            Pattern::Object(members, rest) => {
                let mut scope = scope.clone();
                for (key, bound, default) in members {
                    let mut part = value.member(&Value::Text(key.clone()))?;
                    if let (Value::Undefined, Some(default)) = (&part, default) {
                        part = self.eval(default, &scope)?;
                    }
                    scope = self.bind(bound, part, &scope)?;
                }
                if let (Some(rest), Value::Object(all)) = (rest, &value) {
                    let left = all
                        .iter()
                        .filter(|(key, _)| members.iter().all(|(known, ..)| known != key))
                        .cloned();
                    scope =
                        scope.with(rest.clone(), Value::Object(left.collect::<Vec<_>>().into()));
                }
                scope
            }
        })
    }

    fn jsx(&self, jsx: &Jsx, scope: &Scope) -> Result<Value, Fault> {
        let mut props: Vec<(Rc<str>, Value)> = Vec::with_capacity(jsx.attributes.len());
        for (name, value) in &jsx.attributes {
            // What happens on events does not happen when the site is built.
            if name.len() > 2
                && name.starts_with("on")
                && name[2..].starts_with(|c: char| c.is_ascii_uppercase())
            {
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
        self.element(&jsx.name, props, children, scope)
    }

    /// The element `name` with these props: a component that the page declares or imports is called.
    pub fn element(
        &self,
        name: &Rc<str>,
        mut props: Vec<(Rc<str>, Value)>,
        children: Vec<Value>,
        scope: &Scope,
    ) -> Result<Value, Fault> {
        let mut snippet = None;
        if let Some(component) = self.component(name, scope)? {
            match component {
                Value::Function(..) => {
                    if !children.is_empty() {
                        let children = match <[Value; 1]>::try_from(children) {
                            Ok([only]) => only,
                            Err(children) => Value::Array(children.into()),
                        };
                        props.push(("children".into(), children));
                    }
                    return self.call(&component, vec![Value::Object(props.into())]);
                }
                Value::Snippet(module) => snippet = Some(module),
                _ => return Err(format!("`<{name}>`, which is no component")),
            }
        }
        Ok(Value::Element(
            ElementValue {
                name: name.clone(),
                snippet,
                props,
                children,
            }
            .into(),
        ))
    }

    /// What the page declares or imports as the component `name`; `None` if it is one of the theme or of HTML.
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

/// Whether `pattern` binds `name`.
fn binds(pattern: &Pattern, name: &str) -> bool {
    match pattern {
        Pattern::Name(bound) | Pattern::Rest(bound) => **bound == *name,
        Pattern::Default(pattern, _) => binds(pattern, name),
        Pattern::Array(items) => items.iter().flatten().any(|item| binds(item, name)),
        Pattern::Object(members, rest) => {
            members.iter().any(|(_, pattern, _)| binds(pattern, name))
                || rest.as_deref() == Some(name)
        }
    }
}

/// The fault of a change of `target`, which no function made.
fn not_own(mut target: &Expr) -> Fault {
    while let Expr::Member(object, ..) = target {
        target = object;
    }
    match target {
        Expr::Name(name) => format!("a change of `{name}`, which is not of the function"),
        _ => "a change of what has no name".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::js::parse;

    #[track_caller]
    fn check_value(source: &str, expected: &str) {
        let module = parse::module(
            "export const list = [1, 2, 3]\nexport const user = { name: 'Ada', tags: ['x'] };\nconst twice = (n) => n * 2\nfunction greet({ name, mark = '!' }) {\n  const whole = `Hi ${name}`;\n  if (mark === '?') return whole;\n  return whole + mark;\n}\nconst names = (props) => {\n  let names;\n  let mark = '+'\n  if (props.list) {\n    names = props.list.split(/, */)\n  } else if (!props.list) { names = ['no']; names = names.concat('body'); mark = '' }\n  return names.join(mark)\n}\nconst shadowed = (n) => { let a = n; if (n) { let a = 0; a = 5 } return a }",
        );
        assert!(module.faults.is_empty(), "{:?}", module.faults);
        let mut program = Program::default();
        program.modules.push(Loaded {
            module,
            ..Loaded::default()
        });
        let value =
            parse::expression(source).and_then(|expr| program.eval(&expr, &Scope::of_module(0)));
        let shown = match value {
            Ok(value) => value
                .to_text()
                .map_or_else(|fault| fault, |text| text.to_string()),
            Err(fault) => format!("needs {fault}"),
        };
        assert_eq!(shown, expected, "{source}");
    }

    #[test]
    fn what_is_known_when_the_site_is_built_has_a_value() {
        for (source, expected) in [
            ("1 + 2 * 3", "7"),
            ("'a' + 1", "a1"),
            ("`x${1 + 1}y`", "x2y"),
            ("user.name", "Ada"),
            ("user?.nope?.deeper", "undefined"),
            (r"'a1  b2'.split(/\s+/).join('|')", "a1|b2"),
            (r"'a1b2'.replace(/[a-z/]/g, '<$&>')", "<a>1<b>2"),
            (r"'a-b'.replace(/(\w)-(\w)/, '$2$$$1')", "b$a"),
            ("'ab'.replace(/B/i, (found) => found + '!')", "ab!"),
            ("/^a/.test('ba')", "false"),
            ("'x'.match(/y/) || 'none'", "none"),
            ("4 / 2 / 1", "2"),
            ("names({ list: 'a, b' })", "a+b"),
            ("names({})", "nobody"),
            ("useState(() => 2)[0] + React.useMemo(() => 3)", "5"),
            (
                "(() => { const [n] = useState(1); useEffect(async () => { await x }, []); const go = async () => new X(); return n })()",
                "1",
            ),
            ("shadowed(1)", "1"),
            ("user.tags[0] ?? 'none'", "x"),
            ("list.length > 2 ? 'many' : 'few'", "many"),
            ("list.map((n, i) => n * i).join('-')", "0-2-6"),
            ("list.filter(n => n !== 2).map(twice)", "2,6"),
            ("[...list, 4].slice(-2)", "3,4"),
            ("greet(user)", "Hi Ada!"),
            ("greet({ ...user, mark: '?' })", "Hi Ada"),
            ("Object.keys(user).join()", "name,tags"),
            ("['', 'a'].filter(Boolean)", "a"),
            ("true && null", "null"),
            ("Math.max(...list)", "3"),
            ("JSON.stringify({ a: [1, 'x'] })", "{\"a\":[1,\"x\"]}"),
            ("(() => { const { name: n } = user; return n })()", "Ada"),
            (
                "(() => { const { useState } = React; const [n] = useState(4); return n })()",
                "4",
            ),
            ("typeof window === 'undefined' && typeof list", "object"),
            ("list.reduce((sum, n) => sum + n, 0)", "6"),
            ("list.reduce((a, n) => a + '-' + n)", "1-2-3"),
            ("list.reduceRight((a, n) => [...a, n], [])", "3,2,1"),
            ("[10, 9, 1].sort()", "1,10,9"),
            ("[10, 9, 1].sort((a, b) => a - b)", "1,9,10"),
            (
                "['b', 'A', 'a', 'C'].toSorted((a, b) => a.localeCompare(b))",
                "A,a,b,C",
            ),
            ("list.sort(() => 1)", "3,2,1"),
            ("Array.from({ length: 3 }, (_, i) => i * 2)", "0,2,4"),
            ("Array.from('abc').toReversed()", "c,b,a"),
            (
                "JSON.stringify(Object.fromEntries(Object.entries({ a: 1, b: 2 }).map(([k, v]) => [k, v * 2])))",
                "{\"a\":2,\"b\":4}",
            ),
            (
                "JSON.stringify(Object.assign({}, { a: 1, b: 2 }, { a: 3 }))",
                "{\"a\":3,\"b\":2}",
            ),
            ("(1234567.8911).toLocaleString()", "1,234,567.891"),
            ("(-999).toLocaleString() + (0).toLocaleString()", "-9990"),
            ("Math.pow(2, 10) + Math.trunc(-1.5) + Math.sign(-3)", "1022"),
            (
                "isNaN('x') && encodeURI('https://a.b/c d?e=ä')",
                "https://a.b/c%20d?e=%C3%A4",
            ),
            ("btoa('key:')", "a2V5Og=="),
            ("!list.includes(9)", "true"),
            (
                "(() => { const all = []; for (const n of list) { if (n === 2) continue; all.push(n, -n) } return all })()",
                "1,-1,3,-3",
            ),
            (
                "(() => { let s = ''; for (let i = 0, n = 3; i < n; i++) s += i; return s })()",
                "012",
            ),
            (
                "(() => { let n = 3, s = 0; while (true) { s += n--; if (n <= 0) break } do { s *= 2 } while (s < 20); return s + ',' + n })()",
                "24,0",
            ),
            (
                "(() => { const by = {}; ['ax', 'b', 'ay'].forEach((w) => { (by[w[0]] = by[w[0]] || []).push(w) }); return JSON.stringify(by) })()",
                r#"{"a":["ax","ay"],"b":["b"]}"#,
            ),
            (
                "(() => { const by = new Map(); for (const w of ['ax', 'b', 'ay']) { if (!by.has(w[0])) by.set(w[0], []); by.get(w[0]).push(w) } return [...by].map(([k, v]) => k + v.length) + '' + by.size })()",
                "a2,b12",
            ),
            (
                "(() => { const seen = new Set([1, 2, 2]); seen.add(3); seen.delete(1); return [...seen, seen.size, seen.has(3)] })()",
                "2,3,2,true",
            ),
            (
                "(() => { const name = (n) => { switch (n) { case 1: return 'one'; case 2: { return 'two' } default: break } return 'many' }; return list.map(name) })()",
                "one,two,many",
            ),
            (
                "(() => { const a = [3, 1, 2]; a.sort(); a.reverse(); const cut = a.splice(1, 1, 7, 8); const last = a.pop(); a.unshift(a.shift() + 1); a[0] += 1; return [a, cut, last] })()",
                "5,7,8,2,1",
            ),
            (
                "(() => { let out = ''; try { for (const k in user) out += k + ' ' } catch (e) { out = 'no' } finally { out += '.' } return out })()",
                "name tags .",
            ),
            (
                "(() => { const made = () => { const rows = []; rows.push(1); return rows }; const rows = made(); rows.push(2); return rows })()",
                "1,2",
            ),
            (
                "(() => { const found = []; const collect = (to, n) => { to.push(n); if (n) collect(to, n - 1) }; collect(found, 2); let all = found; const less = (all) => { all = all.filter((n) => n); return all }; return less(found) + '|' + found })()",
                "2,1|2,1,0",
            ),
            (
                "(() => { const tree = { name: 'a', below: [{ name: 'b', below: [{ name: 'c' }] }, { name: 'd' }] }; function walk({ name, below = [] }) { return name + below.map((one) => walk(one)).join('') } return walk(tree) })()",
                "abcd",
            ),
            (
                "(() => { let n = 0; const more = () => { n += 1 }; more(); more(); return n })()",
                "2",
            ),
            (
                r"(() => { let out = ''; for (const [i, c] of ['a', 'b'].entries()) out += i + c; return out })()",
                "0a1b",
            ),
            (
                r"'É'.normalize('NFD').length + 'ﬁ'.normalize('NFKC') + ['a', 'b', 'a'].lastIndexOf('a') + 'abab'.lastIndexOf('ab') + 'A'.charCodeAt(0)",
                "2fi2265",
            ),
            (
                "(() => { console.log('x'); return String.fromCharCode(65 + 1, 67) })()",
                "BC",
            ),
            ("1 < 2 && 2 >= 2", "true"),
        ] {
            check_value(source, expected);
        }
    }

    #[test]
    fn what_is_not_known_names_its_construct() {
        for (source, expected) in [
            ("useContext(0)", "needs the hook `useContext`"),
            ("new Date()", "needs `new Date`"),
            ("new Intl.X().y(1)", "needs `new`"),
            (
                "(() => { const a = []; const b = a; b.push(1); return a })()",
                "needs a change of what has two names",
            ),
            (
                "(() => { const a = []; a.push(a); return a })()",
                "needs a change of what has two names",
            ),
            (
                "(() => { const a = {}; a.b = { a }; return a })()",
                "needs a change of what has two names",
            ),
            ("list.push(4)", "needs `push` of an array"),
            (
                "(() => { const a = []; a[9] = 1 })()",
                "needs a change beyond an array",
            ),
            ("fetch('/x')", "needs `fetch`, which is not defined here"),
            ("window.x", "needs `window`, which is not defined here"),
            (
                "(() => {\n list = 2\n return list })()",
                "needs a change of `list`, which is not of the function",
            ),
            ("[].reduce((a, b) => a)", "needs `reduce` of an empty array"),
            (
                "list.sort((a, b) => nope)",
                "needs `nope`, which is not defined here",
            ),
            (
                "Array.from({ length: 1e9 })",
                "needs an array that is too long",
            ),
            ("btoa('€')", "needs `btoa` of letters beyond Latin-1"),
            ("user.nope.deeper", "needs `deeper` of undefined"),
        ] {
            check_value(source, expected);
        }
    }

    #[test]
    fn nothing_loops_for_long() {
        check_value("(function f() { return f() })", "function as text");
        let module = parse::module(
            "const f = (n) => f(n + 1)\nconst g = () => [1,2,3,4,5,6,7,8,9,10].map(h)\nconst h = () => g()\nconst loops = () => { for (;;) {} }\nconst grows = () => { let a = [1]; while (true) a = [...a, ...a] }\nconst writes = () => { let s = 'x'; const all = []; while (true) { s = s + s.slice(0, 99999); all.push(s) } }\nconst nests = () => { let a = () => 1; while (true) { const b = a; a = () => b } }\nconst boxes = () => { let a = 1; while (true) a = [a] }\nconst folds = () => Array.from({ length: 9999 }).reduce((a) => [a], 0)\nconst hides = () => { let a = 1, b = 1; while (true) { a = [b, [[b]]]; b = a } }\nconst fills = () => { const all = new Set(); let n = 0; while (true) all.add(n++) }",
        );
        assert!(module.faults.is_empty(), "{:?}", module.faults);
        let mut program = Program::default();
        program.modules.push(Loaded {
            module,
            ..Loaded::default()
        });
        for source in [
            "f(0)", "g()", "loops()", "grows()", "writes()", "nests()", "fills()",
        ] {
            program.steps.set(0);
            let expr = parse::expression(source).unwrap();
            assert!(program.eval(&expr, &Scope::of_module(0)).is_err());
        }
        assert!(parse::expression(&"(".repeat(100_000)).is_err());
        assert!(parse::expression(&"<a>".repeat(100_000)).is_err());
    }
}
