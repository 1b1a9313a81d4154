//! The page around a body: header, sidebar, document, and the composition of them all.
//!
//! Header and sidebar are memoized once for each section, the body once for each page; a page is their concatenation,
//! which is cheap and not kept, so that a new title renders nothing else.

mod address;
mod content;
mod own;
mod search;
mod section;

pub use content::{PageContent, page_content};
pub use own::{OwnFiles, bucket_own_files, is_own_file, own_file_query, own_files};
pub use section::{section_header, section_sidebar};

use address::{icon_name, image_href, page_href, site_href};
use search::search_view;
use section::header_for;

use crate::body::{manual_reference, page_body, reference_of};
use crate::config::api::PlaygroundDisplay;
use crate::config::appearance::Mode as AppearanceMode;
use crate::config::chrome::BannerType;
use crate::config::navigation::NodeKind;
use crate::config::{api_config, search_config, seo_config, theme_config};
use crate::content::ContentHash;
use crate::db::Db;
use crate::diagnostic::{Diagnostic, Severity};
use crate::inputs::{Site, SourceFile};
use crate::mdx::front_matter::FrontMatter;
use crate::navigation::{NavigationNode, PageId, Section, generated_pages, section_of, sections};
use crate::page::{
    bound_operation, bound_schema, front_matter, label_of, matter_of, page_list, route_of, title_of,
};
use crate::path::{Route, SitePath};
use crate::place::Located;
use crate::reference::{Use, model_uses};
use crate::render::article::{self, Article, Mode};
use crate::render::code_scheme::CodeScheme;
use crate::render::document::{self, Document, PreviewInfo};
use crate::render::header::{self, Header, HeaderLink};
use crate::render::html::slot;
use crate::render::pager::{self, PagerLink};
use crate::render::prose::{self, OutlineEntry};
use crate::render::search::SearchSource;
use crate::render::sidebar::{self, Sidebar};
use crate::render::site_style::{Accent, Background, CodeGrounds, Font, Fonts};
use crate::render::toc::{self, TocEntry};
use crate::render::{
    banner, eyebrow, footer, language, layout, not_found, problem, reference, theme,
};

/// What surrounds every page of a site: derived from the configuration alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    document: Document,
    footer: String,
    banner: String,
}

/// How pages are composed, the same for all pages of a run.
#[derive(Clone, Debug, Default)]
pub struct PageOptions {
    /// The token of the preview; without one the page is as visitors get it.
    pub preview_token: Option<String>,
    /// The address of the site, such as `https://docs.example.org`, for canonical links.
    pub base_url: Option<String>,
    /// Where the search dialog of the pages asks; without one nothing answers it.
    pub search: Option<SearchSource>,
}

/// A whole page.
#[derive(Clone, Debug)]
pub struct PageHtml {
    /// The HTML.
    pub html: String,
    /// The digest of the page without what the preview adds.
    pub digest: ContentHash,
}

/// Composes a page from its body, its section's header and sidebar, and the frame. Not memoized: it is a concatenation
/// of what is, and keeping it would double the memory of a site.
pub fn page_html(db: &dyn Db, site: Site, page: PageId, options: &PageOptions) -> PageHtml {
    let frame = site_frame(db, site);
    let matter = &*matter_of(db, page);
    let body = page.file().map(|file| page_body(db, file));
    let reference = reference_of(db, page);
    let section = section_of(db, page).or_else(|| sections(db, site).first().copied());
    let mode = match matter.mode.as_deref() {
        Some("wide" | "assistant") => Mode::Wide,
        Some("custom") => Mode::Custom,
        Some("frame") => Mode::Frame,
        Some("center") => Mode::Center,
        _ => Mode::Default,
    };
    let uses = uses_of(db, page);
    let own = body.map_or(&[][..], |body| &body.outline);
    let given = reference.map_or(&[][..], |given| &given.outline);
    let entries: Vec<TocEntry> = own
        .iter()
        .chain(given)
        .filter(|entry| entry.level <= 4)
        .map(toc_entry)
        .chain((!uses.is_empty()).then(|| TocEntry {
            id: reference::USED_BY.to_owned(),
            level: 2,
            title: "Used by".to_owned(),
        }))
        .collect();
    let has_toc = mode.has_toc() && !entries.is_empty();
    let toc_inline = if has_toc {
        toc::toc_inline(&entries)
    } else {
        maud::html! {}
    };
    let mut content = String::new();
    if let Some(file) = page.file() {
        content.push_str(&front_matter_problems(db, file));
    }
    match reference {
        Some(given) => {
            let own = format!("{}{}", given.content, body.map_or("", |body| &body.html));
            let (mut side, mut examples) = (given.side.clone(), given.examples.clone());
            if let Some(body) = body {
                reference::take_own(&mut side, &mut examples, &body.beside);
            }
            side.push_str(&examples);
            let mut main = given.main.clone();
            if !uses.is_empty() {
                main.push_str(&reference::uses(uses).into_string());
            }
            let whole = reference::whole(&given.head, &side, &own, &main);
            content.push_str(&whole.into_string());
            if is_interactive(db, site, matter) {
                content.push_str(&given.island);
            }
        }
        None => content.push_str(&body.map(prose::Body::whole).unwrap_or_default()),
    }
    let article = article::article(
        &article_view(db, page, section, matter, mode),
        &toc_inline,
        slot(&content),
    );
    let header = match section {
        Some(section) => header_for(db, section, Some(page)),
        None => header::header(frame_header(db, site)).into_string(),
    };
    let href = page_href(db, page);
    let sidebar = section.map_or_else(Vec::new, |section| {
        sidebar::sidebar_for(section_sidebar(db, section), &href)
    });
    let parts = layout::Parts {
        document_open: "",
        banner: &frame.banner,
        header: &header,
        sidebar: &sidebar,
        article: &article.into_string(),
        pager: &pager_html(db, page, section, matter),
        footer: &frame.footer,
        toc: &if has_toc {
            toc::toc(&entries).into_string()
        } else {
            String::new()
        },
        document_close: "",
    };
    let mut document = page_document(db, page, section, frame.document.clone(), options);
    document.search = (options.search.clone()).map(|source| search_view(db, section, source));
    if let Some(body) = body {
        document.styles.clone_from(&body.styles);
    }
    if let Some(reference) = reference {
        document.styles.push_str(&reference.styles);
    }
    add_own_files(&mut document, own_files(db, site));
    finish(
        document,
        mode,
        parts,
        route_of(db, page).as_str(),
        section.map(|section| section_sidebar(db, section)),
        options,
    )
}

/// Puts the document around the parts, and takes the digest before the preview is added.
fn finish(
    mut document: Document,
    mode: Mode,
    parts: layout::Parts<'_>,
    route: &str,
    sidebar: Option<&Sidebar>,
    options: &PageOptions,
) -> PageHtml {
    let open = document::open(&document);
    // The sidebar is most of many pages; its digest and the route tell what it shows.
    let texts = [
        &open,
        mode.name(),
        route,
        parts.banner,
        parts.header,
        parts.article,
        parts.pager,
        parts.footer,
        parts.toc,
    ];
    let sidebar = sidebar.map_or(&[][..], |sidebar| &sidebar.digest.as_bytes()[..]);
    let digest = ContentHash::of_parts(texts.map(str::as_bytes).into_iter().chain([sidebar]));
    let open = match &options.preview_token {
        None => open,
        Some(token) => {
            document.preview = Some(PreviewInfo {
                token: token.clone(),
                route: route.to_owned(),
                digest: digest.short(),
            });
            document::open(&document)
        }
    };
    let close = document::close(&document);
    let parts = layout::Parts {
        document_open: &open,
        document_close: &close,
        ..parts
    };
    PageHtml {
        html: layout::page(mode, &parts),
        digest,
    }
}

/// Puts the site's own stylesheets and scripts into the head.
fn add_own_files(document: &mut Document, own: &OwnFiles) {
    document.extra_css.clone_from(&own.styles);
    document.extra_js.clone_from(&own.scripts);
}

/// The page that says that there is nothing at `route`.
pub fn not_found_html(db: &dyn Db, site: Site, route: &str, options: &PageOptions) -> String {
    let frame = site_frame(db, site);
    let config = &theme_config(db, site).not_found;
    let view = not_found::NotFound {
        title: config.title.clone(),
        description: config.description.clone(),
        route: Some(route.to_owned()),
        suggestions: suggestions(db, site, route),
        home_href: site_href(db, "/"),
    };
    let article = not_found::not_found(&view).into_string();
    let section = sections(db, site).first().copied();
    let header = match section {
        Some(section) => header_for(db, section, None),
        None => header::header(frame_header(db, site)).into_string(),
    };
    let sidebar = section.map(|section| &*section_sidebar(db, section).html);
    let parts = layout::Parts {
        banner: &frame.banner,
        header: &header,
        sidebar: sidebar.as_slice(),
        article: &article,
        footer: &frame.footer,
        ..layout::Parts::default()
    };
    let mut document = frame.document.clone();
    "Page not found".clone_into(&mut document.title);
    document.noindex = true;
    document.search = (options.search.clone()).map(|source| search_view(db, section, source));
    add_own_files(&mut document, own_files(db, site));
    let sidebar = section.map(|section| section_sidebar(db, section));
    finish(document, Mode::Wide, parts, route, sidebar, options).html
}

/// The pages whose addresses are most like `route`, at most five.
fn suggestions(db: &dyn Db, site: Site, route: &str) -> Vec<(String, String)> {
    let wanted = route.trim_matches('/').to_lowercase();
    let last = wanted.rsplit('/').next().unwrap_or("").to_owned();
    let mut near: Vec<(usize, &Route, PageId)> = Vec::new();
    let files = page_list(db, site).value.iter();
    let files = files.map(|(route, file)| (route, PageId::File(*file)));
    let generated = generated_pages(db, site).pages.iter();
    let generated = generated.map(|(route, page)| (route, PageId::Generated(*page)));
    for (known, page) in files.chain(generated) {
        let name = known.last_segment().to_lowercase();
        let distance = if name == last {
            0
        } else if name.len().abs_diff(last.len()) <= 4 {
            1 + strsim::damerau_levenshtein(&name, &last)
        } else {
            continue;
        };
        if distance <= 1 + last.len() / 3 {
            let path = known.as_str().trim_matches('/').to_lowercase();
            near.push((
                distance * 100 + path.len().abs_diff(wanted.len()),
                known,
                page,
            ));
        }
    }
    near.sort_by_key(|(distance, route, _)| (*distance, *route));
    near.truncate(5);
    near.into_iter()
        .map(|(_, _, page)| (title_of(db, page), page_href(db, page)))
        .collect()
}

fn toc_entry(entry: &OutlineEntry) -> TocEntry {
    TocEntry {
        id: entry.id.clone(),
        level: entry.level,
        title: entry.title.clone(),
    }
}

/// What is wrong with the frontmatter, in place of what it would have said.
fn front_matter_problems(db: &dyn Db, file: SourceFile) -> String {
    let parsed = front_matter(db, file);
    let manual = match parsed.value.api.is_some() && bound_operation(db, file).is_none() {
        true => &manual_reference(db, file).diagnostics[..],
        false => &[],
    };
    let errors = parsed
        .diagnostics
        .iter()
        .chain(manual)
        .filter(|diagnostic| diagnostic.severity() == Severity::Error);
    errors
        .map(|diagnostic| {
            problem::problem(&problem_view(
                diagnostic,
                &crate::page::located(db, file, diagnostic),
            ))
            .into_string()
        })
        .collect()
}

/// The card for `diagnostic`.
fn problem_view(diagnostic: &Diagnostic, located: &Located) -> problem::Problem {
    problem::Problem {
        severity: problem::ProblemSeverity::Error,
        code: diagnostic.code.name().to_owned(),
        message: diagnostic.message.clone(),
        path: located.path.to_string(),
        line: Some(located.line as usize),
        column: Some(located.column as usize),
        hint: diagnostic.hint.clone(),
        frame: Some(problem::CodeFrame {
            line_number: located.line as usize,
            text: located.source_line.clone(),
            column: (located.column - located.cut) as usize,
            width: located.width as usize,
        }),
    }
}

/// The operations that the data model of a page is used by.
fn uses_of(db: &dyn Db, page: PageId) -> &[Use] {
    let file = page
        .file()
        .filter(|file| bound_operation(db, *file).is_none());
    let node = file.and_then(|file| bound_schema(db, file)?.ok());
    node.map_or(&[][..], |node| model_uses(db, node))
}

/// Whether a reader can send the request of a page: the page says it, else the site.
fn is_interactive(db: &dyn Db, site: Site, matter: &FrontMatter) -> bool {
    match matter.playground.as_deref() {
        Some("interactive" | "auth") => true,
        Some("simple" | "none") => false,
        _ => match api_config(db, site).playground.display {
            PlaygroundDisplay::Interactive | PlaygroundDisplay::Auth => true,
            PlaygroundDisplay::Simple | PlaygroundDisplay::None => false,
        },
    }
}

fn article_view(
    db: &dyn Db,
    page: PageId,
    section: Option<Section<'_>>,
    matter: &FrontMatter,
    mode: Mode,
) -> Article {
    // What an operation says about itself is Markdown of any length, and stands below its method and path.
    let own = page
        .file()
        .map(|file| front_matter(db, file).value.description.clone());
    Article {
        title: Some(title_of(db, page)),
        description: own.flatten(),
        eyebrow: section
            .and_then(|section| group_of(section.nodes(db), page))
            .map(eyebrow::Eyebrow::Section),
        operation: None,
        deprecated: matter.deprecated == Some(true),
        tag: matter.tag.clone(),
        last_modified: None,
        mode,
    }
}

/// The label of the innermost group that lists `page`.
fn group_of(nodes: &[NavigationNode], page: PageId) -> Option<String> {
    nodes
        .iter()
        .filter(|node| node.kind == NodeKind::Group)
        .find_map(|group| {
            let is_mine = |node: &NavigationNode| node.target.page() == Some(page);
            let is_root = group.root.is_some_and(|root| PageId::File(root) == page);
            group_of(&group.children, page).or_else(|| {
                (is_root || group.children.iter().any(is_mine)).then(|| group.label.clone())
            })
        })
}

/// The links to the previous and the next page of the section.
fn pager_html(
    db: &dyn Db,
    page: PageId,
    section: Option<Section<'_>>,
    matter: &FrontMatter,
) -> String {
    if matter.hide_footer_pagination == Some(true) {
        return String::new();
    }
    let Some(section) = section else {
        return String::new();
    };
    let pages = section.pages(db);
    let Some(at) = pages.iter().position(|other| *other == page) else {
        return String::new();
    };
    let is_shown = |page: &&PageId| {
        let label = label_of(db, **page);
        label.hidden != Some(true) && label.url.is_none()
    };
    let link = |page: &PageId| PagerLink {
        label: label_of(db, *page).label.clone(),
        href: page_href(db, *page),
    };
    let previous = pages[..at].iter().rev().find(is_shown).map(link);
    let next = pages[at + 1..].iter().find(is_shown).map(link);
    pager::pager(previous.as_ref(), next.as_ref()).into_string()
}

/// The document around a page: what its head says.
fn page_document(
    db: &dyn Db,
    page: PageId,
    section: Option<Section<'_>>,
    mut document: Document,
    options: &PageOptions,
) -> Document {
    let matter = &*matter_of(db, page);
    let language = section.and_then(|section| {
        let step = section
            .breadcrumb(db)
            .iter()
            .find(|step| step.kind == NodeKind::Language)?;
        step.choices
            .get(step.chosen)
            .map(|choice| choice.label.clone())
    });
    if let Some(language) = language {
        document.dir = language::direction(&language);
        document.lang = language::tag(&language).to_owned();
    }
    document.title = title_of(db, page);
    let own = page
        .file()
        .and_then(|file| front_matter(db, file).value.description.clone());
    let given = reference_of(db, page).map(|reference| reference.summary.clone());
    let given = given.filter(|summary| !summary.is_empty());
    document.description = own.or(given).or(document.description);
    document.noindex = matter.noindex == Some(true) || matter.hidden == Some(true);
    let href = page_href(db, page);
    document.canonical = matter.canonical.clone().or_else(|| {
        options
            .base_url
            .as_ref()
            .map(|url| format!("{}{href}", url.trim_end_matches('/')))
    });
    let mut meta = Vec::new();
    let mut tag = |name: &str, content: &str| {
        if !meta
            .iter()
            .any(|(known, _): &(String, String)| known == name)
        {
            meta.push((name.to_owned(), content.to_owned()));
        }
    };
    for (name, content) in &matter.meta {
        tag(name, content);
    }
    if let Some(robots) = &matter.robots {
        tag("robots", robots);
    }
    let site = Site::get(db);
    let seo = seo_config(db, site);
    let path = match page {
        PageId::File(file) => file.path(db).to_string(),
        PageId::Generated(_) => route_of(db, page)
            .as_str()
            .trim_start_matches('/')
            .to_owned(),
    };
    let folders = seo
        .paths
        .iter()
        .filter(|entry| path.starts_with(entry.path.trim_matches('/')));
    if let Some(folder) = folders.max_by_key(|entry| entry.path.len()) {
        for (name, content) in &folder.metatags.0 {
            tag(name, &content.0);
        }
    }
    for (name, content) in &seo.metatags.0 {
        tag(name, &content.0);
    }
    tag("og:title", &document.title);
    tag("og:type", "article");
    tag("og:site_name", &document.site_name);
    if let Some(description) = &document.description {
        tag("og:description", description);
    }
    document.meta = meta;
    document
}

/// What surrounds every page: the head of the document, the footer, the banner.
///
/// Read by every page while it is composed, outside of any query. Wakes when the configuration changes; the navigation
/// and the content of pages must not wake it.
#[salsa::tracked]
pub fn site_frame(db: &dyn Db, site: Site) -> Frame {
    let theme = theme_config(db, site);
    let hex = |color: &crate::config::decode::Color| color.as_str().to_owned();
    let font = |font: &crate::config::appearance::Font| {
        font.family.clone().map(|family| Font {
            family,
            weight: font.weight.map(|weight| (weight.0 / 1000) as u16),
            source: font.source.as_deref().map(|source| site_href(db, source)),
            format: font.format.map(|format| match format {
                crate::config::appearance::FontFormat::Woff2 => "woff2".to_owned(),
                crate::config::appearance::FontFormat::Woff => "woff".to_owned(),
            }),
        })
    };
    let all = crate::config::appearance::Font {
        family: theme.fonts.family.clone(),
        weight: theme.fonts.weight,
        source: theme.fonts.source.clone(),
        format: theme.fonts.format,
    };
    let document = Document {
        lang: "en".to_owned(),
        description: theme.description.clone(),
        site_name: theme.name.clone(),
        css_url: site_href(db, &theme::asset_url("quire.css")),
        js_url: site_href(db, &theme::asset_url("quire.js")),
        favicon_light: theme
            .favicon
            .as_ref()
            .map(|favicon| site_href(db, &favicon.light)),
        favicon_dark: theme
            .favicon
            .as_ref()
            .map(|favicon| site_href(db, &favicon.dark)),
        accent: Accent {
            primary: hex(&theme.colors.primary),
            light: theme.colors.light.as_ref().map(hex),
            dark: theme.colors.dark.as_ref().map(hex),
        },
        background: Background {
            light: theme.background.color.light.as_ref().map(hex),
            dark: theme.background.color.dark.as_ref().map(hex),
        },
        code_grounds: theme.styling.codeblocks.theme.as_ref().map_or_else(
            CodeGrounds::default,
            |theme| CodeGrounds {
                light: CodeScheme::of_theme(&theme.light),
                dark: CodeScheme::of_theme(&theme.dark),
            },
        ),
        fonts: Fonts {
            heading: theme
                .fonts
                .heading
                .as_ref()
                .and_then(font)
                .or_else(|| font(&all)),
            body: theme
                .fonts
                .body
                .as_ref()
                .and_then(font)
                .or_else(|| font(&all)),
        },
        appearance_default: match theme.appearance.mode {
            AppearanceMode::System => document::Appearance::System,
            AppearanceMode::Light => document::Appearance::Light,
            AppearanceMode::Dark => document::Appearance::Dark,
        },
        appearance_strict: theme.appearance.strict,
        ..Document::default()
    };
    let pairs = |items: &[crate::config::chrome::FooterLink]| {
        items
            .iter()
            .map(|item| (item.label.clone(), site_href(db, &item.href)))
            .collect()
    };
    let footer = footer::Footer {
        site_name: theme.name.clone(),
        socials: theme.footer.socials.0.clone(),
        columns: theme
            .footer
            .links
            .iter()
            .map(|column| footer::FooterColumn {
                header: column.header.clone(),
                items: pairs(&column.items),
            })
            .collect(),
    };
    Frame {
        document,
        footer: footer::footer(&footer).into_string(),
        banner: banner_html(db, site),
    }
}

/// The header without anything that depends on the section: name, logo, links of the bar.
///
/// Read by the header of every section. Stands between them and the configuration: a color must not wake them.
#[salsa::tracked]
pub fn frame_header(db: &dyn Db, site: Site) -> Header {
    let theme = theme_config(db, site);
    let links = theme.navbar.links.iter().map(|link| HeaderLink {
        label: link.label.clone(),
        href: site_href(db, &link.href),
        icon: link.icon.as_ref().map(|icon| icon_name(db, icon)),
    });
    let home = theme
        .logo
        .as_ref()
        .and_then(|logo| logo.href.as_deref())
        .unwrap_or("/");
    Header {
        site_name: theme.name.clone(),
        home_href: site_href(db, home),
        logo_light: theme
            .logo
            .as_ref()
            .and_then(|logo| image_href(db, &logo.image.light)),
        logo_dark: theme
            .logo
            .as_ref()
            .and_then(|logo| image_href(db, &logo.image.dark)),
        search: true,
        search_prompt: search_config(db, site).prompt.clone(),
        links: links.collect(),
        primary: theme.navbar.primary.as_ref().map(|primary| HeaderLink {
            label: primary.label.clone().unwrap_or_else(|| match primary.kind {
                crate::config::chrome::NavbarType::Github => "GitHub".to_owned(),
                crate::config::chrome::NavbarType::Discord => "Discord".to_owned(),
                _ => "Get started".to_owned(),
            }),
            href: site_href(db, &primary.href),
            icon: None,
        }),
        theme_toggle: !theme.appearance.strict,
        ..Header::default()
    }
}

/// The banner; its content is basic MDX.
fn banner_html(db: &dyn Db, site: Site) -> String {
    let theme = theme_config(db, site);
    let Some(config) = &theme.banner else {
        return String::new();
    };
    let Some(path) = SitePath::new("docs.json") else {
        return String::new();
    };
    let icons = theme.icons.library.into();
    let content = prose::text_body(&path, &config.content, site.base_path(db), icons).html;
    let content = content
        .trim()
        .strip_prefix("<p>")
        .and_then(|rest| rest.strip_suffix("</p>"))
        .unwrap_or(&content);
    let view = banner::Banner {
        id: ContentHash::of(config.content.as_bytes()).short(),
        kind: match config.kind {
            BannerType::Info => banner::BannerKind::Info,
            BannerType::Warning => banner::BannerKind::Warning,
            BannerType::Critical => banner::BannerKind::Critical,
        },
        color: config
            .color
            .as_ref()
            .and_then(|color| color.light.as_ref())
            .map(|color| color.as_str().to_owned()),
        dismissible: config.dismissible,
    };
    banner::banner(&view, slot(content)).into_string()
}
