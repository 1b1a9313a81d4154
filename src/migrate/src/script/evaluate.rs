//! The values of expressions: literals, constants of the same file or of imported ones, and
//! functions that only return a literal.

use std::collections::HashMap;

use oxc_ast::ast::{
    Argument, ArrayExpressionElement, ArrowFunctionBody, AssignmentTarget, BinaryOperator,
    BindingPattern, CallExpression, Declaration, ExportDefaultDeclarationKind, Expression,
    FormalParameters, FunctionBody, ImportDeclarationSpecifier, LogicalOperator, ObjectExpression,
    ObjectPropertyKind, Program, PropertyKey, Statement, UnaryOperator, VariableDeclaration,
};
use oxc_span::{GetSpan, Span};

use crate::node::{Data, Node, Place, SPREAD};
use crate::script::{Exports, Scripts};

/// Deepest nesting of expressions and calls that is followed.
const MAX_DEPTH: usize = 120;

/// Functions that return their argument: they give it a type, or add what is no documentation.
const WRAPPERS: &[&str] = &[
    "defineConfig",
    "defineConfigWithTheme",
    "defineAdditionalConfig",
    "withMermaid",
    "withPwa",
    "withSidebar",
];

/// What a name stands for at the top of a module.
#[derive(Clone, Copy)]
enum Binding<'a> {
    Constant(&'a Expression<'a>),
    Function(&'a FormalParameters<'a>, Body<'a>),
    /// The export `name` of the module `source`; without a name all of them.
    Import {
        source: &'a str,
        name: Option<&'a str>,
    },
}

/// The body of a function.
#[derive(Clone, Copy)]
enum Body<'a> {
    Block(&'a FunctionBody<'a>),
    Expression(&'a Expression<'a>),
}

/// Values of parameters and of constants within a function.
struct Scope<'s, 'a> {
    values: Vec<(&'a str, Node)>,
    outer: Option<&'s Self>,
}

impl<'a> Scope<'_, 'a> {
    const fn empty() -> Self {
        Self {
            values: Vec::new(),
            outer: None,
        }
    }

    fn get(&self, name: &str) -> Option<&Node> {
        let own = self.values.iter().rev().find(|(known, _)| *known == name);
        own.map(|(_, node)| node).or_else(|| self.outer?.get(name))
    }
}

/// A module that was parsed.
pub(super) struct Module<'m, 'a> {
    scripts: &'m Scripts<'m>,
    path: &'m str,
    program: &'a Program<'a>,
    bindings: HashMap<&'a str, Binding<'a>>,
}

impl<'m, 'a> Module<'m, 'a> {
    /// Returns the module `program`, which is at `path`.
    pub(super) fn new(scripts: &'m Scripts<'m>, path: &'m str, program: &'a Program<'a>) -> Self {
        let mut module = Self {
            scripts,
            path,
            program,
            bindings: HashMap::new(),
        };
        for statement in &program.body {
            module.bind(statement);
        }
        module
    }

    fn bind(&mut self, statement: &'a Statement<'a>) {
        match statement {
            Statement::VariableDeclaration(declaration) => self.bind_variables(declaration),
            Statement::FunctionDeclaration(function) => {
                if let (Some(id), Some(body)) = (&function.id, &function.body) {
                    let function = Binding::Function(&function.params, Body::Block(body));
                    self.bindings.insert(id.name.as_str(), function);
                }
            }
            Statement::ExportDeclaration(export) => match &export.declaration {
                Declaration::VariableDeclaration(declaration) => self.bind_variables(declaration),
                Declaration::FunctionDeclaration(function) => {
                    if let (Some(id), Some(body)) = (&function.id, &function.body) {
                        let function = Binding::Function(&function.params, Body::Block(body));
                        self.bindings.insert(id.name.as_str(), function);
                    }
                }
                _ => {}
            },
            Statement::ImportDeclaration(import) => {
                let source = import.source.value.as_str();
                for specifier in import.specifiers.iter().flatten() {
                    let (local, name) = match specifier {
                        ImportDeclarationSpecifier::ImportSpecifier(one) => {
                            (&one.local, Some(one.imported.name().as_str()))
                        }
                        ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => {
                            (&one.local, Some("default"))
                        }
                        ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => {
                            (&one.local, None)
                        }
                    };
                    let import = Binding::Import { source, name };
                    self.bindings.insert(local.name.as_str(), import);
                }
            }
            _ => {}
        }
    }

    fn bind_variables(&mut self, declaration: &'a VariableDeclaration<'a>) {
        for variable in &declaration.declarations {
            let Some(init) = &variable.init else {
                continue;
            };
            match &variable.id {
                BindingPattern::BindingIdentifier(id) => {
                    let binding = match plain(init) {
                        Expression::ArrowFunctionExpression(arrow) => {
                            Binding::Function(&arrow.params, body_of(&arrow.body))
                        }
                        Expression::FunctionExpression(function) => match &function.body {
                            Some(body) => Binding::Function(&function.params, Body::Block(body)),
                            None => continue,
                        },
                        init => Binding::Constant(init),
                    };
                    self.bindings.insert(id.name.as_str(), binding);
                }
                // `const { a } = require('./b')`
                BindingPattern::ObjectPattern(pattern) => {
                    let Some(source) = required(init) else {
                        continue;
                    };
                    for property in &pattern.properties {
                        let BindingPattern::BindingIdentifier(id) = &property.value else {
                            continue;
                        };
                        let name = match &property.key {
                            PropertyKey::StaticIdentifier(key) => Some(key.name.as_str()),
                            _ => None,
                        };
                        if name.is_some() {
                            let import = Binding::Import { source, name };
                            self.bindings.insert(id.name.as_str(), import);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The exports of the module.
    pub(super) fn exports(&self) -> Exports {
        let mut exports = Exports::new();
        for statement in &self.program.body {
            self.add_exports(statement, &mut exports);
        }
        exports
    }

    fn add_exports(&self, statement: &'a Statement<'a>, exports: &mut Exports) {
        match statement {
            Statement::ExportDefaultDeclaration(export) => {
                let node = self.default_export(&export.declaration);
                exports.insert("default".to_owned(), node);
            }
            Statement::TSExportAssignment(export) => {
                let node = self.configuration(&export.expression);
                exports.insert("default".to_owned(), node);
            }
            Statement::ExportDeclaration(export) => {
                let Declaration::VariableDeclaration(declaration) = &export.declaration else {
                    return;
                };
                for variable in &declaration.declarations {
                    let BindingPattern::BindingIdentifier(id) = &variable.id else {
                        continue;
                    };
                    let name = id.name.as_str();
                    exports.insert(
                        name.to_owned(),
                        self.name(name, id.span, &Scope::empty(), 0),
                    );
                }
            }
            Statement::ExportNamedDeclaration(export) => {
                for specifier in &export.specifiers {
                    let (local, name) = (specifier.local.name(), specifier.exported.name());
                    let node = self.name(local.as_str(), specifier.span, &Scope::empty(), 0);
                    exports.insert(name.as_str().to_owned(), node);
                }
            }
            Statement::ExportFromDeclaration(export) => {
                for specifier in &export.specifiers {
                    let (source, name) = (export.source.value.as_str(), specifier.local.name());
                    let node = self.import(source, Some(name.as_str()), specifier.span);
                    exports.insert(specifier.exported.name().as_str().to_owned(), node);
                }
            }
            Statement::ExpressionStatement(statement) => {
                self.add_assigned(&statement.expression, exports);
            }
            _ => {}
        }
    }

    /// Adds what `module.exports = …` and `exports.name = …` export.
    fn add_assigned(&self, expression: &'a Expression<'a>, exports: &mut Exports) {
        let Expression::AssignmentExpression(assignment) = expression else {
            return;
        };
        let AssignmentTarget::StaticMemberExpression(target) = &assignment.left else {
            return;
        };
        let Expression::Identifier(object) = &target.object else {
            return;
        };
        let name = target.property.name.as_str();
        match object.name.as_str() {
            "module" if name == "exports" => {
                let node = self.configuration(&assignment.right);
                exports.extend(node.members().to_vec());
                exports.insert("default".to_owned(), node);
            }
            "exports" => {
                let node = self.configuration(&assignment.right);
                exports.insert(name.to_owned(), node);
            }
            _ => {}
        }
    }

    fn default_export(&self, declaration: &'a ExportDefaultDeclarationKind<'a>) -> Node {
        match declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => match &function.body {
                Some(body) => self.call(&function.params, Body::Block(body), Vec::new(), 0),
                None => self.unknown("a function", function.span),
            },
            declaration => match declaration.as_expression() {
                Some(expression) => self.configuration(expression),
                None => self.unknown("a class", declaration.span()),
            },
        }
    }

    /// The value of an export. A function is called, and one of a package is taken to return the
    /// object that it is given.
    fn configuration(&self, expression: &'a Expression<'a>) -> Node {
        let scope = Scope::empty();
        let node = match plain(expression) {
            Expression::ArrowFunctionExpression(arrow) => {
                self.call(&arrow.params, body_of(&arrow.body), Vec::new(), 0)
            }
            Expression::FunctionExpression(function) => match &function.body {
                Some(body) => self.call(&function.params, Body::Block(body), Vec::new(), 0),
                None => self.unknown("a function", function.span),
            },
            Expression::Identifier(name) => match self.bindings.get(name.name.as_str()) {
                Some(Binding::Function(parameters, body)) => {
                    self.call(parameters, *body, Vec::new(), 0)
                }
                Some(Binding::Constant(init)) if !is_same(init, expression) => {
                    return self.configuration(init);
                }
                _ => self.value(expression, &scope, 0),
            },
            expression => self.value(expression, &scope, 0),
        };
        if !matches!(node.data, Data::Unknown(_)) {
            return node;
        }
        let Expression::CallExpression(call) = plain(expression) else {
            return node;
        };
        let argument = call.arguments.first().and_then(Argument::as_expression);
        let argument = argument.map(|argument| self.configuration(argument));
        argument.filter(Node::is_object).unwrap_or(node)
    }

    fn place(&self, span: Span) -> Place {
        Place::at(self.path, span.start as usize)
    }

    fn unknown(&self, what: impl Into<String>, span: Span) -> Node {
        Node::unknown(what, self.place(span))
    }

    fn value(&self, expression: &'a Expression<'a>, scope: &Scope<'_, 'a>, depth: usize) -> Node {
        let span = expression.span();
        if depth > MAX_DEPTH || !self.scripts.spend(1) {
            return self.unknown("a value that is too large", span);
        }
        let deeper = depth + 1;
        let data = match plain(expression) {
            Expression::NullLiteral(_) => Data::Null,
            Expression::BooleanLiteral(literal) => Data::Bool(literal.value),
            Expression::NumericLiteral(literal) => Data::Number(literal.value.to_string()),
            Expression::StringLiteral(literal) => Data::Text(literal.value.as_str().to_owned()),
            Expression::TemplateLiteral(_) | Expression::BinaryExpression(_) => {
                return self.text(expression, scope, deeper);
            }
            Expression::ArrayExpression(array) => self.list(&array.elements, scope, deeper),
            Expression::ObjectExpression(object) => self.object(object, scope, deeper),
            Expression::Identifier(name) if name.name == "undefined" => Data::Null,
            Expression::Identifier(name) => {
                return self.name(name.name.as_str(), span, scope, deeper);
            }
            Expression::StaticMemberExpression(member) => {
                let object = self.value(&member.object, scope, deeper);
                return self.member(&object, member.property.name.as_str(), span);
            }
            Expression::ComputedMemberExpression(member) => {
                let object = self.value(&member.object, scope, deeper);
                let key = self.value(&member.expression, scope, deeper);
                return match &key.data {
                    Data::Text(key) => self.member(&object, key, span),
                    Data::Number(index) => {
                        let item = index
                            .parse()
                            .ok()
                            .and_then(|i: usize| object.items().get(i));
                        item.cloned()
                            .unwrap_or_else(|| self.unknown("an item of a list", span))
                    }
                    _ => self.unknown("a member whose name is computed", span),
                };
            }
            Expression::CallExpression(call) => return self.evaluate_call(call, scope, deeper),
            Expression::LogicalExpression(logical) => {
                let left = self.value(&logical.left, scope, deeper);
                let is_left = match (&left.data, logical.operator) {
                    (Data::Unknown(_), LogicalOperator::And) => true,
                    // `process.env.NAME || 'literal'`: the literal is what the file says.
                    (Data::Unknown(_) | Data::Null, _) => false,
                    (data, LogicalOperator::Or) => is_truthy(data),
                    (data, LogicalOperator::And) => !is_truthy(data),
                    (_, LogicalOperator::Coalesce) => true,
                };
                return match is_left {
                    true => left,
                    false => self.value(&logical.right, scope, deeper),
                };
            }
            Expression::ConditionalExpression(choice) => {
                let test = self.value(&choice.test, scope, deeper);
                return match test.data {
                    Data::Unknown(_) => self.unknown("a choice that a program makes", span),
                    data if is_truthy(&data) => self.value(&choice.consequent, scope, deeper),
                    _ => self.value(&choice.alternate, scope, deeper),
                };
            }
            Expression::UnaryExpression(unary) => {
                let argument = self.value(&unary.argument, scope, deeper);
                match (unary.operator, argument.data) {
                    (UnaryOperator::LogicalNot, data) if !matches!(data, Data::Unknown(_)) => {
                        Data::Bool(!is_truthy(&data))
                    }
                    (UnaryOperator::UnaryNegation, Data::Number(number)) => {
                        Data::Number(format!("-{number}"))
                    }
                    _ => Data::Unknown("an expression".to_owned()),
                }
            }
            Expression::AwaitExpression(awaited) => {
                return self.value(&awaited.argument, scope, deeper);
            }
            Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_) => {
                Data::Unknown("a function".to_owned())
            }
            Expression::NewExpression(new) => {
                Data::Unknown(format!("a new {}", name_of(&new.callee)))
            }
            _ => Data::Unknown("an expression".to_owned()),
        };
        let place = self.place(span);
        Node { data, place }
    }

    /// A text that is put together.
    fn text(&self, expression: &'a Expression<'a>, scope: &Scope<'_, 'a>, depth: usize) -> Node {
        let span = expression.span();
        let parts = match plain(expression) {
            Expression::TemplateLiteral(template) => {
                let mut text = String::new();
                for (i, quasi) in template.quasis.iter().enumerate() {
                    let cooked = quasi.value.cooked.as_ref().unwrap_or(&quasi.value.raw);
                    text.push_str(cooked.as_str());
                    let Some(expression) = template.expressions.get(i) else {
                        continue;
                    };
                    let value = self.value(expression, scope, depth);
                    match &value.data {
                        Data::Text(part) | Data::Number(part) => text.push_str(part),
                        _ => return self.unknown("a text that a program puts together", span),
                    }
                }
                Some(text)
            }
            Expression::BinaryExpression(binary) if binary.operator == BinaryOperator::Addition => {
                let left = self.value(&binary.left, scope, depth);
                let right = self.value(&binary.right, scope, depth);
                match (&left.data, &right.data) {
                    (Data::Text(left), Data::Text(right) | Data::Number(right))
                    | (Data::Number(left), Data::Text(right)) => Some(format!("{left}{right}")),
                    _ => None,
                }
            }
            _ => None,
        };
        let is_paid = parts
            .as_ref()
            .is_none_or(|text| self.scripts.spend(text.len() / 64));
        match parts.filter(|_| is_paid) {
            Some(text) => Node {
                data: Data::Text(text),
                place: self.place(span),
            },
            None => self.unknown("an expression", span),
        }
    }

    fn list(
        &self,
        elements: &'a [ArrayExpressionElement<'a>],
        scope: &Scope<'_, 'a>,
        depth: usize,
    ) -> Data {
        let mut items = Vec::new();
        for element in elements {
            match element {
                ArrayExpressionElement::SpreadElement(spread) => {
                    let node = self.value(&spread.argument, scope, depth);
                    match node.data {
                        Data::List(more) => items.extend(more),
                        Data::Unknown(what) => {
                            items.push(Node::unknown(what, node.place));
                        }
                        _ => items.push(self.unknown("a spread", spread.span)),
                    }
                }
                ArrayExpressionElement::Elision(_) => {}
                element => {
                    if let Some(expression) = element.as_expression() {
                        items.push(self.value(expression, scope, depth));
                    }
                }
            }
        }
        Data::List(items)
    }

    fn object(
        &self,
        object: &'a ObjectExpression<'a>,
        scope: &Scope<'_, 'a>,
        depth: usize,
    ) -> Data {
        let mut members: Vec<(String, Node)> = Vec::new();
        let mut add = |key: String, node: Node| {
            // The last of the same name counts, where the first stood.
            let known = members
                .iter_mut()
                .find(|(name, _)| *name == key && key != SPREAD);
            match known {
                Some((_, old)) => *old = node,
                None => members.push((key, node)),
            }
        };
        for property in &object.properties {
            match property {
                ObjectPropertyKind::SpreadProperty(spread) => {
                    let node = self.value(&spread.argument, scope, depth);
                    match node.data {
                        Data::Object(more) => {
                            more.into_iter().for_each(|(key, node)| add(key, node));
                        }
                        Data::Null | Data::Bool(_) => {}
                        Data::Unknown(what) => {
                            add(SPREAD.to_owned(), Node::unknown(what, node.place));
                        }
                        _ => add(SPREAD.to_owned(), self.unknown("a spread", spread.span)),
                    }
                }
                ObjectPropertyKind::ObjectProperty(property) => {
                    let key = match property.key.static_name() {
                        Some(name) if !property.computed => Some(name.into_owned()),
                        _ => property.key.as_expression().and_then(|key| {
                            let key = self.value(key, scope, depth);
                            key.text().map(str::to_owned)
                        }),
                    };
                    let node = match property.method {
                        true => self.unknown("a function", property.span),
                        false => self.value(&property.value, scope, depth),
                    };
                    match key {
                        Some(key) => add(key, node),
                        None => {
                            let what = "a member whose name is computed";
                            add(SPREAD.to_owned(), self.unknown(what, property.span));
                        }
                    }
                }
            }
        }
        Data::Object(members)
    }

    /// The value of the name `name`, which is used at `span`.
    fn name(&self, name: &str, span: Span, scope: &Scope<'_, 'a>, depth: usize) -> Node {
        if let Some(node) = scope.get(name) {
            return match self.scripts.spend(node.size()) {
                true => node.clone(),
                false => self.unknown("a value that is too large", span),
            };
        }
        match self.bindings.get(name) {
            Some(Binding::Constant(init)) => {
                let node = self.value(init, &Scope::empty(), depth + 1);
                match &node.data {
                    // One name is enough of a chain of them.
                    Data::Unknown(what) if !what.starts_with('`') && required(init).is_none() => {
                        self.unknown(shortened(format!("`{name}`, which is {what}")), span)
                    }
                    _ => node,
                }
            }
            Some(Binding::Import {
                source,
                name: export,
            }) => self.import(source, *export, span),
            Some(Binding::Function(..)) => self.unknown(format!("the function `{name}`"), span),
            None => self.unknown(format!("`{name}`, which is no constant of the file"), span),
        }
    }

    /// The export `name` of the module `source`; without a name an object of all.
    fn import(&self, source: &str, name: Option<&str>, span: Span) -> Node {
        let Some(path) = self.scripts.resolve(self.path, source) else {
            return self.unknown(format!("a value of the package `{source}`"), span);
        };
        let mut exports = self.scripts.exports(&path);
        let node = match name {
            Some(name) => exports.remove(name).unwrap_or_else(|| {
                self.unknown(
                    format!("`{name}` of `{source}`, which is no literal there"),
                    span,
                )
            }),
            None => match exports.contains_key("default") && exports.len() == 1 {
                true => exports
                    .remove("default")
                    .unwrap_or_else(|| self.unknown("a module", span)),
                false => Node {
                    data: Data::Object(exports.into_iter().collect()),
                    place: self.place(span),
                },
            },
        };
        match self.scripts.spend(node.size()) {
            true => node,
            false => self.unknown("a value that is too large", span),
        }
    }

    fn member(&self, object: &Node, key: &str, span: Span) -> Node {
        match object.get(key) {
            Some(node) if self.scripts.spend(node.size()) => node.clone(),
            // A member that is not there is `undefined`.
            None if object.is_object() && object.get(SPREAD).is_none() => Node {
                data: Data::Null,
                place: self.place(span),
            },
            _ => self.unknown(format!("the member `{key}` of what is no literal"), span),
        }
    }

    fn evaluate_call(
        &self,
        call: &'a CallExpression<'a>,
        scope: &Scope<'_, 'a>,
        depth: usize,
    ) -> Node {
        let span = call.span;
        let name = name_of(&call.callee);
        let arguments = call
            .arguments
            .iter()
            .map(|argument| match argument.as_expression() {
                Some(expression) => self.value(expression, scope, depth),
                None => self.unknown("a spread", span),
            });
        let arguments: Vec<Node> = arguments.collect();
        if let Some(node) = self.of_node(&name, &arguments, span) {
            return node;
        }
        let function = match plain(&call.callee) {
            Expression::Identifier(id) => self.bindings.get(id.name.as_str()).copied(),
            Expression::ArrowFunctionExpression(arrow) => {
                Some(Binding::Function(&arrow.params, body_of(&arrow.body)))
            }
            _ => None,
        };
        if let Some(Binding::Function(parameters, body)) = function {
            let node = self.call(parameters, body, arguments, depth);
            return match node.data {
                Data::Unknown(_) => self.unknown(format!("a call of `{name}()`"), span),
                _ => node,
            };
        }
        let is_wrapper = WRAPPERS.contains(&name.as_str()) || name.starts_with("define");
        if is_wrapper && let Some(first) = call.arguments.first().and_then(Argument::as_expression)
        {
            return match plain(first) {
                Expression::ArrowFunctionExpression(arrow) => {
                    self.call(&arrow.params, body_of(&arrow.body), Vec::new(), depth)
                }
                first => self.value(first, scope, depth),
            };
        }
        self.unknown(format!("a call of `{}()`", shortened(name)), span)
    }

    /// The value of a call of a function of Node.js that names a module or a path.
    fn of_node(&self, name: &str, arguments: &[Node], span: Span) -> Option<Node> {
        match name {
            "require" | "import" => {
                let Some(source) = arguments.first().and_then(Node::text) else {
                    return Some(self.unknown("a module whose name is computed", span));
                };
                let node = self.import(source, Some("default"), span);
                Some(match node.data {
                    Data::Unknown(_) => self.import(source, None, span),
                    _ => node,
                })
            }
            // Paths are relative to the file anyway.
            "require.resolve" => arguments.first().cloned(),
            "path.resolve" | "path.join" | "resolve" | "join" => {
                let parts: Vec<&str> = arguments.iter().filter_map(Node::text).collect();
                let data = Data::Text(parts.join("/"));
                let place = self.place(span);
                Some(Node { data, place })
            }
            _ => None,
        }
    }

    /// The value that a function returns, if its body only names constants and returns.
    fn call(
        &self,
        parameters: &'a FormalParameters<'a>,
        body: Body<'a>,
        arguments: Vec<Node>,
        depth: usize,
    ) -> Node {
        let mut arguments = arguments.into_iter();
        let mut scope = Scope::empty();
        for parameter in &parameters.items {
            let given = arguments.next();
            if let BindingPattern::BindingIdentifier(id) = &parameter.pattern {
                let standard = parameter.initializer.as_ref();
                let node = match (given, standard) {
                    (Some(node), _) => node,
                    (None, Some(standard)) => self.value(standard, &Scope::empty(), depth + 1),
                    (None, None) => self.unknown(format!("the parameter `{}`", id.name), id.span),
                };
                scope.values.push((id.name.as_str(), node));
            }
        }
        let block = match body {
            Body::Expression(expression) => return self.value(expression, &scope, depth + 1),
            Body::Block(block) => block,
        };
        for statement in &block.statements {
            match statement {
                Statement::VariableDeclaration(declaration) => {
                    for variable in &declaration.declarations {
                        if let (BindingPattern::BindingIdentifier(id), Some(init)) =
                            (&variable.id, &variable.init)
                        {
                            let node = self.value(init, &scope, depth + 1);
                            scope.values.push((id.name.as_str(), node));
                        }
                    }
                }
                Statement::ReturnStatement(returned) => {
                    return match &returned.argument {
                        Some(argument) => self.value(argument, &scope, depth + 1),
                        None => self.unknown("nothing", returned.span),
                    };
                }
                other => return self.unknown("a function that is a program", other.span()),
            }
        }
        self.unknown("a function that returns nothing", block.span)
    }
}

/// `expression` without parentheses and types around it.
fn plain<'e, 'a>(mut expression: &'e Expression<'a>) -> &'e Expression<'a> {
    loop {
        expression = match expression {
            Expression::ParenthesizedExpression(inner) => &inner.expression,
            Expression::TSAsExpression(inner) => &inner.expression,
            Expression::TSSatisfiesExpression(inner) => &inner.expression,
            Expression::TSNonNullExpression(inner) => &inner.expression,
            Expression::TSTypeAssertion(inner) => &inner.expression,
            _ => return expression,
        };
    }
}

fn is_same(a: &Expression<'_>, b: &Expression<'_>) -> bool {
    a.span() == b.span()
}

fn body_of<'a>(body: &'a ArrowFunctionBody<'a>) -> Body<'a> {
    match body {
        ArrowFunctionBody::FunctionBody(block) => Body::Block(block),
        expression => Body::Expression(expression.to_expression()),
    }
}

/// The module that `expression` requires: `require('./a')`.
fn required<'a>(expression: &'a Expression<'a>) -> Option<&'a str> {
    let Expression::CallExpression(call) = plain(expression) else {
        return None;
    };
    let is_require = matches!(&call.callee, Expression::Identifier(id) if id.name == "require");
    match call.arguments.first().and_then(Argument::as_expression) {
        Some(Expression::StringLiteral(source)) if is_require => Some(source.value.as_str()),
        _ => None,
    }
}

/// The name of what is called: `a`, `a.b`.
fn name_of(callee: &Expression<'_>) -> String {
    match plain(callee) {
        Expression::Identifier(id) => id.name.as_str().to_owned(),
        Expression::StaticMemberExpression(member) => match &member.object {
            Expression::Identifier(object) => format!("{}.{}", object.name, member.property.name),
            _ => member.property.name.as_str().to_owned(),
        },
        _ => "function".to_owned(),
    }
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn is_truthy(data: &Data) -> bool {
    match data {
        Data::Null | Data::Unknown(_) => false,
        Data::Bool(bool) => *bool,
        Data::Number(number) => number.parse::<f64>().is_ok_and(|number| number != 0.0),
        Data::Text(text) => !text.is_empty(),
        Data::List(_) | Data::Object(_) => true,
    }
}
