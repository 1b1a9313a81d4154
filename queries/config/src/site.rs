//! The whole configuration of a site as typed values.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::api::ApiConfig;
use crate::appearance::{
    Appearance, Background, Colors, Fonts, Icons, Logo, PerMode, Styling, ThemeName, Thumbnails,
    Variables, Variations,
};
use crate::chrome::{
    Banner, Contextual, ErrorPages, Feedback, Footer, Interaction, Markdown, Metadata, Navbar,
    NotFound, Search, review,
};
use crate::decode::{Log, Node};
use crate::integrations::Integrations;
use crate::navigation::NavigationConfig;
use crate::redirect::{Redirect, Redirects};
use crate::reference::Document;
use crate::seo::Seo;
use crate::unused;
use base::diagnostic::{Code, Parsed};
use base::place::Part;

/// The configuration of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteConfig {
    /// Settings of the frame around every page.
    pub theme: ThemeConfig,
    /// The navigation.
    pub navigation: Arc<NavigationConfig>,
    /// Addresses that moved.
    pub redirects: Vec<Redirect>,
    /// Everything about API pages.
    pub api: ApiConfig,
    /// Everything about the text of pages.
    pub content: ContentConfig,
    /// Settings for search engines.
    pub seo: Seo,
}

/// Settings of the frame around every page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeConfig {
    /// The layout.
    pub theme: ThemeName,
    /// The name of the site.
    pub name: String,
    /// Description of the site.
    pub description: Option<String>,
    /// The colors.
    pub colors: Colors,
    /// The logo.
    pub logo: Option<Logo>,
    /// The icon of the browser tab.
    pub favicon: Option<PerMode<String>>,
    /// Light and dark mode.
    pub appearance: Appearance,
    /// The fonts.
    pub fonts: Fonts,
    /// The icons.
    pub icons: Icons,
    /// Background of the page.
    pub background: Background,
    /// Details of how pages look.
    pub styling: Styling,
    /// Generated preview images.
    pub thumbnails: Thumbnails,
    /// The navigation bar.
    pub navbar: Navbar,
    /// The footer.
    pub footer: Footer,
    /// The line above the page.
    pub banner: Option<Banner>,
    /// Behavior of the sidebar.
    pub interaction: Interaction,
    /// The menu of each page.
    pub contextual: Contextual,
    /// The search box.
    pub search: Search,
    /// Kinds of feedback that readers can give.
    pub feedback: Feedback,
    /// The page for a wrong address.
    pub not_found: NotFound,
    /// Variants of the content.
    pub variations: Variations,
    /// Services of others.
    pub integrations: Integrations,
    /// Whether readers must log in (`userAuth`, or `auth` that is not the authentication of an API).
    pub is_protected: bool,
}

impl Default for ThemeConfig {
    fn default() -> Self {
        Self {
            theme: ThemeName::default(),
            name: "Documentation".to_owned(),
            description: None,
            colors: Colors::default(),
            logo: None,
            favicon: None,
            appearance: Appearance::default(),
            fonts: Fonts::default(),
            icons: Icons::default(),
            background: Background::default(),
            styling: Styling::default(),
            thumbnails: Thumbnails::default(),
            navbar: Navbar::default(),
            footer: Footer::default(),
            banner: None,
            interaction: Interaction::default(),
            contextual: Contextual::default(),
            search: Search::default(),
            feedback: Feedback::default(),
            not_found: NotFound::default(),
            variations: Variations::default(),
            integrations: Integrations::default(),
            is_protected: false,
        }
    }
}

/// Settings that the text of pages depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentConfig {
    /// The values of `{{name}}`.
    pub variables: Variables,
    /// Facts shown on each page.
    pub metadata: Metadata,
    /// The Markdown twins of pages.
    pub markdown: Markdown,
    /// Default of whether pages can be read without a login.
    pub public: Option<bool>,
}

/// Reads the configuration; what cannot be read has its default.
pub fn decode(document: &Document) -> Parsed<SiteConfig> {
    let mut log = Log::new(document);
    let mut config = read(&mut log);
    unused::report(&mut log);
    review(&config.theme.footer, &mut config.theme.contextual, &mut log);
    Parsed {
        value: config,
        diagnostics: log.diagnostics,
    }
}

/// Returns the fields that are looked for in `document`, there or not, by their pointers, each with the words that it can have
/// if it is one of words. Read by the test that accounts for every field.
pub fn known_fields(document: &Document) -> BTreeMap<String, Vec<&'static str>> {
    let mut log = Log::new(document);
    log.known = Some(BTreeMap::new());
    read(&mut log);
    log.known.unwrap_or_default()
}

fn read(log: &mut Log<'_>) -> SiteConfig {
    let root = Node::root(log.document);
    // What is no JSON at all has been reported when it was parsed.
    if matches!(root.value, Value::Null) {
        return SiteConfig::default();
    }
    let Some(mut fields) = root.fields(log) else {
        return SiteConfig::default();
    };
    let standard = ThemeConfig::default();
    let theme = fields.required("theme");
    let name = fields.required("name");
    if !fields.has("colors") {
        fields.missing("colors.primary");
    }
    let theme = ThemeConfig {
        theme: theme.unwrap_or_default(),
        name: name.unwrap_or(standard.name),
        description: fields.optional("description"),
        colors: fields.optional("colors").unwrap_or_default(),
        logo: fields.optional("logo"),
        favicon: fields.optional("favicon"),
        appearance: fields.optional("appearance").unwrap_or_default(),
        fonts: fields.optional("fonts").unwrap_or_default(),
        icons: fields.optional("icons").unwrap_or_default(),
        background: fields.optional("background").unwrap_or_default(),
        styling: fields.optional("styling").unwrap_or_default(),
        thumbnails: fields.optional("thumbnails").unwrap_or_default(),
        navbar: fields.optional("navbar").unwrap_or_default(),
        footer: fields.optional("footer").unwrap_or_default(),
        banner: fields.optional("banner"),
        interaction: fields.optional("interaction").unwrap_or_default(),
        contextual: fields.optional("contextual").unwrap_or_default(),
        search: fields.optional("search").unwrap_or_default(),
        feedback: fields.optional("feedback").unwrap_or_default(),
        not_found: fields
            .optional::<ErrorPages>("errors")
            .map(|errors| errors.not_found)
            .unwrap_or_default(),
        variations: fields.optional("variations").unwrap_or_default(),
        integrations: fields.optional("integrations").unwrap_or_default(),
        is_protected: fields.node("userAuth").is_some()
            || (fields.node("auth")).is_some_and(|auth| auth.value.get("method").is_none()),
    };
    let content = ContentConfig {
        variables: fields.optional("variables").unwrap_or_default(),
        metadata: fields.optional("metadata").unwrap_or_default(),
        markdown: fields.optional("markdown").unwrap_or_default(),
        public: fields.optional("public"),
    };
    check_variables(&mut fields);
    let navigation: Option<NavigationConfig> = fields.required("navigation");
    let redirects: Option<Redirects> = fields.optional("redirects");
    let config = SiteConfig {
        theme,
        content,
        navigation: Arc::new(navigation.unwrap_or_default()),
        redirects: redirects.unwrap_or_default().0,
        api: ApiConfig::read(&mut fields),
        seo: fields.optional("seo").unwrap_or_default(),
    };
    fields.finish();
    config
}

/// Reports names of variables that can never be written between braces.
fn check_variables(fields: &mut crate::decode::Fields<'_, '_, '_>) {
    let Some(node) = fields.node("variables") else {
        return;
    };
    let Some(members) = node.value.as_object() else {
        return;
    };
    for name in members.keys() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        if name.is_empty() || !name.chars().all(is_word) {
            let pointer = base::data::pointer::child(&node.pointer, name);
            let message = format!("`{name}` cannot be the name of a variable");
            let hint = "use letters, digits, `_`, `.` and `-`".to_owned();
            fields.log.report(
                Code::InvalidField,
                &pointer,
                Part::Key,
                message,
                Some(hint.into()),
            );
        }
    }
}
