//! An element of one page gets another utility class: the rules go with its body, and no other page has them.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum_edited_at};

fn with_class(classes: &str) -> String {
    format!("{TICKETS}\n<div className=\"{classes}\">Ask at the desk.</div>\n")
}

#[test]
fn the_rules_of_a_page_go_with_its_body() {
    let mut site = museum_edited_at(EDITED, &with_class("flex"));
    check(
        &mut site,
        Ask::Pages,
        |site| site.set(EDITED, with_class("flex dark:hidden")),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
        "#]],
    );
    let style = "<style data-live=\"styles\">.flex{display:flex}.dark .dark\\:hidden{display:none}";
    assert!(site.html(EDITED).contains(style));
    assert!(
        !site
            .html("guides/visits.mdx")
            .contains("data-live=\"styles\"")
    );
}

/// A class reaches a page through a component that the page imports, and leaves it with the component's next version.
#[test]
fn the_rules_follow_a_component() {
    let mut site = museum_edited_at(
        EDITED,
        &format!("import {{ Box }} from '/snippets/box.jsx'\n{TICKETS}\n<Box/>\n"),
    );
    site.add(
        "snippets/box.jsx",
        "export const Box = () => <div className={`p-4 ${true ? 'md:p-8' : ''}`}>x</div>",
    );
    assert!(
        site.html(EDITED)
            .contains(".p-4{padding:1rem}@media (width >= 48rem){.md\\:p-8{padding:2rem}}")
    );
    site.set(
        "snippets/box.jsx",
        "export const Box = () => <div className=\"p-2\">x</div>",
    );
    assert!(
        site.html(EDITED)
            .contains("<style data-live=\"styles\">.p-2{padding:0.5rem}</style>")
    );
}

#[test]
fn a_component_has_the_classes_of_its_author() {
    let page = format!("{TICKETS}\n<Icon icon=\"check\" className=\"w-6 mine\" />\n");
    let html = museum_edited_at(EDITED, &page).html(EDITED);
    assert!(html.contains("<svg class=\"w-6 mine icon"), "{html}");
    assert!(html.contains(".w-6{width:1.5rem}"), "{html}");
}

#[test]
fn an_icon_has_its_size_and_color_and_no_more_style() {
    let icon = "<Icon icon=\"check\" size=\"24\" color=\"red;position:fixed\" style={{ marginLeft: 4 }} />";
    let html = museum_edited_at(EDITED, &format!("{TICKETS}\n{icon}\n")).html(EDITED);
    let drawn = "<svg style=\"font-size:24px;margin-left:4px\" class=\"icon";
    assert!(html.contains(drawn), "{html}");
}
