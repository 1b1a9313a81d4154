//! What dollar signs mean is asked by the pages that have one: no other is drawn again when it changes.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum_edited_at};

#[test]
fn dollars_become_formulas_where_they_are() {
    let mut site = museum_edited_at(EDITED, &format!("{TICKETS}\nIt costs $5, or $one two$.\n"));
    let docs = site.text("docs.json");
    let with_formulas = docs.replacen('{', "{ \"styling\": { \"latex\": true },", 1);
    assert_ne!(docs, with_formulas);
    check(
        &mut site,
        Ask::Pages,
        |site| site.set("docs.json", with_formulas),
        expect![[r#"
            content_config ×1
            formula_signs ×1
            frame_header ×1
            has_feed ×1: guides/tickets.mdx
            icon_set ×1
            navigation_config ×1
            page_body ×1: guides/tickets.mdx
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
