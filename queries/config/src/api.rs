//! The `api` section: specifications, playground, code examples, endpoints written in MDX.

use serde_json::Value;

use crate::appearance::Texts;
use crate::decode::{Decode, Fields, Log, Node, record, words};
use crate::navigation::{SpecReference, read};
use crate::rules::Rules;
use base::path::SitePath;

/// A specification: where it is and where its pages go.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpecSource {
    /// A path in the docs repository, or a URL.
    pub source: String,
    /// The folder of the generated pages.
    pub directory: Option<String>,
    /// Paths of the overlays that are applied to it, in order.
    pub overlays: Option<Vec<String>>,
}

impl SpecSource {
    /// The document it names; `None` if no file can have that name.
    pub fn path(&self) -> Option<SitePath> {
        match self.source.contains("://") {
            true => Some(SitePath::of_url(&self.source)),
            false => SitePath::new(&self.source),
        }
    }

    /// The files of its overlays, without names that no file can have.
    pub fn overlay_paths(&self) -> Vec<SitePath> {
        let named = self.overlays.iter().flatten();
        let named = named.filter(|name| !name.contains("://"));
        named.filter_map(|name| SitePath::new(name)).collect()
    }
}

impl Decode for SpecSource {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        match node.value {
            Value::String(source) => Some(Self {
                source: source.clone(),
                directory: None,
                overlays: None,
            }),
            Value::Object(_) => {
                let mut fields = node.fields(log)?;
                let source = fields.required("source");
                let directory = fields.optional("directory");
                let overlays = fields.optional("overlays");
                fields.finish();
                Some(Self {
                    source: source?,
                    directory,
                    overlays,
                })
            }
            _ => {
                node.reject(log, "the path or URL of a specification");
                None
            }
        }
    }
}

words! {
    /// Initial expansion of nested fields.
    pub enum Expanded { Closed = "closed", All = "all" }
}

record! {
    /// Display of parameters.
    pub struct ParamsConfig: Default {
        /// Initial expansion of nested fields.
        pub expanded: Expanded = standard "expanded",
        /// The keys of a schema that are shown as pills.
        pub post: Vec<String> = standard "post",
    }
}

words! {
    /// Capabilities of the playground.
    pub enum PlaygroundDisplay {
        Interactive = "interactive",
        Simple = "simple",
        None = "none",
        Auth = "auth",
    }
}

record! {
    /// The playground.
    pub struct Playground: Default {
        /// Capabilities.
        pub display: PlaygroundDisplay = standard "display",
        /// Whether requests go through the site.
        pub proxy: bool = or(true) "proxy",
        /// Whether direct requests carry cookies.
        pub credentials: bool = standard "credentials",
    }
}

words! {
    /// Parameters in generated examples.
    pub enum ExampleDefaults { All = "all", Required = "required" }
}

record! {
    /// The code examples.
    pub struct Examples: Default {
        /// Languages of the samples, in order; the default ones when empty.
        pub languages: Vec<String> = standard "languages",
        /// Parameters in them.
        pub defaults: ExampleDefaults = standard "defaults",
        /// Whether the playground begins with the values of the example.
        pub prefill: bool = standard "prefill",
        /// Whether they are written for endpoints that bring none.
        pub autogenerate: bool = or(true) "autogenerate",
    }
}

words! {
    /// Authentication of requests.
    pub enum AuthMethod { Bearer = "bearer", Basic = "basic", Key = "key", Cobo = "cobo", None = "none" }
}

impl AuthMethod {
    /// The method of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Bearer, Self::Basic, Self::Key, Self::Cobo, Self::None]
            .into_iter()
            .find(|method| method.word() == name)
    }
}

/// The authentication of endpoints that are written in MDX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthConfig {
    /// Authentication of requests.
    pub method: Option<AuthMethod>,
    /// The header that carries the key.
    pub name: Option<String>,
}

impl Decode for AuthConfig {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        if !node.value.is_object() {
            let method = Some(AuthMethod::decode(node, log)?);
            return Some(Self { method, name: None });
        }
        let mut fields = node.fields(log)?;
        let method = fields.optional("method");
        let name = fields.optional("name");
        fields.finish();
        Some(Self { method, name })
    }
}

record! {
    /// The `mdx` section as written.
    pub struct MdxSection: Default {
        /// The authentication.
        pub auth: Option<AuthConfig> = optional "auth",
        /// The servers.
        pub server: Texts = standard "server",
    }
}

words! {
    /// Display of an endpoint's URL.
    pub enum UrlDisplay { Auto = "auto", Full = "full" }
}

/// Kinds of pages in a generated reference besides operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferencePages {
    /// Whether a page opens it, where the site has none of its own.
    pub introduction: bool,
    /// Whether each data model has a page.
    pub models: bool,
}

impl Default for ReferencePages {
    fn default() -> Self {
        Self {
            introduction: true,
            models: false,
        }
    }
}

/// Everything about API pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiConfig {
    /// Specifications known to the site; they generate no pages by themselves.
    pub openapi: Vec<SpecReference>,
    /// AsyncAPI documents known to the site; they generate no pages by themselves.
    pub asyncapi: Vec<SpecReference>,
    /// Display of parameters.
    pub params: ParamsConfig,
    /// The playground.
    pub playground: Playground,
    /// The code examples.
    pub examples: Examples,
    /// Display of an endpoint's URL.
    pub url: UrlDisplay,
    /// The authentication of endpoints that are written in MDX.
    pub auth: Option<AuthConfig>,
    /// The base URLs put before a relative `api` of a page.
    pub servers: Vec<String>,
    /// Severities of rules for specifications.
    pub rules: Rules,
    /// Kinds of pages in generated references.
    pub pages: ReferencePages,
}

impl ApiConfig {
    /// Reads `api`, and the short forms `server`, `display`, `auth` and `authMethod`, which may stand at the top level or
    /// under `api`. The long form wins over the short one, and `api` over the top level.
    pub fn read(fields: &mut Fields<'_, '_, '_>) -> Self {
        let outer = ShortForms::read(fields);
        let mut config = Self::default();
        let mut inner = ShortForms::default();
        let mut mdx = MdxSection::default();
        let mut has_display = false;
        if let Some(node) = fields.node("api") {
            let log = &mut *fields.log;
            if let Some(mut api) = node.fields(log) {
                config.openapi = read::specs(&mut api, "openapi");
                config.asyncapi = read::specs(&mut api, "asyncapi");
                config.params = api.optional("params").unwrap_or_default();
                if let Some(playground) = api.node("playground") {
                    has_display = playground.value.get("display").is_some();
                    config.playground =
                        Playground::decode(&playground, api.log).unwrap_or_default();
                }
                config.examples = api.optional("examples").unwrap_or_default();
                config.url = api.optional("url").unwrap_or_default();
                config.rules = api.optional("rules").unwrap_or_default();
                config.pages.introduction = api.optional("introduction").unwrap_or(true);
                config.pages.models = api.optional("models").unwrap_or_default();
                mdx = api.optional("mdx").unwrap_or_default();
                inner = ShortForms::read(&mut api);
                api.finish();
            }
        }
        if !has_display && let Some(display) = inner.display.or(outer.display) {
            config.playground.display = display;
        }
        config.auth = mdx.auth.or(inner.auth).or(outer.auth);
        config.servers = [mdx.server, inner.server, outer.server]
            .into_iter()
            .map(|texts| texts.0)
            .find(|servers| !servers.is_empty())
            .unwrap_or_default();
        config
    }
}

#[derive(Default)]
struct ShortForms {
    server: Texts,
    display: Option<PlaygroundDisplay>,
    auth: Option<AuthConfig>,
}

impl ShortForms {
    fn read(fields: &mut Fields<'_, '_, '_>) -> Self {
        let server = fields.optional("server").unwrap_or_default();
        let display = fields.optional("display");
        let method = fields.optional::<AuthConfig>("authMethod");
        let auth = fields.optional::<AuthConfig>("auth");
        let auth = match (auth, method) {
            (Some(auth), Some(method)) => Some(AuthConfig {
                method: auth.method.or(method.method),
                name: auth.name.or(method.name),
            }),
            (auth, method) => auth.or(method),
        };
        Self {
            server,
            display,
            auth,
        }
    }
}
