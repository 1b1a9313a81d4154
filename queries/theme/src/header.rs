//! The bar at the top: logo, search, switchers, links, theme, and the row of tabs.

use maud::{Markup, PreEscaped, html};

use crate::ask::SLOT;
use crate::footer::network_name;
use crate::icon::{icon, is_drawn, user_icon};
use crate::switcher::{Switcher, drawer_switcher, switcher};
use crate::words::Word;

/// Content of the header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Name of the site; the logo's text where there is no image.
    pub site_name: String,
    /// Destination of the logo.
    pub home_href: String,
    /// Address of the logo on light ground.
    pub logo_light: Option<String>,
    /// Address of the logo on dark ground.
    pub logo_dark: Option<String>,
    /// Whether the site can be searched.
    pub search: bool,
    /// Text of the search button; "Search…" without one.
    pub search_prompt: Option<String>,
    /// Links on the right.
    pub links: Vec<HeaderLink>,
    /// The button at the end.
    pub primary: Option<HeaderLink>,
    /// Whether the reader may choose the theme.
    pub theme_toggle: bool,
    /// Menus to other languages, versions and products.
    pub switchers: Vec<Switcher>,
    /// The row of tabs; no row when empty.
    pub tabs: Vec<HeaderTab>,
    /// Whether there is a sidebar for the menu button to open.
    pub has_sidebar: bool,
}

/// A link in the header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderLink {
    /// Text.
    pub label: String,
    /// Address.
    pub href: String,
    /// Name or address of an icon.
    pub icon: Option<String>,
    /// Number next to the text, which the reader's browser requests.
    pub count: Option<LiveCount>,
    /// Whether the link at the end of the bar is rendered as the others are, not as a button.
    pub is_plain: bool,
}

impl HeaderLink {
    /// Returns the name of the link: its text; of an icon alone, the network of the icon, or else
    /// the host or path of its destination.
    pub fn name(&self) -> &str {
        if !self.label.trim().is_empty() {
            return &self.label;
        }
        let icon = self.icon.as_deref().unwrap_or_default();
        let network = network_name(icon.rsplit([':', '/']).next().unwrap_or_default());
        if network.starts_with(char::is_uppercase) {
            return network;
        }
        let place = self.href.split_once("://").map(|(_, rest)| rest);
        place
            .and_then(|place| place.split(['/', '?', '#']).next())
            .map(|host| host.strip_prefix("www.").unwrap_or(host))
            .filter(|host| !host.is_empty())
            .unwrap_or(&self.href)
    }
}

/// Number from a public service: stars of a repository, people who are online.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveCount {
    /// Address that answers with JSON.
    pub address: String,
    /// Member of the answer that holds the number.
    pub member: &'static str,
}

impl LiveCount {
    /// The stars of the repository at `href`, an address of GitHub.
    pub fn stars(href: &str) -> Option<Self> {
        let [owner, name] = segments(href, &["github.com", "www.github.com"])?;
        let name = name.strip_suffix(".git").unwrap_or(name);
        Some(Self {
            address: format!("https://api.github.com/repos/{owner}/{name}"),
            member: "stargazers_count",
        })
    }

    /// Counter of the people online in the Discord server that the invitation at `href` leads to.
    pub fn online(href: &str) -> Option<Self> {
        let code = match segments(href, &["discord.com", "discord.gg"]) {
            Some(["invite", code]) => code,
            Some(_) => return None,
            None => segments::<1>(href, &["discord.gg"])?[0],
        };
        Some(Self {
            address: format!("https://discord.com/api/v10/invites/{code}?with_counts=true"),
            member: "approximate_presence_count",
        })
    }
}

/// The segments of the path of `href`, if it is an address of one of `hosts` with so many of them, and plain names all.
fn segments<'h, const N: usize>(href: &'h str, hosts: &[&str]) -> Option<[&'h str; N]> {
    let rest = href.strip_prefix("https://")?;
    let (host, path) = rest.split_once('/')?;
    let end = path.find(['?', '#']).unwrap_or(path.len());
    let all: Vec<&str> = path[..end].trim_end_matches('/').split('/').collect();
    let is_plain = |name: &&str| {
        let sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        !name.trim_matches('.').is_empty() && name.chars().all(sign)
    };
    let is_one = hosts.iter().any(|known| host.eq_ignore_ascii_case(known));
    let all: [&str; N] = all.try_into().ok()?;
    (is_one && all.iter().all(is_plain)).then_some(all)
}

/// One tab.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderTab {
    /// Text.
    pub label: String,
    /// Address; of a menu, that of its first item.
    pub href: String,
    /// Name or address of an icon.
    pub icon: Option<String>,
    /// Whether the page belongs to it.
    pub active: bool,
    /// Whether it stands at the end of the row.
    pub align_end: bool,
    /// Whether it leaves the site.
    pub external: bool,
    /// Items of a menu; a plain tab has none.
    pub items: Vec<HeaderMenuItem>,
}

/// One item in the menu of a tab.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderMenuItem {
    /// Text.
    pub label: String,
    /// Address.
    pub href: String,
    /// One line about it.
    pub description: Option<String>,
    /// Name or address of an icon.
    pub icon: Option<String>,
}

impl Header {
    /// Addresses that its script asks for numbers.
    pub fn counts(&self) -> impl Iterator<Item = &str> {
        let links = self.links.iter().chain(&self.primary);
        links.filter_map(|link| Some(link.count.as_ref()?.address.as_str()))
    }

    /// Returns true if the menu button has anything to open.
    fn has_drawer(&self) -> bool {
        let has_links = !self.links.is_empty() || self.primary.is_some();
        self.has_sidebar || self.theme_toggle || has_links
    }
}

/// Renders the header.
pub fn header(view: &Header) -> Markup {
    html! {
        header.site-header id="navbar" data-live="header" {
            div.header-row {
                div.header-start {
                    @if view.has_drawer() {
                        a.icon-button.menu-button href="#quire-navigation" aria-label=(Word::OpenNavigation) data-drawer-open {
                            (render_icon("menu"))
                        }
                    }
                    (logo(view))
                    @for item in &view.switchers { (switcher(item)) }
                }
                @if view.search { div.header-search { (search_button(view)) (PreEscaped(SLOT)) } }
                div.header-end.topbar-right-container {
                    @if !view.links.is_empty() {
                        nav.header-nav aria-label=(Word::Site) {
                            ul.header-links {
                                @for link in &view.links {
                                    li.navbar-link { (plain_link(link)) }
                                }
                            }
                        }
                    }
                    @if view.theme_toggle { (theme_toggle()) }
                    @if let Some(primary) = &view.primary {
                        @if primary.is_plain {
                            div.header-links id="topbar-cta-button" { (plain_link(primary)) }
                        } @else {
                            a.button.header-primary id="topbar-cta-button" href=(primary.href)
                                data-component-name="primary-header-button" {
                                (user_icon(primary.icon.as_deref()))
                                span { (primary.label) }
                                (live_count(primary))
                            }
                        }
                    }
                }
            }
            @if !view.tabs.is_empty() { (tabs_row(&view.tabs)) }
        }
    }
}

fn plain_link(link: &HeaderLink) -> Markup {
    let is_icon = link.icon.is_some() && link.label.trim().is_empty();
    html! {
        a href=(link.href) aria-label=[is_icon.then(|| link.name())] {
            (user_icon(link.icon.as_deref()))
            @if !is_icon { (link.name()) }
            (live_count(link))
        }
    }
}

fn live_count(link: &HeaderLink) -> Markup {
    html! {
        @if let Some(count) = &link.count {
            span.link-count data-count=(count.address) data-member=(count.member) {}
        }
    }
}

/// Renders what narrow screens have no room for in the bar, for the top of the drawer: tabs,
/// switchers, links, the theme.
pub fn drawer(view: &Header) -> Markup {
    let links: Vec<&HeaderLink> = view.links.iter().chain(&view.primary).collect();
    html! {
        @if view.has_drawer() {
            div.drawer-top id="mobile-nav" data-live="drawer" {
                div.drawer-head {
                    @if view.theme_toggle { (theme_toggle()) }
                    a.icon-button.sidebar-close href="#quire-content" aria-label=(Word::CloseNavigation) data-drawer-close {
                        (render_icon("x"))
                    }
                }
                div.drawer-content id="mobile-nav-content" {
                    @if !view.switchers.is_empty() {
                        div.drawer-switchers { @for item in &view.switchers { (drawer_switcher(item)) } }
                    }
                    @if !view.tabs.is_empty() {
                        ul.drawer-tabs aria-label=(Word::Sections) { @for tab in &view.tabs { li { (drawer_tab(tab)) } } }
                    }
                    @if !links.is_empty() {
                        ul.drawer-links aria-label=(Word::Site) {
                            @for link in links {
                                li { a href=(link.href) { (user_icon(link.icon.as_deref())) (link.name()) (live_count(link)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn drawer_tab(tab: &HeaderTab) -> Markup {
    html! {
        a.mobile-nav-tabs-item href=(tab.href) aria-current=[tab.active.then_some("true")]
            data-active[tab.active] rel=[tab.external.then_some("noopener")] {
            (user_icon(tab.icon.as_deref()))
            span.drawer-label { (tab.label) }
            @if tab.external { span.sidebar-external { (render_icon("arrow-up-right")) } }
        }
        @if !tab.items.is_empty() {
            ul { @for item in &tab.items { li { a href=(item.href) { span.drawer-label { (item.label) } } } } }
        }
    }
}

fn render_icon(name: &str) -> Markup {
    icon(name).unwrap_or_default()
}

fn logo(view: &Header) -> Markup {
    html! {
        a.logo href=(view.home_href) aria-label=(Word::HomeOf.of(&view.site_name)) {
            @match (&view.logo_light, &view.logo_dark) {
                (Some(light), Some(dark)) if light != dark => {
                    img.nav-logo.only-light src=(light) alt="" height="28";
                    img.nav-logo.only-dark src=(dark) alt="" height="28";
                }
                (Some(any), _) | (None, Some(any)) => { img.nav-logo src=(any) alt="" height="28"; }
                (None, None) => { span.logo-text { (view.site_name) } }
            }
        }
    }
}

fn search_button(view: &Header) -> Markup {
    let prompt = (view.search_prompt.as_deref()).unwrap_or(Word::SearchPrompt.marker());
    html! {
        // On narrow screens only the magnifier is seen; the words stay for those who hear them.
        button.search-button id="search-bar-entry" type="button" data-search-open=(prompt) aria-haspopup="dialog"
            aria-keyshortcuts="Control+K Meta+K /" {
            (render_icon("search"))
            span { (prompt) }
            kbd aria-hidden="true" { "Ctrl K" }
        }
    }
}

fn theme_toggle() -> Markup {
    html! {
        button.icon-button.theme-toggle type="button" data-theme-toggle
            data-component-name="theme-toggle" aria-label=(Word::ThemeSystem) title=(Word::Theme) {
            span.theme-system { (render_icon("desktop")) }
            span.theme-light { (render_icon("sun")) }
            span.theme-dark { (render_icon("moon")) }
        }
    }
}

fn tabs_row(tabs: &[HeaderTab]) -> Markup {
    html! {
        nav.tabs-row.nav-tabs aria-label=(Word::Sections) {
            ul {
                @for tab in tabs {
                    li.align-end[tab.align_end] {
                        @if tab.items.is_empty() { (plain_tab(tab)) } @else { (menu_tab(tab)) }
                    }
                }
            }
        }
    }
}

fn plain_tab(tab: &HeaderTab) -> Markup {
    html! {
        a.tab-link.nav-tabs-item href=(tab.href) aria-current=[tab.active.then_some("true")]
            data-active[tab.active] rel=[tab.external.then_some("noopener")] {
            (user_icon(tab.icon.as_deref()))
            (tab.label)
            @if tab.external { span.sidebar-external { (render_icon("arrow-up-right")) } }
        }
    }
}

fn menu_tab(tab: &HeaderTab) -> Markup {
    html! {
        details.tab-menu data-menu {
            summary.tab-link.nav-tabs-item.nav-dropdown-trigger aria-current=[tab.active.then_some("true")] {
                (user_icon(tab.icon.as_deref()))
                (tab.label)
                span.chevron { (render_icon("chevron-down")) }
            }
            ul.menu.nav-dropdown-content {
                @for item in &tab.items {
                    li {
                        a.nav-dropdown-item href=(item.href) {
                            @if is_drawn(item.icon.as_deref()) {
                                span.menu-icon.nav-dropdown-item-icon { (user_icon(item.icon.as_deref())) }
                            }
                            span.menu-text.nav-dropdown-item-text-container {
                                span.menu-label.nav-dropdown-item-title { (item.label) }
                                @if let Some(text) = &item.description {
                                    span.menu-description.nav-dropdown-item-description { (text) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_site_has_not_is_not_drawn() {
        let html = header(&Header {
            site_name: "<Museum>".into(),
            home_href: "/".into(),
            ..Header::default()
        })
        .into_string();
        assert!(html.contains("&lt;Museum&gt;"));
        for absent in [
            "search-button",
            "theme-toggle",
            "tabs-row",
            "menu-button",
            "header-links",
        ] {
            assert!(!html.contains(absent), "{absent} in {html}");
        }
    }

    #[test]
    fn what_the_bar_has_no_room_for_is_in_the_drawer() {
        let link = |label: &str| HeaderLink {
            label: label.into(),
            href: "/".into(),
            ..HeaderLink::default()
        };
        let view = Header {
            links: vec![link("Blog")],
            primary: Some(link("Sign up")),
            theme_toggle: true,
            switchers: vec![Switcher {
                kind: crate::switcher::SwitcherKind::Language,
                current: "Deutsch".into(),
                ..Switcher::default()
            }],
            tabs: vec![HeaderTab {
                label: "Guides".into(),
                ..HeaderTab::default()
            }],
            ..Header::default()
        };
        let html = drawer(&view).into_string();
        for part in ["Blog", "Sign up", "data-theme-toggle", "Deutsch", "Guides"] {
            assert_eq!(
                html.matches(part).count(),
                1 + usize::from(part == "Deutsch"),
                "{part}"
            );
        }
        // An id can be in a page but once.
        assert!(!html.contains("localization-select"), "{html}");
        assert_eq!(drawer(&Header::default()).into_string(), "");
    }

    #[test]
    fn a_link_that_is_an_icon_has_a_name() {
        let link = |label: &str, icon: Option<&str>, href: &str| HeaderLink {
            label: label.into(),
            href: href.into(),
            icon: icon.map(Into::into),
            ..HeaderLink::default()
        };
        let name_of = |link: &HeaderLink| link.name().to_owned();
        let discord = link(
            "",
            Some("fontawesome/brands:discord"),
            "https://discord.gg/aB1",
        );
        assert_eq!(name_of(&discord), "Discord");
        assert_eq!(
            name_of(&link(
                " ",
                Some("lucide:cloud"),
                "https://www.host.example/a?b"
            )),
            "host.example"
        );
        assert_eq!(name_of(&link("", None, "/pricing")), "/pricing");
        assert_eq!(
            name_of(&link("Chat", Some("discord"), "https://discord.gg/aB1")),
            "Chat"
        );

        let html = plain_link(&discord).into_string();
        assert!(html.contains(r#"aria-label="Discord""#), "{html}");
        assert!(!html.contains(">Discord"), "{html}");
        // Without an icon there is nothing else to see, and in the drawer is room for it.
        assert!(
            plain_link(&link("", None, "/pricing"))
                .into_string()
                .contains(">/pricing<")
        );
        let view = Header {
            links: vec![discord],
            ..Header::default()
        };
        assert!(drawer(&view).into_string().contains("Discord</a>"));
    }

    #[test]
    fn a_number_is_asked_for_at_an_address_that_holds_nothing_but_names() {
        let stars = |href| LiveCount::stars(href).map(|count| count.address);
        let api = "https://api.github.com/repos/owner/a.b-c";
        for href in [
            "https://github.com/owner/a.b-c",
            "https://GitHub.com/owner/a.b-c.git",
            "https://www.github.com/owner/a.b-c/?tab=x#y",
        ] {
            assert_eq!(stars(href).as_deref(), Some(api), "{href}");
        }
        for href in [
            "https://github.com/owner",
            "https://github.com/a/b/c",
            "https://github.com.example/a/b",
            "https://github.com/a/..",
            "https://github.com/a/b%2fc",
            "http://github.com/a/b",
            "/a/b",
            "",
        ] {
            assert_eq!(stars(href), None, "{href}");
        }
        let online = |href| LiveCount::online(href).map(|count| count.address);
        let api = "https://discord.com/api/v10/invites/aB1?with_counts=true";
        for href in [
            "https://discord.gg/aB1",
            "https://discord.com/invite/aB1/",
            "https://discord.gg/invite/aB1",
        ] {
            assert_eq!(online(href).as_deref(), Some(api), "{href}");
        }
        for href in [
            "https://discord.com/channels/1",
            "https://discord.com/aB1",
            "https://discord.gg/",
        ] {
            assert_eq!(online(href), None, "{href}");
        }
    }

    #[test]
    fn the_active_tab_is_told_to_everyone() {
        let tab = |label: &str, active| HeaderTab {
            label: label.into(),
            href: "/".into(),
            active,
            ..HeaderTab::default()
        };
        let html = tabs_row(&[tab("A", false), tab("B", true)]).into_string();
        assert!(
            html.contains(
                r#"<a class="tab-link nav-tabs-item" href="/" aria-current="true" data-active>B"#
            ),
            "{html}"
        );
    }
}
