//! References of endpoints that authors describe in MDX (`api:`, SPEC 2.6).

use serde::{Deserialize, Serialize};

use crate::body::reads::grammar_spans;
use crate::body::reference::{Reference, island, of_drawn, sectioned};
use crate::config::{api_config, site_address};
use crate::db::Db;
use crate::inputs::{Site, SourceFile};
use crate::page::manual::{self, ManualFault};
use crate::page::{front_matter, page_title};
use crate::reference::reference_settings;
use crate::store::Kind;
use crate::trace::{ReadLog, Subject, TracedRead, cached, digest_of};
use base::content::{ContentHash, TextBytes};
use base::diagnostic::{Code, Diagnostic, near};
use base::path::SitePath;
use base::place::Place;
use config::api::{AuthConfig, AuthMethod};
use lint::placeholders;
use mdx::front_matter::FrontMatter;
use mdx::{self, Dollars};
use openapi::endpoint::{Row, Settings};
use openapi::operation::endpoint;
use openapi::plain::Plain;
use openapi::search::search_text;
use theme::reference;

/// What a page shows of the endpoint that its author describes in MDX: method and address, authorization, parameters of
/// the path without a field of their own, code. The author's fields are its body.
///
/// Wakes when the file changes; asked only of pages with `api:`.
#[salsa::tracked]
pub fn manual_reference(db: &dyn Db, file: SourceFile) -> Reference {
    if front_matter(db, file).value.api.is_none() {
        return Reference::default();
    }
    let (path, digest) = (file.path(db), file.digest(db));
    cached(
        db,
        Kind::ManualReference,
        Subject::of_text(&[path.as_str().as_bytes()], digest),
        (file, ()),
        |log, ()| drawn_manual(&ManualReader(log)),
    )
}

/// A read of such an endpoint, besides its own text.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum ManualRead {
    /// API settings of the configuration.
    Config,
    /// Title of the page.
    Title,
    /// Settings of reference pages.
    Settings,
    /// Below which path is the site served?
    BasePath,
    /// Route of the page.
    Address,
}

impl TracedRead for ManualRead {
    type Subject = SourceFile;

    fn digest(&self, db: &dyn Db, file: SourceFile) -> ContentHash {
        let site = Site::get(db);
        match self {
            Self::Config => {
                let config = api_config(db, site);
                let auth = config.auth.as_ref();
                let auth = auth.map(|auth| format!("{:?} {:?}", auth.method, auth.name));
                digest_of(&(&config.servers, auth))
            }
            Self::Title => digest_of(page_title(db, file)),
            Self::Settings => digest_of(reference_settings(db, site)),
            Self::BasePath => digest_of(site.base_path(db)),
            Self::Address => digest_of(&site_address(db, site)),
        }
    }
}

/// Reads for such an endpoint. What it returns may change only if [`ManualRead::digest`] does.
struct ManualReader<'db, 'a>(&'a ReadLog<'db, ManualRead>);

impl<'db> ManualReader<'db, '_> {
    /// The path, the bytes and the frontmatter of the page, which follow from the key of the value.
    fn own(&self) -> (&'db SitePath, TextBytes, &'db FrontMatter) {
        self.0.read_own(|db, file| {
            let bytes = db.bytes(file.digest(db));
            (file.path(db), bytes, &front_matter(db, file).value)
        })
    }

    /// The servers that addresses are relative to, and how requests are authorized.
    fn config(&self) -> (&'db [String], Option<&'db AuthConfig>) {
        self.0.read(
            || ManualRead::Config,
            |db, _| {
                let config = api_config(db, Site::get(db));
                (&config.servers[..], config.auth.as_ref())
            },
        )
    }

    fn title(&self) -> &'db str {
        self.0.read(
            || ManualRead::Title,
            |db, file| page_title(db, file).as_str(),
        )
    }

    fn settings(&self) -> &'db Settings {
        let settings = |db, _| reference_settings(db, Site::get(db));
        self.0.read(|| ManualRead::Settings, settings)
    }

    /// Base of relative addresses of the configuration.
    fn base(&self) -> String {
        let address = |db, _: SourceFile| site_address(db, Site::get(db)).unwrap_or_default();
        format!("{}/", self.0.read(|| ManualRead::Address, address))
    }

    fn base_path(&self) -> &'db str {
        let base_path = |db, _| Site::get(db).base_path(db).as_str();
        self.0.read(|| ManualRead::BasePath, base_path)
    }
}

/// Renders what a page shows of the endpoint that its author describes in MDX.
fn drawn_manual(reader: &ManualReader<'_, '_>) -> Reference {
    let (path, bytes, front_matter) = reader.own();
    let Some(api) = &front_matter.api else {
        return Reference::default();
    };
    let text = String::from_utf8_lossy(&bytes);
    let fields = manual::fields(&mdx::parse_with(path, &text, Dollars::default()));
    let (servers, auth) = reader.config();
    let own = front_matter
        .auth_method
        .as_deref()
        .and_then(AuthMethod::from_name);
    let auth = match own {
        Some(method) => Some(AuthConfig {
            method: Some(method),
            name: auth.and_then(|auth| auth.name.clone()),
        }),
        None => auth.cloned(),
    };
    let manual_document =
        match manual::document(api, reader.title(), servers, auth.as_ref(), &fields) {
            Ok(manual_document) => manual_document,
            Err(fault) => {
                let (code, message, hint) = match fault {
                    ManualFault::Unreadable => (
                        Code::InvalidFrontMatterField,
                        format!("`{api}` is not a method and an address"),
                        "write `METHOD https://…` or `METHOD /path`".into(),
                    ),
                    ManualFault::UnknownMethod(method) => (
                        Code::InvalidFrontMatterField,
                        format!("`{method}` of `{api}` is not an HTTP method"),
                        match near(&method.to_ascii_lowercase(), manual::METHODS) {
                            Some(near) => {
                                let near = near.map(|near| near.to_ascii_uppercase());
                                let written = api.trim_start().strip_prefix(&method);
                                let written = written.map(|rest| format!("{}{rest}", near.word));
                                near.advice_with(written)
                            }
                            None => format!(
                                "one of {} is",
                                manual::METHODS.join(", ").to_ascii_uppercase()
                            )
                            .into(),
                        },
                    ),
                    ManualFault::ServerMissing => (
                        Code::ServerMissing,
                        format!("`{api}` is relative, but no server is configured"),
                        "set `api.mdx.server` in docs.json, or write the whole address".into(),
                    ),
                };
                let place = Place::value(path, "/api");
                return Reference {
                    diagnostics: vec![Diagnostic::new(code, place, message).hint(hint)],
                    ..Reference::default()
                };
            }
        };
    let unused = manual_document.unused.iter().map(|(name, at)| {
        let place = Place::in_text(path, &text, *at, 1);
        let message = format!("the path of `{api}` has no `{{{name}}}`");
        let unused = Diagnostic::new(Code::PathParameterUnused, place, message);
        unused.hint(match near(name, placeholders(api)) {
            Some(near) => near.advice_with(None),
            None => "write it into the address, or name where it is sent: `query`, `header`, `cookie`, `body`".into(),
        })
    });
    let unused = unused.collect();
    let settings = reader.settings();
    let mut document = Plain::new(manual_document.value);
    document.base = reader.base();
    let Some(modelled) = endpoint(&&document, &manual_document.pointer, settings) else {
        return Reference::default();
    };
    let mut view = modelled.value;
    for group in &mut view.parameters {
        let is_left = |row: &Row| {
            manual_document
                .undescribed
                .iter()
                .any(|name| name == row.name.text())
        };
        group.rows.retain(is_left);
    }
    view.parameters.retain(|group| !group.rows.is_empty());
    view.body = None;
    let context = reference::Context {
        base_path: reader.base_path(),
        by_grammar: &|language, code| grammar_spans(reader.0, language, code),
        is_expanded: settings.is_expanded,
    };
    let mut drawn = reference::endpoint(&view, context);
    let search = sectioned(search_text(&view), &mut drawn);
    let mut reference = of_drawn(drawn, None);
    reference.diagnostics = unused;
    reference.search = search;
    // A page without one is an error.
    reference.has_server = true;
    reference.island = island(view.playground, reader.base_path(), None);
    reference
}
