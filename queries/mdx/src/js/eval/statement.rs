//! Runs the statements of functions, and binds patterns.

use super::{Fault, Loop, Pattern, Program, Scope, Statement, Value};

/// Deepest nesting of blocks, through all functions that are being called.
const MAX_BLOCKS: u32 = 192;

/// Control flow after a statement.
pub(super) enum Flow {
    /// The next statement.
    Next,
    /// The end of the loop or of the `switch`.
    Break,
    /// The next round of the loop.
    Continue,
    /// The end of the function.
    Return(Value),
}

impl Program {
    /// Runs statements until one leads elsewhere.
    pub(super) fn block(&self, statements: &[Statement], scope: &mut Scope) -> Result<Flow, Fault> {
        if self.blocks.get() >= MAX_BLOCKS {
            return Err("an expression that calls too deep".to_owned());
        }
        self.blocks.set(self.blocks.get() + 1);
        let mut flow = Ok(Flow::Next);
        for statement in statements {
            flow = self.statement(statement, scope);
            if !matches!(flow, Ok(Flow::Next)) {
                break;
            }
        }
        self.blocks.set(self.blocks.get() - 1);
        flow
    }

    fn statement(&self, statement: &Statement, scope: &mut Scope) -> Result<Flow, Fault> {
        match statement {
            Statement::Declare(pattern, value) => {
                let value = self.eval(value, scope)?;
                self.rendering.name_state(pattern);
                *scope = self.bind(pattern, value, scope)?;
            }
            Statement::Recursive(name, function) => {
                *scope = scope.with(name.clone(), Value::Undefined);
                if let Some(local) = scope.lookup(name) {
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
    pub(super) fn bind(
        &self,
        pattern: &Pattern,
        value: Value,
        scope: &Scope,
    ) -> Result<Scope, Fault> {
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
}

/// Returns true if `pattern` binds `name`.
pub(super) fn binds(pattern: &Pattern, name: &str) -> bool {
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
