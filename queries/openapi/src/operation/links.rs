//! Links of responses, and the parts of requests and responses that runtime expressions name (OpenAPI 3.1, 4.8.20).

use std::sync::Arc;

use serde_json::{Map, Value};

use super::parameters::Parameter;
use crate::document::OperationName;
use crate::endpoint::{Location, ResponseLink};
use crate::reference::follow;
use crate::schema::{Additional, Schema, Type};
use crate::serialize::text;
use crate::slice::decode_fragment;
use crate::view::Page;
use base::data::pointer::{child, segments};
use base::diagnostic::{Code, Diagnostic, near};

/// Parts of a request that runtime expressions can refer to; `None` for a part that could not be
/// read completely.
#[derive(Clone, Copy, Default)]
pub(crate) struct RequestParts<'a> {
    pub(crate) parameters: Option<&'a [Parameter]>,
    pub(crate) body: Option<&'a Arc<Schema>>,
}

/// Parts of a response that runtime expressions can refer to.
pub(super) struct ResponseParts<'a> {
    /// Schemas of its media types.
    pub(super) bodies: Vec<Arc<Schema>>,
    /// Headers; `None` if not all of them could be read.
    pub(super) headers: Option<&'a Map<String, Value>>,
}

/// Headers that messages have, described or not.
const KNOWN_HEADERS: [&str; 4] = ["accept", "authorization", "content-type", "content-length"];

/// Part of a schema that is not there: the name that was looked for, and those beside it.
pub(super) struct MissingPart {
    pub(super) name: String,
    pub(super) siblings: Vec<String>,
}

/// The runtime expressions of a text without their `$`: the text itself, or those in braces.
fn expressions(text: &str) -> Vec<&str> {
    match text.strip_prefix('$') {
        Some(whole) => vec![whole],
        None => {
            let parts = text.split("{$").skip(1);
            parts
                .filter_map(|part| Some(part.split_once('}')?.0))
                .collect()
        }
    }
}

impl<'d> Page<'_, 'd> {
    pub(super) fn links(
        &mut self,
        links: Option<&'d Value>,
        pointer: &str,
        requested: RequestParts<'_>,
        returned: &ResponseParts<'_>,
    ) -> Vec<ResponseLink> {
        let mut rows = Vec::new();
        for (name, link) in links.and_then(Value::as_object).into_iter().flatten() {
            let at = child(pointer, name);
            let mut diagnostics = Vec::new();
            let found = follow(self.schemas.document, link, &at, &mut diagnostics);
            self.schemas.diagnostics.extend(diagnostics);
            let Some(found) = found else {
                continue;
            };
            let id = found.text("operationId");
            let reference = found.text("operationRef");
            let operation = match (id, reference) {
                (Some(id), _) => Some(OperationName::Id(id.to_owned())),
                (None, Some(reference)) => reference
                    .strip_prefix('#')
                    .map(|fragment| OperationName::Pointer(decode_fragment(fragment))),
                (None, None) => None,
            };
            let target = id.or(reference).unwrap_or_default().to_owned();
            let document = self.schemas.document;
            let href = operation
                .as_ref()
                .and_then(|operation| document.operation_href(operation));
            let is_known = href.is_some()
                || matches!(&operation, Some(OperationName::Pointer(at)) if document.value(at).is_some());
            if !is_known {
                let message =
                    format!("the link `{name}` names the operation `{target}`, which has no page");
                self.schemas
                    .problem(Code::LinkMissing, &found.pointer, message);
            }
            let expressions = found.members.get("parameters").and_then(Value::as_object);
            let given_at = child(&found.pointer, "parameters");
            let mut parameters: Vec<(String, String)> = Vec::new();
            for (name, expression) in expressions.into_iter().flatten() {
                let at = child(&given_at, name);
                self.check_link(expression, &at, requested, returned);
                parameters.push((name.clone(), text(expression)));
            }
            if let Some(body) = found.members.get("requestBody") {
                let at = child(&found.pointer, "requestBody");
                self.check_link(body, &at, requested, returned);
                parameters.push(("body".to_owned(), text(body)));
            }
            rows.push(ResponseLink {
                name: name.clone(),
                target,
                href,
                description: found.text("description").unwrap_or_default().to_owned(),
                parameters,
            });
        }
        rows
    }

    /// Reports expressions of a link that lead to nothing that the operation sends or returns.
    fn check_link(
        &mut self,
        value: &Value,
        at: &str,
        requested: RequestParts<'_>,
        returned: &ResponseParts<'_>,
    ) {
        let Some(text) = value.as_str() else {
            return;
        };
        for expression in expressions(text) {
            let Some((side, part)) = expression.split_once('.') else {
                continue;
            };
            let (place, rest) = match part.find(['.', '#']) {
                Some(end) => (&part[..end], &part[end + 1..]),
                None => continue,
            };
            let (absent, whole) = match (side, place) {
                ("response", "body") => {
                    let bodies = returned.bodies.iter();
                    let found: Vec<Option<MissingPart>> =
                        bodies.map(|body| self.absent(body, rest)).collect();
                    // Of several media types one has it.
                    let absent = found.into_iter().collect::<Option<Vec<MissingPart>>>();
                    let first = absent.and_then(|absent| absent.into_iter().next());
                    (first, "the body of the response")
                }
                ("request", "body") => {
                    let body = requested.body;
                    let absent = body.and_then(|body| self.absent(body, rest));
                    (absent, "the body of the request")
                }
                ("response", "header") => {
                    let names = returned.headers.map(|headers| headers.keys().cloned());
                    (
                        names.and_then(|names| absent_header(rest, names.collect())),
                        "the headers of the response",
                    )
                }
                ("request", "header" | "query" | "path") => {
                    let names = requested.parameters.map(|parameters| {
                        let of_place = parameters.iter().filter(|one| one.location.word() == place);
                        let is_whole =
                            |one: &Parameter| one.location == Location::Query && one.spec.is_whole;
                        match place == "query" && parameters.iter().any(is_whole) {
                            // Any name is part of the query as a whole.
                            true => vec![rest.to_owned()],
                            false => of_place.map(|one| one.name.clone()).collect(),
                        }
                    });
                    let absent = names.and_then(|names| match place {
                        "header" => absent_header(rest, names),
                        _ => (!names.iter().any(|name| name == rest)).then(|| MissingPart {
                            name: rest.to_owned(),
                            siblings: names,
                        }),
                    });
                    (absent, "the parameters of the request")
                }
                _ => continue,
            };
            let Some(MissingPart { name, siblings }) = absent else {
                continue;
            };
            let message = format!("`{name}` of `${expression}` is not in {whole}");
            let problem = Diagnostic::new(Code::LinkExpression, at, message);
            let names = siblings.iter().map(String::as_str);
            self.schemas.diagnostics.insert(match near(&name, names) {
                Some(near) => problem.hint(near.advice_with(None)),
                None => problem.hint("name a part that is described there"),
            });
        }
    }

    /// The part of values of `schema` that `pointer` leads through and that they do not have, as far as schemas say what they have.
    pub(super) fn absent(&mut self, schema: &Arc<Schema>, pointer: &str) -> Option<MissingPart> {
        let mut schema = schema.clone();
        let decoded = decode_fragment(pointer);
        for name in segments(&decoded) {
            let flat = self.schemas.flat(&schema);
            let merged = &flat.schema;
            let is_open = !flat.unions.is_empty()
                || flat.base.is_some()
                || flat.unresolved.is_some()
                || matches!(merged.additional, Some(Additional::Schema(_)))
                || matches!(merged.unevaluated, Some(Additional::Schema(_)))
                || !merged.pattern_properties.is_empty()
                || merged.condition.is_some()
                || !merged.dependent_schemas.is_empty();
            if is_open {
                return None;
            }
            let kinds = merged.types.clone().unwrap_or_default();
            let absent = || {
                Some(MissingPart {
                    name: name.clone(),
                    siblings: merged
                        .properties
                        .iter()
                        .map(|(name, _)| name.clone())
                        .collect(),
                })
            };
            if let Some(property) = merged.property(&name) {
                schema = property.clone();
            } else if kinds.contains(&Type::Array) {
                let Ok(index) = name.parse::<usize>() else {
                    return absent().filter(|_| !kinds.contains(&Type::Object));
                };
                schema = merged.item(index)?.clone();
            } else if kinds.contains(&Type::Object) {
                return absent().filter(|_| !merged.properties.is_empty());
            } else {
                // What is neither an object nor an array has no parts.
                let is_said = !kinds.is_empty() && !merged.is_inferred && !merged.is_binary;
                return absent().filter(|_| is_said);
            }
        }
        None
    }
}

/// Returns the header `name` as missing, unless it is in `names` or a standard header.
fn absent_header(name: &str, names: Vec<String>) -> Option<MissingPart> {
    let known = names.iter().map(String::as_str).chain(KNOWN_HEADERS);
    let is_known = known.into_iter().any(|one| one.eq_ignore_ascii_case(name));
    (!is_known).then(|| MissingPart {
        name: name.to_owned(),
        siblings: names,
    })
}
