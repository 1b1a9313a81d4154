//! Documents of small sites.

use expect_test::{Expect, expect};

use super::{documents, shown};
use crate::support::TestSite;

#[track_caller]
fn check(files: &[(&str, &str)], expected: Expect) {
    let site = TestSite::new(files);
    let text: String = (documents(&site).iter())
        .map(|(_, document)| shown(document))
        .collect();
    expected.assert_eq(&text);
}

fn config(navigation: &str) -> String {
    format!(
        r##"{{"theme": "mint", "name": "Museum", "colors": {{"primary": "#00aa77"}}, "variables": {{"hours": "nine to five"}}, {navigation}}}"##
    )
}

#[test]
fn a_page_is_found_as_it_is_drawn() {
    let docs = config(r#""navigation": {"pages": ["tickets"]}"#);
    check(
        &[
            ("docs.json", &docs),
            ("snippets/fee.mdx", "The fee is **{props.amount}** euros.\n"),
            (
                "tickets.mdx",
                "---\ntitle: Tickets\ndescription: How to get in.\nkeywords: [entry, admission]\nboost: 2\ntag: NEW\n---\n\
                 import Fee from '/snippets/fee.mdx'\n\nOpen {{hours}}.\n\n# Tickets\n\nBuy one.\n\n## Prices\n\n<Fee amount={12} />\n\n\
                 ```js buy.js\nbuy(1 < 2)\n```\n\n### For groups\n\n![A group](/a.png)\n\n<Tabs><Tab title=\"Old\">Half.</Tab><Tab title=\"Young\">Free.</Tab></Tabs>\n",
            ),
        ],
        expect![[r#"
            /tickets "Tickets"
              description How to get in.
              keywords entry, admission
              tags NEW
              boost 2000
              # 
                Open nine to five.
                Buy one.
              #prices Prices
                The fee is 12 euros.
                | buy.js
                | buy(1 < 2)
              #for-groups Prices > For groups
                A group
                Old
                Half.
                Young
                Free.
        "#]],
    );
}
