//! The announcement above the header.

use maud::{Markup, PreEscaped, html};

use crate::color::{Rgb, ink_on};
use crate::icon::icon;
use crate::words::Word;

/// Content of the banner.
#[derive(Clone, Debug, Default)]
pub struct Banner {
    /// Changes with its content: readers that dismissed this one see the next.
    pub id: String,
    /// Severity.
    pub kind: BannerKind,
    /// Own ground on light pages, as `#rrggbb`.
    pub light: Option<String>,
    /// Own ground on dark pages; that of light ones without it, and the other way round.
    pub dark: Option<String>,
    /// Whether it can be put away.
    pub dismissible: bool,
}

/// Severity of a banner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BannerKind {
    /// News.
    #[default]
    Info,
    /// Worth attention.
    Warning,
    /// Something is broken.
    Critical,
}

/// Renders the banner around its rendered content.
pub fn banner(view: &Banner, content: PreEscaped<&str>) -> Markup {
    let kind = match view.kind {
        BannerKind::Info => "info",
        BannerKind::Warning => "warning",
        BannerKind::Critical => "critical",
    };
    let [light, dark] = [&view.light, &view.dark].map(|color| Rgb::parse(color.as_deref()?));
    let style = light.or(dark).zip(dark.or(light)).map(|(light, dark)| {
        let either = |name: &str, of: &dyn Fn(Rgb) -> Rgb| {
            let (light, dark) = (of(light).hex(), of(dark).hex());
            format!("--banner-{name}:light-dark({light},{dark})")
        };
        let ground = either("ground", &|color| color);
        format!("{ground};{}", either("ink", &ink_on))
    });
    html! {
        div.banner id="banner" role="region" aria-label=(Word::Announcement) data-kind=(kind) data-banner=(view.id) style=[style] {
            div.banner-text { (content) }
            @if view.dismissible {
                button.banner-close type="button" aria-label=(Word::DismissAnnouncement) data-banner-close {
                    (icon("x").unwrap_or_default())
                }
            }
        }
    }
}
