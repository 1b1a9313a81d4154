//! Elements of a page: the table of components, and HTML.

mod code;
mod docs;
mod fields;
mod foreign;
mod groups;
mod props;
mod raw;
mod single;
mod source;

pub use docs::{ComponentDocs, component_docs};
use maud::{PreEscaped, html};
use raw::draw_html;
pub(crate) use raw::is_phrasing;

use crate::components::accordion::accordion_group;
use crate::components::card::columns;
use crate::components::code_block::code_block;
use crate::components::color;
use crate::components::expandable::expandable;
use crate::components::panel::panel;
use crate::components::tree;
use crate::html::slot;
use crate::instance::Instance;
use crate::prose::{AsideKind, Wrap, Writer};
use base::diagnostic::{Code, near};

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

/// Names of the components.
pub fn component_names() -> &'static [&'static str] {
    NAMES
}

/// Returns true if the theme has a component `name`, or one that shows the same as that of another tool.
pub fn is_component(name: &str) -> bool {
    NAMES.contains(&name) || foreign::NAMES.contains(&name)
}

/// Renders `element` and what it holds.
pub(super) fn draw<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> String {
    let adopted = foreign::adopted(element);
    let element = adopted.as_ref().unwrap_or(element);
    props::check(writer, element);
    let text = |name: &str| element.text(name);
    let markup = match &*element.name {
        "Note" | "Tip" | "Info" | "Warning" | "Check" | "Danger" | "Callout" => {
            single::draw_callout(writer, element)
        }
        "Card" => groups::draw_card(writer, element),
        "GitHub.Repo" | "Github.Repo" | "GitHub" | "Github" => {
            groups::draw_repository(writer, element)
        }
        "CardGroup" | "Columns" => {
            let count = text("cols").and_then(|cols| cols.parse().ok()).unwrap_or(2);
            columns(
                count,
                &*element.name == "CardGroup",
                slot(&children(writer, element)),
            )
        }
        "Column" => html! { div.column { (slot(&children(writer, element))) } },
        "Steps" => groups::draw_steps(writer, element),
        "Step" => groups::draw_step(writer, element),
        "Tabs" => groups::draw_tabs(writer, element),
        "View" => groups::draw_view(writer, element),
        "Update" => groups::draw_update(writer, element),
        // Outside of their group they show what they hold.
        "Tab" | "" => return children(writer, element),
        "AccordionGroup" => accordion_group(slot(&children(writer, element))),
        "Accordion" => single::draw_accordion(writer, element),
        "Expandable" => expandable(
            writer.label(element, "title").as_ref(),
            element.flag("defaultOpen"),
            slot(&children(writer, element)),
        ),
        "CodeGroup" | "SnippetGroup" => PreEscaped(code::draw_group(writer, element)),
        "CodeBlock" => code_block(&code::block(writer, element)),
        "RequestExample" => {
            let drawn = code::draw_example(writer, element);
            return writer.put_aside(AsideKind::Request, &drawn);
        }
        "ResponseExample" => {
            let drawn = code::draw_example(writer, element);
            return writer.put_aside(AsideKind::Response, &drawn);
        }
        "Prompt" => code::draw_prompt(writer, element),
        "Frame" => single::draw_frame(writer, element),
        "ParamField" | "Param" | "ResponseField" => fields::draw_field(writer, element),
        "Badge" => single::draw_badge(writer, element),
        "Tooltip" => single::draw_tooltip(writer, element),
        "Tile" => single::draw_tile(writer, element),
        "Tree" | "FileTree" => {
            let drawn = children(writer, element);
            tree::tree(slot(tree::of_list(&drawn).as_deref().unwrap_or(&drawn)))
        }
        "Tree.Folder" => single::draw_folder(writer, element),
        "Tree.File" => {
            let name = writer.label(element, "name").unwrap_or_default();
            tree::file(&name, element.flag("highlight"))
        }
        "Color" => {
            let is_table = text("variant").as_deref() == Some("table");
            color::colors(is_table, slot(&children(writer, element)))
        }
        "Color.Row" => color::row(
            writer.label(element, "title").as_ref(),
            slot(&children(writer, element)),
        ),
        "Color.Item" => single::draw_color(writer, element),
        "Heading" => groups::draw_heading(writer, element),
        "ZoomImage" => PreEscaped(groups::draw_zoom_image(writer, element)),
        "Icon" => groups::draw_icon(writer, element),
        // What is for agents is in the Markdown that they read, and what is for humans is not.
        "Visibility" => {
            return match writer.is_for(text("for").as_deref()) {
                true => children(writer, element),
                false => String::new(),
            };
        }
        "Link" => single::draw_link(writer, element),
        "Panel" => {
            let drawn = panel(slot(&children(writer, element))).into_string();
            return writer.put_aside(AsideKind::Panel, &drawn);
        }
        "Latex" => PreEscaped(single::draw_formula(writer, element)),
        "Mermaid" => single::draw_diagram(writer, element),
        "OptimizedVideo" => return draw_html(writer, &element.with_name("video")),
        name if name.starts_with(|c: char| c.is_ascii_lowercase()) => {
            return draw_html(writer, element);
        }
        "Snippet" if element.text("file").is_some() => {
            report_missing_snippet(writer, element);
            return children(writer, element);
        }
        name => {
            report_unknown(writer, element, name);
            return children(writer, element);
        }
    };
    let mut html = markup.into_string();
    if let Some(classes) = text("className") {
        writer.see_classes(&classes);
        html = with_classes(html, &classes);
    }
    if let Some(id) = text("id").filter(|_| !HAVE_IDS.contains(&&*element.name)) {
        html = with_id(html, &writer.ids.claim(id));
    }
    html
}

/// The components that know what to do with an `id`.
const HAVE_IDS: &[&str] = &["Accordion", "Heading", "Step", "Update"];

/// Reports that the file is not there which a `<Snippet>` names.
fn report_missing_snippet<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) {
    let file = element.text("file").unwrap_or_default();
    writer.report(
        Code::MissingImport,
        element.at.unwrap_or(0),
        element.name.len() + 1,
        format!("`{file}` is not there"),
        "files of `<Snippet>` are in the folder `snippets` or `_snippets`",
    );
}

/// Reports a component that is not known, with the one that may be meant.
fn report_unknown<'a>(writer: &mut Writer<'a>, element: &Instance<'a>, name: &str) {
    let advice = match near(name, NAMES.iter().copied()) {
        Some(near) => {
            let written = format!("<{}", near.word);
            near.map(|near| format!("<{near}>"))
                .advice_with(Some(written))
        }
        None => "its children are shown in its place".into(),
    };
    let message = format!("`<{name}>` is not a known component");
    writer.report(
        Code::UnknownComponent,
        element.at.unwrap_or(0),
        name.len() + 1,
        message,
        advice,
    );
}

/// A rendered component with `classes` of its author on its first element.
fn with_classes(mut html: String, classes: &str) -> String {
    let tag = html.find('>').unwrap_or(0);
    if let Some(at) = html[..tag].find(" class=\"") {
        html.insert_str(at + 8, &format!("{} ", escape(classes)));
    }
    html
}

/// A rendered component that is found under `id`: its first element, or what stands before it where
/// that has an id of its own.
fn with_id(mut html: String, id: &str) -> String {
    let tag = html.find('>').unwrap_or(0);
    let name_end = html[..tag].find([' ', '/']).unwrap_or(tag);
    if html.starts_with('<') && name_end > 0 && !html[..tag].contains(" id=\"") {
        html.insert_str(name_end, &format!(" id=\"{}\"", escape(id)));
        return html;
    }
    format!("<span id=\"{}\"></span>{html}", escape(id))
}

fn children<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> String {
    writer.children(&element.children, Wrap::Paragraphs)
}

fn inline<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> String {
    writer.children(&element.children, Wrap::Bare)
}

fn escape(text: &str) -> String {
    crate::html::escaped(text)
}
