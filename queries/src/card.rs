//! Content of the picture of a page, for previews of links to it. The shell renders it to pixels.

use crate::binding::{bound_operation, operation_about};
use crate::config::theme_config;
use crate::db::Db;
use crate::head::language_of;
use crate::inputs::{Site, file_named};
use crate::navigation::{PageId, section_of};
use crate::page::{entry_name, front_matter, generated_front_matter, is_introduction, title_of};
use crate::search::breadcrumbs;
use base::content::ContentHash;
use base::path::SitePath;
use config::appearance::{Mode, ThumbnailMode};
use serde::{Deserialize, Serialize};
use theme::card::{Card, Look};
use theme::document::Direction;
use theme::language;

/// A picture that stands on every card of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Path of the file.
    pub path: SitePath,
    /// The digest of the file.
    pub digest: ContentHash,
}

/// Look shared by all cards of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardLook {
    /// Colors, name, pattern.
    pub look: Look,
    /// The logo, if it is a file of the site.
    pub logo: Option<Picture>,
    /// The picture behind the words (`thumbnails.background`).
    pub background: Option<Picture>,
}

/// Look of the cards of the site: the theme, and `thumbnails`.
///
/// Read by the renderer of cards. Separate from [`page_card`], which must not wake with a color.
#[salsa::tracked]
pub fn card_look(db: &dyn Db, site: Site) -> CardLook {
    let theme = theme_config(db, site);
    let is_dark = match theme.thumbnails.appearance {
        Some(appearance) => appearance == ThumbnailMode::Dark,
        None => theme.appearance.mode == Mode::Dark,
    };
    let picture = |path: &str| {
        let path = SitePath::new(path)?;
        let digest = file_named(db, &path)?.digest(db);
        Some(Picture { path, digest })
    };
    let logo = theme.logo.as_ref().and_then(|logo| {
        picture(match is_dark {
            true => &logo.image.dark,
            false => &logo.image.light,
        })
    });
    let background = theme.thumbnails.background.as_deref().and_then(picture);
    let ground = match is_dark {
        true => &theme.background.color.dark,
        false => &theme.background.color.light,
    };
    let colors = &theme.colors;
    CardLook {
        look: Look {
            name: theme.name.clone(),
            theme: theme.theme.word().to_owned(),
            primary: colors.primary.as_str().to_owned(),
            light: colors.light.as_ref().map(|color| color.as_str().to_owned()),
            is_dark,
            ground: ground.as_ref().map(|color| color.as_str().to_owned()),
            decoration: (theme.background.decoration)
                .map(|decoration| decoration.word().to_owned()),
            has_logo: logo.is_some(),
            has_background: background.is_some(),
            family: theme.thumbnails.fonts.family.clone(),
        },
        logo,
        background,
    }
}

/// Content of the card of a page.
///
/// Read by the renderer of cards, on request. Wakes with the frontmatter of the page and the labels
/// above it, or with the summary of its operation; words of the body must not wake it, nor titles
/// of other pages. Forgotten after others: it is said once, and the picture is kept.
#[salsa::tracked(lru = 512)]
pub fn page_card(db: &dyn Db, page: PageId) -> Card {
    let site = Site::get(db);
    let endpoint = endpoint_of(db, page);
    let description = || match page {
        PageId::File(file) => front_matter(db, file).value.description.clone(),
        PageId::Generated(page) => generated_front_matter(db, page).description.clone(),
    };
    let above = breadcrumbs(db, site).get(&page);
    let language = section_of(db, page).and_then(|section| language_of(db, section));
    let direction = language.map(|language| language::direction(&language));
    Card {
        title: title_of(db, page),
        description: match endpoint {
            Some(_) => None,
            None => description(),
        },
        section: above.and_then(|labels| labels.last().cloned()),
        endpoint,
        is_rtl: direction == Some(Direction::Rtl),
    }
}

/// Sets how many cards are kept.
pub fn set_cache_capacity(db: &mut dyn Db, capacity: usize) {
    page_card::set_lru_capacity(db, capacity);
}

/// Method and path of the operation that a page is about: of a specification, or as its author describes it (`api:`).
fn endpoint_of(db: &dyn Db, page: PageId) -> Option<(String, String)> {
    let file = match page {
        PageId::Generated(_) => {
            let operation = operation_about(db, page)?;
            let is_introduction = is_introduction(db, operation);
            return (!is_introduction).then(|| entry_name(db, operation));
        }
        PageId::File(file) => file,
    };
    if let Some(operation) = bound_operation(db, file) {
        return Some(entry_name(db, operation));
    }
    let api = front_matter(db, file).value.api.as_deref()?;
    let (method, address) = api.trim().split_once(char::is_whitespace)?;
    let address = address.trim();
    // The path of a whole address.
    let path = match address.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => address,
    };
    Some((method.to_ascii_uppercase(), path.to_owned()))
}
