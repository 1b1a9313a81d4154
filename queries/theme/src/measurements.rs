//! The page of `quire bench`: what was measured, as a table and pictures. It stands alone, with nothing from elsewhere.

use maud::{DOCTYPE, PreEscaped, html};

/// Measurements of one site.
#[derive(Clone, Debug, Default)]
pub struct Measurements {
    /// The name of its folder.
    pub name: String,
    /// Number of pages.
    pub pages: usize,
    /// Number of edits that were replayed.
    pub edits: usize,
    /// Random seed.
    pub seed: u64,
    /// Time to read its files, in milliseconds.
    pub reading: f64,
    /// Time to render every page, in milliseconds.
    pub drawing: f64,
    /// Memory of the process in bytes: at the start, with the site rendered, after the edits.
    pub memory: [u64; 3],
    /// Pages that were compared with those of a clean build.
    pub compared: usize,
    /// Pages that differ from those.
    pub differing: usize,
    /// The kinds of edits.
    pub rows: Vec<Row>,
    /// The pictures.
    pub figures: Vec<Figure>,
}

/// One kind of edit.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Kind of edit.
    pub kind: String,
    /// Number of edits.
    pub edits: usize,
    /// The median time until the page could be sent, in milliseconds.
    pub p50: f64,
    /// The time that 99 of 100 were below.
    pub p99: f64,
    /// The longest.
    pub max: f64,
    /// Number of queries that ran for the median edit.
    pub queries: u64,
    /// Ratio of the time to render every page to the time of the edit.
    pub ratio: f64,
    /// Number of edits for which no unrelated query ran.
    pub expected: usize,
    /// The queries that ran, with how often for each edit.
    pub names: Vec<String>,
    /// Some of what ran and should not have.
    pub unexpected: Vec<String>,
}

/// A picture.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// Title.
    pub title: String,
    /// Caption.
    pub words: String,
    /// Legend: each color as CSS writes it, with its meaning.
    pub legend: Vec<(String, String)>,
    /// The picture itself, rendered by this program.
    pub svg: String,
}

const STYLE: &str = "
:root { color-scheme: light dark; --ground: light-dark(#fff, #101216); --ink: light-dark(#1b1f27, #e8ebf0); --soft: light-dark(#5a6372, #98a1b0); --line: light-dark(#e4e7ec, #262b33); --good: light-dark(#157347, #6fd39b); --bad: light-dark(#b42323, #ff8f87); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: 4rem 1.5rem 6rem; }
h1 { margin: 0 0 .25rem; font-size: 2rem; letter-spacing: -.02em; }
h2 { margin: 3.5rem 0 .25rem; font-size: 1.25rem; }
p { margin: 0 0 1rem; color: var(--soft); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1rem; margin: 2.5rem 0; padding: 0; list-style: none; }
.facts li { padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: 12px; }
.facts strong { display: block; font-size: 1.5rem; font-weight: 600; letter-spacing: -.01em; font-variant-numeric: tabular-nums; }
.facts span { color: var(--soft); font-size: .875rem; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; font-variant-numeric: tabular-nums; }
th, td { padding: .5rem .75rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { color: var(--soft); font-weight: 500; font-size: .8125rem; }
th:first-child, td:first-child { padding-left: 0; text-align: left; }
td details summary { cursor: pointer; }
td details ul { margin: .5rem 0; padding-left: 1.25rem; color: var(--soft); font-size: .8125rem; white-space: normal; }
.good { color: var(--good); } .bad { color: var(--bad); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .5rem 0 0; padding: 0; color: var(--soft); font-size: .8125rem; list-style: none; }
.legend i { display: inline-block; width: .625rem; height: .625rem; margin-right: .5rem; border-radius: 50%; }
.scroll { margin-bottom: 1.5rem; }
svg { display: block; width: 100%; min-width: 40rem; height: auto; }
svg rect[fill='#FFFFFF'] { fill: none; }
";

/// Renders the page.
pub fn page(view: &Measurements) -> String {
    let ms = |time: f64| format!("{time:.3}");
    let long = |time: f64| match time {
        ms if ms >= 1000.0 => format!("{:.2} s", ms / 1000.0),
        ms => format!("{ms:.0} ms"),
    };
    let mb = |bytes: u64| format!("{:.0} MB", bytes as f64 / 1e6);
    let median = view.rows.iter().find(|row| row.kind == "words of a page");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "What edits of " (view.name) " cost" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { "What edits of " (view.name) " cost" }
                    p { (view.pages) " pages, " (view.edits) " edits replayed (seed " (view.seed) "). Each is timed from the moment it is known until its page can be sent." }
                    ul.facts {
                        @if let Some(row) = median {
                            li { strong { (ms(row.p50)) " ms" } span { "an edit of words, median" } }
                            li { strong { (format!("{:.0}×", row.ratio)) } span { "faster than drawing every page" } }
                        }
                        li { strong { (long(view.drawing)) } span { "every page, from nothing" } }
                        li { strong { (mb(view.memory[1].saturating_sub(view.memory[0]))) } span { "for the whole site; " (mb(view.memory[2].saturating_sub(view.memory[1]))) " more after the edits" } }
                        li {
                            @if view.differing == 0 {
                                strong.good { (view.compared) "/" (view.compared) }
                            } @else {
                                strong.bad { (view.compared.saturating_sub(view.differing)) " of " (view.compared) }
                            }
                            span { "pages as in a clean build, byte for byte" }
                        }
                    }
                    @for figure in &view.figures {
                        section {
                            h2 { (figure.title) }
                            p { (figure.words) }
                            // The picture is drawn by this program from numbers and names of its own.
                            div.scroll tabindex="0" role="group" aria-label=(figure.title) { (PreEscaped(&figure.svg)) }
                            @if !figure.legend.is_empty() {
                                ul.legend {
                                    @for (color, name) in &figure.legend {
                                        li { i style={ "background:" (color) } {} (name) }
                                    }
                                }
                            }
                        }
                    }
                    h2 { "The figures" }
                    p { "Times in milliseconds. Open a row for the queries that ran, with how often for each edit." }
                    div.scroll tabindex="0" role="group" aria-label="The figures" {
                        table {
                            thead { tr {
                                th { "edit" } th { "edits" } th { "p50" } th { "p99" } th { "max" } th { "queries" } th { "× faster" } th { "as predicted" }
                            } }
                            tbody {
                                @for row in &view.rows {
                                    tr {
                                        td { details { summary { (row.kind) } ul {
                                            @for name in &row.names { li { (name) } }
                                            @if row.names.is_empty() { li { "nothing runs" } }
                                            @for name in &row.unexpected { li.bad { "unexpected: " (name) } }
                                        } } }
                                        td { (row.edits) }
                                        td { (ms(row.p50)) }
                                        td { (ms(row.p99)) }
                                        td { (ms(row.max)) }
                                        td { (row.queries) }
                                        td { (format!("{:.0}", row.ratio)) }
                                        td class=(if row.expected == row.edits { "good" } else { "bad" }) { (row.expected) "/" (row.edits) }
                                    }
                                }
                            }
                        }
                    }
                    p { "Reading the files took " (ms(view.reading)) " ms. Memory: " (mb(view.memory[0])) " at the start, " (mb(view.memory[1])) " with the site drawn, " (mb(view.memory[2])) " after the edits." }
                }
            }
        }
    };
    page.into_string()
}
