//! The configuration of a site: `docs.json`, or a legacy `mint.json`, as typed values.
//!
//! This file asks; the files in `config/` compute. Everybody reads a projection rather than [`site_config`], so that a
//! new color does not wake the navigation.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::db::Db;
use crate::inputs::{SETTINGS, Site, SourceFile, Spec, file_named};
use base::data::json;
use base::diagnostic::{Code, Diagnostic, Parsed};
use base::path::{SitePath, title_of_name};
use base::place::Place;
use config::derived::{Specification, derived};
use config::{
    ApiConfig, ContentConfig, ExternalPaths, IconLibrary, NavigationConfig, Redirect,
    ReferencePages, Rules, Search, Seo, SiteConfig, ThemeConfig, legacy, reference, site,
};
use mdx::front_matter;
use serde_json::Value;
use theme::icon_library::Library;

/// The file the configuration is read from: `docs.json`, else `mint.json`.
pub fn config_file(db: &dyn Db) -> Option<SourceFile> {
    ["docs.json", "mint.json"]
        .iter()
        .find_map(|name| file_named(db, &SitePath::new(name)?))
}

/// The configuration, with everything that is wrong in it and in the files it refers to. Wakes when one of these files
/// changes; read through the projections below.
#[salsa::tracked]
pub fn site_config(db: &dyn Db, site: Site) -> Parsed<SiteConfig> {
    let Some(file) = config_file(db) else {
        return match site.derives_config(db) {
            true => without_file(derived_config(db, site)),
            false => without_file(&None),
        };
    };
    let path = file.path(db);
    let Parsed {
        value,
        mut diagnostics,
    } = json::parse(path, &text(db, file));
    let resolved = reference::resolve(path, value, &mut |path| {
        let file = file_named(db, path)?;
        Some(json::parse(path, &text(db, file)))
    });
    diagnostics.extend(resolved.diagnostics);
    let mut document = resolved.value;
    if path.file_name() == "mint.json" {
        let message = "`mint.json` is the old format; it is upgraded when read";
        diagnostics.push(
            Diagnostic::new(Code::LegacyConfig, Place::File(path.clone()), message)
                .hint("write a `docs.json`; it wins over `mint.json` when both are there"),
        );
        document = legacy::upgrade(&document);
    }
    let decoded = site::decode(&document);
    diagnostics.extend(decoded.diagnostics);
    // What stands in several places of the result, such as a file that is referenced twice, is wrong only once.
    let mut seen = BTreeSet::new();
    diagnostics.retain(|diagnostic| seen.insert(diagnostic.clone()));
    Parsed {
        value: decoded.value,
        diagnostics,
    }
}

/// The configuration of a folder without a file for it.
fn without_file(derived: &Option<Value>) -> Parsed<SiteConfig> {
    let path = SitePath::new("docs.json").expect("a constant path");
    let place = Place::File(path.clone());
    let message = "there is no `docs.json` in this folder";
    let Some(document) = derived else {
        let hint =
            "`quire init` writes one; without it a site needs Markdown files or a specification";
        let diagnostic = Diagnostic::new(Code::MissingConfig, place, message).hint(hint);
        return Parsed {
            value: SiteConfig::default(),
            diagnostics: vec![diagnostic],
        };
    };
    let follows = match config::derived::lists_pages(document) {
        true => "folders",
        false => "specification",
    };
    let message = format!("{message}: the navigation follows the {follows}");
    let diagnostic = Diagnostic::new(Code::DerivedConfig, place, message)
        .hint("`quire init` writes it, to be changed by hand");
    // What is derived is valid, or a defect that tests find.
    let value = site::decode(&reference::Document::new(&path, document.clone())).value;
    Parsed {
        value,
        diagnostics: vec![diagnostic],
    }
}

/// The configuration that the pages and specifications of a folder without `docs.json` give it;
/// `None` if it has neither. Wakes when a page or a specification appears or vanishes, with what a
/// specification says of itself, and with the first page.
///
/// It reads inputs alone: what pages and specifications are to the site rests on the configuration.
#[salsa::tracked]
pub fn derived_config(db: &dyn Db, site: Site) -> Option<Value> {
    let buckets = site.buckets(db).iter();
    let paths = buckets.flat_map(|bucket| bucket.files(db).iter().map(|(path, _)| path));
    let mut pages: Vec<SitePath> = paths.filter(|path| is_listed(path)).cloned().collect();
    pages.sort();
    let documents: Vec<Specification> = site
        .specs(db)
        .iter()
        .map(|spec| specification(db, *spec))
        .collect();
    let first = ["index.mdx", "index.md", "README.mdx", "README.md"];
    let first = first
        .iter()
        .find_map(|name| file_named(db, &SitePath::new(name)?));
    let first = first.map(|file| front_matter::parse(file.path(db), &text(db, file)).value);
    let name =
        (first.as_ref()).and_then(|page| page.own_title().or_else(|| page.heading_as_title()));
    derived(name, &pages, &documents, &title_of_name)
}

/// Returns true if the names of files order the pages, because there is no `docs.json`: titles that
/// come from a name then leave out its number.
///
/// Read by the titles of pages that say none. They must not wake with the configuration.
#[salsa::tracked(returns(copy))]
pub fn is_ordered_by_names(db: &dyn Db, site: Site) -> bool {
    let diagnostics = &site_config(db, site).diagnostics;
    (diagnostics.iter()).any(|found| found.code == Code::DerivedConfig)
}

/// Returns `old`, the `mint.json` at `path`, in the form of `docs.json`.
pub fn upgraded_config(path: &SitePath, old: Value) -> Value {
    legacy::upgrade(&config::reference::Document::new(path, old)).value
}

/// Returns true for a page that readers find by the folders.
fn is_listed(path: &SitePath) -> bool {
    let is_hidden =
        |folder: &str| folder.starts_with('.') || matches!(folder, "snippets" | "_snippets");
    matches!(path.extension().as_str(), "mdx" | "md") && !path.folder().split('/').any(is_hidden)
}

/// What a specification says of itself.
fn specification(db: &dyn Db, spec: Spec) -> Specification {
    let mut slices = spec.slices(db).iter();
    let info = slices.find(|slice| &**slice.key(db) == "/info");
    let info =
        info.and_then(|slice| serde_json::from_slice::<Value>(&db.bytes(slice.digest(db))).ok());
    let title = info.as_ref().and_then(|info| info.get("title")?.as_str());
    let mut slices = spec.slices(db).iter();
    Specification {
        path: spec.path(db).clone(),
        title: title
            .map(str::to_owned)
            .filter(|title| !title.trim().is_empty()),
        is_asyncapi: slices.any(|slice| &**slice.key(db) == "/asyncapi"),
    }
}

/// The text of a file, bytes that are not UTF-8 replaced.
fn text(db: &dyn Db, file: SourceFile) -> String {
    String::from_utf8_lossy(&db.bytes(file.digest(db))).into_owned()
}

/// The navigation as it is written. Read by the navigation; colors must not wake it.
#[salsa::tracked]
pub fn navigation_config(db: &dyn Db, site: Site) -> Arc<NavigationConfig> {
    Arc::clone(&site_config(db, site).value.navigation)
}

/// Configuration of the frame around every page. Labels of the navigation must not wake it.
#[salsa::tracked]
pub fn theme_config(db: &dyn Db, site: Site) -> ThemeConfig {
    site_config(db, site).value.theme.clone()
}

/// Addresses that moved. Read by routing and by the check of links.
#[salsa::tracked]
pub fn redirects(db: &dyn Db, site: Site) -> Vec<Redirect> {
    site_config(db, site).value.redirects.clone()
}

/// Everything about API pages but how rules count and which pages there are. Read by endpoint pages only.
#[salsa::tracked]
pub fn api_config(db: &dyn Db, site: Site) -> ApiConfig {
    ApiConfig {
        rules: Rules::default(),
        pages: ReferencePages::default(),
        ..site_config(db, site).value.api.clone()
    }
}

/// Kinds of pages that generated references have besides operations. Read by the navigation, which
/// other settings of API pages must not wake.
#[salsa::tracked(returns(copy))]
pub fn reference_pages(db: &dyn Db, site: Site) -> ReferencePages {
    site_config(db, site).value.api.pages
}

/// Severities of rules for specifications on this site: `api.rules` overrides `quire.toml`. Read
/// where diagnostics are listed; wakes no page.
#[salsa::tracked]
pub fn spec_rules(db: &dyn Db, site: Site) -> Rules {
    let mut rules = file_rules(db, site).value.clone();
    rules
        .0
        .extend(site_config(db, site).value.api.rules.0.clone());
    rules
}

/// The rules of the `quire.toml` beside the configuration, if there is one. Read by [`spec_rules`]
/// and where diagnostics are listed; wakes no reader of the configuration.
#[salsa::tracked]
pub fn file_rules(db: &dyn Db, _site: Site) -> Parsed<Rules> {
    let path = SitePath::new(SETTINGS).expect("a constant path");
    match file_named(db, &path) {
        Some(file) => Rules::of_toml(&path, &text(db, file)),
        None => Parsed::default(),
    }
}

/// Paths that other software serves below the address of the site, by the `quire.toml` beside the
/// configuration. Read by the checks of links; an edit of other tables stops here.
#[salsa::tracked]
pub fn external_paths(db: &dyn Db, _site: Site) -> Parsed<ExternalPaths> {
    let path = SitePath::new(SETTINGS).expect("a constant path");
    match file_named(db, &path) {
        Some(file) => ExternalPaths::of_toml(&path, &text(db, file)),
        None => Parsed::default(),
    }
}

/// Icon library that is searched first. Apart from the rest of the configuration, so that an edit
/// there wakes no body.
#[salsa::tracked(returns(copy))]
pub fn icon_set(db: &dyn Db, site: Site) -> IconLibrary {
    theme_config(db, site).icons.library
}

/// Search settings: prompt, synonyms, and whether meanings are compared. Read by an index and by
/// embedders of passages.
#[salsa::tracked]
pub fn search_config(db: &dyn Db, site: Site) -> Search {
    site_config(db, site).value.theme.search.clone()
}

/// Configuration that the text of pages depends on, such as values of variables. Read by every
/// page.
#[salsa::tracked]
pub fn content_config(db: &dyn Db, site: Site) -> ContentConfig {
    site_config(db, site).value.content.clone()
}

/// Whether pages as Markdown hold their part of the specification (`markdown.schema`). Shields
/// these pages from the rest of the configuration.
#[salsa::tracked(returns(copy))]
pub fn has_schemas(db: &dyn Db, site: Site) -> bool {
    content_config(db, site).markdown.schema
}

/// Whether pages show the date of their last change by default (`metadata.timestamp`). Shields the
/// heads of pages from the rest of the configuration.
#[salsa::tracked(returns(copy))]
pub fn has_timestamps(db: &dyn Db, site: Site) -> bool {
    content_config(db, site).metadata.timestamp
}

/// Settings for search engines. Read by the head of every page.
#[salsa::tracked]
pub fn seo_config(db: &dyn Db, site: Site) -> Seo {
    site_config(db, site).value.seo.clone()
}

/// Base of all canonical addresses, as set by the author.
pub fn canonical_base(db: &dyn Db, site: Site) -> Option<&str> {
    let is_address = |text: &str| text.starts_with("https://") || text.starts_with("http://");
    let mut tags = seo_config(db, site).metatags.0.iter();
    let (_, content) =
        tags.find(|(name, content)| name == "canonical" && is_address(&content.0))?;
    Some(content.0.trim_end_matches('/'))
}

/// Address of the site: what the author calls canonical, else what the shell says; `None` where neither says one.
pub fn site_address(db: &dyn Db, site: Site) -> Option<String> {
    let own = canonical_base(db, site).map(str::to_owned);
    own.or_else(|| site.address(db).clone())
}

/// The library of icons that a word of the configuration means.
pub fn library(library: IconLibrary) -> Library {
    match library {
        IconLibrary::FontAwesome => Library::FontAwesome,
        IconLibrary::Lucide => Library::Lucide,
        IconLibrary::Tabler => Library::Tabler,
    }
}
