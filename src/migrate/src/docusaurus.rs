//! Docusaurus: its configuration, sidebars, versions, languages and blog.

mod blog;
mod docs;
mod sidebar;
mod theme;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::draft::{Draft, label, normal, redirect_assets};
use crate::folder::{Folder, join, parent};
use crate::navigation::{Entry, Tab, has_page, members_of_tabs};
use crate::node::{Data, Node, Place};
use crate::page::{self, Page, is_page};

use self::docs::Docs;
use self::sidebar::Builder;

/// Names that the configuration can have.
pub(crate) const FILES: &[&str] = &[
    "docusaurus.config.ts",
    "docusaurus.config.js",
    "docusaurus.config.mjs",
    "docusaurus.config.cjs",
    "docusaurus.config.mts",
];

/// Maximum number of versions, languages and instances: docs.json shows no more side by side.
const MAX_CHOICES: usize = 200;

/// An instance of the plugin for documents.
struct Instance<'c> {
    /// Its id; `default` for the one of the preset.
    id: String,
    /// Folder of the documents.
    path: String,
    /// Address of the documents.
    base: String,
    options: Option<&'c Node>,
}

impl Instance<'_> {
    /// Label, where the bar has none.
    fn label(&self) -> String {
        match self.id.as_str() {
            "default" => "Docs".to_owned(),
            id => label(id),
        }
    }

    /// Label of the sidebar `name`, where the bar has none.
    fn label_of(&self, name: &str) -> String {
        match name {
            "defaultSidebar" => self.label(),
            name => label(&words(name)),
        }
    }
}

/// A version of an instance.
struct Version {
    name: String,
    label: String,
    /// Address below that of the instance.
    path: String,
    /// Folder of the documents in the default language.
    folder: String,
    is_last: bool,
}

/// Languages of the site.
struct Languages {
    default: String,
    all: Vec<String>,
}

/// What all parts are read with.
struct Reader<'c> {
    config: &'c Node,
    /// Path of the configuration.
    file: String,
    languages: Languages,
}

/// Reads the site of Docusaurus whose configuration is the file `file`.
pub(crate) fn read<'f>(folder: &'f Folder, file: &str) -> Draft<'f> {
    let mut draft = Draft::new(folder, parent(file));
    let config = draft.scripts.default_export(file);
    if draft.report.add_if_unknown(
        &config,
        "the configuration",
        "write `name` and `colors` of docs.json",
    ) {
        draft
            .report
            .note("navigation is made of the folder docs/ alone");
    }
    if let Some(spread) = config.get(crate::node::SPREAD) {
        draft
            .report
            .add_if_unknown(spread, "a part of the configuration", "");
    }
    let reader = Reader {
        config: &config,
        file: file.to_owned(),
        languages: languages(&config),
    };
    let instances = reader.instances(&mut draft);
    let statics = reader.static_folders();
    let folders = reader.content(&instances, &statics, &draft);
    // Documents often lie beside the folder of the configuration.
    for folder in &folders {
        draft.served = common(&draft.served, folder).to_owned();
    }
    reader.add_navigation(&instances, &mut draft);
    reader.add_pages(&mut draft);
    theme::add(&reader, &mut draft);
    reader.add_redirects(&mut draft);
    for folder in &statics {
        redirect_assets(&mut draft, folder);
    }
    draft.allow_only(&folders);
    for instance in &instances {
        let excluded = instance.options.and_then(|options| options.get("exclude"));
        let patterns = excluded.map_or(&[][..], Node::items).iter();
        let below = draft.below_served(&instance.path).to_owned();
        let patterns = patterns.filter_map(Node::text);
        let lines: Vec<String> = patterns
            .map(|pattern| format!("/{below}/{pattern}"))
            .collect();
        draft.ignored.extend(lines);
    }
    // Scripts and styles of a site are on all of its pages.
    let lines = [
        "*.js",
        "*.mjs",
        "*.cjs",
        "*.css",
        "_category_.json",
        "**/i18n/**/*.json",
    ];
    draft.ignored.extend(lines.map(str::to_owned));
    let pages = std::mem::take(&mut draft.pages);
    let features = [page::DOCUSAURUS];
    page::count_features(folder, &pages, &features, &mut draft.report);
    let roots: Vec<String> = instances.iter().map(|one| one.path.clone()).collect();
    page::count_links_from_roots(folder, &pages, &roots, &mut draft.report);
    draft.pages = pages;
    draft
}

/// The folder that holds both `a` and `b`.
fn common<'p>(a: &'p str, b: &str) -> &'p str {
    let mut end = 0;
    let parts = a.split('/').zip(b.split('/'));
    for (part, _) in parts.take_while(|(a, b)| a == b) {
        end += part.len() + usize::from(end > 0);
    }
    &a[..end]
}

fn languages(config: &Node) -> Languages {
    let i18n = config.get("i18n");
    let default = i18n
        .and_then(|i18n| i18n.text_of("defaultLocale"))
        .unwrap_or("en");
    let all = i18n
        .and_then(|i18n| i18n.get("locales"))
        .map_or(&[][..], Node::items);
    Languages {
        default: default.to_owned(),
        all: all
            .iter()
            .take(MAX_CHOICES)
            .filter_map(Node::text)
            .map(str::to_owned)
            .collect(),
    }
}

/// What stands before the names of files of versions of the instance `id`.
fn prefix(id: &str) -> String {
    match id {
        "default" => String::new(),
        id => format!("{id}_"),
    }
}

/// The last part of the name of a plugin or a preset: `docs` of `@docusaurus/plugin-content-docs`.
fn plugin_name(name: &str) -> &str {
    let name = name.trim_start_matches("@docusaurus/");
    let name = name
        .strip_prefix("plugin-")
        .or_else(|| name.strip_prefix("preset-"))
        .unwrap_or(name);
    name.strip_prefix("content-").unwrap_or(name)
}

/// A plugin or a preset with its options.
fn plugin_options(item: &Node) -> (Option<&str>, Option<&Node>) {
    match &item.data {
        Data::Text(name) => (Some(name), None),
        Data::List(parts) => (parts.first().and_then(Node::text), parts.get(1)),
        _ => (None, None),
    }
}

impl<'c> Reader<'c> {
    fn path(&self, path: &str) -> String {
        join(parent(&self.file), path).unwrap_or_default()
    }

    /// The options of the classic preset.
    fn preset(&self) -> Option<&'c Node> {
        let presets = self.config.get("presets")?.items().iter();
        let classic = { presets }
            .map(plugin_options)
            .find(|(name, _)| name.is_some_and(|name| plugin_name(name) == "classic"));
        classic?.1
    }

    /// The plugins, by their short names.
    fn plugins(&self) -> Vec<(&'c str, Option<&'c Node>, &'c Place)> {
        let plugins = self
            .config
            .get("plugins")
            .map_or(&[][..], Node::items)
            .iter();
        let plugins = plugins.filter_map(|item| {
            let (name, options) = plugin_options(item);
            Some((plugin_name(name?), options, &item.place))
        });
        plugins.collect()
    }

    /// The folders whose files are served as they are.
    fn static_folders(&self) -> Vec<String> {
        let listed = self
            .config
            .get("staticDirectories")
            .map_or(&[][..], Node::items);
        let mut names: Vec<&str> = listed.iter().filter_map(Node::text).collect();
        if names.is_empty() {
            names.push("static");
        }
        names.into_iter().map(|name| self.path(name)).collect()
    }

    /// The folders with content of the site.
    fn content(
        &self,
        instances: &[Instance<'_>],
        statics: &[String],
        draft: &Draft<'_>,
    ) -> Vec<String> {
        let mut folders: Vec<String> = instances
            .iter()
            .map(|instance| instance.path.clone())
            .collect();
        let versions = instances
            .iter()
            .map(|instance| self.path(&format!("{}versioned_docs", prefix(&instance.id))));
        folders.extend(versions);
        folders.extend(["i18n", "src/pages"].map(|name| self.path(name)));
        folders.extend(self.blog_options().map(|(folder, _)| folder));
        folders.extend(statics.iter().cloned());
        folders.retain(|folder| draft.folder.has_folder(folder));
        folders
    }

    fn instances(&self, draft: &mut Draft<'_>) -> Vec<Instance<'c>> {
        let mut found = Vec::new();
        for key in ["presets", "plugins"] {
            for item in self.config.get(key).map_or(&[][..], Node::items) {
                draft
                    .report
                    .add_if_unknown(item, &format!("one of `{key}`"), "");
            }
        }
        let of_preset = self.preset().and_then(|preset| preset.get("docs"));
        if !of_preset.is_some_and(Node::is_false) {
            found.extend(self.instance(of_preset, draft));
        }
        for (name, options, place) in self.plugins() {
            match name {
                "docs" => found.extend(self.instance(options, draft)),
                "client-redirects" | "blog" | "pages" | "google-gtag" | "google-tag-manager" => {}
                "sitemap" | "ideal-image" | "pwa" | "debug" | "svgr" | "css-cascade-layers" => {}
                "openapi-docs" | "docusaurus-plugin-openapi-docs" => draft.report.add(
                    place,
                    format!("the plugin `{name}`"),
                    "name the documents of OpenAPI on a tab: `\"openapi\": \"openapi.yaml\"`",
                ),
                _ => draft.report.add(place, format!("the plugin `{name}`"), ""),
            }
        }
        let has_files = |instance: &Instance<'_>| draft.folder.has_folder(&instance.path);
        found.retain(has_files);
        let mut seen = BTreeSet::new();
        found.retain(|instance| seen.insert(instance.path.clone()));
        found.truncate(MAX_CHOICES);
        found
    }

    /// The instance with `options`; `None` if its documents are not in the folder.
    fn instance(&self, options: Option<&'c Node>, draft: &mut Draft<'_>) -> Option<Instance<'c>> {
        let text = |key: &str| options.and_then(|options| options.text_of(key));
        let path = join(parent(&self.file), text("path").unwrap_or("docs"));
        if path.is_none()
            && let Some(node) = options.and_then(|options| options.get("path"))
        {
            draft.report_outside(&node.place, "path");
        }
        Some(Instance {
            id: text("id").unwrap_or("default").to_owned(),
            path: path?,
            base: normal(text("routeBasePath").unwrap_or("docs")),
            options,
        })
    }

    /// The versions of `instance`, in the order of the menu.
    fn versions(&self, instance: &Instance<'_>, draft: &Draft<'_>) -> Vec<Version> {
        let prefix = prefix(&instance.id);
        let names = draft
            .scripts
            .default_export(&self.path(&format!("{prefix}versions.json")));
        let names = names.items().iter().filter_map(Node::text);
        let names: Vec<&str> = names.take(MAX_CHOICES).collect();
        let option = |key: &str| instance.options.and_then(|options| options.get(key));
        let last = option("lastVersion").and_then(Node::text);
        let last = last.or(names.first().copied()).unwrap_or("current");
        let has_current = !option("includeCurrentVersion").is_some_and(Node::is_false);
        let all = has_current
            .then_some("current")
            .into_iter()
            .chain(names.iter().copied());
        let versions = all.map(|name| {
            let own = option("versions").and_then(|versions| versions.get(name));
            let text = |key: &str| own.and_then(|own| own.text_of(key)).map(str::to_owned);
            let (standard_label, standard_path) = match name {
                "current" => ("Next".to_owned(), "next".to_owned()),
                name => (name.to_owned(), name.to_owned()),
            };
            let is_last = name == last;
            let path = if is_last {
                String::new()
            } else {
                standard_path
            };
            let folder = match name {
                "current" => instance.path.clone(),
                name => self.path(&format!("{prefix}versioned_docs/version-{name}")),
            };
            Version {
                name: name.to_owned(),
                label: text("label").unwrap_or(standard_label),
                path: text("path").unwrap_or(path),
                folder,
                is_last,
            }
        });
        versions.collect()
    }

    /// The sidebars of `version` of `instance`, by name.
    fn sidebars(&self, instance: &Instance<'_>, version: &Version, draft: &mut Draft<'_>) -> Node {
        let place = Place::of_file(&self.file);
        let path = match version.name.as_str() {
            "current" => {
                let path = instance
                    .options
                    .and_then(|options| options.get("sidebarPath"));
                match path.map(|path| &path.data) {
                    Some(Data::Text(path)) => self.path(path),
                    Some(Data::Unknown(why)) => {
                        let message = format!("`sidebarPath`: {why}");
                        draft
                            .report
                            .add(&place, message, "sidebars are made of folders instead");
                        String::new()
                    }
                    _ => String::new(),
                }
            }
            name => {
                let prefix = prefix(&instance.id);
                self.path(&format!(
                    "{prefix}versioned_sidebars/version-{name}-sidebars.json"
                ))
            }
        };
        if draft.folder.has(&path) {
            let sidebars = draft.scripts.default_export(&path);
            if !draft.report.add_if_unknown(
                &sidebars,
                "the sidebars",
                "sidebars are made of folders instead",
            ) {
                return sidebars;
            }
        }
        let text = |text: &str| Node {
            data: Data::Text(text.to_owned()),
            place: place.clone(),
        };
        let object = |members: Vec<(&str, Node)>| Node {
            data: Data::Object(
                members
                    .into_iter()
                    .map(|(key, node)| (key.to_owned(), node))
                    .collect(),
            ),
            place: place.clone(),
        };
        let item = object(vec![
            ("type", text("autogenerated")),
            ("dirName", text(".")),
        ]);
        let list = Node {
            data: Data::List(vec![item]),
            place: place.clone(),
        };
        object(vec![("defaultSidebar", list)])
    }

    fn add_navigation(&self, instances: &[Instance<'_>], draft: &mut Draft<'_>) {
        let others = self
            .languages
            .all
            .iter()
            .filter(|language| **language != self.languages.default);
        let has_folder = |language: &&String| {
            draft
                .folder
                .has_folder(&self.path(&format!("i18n/{language}")))
        };
        let others: Vec<&String> = others.filter(has_folder).collect();
        let default = self.languages.default.clone();
        let of_default = self.elements(instances, &default, draft);
        if others.is_empty() {
            draft.navigation = of_default;
            return;
        }
        let mut elements = vec![of_language(&default, true, of_default)];
        for language in others {
            let members = self.elements(instances, language, draft);
            elements.push(of_language(language, false, members));
        }
        draft.navigation = Map::from_iter([("languages".to_owned(), elements.into())]);
        draft
            .report
            .note("a language lists the pages that are translated to it, and no others");
    }

    /// The elements of all instances in one language.
    fn elements(
        &self,
        instances: &[Instance<'_>],
        language: &str,
        draft: &mut Draft<'_>,
    ) -> Map<String, Value> {
        let mut tabs: Vec<(usize, Tab)> = Vec::new();
        let mut elements: Vec<Map<String, Value>> = Vec::new();
        for instance in instances {
            let versions = self.versions(instance, draft);
            if let [version] = versions.as_slice() {
                tabs.extend(self.tabs(instance, version, language, draft));
                continue;
            }
            let (versions, tab) = self.version_elements(instance, &versions, language, draft);
            if versions.is_empty() {
                continue;
            }
            let name = tab.unwrap_or_else(|| instance.label());
            let members = [
                ("tab".to_owned(), name.into()),
                ("versions".to_owned(), versions.into()),
            ];
            elements.push(Map::from_iter(members));
        }
        if language == self.languages.default {
            tabs.extend(self.blog(draft).map(|tab| (usize::MAX, tab)));
        }
        tabs.sort_by_key(|(order, _)| *order);
        let tabs: Vec<Tab> = tabs.into_iter().map(|(_, tab)| tab).collect();
        if elements.is_empty() {
            return members_of_tabs(&tabs, &mut draft.counts);
        }
        if let ([members], true) = (elements.as_mut_slice(), tabs.is_empty()) {
            members.shift_remove("tab");
            return std::mem::take(members);
        }
        for tab in &tabs {
            let mut members = crate::navigation::members(&tab.entries, &mut draft.counts);
            members.shift_insert(0, "tab".to_owned(), tab.label.clone().into());
            elements.push(members);
        }
        let elements: Vec<Value> = elements.into_iter().map(Value::Object).collect();
        Map::from_iter([("tabs".to_owned(), elements.into())])
    }

    /// The elements of the versions of an instance that have pages, and the label that the bar has
    /// for them if each has one sidebar.
    fn version_elements(
        &self,
        instance: &Instance<'_>,
        versions: &[Version],
        language: &str,
        draft: &mut Draft<'_>,
    ) -> (Vec<Value>, Option<String>) {
        let mut elements = Vec::new();
        let mut label = None;
        let mut is_single = true;
        for version in versions {
            let found = self.tabs(instance, version, language, draft).into_iter();
            let found: Vec<Tab> = found.map(|(_, tab)| tab).collect();
            let Some(first) = found.first() else {
                continue;
            };
            is_single &= found.len() == 1;
            if version.is_last || label.is_none() {
                label = Some(first.label.clone());
            }
            let mut members = members_of_tabs(&found, &mut draft.counts);
            members.shift_insert(0, "version".to_owned(), version.label.clone().into());
            if version.is_last {
                members.shift_insert(1, "default".to_owned(), true.into());
            }
            elements.push(Value::Object(members));
        }
        (elements, label.filter(|_| is_single))
    }

    /// The sidebars of a version in a language as tabs, each with its place in the bar.
    fn tabs(
        &self,
        instance: &Instance<'_>,
        version: &Version,
        language: &str,
        draft: &mut Draft<'_>,
    ) -> Vec<(usize, Tab)> {
        let is_default = language == self.languages.default;
        let plugin = match instance.id.as_str() {
            "default" => "docusaurus-plugin-content-docs".to_owned(),
            id => format!("docusaurus-plugin-content-docs-{id}"),
        };
        let translated = self.path(&format!("i18n/{language}/{plugin}"));
        let name = match version.name.as_str() {
            "current" => "current".to_owned(),
            name => format!("version-{name}"),
        };
        let mut base = format!("{}/{}", instance.base, version.path);
        let mut folder = version.folder.clone();
        if !is_default {
            base = format!("/{language}/{base}");
            folder = format!("{translated}/{name}");
        }
        let base = normal(&base);
        let docs = docs::read(draft, &folder, &base);
        if docs.by_id.is_empty() {
            return Vec::new();
        }
        let labels = self.messages(&format!("{translated}/{name}.json"), draft);
        let bar = self.messages(
            &self.path(&format!(
                "i18n/{language}/docusaurus-theme-classic/navbar.json"
            )),
            draft,
        );
        let sidebars = self.sidebars(instance, version, draft);
        let mut tabs = Vec::new();
        for (name, sidebar) in sidebars.members() {
            let builder = Builder {
                docs: &docs,
                base: &base,
                name,
                labels: &labels,
                is_whole: is_default,
            };
            let entries = builder.entries(sidebar, draft);
            let named = self.label_of_sidebar(instance, name, &docs, &entries);
            let (order, text) = named.unwrap_or_else(|| (usize::MAX - 1, instance.label_of(name)));
            let text = bar
                .get(&format!("item.label.{text}"))
                .cloned()
                .unwrap_or(text);
            tabs.push((
                order,
                Tab {
                    label: text,
                    entries,
                },
            ));
        }
        tabs
    }

    /// The texts of a file of translations, by key.
    fn messages(&self, path: &str, draft: &Draft<'_>) -> BTreeMap<String, String> {
        if !draft.folder.has(path) {
            return BTreeMap::new();
        }
        let file = draft.scripts.default_export(path);
        let messages = file
            .members()
            .iter()
            .filter_map(|(key, node)| Some((key.clone(), node.text_of("message")?.to_owned())));
        messages.collect()
    }

    /// The items of the bar above the pages.
    fn bar(&self) -> &'c [Node] {
        let items = self.config.at(&["themeConfig", "navbar", "items"]);
        items.map_or(&[], Node::items)
    }

    /// The place and the label of the item of the bar that leads to a sidebar.
    fn label_of_sidebar(
        &self,
        instance: &Instance<'_>,
        name: &str,
        docs: &Docs,
        entries: &[Entry],
    ) -> Option<(usize, String)> {
        self.bar().iter().enumerate().find_map(|(i, item)| {
            let id = item.text_of("docsPluginId").unwrap_or("default");
            let label = item.text_of("label")?.to_owned();
            let leads_to = |doc: &docs::Doc| has_page(entries, &doc.name);
            let is_it = match item.text_of("type") {
                Some("docSidebar") => id == instance.id && item.text_of("sidebarId") == Some(name),
                Some("doc") => {
                    let doc = item.text_of("docId").and_then(|id| docs.get(id));
                    id == instance.id && doc.is_some_and(leads_to)
                }
                None => {
                    let to = item.text_of("to").map(normal);
                    let mut all = docs.by_id.values();
                    all.any(|doc| Some(&doc.address) == to.as_ref() && leads_to(doc))
                }
                _ => false,
            };
            is_it.then_some((i, label))
        })
    }

    /// Folder and address of the blog.
    fn blog_options(&self) -> Option<(String, String)> {
        let of_preset = self.preset().and_then(|preset| preset.get("blog"));
        let plugin = self
            .plugins()
            .into_iter()
            .find(|(name, ..)| *name == "blog");
        let options = plugin.and_then(|(_, options, _)| options).or(of_preset);
        if options.is_some_and(Node::is_false) {
            return None;
        }
        let text = |key: &str| options.and_then(|options| options.text_of(key));
        let base = normal(text("routeBasePath").unwrap_or("blog"));
        Some((self.path(text("path").unwrap_or("blog")), base))
    }

    fn blog(&self, draft: &mut Draft<'_>) -> Option<Tab> {
        let (folder, base) = self.blog_options()?;
        blog::tab(draft, &folder, &base)
    }

    /// The pages of `src/pages`, which no sidebar lists.
    fn add_pages(&self, draft: &mut Draft<'_>) {
        let folder = self.path("src/pages");
        let all = draft.folder;
        let mut programs = Vec::new();
        for path in all.files(&folder) {
            let below = path.as_str()[folder.len()..].trim_start_matches('/');
            let stem = below.rsplit_once('.').map_or(below, |(stem, _)| stem);
            let address = normal(stem.strip_suffix("index").unwrap_or(stem));
            if is_page(path) {
                let name = draft.page_name(path);
                draft.moves(&address, &name);
                draft.add_page(Page::read(all, path));
            } else if matches!(path.extension().as_str(), "js" | "jsx" | "ts" | "tsx")
                && !below.contains(".module.")
            {
                programs.push((path.clone(), address));
            }
        }
        for (path, address) in programs {
            let message = format!("the page `{address}`, which is a program");
            let hint = "write it as a page of MDX; for the home page `index.mdx`";
            draft
                .report
                .add(&Place::of_file(path.as_str()), message, hint);
        }
    }

    fn add_redirects(&self, draft: &mut Draft<'_>) {
        for (name, options, _) in self.plugins() {
            let Some(options) = options.filter(|_| name == "client-redirects") else {
                continue;
            };
            let hint = "write them in `redirects` of docs.json";
            for key in ["createRedirects", "fromExtensions", "toExtensions"] {
                if let Some(node) = options
                    .get(key)
                    .filter(|node| !matches!(&node.data, Data::List(items) if items.is_empty()))
                {
                    let message = format!("`{key}` of the plugin client-redirects");
                    draft.report.add(&node.place, message, hint);
                }
            }
            for redirect in options.get("redirects").map_or(&[][..], Node::items) {
                draft.report.add_unknown(redirect, "a redirect", hint);
                let Some(to) = redirect.text_of("to") else {
                    continue;
                };
                let from = redirect.get("from");
                let one = from.and_then(Node::text).into_iter();
                let many = from
                    .map_or(&[][..], Node::items)
                    .iter()
                    .filter_map(Node::text);
                for from in one.chain(many) {
                    draft.redirect(from, to);
                }
            }
        }
    }
}

fn of_language(language: &str, is_default: bool, mut members: Map<String, Value>) -> Value {
    members.shift_insert(0, "language".to_owned(), language.into());
    if is_default {
        members.shift_insert(1, "default".to_owned(), json!(true));
    }
    members.into()
}

/// The words of a name in camel case: `tutorialSidebar` is `tutorial`.
fn words(name: &str) -> String {
    let name = name.strip_suffix("Sidebar").unwrap_or(name);
    let mut text = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !text.is_empty() {
            text.push(' ');
        }
        text.extend(c.to_lowercase());
    }
    text
}
