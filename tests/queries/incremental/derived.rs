//! A folder without `docs.json`: its configuration follows from which files there are, and from the title of the first page.

use expect_test::expect;

use super::{Ask, check};
use crate::support::TestSite;

fn folder() -> TestSite {
    let mut site = TestSite::new(&[
        ("README.md", "# Museum\n\nWords.\n"),
        ("guides/tickets.md", "# Tickets\n\nWords.\n"),
        (
            "api.yaml",
            "openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths: {/a: {get: {summary: B}}}\n",
        ),
    ]);
    site.outputs();
    // Pages that were edited before.
    site.set("README.md", "# Museum\n\nOther words.\n");
    site.set("guides/tickets.md", "# Tickets\n\nOther words.\n");
    site.outputs();
    site.take();
    site
}

#[test]
fn words_of_a_page_do_not_wake_the_configuration() {
    check(
        &mut folder(),
        Ask::Everything,
        |site| site.set("guides/tickets.md", "# Tickets\n\nNew words.\n"),
        expect![[r#"
            front_matter ×1: guides/tickets.md
            page_body ×1: guides/tickets.md
            page_facts ×1: guides/tickets.md
        "#]],
    );
}

#[test]
fn words_of_the_first_page_leave_the_configuration_as_it_was() {
    check(
        &mut folder(),
        Ask::Everything,
        |site| site.set("README.md", "# Museum\n\nNew words.\n"),
        expect![[r#"
            derived_config ×1
            front_matter ×1: README.md
            page_body ×1: README.md
            page_facts ×1: README.md
        "#]],
    );
}

#[test]
fn the_title_of_the_first_page_is_the_name_of_the_site() {
    check(
        &mut folder(),
        Ask::Everything,
        |site| site.set("README.md", "# Gallery\n\nOther words.\n"),
        expect![[r#"
            api_config ×1
            derived_config ×1
            front_matter ×1: README.md
            icon_set ×1
            navigation_config ×1
            page_body ×1: README.md
            page_diagnostics ×1: README.md
            page_facts ×1: README.md
            page_links ×1: README.md
            redirects ×1
            reference_pages ×1
            route_table ×1
            seo_config ×1
            site_config ×1
            skill_name ×1
            spec_rules ×1
            theme_config ×1
        "#]],
    );
}

#[test]
fn titles_of_names_leave_out_numbers_until_there_is_a_configuration() {
    let mut site = folder();
    site.add("guides/01-intro.md", "Words.\n");
    site.outputs();
    site.take();
    let title = |site: &TestSite| {
        let path = base::path::SitePath::new("guides/01-intro.md").unwrap();
        let file = queries::site::file_named(&site.db, &path).unwrap();
        queries::page::page_title(&site.db, file).to_owned()
    };
    assert_eq!(title(&site), "Intro");
    site.take();
    // The title rests on whether there is a configuration, not on what it holds.
    site.set("README.md", "# Workshop\n\nOther words.\n");
    assert_eq!(title(&site), "Intro");
    let ran = site.take();
    assert!(
        ran.contains("is_ordered_by_names") && !ran.contains("page_title"),
        "{ran}"
    );
    site.add(
        "docs.json",
        r##"{"theme": "mint", "name": "A", "colors": {"primary": "#123456"}, "navigation": {"pages": ["guides/01-intro"]}}"##,
    );
    assert_eq!(title(&site), "01 intro");
}
