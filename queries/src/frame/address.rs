//! Addresses and icons as templates want them: below the base path, looked up in the site's library.

use crate::config::icon_set;
use crate::db::Db;
use crate::inputs::{Site, SourceFile, file_named};
use crate::page::page_route;
use base::path::{Route, SitePath};
use config::appearance::{Icon, IconStyle};
use mdx::link;
use theme::icon;

/// The address of a page as it is written into HTML.
pub(super) fn file_href(db: &dyn Db, file: SourceFile) -> String {
    format!(
        "{}{}",
        Site::get(db).base_path(db),
        page_route(db, file).href()
    )
}

/// The address at `route`, as it is written into HTML.
pub(super) fn route_href(db: &dyn Db, route: &Route) -> String {
    format!("{}{}", Site::get(db).base_path(db), route.href())
}

/// An address of the configuration as it is written into HTML; relative ones are relative to the root.
pub(super) fn site_href(db: &dyn Db, href: &str) -> String {
    match SitePath::new("docs.json") {
        Some(config) => link::href(&config, Site::get(db).base_path(db), href),
        None => href.to_owned(),
    }
}

/// An icon of the configuration, as templates want it.
pub(super) fn icon_name(db: &dyn Db, icon: &Icon) -> String {
    if icon.name.starts_with('/') {
        return site_href(db, &icon.name);
    }
    let library = icon.library.unwrap_or_else(|| icon_set(db, Site::get(db)));
    icon::qualified(
        crate::config::library(library),
        icon.style.map(IconStyle::word),
        &icon.name,
    )
}

/// The icon that the frontmatter of a page names, as templates want it.
pub(super) fn icon_of_page(db: &dyn Db, name: &str, style: Option<&str>) -> String {
    if name.starts_with('/') {
        return site_href(db, name);
    }
    icon::qualified(
        crate::config::library(icon_set(db, Site::get(db))),
        style,
        name,
    )
}

/// The address of an image of the configuration; `None` when it names a file that is not there.
pub(super) fn image_href(db: &dyn Db, src: &str) -> Option<String> {
    let is_missing = !is_external(Some(src))
        && SitePath::new(src).is_none_or(|path| file_named(db, &path).is_none());
    (!is_missing).then(|| site_href(db, src))
}

pub(super) fn is_external(href: Option<&str>) -> bool {
    href.is_some_and(|href| href.starts_with("http://") || href.starts_with("https://"))
}
