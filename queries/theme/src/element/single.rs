//! Single components: callouts, accordions, frames, badges, tooltips, diagrams.

use maud::{Markup, html};

use super::{children, inline, source};
use crate::assets;
use crate::components::accordion::{Accordion, accordion};
use crate::components::badge::{Badge, badge};
use crate::components::callout::{Callout, CalloutKind, callout};
use crate::components::color;
use crate::components::diagram::{Diagram, diagram};
use crate::components::frame::{Frame, frame};
use crate::components::tile::{Tile, tile};
use crate::components::tooltip::{Tooltip, tooltip};
use crate::components::tree::{Folder, folder};
use crate::html::slot;
use crate::instance::Instance;
use crate::prose::Writer;

/// Renders `<Note>` and its like, and `<Callout type="note">`.
pub(super) fn draw_callout<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let own = element.text("type");
    let own = own.filter(|_| &*element.name == "Callout");
    let kind = match own.as_deref().unwrap_or(&element.name) {
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
        title: writer.label(element, "title"),
        icon: writer.icon(element),
        color: element.text("color"),
    };
    callout(&view, slot(&children(writer, element)))
}

/// Renders `<Accordion>`; its title is a heading that links can lead to.
pub(super) fn draw_accordion<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let title = writer.label(element, "title").unwrap_or_default();
    let id = match element.text("id") {
        Some(id) => Some(writer.ids.claim(id)),
        None => (!title.text().is_empty()).then(|| writer.ids.next(title.text())),
    };
    let aliases = match &id {
        Some(id) => writer.ids.aliases(title.text(), id),
        None => Vec::new(),
    };
    let view = Accordion {
        title,
        aliases,
        description: writer.label(element, "description"),
        icon: writer.icon(element),
        id,
        open: element.flag("defaultOpen"),
    };
    accordion(&view, slot(&children(writer, element)))
}

/// Renders `<Frame>`; its caption and its hint are Markdown of one line.
pub(super) fn draw_frame<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let view = Frame {
        caption: writer.inline_label(element, "caption"),
        hint: writer.inline_label(element, "hint"),
    };
    frame(&view, slot(&children(writer, element)))
}

/// Renders `<Badge>`.
pub(super) fn draw_badge<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let view = Badge {
        color: element.text("color"),
        size: element.text("size"),
        round: element.text("shape").as_deref() == Some("pill"),
        stroke: element.flag("stroke"),
        disabled: element.flag("disabled"),
        icon: writer.icon(element),
    };
    badge(&view, slot(&inline(writer, element)))
}

/// Renders `<Tooltip>`; a call to action needs both its label and its link.
pub(super) fn draw_tooltip<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let cta = writer.label(element, "cta").zip(element.text("href"));
    let cta = cta.map(|(label, href)| (label, writer.link(&href)));
    let view = Tooltip {
        tip: writer.label(element, "tip").unwrap_or_default(),
        headline: writer.label(element, "headline"),
        cta,
        id: writer.ids.claim("tooltip".to_owned()),
    };
    tooltip(&view, slot(&inline(writer, element)))
}

/// Renders `<Tile>`.
pub(super) fn draw_tile<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let view = Tile {
        href: writer.link(&element.text("href").unwrap_or_default()),
        title: writer.label(element, "title"),
        description: writer.label(element, "description"),
    };
    tile(&view, slot(&children(writer, element)))
}

/// Renders `<Tree.Folder>`.
pub(super) fn draw_folder<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let view = Folder {
        name: writer.label(element, "name").unwrap_or_default(),
        is_open: element.flag("defaultOpen"),
        is_fixed: element.prop("openable").is_some() && !element.flag("openable"),
        is_highlighted: element.flag("highlight"),
    };
    folder(&view, slot(&children(writer, element)))
}

/// Renders `<Color.Item>`, whose value is a color or `{light, dark}`.
pub(super) fn draw_color<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let mode = |name: &str| {
        let value = element.json("value")?;
        value.get(name)?.as_str().map(str::to_owned)
    };
    let light = element.text("value").or_else(|| mode("light"));
    color::item(
        &writer.label(element, "name").unwrap_or_default(),
        &light.unwrap_or_default(),
        mode("dark").as_deref(),
    )
}

/// Renders `<Link>`.
pub(super) fn draw_link<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let href = writer.link(&element.text("href").unwrap_or_default());
    html! { a href=(href) { (slot(&inline(writer, element))) } }
}

/// Renders `<Latex>`; a formula of several lines is a block.
pub(super) fn draw_formula<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> String {
    let formula = source::of(writer, element, "children");
    let is_display = element.flag("display") || formula.trim().contains('\n');
    writer.formula(&formula, is_display, element.at.unwrap_or(0))
}

/// Renders `<Mermaid>`, which the browser makes a picture of.
pub(super) fn draw_diagram<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let view = Diagram {
        source: source::of(writer, element, "chart"),
        script_url: writer.theme_url(assets::DIAGRAMS),
        placement: element.text("placement"),
        actions: element.prop("actions").map(|_| element.flag("actions")),
    };
    diagram(&view)
}
