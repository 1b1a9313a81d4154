//! VitePress: its configuration, sidebars by path, the bar, languages and rewrites.

use serde_json::{Map, Value, json};

use crate::draft::{Draft, hex_color, label, normal, redirect_assets};
use crate::folder::{Folder, join};
use crate::navigation::{Entry, Group, Tab, has_page, is_external, members_of_tabs};
use crate::node::{Data, Node, Place, SPREAD};
use crate::page::{self, Page, is_page};

/// Names that the configuration can have below the folder of the tool.
const NAMES: &[&str] = &[
    ".vitepress/config.ts",
    ".vitepress/config.mts",
    ".vitepress/config.js",
    ".vitepress/config.mjs",
    ".vitepress/config.cjs",
    ".vitepress/config/index.ts",
    ".vitepress/config/index.mts",
    ".vitepress/config/index.js",
];

/// Paths that the configuration can have.
pub(crate) fn files() -> Vec<String> {
    let folders = ["", "docs/", "doc/", "website/"];
    let paths = folders
        .iter()
        .flat_map(|folder| NAMES.iter().map(move |name| format!("{folder}{name}")));
    paths.collect()
}

const IN_DOCS_JSON: &str = "list its pages in `navigation` of docs.json";

/// Maximum number of languages: docs.json shows no more side by side.
const MAX_LANGUAGES: usize = 200;

/// A language of the site.
struct Language<'c> {
    code: String,
    /// Address of its pages.
    base: String,
    /// Settings of its own, which win over those of all languages.
    theme: Option<&'c Node>,
}

/// Reads the site of VitePress whose configuration is the file `file`.
pub(crate) fn read<'f>(folder: &'f Folder, file: &str) -> Draft<'f> {
    let root = file
        .split_once(".vitepress")
        .map_or("", |(root, _)| root.trim_end_matches('/'));
    let scripts = crate::script::Scripts::new(folder);
    let config = scripts.default_export(file);
    let source = config.text_of("srcDir").unwrap_or(".");
    let inside = join(root, source);
    let served = inside.clone().unwrap_or_else(|| root.to_owned());
    let mut draft = Draft::new(folder, &served);
    if inside.is_none()
        && let Some(node) = config.get("srcDir")
    {
        draft.report_outside(&node.place, "srcDir");
    }
    if draft.report.add_if_unknown(
        &config,
        "the configuration",
        "write docs.json by hand; `quire init` begins one",
    ) {
        return draft;
    }
    if let Some(spread) = config.get(SPREAD) {
        draft
            .report
            .add_if_unknown(spread, "a part of the configuration", "");
    }
    let config = with_additional(config, &draft);
    add_pages(&config, &mut draft);
    add_navigation(&config, &mut draft);
    add_frame(&config, &mut draft);
    add_colors(root, &mut draft);
    let public = join(&served, "public").unwrap_or_default();
    if folder.has_folder(&public) {
        redirect_assets(&mut draft, &public);
    }
    let lines = ["/*.json", "!/docs.json", "*.js", "*.mjs", "*.cjs", "*.css"];
    draft.ignored = lines.map(str::to_owned).to_vec();
    let pages = std::mem::take(&mut draft.pages);
    page::count_features(folder, &pages, &[page::VITEPRESS], &mut draft.report);
    draft.pages = pages;
    draft
}

/// Adds the configurations beside pages, one for the whole site and one for each folder of a language,
/// as settings of languages.
fn with_additional(mut config: Node, draft: &Draft<'_>) -> Node {
    let mut folders = vec![String::new()];
    for path in draft.folder.files(&draft.served) {
        if let Some((first, _)) = draft.below_served(path.as_str()).split_once('/')
            && !first.starts_with('.')
            && !folders.iter().any(|known| known == first)
        {
            folders.push(first.to_owned());
        }
    }
    let mut found = Vec::new();
    for folder in folders {
        let names = ["config.ts", "config.mts", "config.js", "config.mjs"];
        let path = join(&draft.served, &folder).unwrap_or_default();
        let names = names.map(|name| join(&path, name).unwrap_or_default());
        let Some(file) = draft.folder.first(&names) else {
            continue;
        };
        let node = draft.scripts.default_export(&file);
        if node.get("themeConfig").is_some() {
            let key = if folder.is_empty() {
                "root".to_owned()
            } else {
                folder
            };
            found.push((key, node));
        }
    }
    let place = config.place.clone();
    let Data::Object(members) = &mut config.data else {
        return config;
    };
    if !members.iter().any(|(key, _)| key == "locales") && !found.is_empty() {
        let data = Data::Object(Vec::new());
        members.push(("locales".to_owned(), Node { data, place }));
    }
    let locales = members.iter_mut().find(|(key, _)| key == "locales");
    if let Some(Data::Object(locales)) = locales.map(|(_, node)| &mut node.data) {
        for (key, node) in found {
            match locales.iter_mut().find(|(known, _)| *known == key) {
                Some((
                    _,
                    Node {
                        data: Data::Object(own),
                        ..
                    },
                )) => own.extend(node.members().to_vec()),
                Some(_) => {}
                None => locales.push((key, node)),
            }
        }
    }
    config
}

/// Reads all pages, and where each was.
fn add_pages(config: &Node, draft: &mut Draft<'_>) {
    let is_clean = config.bool_of("cleanUrls") == Some(true);
    let excluded = config.get("srcExclude");
    if let Some(excluded) = excluded {
        let paths = excluded.items().iter().filter_map(Node::text);
        draft.ignored.extend(paths.map(|path| format!("/{path}")));
    }
    let rewrites = config.get("rewrites");
    if let Some(rewrites) = rewrites {
        draft
            .report
            .add_if_unknown(rewrites, "`rewrites`", "write `redirects` in docs.json");
        let is_other = |(from, node): &&(String, Node)| {
            from.contains([':', '*']) && prefix_rewrite(from, node).is_none()
        };
        for (from, node) in rewrites.members().iter().filter(is_other) {
            let message = format!("the pattern `{from}` of `rewrites`");
            draft
                .report
                .add(&node.place, message, "write `redirects` in docs.json");
        }
    }
    let all = draft.folder;
    let served = draft.served.clone();
    for path in all.files(&served).filter(|path| is_page(path)) {
        let below = draft.below_served(path.as_str()).to_owned();
        if below.split('/').any(|part| part.starts_with('.')) {
            continue;
        }
        if below.contains('[') {
            let message = "pages with parameters, which a program makes";
            draft
                .report
                .add(&Place::of_file(path.as_str()), message, "write the pages");
            continue;
        }
        let name = draft.page_name(path);
        let old = rewritten(rewrites, &below);
        let stem = old.strip_suffix(".md").unwrap_or(&old);
        let is_index = stem == "index" || stem.ends_with("/index");
        let address = normal(
            stem.strip_suffix("index")
                .filter(|_| is_index)
                .unwrap_or(stem),
        );
        draft.moves(&address, &name);
        if !is_clean && !is_index {
            draft.moves(&format!("{address}.html"), &name);
        }
        let page = Page::read(all, path);
        draft.add_page(page);
    }
}

/// The folders that the rule `from` of `rewrites` maps: `en/:rest*` to `:rest*`.
fn prefix_rewrite<'c>(from: &'c str, to: &'c Node) -> Option<(&'c str, &'c str)> {
    let (from, name) = from.split_once(':')?;
    let to = to.text()?;
    let name = name.trim_end_matches(['*', '+']).trim_end_matches("(.*)");
    let to = to.strip_suffix('*').unwrap_or(to);
    let to = to.strip_suffix(name)?.strip_suffix(':')?;
    let is_folder = |folder: &str| folder.is_empty() || folder.ends_with('/');
    (is_folder(from) && is_folder(to) && !name.contains('/')).then_some((from, to))
}

/// The path that `rewrites` gives the page at `relative`.
fn rewritten(rewrites: Option<&Node>, relative: &str) -> String {
    let Some(rewrites) = rewrites else {
        return relative.to_owned();
    };
    if let Some(exact) = rewrites.text_of(relative) {
        return exact.to_owned();
    }
    let folders = rewrites.members().iter();
    let mut folders = folders.filter_map(|(from, to)| prefix_rewrite(from, to));
    let found =
        folders.find_map(|(from, to)| Some(format!("{to}{}", relative.strip_prefix(from)?)));
    found.unwrap_or_else(|| relative.to_owned())
}

fn languages(config: &Node) -> Vec<Language<'_>> {
    let locales = config.get("locales").map_or(&[][..], Node::members).iter();
    let locales = locales
        .filter(|(key, _)| key != SPREAD)
        .take(MAX_LANGUAGES)
        .map(|(key, locale)| {
            let is_root = key == "root";
            let code = locale
                .text_of("lang")
                .unwrap_or(if is_root { "en" } else { key });
            Language {
                code: code.to_owned(),
                base: if is_root { "/".to_owned() } else { normal(key) },
                theme: locale.get("themeConfig"),
            }
        });
    locales.collect()
}

fn add_navigation(config: &Node, draft: &mut Draft<'_>) {
    let theme = config.get("themeConfig");
    let languages = languages(config);
    if let Some(locales) = config.get("locales") {
        draft
            .report
            .add_if_unknown(locales, "`locales`", IN_DOCS_JSON);
        for (_, locale) in locales.members() {
            draft
                .report
                .add_if_unknown(locale, "one of `locales`", IN_DOCS_JSON);
        }
    }
    let many = languages.len() > 1;
    let mut elements = Vec::new();
    for language in &languages {
        let tabs = tabs(language.theme, theme, &language.base, draft);
        let mut members = members_of_tabs(&tabs, &mut draft.counts);
        members.shift_insert(0, "language".to_owned(), language.code.clone().into());
        if language.base == "/" {
            members.shift_insert(1, "default".to_owned(), true.into());
        }
        elements.push(Value::Object(members));
    }
    draft.navigation = match many {
        true => Map::from_iter([("languages".to_owned(), elements.into())]),
        false => {
            let own = languages.first().and_then(|language| language.theme);
            let tabs = tabs(own, theme, "/", draft);
            draft.counts = crate::navigation::Counts::default();
            members_of_tabs(&tabs, &mut draft.counts)
        }
    };
}

/// The sidebars of a language as tabs.
fn tabs(own: Option<&Node>, all: Option<&Node>, base: &str, draft: &mut Draft<'_>) -> Vec<Tab> {
    let setting = |key: &str| {
        let own = own.and_then(|own| own.get(key));
        own.or_else(|| all.and_then(|all| all.get(key)))
    };
    let nav = setting("nav").map_or(&[][..], Node::items);
    let mut tabs: Vec<(usize, Tab)> = Vec::new();
    match setting("sidebar") {
        None => {
            let entries = of_files(base, draft);
            tabs.push((
                0,
                Tab {
                    label: "Guide".to_owned(),
                    entries,
                },
            ));
            draft.report.note(
                "there is no sidebar: the navigation lists the files in the order of their paths",
            );
        }
        Some(sidebar) if sidebar.is_object() => {
            for (prefix, node) in sidebar.members() {
                let what = format!("the sidebar of `{prefix}`");
                if draft.report.add_if_unknown(node, &what, IN_DOCS_JSON) {
                    continue;
                }
                let items = node.get("items").unwrap_or(node);
                let below = node.text_of("base").unwrap_or("");
                let entries = entries(items, below, &what, draft);
                let (order, text) = label_of(nav, prefix, &entries, draft);
                let same = tabs
                    .iter_mut()
                    .find(|(at, _)| *at == order && order != usize::MAX);
                match same {
                    // Paths of one part of the site, which the bar has one link to.
                    Some((_, tab)) => merge(&mut tab.entries, entries),
                    None => tabs.push((
                        order,
                        Tab {
                            label: text,
                            entries,
                        },
                    )),
                }
            }
        }
        Some(sidebar) => {
            let entries = entries(sidebar, "", "the sidebar", draft);
            tabs.push((
                0,
                Tab {
                    label: "Guide".to_owned(),
                    entries,
                },
            ));
        }
    }
    tabs.sort_by_key(|(order, _)| *order);
    tabs.into_iter().map(|(_, tab)| tab).collect()
}

/// Adds to `entries` what is not among them yet.
fn merge(entries: &mut Vec<Entry>, more: Vec<Entry>) {
    for entry in more {
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
}

/// The place and the label of the link of the bar that leads to the sidebar of `prefix`.
fn label_of(nav: &[Node], prefix: &str, entries: &[Entry], draft: &Draft<'_>) -> (usize, String) {
    let mut best: Option<(usize, usize, String)> = None;
    for (i, item) in nav.iter().enumerate() {
        let links = item.items_or_self();
        for link in links {
            let Some(href) = link.text_of("link").filter(|href| !is_external(href)) else {
                continue;
            };
            let address = draft.address(href);
            let page = draft
                .page_at(&address)
                .map(|page| draft.page_name(&page.path));
            let is_listed = page.is_some_and(|page| has_page(entries, &page));
            let is_below = normal(href).starts_with(&normal(prefix)) && normal(prefix) != "/";
            let rank = usize::from(is_listed) * 2 + usize::from(is_below);
            let label = item.text_of("text").map(str::to_owned);
            if let (1.., Some(label)) = (rank, label)
                && best.as_ref().is_none_or(|(known, ..)| rank > *known)
            {
                best = Some((rank, i, label));
            }
        }
    }
    match best {
        Some((_, i, label)) => (i, label),
        None => {
            let name = prefix
                .trim_matches('/')
                .rsplit('/')
                .next()
                .unwrap_or_default();
            (
                usize::MAX,
                if name.is_empty() {
                    "Guide".to_owned()
                } else {
                    label(name)
                },
            )
        }
    }
}

impl Node {
    /// The items of the menu that it is, or itself.
    fn items_or_self(&self) -> Vec<&Self> {
        match self.get("items") {
            Some(items) => items.items().iter().collect(),
            None => vec![self],
        }
    }
}

/// The entries of `items`, whose links are below `base`.
fn entries(items: &Node, base: &str, what: &str, draft: &mut Draft<'_>) -> Vec<Entry> {
    if draft.report.add_if_unknown(items, what, IN_DOCS_JSON) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for item in items.items() {
        if draft
            .report
            .add_if_unknown(item, &format!("an entry of {what}"), IN_DOCS_JSON)
        {
            continue;
        }
        let base = item.text_of("base").unwrap_or(base);
        let text = draft.text(
            item.get("text"),
            &format!("a label of {what}"),
            IN_DOCS_JSON,
        );
        let link = draft.text(item.get("link"), &format!("a link of {what}"), IN_DOCS_JSON);
        let link = link.map(|link| match is_external(&link) {
            true => link,
            false => format!("{base}{link}"),
        });
        let own = link
            .as_deref()
            .map(|link| entry(link, text.clone(), item, draft));
        let Some(children) = item.get("items") else {
            found.extend(own.flatten());
            continue;
        };
        let root = match own.flatten() {
            Some(Entry::Page { page, .. }) => Some(page),
            _ => None,
        };
        let children = entries(children, base, what, draft);
        found.push(Entry::Group(Group {
            label: text.map_or_else(|| "Pages".to_owned(), |text| plain(&text)),
            root,
            is_open: (item.bool_of("collapsed") == Some(false)).then_some(true),
            entries: children,
        }));
    }
    found
}

/// The entry of a link.
fn entry(link: &str, text: Option<String>, item: &Node, draft: &mut Draft<'_>) -> Option<Entry> {
    let text = text.map(|text| plain(&text));
    if is_external(link) {
        let label = text.unwrap_or_else(|| link.to_owned());
        return Some(Entry::Link {
            label,
            href: link.to_owned(),
        });
    }
    let (path, fragment) = link
        .split_once('#')
        .map_or((link, None), |(path, rest)| (path, Some(rest)));
    let path = path.strip_suffix(".md").unwrap_or(path);
    let path = path
        .strip_suffix("index")
        .filter(|rest| rest.ends_with('/'))
        .unwrap_or(path);
    let address = draft.address(path);
    let Some(page) = draft.page_at(&address) else {
        let message = format!("the link `{link}` of a sidebar, at which no page is");
        draft
            .report
            .add(&item.place, message, "write the page, or leave it out");
        return None;
    };
    if let (Some(fragment), Some(label)) = (fragment, &text) {
        let href = format!("{address}#{fragment}");
        return Some(Entry::Link {
            label: label.clone(),
            href,
        });
    }
    let label = text.filter(|text| page.title() != Some(text));
    let page = draft.page_name(&page.path);
    Some(Entry::Page { page, label })
}

/// `text` without the HTML that labels may hold.
fn plain(text: &str) -> String {
    let mut output = String::new();
    let mut is_tag = false;
    for c in text.chars() {
        match c {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            c if !is_tag => output.push(c),
            _ => {}
        }
    }
    let output = output.trim();
    if output.is_empty() {
        text.to_owned()
    } else {
        output.to_owned()
    }
}

/// All pages below the address `base`.
fn of_files(base: &str, draft: &Draft<'_>) -> Vec<Entry> {
    let names = draft.pages.iter().map(|page| draft.page_name(&page.path));
    let names =
        names.filter(|name| base == "/" || format!("/{name}").starts_with(&format!("{base}/")));
    names
        .map(|page| Entry::Page { page, label: None })
        .collect()
}

/// Settings of the theme, of all languages and of the one at the root.
struct Theme<'c> {
    own_config: Option<&'c Node>,
    all: Option<&'c Node>,
}

impl<'c> Theme<'c> {
    fn get(&self, key: &str) -> Option<&'c Node> {
        let own = self.own_config.and_then(|own| own.get(key));
        own.or_else(|| self.all.and_then(|all| all.get(key)))
    }
}

fn add_frame(config: &Node, draft: &mut Draft<'_>) {
    let root = config.at(&["locales", "root"]);
    let setting = |key: &str| {
        let of_root = || root.and_then(|root| root.get(key));
        config.get(key).or_else(of_root)
    };
    draft.name = draft.text(setting("title"), "`title`", "write `name` in docs.json");
    let description = setting("description");
    let description = draft.text(description, "`description`", "write it in docs.json");
    if let Some(description) = description {
        draft.set("description", description.into());
    }
    let theme = Theme {
        own_config: root.and_then(|root| root.get("themeConfig")),
        all: config.get("themeConfig"),
    };
    add_look(config, &theme, draft);
    add_head(config, draft);
    add_bar(theme.get("nav"), draft);
    add_footer(theme.get("socialLinks"), theme.get("footer"), draft);
    if let Some(edit) = theme.get("editLink") {
        draft.set("feedback", json!({ "edits": true }));
        let hint = "`feedback.edits` is set: its links lead to the repository of the folder";
        draft.report.add(&edit.place, "`editLink`", hint);
    }
    let dates = theme
        .get("lastUpdated")
        .or_else(|| config.get("lastUpdated"));
    if dates.is_some_and(|node| !node.is_false()) {
        draft.set("metadata", json!({ "timestamp": true }));
    }
    let base = config.text_of("base").unwrap_or("/");
    if normal(base) != "/" {
        draft.report.note(format!(
            "the site is served below {base}: `quire build --base-path {base}`"
        ));
    }
    for (key, hint) in UNUSED {
        if let Some(node) = theme.get(key).or_else(|| config.get(key)) {
            draft.report.add(&node.place, format!("`{key}`"), hint);
        }
    }
}

/// Settings that docs.json has no key for, and what to do.
const UNUSED: &[(&str, &str)] = &[
    ("search", "remove it; search is built in"),
    ("algolia", "remove it; search is built in"),
    ("carbonAds", ""),
    (
        "markdown",
        "extensions of Markdown are those of the manual, `write/pages`",
    ),
    ("transformPageData", ""),
    (
        "transformHead",
        "`seo.metatags` of docs.json holds meta tags",
    ),
    ("buildEnd", ""),
];

/// Adds the logo and the mode.
fn add_look(config: &Node, theme: &Theme<'_>, draft: &mut Draft<'_>) {
    if let Some(logo) = theme.get("logo") {
        let image = |node: &Node| {
            let path = node.text().or_else(|| node.text_of("src"));
            path.map(|path| asset(path, draft))
        };
        let light = image(logo).or_else(|| logo.get("light").and_then(image));
        let dark = logo.get("dark").and_then(image).or_else(|| light.clone());
        if let (Some(light), Some(dark)) = (light, dark) {
            draft.set("logo", json!({ "light": light, "dark": dark }));
        }
    }
    let mode = match config.get("appearance").map(|node| &node.data) {
        Some(Data::Bool(false)) => json!({ "default": "light", "strict": true }),
        Some(Data::Text(mode)) if mode == "dark" => json!({ "default": "dark" }),
        Some(Data::Text(mode)) if mode == "force-dark" => {
            json!({ "default": "dark", "strict": true })
        }
        _ => return,
    };
    draft.set("appearance", mode);
}

/// Where a file of the folder `public` is now.
fn asset(path: &str, draft: &Draft<'_>) -> String {
    let below = path.trim_start_matches('/');
    let file = join(&draft.served, &format!("public/{below}")).unwrap_or_default();
    match draft.folder.has(&file) {
        true => format!("/public/{below}"),
        false => path.to_owned(),
    }
}

/// Tags of the head: the icon, meta tags and the measurement id of Google are carried over.
fn add_head(config: &Node, draft: &mut Draft<'_>) {
    let mut tags = Map::new();
    let Some(head) = config.get("head") else {
        return;
    };
    let hint =
        "`favicon`, `seo.metatags` and `integrations` of docs.json hold what a head may have";
    draft.report.add_unknown(head, "a tag of `head`", hint);
    for tag in head.items() {
        let parts = tag.items();
        let name = parts.first().and_then(Node::text).unwrap_or_default();
        let Some(attributes) = parts.get(1) else {
            continue;
        };
        let text = |key: &str| attributes.text_of(key);
        let source = text("src").unwrap_or_default();
        match (name, text("rel").unwrap_or_default()) {
            ("link", "icon" | "shortcut icon") => {
                if let Some(href) = text("href").filter(|_| !draft.config.contains_key("favicon")) {
                    let href = asset(href, draft);
                    draft.set("favicon", href.into());
                }
            }
            // What its own theme does.
            ("link", "preconnect" | "dns-prefetch") => {}
            ("meta", _) => {
                let key = text("name").or_else(|| text("property"));
                if let (Some(key), Some(content)) = (key, text("content")) {
                    tags.insert(key.to_owned(), content.into());
                }
            }
            ("script", _) if source.contains("googletagmanager.com/gtag/js?id=G-") => {
                let id = source.split("id=").nth(1).unwrap_or_default();
                draft.set("integrations", json!({ "ga4": { "measurementId": id } }));
            }
            _ => draft
                .report
                .add(&tag.place, format!("a `<{name}>` of `head`"), hint),
        }
    }
    if !tags.is_empty() {
        draft.set("seo", json!({ "metatags": tags }));
    }
}

/// Links of the bar that no tab stands for.
fn add_bar(nav: Option<&Node>, draft: &mut Draft<'_>) {
    let Some(nav) = nav else {
        return;
    };
    let hint = "write `navbar.links` in docs.json";
    draft.report.add_unknown(nav, "an item of the bar", hint);
    let mut links = Vec::new();
    for item in nav.items() {
        if item.get("items").is_some() {
            let message = match item.text_of("text") {
                Some(text) => format!("the menu `{text}` in the bar"),
                None => "a menu in the bar".to_owned(),
            };
            draft.report.add(
                &item.place,
                message,
                "its links stand side by side in `navbar.links`",
            );
        }
        let mut items = item.items_or_self();
        let nested: Vec<&Node> = items
            .iter()
            .flat_map(|item| match item.get("items") {
                Some(items) => items.items().iter().collect(),
                None => Vec::new(),
            })
            .collect();
        items.extend(nested);
        for link in items {
            let (Some(text), Some(href)) = (link.text_of("text"), link.text_of("link")) else {
                continue;
            };
            let address = draft.address(href);
            let mut pages = draft.counts.pages.iter();
            if is_external(href) || !pages.any(|page| Draft::route(page) == address) {
                links.push(json!({ "label": plain(text), "href": address }));
            }
        }
    }
    if !links.is_empty() {
        draft.set("navbar", json!({ "links": links }));
    }
}

fn add_footer(socials: Option<&Node>, footer: Option<&Node>, draft: &mut Draft<'_>) {
    let mut profiles = Map::new();
    if let Some(socials) = socials {
        draft.report.add_unknown(
            socials,
            "a profile of `socialLinks`",
            "write `footer.socials` in docs.json",
        );
        for social in socials.items() {
            let Some(link) = social.text_of("link") else {
                continue;
            };
            match social.text_of("icon") {
                Some(icon) => {
                    let name = if icon == "twitter" { "x" } else { icon };
                    profiles.insert(name.to_owned(), link.into());
                }
                None => {
                    let message = "a profile with a picture of its own";
                    draft.report.add(
                        &social.place,
                        message,
                        "write it in `navbar.links` of docs.json",
                    );
                }
            }
        }
    }
    if !profiles.is_empty() {
        draft.set("footer", json!({ "socials": profiles }));
    }
    if let Some(footer) = footer {
        draft.report.add(
            &footer.place,
            "`footer`",
            "docs.json has no text in the footer",
        );
    }
}

/// Takes the main color from the styles of the theme.
fn add_colors(root: &str, draft: &mut Draft<'_>) {
    let theme = join(root, ".vitepress/theme").unwrap_or_default();
    let all = draft.folder;
    let mut programs = None;
    for path in all.files(&theme) {
        match path.extension().as_str() {
            "css" => {
                let text = all.read(path.as_str()).unwrap_or_default();
                let value = text.split("--vp-c-brand-1:").nth(1);
                let value = value.and_then(|rest| rest.split(';').next());
                if let Some(color) = value.and_then(hex_color) {
                    draft.colors.entry("primary").or_insert(color.into());
                }
                let hint =
                    "a `.css` file in the folder is on all pages, with ids and classes of Quire";
                draft
                    .report
                    .add(&Place::of_file(path.as_str()), "rules of style", hint);
            }
            "vue" | "ts" | "js" | "mts" => {
                programs.get_or_insert_with(|| path.clone());
            }
            _ => {}
        }
    }
    if let Some(first) = programs {
        let message = "the theme of the site, which is a program";
        draft.report.add(
            &Place::of_file(first.as_str()),
            message,
            "`theme` of docs.json chooses one of nine",
        );
    }
}
