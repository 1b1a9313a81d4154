//! Elements of a page: the table of components, and HTML.

mod code;
mod fields;
mod groups;
mod raw;
mod source;

use maud::html;

use raw::draw_html;

use crate::diagnostic::{Code, nearest};
use crate::render::components::accordion::{Accordion, accordion, accordion_group};
use crate::render::components::badge::{Badge, badge};
use crate::render::components::callout::{Callout, CalloutKind, callout};
use crate::render::components::card::columns;
use crate::render::components::code_block::code_block;
use crate::render::components::color;
use crate::render::components::diagram::{Diagram, diagram};
use crate::render::components::expandable::expandable;
use crate::render::components::frame::{Frame, frame};
use crate::render::components::panel::panel;
use crate::render::components::tile::{Tile, tile};
use crate::render::components::tooltip::{Tooltip, tooltip};
use crate::render::components::tree;
use crate::render::html::slot;
use crate::render::instance::Instance;
use crate::render::prose::{Beside, Wrap, Writer};

/// Every component, for suggestions.
const NAMES: &[&str] = &[
    "Accordion",
    "AccordionGroup",
    "Badge",
    "Callout",
    "Card",
    "CardGroup",
    "Check",
    "CodeBlock",
    "CodeGroup",
    "Color",
    "Color.Item",
    "Color.Row",
    "Column",
    "Columns",
    "Danger",
    "Expandable",
    "FileTree",
    "Frame",
    "GitHub.Repo",
    "Heading",
    "Icon",
    "Info",
    "Latex",
    "Link",
    "Mermaid",
    "Note",
    "OptimizedVideo",
    "Panel",
    "Param",
    "ParamField",
    "Prompt",
    "RequestExample",
    "ResponseExample",
    "ResponseField",
    "Snippet",
    "SnippetGroup",
    "Step",
    "Steps",
    "Tab",
    "Tabs",
    "Tile",
    "Tip",
    "Tooltip",
    "Tree",
    "Tree.File",
    "Tree.Folder",
    "Update",
    "View",
    "Visibility",
    "Warning",
    "ZoomImage",
];

/// Draws `element` and what it holds.
pub(super) fn draw<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> String {
    let text = |name: &str| element.text(name);
    let markup = match &*element.name {
        "Note" | "Tip" | "Info" | "Warning" | "Check" | "Danger" | "Callout" => {
            let kind = match text("type")
                .filter(|_| &*element.name == "Callout")
                .as_deref()
                .unwrap_or(&element.name)
            {
                "Note" | "note" => CalloutKind::Note,
                "Tip" | "tip" => CalloutKind::Tip,
                "Info" | "info" => CalloutKind::Info,
                "Warning" | "warning" => CalloutKind::Warning,
                "Check" | "check" | "success" => CalloutKind::Check,
                "Danger" | "danger" | "error" => CalloutKind::Danger,
                _ => CalloutKind::Plain,
            };
            let view = Callout {
                kind,
                title: text("title"),
                icon: writer.icon(element),
                color: text("color"),
            };
            callout(&view, slot(&children(writer, element)))
        }
        "Card" => groups::draw_card(writer, element),
        "GitHub.Repo" | "Github.Repo" | "GitHub" | "Github" => {
            groups::draw_repository(writer, element)
        }
        "CardGroup" | "Columns" => {
            let count = text("cols").and_then(|cols| cols.parse().ok()).unwrap_or(2);
            columns(count, slot(&children(writer, element)))
        }
        "Column" => return format!("<div class=\"column\">{}</div>", children(writer, element)),
        "Steps" => groups::draw_steps(writer, element),
        "Step" => groups::draw_step(writer, element),
        "Tabs" => groups::draw_tabs(writer, element),
        "View" => groups::draw_view(writer, element),
        "Update" => groups::draw_update(writer, element),
        // Outside of their group they show what they hold.
        "Tab" | "" => return children(writer, element),
        "AccordionGroup" => accordion_group(slot(&children(writer, element))),
        "Accordion" => {
            let title = text("title").unwrap_or_default();
            let id = match text("id") {
                Some(id) => Some(writer.ids.claim(id)),
                None => (!title.is_empty()).then(|| writer.ids.next(&title)),
            };
            let view = Accordion {
                title,
                description: text("description"),
                icon: writer.icon(element),
                id,
                open: element.flag("defaultOpen"),
            };
            accordion(&view, slot(&children(writer, element)))
        }
        "Expandable" => expandable(
            text("title").as_deref(),
            element.flag("defaultOpen"),
            slot(&children(writer, element)),
        ),
        "CodeGroup" | "SnippetGroup" => return code::draw_group(writer, element),
        "CodeBlock" => code_block(&code::block(writer, element)),
        "RequestExample" | "ResponseExample" => {
            let drawn = code::draw_example(writer, element);
            let kind = match &*element.name {
                "RequestExample" => Beside::Request,
                _ => Beside::Response,
            };
            return writer.beside(kind, &drawn);
        }
        "Prompt" => code::draw_prompt(writer, element),
        "Frame" => {
            let view = Frame {
                caption: text("caption").map(|text| writer.inline_text(&text)),
                hint: text("hint").map(|text| writer.inline_text(&text)),
            };
            frame(&view, slot(&children(writer, element)))
        }
        "ParamField" | "Param" | "ResponseField" => fields::draw_field(writer, element),
        "Badge" => {
            let view = Badge {
                color: text("color"),
                size: text("size"),
                round: text("shape").as_deref() == Some("pill"),
                stroke: element.flag("stroke"),
                disabled: element.flag("disabled"),
                icon: writer.icon(element),
            };
            badge(&view, slot(&inline(writer, element)))
        }
        "Tooltip" => {
            let tip = text("tip").unwrap_or_default();
            let cta = text("cta")
                .zip(text("href"))
                .map(|(label, href)| (label, writer.link(&href)));
            let id = writer.ids.claim("tooltip".to_owned());
            let view = Tooltip {
                tip,
                headline: text("headline"),
                cta,
                id,
            };
            tooltip(&view, slot(&inline(writer, element)))
        }
        "Tile" => {
            let href = writer.link(&text("href").unwrap_or_default());
            let view = Tile {
                href,
                title: text("title"),
                description: text("description"),
            };
            tile(&view, slot(&children(writer, element)))
        }
        "Tree" | "FileTree" => tree::tree(slot(&children(writer, element))),
        "Color" => {
            let is_table = text("variant").as_deref() == Some("table");
            color::colors(is_table, slot(&children(writer, element)))
        }
        "Color.Row" => color::row(text("title").as_deref(), slot(&children(writer, element))),
        "Color.Item" => {
            let mode = |name: &str| {
                element
                    .json("value")?
                    .get(name)?
                    .as_str()
                    .map(str::to_owned)
            };
            let light = text("value").or_else(|| mode("light")).unwrap_or_default();
            color::item(
                &text("name").unwrap_or_default(),
                &light,
                mode("dark").as_deref(),
            )
        }
        "Tree.Folder" => {
            let view = tree::Folder {
                name: text("name").unwrap_or_default(),
                is_open: element.flag("defaultOpen"),
                is_fixed: element.prop("openable").is_some() && !element.flag("openable"),
                is_highlighted: element.flag("highlight"),
            };
            tree::folder(&view, slot(&children(writer, element)))
        }
        "Tree.File" => tree::file(&text("name").unwrap_or_default(), element.flag("highlight")),
        "Heading" => groups::draw_heading(writer, element),
        "ZoomImage" => return groups::draw_zoom_image(writer, element),
        "Icon" => groups::draw_icon(writer, element),
        // What is for agents is in the Markdown that they read.
        "Visibility" if text("for").as_deref() == Some("agents") => return String::new(),
        "Visibility" => return children(writer, element),
        "Link" => {
            let href = writer.link(&text("href").unwrap_or_default());
            html! { a href=(href) { (slot(&inline(writer, element))) } }
        }
        "Panel" => {
            let drawn = panel(slot(&children(writer, element))).into_string();
            return writer.beside(Beside::Panel, &drawn);
        }
        "Latex" => {
            let formula = source::of(writer, element, "children");
            let is_display = element.flag("display") || formula.trim().contains('\n');
            return writer.formula(&formula, is_display, element.at.unwrap_or(0));
        }
        "Mermaid" => {
            let view = Diagram {
                source: source::of(writer, element, "chart"),
                script_url: writer.theme_url("mermaid.js"),
                placement: text("placement"),
                actions: element.prop("actions").map(|_| element.flag("actions")),
            };
            diagram(&view)
        }
        "OptimizedVideo" => return draw_html(writer, &element.named("video")),
        name if name.starts_with(|c: char| c.is_ascii_lowercase()) => {
            return draw_html(writer, element);
        }
        name => {
            let hint = match nearest(name, NAMES.iter().copied()) {
                Some(near) => format!("did you mean `<{near}>`?"),
                None => "its children are shown in its place".to_owned(),
            };
            let message = format!("`<{name}>` is not a known component");
            writer.report(
                Code::UnknownComponent,
                element.at.unwrap_or(0),
                name.len() + 1,
                message,
                &hint,
            );
            return children(writer, element);
        }
    };
    let html = markup.into_string();
    match text("className") {
        Some(classes) => {
            writer.see_classes(&classes);
            with_classes(html, &classes)
        }
        None => html,
    }
}

/// A drawn component with `classes` of its author on its first element.
fn with_classes(mut html: String, classes: &str) -> String {
    let tag = html.find('>').unwrap_or(0);
    if let Some(at) = html[..tag].find(" class=\"") {
        html.insert_str(at + 8, &format!("{} ", escape(classes)));
    }
    html
}

fn children<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> String {
    writer.children(&element.children, Wrap::Paragraphs)
}

fn inline<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> String {
    writer.children(&element.children, Wrap::Bare)
}

fn escape(text: &str) -> String {
    crate::render::html::escaped(text)
}
