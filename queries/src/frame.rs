//! The page around a body: header, sidebar, document, and the composition of them all.
//!
//! Header and sidebar are memoized once for each section, the body once for each page; a page is their concatenation,
//! which is cheap and not kept, so that a new title renders nothing else.

mod address;
mod ask;
mod card;
mod content;
mod foot;
mod islands;
mod menu;
mod metadata;
mod own;
mod rows;
mod search;
mod section;
mod source;
mod vendors;

pub use card::{card_path, has_card};
pub use content::{PageContent, page_content};
pub use foot::RepositoryLinks;
pub use menu::{ARCHIVE, twin_path, used_specs};
pub use own::{
    OwnFiles, OwnStyle, bucket_own_files, is_own_file, own_file_query, own_files, own_style,
    stray_asset_diagnostics,
};
pub use rows::{linked_rows, rows_html, rows_within};
pub use section::{
    SIDEBARS, SectionHeader, section_header, section_sidebar, sidebar_script, sidebar_scripts,
};
pub use source::{page_source, surroundings};
pub use vendors::{content_policy, is_counted};

use address::{icon_name, image_href, site_href};
use ask::add_ask;
use foot::page_foot;
use islands::with_islands;
use menu::page_menu;
use metadata::add_metadata;
use search::search_view;
use section::{header_for, script_of};
use vendors::{add_vendors, has_vendors};

use crate::binding::{binding_diagnostics, bound_operation};
use crate::body::{Reference, documented_spec, manual_reference, page_body, reference_of};
use crate::config::{search_config, theme_config};
use crate::db::Db;
use crate::head::{PageHead, language_of, page_head, page_href};
use crate::inputs::{Site, SourceFile, Spec};
use crate::mock::mock_segments;
use crate::navigation::{PageId, Section, generated_pages, sections};
use crate::page::{front_matter, page_list, title_of};
use base::content::ContentHash;
use base::diagnostic::{Diagnostic, Severity};
use base::path::{Route, SitePath};
use base::place::Located;
use config::appearance::{Eyebrows, Mode as AppearanceMode};
use config::chrome::{BannerType, NavbarType};
use theme::article::{self, Article, Mode};
use theme::ask::with_button;
use theme::assets::asset_url;
use theme::code_scheme::CodeScheme;
use theme::document::{self, Document, PreviewInfo};
use theme::eyebrow::Eyebrow;
use theme::header::{Header, HeaderLink, LiveCount};
use theme::hooks::without_taken;
use theme::html::slot;
use theme::page_menu::page_menu_list;
use theme::pager::{self};
use theme::prose::{self, OutlineEntry};
use theme::reference::Display;
use theme::search::SearchSource;
use theme::sidebar::{self, Sidebar};
use theme::site_style::{Accent, Background, CodeGrounds, Font, Fonts};
use theme::toc::{self, TocEntry};
use theme::typeface;
use theme::words::{self, Word};
use theme::{assets, banner, footer, language, layout, not_found, problem, reference};

/// Path of the relay for requests of readers.
const RELAY: &str = "/_quire/relay";

/// Frame of every page of a site: derived from the configuration alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    document: Document,
    footer: String,
    banner: String,
}

/// Options of page composition, the same for all pages of a run.
#[derive(Clone, Debug, Default)]
pub struct PageOptions {
    /// The token of the preview; without one the page is as visitors get it.
    pub preview_token: Option<String>,
    /// The address of the site, such as `https://docs.example.org`, for canonical links.
    pub base_url: Option<String>,
    /// Source of the search dialog; without one it is empty.
    pub search: Option<SearchSource>,
    /// Path of the assistant, `/api/sites/<id>/assistant`; without one pages have no panel.
    pub assistant: Option<String>,
    /// The path below which the specifications are mocked, such as `/_quire/mock`; without one they are not.
    pub mock: Option<String>,
    /// The path of the MCP server of the site, such as `/mcp`; without one there is none.
    pub mcp: Option<String>,
    /// Whether pages have preview images (`og:image`).
    pub cards: bool,
    /// Web addresses of the sources of pages.
    pub repository: Option<RepositoryLinks>,
    /// Whether third-party services of the configuration (such as analytics) are loaded: on
    /// published sites, not in `quire dev`.
    pub vendors: bool,
    /// Whether the author of the site is untrusted: scripts of the site do not run.
    pub is_untrusted: bool,
    /// Path that pages report views and searches to, `/_quire/analytics`; without one nothing is
    /// counted.
    pub counts: Option<String>,
}

/// A whole page.
#[derive(Clone, Debug)]
pub struct PageHtml {
    /// The HTML.
    pub html: String,
    /// The digest of the page without what the preview adds.
    pub digest: ContentHash,
    /// The Content-Security-Policy that a server sends with it.
    pub policy: Option<String>,
    /// Whether page views are counted.
    pub is_counted: bool,
    /// Whether something of it is left out, which [`whole_page_html`] has.
    pub has_whole: bool,
}

/// Composes a page from its body, its section's header and sidebar, and the frame. Not memoized: it is a concatenation
/// of what is, and keeping it would double the memory of a site.
///
/// A large page is light: what is folded deep in it is at [`whole_page_html`].
pub fn page_html(db: &dyn Db, site: Site, page: PageId, options: &PageOptions) -> PageHtml {
    composed(db, site, page, options, false).0
}

/// Prefix of the paths of whole pages, below the base path: the route follows, and a slash at the
/// end.
pub const WHOLE: &str = "/_whole";

/// Composes the page with all that [`page_html`] leaves out; none if that leaves out nothing.
pub fn whole_page_html(
    db: &dyn Db,
    site: Site,
    page: PageId,
    options: &PageOptions,
) -> Option<PageHtml> {
    let (html, is_large) = composed(db, site, page, options, true);
    is_large.then_some(html)
}

/// A page, whole or light, and whether there is a difference.
fn composed(
    db: &dyn Db,
    site: Site,
    page: PageId,
    options: &PageOptions,
    is_whole: bool,
) -> (PageHtml, bool) {
    let frame = site_frame(db, site);
    let head = page_head(db, page);
    let body = page.file().map(|file| page_body(db, file));
    let reference = reference_of(db, page);
    let mut document = page_document(head, reference, frame.document.clone());
    add_metadata(db, page, head, &mut document, options);
    add_vendors(db, site, Some(page), &mut document, options);
    if let Some(address) = &options.assistant {
        add_ask(db, &mut document, address);
    }
    let header = header_of(db, site, head.section, Some(page), &document);
    let sidebar = head.section.map(|section| section_sidebar(db, section));
    let sidebar = sidebar.filter(|_| head.mode.has_sidebar());
    let address = head
        .section
        .and_then(|section| script_of(db, site, section));
    let shown = shown_sidebar(
        sidebar,
        address.as_deref(),
        Some(&head.href),
        &header.drawer,
    );
    let entries = toc_entries(head, body, reference);
    let has_toc = head.mode.has_toc() && !entries.is_empty();
    let menu = page_menu(db, site, head, has_toc, options);
    let (toc, toc_inline) = match has_toc {
        true => (
            toc::toc(&entries, &page_menu_list(&menu)),
            toc::toc_inline(&entries),
        ),
        false => Default::default(),
    };
    let mut content = page.file().map_or_else(String::new, |file| {
        front_matter_problems(db, file, options.preview_token.is_some())
    });
    if head.is_assistant && document.ask.is_some() {
        content.insert_str(0, theme::ask::PAGE);
    }
    let opener = (reference.filter(|given| can_send(head, given)))
        .map(|given| (given, opener(db, page, &document.lang, options)));
    // Without a server there is only the mock.
    let opener = opener
        .filter(|(given, opener)| given.has_server || opener.mock.is_some())
        .map(|(_, opener)| opener);
    content.push_str(&whole_content(head, body, reference, opener.as_ref()));
    if let (Some(file), Some(body)) = (page.file(), body)
        && !body.islands.is_empty()
    {
        content = with_islands(
            db,
            (file, &head.route),
            &content,
            body,
            options.is_untrusted,
        );
    }
    let base_path = site.base_path(db).as_str();
    let mut left_out = None;
    if let (Some(given), Some(spec)) = (reference, documented_spec(db, page)) {
        content = rows::localized(content, base_path, &document.lang);
        left_out = rows::shared_digest(db, spec, given);
    }
    let whole = format!("{base_path}{WHOLE}{}/", head.route.href());
    let colors = site_href(db, &asset_url("playground.js"));
    let light = reference.and_then(|_| reference::light(&content, &whole, &colors));
    let is_large = light.as_ref().is_some_and(|light| light.has_whole);
    // Of what is left out, an edit is one of the page.
    if light.is_some() {
        let shared = left_out.unwrap_or(ContentHash::of(b""));
        left_out = Some(ContentHash::of_parts([
            content.as_bytes(),
            shared.as_bytes(),
        ]));
    }
    match light {
        Some(_) if is_whole => document.noindex = true,
        Some(light) => content = light.content,
        None => {}
    }
    let eyebrows = theme_config(db, site).styling.eyebrows;
    let article = Article {
        menu,
        foot: page_foot(db, site, page, head, options),
        ..article_view(head, eyebrows)
    };
    let article = article::article(&article, &toc_inline, slot(&content)).into_string();
    // What a script takes out of the whole page has no table of its own.
    let article = match reference.is_some() && !is_whole {
        true => reference::shortened(article),
        false => article,
    };
    let pager = pager::pager(head.previous.as_ref(), head.next.as_ref());
    let parts = layout::Parts {
        banner: &frame.banner,
        header: &header.bar,
        sidebar: &shown,
        article: &article,
        pager: &pager.into_string(),
        footer: &frame.footer,
        toc: &toc.into_string(),
        ..layout::Parts::default()
    };
    document.search = (options.search.clone()).map(|source| search_view(db, head.section, source));
    for styles in [
        body.map(|body| &body.styles),
        reference.map(|given| &given.styles),
    ] {
        document.styles.push_str(styles.map_or("", String::as_str));
    }
    add_own_files(&mut document, own_files(db, site));
    let route = head.route.as_str();
    let digests = [sidebar.map(|sidebar| sidebar.digest), left_out];
    let mut page = finish(
        document,
        head.mode,
        parts,
        &header.drawer,
        route,
        digests,
        options,
    );
    page.html = without_taken(page.html, &content);
    page.has_whole = is_large;
    (page, is_large)
}

/// The header of a page, with the button of the assistant where `document` has one.
fn header_of(
    db: &dyn Db,
    site: Site,
    section: Option<Section<'_>>,
    page: Option<PageId>,
    document: &Document,
) -> SectionHeader {
    let mut header = match section {
        Some(section) => header_for(db, section, page),
        None => SectionHeader::of(frame_header(db, site)),
    };
    header.bar = with_button(&header.bar, document.ask.is_some());
    header
}

/// The sidebar as the page at `href` holds it: with an address, its branch and what knows the rest.
fn shown_sidebar<'a>(
    sidebar: Option<&'a Sidebar>,
    address: Option<&'a str>,
    href: Option<&str>,
    drawer: &'a str,
) -> Vec<&'a str> {
    match (sidebar, address) {
        (Some(sidebar), Some(address)) => sidebar::sidebar_part(sidebar, href, address, drawer),
        (Some(sidebar), None) => sidebar::sidebar_for(sidebar, href, drawer),
        (None, _) => sidebar::bare(drawer),
    }
}

/// The headings that the page lists: of its text, of what it shows of an operation or a data model, of its uses.
fn toc_entries(
    head: &PageHead<'_>,
    body: Option<&prose::Body>,
    reference: Option<&Reference>,
) -> Vec<TocEntry> {
    let own = body.map_or(&[][..], |body| &body.outline);
    let given = reference.map_or(&[][..], |given| &given.outline);
    let is_shown = |entry: &&OutlineEntry| {
        head.display != Display::None || entry.id != reference::AUTHORIZATIONS
    };
    let given = given.iter().filter(is_shown);
    let uses = (!head.uses.is_empty()).then(|| TocEntry {
        id: reference::USED_BY.to_owned(),
        level: 2,
        title: Word::UsedBy.marker().to_owned(),
    });
    let headings = own.iter().chain(given).filter(|entry| entry.level <= 4);
    headings.map(toc_entry).chain(uses).collect()
}

/// The text of the page, around what it shows of an operation or a data model.
fn whole_content(
    head: &PageHead<'_>,
    body: Option<&prose::Body>,
    reference: Option<&Reference>,
    opener: Option<&reference::Opener>,
) -> String {
    let Some(given) = reference else {
        return body.map(prose::Body::whole).unwrap_or_default();
    };
    let mut own = format!("{}{}", given.content, body.map_or("", |body| &body.html));
    if head.is_expanded {
        own = reference::opened(&own);
    }
    let (mut side, mut examples) = (given.side.clone(), given.examples.clone());
    if let Some(body) = body {
        reference::take_own(&mut side, &mut examples, &body.asides);
    }
    side.push_str(&examples);
    let bar = reference::bar(&given.bar, opener).into_string();
    let head_html = format!("{bar}{}", given.head);
    let mut main = match head.display {
        // Nothing is sent, so nothing has to be proven.
        Display::None => given.main.clone(),
        _ => format!("{}{}", given.security, given.main),
    };
    if !head.uses.is_empty() {
        main.push_str(&reference::uses(&head.uses).into_string());
    }
    let mut content = reference::whole(&head_html, &side, &own, &main).into_string();
    if opener.is_some() {
        content.push_str(&given.island);
    }
    content
}

/// Returns true if a reader can send the request of a page: it may be sent, and there is somewhere
/// to send it.
fn can_send(head: &PageHead<'_>, reference: &Reference) -> bool {
    head.display == Display::Interactive && !reference.island.is_empty()
}

/// Source of the form that sends a request, loaded when a reader opens it. A server that answers
/// searches relays requests too; a static host does neither.
fn opener(db: &dyn Db, page: PageId, lang: &str, options: &PageOptions) -> reference::Opener {
    let words = words::file_of("form-words", lang);
    reference::Opener {
        script: site_href(db, &asset_url("playground.js")),
        styles: site_href(db, &asset_url("playground.css")),
        words: words.map(|name| site_href(db, &asset_url(&name))),
        relay: is_served(options).then(|| RELAY.to_owned()),
        mock: options.mock.as_ref().and_then(|mock| {
            let path = spec_of(db, page)?.name(db);
            Some(format!("{mock}/{}", mock_segments(path.as_str())))
        }),
    }
}

/// Returns true if a server answers the pages, not a static host.
fn is_served(options: &PageOptions) -> bool {
    matches!(options.search, Some(SearchSource::Service(_)))
}

/// The specification whose operation a page is about.
fn spec_of(db: &dyn Db, page: PageId) -> Option<Spec> {
    let operation = match page {
        PageId::File(file) => bound_operation(db, file)?,
        PageId::Generated(page) => page.operation(db),
    };
    Some(operation.spec(db))
}

/// Puts the document around the parts, and takes the digest before the preview is added.
fn finish(
    mut document: Document,
    mode: Mode,
    parts: layout::Parts<'_>,
    drawer: &str,
    route: &str,
    digests: [Option<ContentHash>; 2],
    options: &PageOptions,
) -> PageHtml {
    document.path = format!("/{}", route.trim_matches('/'));
    let open = document::open(&document);
    // The sidebar is most of many pages; its digest and the route tell what it shows. So does that of what is left out.
    let texts = [
        &open,
        mode.name(),
        route,
        parts.banner,
        parts.header,
        drawer,
        parts.article,
        parts.pager,
        parts.footer,
        parts.toc,
    ];
    let digests = (digests.iter()).map(|it| it.as_ref().map_or(&[][..], |it| &it.as_bytes()[..]));
    let digest = ContentHash::of_parts(texts.map(str::as_bytes).into_iter().chain(digests));
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
        policy: document.policy.filter(|_| document.is_policy_sent),
        is_counted: document.counts.is_some(),
        has_whole: false,
        html: words::fill(&layout::page(mode, &parts), &document.lang),
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
        // A folder of files has one page for whatever is not there.
        route: Some(route.to_owned()).filter(|route| !route.is_empty()),
        suggestions: suggestions(db, site, route),
        home_href: site_href(db, "/"),
    };
    let article = not_found::not_found(&view).into_string();
    let section = section_near(db, site, route);
    let mut document = frame.document.clone();
    set_language(
        &mut document,
        section
            .and_then(|section| language_of(db, section))
            .as_deref(),
    );
    add_vendors(db, site, None, &mut document, options);
    if let Some(address) = &options.assistant {
        add_ask(db, &mut document, address);
    }
    let header = header_of(db, site, section, None, &document);
    let sidebar = section.map(|section| section_sidebar(db, section));
    let address = section.and_then(|section| script_of(db, site, section));
    let shown = shown_sidebar(sidebar, address.as_deref(), None, &header.drawer);
    let parts = layout::Parts {
        banner: &frame.banner,
        header: &header.bar,
        sidebar: &shown,
        article: &article,
        footer: &frame.footer,
        ..layout::Parts::default()
    };
    Word::PageNotFound.marker().clone_into(&mut document.title);
    document.noindex = true;
    document.search = (options.search.clone()).map(|source| search_view(db, section, source));
    add_own_files(&mut document, own_files(db, site));
    let digests = [sidebar.map(|sidebar| sidebar.digest), None];
    finish(
        document,
        Mode::Wide,
        parts,
        &header.drawer,
        route,
        digests,
        options,
    )
    .html
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

/// Problems of the frontmatter, in place of its title and description; warnings too, for authors
/// who look at a preview.
fn front_matter_problems(db: &dyn Db, file: SourceFile, is_preview: bool) -> String {
    let parsed = front_matter(db, file);
    let manual = match parsed.value.api.is_some() && bound_operation(db, file).is_none() {
        true => &manual_reference(db, file).diagnostics[..],
        false => &[],
    };
    let bound = binding_diagnostics(db, file);
    let bound = manual
        .iter()
        .chain(&bound)
        .filter(|diagnostic| is_preview || diagnostic.severity() == Severity::Error);
    let errors = parsed
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity() == Severity::Error);
    errors
        .chain(bound)
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
        severity: match diagnostic.severity() {
            Severity::Error => problem::ProblemSeverity::Error,
            Severity::Warning | Severity::Info => problem::ProblemSeverity::Warning,
        },
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

fn article_view(head: &PageHead<'_>, eyebrows: Eyebrows) -> Article {
    Article {
        title: Some(head.title.clone()),
        description: head.description.clone(),
        lead: head.lead.clone(),
        eyebrow: match eyebrows {
            Eyebrows::Section => head.group.clone().map(Eyebrow::Section),
            Eyebrows::Breadcrumbs if head.trail.is_empty() => None,
            Eyebrows::Breadcrumbs => Some(Eyebrow::Breadcrumbs(head.trail.clone())),
        },
        operation: None,
        deprecated: head.is_deprecated,
        tag: head.tag.clone(),
        version: head.version.clone(),
        mode: head.mode,
        ..Article::default()
    }
}

/// The section beside which an address without a page is spoken of: one of the language that stands in it, else the first.
fn section_near<'db>(db: &'db dyn Db, site: Site, route: &str) -> Option<Section<'db>> {
    let all = sections(db, site);
    let is_in = |language: &str| {
        route
            .split('/')
            .any(|segment| segment.eq_ignore_ascii_case(language))
    };
    let near =
        |section: &&Section<'db>| language_of(db, **section).is_some_and(|label| is_in(&label));
    all.iter().find(near).or(all.first()).copied()
}

fn set_language(document: &mut Document, language: Option<&str>) {
    if let Some(language) = language {
        document.dir = language::direction(language);
        document.lang = language::tag(language).to_owned();
    }
}

/// The document around a page: what its head says.
fn page_document(
    head: &PageHead<'_>,
    reference: Option<&Reference>,
    mut document: Document,
) -> Document {
    set_language(&mut document, head.language.as_deref());
    document.title.clone_from(&head.title);
    let summary = reference.map(|given| &given.summary);
    let given = summary.filter(|summary| !summary.is_empty());
    let own = head.description.as_ref().or(given).cloned();
    document.description = own.or(document.description);
    document.noindex = head.is_unindexed;
    document
}

/// Returns true if a page of the site can request `asset`: one theme, the typefaces in use, the
/// words of its languages.
pub fn is_asset_used(db: &dyn Db, site: Site, asset: &assets::Asset) -> bool {
    let document = &site_frame(db, site).document;
    if asset.name == "vendors.js" {
        return has_vendors(db, site);
    }
    if asset.is_words() {
        // Those of the assistant are in no export.
        let mut languages = sections(db, site)
            .iter()
            .filter_map(|section| language_of(db, *section));
        return languages
            .any(|tag| words::file_of("form-words", &tag).as_deref() == Some(asset.name));
    }
    match asset.theme() {
        Some(name) => name == document.theme,
        None => !asset.is_typeface() || typeface::is_used(&document.fonts, asset.name),
    }
}

/// Frame of every page: head of the document, footer, banner.
///
/// Read by every page while it is composed, outside of any query. Wakes when the configuration changes; the navigation
/// and the content of pages must not wake it.
#[salsa::tracked]
pub fn site_frame(db: &dyn Db, site: Site) -> Frame {
    let theme = theme_config(db, site);
    let hex = |color: &config::decode::Color| color.as_str().to_owned();
    let font = |font: &config::appearance::Font| {
        font.family.clone().map(|family| Font {
            family,
            weight: font.weight.map(|weight| (weight.0 / 1000) as u16),
            source: font.source.as_deref().map(|source| site_href(db, source)),
            format: font.format.map(|format| match format {
                config::appearance::FontFormat::Woff2 => "woff2".to_owned(),
                config::appearance::FontFormat::Woff => "woff".to_owned(),
            }),
        })
    };
    let all = config::appearance::Font {
        family: theme.fonts.family.clone(),
        weight: theme.fonts.weight,
        source: theme.fonts.source.clone(),
        format: theme.fonts.format,
    };
    let fonts = Fonts {
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
    };
    let document = Document {
        lang: "en".to_owned(),
        description: theme.description.clone(),
        site_name: theme.name.clone(),
        css_url: site_href(db, &assets::asset_url("quire.css")),
        js_url: site_href(db, &assets::asset_url("quire.js")),
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
        theme: theme.theme.word(),
        theme_css_url: assets::theme_css(theme.theme.word())
            .map(|name| site_href(db, &assets::asset_url(name))),
        has_drilldown: theme.interaction.drilldown == Some(true),
        background: Background {
            decoration: theme
                .background
                .decoration
                .map(config::appearance::Decoration::word),
            image: (theme.background.image.as_ref())
                .map(|image| [&image.light, &image.dark].map(|path| site_href(db, path))),
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
        faces: typeface::faces(&fonts, |name| site_href(db, &assets::asset_url(name))),
        first_face: typeface::first(&fonts).map(|name| site_href(db, &assets::asset_url(name))),
        fonts,
        appearance_default: match theme.appearance.mode {
            AppearanceMode::System => document::Appearance::System,
            AppearanceMode::Light => document::Appearance::Light,
            AppearanceMode::Dark => document::Appearance::Dark,
        },
        appearance_strict: theme.appearance.strict,
        ..Document::default()
    };
    let pairs = |items: &[config::chrome::FooterLink]| {
        items
            .iter()
            .map(|item| (item.label.clone(), site_href(db, &item.href)))
            .collect()
    };
    let footer = footer::Footer {
        site_name: theme.name.clone(),
        socials: (theme.footer.socials.0.iter())
            .map(|(network, href)| (network.clone(), href.0.clone()))
            .collect(),
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
    let links = theme.navbar.links.iter().map(|link| {
        let own = link.icon.as_ref().map(|icon| icon_name(db, icon));
        HeaderLink {
            label: link.label.clone(),
            icon: own.or_else(|| mark(link.kind)),
            ..bar_link(db, link.kind, &link.href)
        }
    });
    let home = theme
        .logo
        .as_ref()
        .and_then(|logo| logo.href.as_ref().map(|href| href.as_str()))
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
            label: (primary.label.clone())
                .filter(|label| !label.trim().is_empty())
                .unwrap_or_else(|| match primary.kind {
                    NavbarType::Github => "GitHub".to_owned(),
                    NavbarType::Discord => "Discord".to_owned(),
                    _ => "Get started".to_owned(),
                }),
            icon: mark(primary.kind),
            is_plain: primary.kind == NavbarType::Link,
            ..bar_link(db, primary.kind, &primary.href)
        }),
        theme_toggle: !theme.appearance.strict,
        ..Header::default()
    }
}

/// A link of the bar to `href`, with the number that one of its kind shows.
fn bar_link(db: &dyn Db, kind: NavbarType, href: &str) -> HeaderLink {
    HeaderLink {
        href: site_href(db, href),
        count: match kind {
            NavbarType::Github => LiveCount::stars(href),
            NavbarType::Discord => LiveCount::online(href),
            NavbarType::Link | NavbarType::Button => None,
        },
        ..HeaderLink::default()
    }
}

/// The icon of a link that names none.
fn mark(kind: NavbarType) -> Option<String> {
    let name = match kind {
        NavbarType::Github => "github",
        NavbarType::Discord => "discord",
        NavbarType::Link | NavbarType::Button => return None,
    };
    Some(format!("fontawesome/brands:{name}"))
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
    let icons = crate::config::library(theme.icons.library);
    let content = prose::text_body(
        &path,
        &config.content,
        site.base_path(db),
        icons,
        prose::By::Author,
    )
    .html;
    let content = content
        .trim()
        .strip_prefix("<p>")
        .and_then(|rest| rest.strip_suffix("</p>"))
        .unwrap_or(&content);
    let colors = config.color.as_ref();
    let light = colors.and_then(|colors| colors.light.as_ref());
    let dark = colors.and_then(|colors| colors.dark.as_ref());
    let view = banner::Banner {
        id: ContentHash::of(config.content.as_bytes()).short(),
        kind: match config.kind {
            BannerType::Info => banner::BannerKind::Info,
            BannerType::Warning => banner::BannerKind::Warning,
            BannerType::Critical => banner::BannerKind::Critical,
        },
        light: light.map(|color| color.as_str().to_owned()),
        dark: dark.map(|color| color.as_str().to_owned()),
        dismissible: config.dismissible,
    };
    banner::banner(&view, slot(content)).into_string()
}
