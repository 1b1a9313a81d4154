//! Expressions to values. Everything is bounded: steps, depth, and the size of what is made.

use std::cell::Cell;
use std::rc::Rc;

use super::regex::Regex;
pub use super::values::{ElementValue, Scope, Value, number_text};
use super::{Expr, Function, Item, Jsx, Member, Module, Pattern, Statement, builtin, hook};

/// The object that has the hooks.
const REACT: &str = "React";

/// Most steps of one page.
const MAX_STEPS: u32 = 200_000;
/// Deepest nesting of calls.
const MAX_DEPTH: u32 = 48;

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
}

/// Why something has no value when the site is built, naming the construct: ``the hook `useState` ``.
pub type Fault = String;

impl Program {
    /// The value of `expr` in `scope`.
    pub fn eval(&self, expr: &Expr, scope: &Scope) -> Result<Value, Fault> {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > MAX_STEPS {
            return Err("an expression that takes too many steps".to_owned());
        }
        if self.depth.get() >= MAX_DEPTH {
            return Err("an expression that calls too deep".to_owned());
        }
        self.depth.set(self.depth.get() + 1);
        let value = self.eval_nested(expr, scope);
        self.depth.set(self.depth.get() - 1);
        value
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
                Value::Text(whole.into())
            }
            Expr::Name(name) => self.lookup(name, scope)?,
            Expr::Array(items) => Value::Array(self.items(items, scope)?.into()),
            Expr::Object(members) => self.object(members, scope)?,
            Expr::Member(object, key, is_optional) => {
                let object = match &**object {
                    // The names of the language itself are known by what is asked of them.
                    Expr::Name(name) if builtin::is_global(name) && scope.local(name).is_none() => {
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
            Expr::Other(word) => return Err(format!("`{word}`")),
        })
    }

    /// Whether `operand` is a name that nothing has: of the page, of its imports, of the language.
    fn is_nowhere(&self, operand: &Expr, scope: &Scope) -> Result<bool, Fault> {
        let Expr::Name(name) = operand else {
            return Ok(false);
        };
        let is_known = scope.local(name).is_some()
            || builtin::is_global(name)
            || builtin::is_function(name)
            || &**name == REACT;
        Ok(!is_known && self.exported(scope.module, name)?.is_none())
    }

    /// What `name` stands for in `scope`.
    pub fn lookup(&self, name: &str, scope: &Scope) -> Result<Value, Fault> {
        if let Some(value) = scope.local(name) {
            return Ok(value.clone());
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
                return Ok(bound.local(name).cloned());
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
            match (&value, is_spread) {
                (Value::Array(inner), true) => values.extend(inner.iter().cloned()),
                (_, true) => return Err("a spread of what is no array".to_owned()),
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
                    Value::Text(whole.into())
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
                && scope.local(name).is_none()
            {
                let arguments = self.items(arguments, scope)?;
                return builtin::call_global(self, name, &key, &arguments);
            }
            if **object == Expr::Name(REACT.into())
                && let Some(value) = self.hook(&key, arguments, scope)?
            {
                return Ok(value);
            }
            let object = self.eval(object, scope)?;
            if *is_optional && object.is_nullish() {
                return Ok(Value::Undefined);
            }
            if let Value::Object(members) = &object
                && let Some((_, function)) = members.iter().find(|(name, _)| *name == key)
            {
                return self.call(function, self.items(arguments, scope)?);
            }
            let arguments = self.items(arguments, scope)?;
            return builtin::call_method(self, &object, &key, arguments);
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
        self.call(&function, self.items(arguments, scope)?)
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
        let Value::Function(function, scope) = function else {
            return Err("a call of what is no function".to_owned());
        };
        let mut scope = scope.clone();
        let mut arguments = arguments.into_iter();
        for pattern in &function.params {
            if let Pattern::Rest(name) = pattern {
                scope = scope.with(
                    name.clone(),
                    Value::Array(arguments.by_ref().collect::<Vec<_>>().into()),
                );
            } else {
                scope = self.bind(
                    pattern,
                    arguments.next().unwrap_or(Value::Undefined),
                    &scope,
                )?;
            }
        }
        Ok(self
            .block(&function.body, &mut scope)?
            .unwrap_or(Value::Undefined))
    }

    /// Runs statements until one returns.
    fn block(&self, statements: &[Statement], scope: &mut Scope) -> Result<Option<Value>, Fault> {
        for statement in statements {
            match statement {
                Statement::Declare(pattern, value) => {
                    let value = self.eval(value, scope)?;
                    *scope = self.bind(pattern, value, scope)?;
                }
                Statement::Assign(name, value) => {
                    if scope.local(name).is_none() {
                        return Err(format!(
                            "a change of `{name}`, which is not of the function"
                        ));
                    }
                    let value = self.eval(value, scope)?;
                    *scope = scope.with(name.clone(), value);
                }
                Statement::Run(call) => {
                    self.eval(call, scope)?;
                }
                Statement::Return(value) => return self.eval(value, scope).map(Some),
                Statement::If(condition, yes, no) => {
                    let branch = if self.eval(condition, scope)?.is_truthy() {
                        yes
                    } else {
                        no
                    };
                    let mut inner = scope.clone();
                    if let Some(value) = self.block(branch, &mut inner)? {
                        return Ok(Some(value));
                    }
                    for name in assigned(branch) {
                        if let Some(value) = inner.local(&name) {
                            *scope = scope.with(name, value.clone());
                        }
                    }
                }
                Statement::Other(words) => return Err(words.clone()),
            }
        }
        Ok(None)
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
            Some(value) => Some(value.clone()),
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

/// The names of the surrounding function that `statements` give other values.
fn assigned(statements: &[Statement]) -> Vec<Rc<str>> {
    let mut names = Vec::new();
    let mut own = Vec::new();
    for statement in statements {
        match statement {
            Statement::Declare(Pattern::Name(name), _) => own.push(name.clone()),
            Statement::Assign(name, _) => names.push(name.clone()),
            Statement::If(_, yes, no) => {
                names.extend(assigned(yes));
                names.extend(assigned(no));
            }
            _ => {}
        }
    }
    names.retain(|name| !own.contains(name));
    names
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
            ("1 < 2 && 2 >= 2", "true"),
        ] {
            check_value(source, expected);
        }
    }

    #[test]
    fn what_is_not_known_names_its_construct() {
        for (source, expected) in [
            ("useContext(0)", "needs the hook `useContext`"),
            ("new Date()", "needs `new`"),
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
            "const f = (n) => f(n + 1)\nconst g = () => [1,2,3,4,5,6,7,8,9,10].map(h)\nconst h = () => g()",
        );
        let mut program = Program::default();
        program.modules.push(Loaded {
            module,
            ..Loaded::default()
        });
        for source in ["f(0)", "g()"] {
            let expr = parse::expression(source).unwrap();
            assert!(program.eval(&expr, &Scope::of_module(0)).is_err());
        }
        assert!(parse::expression(&"(".repeat(100_000)).is_err());
        assert!(parse::expression(&"<a>".repeat(100_000)).is_err());
    }
}
