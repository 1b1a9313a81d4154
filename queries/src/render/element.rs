//! Elements of a page: the table of components, and HTML.

mod raw;
mod source;

use maud::html;

use raw::draw_html;

use crate::diagnostic::{Code, nearest};
use crate::mdx::value;
use crate::render::components::accordion::{Accordion, accordion, accordion_group};
use crate::render::components::badge::{Badge, badge};
use crate::render::components::callout::{Callout, CalloutKind, callout};
use crate::render::components::card::{Card, card, columns};
use crate::render::components::code_block::CodeBlock;
use crate::render::components::code_group::code_group;
use crate::render::components::color;
use crate::render::components::diagram::{Diagram, diagram};
use crate::render::components::expandable::expandable;
use crate::render::components::fields::{Field, field};
use crate::render::components::frame::{Frame, frame};
use crate::render::components::panel::{example, panel};
use crate::render::components::prompt::prompt;
use crate::render::components::steps::{Step, step, steps};
use crate::render::components::tabs::{Tab, Tabs, tabs};
use crate::render::components::tile::{Tile, tile};
use crate::render::components::tooltip::{Tooltip, tooltip};
use crate::render::components::tree;
use crate::render::components::update::{Update, update};
use crate::render::html::slot;
use crate::render::icon::user_icon;
use crate::render::instance::Instance;
use crate::render::prose::{BodyPart, OutlineEntry, Wrap, Writer};

/// Every component, for suggestions.
const NAMES: &[&str] = &[
    "Accordion",
    "AccordionGroup",
    "Badge",
    "Callout",
    "Card",
    "CardGroup",
    "Check",
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
    "Icon",
    "Info",
    "Latex",
    "Link",
    "Mermaid",
    "Note",
    "Panel",
    "ParamField",
    "Prompt",
    "RequestExample",
    "ResponseExample",
    "ResponseField",
    "Snippet",
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
                colour: text("color"),
            };
            callout(&view, slot(&children(writer, element)))
        }
        "Card" => {
            let view = Card {
                title: text("title"),
                icon: writer.icon(element),
                colour: text("color"),
                href: text("href").map(|href| writer.link(&href)),
                image: text("img").map(|src| writer.asset(&src)),
                cta: text("cta"),
                arrow: element.prop("arrow").map(|_| element.flag("arrow")),
                horizontal: element.flag("horizontal"),
            };
            card(&view, slot(&children(writer, element)))
        }
        "CardGroup" | "Columns" => {
            let count = text("cols").and_then(|cols| cols.parse().ok()).unwrap_or(2);
            columns(count, slot(&children(writer, element)))
        }
        "Column" => return format!("<div class=\"column\">{}</div>", children(writer, element)),
        "Steps" => steps(slot(&children(writer, element))),
        "Step" => {
            let title = text("title").unwrap_or_default();
            let heading = match text("titleSize").as_deref() {
                Some("h2") => Some(2),
                Some("h3") => Some(3),
                Some("h4") => Some(4),
                _ => None,
            };
            let id = text("id").map(|id| writer.ids.claim(id)).or_else(|| {
                (!title.is_empty() && !element.flag("noAnchor")).then(|| writer.ids.next(&title))
            });
            if let (Some(level), Some(id)) = (heading, &id) {
                writer.body.outline.push(OutlineEntry {
                    level,
                    id: id.clone(),
                    title: title.clone(),
                });
            }
            let number = text("stepNumber").and_then(|number| number.parse().ok());
            let view = Step {
                title,
                id,
                icon: writer.icon(element),
                number,
                heading,
            };
            step(&view, slot(&children(writer, element)))
        }
        "Tabs" => draw_tabs(writer, element),
        // Outside of their group they show what they hold.
        "Tab" | "" => return children(writer, element),
        "RequestExample" | "ResponseExample" => {
            let drawn = draw_example(writer, element);
            let title = match &*element.name {
                "RequestExample" => "Request",
                _ => "Response",
            };
            let drawn = example(title, slot(&drawn)).into_string();
            return writer.beside(drawn);
        }
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
        "CodeGroup" => {
            let blocks = code_blocks(writer, element);
            if blocks.is_empty() {
                return children(writer, element);
            }
            code_group(&blocks)
        }
        "Frame" => {
            let view = Frame {
                caption: text("caption").map(|text| writer.inline_text(&text)),
                hint: text("hint"),
            };
            frame(&view, slot(&children(writer, element)))
        }
        "ParamField" | "ResponseField" => draw_field(writer, element),
        "Update" => {
            let label = text("label").unwrap_or_default();
            let id = writer.ids.next(&label);
            writer.body.outline.push(OutlineEntry {
                level: 2,
                id: id.clone(),
                title: label.clone(),
            });
            let tags = element.texts("tags");
            let view = Update {
                label,
                description: text("description"),
                tags,
                id,
            };
            update(&view, slot(&children(writer, element)))
        }
        "Badge" => {
            let view = Badge {
                colour: text("color"),
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
        "Tree.Folder" => {
            let (open, highlight) = (element.flag("defaultOpen"), element.flag("highlight"));
            let name = text("name").unwrap_or_default();
            tree::folder(&name, open, highlight, slot(&children(writer, element)))
        }
        "Tree.File" => tree::file(&text("name").unwrap_or_default(), element.flag("highlight")),
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
        "Prompt" => {
            let icon = user_icon(writer.icon(element).as_deref());
            let description = text("description").unwrap_or_else(|| "Prompt".to_owned());
            prompt(&description, &icon, slot(&children(writer, element)))
        }
        // What is for agents is in the Markdown that they read.
        "Visibility" if text("for").as_deref() == Some("agents") => return String::new(),
        "Visibility" => return children(writer, element),
        "View" => {
            let title = text("title").unwrap_or_default();
            let id = writer.ids.next(&title);
            writer.body.outline.push(OutlineEntry {
                level: 2,
                id: id.clone(),
                title: title.clone(),
            });
            let drawn = children(writer, element);
            html! { section.view id=(id) aria-label=(title) { p.view-title { (user_icon(writer.icon(element).as_deref())) (title) } (slot(&drawn)) } }
        }
        "Link" => {
            let href = writer.link(&text("href").unwrap_or_default());
            html! { a href=(href) { (slot(&inline(writer, element))) } }
        }
        "GitHub.Repo" | "Github.Repo" => {
            let repository = text("repo").unwrap_or_default();
            let view = Card {
                title: Some(repository.clone()),
                icon: Some("fontawesome/brands:github".to_owned()),
                href: Some(format!("https://github.com/{repository}")),
                horizontal: true,
                ..Card::default()
            };
            card(&view, slot(&children(writer, element)))
        }
        "Panel" => {
            let drawn = panel(slot(&children(writer, element))).into_string();
            return writer.beside(drawn);
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
        "Icon" => user_icon(writer.icon(element).as_deref()),
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

fn draw_tabs<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> maud::Markup {
    let mut view = Tabs {
        sync: element.prop("sync").is_none() || element.flag("sync"),
        ..Tabs::default()
    };
    view.default = element
        .text("defaultTabIndex")
        .and_then(|index| index.parse().ok())
        .unwrap_or(0);
    for part in writer.parts(&element.children) {
        let BodyPart::Instance(tab) = part else {
            continue;
        };
        if &*tab.name != "Tab" {
            continue;
        }
        let title = tab
            .text("title")
            .unwrap_or_else(|| format!("Tab {}", view.tabs.len() + 1));
        let id = tab
            .text("id")
            .unwrap_or_else(|| crate::mdx::heading::slug(&title));
        let id = Some(writer.ids.claim(id));
        let icon = writer.icon(&tab);
        view.tabs.push(Tab {
            title,
            id,
            icon,
            body: children(writer, &tab),
        });
    }
    tabs(&view)
}

/// The blocks of code that `element` holds.
fn code_blocks<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Vec<CodeBlock> {
    let parts = writer.parts(&element.children);
    let code = parts.iter().filter_map(|part| match part {
        BodyPart::Code { info, code } => Some(writer.code_block(info, code)),
        BodyPart::Instance(_) | BodyPart::Text => None,
    });
    code.collect()
}

/// What an example shows: blocks of code as one group, or whatever else it holds.
fn draw_example<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> String {
    let parts = writer.parts(&element.children);
    let is_code = (parts.iter()).all(|part| matches!(part, BodyPart::Code { .. }));
    if parts.len() < 2 || !is_code {
        return children(writer, element);
    }
    code_group(&code_blocks(writer, element)).into_string()
}

fn draw_field<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> maud::Markup {
    let location = ["path", "query", "body", "header"]
        .into_iter()
        .find(|name| element.prop(name).is_some());
    let name = location
        .and_then(|location| element.text(location))
        .or_else(|| element.text("name"));
    let name = name.unwrap_or_default();
    // Published links name fields so: `#param-icons`.
    let id = (!name.is_empty()).then(|| {
        let slug = crate::mdx::heading::slug(&name);
        writer.ids.claim(format!("param-{slug}"))
    });
    let view = Field {
        name,
        kind: element.text("type"),
        location: location
            .filter(|_| &*element.name == "ParamField")
            .map(str::to_owned),
        required: element.flag("required"),
        deprecated: element.flag("deprecated"),
        default: element
            .json("default")
            .map(|value| value::to_text(&value).unwrap_or_else(|| value.to_string())),
        pre: element.texts("pre"),
        post: element.texts("post"),
        id,
    };
    field(&view, slot(&children(writer, element)))
}
