//! The context menu of a page ("Copy page" and others): which of the configured options it has, and
//! their URLs.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

use super::PageOptions;
use super::address::{icon_name, site_href};
use crate::config::theme_config;
use crate::db::Db;
use crate::head::{PageHead, is_address};
use crate::inputs::{Site, Spec};
use crate::page::subject_pages;
use base::path::{Route, encode_path};
use config::chrome::{ContextualAction, ContextualDisplay, ContextualOption, CustomOption};
use theme::page_menu::{Fill, MenuAction, MenuEntry, MenuPlace, PageMenu};
use theme::words::Word;

/// Path of the archive of specifications (SPEC 2.5).
pub const ARCHIVE: &str = "/api-specs.zip";

/// Path of the Markdown of the page at `route`: `/guides/a.md`; that of the home page is
/// `/index.md`.
pub fn twin_path(route: &Route) -> String {
    match route.as_str() {
        "/" => "/index.md".to_owned(),
        route => format!("{route}.md"),
    }
}

/// The specifications behind the pages of the site, in order of their paths.
pub fn used_specs(db: &dyn Db, site: Site) -> Vec<Spec> {
    let operations = subject_pages(db, site).operations.keys();
    let mut used: Vec<Spec> = operations.map(|operation| operation.spec(db)).collect();
    used.sort_by_key(|spec| spec.name(db));
    used.dedup();
    used
}

/// The menu of the page with that head; none if nothing of what it would hold can be done here.
pub(super) fn page_menu(
    db: &dyn Db,
    site: Site,
    head: &PageHead<'_>,
    has_toc: bool,
    options: &PageOptions,
) -> PageMenu {
    let of_site = &theme_config(db, site).contextual;
    let contextual = head.contextual.as_ref().unwrap_or(of_site);
    let base_path = site.base_path(db);
    let base = (head.canonical_base.as_deref()).or(options.base_url.as_deref());
    let here = Here {
        db,
        site,
        head,
        options,
        twin: format!("{base_path}{}", encode_path(&twin_path(&head.route))),
        base: base.map(|base| base.trim_end_matches('/')),
    };
    let entries = contextual.entries().iter();
    let entries = entries.filter_map(|option| match option {
        ContextualOption::Action(action) => here.entry(*action),
        ContextualOption::Custom(custom) => here.custom(custom),
    });
    PageMenu {
        entries: entries.collect(),
        place: match contextual.display {
            ContextualDisplay::Toc if has_toc => MenuPlace::Contents,
            _ => MenuPlace::Title,
        },
    }
}

/// A page, and what is around it.
struct Here<'a> {
    db: &'a dyn Db,
    site: Site,
    head: &'a PageHead<'a>,
    options: &'a PageOptions,
    /// Path of the page as Markdown.
    twin: String,
    /// Address of the site, if it is known.
    base: Option<&'a str>,
}

impl Here<'_> {
    fn entry(&self, action: ContextualAction) -> Option<MenuEntry> {
        let (icon, title, description) = words(action);
        Some(MenuEntry {
            icon: Some(icon.to_owned()),
            title,
            description: Some(description),
            action: self.action(action)?,
        })
    }

    fn action(&self, action: ContextualAction) -> Option<MenuAction> {
        Some(match action {
            ContextualAction::Copy => MenuAction::CopyFrom(self.twin.clone()),
            ContextualAction::View => MenuAction::Open {
                href: self.twin.clone(),
                is_external: false,
                fill: Fill::default(),
            },
            ContextualAction::Assistant => {
                self.options.assistant.as_ref()?;
                MenuAction::Ask
            }
            ContextualAction::DownloadPdf => MenuAction::Print,
            ContextualAction::DownloadSpec => MenuAction::Download(self.specification()?),
            ContextualAction::Chatgpt => self.prompt("https://chatgpt.com/?hints=search&q="),
            ContextualAction::Claude => self.prompt("https://claude.ai/new?q="),
            ContextualAction::Perplexity => self.prompt("https://www.perplexity.ai/search?q="),
            ContextualAction::Grok => self.prompt("https://grok.com/?q="),
            ContextualAction::Aistudio => {
                self.prompt("https://aistudio.google.com/prompts/new_chat?prompt=")
            }
            ContextualAction::Devin => self.prompt("https://app.devin.ai/?prompt="),
            ContextualAction::DevinDesktop | ContextualAction::Windsurf => {
                self.prompt("devin://cascade?prompt=")
            }
            ContextualAction::Mcp => {
                let (text, fill) = self.whole(self.mcp()?);
                MenuAction::Copy { text, fill }
            }
            ContextualAction::AddMcp => {
                let (address, fill) = self.whole(self.mcp()?);
                let text = format!("npx add-mcp {address}");
                MenuAction::Copy { text, fill }
            }
            ContextualAction::Cursor => {
                let name = self.server_name();
                let start =
                    format!("cursor://anysphere.cursor-deeplink/mcp/install?name={name}&config=");
                self.install(&start, &|url| json!({ "url": url }).to_string())?
            }
            ContextualAction::DevinMcp => {
                let start = "https://app.devin.ai/settings/mcp-marketplace/setup/custom?config=";
                let name = self.server_name();
                let config = json!({ "name": name, "transport": "HTTP" });
                self.install(start, &|url| {
                    let mut config = config.clone();
                    config["url"] = json!(url);
                    config.to_string()
                })?
            }
            ContextualAction::Vscode => {
                let (address, fill) = self.whole(self.mcp()?);
                let config = json!({ "name": self.server_name(), "type": "http", "url": address });
                MenuAction::Open {
                    href: format!("vscode:mcp/install?{}", component(&config.to_string())),
                    is_external: true,
                    fill,
                }
            }
        })
    }

    /// The path of the MCP server, if one answers here.
    fn mcp(&self) -> Option<&str> {
        self.options.mcp.as_deref()
    }

    /// `path` as an absolute URL, as far as anybody knows where the site is; else a script
    /// completes it.
    fn whole(&self, path: &str) -> (String, Fill) {
        match self.base {
            Some(base) => (format!("{base}{path}"), Fill::default()),
            None => {
                let fill = Fill {
                    path: Some(path.to_owned()),
                    ..Fill::default()
                };
                (path.to_owned(), fill)
            }
        }
    }

    /// A conversation that begins with the page.
    fn prompt(&self, start: &str) -> MenuAction {
        let (address, fill) = self.whole(&self.twin);
        let text = format!("Read {address} and answer questions about it.");
        MenuAction::Open {
            href: format!("{start}{}", component(&text)),
            is_external: true,
            fill,
        }
    }

    /// A link that puts the MCP server into a program whose links hold what `config` makes of its address, in base64.
    fn install(&self, start: &str, config: &dyn Fn(&str) -> String) -> Option<MenuAction> {
        let (address, mut fill) = self.whole(self.mcp()?);
        let config = config(&address);
        let href = format!("{start}{}", component(&BASE64_STANDARD.encode(&config)));
        fill.base64 = fill.path.is_some().then_some(config);
        Some(MenuAction::Open {
            href,
            is_external: true,
            fill,
        })
    }

    /// The name of the site in letters that every program takes.
    fn server_name(&self) -> String {
        let name = theme_config(self.db, self.site).name.to_lowercase();
        let words = name.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        match words[..] {
            [] => "docs".to_owned(),
            _ => words.join("-"),
        }
    }

    /// Address of the specifications, on pages about an operation or a data model that can be read
    /// without a login (SPEC 2.6).
    fn specification(&self) -> Option<String> {
        if !self.head.is_reference || theme_config(self.db, self.site).is_protected {
            return None;
        }
        match &used_specs(self.db, self.site)[..] {
            [] => None,
            [spec] => {
                let path = spec.name(self.db).as_str();
                Some(match is_address(path) {
                    true => path.to_owned(),
                    false => site_href(self.db, &format!("/{path}")),
                })
            }
            _ => Some(site_href(self.db, ARCHIVE)),
        }
    }

    /// An entry that the site brings. What its address names and nothing here has leaves no entry.
    fn custom(&self, custom: &CustomOption) -> Option<MenuEntry> {
        let CustomOption {
            title,
            description,
            icon,
            href,
        } = custom;
        let mut fill = Fill::default();
        let mut address = String::new();
        match href.base.split_once('?') {
            None => self.add(&href.base, false, &mut address, &mut fill)?,
            Some((path, query)) => {
                self.add(path, false, &mut address, &mut fill)?;
                address.push('?');
                self.add(query, true, &mut address, &mut fill)?;
            }
        }
        for parameter in &href.query {
            let sign = if address.contains('?') { '&' } else { '?' };
            address.push(sign);
            address.push_str(&component(&parameter.key));
            address.push('=');
            let mut value = String::new();
            self.add(&parameter.value, false, &mut value, &mut fill)?;
            address.push_str(&component(&value));
        }
        let is_path = address.starts_with('/') && !address.starts_with("//");
        Some(MenuEntry {
            icon: icon.as_ref().map(|icon| icon_name(self.db, icon)),
            title: title.clone(),
            description: description.clone(),
            action: MenuAction::Open {
                is_external: !is_path && address.contains(':'),
                href: site_href(self.db, &address),
                fill,
            },
        })
    }

    /// Appends `text` to `address` with the placeholders `$page`, `$path` and `$mcp` replaced.
    fn add(&self, text: &str, is_query: bool, address: &mut String, fill: &mut Fill) -> Option<()> {
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            address.push_str(&rest[..at]);
            let known = ["$page", "$path", "$mcp"];
            let Some(name) = known.into_iter().find(|name| rest[at..].starts_with(name)) else {
                address.push('$');
                rest = &rest[at + 1..];
                continue;
            };
            rest = &rest[at + name.len()..];
            let value = match name {
                "$path" => self.head.href.clone(),
                "$page" => {
                    fill.content = Some(self.twin.clone());
                    self.twin.clone()
                }
                _ => {
                    let (mcp, missing) = self.whole(self.mcp()?);
                    fill.path = missing.path.or(fill.path.take());
                    mcp
                }
            };
            match is_query {
                true => address.push_str(&component(&value)),
                false => address.push_str(&value),
            }
        }
        address.push_str(rest);
        Some(())
    }
}

/// Icon, name and what it does of an entry that every site can have.
#[rustfmt::skip]
fn words(action: ContextualAction) -> (&'static str, String, String) {
    let plain = |icon, name: Word, about: Word| (icon, name.marker().to_owned(), about.marker().to_owned());
    let ask = |icon, name| (icon, Word::OpenIn.about(name), Word::AskAbout.about(name));
    let open = |icon, name| (icon, Word::OpenIn.about(name), Word::OpenPageIn.about(name));
    let connect = |icon, name| (icon, Word::ConnectTo.about(name), Word::InstallIn.about(name));
    match action {
        ContextualAction::Copy => plain("copy", Word::CopyPage, Word::CopyPageAbout),
        ContextualAction::View => plain("tabler:markdown", Word::ViewMarkdown, Word::ViewMarkdownAbout),
        ContextualAction::Assistant => plain("message", Word::AskAssistant, Word::AskAssistantAbout),
        ContextualAction::DownloadPdf => plain("file", Word::SavePdf, Word::SavePdfAbout),
        ContextualAction::DownloadSpec => plain("download", Word::DownloadSpec, Word::DownloadSpecAbout),
        ContextualAction::Chatgpt => ask("tabler:brand-openai", "ChatGPT"),
        ContextualAction::Claude => ask("ask", "Claude"),
        ContextualAction::Perplexity => ask("search", "Perplexity"),
        ContextualAction::Grok => ask("bolt", "Grok"),
        ContextualAction::Aistudio => ask("fontawesome/brands:google", "AI Studio"),
        ContextualAction::Devin => open("code", "Devin"),
        ContextualAction::DevinDesktop | ContextualAction::Windsurf => open("desktop", "Devin Desktop"),
        ContextualAction::DevinMcp => connect("puzzle", "Devin"),
        ContextualAction::Mcp => plain("link", Word::CopyMcp, Word::CopyMcpAbout),
        ContextualAction::AddMcp => plain("terminal", Word::CopyInstall, Word::CopyInstallAbout),
        ContextualAction::Cursor => connect("tabler:cursor-text", "Cursor"),
        ContextualAction::Vscode => connect("tabler:brand-vscode", "VS Code"),
    }
}

/// `text` as it stands in a query, as `encodeURIComponent` writes it: a script looks for the same letters.
pub(super) fn component(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for &byte in text.as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            encoded.push(byte as char);
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_keeps_what_encode_uri_component_keeps() {
        assert_eq!(component("a b/ü?&(!)"), "a%20b%2F%C3%BC%3F%26(!)");
    }
}
