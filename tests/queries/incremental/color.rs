//! A color in `docs.json` changes: the configuration is read and projected again, and the frame around the pages.
//! The navigation, headers, sidebars and bodies stay asleep.

use expect_test::{Expect, expect};

use super::{Ask, DOCS, check, museum_edited_at, warm_museum};
use crate::support::TestSite;

#[track_caller]
fn check_color(mut site: TestSite, expected: Expect) {
    check(
        &mut site,
        Ask::Everything,
        |site| site.set("docs.json", DOCS.replace("#00aa77", "#7700aa")),
        expected,
    );
    assert!(site.html("index.mdx").contains("#7700aa"));
}

/// The first edit is no other than the next: the configuration keeps its durability, so nothing that rests on it is
/// demoted.
#[test]
fn first() {
    check_color(
        warm_museum(),
        expect![[r#"
            api_config ×1
            content_config ×1
            frame_header ×1
            icon_set ×1
            navigation_config ×1
            redirects ×1
            search_config ×1
            seo_config ×1
            site_config ×1
            site_frame ×1
            skill_name ×1
            theme_config ×1
        "#]],
    );
}

#[test]
fn then() {
    let edited = DOCS.replace("#00aa77", "#aa0077");
    check_color(
        museum_edited_at("docs.json", &edited),
        expect![[r#"
            api_config ×1
            content_config ×1
            frame_header ×1
            icon_set ×1
            navigation_config ×1
            redirects ×1
            search_config ×1
            seo_config ×1
            site_config ×1
            site_frame ×1
            skill_name ×1
            theme_config ×1
        "#]],
    );
}
