//! Rows of a schema: properties, choices between branches, conditions, what is shown elsewhere.

use std::borrow::Cow;

use maud::{Markup, html};

use super::{SharedLink, Writer};
use crate::components::tabs::tab_list;
use crate::icon::icon;
use crate::words::{self, Word};
use mdx::plain::Headings;
use openapi::endpoint::{Block, Chooser, Contents, Elsewhere, Root, Row, Shared, View, Why};
use openapi::shared::ROWS;

impl Writer<'_> {
    /// Renders the schema of a body: what it is, unless the rows say it, and what is in it.
    pub(super) fn root(&mut self, root: &Root) -> Markup {
        let view = &root.view;
        let label = view.label.plain();
        // That a body is an object its rows say.
        let has_label = !label.is_empty() && (label != "object" || view.contents.is_empty());
        html! {
            div.schema-root {
                @if has_label { p.schema-type { (self.label(&view.label)) } }
                (self.details(view))
                @if let Some(note) = &root.note { p.schema-note { (note) } }
                (self.contents(&view.contents))
            }
        }
    }

    /// Renders rows as a list.
    pub(super) fn rows(&mut self, rows: &[Row]) -> Markup {
        html! {
            @if !rows.is_empty() {
                ul.rows { @for row in rows { (self.row(row)) } }
            }
        }
    }

    fn row(&mut self, row: &Row) -> Markup {
        self.anchors.push(row.anchor.clone());
        html! {
            li.row id=(row.anchor) {
                (self.row_head(row))
                (self.text(&row.description, Headings::Flat))
                (self.details(&row.view))
                @if let Some(shared) = &row.view.contents.shared { (self.shared(row, shared)) }
                @else { (self.nested(&row.view.contents)) }
            }
        }
    }

    /// Renders what is in a row, folded; nothing if there is nothing to open.
    fn nested(&mut self, contents: &Contents) -> Markup {
        if contents.is_empty() {
            return html! {};
        }
        if contents.rows.is_empty()
            && contents.choosers.is_empty()
            && contents.blocks.is_empty()
            && let Some(elsewhere) = &contents.elsewhere
        {
            return self.placeholder(elsewhere);
        }
        let choosers = contents.choosers.first();
        let branches = choosers.map_or(0, |chooser| chooser.branches.len());
        let title = fold_title(contents.rows.len(), branches);
        let inner = self.contents(contents);
        fold(&title, self.context.is_expanded, &inner)
    }

    /// Renders a fold for what is on a page of its own: a link leads there, and a script puts it in
    /// place when it is opened.
    fn shared(&mut self, row: &Row, shared: &Shared) -> Markup {
        self.shared.push(SharedLink {
            anchor: row.anchor.clone(),
            pointer: shared.pointer.clone(),
            direction: shared.direction,
        });
        let inner = html! {
            p.elsewhere { a data-rows=(ROWS) href=(shared.href) { (Word::ShowAll) } }
        };
        // Opened at once, components in each other would have no end.
        fold(&fold_title(shared.rows, shared.branches), false, &inner)
    }

    /// Renders what is in a component, below the id that a script replaces by that of the row it
    /// puts it in.
    pub(super) fn shared_rows(&mut self, root: &Root) -> Markup {
        self.anchors.push(ROWS.to_owned());
        html! {
            div.shared-rows id=(ROWS) {
                @if let Some(note) = &root.note { p.schema-note { (note) } }
                (self.contents(&root.view.contents))
            }
        }
    }

    fn contents(&mut self, contents: &Contents) -> Markup {
        html! {
            (self.rows(&contents.rows))
            @for chooser in &contents.choosers { (self.chooser(chooser)) }
            @for block in &contents.blocks { (self.block(block)) }
            @if let Some(elsewhere) = &contents.elsewhere { (self.placeholder(elsewhere)) }
        }
    }

    /// Renders the branches of a union as tabs; without JavaScript they are consecutive sections.
    fn chooser(&mut self, chooser: &Chooser) -> Markup {
        let labels: Vec<Cow<'_, str>> = (chooser.branches.iter())
            .map(|branch| words::numbered(&branch.label))
            .collect();
        let titles: Vec<(&str, Markup)> = labels.iter().map(|label| (&**label, html! {})).collect();
        html! {
            div.chooser data-tabs {
                p.chooser-words {
                    span { (words::spoken(&chooser.words)) }
                    @if let Some(property) = &chooser.property { ", " (Word::ChosenBy.around(&html! { code { (property) } })) }
                }
                (tab_list(&titles, 0))
                @for (i, branch) in chooser.branches.iter().enumerate() {
                    (self.anchor(&branch.anchor))
                    section.tab-panel id=(branch.anchor) data-tab=(labels[i]) data-active[i == 0] {
                        p.tab-title { (labels[i]) }
                        (self.text(&branch.description, Headings::Flat))
                        @let label = branch.view.label.plain();
                        @if label != "object" && !label.eq_ignore_ascii_case(&branch.label) && !label.is_empty() {
                            p.schema-type { (self.label(&branch.view.label)) }
                        }
                        (self.details(&branch.view))
                        (self.contents(&branch.view.contents))
                    }
                }
            }
        }
    }

    fn block(&mut self, block: &Block) -> Markup {
        let View { contents, .. } = &block.view;
        html! {
            div.condition {
                p.condition-title { (self.phrase(&block.title)) }
                (self.details(&block.view))
                (self.contents(contents))
            }
        }
    }

    fn placeholder(&mut self, reference: &Elsewhere) -> Markup {
        let why = match reference.why {
            Why::Recursive => Word::Recursive,
            Why::Deeper => Word::Deeper,
            Why::Repeated => Word::ShownBefore,
            Why::Full => Word::NotShown,
        };
        let name = reference.name.as_deref();
        html! {
            p.elsewhere {
                (why)
                @match (&reference.href, name) {
                    (Some(href), Some(name)) if reference.is_source => { " – " (name) " – " a href=(href) { (Word::InSpecification) } }
                    (Some(href), None) if reference.is_source => { " – " a href=(href) { (Word::InSpecification) } }
                    (Some(href), name) => {
                        " – " (Word::SeeAt) " "
                        a href=(href) { @match name { Some(name) => (name), None => (Word::ThisSchema) } }
                    }
                    (None, Some(name)) => { " – " (name) }
                    (None, None) => {}
                }
            }
        }
    }

    /// Notes an id; renders nothing.
    pub(super) fn anchor(&mut self, id: &str) -> Markup {
        self.anchors.push(id.to_owned());
        html! {}
    }
}

/// Summary of the content of a fold.
fn fold_title(rows: usize, branches: usize) -> Markup {
    match (rows, branches) {
        (0, 0) => html! { (Word::Details) },
        (0, branches) => html! { (Word::Options.of(branches.to_string())) },
        (1, _) => html! { (Word::OneProperty) },
        (n, _) => html! { (Word::ManyProperties.of(n.to_string())) },
    }
}

fn fold(title: &Markup, is_open: bool, inner: &Markup) -> Markup {
    html! {
        details.expandable.row-children open[is_open] {
            summary {
                span.chevron { (icon("chevron-right").unwrap_or_default()) }
                span.expandable-closed { (Word::Show.around(title)) }
                span.expandable-open { (Word::Hide.around(title)) }
            }
            div.expandable-body { (inner) }
        }
    }
}
