//! MkDocs: its navigation, or that of the folder, and the settings of Material.

use queries::base::data::yaml;
use queries::base::path::SitePath;
use serde_json::{Map, Value, json};

use crate::draft::{Draft, hex_color, label, normal};
use crate::folder::{Folder, join, parent};
use crate::navigation::{Entry, Group, Tab, is_external, members, members_of_tabs};
use crate::node::{Data, Node, Place};
use crate::page::{self, Page, is_page};

/// Names that the configuration can have.
pub(crate) const FILES: &[&str] = &["mkdocs.yml", "mkdocs.yaml"];

/// Names of colors of Material, and the colors.
const COLORS: &[(&str, &str)] = &[
    ("red", "#ef5552"),
    ("pink", "#e92063"),
    ("purple", "#ab47bd"),
    ("deep purple", "#7e56c2"),
    ("indigo", "#4051b5"),
    ("blue", "#2094f3"),
    ("light blue", "#02a6f2"),
    ("cyan", "#00bdd6"),
    ("teal", "#009485"),
    ("green", "#4cae4f"),
    ("light green", "#8bc34b"),
    ("lime", "#cbdc38"),
    ("yellow", "#ffec3d"),
    ("amber", "#ffc105"),
    ("orange", "#ffa724"),
    ("deep orange", "#ff6e42"),
    ("brown", "#795649"),
    ("grey", "#757575"),
    ("blue grey", "#546d78"),
    ("black", "#000000"),
];

/// Reads the site of MkDocs whose configuration is the file `file`.
pub(crate) fn read<'f>(folder: &'f Folder, file: &str) -> Draft<'f> {
    let text = folder.read(file).unwrap_or_default();
    let parsed = yaml::parse(&text);
    let (value, fault) = match parsed {
        Ok(value) => (value, None),
        Err(error) => (Value::Null, Some(error)),
    };
    let path = SitePath::new(file).unwrap_or_else(|| SitePath::of_url(file));
    let mut config = Node::of_value(&path, &value);
    for key in ["nav", "plugins"] {
        let start = text.find(&format!("\n{key}:")).map_or(0, |at| at + 1);
        if let Data::Object(members) = &mut config.data
            && let Some((_, node)) = members.iter_mut().find(|(name, _)| name == key)
        {
            set_places(node, &path, &text, &mut { start });
        }
    }
    hide_variables(&mut config, &text);
    let source = config.text_of("docs_dir").unwrap_or("docs");
    let inside = join(parent(file), source);
    let served = inside.clone().unwrap_or_else(|| parent(file).to_owned());
    let mut draft = Draft::new(folder, &served);
    if inside.is_none()
        && let Some(node) = config.get("docs_dir")
    {
        draft.report_outside(&node.place, "docs_dir");
    }
    if let Some(error) = fault {
        let message = format!("the file, which is not valid YAML: {}", error.message);
        draft.report.add(
            &Place::at(file, error.at),
            message,
            "mend it, and migrate again",
        );
    }
    let is_flat = config.bool_of("use_directory_urls") == Some(false);
    let all = draft.folder;
    for path in all.files(&served).filter(|path| is_page(path)) {
        add_page(path, is_flat, &mut draft);
    }
    add_navigation(&config, &mut draft);
    add_frame(&config, &mut draft);
    add_plugins(&config, &mut draft);
    let pages = std::mem::take(&mut draft.pages);
    page::count_features(folder, &pages, &[page::MKDOCS], &mut draft.report);
    draft.pages = pages;
    draft
}

/// Gives the texts below `node` the places where they are written: pointers lead to a line of their
/// own alone.
fn set_places(node: &mut Node, path: &SitePath, text: &str, from: &mut usize) {
    match &mut node.data {
        Data::Text(own) => {
            if let Some(at) = text.get(*from..).and_then(|rest| rest.find(own.as_str())) {
                node.place = Place::at(path.as_str(), *from + at);
                *from += at;
            }
        }
        Data::List(items) => items
            .iter_mut()
            .for_each(|item| set_places(item, path, text, from)),
        Data::Object(members) => {
            let first = members.first().map(|(key, _)| key.as_str());
            let at = first.and_then(|key| text.get(*from..)?.find(key));
            if let Some(at) = at {
                node.place = Place::at(path.as_str(), *from + at);
            }
            for (key, member) in members {
                if let Some(at) = text.get(*from..).and_then(|rest| rest.find(key.as_str())) {
                    *from += at;
                    if matches!(member.data, Data::Null | Data::Object(_) | Data::List(_)) {
                        member.place = Place::at(path.as_str(), *from);
                    }
                }
                set_places(member, path, text, from);
            }
        }
        _ => {}
    }
}

/// Makes members unknown that take their values from the environment (`!ENV`), which is no part of
/// the folder; a text in the tag is the value where the variable is not set.
fn hide_variables(config: &mut Node, text: &str) {
    let Data::Object(members) = &mut config.data else {
        return;
    };
    for (key, node) in members {
        let line = text.lines().find_map(|line| {
            line.strip_prefix(key.as_str())?
                .trim_start()
                .strip_prefix(':')
        });
        if !line.is_some_and(|value| value.trim_start().starts_with("!ENV")) {
            continue;
        }
        let standard = match &node.data {
            Data::List(items) if items.len() > 1 => items.last().map(|item| item.data.clone()),
            _ => None,
        };
        let unknown = || Data::Unknown("a variable of the environment".to_owned());
        node.data = standard.unwrap_or_else(unknown);
    }
}

fn add_page(path: &SitePath, is_flat: bool, draft: &mut Draft<'_>) {
    let below = draft.below_served(path.as_str()).to_owned();
    if below.split('/').any(|part| part.starts_with('.')) {
        return;
    }
    let name = draft.page_name(path);
    let stem = name.clone();
    let (folder, file) = stem.rsplit_once('/').unwrap_or(("", &stem));
    let is_index = file == "index"
        || (file == "README"
            && !draft
                .folder
                .has(&format!("{}/index.md", parent(path.as_str()))));
    let address = if is_index {
        normal(folder)
    } else {
        normal(&stem)
    };
    draft.moves(&address, &name);
    if is_flat {
        let file = if is_index {
            format!("{folder}/index.html")
        } else {
            format!("{stem}.html")
        };
        draft.moves(&file, &name);
    }
    let page = Page::read(draft.folder, path);
    draft.add_page(page);
}

fn add_navigation(config: &Node, draft: &mut Draft<'_>) {
    let Some(nav) = config.get("nav").filter(|nav| nav.is_list()) else {
        let entries = of_folder("", draft);
        draft
            .report
            .note("there is no `nav`: the navigation lists the files in the order of MkDocs");
        draft.navigation = members(&entries, &mut draft.counts);
        return;
    };
    let entries = entries(nav, draft);
    let features = config
        .at(&["theme", "features"])
        .map_or(&[][..], Node::items);
    let has_tabs = features
        .iter()
        .any(|feature| feature.text() == Some("navigation.tabs"));
    draft.navigation = match has_tabs {
        true => members_of_tabs(&tabs(entries), &mut draft.counts),
        false => members(&entries, &mut draft.counts),
    };
}

/// The sections of the first level as tabs; pages beside them are the first.
fn tabs(entries: Vec<Entry>) -> Vec<Tab> {
    let mut tabs: Vec<Tab> = Vec::new();
    let mut loose = Vec::new();
    for entry in entries {
        match entry {
            Entry::Group(group) => {
                let root = group.root.map(|page| Entry::Page { page, label: None });
                let entries = root.into_iter().chain(group.entries).collect();
                tabs.push(Tab {
                    label: group.label,
                    entries,
                });
            }
            entry => loose.push(entry),
        }
    }
    if !loose.is_empty() {
        tabs.insert(
            0,
            Tab {
                label: "Home".to_owned(),
                entries: loose,
            },
        );
    }
    tabs
}

fn entries(nav: &Node, draft: &mut Draft<'_>) -> Vec<Entry> {
    let mut found = Vec::new();
    for item in nav.items() {
        if let Some(path) = item.text() {
            match path.strip_suffix('/') {
                Some(folder) => found.extend(of_folder(folder, draft)),
                None => found.extend(entry(path, None, item, draft)),
            }
        }
        for (title, value) in item.members() {
            match &value.data {
                Data::Text(path) if path.ends_with('/') && !is_external(path) => {
                    let message = format!("`{path}` of `nav`, which a plugin expands");
                    let hint =
                        "its pages are listed by their names; put them in order in docs.json";
                    draft.report.add(&value.place, message, hint);
                    found.push(Entry::Group(Group {
                        label: title.clone(),
                        entries: of_folder(path.trim_end_matches('/'), draft),
                        ..Group::default()
                    }));
                }
                Data::Text(path) => found.extend(entry(path, Some(title), value, draft)),
                Data::List(_) => found.push(Entry::Group(Group {
                    label: title.clone(),
                    entries: entries(value, draft),
                    ..Group::default()
                })),
                _ => draft.report.add(
                    &value.place,
                    format!("the entry `{title}` of `nav`"),
                    "write a path",
                ),
            }
        }
    }
    found
}

fn entry(target: &str, title: Option<&str>, node: &Node, draft: &mut Draft<'_>) -> Option<Entry> {
    if is_external(target) {
        let label = title.unwrap_or(target).to_owned();
        return Some(Entry::Link {
            label,
            href: target.to_owned(),
        });
    }
    if target.contains('*') {
        let message = format!("`{target}` of `nav`, which a plugin expands");
        draft
            .report
            .add(&node.place, message, "list the pages in docs.json");
        return None;
    }
    let path = join(&draft.served, target).unwrap_or_default();
    let page = draft.pages.iter().find(|page| page.path.as_str() == path);
    let Some(page) = page else {
        let message = format!("`{target}` of `nav`, which is no page of the folder");
        draft
            .report
            .add(&node.place, message, "write the page, or leave it out");
        return None;
    };
    let label = title.filter(|title| page.title() != Some(title));
    let page = draft.page_name(&page.path);
    Some(Entry::Page {
        page,
        label: label.map(str::to_owned),
    })
}

/// The entries of a folder, from the one that is served: the index, pages, folders.
fn of_folder(folder: &str, draft: &Draft<'_>) -> Vec<Entry> {
    let prefix = if folder.is_empty() {
        String::new()
    } else {
        format!("{folder}/")
    };
    let mut pages = Vec::new();
    let mut folders: Vec<String> = Vec::new();
    for page in &draft.pages {
        let name = draft.page_name(&page.path);
        let Some(below) = name.strip_prefix(&prefix) else {
            continue;
        };
        match below.split_once('/') {
            Some((first, _)) => {
                if !folders.iter().any(|known| known == first) {
                    folders.push(first.to_owned());
                }
            }
            None => pages.push((!matches!(below, "index" | "README"), name)),
        }
    }
    pages.sort();
    let pages = pages
        .into_iter()
        .map(|(_, page)| Entry::Page { page, label: None });
    let groups = folders.into_iter().map(|name| {
        let entries = of_folder(&format!("{prefix}{name}"), draft);
        Entry::Group(Group {
            label: label(&name),
            entries,
            ..Group::default()
        })
    });
    pages.chain(groups).collect()
}

/// Settings that docs.json has no key for, and what to do.
const UNUSED: &[(&str, &str)] = &[
    ("copyright", "docs.json has no text in the footer"),
    (
        "extra_css",
        "`.css` files in the folder are on all pages, with ids and classes of Quire",
    ),
    (
        "extra_javascript",
        "`.js` files in the folder are on all pages",
    ),
    ("hooks", ""),
    ("INHERIT", "join the two files, and migrate again"),
    (
        "markdown_extensions",
        "extensions of Markdown are those of the manual, `write/pages`",
    ),
];

fn add_frame(config: &Node, draft: &mut Draft<'_>) {
    let name = config.get("site_name");
    draft.name = draft.text(name, "`site_name`", "write `name` in docs.json");
    let (description, what) = (config.get("site_description"), "`site_description`");
    let description = draft.text(description, what, "write `description` in docs.json");
    if let Some(description) = description {
        draft.set("description", description.into());
    }
    if let Some(theme) = config.get("theme") {
        add_theme(theme, draft);
    }
    if let Some(url) = config.text_of("repo_url") {
        let label = match url.contains("github.com") {
            true => "GitHub",
            false => config.text_of("repo_name").unwrap_or("Repository"),
        };
        let link = json!({ "label": label, "href": url });
        draft.set("navbar", json!({ "links": [link] }));
    }
    add_extra(config, draft);
    let edits = config.get("edit_uri").and_then(Node::text);
    if edits.is_some_and(|path| !path.is_empty()) {
        draft.set("feedback", json!({ "edits": true }));
        draft
            .report
            .note("links to edit pages lead to the repository of the folder");
    }
    if let Some(url) = config.text_of("site_url") {
        draft.report.note(format!(
            "the site is at {url}: `quire build --base-url {url}`"
        ));
    }
    for (key, hint) in UNUSED {
        if let Some(node) = config.get(key) {
            draft.report.add(&node.place, format!("`{key}`"), hint);
        }
    }
}

/// Adds profiles and analytics.
fn add_extra(config: &Node, draft: &mut Draft<'_>) {
    let socials = config.at(&["extra", "social"]).map_or(&[][..], Node::items);
    let mut profiles = Map::new();
    for social in socials {
        let icon = social.text_of("icon");
        let icon = icon.and_then(|icon| icon.rsplit('/').next());
        if let (Some(icon), Some(link)) = (icon, social.text_of("link")) {
            let name = match icon {
                "twitter" | "x-twitter" => "x",
                icon => icon.trim_end_matches("-alt"),
            };
            profiles.insert(name.to_owned(), link.into());
        }
    }
    if !profiles.is_empty() {
        draft.set("footer", json!({ "socials": profiles }));
    }
    let Some(property) = config.at(&["extra", "analytics", "property"]) else {
        return;
    };
    match property.text() {
        Some(id) if id.starts_with("G-") => {
            draft.set("integrations", json!({ "ga4": { "measurementId": id } }));
        }
        _ => {
            let hint = "write `integrations` in docs.json";
            draft.report.add(&property.place, "`extra.analytics`", hint);
        }
    }
}

fn add_theme(theme: &Node, draft: &mut Draft<'_>) {
    for (key, name) in [("logo", "logo"), ("favicon", "favicon")] {
        let path = theme.text_of(key).map(|path| {
            if is_external(path) {
                path.to_owned()
            } else {
                normal(path)
            }
        });
        if let Some(path) = path {
            let value = if key == "logo" {
                json!({ "light": path, "dark": path })
            } else {
                path.into()
            };
            draft.set(name, value);
        }
    }
    let palette = theme.get("palette");
    let first = palette.map(|palette| palette.items().first().unwrap_or(palette));
    if let Some(primary) = first.and_then(|first| first.get("primary")) {
        let name = primary.text().unwrap_or_default().replace('-', " ");
        let known = COLORS.iter().find(|(known, _)| *known == name);
        match known
            .map(|(_, color)| (*color).to_owned())
            .or_else(|| hex_color(&name))
        {
            Some(color) => {
                draft.colors.insert("primary".to_owned(), color.into());
            }
            None => draft.report.add(
                &primary.place,
                format!("the color `{name}`"),
                "write `colors` in docs.json",
            ),
        }
    } else if theme.text_of("name") == Some("material") {
        draft.colors.insert("primary".to_owned(), "#4051b5".into());
    }
    let is_dark = first.and_then(|first| first.text_of("scheme")) == Some("slate");
    if is_dark {
        draft.set("appearance", json!({ "default": "dark" }));
    }
    for (key, hint) in [
        ("custom_dir", "templates are not carried over"),
        ("font", "write `fonts` in docs.json"),
    ] {
        if let Some(node) = theme.get(key) {
            draft
                .report
                .add(&node.place, format!("`theme.{key}`"), hint);
        }
    }
    let name = theme.text().or_else(|| theme.text_of("name"));
    if let Some(name) = name.filter(|name| !matches!(*name, "material" | "mkdocs")) {
        draft.report.add(
            &theme.place,
            format!("the theme `{name}`"),
            "`theme` of docs.json chooses one of nine",
        );
    }
}

/// Plugins: redirects are carried over, search is built in, others are reported.
fn add_plugins(config: &Node, draft: &mut Draft<'_>) {
    let plugins = config.get("plugins");
    let plugin_names = plugins
        .map_or(&[][..], Node::items)
        .iter()
        .filter_map(|item| match &item.data {
            Data::Text(name) => Some((name.as_str(), None, item)),
            _ => item
                .members()
                .first()
                .map(|(name, options)| (name.as_str(), Some(options), item)),
        });
    let named = plugins.map_or(&[][..], Node::members).iter();
    let named = named.map(|(name, options)| (name.as_str(), Some(options), options));
    for (name, options, node) in plugin_names.chain(named) {
        match name.rsplit('/').next().unwrap_or(name) {
            "search"
            | "minify"
            | "offline"
            | "privacy"
            | "social"
            | "git-revision-date-localized"
            | "llmstxt" => {}
            "redirects" => {
                let maps = options.and_then(|options| options.get("redirect_maps"));
                for (from, to) in maps.map_or(&[][..], Node::members) {
                    if let Some(to) = to.text() {
                        draft.redirect(&address_of(from), &target_of(to));
                    }
                }
            }
            "i18n" => add_suffixes(node, draft),
            other => {
                let hint = match other {
                    "mkdocstrings" | "gen-files" | "literate-nav" => {
                        "write the pages that it makes"
                    }
                    "macros" => "write the values, or `variables` in docs.json",
                    "awesome-pages" | "awesome-nav" => {
                        "list the pages in docs.json in the order of its files"
                    }
                    "blog" => "list the posts in docs.json",
                    "mike" => {
                        "give each version a folder, and list them in `versions` of docs.json"
                    }
                    _ => "",
                };
                draft
                    .report
                    .add(&node.place, format!("the plugin `{name}`"), hint);
            }
        }
    }
}

/// The address of the file at `path`.
fn address_of(path: &str) -> String {
    let stem = path.strip_suffix(".md").unwrap_or(path);
    let stem = stem
        .strip_suffix("index")
        .filter(|rest| rest.is_empty() || rest.ends_with('/'))
        .unwrap_or(stem);
    normal(stem)
}

fn target_of(to: &str) -> String {
    if is_external(to) {
        return to.to_owned();
    }
    let (path, fragment) = to
        .split_once('#')
        .map_or((to, None), |(path, rest)| (path, Some(rest)));
    let address = address_of(path);
    fragment.map_or_else(
        || address.clone(),
        |fragment| format!("{address}#{fragment}"),
    )
}

/// Reports pages that name their language in their ending: `index.de.md`.
fn add_suffixes(node: &Node, draft: &mut Draft<'_>) {
    let is_suffixed = |page: &&Page| {
        let language = page
            .path
            .file_name()
            .rsplit('.')
            .nth(1)
            .filter(|_| page.path.file_name().matches('.').count() > 1);
        language.is_some_and(|language| matches!(language.len(), 2 | 5))
    };
    let count = draft.pages.iter().filter(is_suffixed).count();
    let message =
        format!("the plugin `i18n`; pages that name their language in their ending: {count}");
    let hint = "move them into a folder for each language, and list it in `languages` of docs.json";
    draft.report.add(&node.place, message, hint);
}
