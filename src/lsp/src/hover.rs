//! Hover: what a component, a prop, an icon, a field, a page or an operation is.

use std::ops::Range;

use base64::Engine;
use queries::base::path::SitePath;
use queries::site::editor::{self, LinkedPlace, component_docs, config_fields, page_summary};
use queries::site::{Db, Site};

use crate::completion::component_text;
use crate::project::{At, Project};
use crate::target::{self, Target};

/// Maximum number of lines of a page or a file that are shown.
const MAX_LINES: usize = 24;

/// Edge of a drawing, in pixels.
const DRAWING: usize = 48;

/// Returns what is said of the construct at a place, in Markdown, and the range of it.
pub(crate) fn hover(at: &At) -> Option<(String, Range<usize>)> {
    let At {
        project,
        path,
        text,
        offset,
    } = at;
    let source = text.as_str();
    let (target, range) = project
        .host
        .read(|db, site| target::at((db, site), path, source, *offset))
        .ok()??;
    if let Target::Local { file, .. } | Target::File(file) | Target::Value(file, _) = &target {
        return Some((file_text(project, file)?, range));
    }
    let text = project
        .host
        .read(|db, site| describe((db, site), path, &target))
        .ok()??;
    Some((text, range))
}

fn describe(context: (&dyn Db, Site), path: &SitePath, target: &Target) -> Option<String> {
    let (db, site) = context;
    match target {
        Target::Component(name) => {
            let docs = component_docs();
            let docs = docs.iter().find(|docs| docs.name == *name)?;
            Some(format!("**{name}**\n\n{}", component_text(docs)))
        }
        Target::Prop(component, prop) => {
            let docs = component_docs();
            let docs = docs.iter().find(|docs| docs.name == *component)?;
            let (_, what) = docs.props.iter().find(|(name, _)| name == prop)?;
            Some(format!("`{prop}` of `<{component}>`\n\n{what}"))
        }
        Target::Icon(name) => {
            let drawing = editor::icon_drawing(db, site, name)?;
            let drawing = drawing.replacen(
                "width=\"16\" height=\"16\"",
                &format!("width=\"{DRAWING}\" height=\"{DRAWING}\" color=\"#888\""),
                1,
            );
            let encoded = base64::engine::general_purpose::STANDARD.encode(drawing);
            Some(format!(
                "![{name}](data:image/svg+xml;base64,{encoded})\n\n`{name}`"
            ))
        }
        Target::Key(key) => {
            let what = editor::front_matter_about(key)?;
            Some(format!("`{key}`\n\n{what}"))
        }
        Target::Field(way, key) => {
            let mut fields = config_fields(way, &[]).into_iter();
            let field = fields.find(|field| field.key == *key)?;
            let words: Vec<String> = (field.words.iter())
                .map(|word| format!("`{word}`"))
                .collect();
            let words = match words.is_empty() {
                true => String::new(),
                false => format!("\n\nOne of {}.", words.join(", ")),
            };
            Some(format!("`{key}`\n\n{}{words}", field.about?))
        }
        Target::Operation(words) => {
            let operation = target::operation(context, words)?;
            let about = editor::operation_about(db, operation.operation);
            let about = shortened(about.unwrap_or_default());
            let (page, _) = editor::pages_of_operation(db, site, operation.operation);
            let shown = page.map(|page| format!(", shown at `{}`", page_summary(db, page).route));
            Some(format!(
                "**{}**\n\n`{}` in `{}`{}\n\n{about}",
                operation.title,
                operation.name,
                operation.spec,
                shown.unwrap_or_default()
            ))
        }
        Target::Page(place) => page(context, place),
        Target::Own(Some(anchor)) => {
            let place = LinkedPlace {
                route: queries::base::path::Route::of_page(path),
                anchor: Some(anchor.clone()),
            };
            let count = editor::links_to(db, site, &place).len();
            let s = if count == 1 { "" } else { "s" };
            Some(format!("`#{anchor}`\n\n{count} link{s} lead here"))
        }
        Target::Own(None) | Target::Local { .. } | Target::File(_) | Target::Value(..) => None,
    }
}

/// Title, address and beginning of a page.
fn page((db, site): (&dyn Db, Site), place: &LinkedPlace) -> Option<String> {
    let page = editor::page_at(db, site, &place.route)?;
    let summary = page_summary(db, page);
    let text = match &place.anchor {
        Some(anchor) => section(&summary.text, anchor),
        None => summary.text.to_string(),
    };
    Some(format!(
        "**{}** · `{}`\n\n{}",
        summary.title,
        summary.route,
        shortened(&text)
    ))
}

/// Returns the part of `text` below the heading with the id `anchor`; all of it if there is none.
fn section(text: &str, anchor: &str) -> String {
    let headings = target::headings(text);
    let at = headings.iter().position(|heading| heading.id == *anchor);
    let Some(at) = at else {
        return text.to_owned();
    };
    let level = headings[at].level;
    let next = headings[at + 1..].iter().find(|next| next.level <= level);
    let start = |offset: usize| text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = next.map_or(text.len(), |next| start(next.range.start));
    text[start(headings[at].range.start)..end].to_owned()
}

fn file_text(project: &Project, file: &SitePath) -> Option<String> {
    let text = project.text(file)?;
    let kind = match file.extension().as_str() {
        "jsx" | "tsx" => "jsx",
        "json" => "json",
        "yaml" | "yml" => "yaml",
        _ => "mdx",
    };
    let text = shortened(text.as_str());
    Some(format!("`/{file}`\n\n````{kind}\n{text}\n````"))
}

fn shortened(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().collect();
    match lines.len() > MAX_LINES {
        true => format!("{}\n…", lines[..MAX_LINES].join("\n")),
        false => lines.join("\n"),
    }
}
