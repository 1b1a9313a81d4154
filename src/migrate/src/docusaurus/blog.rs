//! The blog of Docusaurus, as pages in the order of their dates.

use std::sync::LazyLock;

use regex::Regex;

use crate::draft::{Draft, normal};
use crate::navigation::{Entry, Tab};
use crate::node::Place;
use crate::page::{Page, is_page};

/// Reads the posts in `folder`, which were at `base`; the newest is first.
pub(crate) fn tab(draft: &mut Draft<'_>, folder: &str, base: &str) -> Option<Tab> {
    let mut posts: Vec<(String, String)> = Vec::new();
    let all = draft.folder;
    for path in all.files(folder).filter(|path| is_page(path)) {
        let below = path.as_str()[folder.len()..].trim_start_matches('/');
        if below.split('/').any(|part| part.starts_with(['_', '.'])) {
            continue;
        }
        let page = Page::read(draft.folder, path);
        let name = draft.page_name(path);
        let (date, slug) = date_and_slug(below);
        let date = page.meta.text_of("date").map_or(date, str::to_owned);
        let slug = page.meta.text_of("slug").map_or(slug, str::to_owned);
        draft.moves(&normal(&format!("{base}/{slug}")), &name);
        posts.push((date, name));
        draft.add_page(page);
    }
    posts.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.cmp(y)));
    let (_, newest) = posts.first()?;
    draft.moves(base, newest);
    draft.report.add(
        &Place::of_file(folder),
        format!(
            "{} posts of the blog are pages, the newest first",
            posts.len()
        ),
        "authors, tags, archive and feed are not made; a page of `<Update>` has a feed",
    );
    let pages = posts
        .into_iter()
        .map(|(_, page)| Entry::Page { page, label: None });
    Some(Tab {
        label: "Blog".to_owned(),
        entries: pages.collect(),
    })
}

/// The date and the address of the post at `path`.
fn date_and_slug(path: &str) -> (String, String) {
    static DATED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let pattern = r"^((?:.*/)?)(\d{4})[-/](\d{1,2})[-/](\d{1,2})[-/]?(.*?)(?:/index)?\.mdx?$";
        Regex::new(pattern).ok()
    });
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let stem = stem.strip_suffix("/index").unwrap_or(stem);
    let Some(found) = DATED.as_ref().and_then(|dated| dated.captures(path)) else {
        return (String::new(), stem.to_owned());
    };
    let part = |i: usize| found.get(i).map_or("", |part| part.as_str());
    let (year, month, day) = (part(2), part(3), part(4));
    let date = format!("{year}-{month:0>2}-{day:0>2}");
    (
        date,
        format!("{}{year}/{month:0>2}/{day:0>2}/{}", part(1), part(5)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posts_have_dates_in_their_names() {
        for (path, date, slug) in [
            (
                "2021-08-26-welcome/index.md",
                "2021-08-26",
                "2021/08/26/welcome",
            ),
            ("2019-05-28-first.md", "2019-05-28", "2019/05/28/first"),
            ("2020/1/2/a.mdx", "2020-01-02", "2020/01/02/a"),
            ("plain.md", "", "plain"),
        ] {
            assert_eq!(
                date_and_slug(path),
                (date.to_owned(), slug.to_owned()),
                "{path}"
            );
        }
    }
}
