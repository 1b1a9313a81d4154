//! Tabs. Without scripts every panel is shown under its title; scripts turn the titles into a list of tabs.

use maud::{Markup, PreEscaped, html};

use crate::html::text_of;
use crate::icon::user_icon;
use crate::label::Label;

/// A set of tabs.
#[derive(Clone, Debug, Default)]
pub struct Tabs {
    /// The tabs, in order.
    pub tabs: Vec<Tab>,
    /// Index of the initial tab, from 0.
    pub default: usize,
    /// Whether a line ends them.
    pub has_border: bool,
    /// Whether sets with the same titles switch together.
    pub sync: bool,
}

/// One tab.
#[derive(Clone, Debug, Default)]
pub struct Tab {
    /// Title.
    pub title: Label,
    /// Id to link to.
    pub id: Option<String>,
    /// Name or address of an icon.
    pub icon: Option<String>,
    /// Rendered content.
    pub body: String,
}

/// Renders the tabs.
pub fn tabs(view: &Tabs) -> Markup {
    let selected = view.default.min(view.tabs.len().saturating_sub(1));
    let titles: Vec<(&str, Markup)> = (view.tabs.iter())
        .map(|tab| {
            let drawn = user_icon(tab.icon.as_deref());
            (
                tab.title.text(),
                html! { (tab_icon(&drawn)) (tab.title.without_links()) },
            )
        })
        .collect();
    html! {
        div.tabs data-tabs data-sync[view.sync] data-border[view.has_border] {
            (tab_buttons(&titles, selected))
            @for (i, tab) in view.tabs.iter().enumerate() {
                section.tab-panel id=[tab.id.as_deref()] data-tab=(tab.title.text()) data-active[i == selected] {
                    h4.tab-title aria-label=[tab.title.is_picture().then(|| tab.title.text())] { (tab.title) }
                    (PreEscaped(&tab.body))
                }
            }
        }
    }
}

/// Renders the row of tabs that scripts bring to life; without scripts it is not displayed.
pub(crate) fn tab_list(titles: &[(&str, Markup)], selected: usize) -> Markup {
    let drawn: Vec<(&str, Markup)> = (titles.iter())
        .map(|(title, icon)| (*title, html! { (icon) (title) }))
        .collect();
    tab_buttons(&drawn, selected)
}

/// Renders the icon of a tab; nothing without one.
pub(crate) fn tab_icon(icon_markup: &Markup) -> Markup {
    html! { @if !icon_markup.0.is_empty() { span.tab-icon { (icon_markup) } } }
}

/// Renders the row of tabs, each with its name and what is rendered of it.
fn tab_buttons(titles: &[(&str, Markup)], selected_index: usize) -> Markup {
    html! {
        div.tab-list role="tablist" {
            @for (i, (title, drawn)) in titles.iter().enumerate() {
                button.tab-button type="button" role="tab" data-tab=(title)
                    aria-label=[text_of(&drawn.0).trim().is_empty().then_some(title)]
                    aria-selected=(if i == selected_index { "true" } else { "false" })
                    tabindex=(if i == selected_index { "0" } else { "-1" }) {
                    (drawn)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_panel_is_active() {
        let tab = |title: &str| Tab {
            title: title.into(),
            body: "<p>b</p>".into(),
            ..Tab::default()
        };
        let html = tabs(&Tabs {
            tabs: vec![tab("A\"b"), tab("B")],
            default: 9,
            sync: true,
            ..Tabs::default()
        })
        .into_string();
        assert_eq!(html.matches(" data-active").count(), 1);
        assert_eq!(html.matches(r#"aria-selected="true""#).count(), 1);
        assert!(html.contains("A&quot;b"), "{html}");
    }

    #[test]
    fn a_picture_as_title_has_a_name() {
        let picture = Label::from_html("<svg></svg>").with_name("Tab 1");
        let tab = Tab {
            title: picture,
            ..Tab::default()
        };
        let view = Tabs {
            tabs: vec![tab],
            ..Tabs::default()
        };
        let html = tabs(&view).into_string();
        assert_eq!(html.matches("aria-label=\"Tab 1\"").count(), 2, "{html}");
        assert_eq!(html.matches("data-tab=\"Tab 1\"").count(), 2, "{html}");
    }
}
