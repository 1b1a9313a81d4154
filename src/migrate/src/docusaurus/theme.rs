//! What frames the pages of Docusaurus: name, logo, colors, bar, footer, services.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

use crate::docusaurus::Reader;
use crate::draft::{Draft, hex_color, normal};
use crate::navigation::is_external;
use crate::node::{Node, Place};

/// Adds what frames the pages.
pub(super) fn add(reader: &Reader<'_>, draft: &mut Draft<'_>) {
    let config = reader.config;
    draft.name = draft.text(config.get("title"), "`title`", "write `name` in docs.json");
    let tagline = draft.text(
        config.get("tagline"),
        "`tagline`",
        "write `description` in docs.json",
    );
    if let Some(tagline) = tagline {
        draft.set("description", tagline.into());
    }
    add_pictures(reader, draft);
    add_colors(reader, draft);
    add_bar(reader, draft);
    add_footer(reader, draft);
    add_banner(reader, draft);
    add_services(reader, draft);
    add_rest(reader, draft);
}

/// Where the file at `path` of a static folder is now.
fn asset(path: &str, reader: &Reader<'_>, draft: &Draft<'_>) -> String {
    if is_external(path) {
        return path.to_owned();
    }
    let below = path.trim_start_matches('/');
    let folders = reader.static_folders().into_iter();
    let mut files = folders.map(|folder| format!("{folder}/{below}"));
    match files.find(|file| draft.folder.has(file)) {
        Some(file) => format!("/{}", draft.below_served(&file)),
        None => normal(below),
    }
}

fn add_pictures(reader: &Reader<'_>, draft: &mut Draft<'_>) {
    let logo = reader.config.at(&["themeConfig", "navbar", "logo"]);
    if let Some(src) = logo.and_then(|logo| logo.text_of("src")) {
        let light = asset(src, reader, draft);
        let dark = logo.and_then(|logo| logo.text_of("srcDark"));
        let dark = dark.map_or_else(|| light.clone(), |dark| asset(dark, reader, draft));
        let mut members = json!({ "light": light, "dark": dark });
        if let (Some(members), Some(href)) = (
            members.as_object_mut(),
            logo.and_then(|logo| logo.text_of("href")),
        ) {
            members.insert("href".to_owned(), draft.address(href).into());
        }
        draft.set("logo", members);
    }
    if let Some(icon) = reader.config.text_of("favicon") {
        let icon = asset(icon, reader, draft);
        draft.set("favicon", icon.into());
    }
    let mode = reader.config.at(&["themeConfig", "colorMode"]);
    let follows = mode.and_then(|mode| mode.bool_of("respectPrefersColorScheme"));
    let default = mode.and_then(|mode| mode.text_of("defaultMode"));
    let strict = mode.and_then(|mode| mode.bool_of("disableSwitch"));
    let default = match (follows, default) {
        (Some(true), _) => Some("system"),
        (_, Some(default @ ("light" | "dark"))) => Some(default),
        _ => None,
    };
    let mut members = Map::new();
    members.extend(default.map(|default| ("default".to_owned(), default.into())));
    members.extend(strict.map(|strict| ("strict".to_owned(), strict.into())));
    if !members.is_empty() {
        draft.set("appearance", members.into());
    }
}

/// Takes the main colors from the styles of the site.
fn add_colors(reader: &Reader<'_>, draft: &mut Draft<'_>) {
    static PRIMARY: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"--ifm-color-primary\s*:\s*([^;}]+)").ok());
    let styles = reader
        .preset()
        .and_then(|preset| preset.at(&["theme", "customCss"]));
    let Some(styles) = styles else {
        return;
    };
    draft
        .report
        .add_unknown(styles, "`customCss`", "write `colors` in docs.json");
    let paths = styles
        .text()
        .into_iter()
        .chain(styles.items().iter().filter_map(Node::text));
    let paths: Vec<String> = paths.map(|path| reader.path(path)).collect();
    for path in paths {
        let Some(text) = draft.folder.read(&path) else {
            continue;
        };
        for found in PRIMARY
            .iter()
            .flat_map(|pattern| pattern.captures_iter(&text))
        {
            let (Some(whole), Some(value)) = (found.get(0), found.get(1)) else {
                continue;
            };
            let before = &text[..whole.start()];
            let selector = before.rsplit('}').next().unwrap_or_default();
            let key = if selector.contains("dark") {
                "light"
            } else {
                "primary"
            };
            match hex_color(value.as_str()) {
                Some(color) => {
                    draft.colors.entry(key).or_insert(color.into());
                }
                None => {
                    let message = format!("the color `{}`", value.as_str().trim());
                    let place = Place::at(&path, whole.start());
                    draft.report.add(
                        &place,
                        message,
                        "write it in `colors` of docs.json, as `#rrggbb`",
                    );
                }
            }
        }
        let message = "rules of style";
        let hint = "a `.css` file in the folder is on all pages, with ids and classes of Quire";
        draft.report.add(&Place::of_file(&path), message, hint);
    }
}

fn add_bar(reader: &Reader<'_>, draft: &mut Draft<'_>) {
    let hint = "write `navbar.links` in docs.json";
    let title = reader.config.at(&["themeConfig", "navbar", "title"]);
    if draft.name.is_none() {
        draft.name = title.and_then(Node::text).map(str::to_owned);
    }
    if let Some(items) = reader.config.at(&["themeConfig", "navbar", "items"]) {
        draft
            .report
            .add_if_unknown(items, "the items of the bar", hint);
    }
    let mut links = Vec::new();
    for item in reader.bar() {
        draft.report.add_unknown(item, "an item of the bar", hint);
        match item.text_of("type") {
            None | Some("default") => links.extend(link(item, draft)),
            Some("dropdown") => add_menu(item, &mut links, draft),
            Some("html") => draft.report.add(&item.place, "HTML in the bar", hint),
            // Tabs, menus of versions and languages, and search are there by themselves.
            Some(_) => {}
        }
        if item.get("type").is_none() && item.get("items").is_some() {
            add_menu(item, &mut links, draft);
        }
    }
    if !links.is_empty() {
        draft.set("navbar", json!({ "links": links }));
    }
}

fn add_menu(item: &Node, links: &mut Vec<Value>, draft: &mut Draft<'_>) {
    let items = item.get("items").map_or(&[][..], Node::items);
    links.extend(items.iter().filter_map(|item| link(item, draft)));
    let message = format!(
        "the menu `{}` in the bar",
        item.text_of("label").unwrap_or_default()
    );
    draft.report.add(
        &item.place,
        message,
        "its links stand side by side in `navbar.links`",
    );
}

/// The link of an item of the bar; `None` if a tab leads there.
fn link(item: &Node, draft: &Draft<'_>) -> Option<Value> {
    let href = item.text_of("href").or_else(|| item.text_of("to"))?;
    let address = draft.address(href);
    let is_page = draft
        .counts
        .pages
        .iter()
        .any(|page| Draft::route(page) == address);
    if is_page {
        return None;
    }
    let is_github = href.starts_with("https://github.com/");
    let label = item.text_of("label").or(is_github.then_some("GitHub"));
    let label = label.or_else(|| item.text_of("aria-label")).unwrap_or(href);
    Some(json!({ "label": label, "href": address }))
}

fn add_footer(reader: &Reader<'_>, draft: &mut Draft<'_>) {
    let Some(footer) = reader.config.at(&["themeConfig", "footer"]) else {
        return;
    };
    let hint = "write `footer` in docs.json";
    if let Some(links) = footer.get("links") {
        draft
            .report
            .add_unknown(links, "a link of the footer", hint);
        let mut columns = Vec::new();
        let mut loose = Vec::new();
        for column in links.items() {
            if let Some(items) = column.get("items") {
                let items: Vec<Value> = items
                    .items()
                    .iter()
                    .filter_map(|item| footer_link(item, draft))
                    .collect();
                let mut members = Map::new();
                let title = column.text_of("title");
                members.extend(title.map(|title| ("header".to_owned(), title.into())));
                members.insert("items".to_owned(), items.into());
                columns.push(Value::Object(members));
            } else {
                loose.extend(footer_link(column, draft));
            }
        }
        if !loose.is_empty() {
            columns.push(json!({ "items": loose }));
        }
        if columns.len() > 4 {
            columns.truncate(4);
            let message = format!(
                "{} columns of the footer, of which four fit",
                links.items().len()
            );
            draft
                .report
                .add(&links.place, message, "move the links of the others");
        }
        if !columns.is_empty() {
            draft.set("footer", json!({ "links": columns }));
        }
    }
    if let Some(copyright) = footer.get("copyright") {
        let message = "`copyright` of the footer";
        draft.report.add(
            &copyright.place,
            message,
            "docs.json has no text in the footer",
        );
    }
}

fn footer_link(item: &Node, draft: &mut Draft<'_>) -> Option<Value> {
    if let Some(html) = item.get("html") {
        draft.report.add(
            &html.place,
            "HTML in the footer",
            "write it as a link in `footer.links`",
        );
    }
    let href = item.text_of("href").or_else(|| item.text_of("to"))?;
    let label = item.text_of("label").unwrap_or(href);
    Some(json!({ "label": label, "href": draft.address(href) }))
}

fn add_banner(reader: &Reader<'_>, draft: &mut Draft<'_>) {
    let bar = reader.config.at(&["themeConfig", "announcementBar"]);
    let Some(content) = bar.and_then(|bar| bar.get("content")) else {
        return;
    };
    let content = draft.text(
        Some(content),
        "the announcement",
        "write `banner` in docs.json",
    );
    if let Some(content) = content {
        let is_closed = bar
            .and_then(|bar| bar.bool_of("isCloseable"))
            .unwrap_or(true);
        draft.set(
            "banner",
            json!({ "content": content, "dismissible": is_closed }),
        );
    }
}

fn add_services(reader: &Reader<'_>, draft: &mut Draft<'_>) {
    let option = |key: &str, plugin: &str| {
        let of_preset = reader.preset().and_then(|preset| preset.get(key));
        let plugins = reader.plugins().into_iter();
        let of_plugin = { plugins }.find(|(name, ..)| *name == plugin);
        of_preset.or(of_plugin.and_then(|(_, options, _)| options))
    };
    let mut services = Map::new();
    if let Some(tracking) = option("gtag", "google-gtag").and_then(|gtag| gtag.get("trackingID")) {
        draft.report.add_unknown(
            tracking,
            "`trackingID`",
            "write `integrations.ga4` in docs.json",
        );
        let ids = tracking
            .text()
            .into_iter()
            .chain(tracking.items().iter().filter_map(Node::text));
        for id in ids {
            if id.starts_with("G-") && !services.contains_key("ga4") {
                services.insert("ga4".to_owned(), json!({ "measurementId": id }));
            } else {
                let message = format!("the tracking id `{id}`");
                draft.report.add(
                    &tracking.place,
                    message,
                    "`integrations.ga4` takes one id that begins with `G-`",
                );
            }
        }
    }
    let container = option("googleTagManager", "google-tag-manager");
    if let Some(id) = container.and_then(|container| container.text_of("containerId")) {
        services.insert("gtm".to_owned(), json!({ "tagId": id }));
    }
    if !services.is_empty() {
        draft.set("integrations", services.into());
    }
    let edits = |key: &str| {
        let options = reader.preset().and_then(|preset| preset.get(key));
        options.and_then(|options| options.get("editUrl"))
    };
    if let Some(edit) = edits("docs").or_else(|| edits("blog")) {
        draft.set("feedback", json!({ "edits": true }));
        let message = "`editUrl`";
        draft.report.add(
            &edit.place,
            message,
            "`feedback.edits` is set: its links lead to the repository of the folder",
        );
    }
}

/// Settings that docs.json has no key for, and what to do.
const UNUSED: &[(&str, &str)] = &[
    ("algolia", "remove it; search is built in"),
    (
        "image",
        "pictures of pages are made; `thumbnails` changes them",
    ),
    (
        "scripts",
        "put them into a `.js` file of the folder, or use `integrations`",
    ),
    (
        "stylesheets",
        "put their rules into a `.css` file of the folder",
    ),
    ("headTags", "`seo.metatags` of docs.json holds meta tags"),
    ("clientModules", "put them into a `.js` file of the folder"),
];

/// Reports settings that docs.json has no key for, and sets those that it has by another name.
fn add_rest(reader: &Reader<'_>, draft: &mut Draft<'_>) {
    let config = reader.config;
    let base = config.text_of("baseUrl").unwrap_or("/");
    let url = config.text_of("url");
    if normal(base) != "/" {
        draft.report.note(format!(
            "the site is served below {base}: `quire build --base-path {base}`"
        ));
    }
    if let Some(url) = url {
        draft.report.note(format!(
            "the site is at {url}: `quire build --base-url {url}`"
        ));
    }
    let theme = config.get("themeConfig");
    if let Some(theme) = theme {
        draft.report.add_if_unknown(
            theme,
            "`themeConfig`",
            "write `navbar`, `footer` and `logo` in docs.json",
        );
    }
    let tags = theme
        .and_then(|theme| theme.get("metadata"))
        .map_or(&[][..], Node::items);
    let tags = tags.iter().filter_map(|tag| {
        let name = tag.text_of("name").or_else(|| tag.text_of("property"))?;
        Some((name.to_owned(), Value::from(tag.text_of("content")?)))
    });
    let tags: Map<String, Value> = tags.collect();
    if !tags.is_empty() {
        draft.set("seo", json!({ "metatags": tags }));
    }
    for (key, hint) in UNUSED {
        let node = theme
            .and_then(|theme| theme.get(key))
            .or_else(|| config.get(key));
        let is_empty = |node: &&Node| node.is_list() && node.items().is_empty();
        if let Some(node) = node.filter(|node| !is_empty(node)) {
            draft.report.add(&node.place, format!("`{key}`"), hint);
        }
    }
    for theme in config.get("themes").map_or(&[][..], Node::items) {
        let (name, _) = super::plugin_options(theme);
        if let Some(name) = name.filter(|name| !name.contains("mermaid")) {
            draft
                .report
                .add(&theme.place, format!("the theme `{name}`"), "");
        }
    }
}
