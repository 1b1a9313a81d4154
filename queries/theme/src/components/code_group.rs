//! Several blocks of code in one place: tabs of code.

use maud::{Markup, html};

use crate::code_scheme::CodeScheme;
use crate::components::code_block::{CodeBlock, code_body};
use crate::components::tabs::{tab_icon, tab_list};
use crate::icon::{icon, user_icon};
use crate::words::Word;

/// Renders blocks of code as tabs, or `as_list` to choose from, named after their titles, or else
/// their languages.
pub fn code_group(blocks: &[CodeBlock], as_list: bool) -> Markup {
    let titles: Vec<(&str, Markup)> = blocks
        .iter()
        .map(|block| (name(block), tab_icon(&user_icon(block.icon.as_deref()))))
        .collect();
    html! {
        div.code-group.code-block data-tabs data-sync {
            @if as_list { (choice_list(blocks)) } @else { (tab_list(&titles, 0)) }
            @for (i, block) in blocks.iter().enumerate() {
                section.tab-panel data-tab=(name(block)) data-active[i == 0] data-code data-scheme=[block.scheme.map(CodeScheme::name)] {
                    p.tab-title.code-title { (name(block)) }
                    (code_body(block))
                }
            }
        }
    }
}

/// Renders the names as a list to choose from, for more blocks than a row has room for; without
/// scripts it is not displayed.
fn choice_list(blocks: &[CodeBlock]) -> Markup {
    html! {
        div.tab-select {
            select aria-label=(Word::Code) { @for block in blocks { option { (name(block)) } } }
            (icon("chevron-down").unwrap_or_default())
        }
    }
}

fn name(block: &CodeBlock) -> &str {
    block
        .title
        .as_deref()
        .or(block.language.as_deref())
        .unwrap_or("Code")
}
