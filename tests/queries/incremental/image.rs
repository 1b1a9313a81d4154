//! A picture that a page shows changes: other pixels wake nobody, another size wakes the pages that show it.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum_edited_at};
use crate::support::TestSite;

const SPOON: &str = "images/spoon.png";

/// A museum one page of which shows the spoon.
fn museum_with_spoon() -> TestSite {
    let page = format!(
        "{TICKETS}\n<Frame>\n  ![A spoon](/images/spoon.png)\n</Frame>\n\n<img src=\"../images/spoon.png\" width=\"320\" />\n"
    );
    let mut site = museum_edited_at(EDITED, &page);
    site.add(SPOON, "640x480 pixels");
    site.outputs();
    site.take();
    site
}

#[test]
fn other_pixels_wake_nobody() {
    let mut site = museum_with_spoon();
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(SPOON, "640x480 other pixels"),
        expect![""],
    );
}

#[test]
fn another_size_wakes_the_pages_that_show_it() {
    let mut site = museum_with_spoon();
    let html = site.html(EDITED);
    assert!(html.contains("alt=\"A spoon\" width=\"640\" height=\"480\" decoding=\"async\">"));
    assert!(
        html.contains("width=\"320\" height=\"240\" loading=\"lazy\" decoding=\"async\" alt=\"\">")
    );
    check(
        &mut site,
        Ask::Pages,
        |site| site.set(SPOON, "640x960 pixels"),
        expect![[r#"
            has_feed ×1: guides/tickets.mdx
            image_size ×1: images/spoon.png
            page_body ×1: guides/tickets.mdx
        "#]],
    );
    assert!(site.html(EDITED).contains("width=\"320\" height=\"480\""));
}

/// The size goes with the picture, and comes back with it.
#[test]
fn a_picture_that_vanishes_has_no_size() {
    let mut site = museum_with_spoon();
    check(
        &mut site,
        Ask::Pages,
        |site| site.remove(SPOON),
        expect![[r#"
            bucket_assets ×1: bucket 38
            bucket_own_files ×1: bucket 38
            bucket_pages ×1: bucket 38
            has_feed ×1: guides/tickets.mdx
            image_size ×1: images/spoon.png
            page_body ×1: guides/tickets.mdx
            page_names ×1
            route_table ×1
        "#]],
    );
    assert!(!site.html(EDITED).contains("height=\"480\""));
    site.add(SPOON, "640x480 pixels");
    assert!(site.html(EDITED).contains("width=\"640\" height=\"480\""));
}

/// Another file of the bucket asks after the picture and leaves the pages alone.
#[test]
fn a_file_beside_it_wakes_no_page() {
    let mut site = museum_with_spoon();
    let bucket = |path: &str| queries::inputs::bucket_of(&base::path::SitePath::new(path).unwrap());
    let beside = (0..)
        .map(|n| format!("images/{n}.png"))
        .find(|path| bucket(path) == bucket(SPOON))
        .unwrap();
    check(
        &mut site,
        Ask::Pages,
        |site| site.add(&beside, "1x1"),
        expect![[r#"
            bucket_assets ×1: bucket 38
            bucket_own_files ×1: bucket 38
            bucket_pages ×1: bucket 38
            image_size ×1: images/spoon.png
            page_names ×1
            route_table ×1
        "#]],
    );
}
