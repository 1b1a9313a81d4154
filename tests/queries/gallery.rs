//! One page with everything the theme draws, to look at.
//!
//! `QUIRE_GALLERY=1 cargo test -p queries gallery` writes it below the system's temporary folder, in both themes.

mod samples;

use maud::{Markup, PreEscaped};

use theme::article::{Article, LastModified, Mode, article};
use theme::assets::ASSETS;
use theme::banner::{Banner, banner};
use theme::document::{self, Appearance, Document};
use theme::eyebrow::Eyebrow;
use theme::footer::{Footer, FooterColumn, footer};
use theme::header::{Header, HeaderLink, HeaderMenuItem, HeaderTab, header};
use theme::layout::{Parts, page};
use theme::not_found::{NotFound, not_found};
use theme::page_foot::PageFoot;
use theme::pager::{PagerLink, pager};
use theme::sidebar::{SidebarEntry, SidebarGroup, SidebarLink, SidebarView, sidebar, sidebar_for};
use theme::site_style::Accent;
use theme::switcher::{Switcher, SwitcherItem, SwitcherKind};
use theme::toc::{TocEntry, toc, toc_inline};

#[test]
fn the_gallery_is_one_whole_page_and_can_be_written_down() {
    let html = gallery(Appearance::Light);
    for tag in [
        "main", "nav", "details", "section", "div", "ul", "figure", "a",
    ] {
        let opened =
            html.matches(&format!("<{tag} ")).count() + html.matches(&format!("<{tag}>")).count();
        assert_eq!(
            opened,
            html.matches(&format!("</{tag}>")).count(),
            "{tag} is not closed everywhere"
        );
    }
    write_down(&[
        ("light.html", html),
        ("dark.html", gallery(Appearance::Dark)),
        (
            "rtl.html",
            gallery(Appearance::Light).replace("dir=\"ltr\"", "dir=\"rtl\""),
        ),
        ("missing.html", missing()),
    ]);
}

fn write_down(pages: &[(&str, String)]) {
    if std::env::var("QUIRE_GALLERY").is_err() {
        return;
    }
    let folder = std::env::temp_dir().join("quire-gallery");
    std::fs::create_dir_all(&folder).unwrap();
    for asset in ASSETS.iter().filter(|asset| !asset.is_gzip) {
        std::fs::write(folder.join(asset.name), asset.bytes).unwrap();
    }
    for (name, html) in pages {
        std::fs::write(folder.join(name), html).unwrap();
    }
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn document(appearance: Appearance) -> Document {
    Document {
        lang: "en".into(),
        title: "Gallery".into(),
        site_name: "Museum of Everyday Things".into(),
        css_url: "quire.css".into(),
        js_url: "quire.js".into(),
        accent: Accent {
            primary: "#b4492d".into(),
            light: some("#f0936f"),
            dark: some("#93371f"),
        },
        appearance_default: appearance,
        ..Document::default()
    }
}

fn missing() -> String {
    let document = document(Appearance::System);
    let body = not_found(&NotFound {
        route: some("/api/tikets"),
        suggestions: vec![
            ("Tickets".into(), "/api/tickets".into()),
            ("Ticket types".into(), "/concepts/tickets".into()),
        ],
        home_href: "/".into(),
        ..NotFound::default()
    })
    .into_string();
    page(
        Mode::Default,
        &Parts {
            document_open: &document::open(&document),
            header: &header(&top()).into_string(),
            sidebar: &[&side("/none")],
            article: &body,
            document_close: &document::close(&document),
            ..Parts::default()
        },
    )
}

fn gallery(appearance: Appearance) -> String {
    let document = document(appearance);
    let toc_entries: Vec<TocEntry> = [
        ("text", 2, "Text"),
        ("tables", 3, "Tables and tasks"),
        ("callouts", 2, "Callouts"),
        ("cards", 2, "Cards"),
        ("steps", 2, "Steps, tabs and code"),
        ("fields", 2, "Fields of an API"),
        ("changes", 2, "Changelog"),
        ("problems", 2, "Problems"),
    ]
    .map(|(id, level, title)| TocEntry {
        id: id.into(),
        level,
        title: title.into(),
    })
    .into();
    let view = Article {
        title: some("Everything the theme draws"),
        description: some(
            "Every component beside every other, so that one look tells whether they still belong together.",
        ),
        eyebrow: Some(Eyebrow::Section("Get started".into())),
        tag: some("New"),
        foot: PageFoot {
            feedback: Some(("#".into(), "/".into())),
            edit: some("#"),
            issue: some("#"),
            last_modified: Some(LastModified::of_text("2026-11-21")),
        },
        ..Article::default()
    };
    let body = samples::body().into_string();
    let neighbor = |label: &str| PagerLink {
        label: label.into(),
        href: "#".into(),
    };
    page(
        Mode::Default,
        &Parts {
            document_open: &document::open(&document),
            banner: &banner(
                &Banner {
                    id: "1".into(),
                    dismissible: true,
                    ..Banner::default()
                },
                PreEscaped("Visits can be moved to another day. <a href=\"#\">Read how</a>"),
            )
            .into_string(),
            header: &header(&top()).into_string(),
            sidebar: &[&side("/quickstart/deep")],
            article: &article(&view, &toc_inline(&toc_entries), PreEscaped(&body)).into_string(),
            pager: &pager(
                Some(&neighbor("Introduction")),
                Some(&neighbor("Authentication")),
            )
            .into_string(),
            footer: &foot().into_string(),
            toc: &toc(&toc_entries, &maud::html! {}).into_string(),
            document_close: &document::close(&document),
        },
    )
}

fn top() -> Header {
    let tab = |label: &str, active| HeaderTab {
        label: label.into(),
        href: "#".into(),
        active,
        ..HeaderTab::default()
    };
    Header {
        site_name: "Everyday Things".into(),
        home_href: "/".into(),
        search: true,
        links: vec![HeaderLink {
            label: "Support".into(),
            href: "#".into(),
            icon: None,
            ..HeaderLink::default()
        }],
        primary: Some(HeaderLink {
            label: "Dashboard".into(),
            href: "#".into(),
            icon: None,
            ..HeaderLink::default()
        }),
        theme_toggle: true,
        switchers: vec![Switcher {
            kind: SwitcherKind::Version,
            current: "v2".into(),
            items: vec![
                SwitcherItem {
                    label: "v2".into(),
                    href: "#".into(),
                    tag: some("Latest"),
                    current: true,
                    ..SwitcherItem::default()
                },
                SwitcherItem {
                    label: "v1".into(),
                    href: "#".into(),
                    ..SwitcherItem::default()
                },
            ],
            ..Switcher::default()
        }],
        tabs: vec![
            tab("Guides", true),
            tab("API reference", false),
            HeaderTab {
                items: vec![HeaderMenuItem {
                    label: "Python".into(),
                    href: "#".into(),
                    description: some("For scripts and servers"),
                    icon: some("code"),
                }],
                ..tab("Libraries", false)
            },
            tab("Changelog", false),
        ],
        has_sidebar: true,
        ..Header::default()
    }
}

fn side(href: &str) -> String {
    let link = |label: &str, href: &str, icon: Option<&str>, method: Option<&str>| {
        SidebarEntry::Link(SidebarLink {
            label: label.into(),
            href: href.into(),
            icon: icon.map(str::to_owned),
            method: method.map(str::to_owned),
            ..SidebarLink::default()
        })
    };
    let group = |label: &str, entries| {
        SidebarEntry::Group(SidebarGroup {
            label: label.into(),
            entries,
            ..SidebarGroup::default()
        })
    };
    let anchor = |label: &str, icon: &str| SidebarLink {
        label: label.into(),
        href: "#".into(),
        icon: some(icon),
        ..SidebarLink::default()
    };
    let view = SidebarView {
        anchors: vec![anchor("Community", "users"), anchor("Status", "bolt")],
        dropdown: None,
        entries: vec![
            group(
                "Get started",
                vec![
                    link("Introduction", "/", None, None),
                    link("Gallery", "/quickstart/deep", None, None),
                    group(
                        "Concepts",
                        vec![
                            link("Exhibits", "/e", None, None),
                            link("Tickets", "/t", None, None),
                        ],
                    ),
                ],
            ),
            group(
                "Tickets",
                vec![
                    link("List tickets", "/api/1", None, Some("get")),
                    link("Buy a ticket", "/api/2", None, Some("post")),
                    link("Move a visit to another day", "/api/3", None, Some("patch")),
                    link("Cancel a ticket", "/api/4", None, Some("delete")),
                ],
            ),
        ],
    };
    sidebar_for(&sidebar(&view), Some(href), "").concat()
}

fn foot() -> Markup {
    let column = |header: &str, items: &[&str]| FooterColumn {
        header: some(header),
        items: items
            .iter()
            .map(|label| ((*label).to_owned(), "#".to_owned()))
            .collect(),
    };
    footer(&Footer {
        site_name: "Museum of Everyday Things".into(),
        socials: vec![
            ("github".into(), "#".into()),
            ("bluesky".into(), "#".into()),
        ],
        columns: vec![
            column(
                "Documentation",
                &["Quickstart", "API reference", "Changelog"],
            ),
            column("Museum", &["Visit us", "Collection"]),
            column("Legal", &["Privacy", "Terms"]),
        ],
    })
}
