//! Pages for programs: one as Markdown.

use queries::base::path::Route;
use queries::site::{
    Db, Output, Site, nearest_pages, page_markdown, readable_page, resolve, route_table,
};
use serde_json::{Map, Value, json};

use super::arguments::Arguments;
use super::tools::{MAX_NAME, MAX_OFFSET};
use super::{Failure, Outcome, SiteTools, part};

/// Number of similar pages suggested for an unknown one.
const MAX_SUGGESTIONS: usize = 5;
/// Maximum number of redirects of the site followed to a page.
const REDIRECTS: usize = 4;

/// A page that a program may read.
pub(super) struct ReadablePage {
    pub(super) page: queries::site::PageId,
    pub(super) route: Route,
    pub(super) title: String,
    pub(super) description: Option<String>,
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
                    description: facets.description.clone(),
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

/// `get_page`.
pub(super) fn page(tools: &SiteTools, arguments: &Arguments<'_>) -> Result<Outcome, Failure> {
    let path = path_of(arguments.required("path", MAX_NAME)?);
    let offset = arguments.number("offset", 0..=MAX_OFFSET, 0)?;
    let (found, text) = tools.read(|db, site| {
        let found = page_at(db, site, &path).ok_or_else(|| not_found(db, site, &path))?;
        let text = page_markdown(db, found.page).clone();
        Ok((found, text))
    })??;
    let (piece, next) = part(&text, offset);
    if piece.is_empty() {
        let length = text.chars().count();
        return Err(Failure::Wrong(format!(
            "the page has {length} characters; `offset` must be less"
        )));
    }
    let mut value = Map::new();
    value.insert("title".to_owned(), json!(found.title));
    value.insert("url".to_owned(), json!(found.route.href()));
    if let Some(description) = &found.description {
        value.insert("description".to_owned(), json!(description));
    }
    value.insert("markdown".to_owned(), json!(piece));
    let mut text = piece.to_owned();
    if let Some(next) = next {
        value.insert("next_offset".to_owned(), json!(next));
        text.push_str(&format!(
            "\n(The page goes on: call `get_page` with `offset` {next}.)\n"
        ));
    }
    Ok(Outcome {
        text,
        value: Value::Object(value),
    })
}

#[cfg(test)]
mod tests {
    use super::path_of;

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
