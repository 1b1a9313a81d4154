//! Components with state on a page: their places in its text, and the script that runs them.

use super::address::site_href;
use super::own::own_file_query;
use crate::body::{PageIslands, islands_path, page_islands};
use crate::db::Db;
use crate::inputs::SourceFile;
use base::path::{Route, encode_path};
use theme::assets::{self, asset_url};
use theme::{layout, prose};

/// Returns `content` with its components prepared for hydration, followed by the script element
/// that hydrates them. An untrusted author gets no script: all states of a component are shown.
pub(super) fn with_islands(
    db: &dyn Db,
    (file, route): (SourceFile, &Route),
    content: &str,
    body: &prose::Body,
    is_untrusted: bool,
) -> String {
    let nothing = PageIslands::default();
    let islands = match is_untrusted {
        true => &nothing,
        false => page_islands(db, file),
    };
    let mut content = prose::islands::placed(content, &body.islands, &islands.is_live);
    if let Some(digest) = islands.digest {
        let core = site_href(db, &asset_url(assets::ISLANDS));
        let path = encode_path(&islands_path(route));
        let script = format!("{}?{}", site_href(db, &path), own_file_query(digest));
        content.push_str(&layout::island_script(&core, &script).into_string());
    }
    content
}
