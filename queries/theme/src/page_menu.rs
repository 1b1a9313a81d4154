//! The menu of a page: what a reader, or a program that reads for one, can do with the page as a whole.

use maud::{Markup, html};

use crate::icon::{icon, user_icon};
use crate::words::Word;

/// The menu of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageMenu {
    /// Entries, in order; the first is a button of its own.
    pub entries: Vec<MenuEntry>,
    /// Position.
    pub place: MenuPlace,
}

/// Position of the menu of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MenuPlace {
    /// Next to the title.
    #[default]
    Title,
    /// Below the list of headings; next to the title where there is none.
    Contents,
}

/// An entry of the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MenuEntry {
    /// Name, style or address of the icon.
    pub icon: Option<String>,
    /// Name of the entry.
    pub title: String,
    /// Description, in a line.
    pub description: Option<String>,
    /// Action.
    pub action: MenuAction,
}

/// Action of an entry of the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MenuAction {
    /// Copies what is at this address.
    CopyFrom(String),
    /// Copies a text; `fill` says what of it a script completes.
    Copy {
        /// Text.
        text: String,
        /// Parts that a script completes.
        fill: Fill,
    },
    /// Opens the dialog for printing, which also writes PDF.
    Print,
    /// Opens the panel of the assistant.
    Ask,
    /// Leads somewhere.
    Open {
        /// Address.
        href: String,
        /// Whether it opens a program or a third-party site in another window.
        is_external: bool,
        /// Parts that a script completes.
        fill: Fill,
    },
    /// Loads a file.
    Download(String),
}

/// Parts of a URL or a text that a script completes when it is used: only the browser knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fill {
    /// A path that becomes an absolute URL.
    pub path: Option<String>,
    /// Address whose content replaces it.
    pub content: Option<String>,
    /// Text that contains the path, base64-encoded in the address.
    pub base64: Option<String>,
}

/// Renders the menu next to the title: a button, and the other entries behind a second one. Without
/// scripts it is a list of links that opens.
pub fn page_menu(view: &PageMenu) -> Markup {
    let Some((first, rest)) = view.entries.split_first() else {
        return html! {};
    };
    html! {
        div.page-menu id="page-context-menu" data-place=[place_name(view.place)] {
            (entry(first, false))
            @if !rest.is_empty() {
                details.page-menu-more data-menu {
                    summary id="page-context-menu-button" aria-label=(Word::MoreActions) {
                        span.page-menu-word { (Word::PageActions) }
                        span.chevron { (icon("chevron-down").unwrap_or_default()) }
                    }
                    ul.menu { @for item in rest { li { (entry(item, true)) } } }
                }
            }
        }
    }
}

/// Renders the menu below the list of headings: every entry in a line.
pub fn page_menu_list(view: &PageMenu) -> Markup {
    html! {
        @if view.place == MenuPlace::Contents && !view.entries.is_empty() {
            ul.page-menu-list aria-label=(Word::PageActions) {
                @for item in &view.entries { li { (entry(item, false)) } }
            }
        }
    }
}

fn place_name(place: MenuPlace) -> Option<&'static str> {
    match place {
        MenuPlace::Title => None,
        MenuPlace::Contents => Some("contents"),
    }
}

fn entry(item: &MenuEntry, is_described: bool) -> Markup {
    let contents = html! {
        span.menu-icon { (user_icon(item.icon.as_deref())) }
        span.menu-text {
            span.menu-label {
                span.page-menu-title { (item.title) }
                @if matches!(item.action, MenuAction::CopyFrom(_) | MenuAction::Copy { .. }) {
                    span.page-menu-done { (Word::Copied) }
                    span.page-menu-failed { (Word::CouldNotCopy) }
                }
                @if matches!(&item.action, MenuAction::Open { is_external: true, href, .. } if href.starts_with("http")) {
                    span.page-menu-away { (icon("arrow-up-right").unwrap_or_default()) }
                }
            }
            @if let Some(text) = item.description.as_ref().filter(|_| is_described) {
                span.menu-description { (text) }
            }
        }
    };
    match &item.action {
        MenuAction::CopyFrom(from) => {
            html! { button.page-menu-entry type="button" data-page-copy=(from) { (contents) } }
        }
        MenuAction::Copy { text, fill } => {
            html! { button.page-menu-entry type="button" data-copy-text-of=(text) data-path=[&fill.path] { (contents) } }
        }
        MenuAction::Print => {
            html! { button.page-menu-entry type="button" data-page-print { (contents) } }
        }
        MenuAction::Ask => {
            html! { button.page-menu-entry type="button" data-ask-open aria-expanded="false" { (contents) } }
        }
        MenuAction::Open {
            href,
            is_external,
            fill,
        } => html! {
            a.page-menu-entry href=(href) data-path=[&fill.path] data-content=[&fill.content] data-base64=[&fill.base64]
                target=[is_external.then_some("_blank")] rel=[is_external.then_some("noopener external nofollow")] { (contents) }
        },
        MenuAction::Download(href) => {
            html! { a.page-menu-entry href=(href) download { (contents) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy() -> MenuEntry {
        MenuEntry {
            icon: Some("copy".into()),
            title: "Copy page".into(),
            description: Some("Copies it".into()),
            action: MenuAction::CopyFrom("/a.md".into()),
        }
    }

    fn link(href: &str) -> MenuEntry {
        MenuEntry {
            icon: None,
            title: "<b>".into(),
            description: None,
            action: MenuAction::Open {
                href: href.into(),
                is_external: true,
                fill: Fill::default(),
            },
        }
    }

    #[test]
    fn one_entry_needs_no_menu() {
        let view = PageMenu {
            entries: vec![copy()],
            ..PageMenu::default()
        };
        let html = page_menu(&view).into_string();
        assert!(html.contains("data-page-copy=\"/a.md\"") && !html.contains("<details"));
        assert_eq!(page_menu(&PageMenu::default()).into_string(), "");
    }

    #[test]
    fn titles_and_addresses_are_escaped() {
        let view = PageMenu {
            entries: vec![copy(), link("https://a.example/?q=\"><script>")],
            place: MenuPlace::Contents,
        };
        for html in [page_menu(&view), page_menu_list(&view)] {
            let html = html.into_string();
            assert!(
                !html.contains("<script") && html.contains("&lt;b&gt;"),
                "{html}"
            );
            assert!(
                html.contains("target=\"_blank\" rel=\"noopener external"),
                "{html}"
            );
        }
    }
}
