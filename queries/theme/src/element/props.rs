//! Props that components know, for suggestions: what is nearly one of them is a slip of the author.

use base::diagnostic::{Code, near};

use crate::instance::Instance;
use crate::prose::Writer;

/// Each component with its props, apart from those of every component.
pub(super) const PROPS: &[(&str, &[&str])] = &[
    (
        "Accordion",
        &["title", "description", "icon", "iconType", "defaultOpen"],
    ),
    (
        "Badge",
        &[
            "color", "size", "shape", "stroke", "disabled", "icon", "iconType",
        ],
    ),
    ("Callout", &["type", "title", "icon", "iconType", "color"]),
    (
        "Card",
        &[
            "title",
            "icon",
            "iconType",
            "color",
            "href",
            "target",
            "img",
            "cta",
            "arrow",
            "horizontal",
            "disabled",
            "type",
        ],
    ),
    ("CardGroup", &["cols"]),
    ("CodeGroup", &["dropdown"]),
    ("Columns", &["cols"]),
    ("Expandable", &["title", "defaultOpen"]),
    ("Frame", &["caption", "hint"]),
    ("Icon", &["icon", "iconType", "color", "size"]),
    (
        "ParamField",
        &[
            "path",
            "query",
            "body",
            "header",
            "cookie",
            "type",
            "required",
            "deprecated",
            "default",
            "placeholder",
            "enum",
            "pre",
            "post",
        ],
    ),
    ("Prompt", &["description", "actions", "icon", "iconType"]),
    (
        "ResponseField",
        &[
            "name",
            "type",
            "required",
            "deprecated",
            "default",
            "pre",
            "post",
        ],
    ),
    (
        "Step",
        &[
            "title",
            "icon",
            "iconType",
            "stepNumber",
            "titleSize",
            "noAnchor",
        ],
    ),
    ("Steps", &["titleSize"]),
    ("Tab", &["title", "icon", "iconType"]),
    ("Tabs", &["defaultTabIndex", "sync", "borderBottom"]),
    ("Tile", &["href", "title", "description"]),
    ("Tooltip", &["tip", "headline", "cta", "href"]),
    ("Update", &["label", "description", "tags"]),
    ("View", &["title", "icon", "iconType"]),
];

/// Reports the props of `element` whose names are nearly those of props that it knows. Others are let be: authors leave
/// props there that another program reads.
pub(super) fn check(writer: &mut Writer<'_>, element: &Instance<'_>) {
    let Some(at) = element.at else { return };
    let known = PROPS.iter().find(|(name, _)| *name == &*element.name);
    let Some((component, known)) = known else {
        return;
    };
    for (name, _) in &element.props {
        if name.len() < 3
            || known.contains(&&**name)
            || matches!(&**name, "className" | "style" | "id" | "key")
        {
            continue;
        }
        // What another component calls so is no slip: authors give it, and this one does not use it.
        let is_elsewhere = PROPS.iter().any(|(_, props)| props.contains(&&**name));
        let Some(near) = near(name, known.iter().copied()).filter(|_| !is_elsewhere) else {
            continue;
        };
        let message = format!("`<{component}>` has no prop `{name}`");
        // A component in a value of JavaScript has no tag to point into.
        match writer.attribute_at(at, name) {
            Some(at) => writer.report(Code::UnknownProp, at, name.len(), message, near.advice()),
            None => {
                let advice = near.advice_with(None);
                writer.report(Code::UnknownProp, at, component.len() + 1, message, advice);
            }
        }
    }
}
