//! Menus to other languages, versions and products, and to other parts of the site.

use maud::{Markup, html};

use crate::icon::{icon, is_drawn, user_icon};
use crate::words::Word;

/// A menu that leads to another shape of the same documentation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switcher {
    /// Kind.
    pub kind: SwitcherKind,
    /// Current choice.
    pub current: String,
    /// Name or address of an icon.
    pub icon: Option<String>,
    /// The choices.
    pub items: Vec<SwitcherItem>,
}

/// Subject of a switcher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SwitcherKind {
    /// The language.
    Language,
    /// The version.
    #[default]
    Version,
    /// The product.
    Product,
    /// A part of the site.
    Dropdown,
}

impl SwitcherKind {
    /// Prefix of the classes of its parts, by which sites style its menu.
    fn prefix(self) -> Option<&'static str> {
        match self {
            Self::Language | Self::Version => None,
            Self::Product => Some("nav-dropdown-products-selector"),
            Self::Dropdown => Some("nav-dropdown"),
        }
    }

    /// Name in class names, and the label read aloud.
    fn names(self) -> (&'static str, Word) {
        match self {
            Self::Language => ("language", Word::Language),
            Self::Version => ("version", Word::Version),
            Self::Product => ("product", Word::Product),
            Self::Dropdown => ("dropdown", Word::Section),
        }
    }
}

/// One choice of a switcher.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitcherItem {
    /// Text.
    pub label: String,
    /// Address.
    pub href: String,
    /// Language of the page it leads to.
    pub lang: Option<String>,
    /// A short tag: `Latest`.
    pub tag: Option<String>,
    /// One line about it.
    pub description: Option<String>,
    /// Name or address of an icon.
    pub icon: Option<String>,
    /// Whether it is shown now.
    pub current: bool,
}

/// Renders a menu of links that opens without scripts.
pub fn switcher(view: &Switcher) -> Markup {
    drawn_switcher(view, view.kind == SwitcherKind::Language)
}

/// Renders the menu once more, for the drawer of narrow screens.
pub fn drawer_switcher(view: &Switcher) -> Markup {
    drawn_switcher(view, false)
}

/// The menu, with the ids that sites style the choice of a language by; an id can be in a page but once.
fn drawn_switcher(view: &Switcher, has_ids: bool) -> Markup {
    let (class, label) = view.kind.names();
    let id = |name: &'static str| has_ids.then_some(name);
    let with_prefix = |own: &str, part: &str| match view.kind.prefix() {
        Some(prefix) => format!("{own} {prefix}-{part}").trim_start().to_owned(),
        None => own.to_owned(),
    };
    let part = match view.kind {
        SwitcherKind::Version => Some("version-select-trigger"),
        SwitcherKind::Product => Some("products-selector-trigger"),
        SwitcherKind::Language | SwitcherKind::Dropdown => None,
    };
    let set = |classes: String| Some(classes).filter(|classes| !classes.is_empty());
    html! {
        details.switcher data-kind=(class) data-menu {
            summary class=[set(with_prefix("", "trigger"))] data-component-part=[part] id=[id("localization-select-trigger")] aria-label={ (label) ": " (view.current) } {
                @if view.kind == SwitcherKind::Language && view.icon.is_none() { (render_icon("globe")) }
                (user_icon(view.icon.as_deref()))
                span.switcher-current { (view.current) }
                span.chevron { (render_icon("chevron-down")) }
            }
            ul class=(with_prefix("menu", "content")) id=[id("localization-select-content")] {
                @for item in &view.items {
                    li {
                        a class=[set(with_prefix("", "item"))] href=(item.href) lang=[item.lang.as_deref()] hreflang=[item.lang.as_deref()]
                            aria-current=[item.current.then_some("true")] data-active[item.current]
                            id=[id("localization-select-item").filter(|_| item.current)] {
                            @if is_drawn(item.icon.as_deref()) {
                                span class=(with_prefix("menu-icon", "item-icon")) { (user_icon(item.icon.as_deref())) }
                            }
                            span class=(text_class(view.kind)) {
                                span class=(with_prefix("menu-label", "item-title")) {
                                    (item.label)
                                    @if let Some(tag) = &item.tag { span.pill.pill-tag { (tag) } }
                                }
                                @if let Some(text) = &item.description { span class=(with_prefix("menu-description", "item-description")) { (text) } }
                            }
                            @if item.current { span.menu-check { (render_icon("check")) } }
                        }
                    }
                }
            }
        }
    }
}

/// The reference has a name for the text of an item in one menu alone.
fn text_class(kind: SwitcherKind) -> &'static str {
    match kind {
        SwitcherKind::Dropdown => "menu-text nav-dropdown-item-text-container",
        _ => "menu-text",
    }
}

fn render_icon(name: &str) -> Markup {
    icon(name).unwrap_or_default()
}
