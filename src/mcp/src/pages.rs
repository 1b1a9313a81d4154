//! Pages for programs: one as Markdown.

use queries::base::path::Route;
use queries::site::{
    Db, Output, PageBlocks, PassageBlocks, Site, answer_blocks, markdown, nearest_pages,
    page_markdown, readable_page, resolve, route_table,
};

use super::arguments::Arguments;
use super::tools::{MAX_NAME, MAX_OFFSET};
use super::{Failure, SiteTools, part};

/// Number of similar pages suggested for an unknown one.
const MAX_SUGGESTIONS: usize = 5;
/// Maximum number of redirects of the site followed to a page.
const REDIRECTS: usize = 4;

/// A page that a program may read.
pub(super) struct ReadablePage {
    pub(super) page: queries::site::PageId,
    pub(super) route: Route,
    pub(super) title: String,
}

/// The path of a page on the site that `address` names: a path, with or without a slash before it, or
/// an absolute URL.
pub(super) fn path_of(address: &str) -> String {
    let path = match address.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => address,
    };
    let end = path.find(['#', '?']).unwrap_or(path.len());
    let path = percent_encoding::percent_decode_str(&path[..end]).decode_utf8_lossy();
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".md").unwrap_or(path);
    let path = path.strip_suffix(".mdx").unwrap_or(path);
    format!("/{path}")
}

/// The page at `path`, redirects followed, if it is found by search.
pub(super) fn page_at(db: &dyn Db, site: Site, path: &str) -> Option<ReadablePage> {
    let routes = route_table(db, site);
    let mut path = path.to_owned();
    for _ in 0..REDIRECTS {
        match resolve(&**routes, &path)? {
            Output::Page(page, route) => {
                let facets = readable_page(db, page)?;
                return Some(ReadablePage {
                    page,
                    route,
                    title: facets.title.clone(),
                });
            }
            Output::Moved { to, .. } if to.starts_with('/') => path = path_of(&to),
            _ => return None,
        }
    }
    None
}

/// Error for a missing page at `path`, with similar ones.
pub(super) fn not_found(db: &dyn Db, site: Site, path: &str) -> Failure {
    let near = nearest_pages(db, site, path, MAX_SUGGESTIONS);
    let near: Vec<String> = near
        .iter()
        .map(|page| format!("`{}` ({})", page.route.href(), page.title))
        .collect();
    Failure::Wrong(match near.is_empty() {
        true => format!("there is no page at `{path}`; use `search` to find one"),
        false => format!(
            "there is no page at `{path}`; the nearest are {}. Use `search` to find others",
            near.join(", ")
        ),
    })
}

/// The anchor in `address`, if it has one.
fn anchor_of(address: &str) -> Option<String> {
    let (_, anchor) = address.split_once('#')?;
    let anchor = percent_encoding::percent_decode_str(anchor).decode_utf8_lossy();
    (!anchor.is_empty()).then(|| anchor.into_owned())
}

/// The section of `page` that begins at `anchor`, with those below it; `None` if nothing has that anchor.
/// Cut from `text`, which is the page as programs read it, if it has the heading there.
fn section(text: &str, page: &PageBlocks, anchor: &str) -> Option<String> {
    let of_anchor = |part: &PassageBlocks| part.passage.anchor.as_deref() == Some(anchor);
    let at = page.passages.iter().position(of_anchor)?;
    let heading = page.passages[at].passage.headings.last();
    let is_same = |part: &&PassageBlocks| {
        part.passage.anchor.is_some() && part.passage.headings.last() == heading
    };
    let before = page.passages[..at].iter().filter(is_same).count();
    if let Some(cut) = heading.and_then(|heading| cut(text, heading, before)) {
        return Some(format!("{}\n", cut.trim_end()));
    }
    let above = page.passages[at].passage.headings.len();
    let own = &page.passages[at].passage.headings;
    let rest = page.passages[at + 1..].iter();
    let below = rest.take_while(|part| {
        let headings = &part.passage.headings;
        headings.len() > above && headings.starts_with(own)
    });
    let mut text = String::new();
    for part in std::iter::once(&page.passages[at]).chain(below) {
        let level = part.passage.headings.len() + 1;
        let heading = part.passage.headings.last().map_or("", String::as_str);
        text.push_str(&format!("{} {heading}\n\n", "#".repeat(level.min(6))));
        let body = markdown(&part.blocks);
        if !body.is_empty() {
            text.push_str(&format!("{}\n\n", body.trim_end()));
        }
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    Some(text)
}

/// The part of `text` that begins at a heading with the words `heading`, after so many others with the same,
/// and ends before the next one that is not below it.
fn cut<'a>(text: &'a str, heading: &str, mut before: usize) -> Option<&'a str> {
    let heading = letters(heading);
    let mut fence: Option<&str> = None;
    let mut begin: Option<(usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let here = at;
        at += line.len();
        let line = line.trim();
        let marks = line.len() - line.trim_start_matches(['`', '~']).len();
        if let Some(open) = fence {
            if marks >= open.len() && line.starts_with(open) && marks == line.len() {
                fence = None;
            }
            continue;
        }
        if marks >= 3 {
            fence = Some(&line[..marks]);
            continue;
        }
        let level = line.len() - line.trim_start_matches('#').len();
        let Some(words) = line[level..]
            .strip_prefix(' ')
            .filter(|_| (1..=6).contains(&level))
        else {
            continue;
        };
        match begin {
            Some((from, own)) if level <= own => return Some(&text[from..here]),
            Some(_) => {}
            None if letters(words) != heading => {}
            None if before > 0 => before -= 1,
            None => begin = Some((here, level)),
        }
    }
    begin.map(|(from, _)| &text[from..])
}

/// The letters and digits of a line of Markdown without the addresses of its links.
fn letters(line: &str) -> String {
    let mut pieces = line.split("](");
    let first = pieces.next().unwrap_or_default();
    let rest = pieces.map(|piece| piece.split_once(')').map_or(piece, |(_, after)| after));
    let text = std::iter::once(first).chain(rest).flat_map(str::chars);
    text.filter(|c| c.is_alphanumeric()).collect()
}

/// `get_page`.
pub(super) fn page(tools: &SiteTools, arguments: &Arguments<'_>) -> Result<String, Failure> {
    let address = arguments.required("path", MAX_NAME)?;
    let (path, anchor) = (path_of(address), anchor_of(address));
    let offset = arguments.number("offset", 0..=MAX_OFFSET, 0)?;
    let (found, text, has_section) = tools.read(|db, site| {
        let found = page_at(db, site, &path).ok_or_else(|| not_found(db, site, &path))?;
        let text = page_markdown(db, found.page).clone();
        let section = anchor.as_deref().and_then(|anchor| {
            let blocks = answer_blocks(db, found.page)?;
            section(&text, &blocks, anchor)
        });
        let has_section = section.is_some();
        let text = section.map_or(text, Into::into);
        Ok((found, text, has_section))
    })??;
    let (piece, next) = part(&text, offset);
    if piece.is_empty() {
        let length = text.chars().count();
        return Err(Failure::Wrong(format!(
            "the page has {length} characters; `offset` must be less"
        )));
    }
    let mut text = piece.to_owned();
    if has_section {
        let (title, href) = (&found.title, found.route.href());
        text = format!("From [{title}]({href}):\n\n{text}");
    } else if let (Some(anchor), 0) = (&anchor, offset) {
        text = format!("(No section has the anchor `{anchor}`; this is the whole page.)\n\n{text}");
    }
    if let Some(next) = next {
        text.push_str(&format!(
            "\n(The page goes on: call `get_page` with `offset` {next}.)\n"
        ));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::{cut, path_of};

    #[test]
    fn a_section_ends_where_the_next_begins() {
        let text = "# Tea\n\n## Use [`brew`](/a) now\n\nA.\n\n```bash\n# Steep\n## Steep\n```\n\n### Deep\n\nB.\n\n## Steep\n\nC.\n\n## Steep\n\nD.\n";
        let end = text.find("## Steep\n\nC").unwrap();
        assert_eq!(cut(text, "Use brew now", 0), Some(&text[7..end]));
        assert_eq!(cut(text, "Deep", 0), Some("### Deep\n\nB.\n\n"));
        assert_eq!(cut(text, "Steep", 0), Some("## Steep\n\nC.\n\n"));
        assert_eq!(cut(text, "Steep", 1), Some("## Steep\n\nD.\n"));
        assert_eq!(cut(text, "Steep", 2), None);
    }

    #[test]
    fn a_page_is_named_by_path_or_address() {
        for given in [
            "guides/a",
            "/guides/a",
            "/guides/a/",
            "/guides/a.md",
            "guides/a.mdx",
            "/guides/a#b",
            "/guides/a?c=d#e",
            "https://docs.example.org/guides/a",
            "http://localhost:3000/guides/a.md#b",
            "/guides/%61",
        ] {
            assert_eq!(path_of(given), "/guides/a", "{given}");
        }
        assert_eq!(path_of("https://docs.example.org"), "/");
        assert_eq!(path_of(""), "/");
    }
}
