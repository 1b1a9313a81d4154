//! A stylesheet or a script of the site's own changes, appears or vanishes: every page has another address in its head,
//! and nothing of any page is drawn again.

use expect_test::expect;

use super::{Ask, EDITED, check, museum};
use crate::support::TestSite;

fn styled_museum() -> TestSite {
    let mut site = museum();
    site.add("style.css", "p { color: red }");
    site.add("a/widget.js", "console.log(1)");
    site.add("a/module.js", "export const A = () => <p>x</p>");
    site.add("snippets/box.js", "var a");
    site.outputs();
    site.take();
    site
}

/// The addresses of the site's own files in the head of a page, in order.
fn own(site: &TestSite) -> Vec<String> {
    let html = site.html(EDITED);
    let parts = html.split('"');
    let own = parts.filter(|part| part.contains("?v="));
    own.map(|part| part.split("?v=").next().unwrap().to_owned())
        .collect()
}

#[test]
fn every_page_includes_them_in_the_order_of_their_paths() {
    let mut site = styled_museum();
    assert_eq!(own(&site), ["/style.css", "/a/widget.js"]);
    site.add("a/b.css", "");
    assert_eq!(own(&site), ["/a/b.css", "/style.css", "/a/widget.js"]);
    site.remove("style.css");
    assert_eq!(own(&site), ["/a/b.css", "/a/widget.js"]);
}

#[test]
fn a_change_wakes_the_file_and_their_list() {
    let mut site = styled_museum();
    let before = site.html(EDITED);
    check(
        &mut site,
        Ask::Everything,
        |site| site.set("style.css", "p { color: blue }"),
        expect![[r#"
            own_files ×1
            own_style ×1: style.css
        "#]],
    );
    assert_ne!(site.html(EDITED), before);
}

#[test]
fn a_script_that_becomes_a_module_is_included_no_more() {
    let mut site = styled_museum();
    site.set("a/widget.js", "export const B = 1");
    assert_eq!(own(&site), ["/style.css"]);
}
