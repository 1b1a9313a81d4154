//! A diagram that the browser draws from its source.

use maud::{Markup, html};

/// A diagram in the language of Mermaid.
#[derive(Clone, Debug, Default)]
pub struct Diagram {
    /// Source.
    pub source: String,
    /// The address of the script that renders it.
    pub script_url: String,
    /// The corner of its controls: `top-left` to `bottom-right`, which is where they are without it.
    pub placement: Option<String>,
    /// Whether it has controls; by default only tall diagrams have them.
    pub actions: Option<bool>,
}

const CORNERS: &[&str] = &["top-left", "top-right", "bottom-left", "bottom-right"];

/// Renders the source, which readers see until the script has drawn the diagram, and if it cannot.
pub fn diagram(view: &Diagram) -> Markup {
    let corner = CORNERS
        .iter()
        .find(|corner| view.placement.as_deref() == Some(corner));
    let actions = view
        .actions
        .map(|actions| if actions { "on" } else { "off" });
    html! {
        figure.diagram.mermaid data-component-name="mermaid-container" data-diagram=(view.script_url) data-placement=[corner] data-actions=[actions] {
            pre.diagram-source tabindex="0" { code { (view.source.trim_end()) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_is_escaped_and_corners_are_known() {
        let view = Diagram {
            source: "graph TD\n  A --> B<b>\n".into(),
            script_url: "/_theme/mermaid.js".into(),
            placement: Some("middle".into()),
            actions: Some(true),
        };
        assert_eq!(
            diagram(&view).into_string(),
            "<figure class=\"diagram mermaid\" data-component-name=\"mermaid-container\" data-diagram=\"/_theme/mermaid.js\" data-actions=\"on\">\
             <pre class=\"diagram-source\" tabindex=\"0\"><code>graph TD\n  A --&gt; B&lt;b&gt;</code></pre></figure>"
        );
    }
}
