//! A link of one page changes: its own link check runs, no other.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum_edited_at};

#[test]
fn another_link_is_checked_on_its_own_page_only() {
    let mut site = museum_edited_at(EDITED, TICKETS.trim_end());
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(EDITED, TICKETS.replace("/guides/visits", "/guides/vists")),
        expect![[r#"
            bucket_diagnostics ×1: bucket 25
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            link_diagnostics ×1: guides/tickets.mdx
            page_anchors ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_diagnostics ×1: guides/tickets.mdx
            page_facts ×1: guides/tickets.mdx
            page_links ×1: guides/tickets.mdx
        "#]],
    );
    assert!(site.outputs()["the report"].contains("did you mean `/guides/visits`?"));
}

/// The place of a broken link is found in the text, so words wake the check of a page with one.
#[test]
fn words_of_a_page_with_a_broken_link_wake_its_check() {
    let broken = TICKETS.replace("/guides/visits", "/guides/vists");
    let mut site = museum_edited_at(EDITED, &broken);
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(EDITED, broken.replace("a day", "two days")),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            link_diagnostics ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_facts ×1: guides/tickets.mdx
        "#]],
    );
}

/// A broken link of a snippet is shown where the snippet says it, so its words wake the checks of those that draw it.
#[test]
fn words_of_a_snippet_with_a_broken_link_wake_the_checks_of_its_pages() {
    const NOTE: &str = "snippets/note.mdx";
    let note = "Ask [at the desk](/no-desk).\n";
    let mut site = museum_edited_at(EDITED, TICKETS);
    site.add(NOTE, note);
    let import = "\n\nimport Note from '/snippets/note.mdx'\n\n<Note/>\n\nA ticket";
    site.set(EDITED, TICKETS.replacen("\n\nA ticket", import, 1));
    site.set(NOTE, note.replace("Ask", "Knock"));
    site.outputs();
    site.take();
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(NOTE, note.replace("Ask", "Ring")),
        expect![[r#"
            bucket_diagnostics ×1: bucket 25
            has_feed ×1: guides/tickets.mdx
            link_diagnostics ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_facts ×1: guides/tickets.mdx
            page_imports ×1: guides/tickets.mdx
        "#]],
    );
    assert!(site.outputs()["the report"].contains("snippets/note.mdx:1:"));
}
