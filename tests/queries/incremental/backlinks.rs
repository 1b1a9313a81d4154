//! Backlinks: what names a page is known after every edit, and words of pages look for nothing.

use base::path::{Route, SitePath};
use queries::backlinks::{LinkedPlace, importers_of, links_to};

use crate::support::{TestSite, differences};

fn site() -> TestSite {
    let site = TestSite::new(&[
        (
            "docs.json",
            r##"{"theme": "mint", "name": "Museum", "colors": {"primary": "#00aa77"},
            "navigation": {"pages": ["index", "a/one", "a/two"]}}"##,
        ),
        (
            "index.mdx",
            "---\ntitle: A\n---\nimport Part from '/snippets/part.mdx'\n\n[one](/a/one#part) <Part />\n",
        ),
        (
            "a/one.mdx",
            "---\ntitle: B\n---\n\n## Part\n\n[here](#part)\n",
        ),
        ("a/two.mdx", "---\ntitle: C\n---\n\n[one](./one.md)\n"),
        ("snippets/part.mdx", "[one](/a/one)\n"),
    ]);
    site.outputs();
    site
}

/// What links to a place, as `file: address`.
fn links(site: &TestSite, route: &str, anchor: Option<&str>) -> Vec<String> {
    let place = LinkedPlace {
        route: Route::new(route).unwrap(),
        anchor: anchor.map(str::to_owned),
    };
    let found = links_to(&site.db, site.site, &place).into_iter();
    found
        .map(|(file, link)| format!("{}: {}", file.path(&site.db), link.href))
        .collect()
}

#[test]
fn what_names_a_page_is_known_after_every_edit() {
    let mut site = site();
    let all = [
        "a/one.mdx: #part",
        "a/two.mdx: ./one.md",
        "index.mdx: /a/one#part",
        "snippets/part.mdx: /a/one",
    ];
    assert_eq!(links(&site, "/a/one", None), all);
    assert_eq!(
        links(&site, "/a/one", Some("part")),
        ["a/one.mdx: #part", "index.mdx: /a/one#part"]
    );
    let part = SitePath::new("snippets/part.mdx").unwrap();
    let importers = importers_of(&site.db, site.site, &part);
    let importer = (
        SitePath::new("index.mdx").unwrap(),
        "/snippets/part.mdx".to_owned(),
    );
    assert_eq!(importers.into_iter().collect::<Vec<_>>(), [importer]);
    site.set("a/two.mdx", "---\ntitle: C\n---\n\nNo link.\n");
    assert_eq!(links(&site, "/a/one", None), [all[0], all[2], all[3]]);
    site.set("snippets/part.mdx", "No link.\n");
    assert_eq!(links(&site, "/a/one", None), [all[0], all[2]]);
    let fresh = site.fresh();
    assert_eq!(links(&fresh, "/a/one", None), links(&site, "/a/one", None));
    assert_eq!(differences(&site.outputs(), &fresh.outputs()), "");
}

#[test]
fn words_of_pages_look_for_no_backlinks() {
    let mut site = site();
    // The first edit of a file is a promotion, which wakes its readers.
    let text = site.text("a/two.mdx");
    site.set("a/two.mdx", format!("{text}\n"));
    links(&site, "/a/one", None);
    site.take();
    site.set("a/two.mdx", format!("{text}\nOther words.\n"));
    links(&site, "/a/one", None);
    let executed = site.take_keys();
    assert_eq!(executed.get("page_body").map(Vec::len), Some(1));
    assert!(!executed.contains_key("bucket_backlinks"), "{executed:?}");
    site.set("a/two.mdx", format!("{text}\n[two](/a/two)\n"));
    links(&site, "/a/one", None);
    let executed = site.take_keys();
    assert_eq!(executed.get("bucket_backlinks").map(Vec::len), Some(1));
}
