//! A site whose files were invented: its addresses, its pages and everything that is said of it.

use queries::base::path::SitePath;
use queries::frame::{PageOptions, page_html};
use queries::site;
use quire_engine::host::{FileChange, HostOptions, SiteHost};
use quire_source::sources::FileState;

/// Draws each page of a site of `files`, and reads what is said of it.
pub fn draw(files: &[(&str, &[u8])]) {
    let host = SiteHost::new("", HostOptions::default());
    host.apply(files.iter().map(|(path, bytes)| FileChange {
        path: SitePath::new(path).expect("a path"),
        state: FileState::Text((*bytes).into()),
    }));
    let drawn = host.read(|db, site| {
        site::config_diagnostics(db, site);
        for page in site::route_table(db, site).pages.values() {
            page_html(db, site, *page, &PageOptions::default());
            site::diagnostics_for_page(db, *page);
        }
    });
    // The host catches what panics.
    drawn.expect("the site is drawn");
}
