//! Parts of an AsyncAPI document that hold for all its channels: servers, and authentication of
//! connections.

use serde_json::Value;

use crate::document::Document;
use crate::endpoint::{Scheme, Settings};
use crate::introduction::Base;
use crate::merge::Schemas;
use crate::reference::ResolvedObject;
use crate::security::described_scheme;
use crate::view::Page;
use base::data::pointer::child;
use base::diagnostic::Diagnostic;

/// Content of the introduction to the reference of such a document.
pub(crate) struct Whole {
    pub(crate) servers: Vec<Base>,
    pub(crate) schemes: Vec<Scheme>,
    /// Tags, as OpenAPI has them.
    pub(crate) tags: Value,
    pub(crate) diagnostics: Vec<Diagnostic<String>>,
}

/// Returns true if a document claims to be one of AsyncAPI.
pub(crate) fn is_asyncapi<'d>(document: &dyn Document<'d>) -> bool {
    document.value("/asyncapi").is_some() && document.value("/openapi").is_none()
}

/// Reads it; `schemes` are the keys of its security schemes.
pub(crate) fn whole<'d>(document: &dyn Document<'d>, schemes: &[String]) -> Whole {
    let settings = Settings::default();
    let mut page = Page::new(Schemas::new(document), &settings);
    let listed = document.value("/servers").and_then(Value::as_object);
    let mut servers: Vec<(String, ResolvedObject<'d>)> = Vec::new();
    for (name, value) in listed.into_iter().flatten() {
        let found = page.follow(value, &child("/servers", name));
        servers.extend(found.map(|found| (name.clone(), found)));
    }
    let mut scheme_list: Vec<Scheme> = Vec::new();
    for key in schemes {
        let at = child("/components/securitySchemes", key);
        let found = document.value(&at);
        let found = found.and_then(|value| page.follow(value, &at));
        scheme_list.extend(found.map(|found| described_scheme(key, &found)));
    }
    // Servers may have schemes of their own.
    let own = page.security_of(&[], &servers).alternatives.into_iter();
    for scheme in own.flat_map(|alternative| alternative.schemes) {
        if !scheme_list.iter().any(|one| one.key == scheme.key) {
            scheme_list.push(scheme);
        }
    }
    let bases = servers.iter().filter_map(|(name, found)| {
        let text = |key: &str| {
            let text = found.text(key).map(str::trim);
            text.filter(|text| !text.is_empty())
        };
        let descriptions: Vec<&str> = text("summary")
            .into_iter()
            .chain(text("description"))
            .collect();
        Some(Base {
            server: page.server(name, found)?,
            name: Some(text("title").unwrap_or(name).to_owned()),
            description: descriptions.join("\n\n"),
        })
    });
    let servers = bases.collect();
    let tags = document.value("/info").and_then(|info| info.get("tags"));
    let tags = tags.and_then(Value::as_array).into_iter().flatten();
    let tags = tags.map(|tag| {
        let referenced = super::target(tag).and_then(|pointer| document.value(&pointer));
        referenced.unwrap_or(tag).clone()
    });
    Whole {
        servers,
        schemes: scheme_list,
        tags: Value::Array(tags.collect()),
        diagnostics: page.schemas.diagnostics.into_iter().collect(),
    }
}
