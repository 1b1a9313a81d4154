//! Components that give a page its shape: cards, steps, tabs, views, the entries of a changelog, headings.

use maud::{Markup, PreEscaped, html};

use super::{children, inline};
use crate::components::card::{Card, card};
use crate::components::prose;
use crate::components::steps::{Step, step, steps};
use crate::components::tabs::{Tab, Tabs, tabs};
use crate::components::update::{Update, update};
use crate::components::view;
use crate::html::{self, slot};
use crate::icon::user_icon;
use crate::instance::{Children, Instance};
use crate::prose::{BodyPart, OutlineEntry, Writer};

/// Renders `<Card>`.
pub(super) fn draw_card<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let text = |name: &str| element.text(name);
    let is_disabled = element.flag("disabled");
    let href = text("href").filter(|_| !is_disabled);
    let view = Card {
        title: writer.label(element, "title"),
        icon: writer.icon(element),
        color: text("color"),
        href: href.map(|href| writer.link(&href)),
        target: text("target"),
        image: text("img").map(|src| writer.asset(&src)),
        cta: writer.label(element, "cta"),
        arrow: element.prop("arrow").map(|_| element.flag("arrow")),
        horizontal: element.flag("horizontal"),
        disabled: is_disabled,
        kind: text("type").and_then(|kind| card_kind(&kind)),
    };
    card(&view, slot(&children(writer, element)))
}

/// The kind of a card that `type` names.
fn card_kind(name: &str) -> Option<&'static str> {
    Some(match name {
        "note" => "note",
        "tip" => "tip",
        "info" => "info",
        "warning" => "warning",
        "check" | "success" => "check",
        "danger" | "error" => "danger",
        _ => return None,
    })
}

/// Renders `<GitHub.Repo>`: a card that leads to a repository.
pub(super) fn draw_repository<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let repository = element.text("repo").unwrap_or_default();
    let view = Card {
        title: Some(repository.as_str().into()),
        icon: Some("fontawesome/brands:github".to_owned()),
        href: Some(format!("https://github.com/{repository}")),
        horizontal: true,
        ..Card::default()
    };
    let drawn = card(&view, slot(&children(writer, element)));
    if element.text("variant").as_deref() == Some("flat") {
        return html! { div.repository-flat { (drawn) } };
    }
    drawn
}

/// The level of a heading that `titleSize` names.
fn title_level(element: &Instance<'_>) -> Option<u8> {
    match element.text("titleSize").as_deref() {
        Some("h2") => Some(2),
        Some("h3") => Some(3),
        Some("h4") => Some(4),
        _ => None,
    }
}

/// Renders `<Steps>`; the size of its titles is that of its steps that name none.
pub(super) fn draw_steps<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let outer = std::mem::replace(&mut writer.step_level, title_level(element));
    let drawn = children(writer, element);
    writer.step_level = outer;
    steps(slot(&drawn))
}

/// Renders `<Step>`.
pub(super) fn draw_step<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let title = writer.label(element, "title").unwrap_or_default();
    let heading = match element.prop("titleSize") {
        Some(_) => title_level(element),
        None => writer.step_level,
    };
    let id = element.text("id").map(|id| writer.ids.claim(id));
    let has_own = !title.text().is_empty() && !element.flag("noAnchor");
    let id = id.or_else(|| has_own.then(|| writer.ids.next(title.text())));
    if let (Some(level), Some(id)) = (heading, &id)
        && !element.flag("noAnchor")
    {
        writer.body.outline.push(OutlineEntry {
            level,
            id: id.clone(),
            title: title.text().to_owned(),
        });
    }
    let number = element.text("stepNumber");
    let aliases = match &id {
        Some(id) => writer.ids.aliases(title.text(), id),
        None => Vec::new(),
    };
    let view = Step {
        title,
        id,
        aliases,
        icon: writer.icon(element),
        number: number.and_then(|number| number.parse().ok()),
        heading,
        depth: heading.and_then(|level| writer.depth(level)),
        no_anchor: element.flag("noAnchor"),
    };
    step(&view, slot(&children(writer, element)))
}

/// Renders `<Tabs>` with each `<Tab>` in it.
pub(super) fn draw_tabs<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let mut view = Tabs {
        sync: element.prop("sync").is_none() || element.flag("sync"),
        has_border: element.flag("borderBottom"),
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
        let tab = super::foreign::adopted(&tab).unwrap_or(tab);
        if &*tab.name != "Tab" {
            continue;
        }
        if tab.flag("default") {
            view.default = view.tabs.len();
        }
        let name = format!("Tab {}", view.tabs.len() + 1);
        let title = match writer.label(&tab, "title") {
            Some(title) if title.is_picture() && !title.is_empty() => {
                let name = title.alternative().unwrap_or(name);
                title.with_name(&name)
            }
            Some(title) if !title.text().trim().is_empty() => title,
            _ => name.into(),
        };
        let id = Some(match tab.text("id") {
            Some(id) => writer.ids.claim(id),
            None => writer.ids.next(title.text()),
        });
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

/// Renders `<View>`: a part of the page for readers that chose its title, at the top of the page.
pub(super) fn draw_view<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let title = element.text("title").unwrap_or_default();
    let icon = user_icon(writer.icon(element).as_deref()).into_string();
    let id = writer.ids.next(&title);
    let is_active = (writer.views.first()).is_none_or(|(first, _)| *first == title);
    if !writer.views.iter().any(|(known, _)| *known == title) {
        writer.views.push((title.clone(), icon.clone()));
    }
    let drawn = children(writer, element);
    view::view(&title, &id, is_active, slot(&icon), slot(&drawn))
}

/// Renders `<Update>`. What `rss` says is for the feed, and not seen.
pub(super) fn draw_update<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let label = writer.label(element, "label").unwrap_or_default();
    let id = match element.text("id") {
        Some(id) => writer.ids.claim(id),
        None => writer.ids.next(label.text()),
    };
    writer.body.outline.push(OutlineEntry {
        level: 2,
        id: id.clone(),
        title: label.text().to_owned(),
    });
    let tags = element.texts("tags");
    for tag in &tags {
        if !writer.tags.contains(tag) {
            writer.tags.push(tag.clone());
        }
    }
    let rss = element.json("rss").unwrap_or_default();
    let field = |name: &str| {
        let text = rss.get(name).and_then(|text| text.as_str());
        let text = text.map(str::trim).filter(|text| !text.is_empty());
        text.map(str::to_owned)
    };
    let view = Update {
        feed: [field("title"), field("description")],
        aliases: writer.ids.aliases(label.text(), &id),
        label,
        description: writer.label(element, "description"),
        tags,
        id,
    };
    update(&view, slot(&children(writer, element)))
}

/// Renders `<Heading level={2} noAnchor>`.
pub(super) fn draw_heading<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let level = element.text("level").and_then(|level| level.parse().ok());
    let level = level.unwrap_or(2_u8).clamp(1, 6);
    let inner = inline(writer, element);
    let title = html::text_of(&inner).trim().to_owned();
    let own = element.text("id").map(|id| writer.ids.claim(id));
    let has_anchor = !element.flag("noAnchor");
    let id = own.or_else(|| has_anchor.then(|| writer.ids.next(&title)));
    if let Some(id) = id.clone().filter(|_| has_anchor) {
        writer.body.outline.push(OutlineEntry {
            level,
            id,
            title: title.clone(),
        });
    }
    let aliases = match &id {
        Some(id) => writer.ids.aliases(&title, id),
        None => Vec::new(),
    };
    let view = prose::Heading {
        is_below_title: writer.is_below_title(),
        level,
        depth: writer.depth(level),
        id,
        aliases,
        text: title,
    };
    prose::heading(&view, slot(inner.trim()))
}

/// Renders `<ZoomImage>`: what it holds, or the picture that its props name. Every picture that is
/// shown smaller than it is can be enlarged, so there is nothing more to say.
pub(super) fn draw_zoom_image<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> String {
    if element.prop("src").is_none() {
        return children(writer, element);
    }
    let mut image = element.with_name("img");
    image.children = Children::Values(Vec::new());
    super::draw_html(writer, &image)
}

/// Renders `<Icon>` in the size and the color that it is given.
pub(super) fn draw_icon<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let icon = user_icon(writer.icon(element).as_deref());
    let mut style = Vec::new();
    if let Some(size) = element.text("size").as_deref().and_then(css_size) {
        style.push(format!("font-size:{size}"));
    }
    let color = element.text("color");
    if let Some(color) = color.as_deref().and_then(crate::color::css_color) {
        style.push(format!("color:{color}"));
    }
    let own = element.json("style");
    let own = own.and_then(|own| html::attribute("style", &own, &mut str::to_owned));
    style.extend(own.and_then(|(_, own)| own));
    let Some(at) = icon.0.find(' ').filter(|_| !style.is_empty()) else {
        return icon;
    };
    let (tag, rest) = icon.0.split_at(at);
    let style = html::escaped(&style.join(";"));
    PreEscaped(format!("{tag} style=\"{style}\"{rest}"))
}

/// A size as CSS: a number is one of pixels.
fn css_size(size: &str) -> Option<String> {
    let end = size.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = size.split_at(end.unwrap_or(size.len()));
    let unit = if unit.is_empty() { "px" } else { unit };
    let is_known = matches!(unit, "px" | "rem" | "em");
    (is_known && number.parse::<f32>().is_ok()).then(|| format!("{number}{unit}"))
}
