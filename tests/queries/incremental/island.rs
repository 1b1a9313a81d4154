//! A component with state changes, or words of a page that uses it: it is compiled once, and not for words.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum};
use crate::support::TestSite;

const FOLD: &str = "snippets/fold.jsx";

fn component(words: &str) -> String {
    format!(
        "export const Fold = ({{ children }}) => {{\n  const [open, setOpen] = useState(false)\n  \
         return <div><button onClick={{() => setOpen(!open)}}>{words}</button>{{open && children}}</div>\n}}\n"
    )
}

/// Tickets and visits use a component with state; its first edit has been made.
fn folding_museum() -> TestSite {
    let mut site = museum();
    site.add(FOLD, component("Open"));
    let uses = "import { Fold } from '/snippets/fold.jsx'\n\n<Fold>\nInside of it.\n</Fold>\n";
    site.set(
        EDITED,
        TICKETS.replacen("\n\nA ticket", &format!("\n\n{uses}\nA ticket"), 1),
    );
    site.set("guides/visits.mdx", format!("# Visits\n\n{uses}"));
    site.outputs();
    site.set(FOLD, component("Unfold"));
    site.outputs();
    site.take();
    site
}

#[test]
fn a_component_is_compiled_once_for_all_its_pages() {
    let mut site = folding_museum();
    check(
        &mut site,
        Ask::Pages,
        |site| site.set(FOLD, component("Open it")),
        expect![[r#"
            file_script ×1: snippets/fold.jsx
            has_feed ×2: guides/tickets.mdx, guides/visits.mdx
            page_body ×2: guides/tickets.mdx, guides/visits.mdx
            page_imports ×2: guides/tickets.mdx, guides/visits.mdx
            page_islands ×2: guides/tickets.mdx, guides/visits.mdx
            page_uses ×2: guides/tickets.mdx, guides/visits.mdx
        "#]],
    );
    for path in [EDITED, "guides/visits.mdx"] {
        assert!(site.html(path).contains("Open it</button>"), "{path}");
    }
}

#[test]
fn words_compile_no_component() {
    let mut site = folding_museum();
    check(
        &mut site,
        Ask::Pages,
        |site| {
            let text = site.text("guides/visits.mdx");
            site.set(
                "guides/visits.mdx",
                text.replace("# Visits", "# Visits\n\nOf all kinds."),
            );
        },
        expect![[r#"
            file_script ×1: guides/visits.mdx
            front_matter ×1: guides/visits.mdx
            has_feed ×1: guides/visits.mdx
            page_body ×1: guides/visits.mdx
            page_imports ×1: guides/visits.mdx
            page_uses ×1: guides/visits.mdx
        "#]],
    );
    assert!(site.html("guides/visits.mdx").contains("Of all kinds."));
}

#[test]
fn a_component_that_is_no_script_costs_its_own_uses_alone() {
    let mut site = folding_museum();
    site.set(
        FOLD,
        format!("{}const a = 1; const a = 2\n", component("Open")),
    );
    let html = site.html(EDITED);
    assert!(!html.contains("data-islands") && html.contains("Inside of it."));
    site.set(FOLD, component("Open"));
    assert!(site.html(EDITED).contains("data-islands"));
}
