//! Rules of operations and what stands beside them: parameters, responses, servers, tags, texts.

use std::collections::BTreeSet;

use base::data::pointer;
use base::diagnostic::{Code, nearest};
use serde_json::Value;

use crate::Finding;
use crate::objects::{Edition, Holds, Kind, Object};

/// The rules that an object at `at` breaks. `method` is that of an operation that is a slice.
pub(crate) fn violations(
    edition: Edition,
    at: &str,
    object: Object<'_>,
    method: Option<&str>,
    found: &mut Vec<Finding>,
) {
    let Value::Object(members) = object.value else {
        return;
    };
    let mut say = |code: Code, field: &str, message: String, hint: &str| {
        let place = match field {
            "" => at.to_owned(),
            field => pointer::child(at, field),
        };
        let finding = Finding::new(code, place, message);
        found.push(match hint {
            "" => finding,
            hint => finding.hint(hint),
        });
    };
    if object.kind == Kind::Responses && crate::structure::is_reference(members) {
        let message = "`responses` cannot be a reference; it is followed".to_owned();
        say(
            Code::RefKind,
            "",
            message,
            "put references in place of single responses",
        );
    }
    if crate::structure::is_reference(members) && object.kind != Kind::Schema {
        return;
    }
    if matches!(object.kind, Kind::Operation | Kind::PathItem)
        && at.starts_with("/webhooks/")
        && object.value.get("servers").is_some()
    {
        let message = "a webhook has `servers`, and its requests go where their receiver says";
        say(
            Code::WebhookServers,
            "servers",
            message.to_owned(),
            "leave them out",
        );
    }
    match object.kind {
        Kind::Operation => {
            if let Some(method) = method {
                operation(edition, object.value, method, &mut say);
            } else if object.value.get("callbacks").is_some() {
                let message = "a callback has callbacks of its own; they are not shown".to_owned();
                say(Code::CallbackNested, "callbacks", message, "");
            }
            parameters(object.value, &mut say);
            additions(object.value, &["metadata", "content", "href"], &mut say);
        }
        Kind::PathItem => parameters(object.value, &mut say),
        Kind::Schema => {
            additions(object.value, &["pre", "post"], &mut say);
            discriminator(object.value, &mut say);
        }
        Kind::Server => server(object.value, &mut say),
        Kind::ServerVariable => variable(object.value, &mut say),
        Kind::Info => info(object.value, &mut say),
        Kind::Discriminator | Kind::Xml => of_later_versions(edition, object, &mut say),
        _ => {}
    }
    media_types(object, &mut say);
    scripts(object, &mut say);
}

/// Fields that an object has from a later version on and that the published schemas let pass.
fn of_later_versions(edition: Edition, object: Object<'_>, say: &mut Say<'_>) {
    for name in object
        .value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
    {
        let Some((_, _, since)) = object.kind.field(name).filter(|field| field.2 > edition) else {
            continue;
        };
        let message = format!(
            "`{name}` is a field of {} from OpenAPI {} on; the document is of {}",
            object.kind.with_article(),
            since.name(),
            edition.name()
        );
        say(Code::SpecFieldUnknown, name, message, "");
    }
}

/// Sink for broken rules: code, field (empty: the object itself), message, hint (empty: none).
type Say<'s> = dyn FnMut(Code, &str, String, &str) + 's;

fn operation(edition: Edition, operation: &Value, method: &str, say: &mut Say<'_>) {
    let text = |name: &str| operation.get(name).and_then(Value::as_str).map(str::trim);
    let is_said = |name: &str| text(name).is_some_and(|text| !text.is_empty());
    match text("operationId") {
        None | Some("") => {
            let message = "operation has no `operationId`".to_owned();
            say(
                Code::OperationIdMissing,
                "",
                message,
                "links and code generators refer to operations by `operationId`",
            );
        }
        Some(id) => {
            let is_safe =
                |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=".contains(c);
            if !id.chars().all(is_safe) {
                let message = format!("`{id}` has characters that are not allowed in a URL");
                say(Code::OperationIdUnsafe, "operationId", message, "");
            }
        }
    }
    if !is_said("summary") {
        let message = "operation has no `summary`".to_owned();
        say(
            Code::OperationSummary,
            "",
            message,
            "without it, the page title is the method and path",
        );
    }
    if !is_said("description") {
        let message = "operation has no `description`".to_owned();
        say(Code::OperationDescription, "", message, "");
    }
    let tags = operation.get("tags").and_then(Value::as_array);
    if tags.is_none_or(Vec::is_empty) {
        let message = "operation has no `tags`".to_owned();
        say(
            Code::OperationTags,
            "",
            message,
            "tags become groups in the navigation",
        );
    }
    if let Some(Value::Object(responses)) = operation.get("responses") {
        if crate::structure::is_reference(responses) {
            return;
        }
        let has = |first: &[char]| responses.keys().any(|status| status.starts_with(first));
        let has_default = responses.contains_key("default");
        if !responses.is_empty() && !has(&['1', '2', '3']) {
            let message = "operation has no 2xx or 3xx response".to_owned();
            say(Code::SuccessResponse, "responses", message, "");
        }
        if !responses.is_empty() && !has_default && !has(&['4']) {
            let message = "operation has no 4xx response".to_owned();
            say(Code::ErrorResponse, "responses", message, "");
        }
    } else if edition > Edition::V30 && operation.get("responses").is_none() {
        // Before, the document is not valid.
        let message = "an operation says nothing of its responses".to_owned();
        say(Code::SuccessResponse, "", message, "");
    }
    let takes_none = matches!(method, "get" | "head");
    if takes_none && operation.get("requestBody").is_some() && edition < Edition::V32 {
        let message = format!(
            "the body of a request with {} has no meaning",
            method.to_ascii_uppercase()
        );
        say(
            Code::BodyUnexpected,
            "requestBody",
            message,
            "many clients and servers drop it (RFC 9110, 9.3.1)",
        );
    }
}

/// Parameters of one name and place.
fn parameters(owner: &Value, say: &mut Say<'_>) {
    let parameters = owner.get("parameters").and_then(Value::as_array);
    let mut seen = BTreeSet::new();
    for parameter in parameters.into_iter().flatten() {
        let text = |name: &str| parameter.get(name).and_then(Value::as_str);
        let key = match text("$ref") {
            Some(reference) => (reference, ""),
            None => match (text("name"), text("in")) {
                (Some(name), Some(place)) => (name, place),
                _ => continue,
            },
        };
        if !seen.insert(key) {
            let message = match key {
                (reference, "") => format!("the parameter `{reference}` is listed twice"),
                (name, place) => format!("the parameter `{name}` in `{place}` is listed twice"),
            };
            say(Code::ParameterDuplicate, "parameters", message, "");
        }
    }
}

/// Keys of our extension that mean nothing there.
fn additions(value: &Value, allowed: &[&str], say: &mut Say<'_>) {
    for extension in ["x-docs", "x-mint"] {
        let Some(Value::Object(members)) = value.get(extension) else {
            continue;
        };
        let all = ["metadata", "content", "href", "pre", "post"];
        for name in members
            .keys()
            .filter(|name| !allowed.contains(&name.as_str()))
        {
            let message = format!("`{name}` has no effect in this `{extension}`");
            let hint = match nearest(name, allowed.iter().copied()) {
                Some(near) if !all.contains(&name.as_str()) => format!("did you mean `{near}`?"),
                _ => format!("it can have `{}`", allowed.join("`, `")),
            };
            say(Code::ExtensionUnknown, extension, message, &hint);
        }
    }
}

/// A discriminator of a schema that lists its properties itself.
fn discriminator(schema: &Value, say: &mut Say<'_>) {
    let name = schema
        .get("discriminator")
        .and_then(|one| one.get("propertyName")?.as_str());
    let Some(name) = name else {
        return;
    };
    let composes = ["oneOf", "anyOf", "allOf", "$ref"]
        .iter()
        .any(|keyword| schema.get(keyword).is_some());
    let Some(Value::Object(properties)) = schema.get("properties").filter(|_| !composes) else {
        return;
    };
    if !properties.contains_key(name) {
        let message = format!("the discriminator `{name}` is not among the properties");
        let near = nearest(name, properties.keys().map(String::as_str));
        let hint = near
            .map(|near| format!("did you mean `{near}`?"))
            .unwrap_or_default();
        say(Code::DiscriminatorProperty, "discriminator", message, &hint);
        return;
    }
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = required.is_some_and(|names| names.iter().any(|one| one == name));
    let has_default = schema.pointer("/discriminator/defaultMapping").is_some();
    if !is_required && !has_default {
        let message = format!("the discriminator `{name}` is not required");
        say(
            Code::DiscriminatorOptional,
            "discriminator",
            message,
            "list it in `required`",
        );
    }
}

fn server(server: &Value, say: &mut Say<'_>) {
    let Some(url) = server.get("url").and_then(Value::as_str) else {
        return;
    };
    let variables = server.get("variables").and_then(Value::as_object);
    let placeholder_names: BTreeSet<&str> = placeholders(url).collect();
    for name in &placeholder_names {
        if variables.is_none_or(|variables| !variables.contains_key(*name)) {
            let message = format!("no variable describes `{{{name}}}` of the server");
            let hint = format!("add `variables: {{ {name}: {{ default: … }} }}`");
            say(Code::ServerVariable, "url", message, &hint);
        }
    }
    for (name, _) in variables.into_iter().flatten() {
        if !placeholder_names.contains(name.as_str()) {
            let message = format!("the variable `{name}` does not occur in the URL of its server");
            say(Code::ServerVariableUnused, "variables", message, "");
        }
    }
    if url.len() > 1 && url.ends_with('/') {
        let message = "the URL of a server ends in `/`, and paths begin with one".to_owned();
        say(Code::ServerTrailingSlash, "url", message, "leave it out");
    }
    let host = url.split("://").nth(1).unwrap_or_default();
    let host = host.split(['/', ':']).next().unwrap_or_default();
    let is_of_nobody = |name: &str| {
        let above = host.strip_suffix(name);
        above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
    };
    let of_whom = match (is_of_nobody("example.com"), is_of_nobody("localhost")) {
        (true, _) => Some("a name for examples"),
        (_, true) => Some("the machine of each reader"),
        _ => None,
    };
    if let Some(of_whom) = of_whom {
        let message = format!("`{host}` is {of_whom}");
        say(
            Code::ServerExample,
            "url",
            message,
            "write where the API is",
        );
    }
}

fn variable(variable: &Value, say: &mut Say<'_>) {
    let default = variable.get("default").and_then(Value::as_str);
    let values = variable.get("enum").and_then(Value::as_array);
    if let (Some(default), Some(values)) = (default, values)
        && !values.is_empty()
        && !values.iter().any(|value| value == default)
    {
        let message = format!("the default `{default}` is none of `enum`");
        say(Code::DefaultInvalid, "default", message, "");
    }
}

fn info(info: &Value, say: &mut Say<'_>) {
    let has = |name: &str| info.get(name).is_some_and(|value| value != "");
    if !has("description") {
        let message = "`info` has no `description`".to_owned();
        say(Code::InfoDescription, "", message, "");
    }
    if !has("contact") {
        say(
            Code::InfoContact,
            "",
            "`info` has no `contact`".to_owned(),
            "",
        );
    }
    if !has("license") {
        say(
            Code::InfoLicense,
            "",
            "`info` has no `license`".to_owned(),
            "",
        );
    }
    let license = info.get("license").and_then(Value::as_object);
    if license.is_some_and(|license| {
        let known = |name: &&str| license.contains_key(*name);
        !["url", "identifier", "$ref"].iter().any(known)
    }) {
        let message = "`license` does not say where its terms are".to_owned();
        let hint = "add `url`, or from OpenAPI 3.1 on `identifier` with a name of SPDX";
        say(Code::LicenseUrl, "license", message, hint);
    }
}

/// Names of media types that are none (RFC 6838, 4.2).
fn media_types(object: Object<'_>, say: &mut Say<'_>) {
    if object.kind.holds("content") != Holds::Map(Kind::MediaType) {
        return;
    }
    let content = object.value.get("content").and_then(Value::as_object);
    if content.is_some_and(crate::structure::is_reference) {
        let message = "`content` cannot be a reference; it is followed".to_owned();
        let hint = "put the reference where it belongs: in the schema, or in place of the whole response or body";
        say(Code::RefKind, "content", message, hint);
        return;
    }
    for (name, _) in content.into_iter().flatten() {
        let essence = name.split(';').next().unwrap_or_default().trim();
        let is_token = |part: &str| {
            let free = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+*%'`|~{}".contains(c);
            !part.is_empty() && part.chars().all(free)
        };
        let mut parts = essence.splitn(2, '/');
        let is_type = parts.next().is_some_and(is_token) && parts.next().is_some_and(is_token);
        if !is_type {
            let message = format!("`{name}` is not the name of a media type");
            say(
                Code::MediaTypeInvalid,
                "content",
                message,
                "such as `application/json`",
            );
            continue;
        }
        let (top, rest) = essence.split_once('/').unwrap_or_default();
        let is_known = TOP_LEVEL.contains(&&*top.to_ascii_lowercase());
        if let (false, Some(near)) = (is_known, nearest(top, TOP_LEVEL.iter().copied())) {
            let message = format!("`{top}` is no type of media");
            let hint = format!("did you mean `{near}/{rest}`?");
            say(Code::MediaTypeInvalid, "content", message, &hint);
        }
    }
}

/// The top-level types of media (IANA's registry).
const TOP_LEVEL: &[&str] = &[
    "application",
    "audio",
    "example",
    "font",
    "haptics",
    "image",
    "message",
    "model",
    "multipart",
    "text",
    "video",
];

/// Scripts in texts: nothing of them is shown.
fn scripts(object: Object<'_>, say: &mut Say<'_>) {
    for field in ["description", "summary", "title"] {
        let text = object.value.get(field).and_then(Value::as_str);
        let has_script = text.is_some_and(|text| {
            let bytes = text.as_bytes();
            bytes
                .windows(7)
                .any(|part| part.eq_ignore_ascii_case(b"<script"))
        });
        if has_script {
            let message = "the text has a `<script>`, which is not run".to_owned();
            say(
                Code::TextScript,
                field,
                message,
                "leave it out, or put it between backticks",
            );
        }
    }
}

/// The names in braces of a path or the URL of a server.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split('{').skip(1);
    parts
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_read_out_of_paths() {
        let found: Vec<&str> = placeholders("/a/{b}/c-{d}.{e}/{").collect();
        assert_eq!(found, ["b", "d", "e"]);
    }
}
