//! Components that hold code: groups, examples, blocks, prompts.

use maud::Markup;

use super::children;
use crate::components::code_block::CodeBlock;
use crate::components::code_group::code_group;
use crate::components::panel::example;
use crate::components::prompt::{Prompt, prompt};
use crate::html::{slot, text_of};
use crate::icon::user_icon;
use crate::instance::Instance;
use crate::prose::{BodyPart, Writer};

/// Renders `<CodeGroup>`; without a block of code it shows what else it holds.
pub(super) fn draw_group<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> String {
    let blocks = blocks(writer, element);
    if blocks.is_empty() {
        return children(writer, element);
    }
    code_group(&blocks, element.flag("dropdown")).into_string()
}

/// Renders `<RequestExample>` or `<ResponseExample>`: blocks of code as one group, or whatever else
/// it holds.
pub(super) fn draw_example<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> String {
    let parts = writer.parts(&element.children);
    let is_code = (parts.iter()).all(|part| matches!(part, BodyPart::Code { .. }));
    let html = if parts.len() > 1 && is_code {
        draw_group(writer, element)
    } else {
        children(writer, element)
    };
    let title = match &*element.name {
        "RequestExample" => "Request",
        _ => "Response",
    };
    example(title, slot(&html)).into_string()
}

/// The blocks of code that `element` holds.
fn blocks<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Vec<CodeBlock> {
    let parts = writer.parts(&element.children);
    let mut blocks = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            BodyPart::Code { info, code } => blocks.push(writer.code_block(&info, &code)),
            BodyPart::Instance(inner) if &*inner.name == "CodeBlock" => {
                blocks.push(block(writer, &inner));
            }
            BodyPart::Instance(_) | BodyPart::Text => {}
        }
    }
    blocks
}

/// The block that `<CodeBlock>` means: its props say what stands behind the fence of a block otherwise.
pub(super) fn block<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> CodeBlock {
    let code = super::source::of(writer, element, "code");
    let mut info = element.text("language").unwrap_or_default();
    for name in ["title", "filename", "icon", "theme"] {
        if let Some(value) = element.text(name) {
            info.push_str(&format!(" {name}=\"{}\"", value.replace('"', "")));
        }
    }
    for name in ["highlight", "focus"] {
        let lines = element.texts(name).join(",");
        let lines = lines.trim_matches(['[', ']', '{', '}']);
        if !lines.is_empty() {
            info.push_str(&format!(" {name}={{{lines}}}"));
        }
    }
    for name in ["lines", "wrap", "expandable"] {
        if element.flag(name) {
            info.push_str(&format!(" {name}"));
        }
    }
    writer.code_block(&info, &code)
}

/// Longest prompt that another program is handed in an address, in bytes: browsers and programs cut longer ones.
const MAX_HANDED: usize = 6000;

/// Renders `<Prompt>`.
pub(super) fn draw_prompt<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let icon = user_icon(writer.icon(element).as_deref());
    let html = children(writer, element);
    let actions = element.texts("actions");
    let has = |name: &str| actions.iter().any(|action| action == name);
    let text = text_of(&html);
    let text = text.trim();
    let view = Prompt {
        description: (writer.inline_label(element, "description"))
            .unwrap_or_else(|| "Prompt".into()),
        icon,
        is_copied: actions.is_empty() || has("copy"),
        cursor_text: (has("cursor") && text.len() <= MAX_HANDED).then(|| text.to_owned()),
    };
    prompt(&view, slot(&html))
}
