//! Settings: each that is decoded either changes what the site shows or says that it does not.

use crate::support::TestSite;

/// What is drawn of a star inside of `before` and `after`.
#[track_caller]
fn star(html: &str, before: &str) -> String {
    let (_, rest) = html
        .split_once(before)
        .unwrap_or_else(|| panic!("{before}: {html}"));
    let (_, svg) = rest.split_once("<svg").expect("an icon");
    svg.split("</svg>").next().expect("its end").to_owned()
}

#[test]
fn texts_that_stand_by_themselves_use_the_icons_of_the_site() {
    let spec = r##"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/a": {"get": {
        "summary": "A", "x-docs": {"content": "Mark1 <Icon icon=\"star\" /> text"}, "responses": {}}}}}"##;
    let page = "---\ntitle: Start\n---\n\nMark2 <Icon icon=\"star\" /> text\n\n<Frame caption='Mark4 <Icon icon=\"star\" /> text'>![x](/x.png)</Frame>\n";
    let mut drawn = Vec::new();
    for library in ["fontawesome", "lucide", "tabler"] {
        let docs = format!(
            r##"{{"theme": "mint", "name": "A", "colors": {{"primary": "#0a7"}}, "icons": {{"library": "{library}"}},
            "banner": {{"content": "Mark3 <Icon icon=\"star\" /> text"}},
            "navigation": {{"groups": [{{"group": "G", "pages": ["start"]}}, {{"group": "API", "openapi": "api.json"}}]}}}}"##
        );
        let site = TestSite::new(&[
            ("docs.json", &*docs),
            ("start.mdx", page),
            ("api.json", spec),
        ]);
        let outputs = site.outputs();
        let (start, operation) = (&outputs["/start"], &outputs["/api-reference/a"]);
        let of_page = star(start, "Mark2");
        assert_eq!(star(start, "Mark3"), of_page, "the banner with {library}");
        assert_eq!(star(start, "Mark4"), of_page, "a caption with {library}");
        assert_eq!(
            star(operation, "Mark1"),
            of_page,
            "x-docs.content with {library}"
        );
        drawn.push(of_page);
    }
    drawn.dedup();
    assert_eq!(drawn.len(), 3, "each library has its own star");
}
