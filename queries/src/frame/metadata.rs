//! Metadata in the head of a page for search engines and link previews.

use serde_json::{Map, Value, json};

use super::PageOptions;
use super::address::site_href;
use super::card::{base_of, card_path, is_named};
use crate::alternates::{is_unindexed, page_alternates, switches};
use crate::config::seo_config;
use crate::db::Db;
use crate::feed::{feed_path, has_feed};
use crate::head::{PageHead, is_address, page_href};
use crate::inputs::Site;
use crate::navigation::{PageId, Section};
use base::path::encode_path;
use config::navigation::NodeKind;
use theme::article::Mode;
use theme::card;
use theme::document::{Document, script_json};

/// Adds what follows from the page, its place and the site to `document`, whose title, description and language are set.
///
/// Whole addresses begin with what the author calls canonical (`seo.metatags.canonical`), else with the address of the site.
/// Where neither is known nothing that needs one is said.
pub(super) fn add_metadata(
    db: &dyn Db,
    page: PageId,
    head: &PageHead<'_>,
    document: &mut Document,
    options: &PageOptions,
) {
    let base = base_of(head, options);
    let whole = |href: &str| match base {
        Some(base) if !is_address(href) => Some(format!("{base}{href}")),
        _ => is_address(href).then(|| href.to_owned()),
    };
    document.canonical = match &head.canonical {
        Some(own) => whole(own).or_else(|| Some(own.clone())),
        None => {
            let newest = (head.section).and_then(|section| in_default_version(db, page, section));
            match newest.filter(|newest| !is_unindexed(db, *newest)) {
                Some(newest) => whole(&page_href(db, newest)),
                None => whole(&head.href),
            }
        }
    };
    let alternates = page_alternates(db, page);
    if base.is_some() {
        let default = alternates.iter().find(|alternate| alternate.is_default);
        let default = default.map(|alternate| ("x-default", alternate));
        let all = alternates.iter();
        let all = all.map(|alternate| (alternate.language.as_str(), alternate));
        let all = all.chain(default);
        let all = all.filter_map(|(language, alternate)| {
            Some((language.to_owned(), whole(&alternate.href)?))
        });
        document.alternates = all.collect();
    }
    let feed = || format!("{}{}", Site::get(db).base_path(db), feed_path(&head.route));
    let has_feed = page.file().is_some_and(|file| has_feed(db, file));
    document.feed = has_feed.then(|| encode_path(&feed()));
    document.meta.clone_from(&head.meta);
    let card = || format!("{}{}", Site::get(db).base_path(db), card_path(&head.route));
    let card = is_named(head, options).then(card);
    let card = card.and_then(|path| whole(&encode_path(&path)));
    add_cards(db, document, &whole, card);
    document.structured_data = Some(structured_data(db, head, document, base.unwrap_or("")));
}

/// The page of the version shown first that is what `page` is in the version of its `section`;
/// `None` if that is the one.
fn in_default_version(db: &dyn Db, page: PageId, section: Section<'_>) -> Option<PageId> {
    let steps = section.breadcrumb(db).iter().enumerate();
    let mut versions = steps.filter(|(_, step)| step.kind == NodeKind::Version);
    let (depth, step) = versions.next()?;
    let default = step.choices.iter().position(|choice| choice.is_default)?;
    let around = section.position(db).get(..depth)?;
    let switch = switches(db, Site::get(db)).get(around)?;
    switch
        .twin(db, page, step.chosen, default)
        .filter(|_| default != step.chosen)
}

/// Completes the tags of cards: those that the author sets stay as they are.
///
/// `card` is the address of the picture that is made for the page; there is none where the author chose one.
fn add_cards(
    db: &dyn Db,
    document: &mut Document,
    whole: &dyn Fn(&str) -> Option<String>,
    card: Option<String>,
) {
    let mut meta = std::mem::take(&mut document.meta);
    // One tag for each: what else the author says of robots must not call them back.
    if document.noindex {
        meta.retain(|(name, _)| name != "robots");
    }
    if let Some(at) = meta.iter().position(|(name, _)| name == "description") {
        let (_, description) = meta.remove(at);
        document.description.get_or_insert(description);
    }
    for (name, content) in &mut meta {
        if matches!(&**name, "og:image" | "twitter:image") && !is_address(content) {
            let href = site_href(db, content);
            *content = whole(&href).unwrap_or(href);
        }
    }
    let value = |meta: &[(String, String)], wanted: &str| {
        let found = meta.iter().find(|(name, _)| name == wanted);
        found.map(|(_, content)| content.clone())
    };
    let own = value(&meta, "og:image").or_else(|| value(&meta, "twitter:image"));
    let size = |pixels: u32| card.as_ref().map(|_| pixels.to_string());
    let [width, height] = [size(card::WIDTH), size(card::HEIGHT)];
    let alt = card.as_ref().map(|_| document.title.clone());
    let image = own.or(card);
    let tags = [
        ("og:title", Some(document.title.clone())),
        ("og:type", Some("article".to_owned())),
        ("og:site_name", Some(document.site_name.clone())),
        ("og:description", document.description.clone()),
        (
            "og:url",
            document.canonical.clone().filter(|url| is_address(url)),
        ),
        ("og:image", image.clone()),
        ("og:image:width", width),
        ("og:image:height", height),
        ("og:image:alt", alt),
    ];
    let add = |meta: &mut Vec<(String, String)>, name: &str, content: Option<String>| {
        if let Some(content) = content.filter(|_| value(meta, name).is_none()) {
            meta.push((name.to_owned(), content));
        }
    };
    for (name, content) in tags {
        add(&mut meta, name, content);
    }
    let kind = match image {
        Some(_) => "summary_large_image",
        None => "summary",
    };
    let title = value(&meta, "og:title");
    let description = value(&meta, "og:description");
    for (name, content) in [
        ("twitter:card", Some(kind.to_owned())),
        ("twitter:title", title),
        ("twitter:description", description),
        ("twitter:image", image),
    ] {
        add(&mut meta, name, content);
    }
    document.meta = meta;
}

/// The page, its place and the site as JSON-LD (schema.org). Without `base` addresses are relative to the page.
fn structured_data(db: &dyn Db, head: &PageHead<'_>, document: &Document, base: &str) -> String {
    let site = Site::get(db);
    let at = |href: &str| match is_address(href) {
        true => href.to_owned(),
        false => format!("{base}{href}"),
    };
    let home = at(&site_href(db, "/"));
    let own = document.canonical.clone().unwrap_or_else(|| at(&head.href));
    let mut graph = Vec::new();
    let organization = seo_config(db, site).organization.as_ref();
    let organization_id = organization.map(|organization| {
        let id = organization.id.clone();
        id.unwrap_or_else(|| format!("{home}#organization"))
    });
    if let (Some(organization), Some(id)) = (organization, &organization_id) {
        let logo = organization.logo.as_deref();
        let logo = logo.map(|logo| at(&site_href(db, logo)));
        graph.push(object([
            ("@type", Some(json!("Organization"))),
            ("@id", Some(json!(id))),
            (
                "name",
                Some(json!(
                    organization.name.as_ref().unwrap_or(&document.site_name)
                )),
            ),
            (
                "legalName",
                organization.legal_name.as_ref().map(|name| json!(name)),
            ),
            ("url", organization.url.as_ref().map(|url| json!(url))),
            ("logo", logo.map(|logo| json!(logo))),
            (
                "sameAs",
                (!organization.same_as.is_empty()).then(|| json!(organization.same_as)),
            ),
        ]));
    }
    let publisher = organization_id.map(|id| json!({ "@id": id }));
    let site_id = format!("{home}#website");
    graph.push(object([
        ("@type", Some(json!("WebSite"))),
        ("@id", Some(json!(site_id))),
        ("url", Some(json!(home))),
        ("name", Some(json!(document.site_name))),
        ("publisher", publisher.clone()),
    ]));
    let [created, modified] = &head.dates;
    // The history of a preview is read while it is shown already: no page is drawn again for what nobody sees.
    let is_told = !base.is_empty() || head.timestamp.is_some();
    let modified = modified.as_ref().filter(|_| is_told);
    // Where readers arrive, and what a page draws all by itself, is no article.
    let is_article = head.route.as_str() != "/"
        && !head.is_assistant
        && !matches!(head.mode, Mode::Custom | Mode::Frame);
    let kind = match (head.is_reference, is_article) {
        (true, _) => "APIReference",
        (false, true) => "TechArticle",
        (false, false) => "WebPage",
    };
    let image = document.meta.iter().find(|(name, _)| name == "og:image");
    graph.push(object([
        ("@type", Some(json!(kind))),
        ("@id", Some(json!(format!("{own}#article")))),
        ("url", Some(json!(own))),
        ("headline", Some(json!(document.title))),
        (
            "description",
            document.description.as_ref().map(|text| json!(text)),
        ),
        ("image", image.map(|(_, image)| json!(image))),
        ("inLanguage", Some(json!(document.lang))),
        ("datePublished", created.as_ref().map(|date| json!(date))),
        ("dateModified", modified.map(|date| json!(date))),
        ("isPartOf", Some(json!({ "@id": site_id }))),
        ("publisher", publisher),
    ]));
    let crumbs = head.crumbs.iter();
    let crumbs = crumbs.map(|(label, href)| (label.as_str(), at(href)));
    let first = (document.site_name.as_str(), home);
    let last = (document.title.as_str(), own);
    let is_home = head.route.as_str() == "/";
    let items = std::iter::once(first)
        .chain(crumbs)
        .chain((!is_home).then_some(last));
    let items: Vec<Value> = (items.zip(1..))
        .map(|((name, item), position)| {
            json!({ "@type": "ListItem", "position": position, "name": name, "item": item })
        })
        .collect();
    graph.push(json!({ "@type": "BreadcrumbList", "itemListElement": items }));
    let data = json!({ "@context": "https://schema.org", "@graph": graph });
    script_json(&data.to_string())
}

fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let present = members.into_iter();
    let present = present.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(present.collect::<Map<_, _>>())
}
