//! Paths that are not of the site: naming one has links checked again, and nothing else; other tables wake nobody.

use queries::site::site_diagnostics;

use crate::support::{TestSite, differences};

const DOCS: &str = r##"{"theme": "mint", "name": "Museum", "colors": {"primary": "#00aa77"},
    "navigation": {"pages": ["index"]}, "redirects": [{"source": "/old", "destination": "/blog/old"}]}"##;

fn museum() -> TestSite {
    let site = TestSite::new(&[
        ("docs.json", DOCS),
        (
            "index.mdx",
            "---\ntitle: A\n---\n\n[A](/blog/a) [B](/blogs) ![C](/app/c.png)\n",
        ),
        ("app/d.png", ""),
        ("quire.toml", "[check]\nexternal = []\n"),
    ]);
    site.outputs();
    codes(&site);
    site.take();
    site
}

fn codes(site: &TestSite) -> Vec<&'static str> {
    let found = site_diagnostics(&site.db, site.site);
    found.iter().map(|found| found.code.name()).collect()
}

#[test]
fn links_to_paths_that_are_not_of_the_site_are_not_broken() {
    let mut site = museum();
    assert_eq!(
        codes(&site),
        [
            "broken-redirect",
            "broken-link",
            "broken-link",
            "missing-file"
        ]
    );
    site.set("quire.toml", "[check]\nexternal = [\"/blog\", \"/app\"]\n");
    assert_eq!(codes(&site), ["broken-link"]);
    let executed = site.take_keys();
    for query in [
        "page_body",
        "site_config",
        "navigation_tree",
        "page_diagnostics",
    ] {
        assert!(!executed.contains_key(query), "{query}");
    }
    assert_eq!(differences(&site.outputs(), &site.fresh().outputs()), "");
}

#[test]
fn other_tables_check_no_link_again() {
    let mut site = museum();
    site.set("quire.toml", "idle_minutes = 5\n[check]\nexternal = []\n");
    codes(&site);
    let executed = site.take_keys();
    assert!(executed.contains_key("external_paths"));
    for query in [
        "link_diagnostics",
        "redirect_diagnostics",
        "spec_link_diagnostics",
    ] {
        assert!(!executed.contains_key(query), "{query}");
    }
}
