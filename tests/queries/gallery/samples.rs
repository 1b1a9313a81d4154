//! The body of the gallery: one of everything.

use maud::{Markup, PreEscaped, html};

use highlight::TokenKind;
use theme::components::accordion::{Accordion, accordion, accordion_group};
use theme::components::badge::{Badge, badge};
use theme::components::callout::{Callout, CalloutKind, callout};
use theme::components::card::{Card, card, columns};
use theme::components::code_block::{CodeBlock, CodeLine, LineMark, code_block};
use theme::components::code_group::code_group;
use theme::components::expandable::expandable;
use theme::components::fields::{Field, field};
use theme::components::frame::{Frame, frame};
use theme::components::prose::{Heading, footnote_reference, footnotes, heading, table, task_item};
use theme::components::steps::{Step, step, steps};
use theme::components::tabs::{Tab, Tabs, tabs};
use theme::components::tile::{Tile, tile};
use theme::components::tooltip::{Tooltip, tooltip};
use theme::components::update::{Update, update};
use theme::problem::{CodeFrame, Problem, problem};

fn some<'a, T: From<&'a str>>(text: &'a str) -> Option<T> {
    Some(text.into())
}

pub(super) fn body() -> Markup {
    html! {
        (text_part())
        (h2("callouts", "Callouts"))
        @for (kind, title) in [
            (CalloutKind::Note, None),
            (CalloutKind::Tip, Some("A tip with a title")),
            (CalloutKind::Info, None),
            (CalloutKind::Warning, None),
            (CalloutKind::Check, None),
            (CalloutKind::Danger, None),
        ] {
            (callout(
                &Callout { kind, title: title.map(Into::into), ..Callout::default() },
                PreEscaped("<p>Tickets for <code>today</code> cannot be <a href=\"#\">cancelled</a>, only moved to another day of the same week.</p>"),
            ))
        }
        (h2("cards", "Cards"))
        (cards_part())
        (h2("steps", "Steps, tabs and code"))
        (code_part())
        (h2("fields", "Fields of an API"))
        (fields_part())
        (h2("changes", "Changelog"))
        @for (label, text) in [("November 2026", "Visits can be moved."), ("October 2026", "Webhooks are signed.")] {
            (update(
                &Update { label: label.into(), description: some("Version 2.4"), tags: vec!["API".into()], aliases: Vec::new(), feed: [None, None], id: label.replace(' ', "-") },
                PreEscaped(&format!("<h3>{text}</h3><p>One request in place of a refund and a new purchase. The price stays what it was on the day of purchase.</p>")),
            ))
        }
        (h2("problems", "Problems"))
        (problem(&Problem {
            code: "unclosed-tag".into(),
            message: "`<Note>` is never closed".into(),
            path: "guides/tickets.mdx".into(),
            line: Some(14),
            column: Some(3),
            hint: some("write `</Note>` on a line of its own after the text of the note"),
            frame: Some(CodeFrame { line_number: 14, text: "  <Note>Tickets are valid for a day.".into(), column: 3, width: 6 }),
            ..Problem::default()
        }))
    }
}

fn h2(id: &str, text: &str) -> Markup {
    heading(
        &Heading {
            is_below_title: true,
            level: 2,
            depth: None,
            id: some(id),
            aliases: Vec::new(),
            text: text.into(),
        },
        PreEscaped(text),
    )
}

fn text_part() -> Markup {
    html! {
        p {
            "A museum sells " strong { "tickets" } ", and a ticket admits one " em { "visitor" } " on one day. Read "
            a href="#" { "how prices are made" } ", or look up " code { "GET /tickets" } ". A "
            (tooltip(&Tooltip { tip: "A visit is one person on one day.".into(), id: "tip-1".into(), ..Tooltip::default() }, PreEscaped("visit")))
            " can be moved." (footnote_reference(1, "move", 1)) " Press " kbd { "Ctrl" } " " kbd { "K" } " to search. "
            (badge(&Badge { color: some("green"), ..Badge::default() }, PreEscaped("stable"))) " "
            (badge(&Badge { color: some("orange"), round: true, stroke: true, ..Badge::default() }, PreEscaped("beta")))
        }
        (h2("text", "Text"))
        p { "Paragraphs are short. Lists say what belongs together:" }
        ul { li { "An " strong { "exhibit" } " is a thing one can look at." } li { "A room holds exhibits." ul { li { "Rooms have numbers." } } } }
        ol { li { "Ask for a key." } li { "Buy a ticket." } }
        blockquote { p { "The spoon is the oldest machine we still use at table." } }
        (heading(&Heading { level: 3, id: some("tables"), text: "Tables and tasks".into(), ..Heading::default() }, PreEscaped("Tables and tasks")))
        (table(PreEscaped("<thead><tr><th>Ticket</th><th>Price</th><th>Admits</th></tr></thead><tbody><tr><td><code>adult</code></td><td>14.00</td><td>One person of 18 years or more</td></tr><tr><td><code>family</code></td><td>32.00</td><td>Two adults and up to three children who live together, on the same day and through the same door</td></tr></tbody>")))
        ul { (task_item(true, PreEscaped("<p>Ask for a key</p>"))) (task_item(false, PreEscaped("<p>Sign the webhooks</p>"))) }
        (footnotes(&[("move".into(), "<p>Once, and within the same week.</p>".into())]))
    }
}

fn cards_part() -> Markup {
    let one = |title: &str, icon: &str, text: &str, cta: Option<&str>| {
        card(
            &Card {
                title: some(title),
                icon: some(icon),
                href: some("#"),
                cta: cta.map(Into::into),
                ..Card::default()
            },
            PreEscaped(text),
        )
    };
    let pair = html! {
        (one("Quickstart", "rocket", "Sell your first ticket in five minutes.", Some("Start here")))
        (one("Collections", "layers", "Search forty thousand everyday things.", Some("Look around")))
    }
    .into_string();
    let three = html! {
        (one("Keys", "key", "Who may do what.", None))
        (one("Webhooks", "webhook", "Hear of every visit.", None))
        (one("Errors", "warning", "What went wrong.", None))
    }
    .into_string();
    html! {
        (columns(2, false, PreEscaped(&pair)))
        (columns(3, true, PreEscaped(&three)))
        (card(&Card { title: some("Beside each other"), icon: some("book"), horizontal: true, href: some("https://example.org"), ..Card::default() }, PreEscaped("Icon and text stand in one row.")))
        (columns(2, false, PreEscaped(&tile(&Tile { href: "#".into(), title: some("A tile"), description: some("A picture that leads somewhere") }, PreEscaped("◐")).into_string())))
        (accordion_group(PreEscaped(&html! {
            (accordion(&Accordion { title: "Can a ticket be refunded?".into(), open: true, ..Accordion::default() }, PreEscaped("<p>Yes, until midnight before the visit.</p>")))
            (accordion(&Accordion { title: "Are children free?".into(), description: some("Depends on the country"), icon: some("users"), ..Accordion::default() }, PreEscaped("<p>Up to six years.</p>")))
        }.into_string())))
        (frame(&Frame { caption: some("A framed drawing"), hint: None }, PreEscaped("<svg viewBox=\"0 0 600 200\" width=\"600\" style=\"max-width:100%\"><rect width=\"600\" height=\"200\" rx=\"8\" fill=\"#b4492d\" opacity=\".18\"/><circle cx=\"300\" cy=\"100\" r=\"60\" fill=\"none\" stroke=\"#b4492d\" stroke-width=\"6\"/></svg>")))
    }
}

fn code_part() -> Markup {
    let group = code_group(&[
        CodeBlock {
            language: some("bash"),
            title: some("cURL"),
            ..CodeBlock::plain("curl https://api.museum.example/v2/tickets \\\n  -H \"Authorization: Bearer $MUSEUM_KEY\"")
        },
        CodeBlock {
            language: some("python"),
            title: some("Python"),
            ..CodeBlock::plain("client.tickets.list()")
        },
    ], false)
    .into_string();
    html! {
        (steps(PreEscaped(&html! {
            (step(&Step { title: "Ask for a key".into(), id: some("step-key"), ..Step::default() }, PreEscaped("<p>The dashboard makes one under <strong>Settings</strong>.</p>")))
            (step(&Step { title: "List the tickets".into(), ..Step::default() }, PreEscaped(&group)))
            (step(&Step { title: "Done".into(), icon: some("check"), ..Step::default() }, PreEscaped("<p>That is all.</p>")))
        }.into_string())))
        (tabs(&Tabs { tabs: ["Visitor", "Group", "School"].map(|title| Tab { title: title.into(), body: format!("<p>What a {title} pays.</p>"), ..Tab::default() }).into(), sync: true, ..Tabs::default() }))
        (code_block(&colored().with_marks(LineMark::Highlight, [3]).with_marks(LineMark::Added, [4]).with_marks(LineMark::Removed, [5])))
        (code_block(&CodeBlock { language: some("json"), ..CodeBlock::plain("{ \"id\": \"tkt_8fQ2\", \"kind\": \"adult\" }") }))
    }
}

fn colored() -> CodeBlock {
    use TokenKind::{
        Comment, Constant, Function, Keyword, Number, Operator, Plain, Property, Punctuation,
        String as Text, Type,
    };
    let line = |tokens: &[(TokenKind, &str)]| CodeLine {
        tokens: tokens
            .iter()
            .map(|(kind, text)| (*kind, (*text).to_owned()))
            .collect(),
        ..CodeLine::default()
    };
    CodeBlock {
        title: some("buy.ts"),
        language: some("typescript"),
        numbered: true,
        lines: vec![
            line(&[(Comment, "// One ticket for tomorrow.")]),
            line(&[
                (Keyword, "const"),
                (Plain, " ticket"),
                (Punctuation, ":"),
                (Type, " Ticket"),
                (Operator, " ="),
                (Keyword, " await"),
                (Plain, " museum.tickets."),
                (Function, "create"),
                (Punctuation, "({"),
            ]),
            line(&[
                (Property, "  kind"),
                (Punctuation, ": "),
                (Text, "\"adult\""),
                (Punctuation, ","),
            ]),
            line(&[
                (Property, "  count"),
                (Punctuation, ": "),
                (Number, "2"),
                (Punctuation, ","),
            ]),
            line(&[
                (Property, "  notify"),
                (Punctuation, ": "),
                (Constant, "true"),
                (Punctuation, ","),
            ]),
            line(&[(Punctuation, "});")]),
        ],
        ..CodeBlock::default()
    }
}

fn fields_part() -> Markup {
    let child = field(
        &Field {
            name: "holder.name".into(),
            kind: some("string"),
            ..Field::default()
        },
        PreEscaped("<p>As it is printed on the ticket.</p>"),
    )
    .into_string();
    let nested = format!(
        "<p>Who will come.</p>{}",
        expandable(None, true, PreEscaped(&child)).into_string()
    );
    html! {
        (field(&Field { name: "visit_on".into(), kind: some("string<date>"), location: some("body"), required: true, id: some("param-visit-on"), ..Field::default() }, PreEscaped("<p>The day of the visit, as <code>2026-11-21</code>.</p>")))
        (field(&Field { name: "limit".into(), kind: some("integer"), location: some("query"), default: some("20"), ..Field::default() }, PreEscaped("<p>How many tickets one page holds.</p>")))
        (field(&Field { name: "color".into(), kind: some("string"), deprecated: true, post: vec!["v1 only".into()], ..Field::default() }, PreEscaped("")))
        (field(&Field { name: "holder".into(), kind: some("object"), ..Field::default() }, PreEscaped(&nested)))
    }
}
