//! Authentication of requests.

use serde_json::{Map, Value};

use super::document::Document;
use super::endpoint::{Alternative, Flow, Location, Scheme, SchemeKind, Scope, Security};
use super::reference::{ResolvedObject, follow};
use super::view::safe;
use base::data::pointer::{child, item};
use base::diagnostic::{Code, Diagnostic};

/// The requirements of an operation: its own (`security` at `pointer`), else those of the document.
pub(super) fn security(
    document: &dyn Document<'_>,
    own: Option<&Value>,
    pointer: &str,
    diagnostics: &mut Vec<Diagnostic<String>>,
) -> Security {
    let (requirements, pointer) = match own {
        Some(own) => (Some(own), child(pointer, "security")),
        None => (document.value("/security"), "/security".to_owned()),
    };
    let Some(requirements) = requirements.and_then(Value::as_array) else {
        return Security::default();
    };
    let mut security = Security::default();
    for (index, requirement) in requirements.iter().enumerate() {
        let Some(requirement) = requirement.as_object() else {
            continue;
        };
        if requirement.is_empty() {
            security.is_optional = true;
            continue;
        }
        let at = item(&pointer, index);
        let mut schemes = Vec::new();
        for (key, scopes) in requirement {
            schemes.push(scheme(document, key, scopes, &at, diagnostics));
        }
        let names: Vec<&str> = requirement.keys().map(String::as_str).collect();
        security.alternatives.push(Alternative {
            label: names.join(" + "),
            schemes,
        });
    }
    if security.alternatives.is_empty() && security.is_optional {
        return Security {
            is_none: true,
            ..Security::default()
        };
    }
    security
}

/// Returns the scheme of this key in the document; `None` if its reference is broken.
pub(super) fn scheme_named(
    document: &dyn Document<'_>,
    key: &str,
    diagnostics: &mut Vec<Diagnostic<String>>,
) -> Option<Scheme> {
    let at = child("/components/securitySchemes", key);
    let found = follow(document, document.value(&at)?, &at, diagnostics)?;
    let kind = kind(&found, &Value::Null);
    Some(described(key, kind, &found))
}

fn scheme(
    document: &dyn Document<'_>,
    key: &str,
    scopes: &Value,
    pointer: &str,
    diagnostics: &mut Vec<Diagnostic<String>>,
) -> Scheme {
    let at = child("/components/securitySchemes", key);
    let found = document.value(&at);
    let found = found.and_then(|value| follow(document, value, &at, diagnostics));
    let kind = found.as_ref().map(|found| kind(found, scopes));
    let Some((found, kind)) = found.zip(kind) else {
        // A reference that is not followed was reported.
        let is_referred = document
            .value(&at)
            .is_some_and(|value| value.get("$ref").is_some_and(Value::is_string));
        if !is_referred {
            let message = format!("the security scheme `{key}` is not defined");
            let problem = Diagnostic::new(Code::SecurityMissing, child(pointer, key), message);
            diagnostics.push(problem.hint("define it under `components.securitySchemes`"));
        }
        return Scheme {
            anchor: safe(&format!("auth-{key}")),
            key: key.to_owned(),
            name: key.to_owned(),
            label: "unknown scheme".to_owned(),
            description: String::new(),
            is_deprecated: false,
            kind: SchemeKind::Unknown,
            prefill: None,
        };
    };
    described(key, kind, &found)
}

/// The scheme `found` of an AsyncAPI document, which calls some of them otherwise; those that HTTP does not know are called
/// as the document does.
pub(super) fn described_scheme(key: &str, found: &ResolvedObject<'_>) -> Scheme {
    let needed = found.members.get("scopes").unwrap_or(&Value::Null);
    let own = found.text("type").unwrap_or_default();
    let kind = match own {
        "httpApiKey" => SchemeKind::ApiKey {
            location: match found.text("in") {
                Some("query") => Location::Query,
                Some("cookie") => Location::Cookie,
                _ => Location::Header,
            },
        },
        "X509" => SchemeKind::MutualTls,
        // In AsyncAPI it is a user name or a password, and no part of a request.
        "apiKey" => SchemeKind::Unknown,
        _ => kind(found, needed),
    };
    let is_unknown = kind == SchemeKind::Unknown && !own.is_empty();
    let mut scheme = described(key, kind, found);
    if is_unknown {
        scheme.label = match own {
            "plain" => "SASL/PLAIN",
            "scramSha256" => "SASL/SCRAM-SHA-256",
            "scramSha512" => "SASL/SCRAM-SHA-512",
            "gssapi" => "SASL/GSSAPI",
            own => own,
        }
        .to_owned();
    }
    scheme
}

fn described(key: &str, kind: SchemeKind, found: &ResolvedObject<'_>) -> Scheme {
    let (name, label, usual) = words(key, &kind, found);
    let description = found.text("description").filter(|text| !text.is_empty());
    let prefill = found
        .members
        .get("x-default")
        .and_then(|value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
    let takes_prefill = matches!(kind, SchemeKind::ApiKey { .. } | SchemeKind::Bearer { .. });
    Scheme {
        anchor: safe(&format!("auth-{key}")),
        key: key.to_owned(),
        name,
        label,
        description: description.unwrap_or(usual).to_owned(),
        is_deprecated: found.is("deprecated"),
        kind,
        prefill: prefill.filter(|_| takes_prefill),
    }
}

fn kind(found: &ResolvedObject<'_>, scopes: &Value) -> SchemeKind {
    match found.text("type").unwrap_or_default() {
        "apiKey" => SchemeKind::ApiKey {
            location: match found.text("in") {
                Some("query") => Location::Query,
                Some("cookie") => Location::Cookie,
                _ => Location::Header,
            },
        },
        "http" => match found
            .text("scheme")
            .unwrap_or_default()
            .to_lowercase()
            .as_str()
        {
            "bearer" => SchemeKind::Bearer {
                format: found.text("bearerFormat").map(str::to_owned),
            },
            "basic" => SchemeKind::Basic,
            other => SchemeKind::Http {
                scheme: other.to_owned(),
            },
        },
        "oauth2" => SchemeKind::OAuth2 {
            flows: flows(
                found.members.get("flows").and_then(Value::as_object),
                scopes,
            ),
            metadata_url: found.text("oauth2MetadataUrl").map(str::to_owned),
        },
        "openIdConnect" => SchemeKind::OpenIdConnect {
            url: found
                .text("openIdConnectUrl")
                .unwrap_or_default()
                .to_owned(),
        },
        "mutualTLS" => SchemeKind::MutualTls,
        _ => SchemeKind::Unknown,
    }
}

fn flows(flows: Option<&Map<String, Value>>, required: &Value) -> Vec<Flow> {
    let required: Vec<&str> = required
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let flows = flows.into_iter().flatten();
    let flows = flows.filter_map(|(name, flow)| {
        let flow = flow.as_object()?;
        let text = |key: &str| flow.get(key).and_then(Value::as_str).map(str::to_owned);
        // AsyncAPI calls them otherwise.
        let scopes = flow
            .get("scopes")
            .or_else(|| flow.get("availableScopes"))
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        let mut scopes: Vec<Scope> = scopes
            .map(|(name, description)| Scope {
                name: name.clone(),
                description: description.as_str().unwrap_or_default().to_owned(),
                is_required: required.contains(&name.as_str()),
            })
            .collect();
        // Of a hundred scopes a reader looks for those that the operation needs.
        scopes.sort_by_key(|scope| !scope.is_required);
        Some(Flow {
            name: name.clone(),
            authorization_url: text("authorizationUrl"),
            device_url: text("deviceAuthorizationUrl"),
            token_url: text("tokenUrl"),
            refresh_url: text("refreshUrl"),
            scopes,
        })
    });
    flows.collect()
}

/// Returns the name of a scheme's row, its short description, and the default of its description.
fn words(
    key: &str,
    kind: &SchemeKind,
    found: &ResolvedObject<'_>,
) -> (String, String, &'static str) {
    let header = || "Authorization".to_owned();
    match kind {
        SchemeKind::ApiKey { location } => (
            found.text("name").unwrap_or(key).to_owned(),
            format!("API key in {}", location.word()),
            "An API key that is sent with every request.",
        ),
        SchemeKind::Bearer { .. } => (
            header(),
            "Bearer <token>".to_owned(),
            "A token that is sent in the `Authorization` header.",
        ),
        SchemeKind::Basic => (
            header(),
            "Basic <credentials>".to_owned(),
            "A user name and a password, joined by `:` and encoded in Base64.",
        ),
        SchemeKind::Http { scheme } => (header(), scheme.clone(), "An HTTP authentication scheme."),
        SchemeKind::OAuth2 { .. } => (
            key.to_owned(),
            "OAuth 2.0".to_owned(),
            "An access token from one of the flows below, sent in the `Authorization` header.",
        ),
        SchemeKind::OpenIdConnect { .. } => (
            key.to_owned(),
            "OpenID Connect".to_owned(),
            "A token from the OpenID provider, sent in the `Authorization` header.",
        ),
        SchemeKind::MutualTls => (
            key.to_owned(),
            "client certificate".to_owned(),
            "A certificate that the client shows when it connects.",
        ),
        SchemeKind::Unknown => (key.to_owned(), "unknown scheme".to_owned(), ""),
    }
}
