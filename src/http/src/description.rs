//! The description of the operations for programs: an OpenAPI document. `GET /_quire/openapi.json`

use hyper::{Response, StatusCode, header};

use super::reply::{self, Body, full, set};

/// The document, OpenAPI 3.1. It is written by hand; tests hold it against the tables of operations.
const DOCUMENT: &str = include_str!("openapi.json");

/// The document, as it is for every host.
pub(super) fn show() -> Response<Body> {
    let mut response = Response::new(full(DOCUMENT));
    *response.status_mut() = StatusCode::OK;
    set(&mut response, header::CONTENT_TYPE, reply::JSON);
    set(&mut response, header::CACHE_CONTROL, "no-cache");
    response
}

/// An operation as the tables have it: what its description must say.
#[cfg(test)]
pub(super) struct DescribedOperation {
    /// Path, with `{name}` for each argument.
    pub(super) path: String,
    /// Method.
    pub(super) method: hyper::Method,
    /// Whether it reads a body.
    pub(super) has_body: bool,
    /// The clients that may call it; `None` if the table does not say.
    pub(super) access: Option<super::access::Access>,
    /// Whether there is a limit of how often; `None` if the table does not say.
    pub(super) is_limited: Option<bool>,
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde_json::Value;

    use super::super::access::Access;
    use super::super::{api, router};
    use super::*;

    /// Keys of a path that are no operations.
    const OF_PATH: [&str; 4] = ["parameters", "servers", "summary", "description"];

    /// Replies that every operation may give, before it is called.
    const ALWAYS: [&str; 4] = ["400", "421", "431", "503"];

    fn document() -> Value {
        serde_json::from_str(DOCUMENT).expect("JSON")
    }

    /// Every described operation by method and path, with what is said of its path.
    fn operations(document: &Value) -> BTreeMap<String, (&Value, &Value)> {
        let paths = document["paths"].as_object().expect("paths").iter();
        let operations = paths.flat_map(|(path, item)| {
            let methods = item.as_object().expect("a path").iter();
            let methods = methods.filter(|(name, _)| !OF_PATH.contains(&name.as_str()));
            methods.map(move |(method, operation)| {
                (
                    format!("{} {path}", method.to_uppercase()),
                    (item, operation),
                )
            })
        });
        operations.collect()
    }

    fn tables() -> BTreeMap<String, DescribedOperation> {
        let all = api::described().chain(router::described());
        let all = all.map(|row| (format!("{} {}", row.method, row.path), row));
        all.collect()
    }

    #[track_caller]
    fn check_none(wrong: Vec<String>) {
        assert!(wrong.is_empty(), "openapi.json:\n{}", wrong.join("\n"));
    }

    #[test]
    fn every_operation_is_described_and_no_other() {
        let document = document();
        let (described, tables) = (operations(&document), tables());
        let mut wrong: Vec<String> = Vec::new();
        for name in tables.keys().filter(|name| !described.contains_key(*name)) {
            wrong.push(format!("{name} is in a table of paths and not described"));
        }
        for name in described.keys().filter(|name| !tables.contains_key(*name)) {
            wrong.push(format!("{name} is described and in no table of paths"));
        }
        check_none(wrong);
    }

    #[test]
    fn descriptions_say_what_the_tables_say() {
        let document = document();
        let described = operations(&document);
        let mut wrong = Vec::new();
        for (name, row) in tables() {
            let Some((_, operation)) = described.get(&name) else {
                continue;
            };
            let mut expect = |has: bool, wanted: bool, what: &str| {
                if has != wanted {
                    let there = if has { "has" } else { "lacks" };
                    wrong.push(format!("{name} {there} {what}"));
                }
            };
            let has_reply = |status: &str| operation["responses"].get(status).is_some();
            for status in ALWAYS {
                expect(has_reply(status), true, &format!("the reply {status}"));
            }
            let has_body = operation.get("requestBody").is_some();
            expect(has_body, row.has_body, "a `requestBody`");
            for status in ["408", "413"] {
                let what = format!("the reply {status} of operations with a body");
                expect(has_reply(status), row.has_body, &what);
            }
            if let Some(access) = row.access {
                let is_protected = access != Access::Anyone;
                let has_security = operation.get("security").is_some();
                expect(has_security, is_protected, "`security` with the token");
                expect(has_reply("401"), is_protected, "the reply 401");
            }
            if let Some(is_limited) = row.is_limited {
                expect(has_reply("429"), is_limited, "the reply 429 of a limit");
            }
        }
        check_none(wrong);
    }

    #[test]
    fn each_argument_of_a_path_is_a_parameter() {
        let document = document();
        let mut wrong = Vec::new();
        for (name, (item, operation)) in operations(&document) {
            let lists = [&item["parameters"], &operation["parameters"]];
            let listed = lists.into_iter().filter_map(Value::as_array).flatten();
            let listed = listed.map(|parameter| match parameter["$ref"].as_str() {
                Some(at) => document.pointer(&at[1..]).expect("a parameter"),
                None => parameter,
            });
            let of_path = listed.filter(|parameter| parameter["in"] == "path");
            let given: BTreeSet<&str> = of_path.filter_map(|one| one["name"].as_str()).collect();
            let parts = name.split('{').skip(1);
            let wanted: BTreeSet<&str> = parts.filter_map(|part| part.split('}').next()).collect();
            for argument in wanted.symmetric_difference(&given) {
                let what = match wanted.contains(argument) {
                    true => "lacks the parameter",
                    false => "has no argument for the parameter",
                };
                wrong.push(format!("{name} {what} `{argument}`"));
            }
        }
        check_none(wrong);
    }

    #[test]
    fn every_reference_has_a_component_and_every_component_a_reference() {
        fn collect(value: &Value, found: &mut BTreeSet<String>) {
            match value {
                Value::Object(fields) => {
                    if let Some(Value::String(at)) = fields.get("$ref") {
                        found.insert(at.clone());
                    }
                    fields.values().for_each(|value| collect(value, found));
                }
                Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
                _ => {}
            }
        }
        let document = document();
        let mut used = BTreeSet::new();
        collect(&document, &mut used);
        let kinds = document["components"].as_object().expect("components");
        let kinds = kinds.iter().filter(|(kind, _)| *kind != "securitySchemes");
        let there: BTreeSet<String> = kinds
            .flat_map(|(kind, all)| {
                let names = all.as_object().expect("components").keys();
                names.map(move |name| format!("#/components/{kind}/{name}"))
            })
            .collect();
        let missing = used.difference(&there);
        let unused = there.difference(&used);
        let wrong = missing.map(|at| format!("{at} is not there"));
        check_none(
            wrong
                .chain(unused.map(|at| format!("{at} is not used")))
                .collect(),
        );
    }
}
