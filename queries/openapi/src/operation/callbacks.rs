//! Requests that the API sends because of an operation.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::links::{MissingPart, RequestParts};
use super::parameters::{Parameter, groups};
use super::path_item::PathItem;
use crate::direction::Hidden;
use crate::endpoint::{Callback, CallbackRequest, Location};
use crate::reference::follow;
use crate::schema::Schema;
use crate::view::{Page, Scope, safe};
use base::data::pointer::child;
use base::diagnostic::{Code, Diagnostic, near};

/// The members of a path item that are operations, in the order in which they may appear.
const METHODS: [&str; 9] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace", "query",
];

impl<'d> Page<'_, 'd> {
    pub(super) fn callbacks(
        &mut self,
        operation: &'d Map<String, Value>,
        pointer: &str,
        enclosing: Option<&Arc<Schema>>,
        parameters: Option<&[Parameter]>,
    ) -> Vec<Callback> {
        let base = child(pointer, "callbacks");
        let mut callbacks = Vec::new();
        let listed = operation.get("callbacks").and_then(Value::as_object);
        for (name, callback) in listed.into_iter().flatten() {
            let mut diagnostics = Vec::new();
            let found = follow(
                self.schemas.document,
                callback,
                &child(&base, name),
                &mut diagnostics,
            );
            self.schemas.diagnostics.extend(diagnostics);
            let Some(found) = found else {
                continue;
            };
            let anchor = self.anchor(&format!("callback-{name}"));
            let mut requests = Vec::new();
            for (expression, path_item) in found.members {
                let at = child(&found.pointer, expression);
                if expression.starts_with("x-") || !path_item.is_object() {
                    continue;
                }
                let item = PathItem::new(self, &at);
                for method in self.methods(path_item, &item) {
                    let Some((operation, at)) = item.member(self, &method) else {
                        continue;
                    };
                    if let Some(operation) = operation.as_object() {
                        let request = self
                            .callback_request(expression, &method, operation, &at, &item, &anchor);
                        if request.href.is_none() {
                            self.check_expression(expression, enclosing, &at);
                        }
                        if let Some(parameters) = parameters {
                            self.check_parameters(expression, parameters, &at);
                        }
                        requests.push(request);
                    }
                }
            }
            callbacks.push(Callback {
                anchor,
                name: name.clone(),
                requests,
            });
        }
        callbacks
    }

    /// The methods of a path item in the order of the document, those behind its reference last.
    fn methods(&mut self, path_item: &Value, item: &PathItem) -> Vec<String> {
        let own = path_item.as_object().into_iter().flatten();
        let own = own.map(|(key, _)| key.clone());
        let mut methods: Vec<String> = own.filter(|key| METHODS.contains(&key.as_str())).collect();
        if path_item.get("$ref").is_some() {
            for method in METHODS {
                if !methods.iter().any(|known| known == method)
                    && item.member(self, method).is_some()
                {
                    methods.push(method.to_owned());
                }
            }
        }
        methods
    }

    fn callback_request(
        &mut self,
        expression: &str,
        method: &str,
        operation: &'d Map<String, Value>,
        pointer: &str,
        item: &PathItem,
        anchor: &str,
    ) -> CallbackRequest {
        let anchor = self.anchor(&format!("{anchor}-{method}"));
        let scope = |prefix: &str, hidden| Scope {
            prefix: prefix.to_owned(),
            depth: 0,
            hidden,
            is_request: true,
        };
        let parameters = self.parameters(operation, pointer, Some(item), &format!("{anchor}-"));
        let body_scope = scope(&format!("{anchor}-body"), Hidden::WriteOnly);
        let (body, _) = self.body(operation, pointer, true, &body_scope);
        let (responses, open_response) = self.responses(
            operation,
            pointer,
            &format!("{anchor}-response"),
            RequestParts::default(),
            &|prefix| scope(prefix, Hidden::ReadOnly),
        );
        let text = |key: &str| operation.get(key).and_then(Value::as_str);
        let href = self.expression_href(expression);
        CallbackRequest {
            href,
            anchor,
            method: method.to_uppercase(),
            expression: expression.to_owned(),
            title: text("summary").map(str::to_owned),
            description: text("description").unwrap_or_default().to_owned(),
            is_deprecated: operation.get("deprecated") == Some(&Value::Bool(true)),
            parameters: groups(&parameters),
            body,
            responses,
            open_response,
        }
    }

    /// Reports an expression that names a parameter which the operation around it does not have.
    fn check_parameters(&mut self, expression: &str, parameters: &[Parameter], at: &str) {
        for part in expression.split("{$request.").skip(1) {
            let inner = part.split_once('}').map_or(part, |(inner, _)| inner);
            let location = match inner.split_once('.') {
                Some(("query", _)) => Location::Query,
                Some(("path", _)) => Location::Path,
                _ => continue,
            };
            let name = &inner[location.word().len() + 1..];
            let own = || (parameters.iter()).filter(|parameter| parameter.location == location);
            if own().any(|parameter| parameter.name == name || parameter.spec.is_whole) {
                continue;
            }
            let message = format!(
                "`{name}` of `{expression}` is no {} parameter of the operation",
                location.word()
            );
            let problem = Diagnostic::new(Code::CallbackExpression, at, message);
            let names = own().map(|parameter| parameter.name.as_str());
            self.schemas.diagnostics.insert(match near(name, names) {
                Some(near) => problem.hint(near.advice_with(None)),
                None => problem.hint("name a parameter of the operation"),
            });
        }
    }

    /// Reports an expression that leads to a member of the request body which its schema does not have.
    fn check_expression(&mut self, expression: &str, body: Option<&Arc<Schema>>, at: &str) {
        let inner = expression
            .split_once("{$request.body#")
            .and_then(|(_, rest)| rest.split_once('}'));
        let (Some((pointer, _)), Some(body)) = (inner, body) else {
            return;
        };
        let Some(MissingPart { name, siblings }) = self.absent(body, pointer) else {
            return;
        };
        let message = format!("`{pointer}` of `{expression}` is not in the body of the request");
        let names = siblings.iter().map(String::as_str);
        let problem = Diagnostic::new(Code::CallbackExpression, at, message);
        self.schemas.diagnostics.insert(match near(&name, names) {
            Some(near) => problem.hint(near.advice_with(None)),
            None => problem.hint("name a property of the body"),
        });
    }

    /// The row of the page that a runtime expression names (OpenAPI 3.1, 4.8.20.4).
    fn expression_href(&self, expression: &str) -> Option<String> {
        let expression = &expression[expression.find("{$request.")? + "{$request.".len()..];
        let expression = &expression[..expression.find('}')?];
        let anchor = if let Some(pointer) = expression.strip_prefix("body#/") {
            format!("body-{}", pointer.replace('/', "-"))
        } else {
            let (place, name) = expression.split_once('.')?;
            format!("{place}-{name}")
        };
        let anchor = safe(&anchor);
        self.has_anchor(&anchor).then(|| format!("#{anchor}"))
    }
}
