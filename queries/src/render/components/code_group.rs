//! Several blocks of code in one place: tabs of code.

use maud::{Markup, html};

use crate::render::code_scheme::CodeScheme;
use crate::render::components::code_block::{CodeBlock, code_body};
use crate::render::components::tabs::tab_list;
use crate::render::icon::user_icon;

/// Draws blocks of code as tabs, named after their titles, or else their languages.
pub fn code_group(blocks: &[CodeBlock]) -> Markup {
    let titles: Vec<(&str, Markup)> = blocks
        .iter()
        .map(|block| (name(block), user_icon(block.icon.as_deref())))
        .collect();
    html! {
        div.code-group.code-block data-tabs data-sync {
            (tab_list(&titles, 0))
            @for (i, block) in blocks.iter().enumerate() {
                section.tab-panel data-tab=(name(block)) data-active[i == 0] data-code data-scheme=[block.scheme.map(CodeScheme::name)] {
                    p.tab-title.code-title { (name(block)) }
                    (code_body(block))
                }
            }
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
