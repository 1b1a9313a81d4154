//! The foot of an article: feedback, links to edit it and to report issues, the date of its last
//! change.

use maud::{Markup, html};

use crate::article::LastModified;
use crate::icon::icon;
use crate::words::Word;

/// The foot of an article.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageFoot {
    /// URL for ratings of the page, and the path of the page.
    pub feedback: Option<(String, String)>,
    /// URL to edit its source.
    pub edit: Option<String>,
    /// URL to report an issue.
    pub issue: Option<String>,
    /// When it was last changed.
    pub last_modified: Option<LastModified>,
}

/// Longest text of a reader, in characters: the service takes no more.
const MAX_FEEDBACK_CHARS: usize = 2000;

/// Renders the foot; nothing of a page that has nothing to say there.
pub fn page_foot(view: &PageFoot) -> Markup {
    let has_line = view.edit.is_some() || view.issue.is_some() || view.last_modified.is_some();
    html! {
        @if has_line || view.feedback.is_some() {
            div.page-foot.feedback-toolbar id="feedback-toolbar" {
                @if let Some((address, path)) = &view.feedback { (feedback(address, path)) }
                @if has_line {
                    div.page-source {
                        @if let Some(date) = &view.last_modified {
                            p.last-modified {
                                (Word::LastModified) " "
                                @if let Some(iso) = &date.iso { time datetime=(iso) { (date.text) } } @else { (date.text) }
                            }
                        }
                        @if view.edit.is_some() || view.issue.is_some() {
                            ul.page-source-links {
                                @if let Some(href) = &view.edit { li { (source_link(href, "pencil", Word::SuggestEdits)) } }
                                @if let Some(href) = &view.issue { li { (source_link(href, "flag", Word::RaiseIssue)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn source_link(href: &str, sign: &str, label: Word) -> Markup {
    html! {
        a href=(href) target="_blank" rel="noopener external nofollow" { (icon(sign).unwrap_or_default()) (label) }
    }
}

/// Renders the question whether a page helped. Without scripts it is a form with room for words and
/// two buttons that send it; with scripts the room appears once a button was pressed.
fn feedback(address: &str, path: &str) -> Markup {
    let thumb = |id: &str, value: &str, sign: &str, label: Word| {
        html! {
            button.page-feedback-choice id=(id) type="submit" name="helpful" value=(value) aria-pressed="false" {
                (icon(sign).unwrap_or_default()) (label)
            }
        }
    };
    html! {
        form.page-feedback.contextual-feedback-container method="post" action=(address) data-page-feedback aria-labelledby="quire-feedback-question" {
            input type="hidden" name="kind" value="page";
            input type="hidden" name="path" value=(path);
            div.page-feedback-row {
                p.page-feedback-question id="quire-feedback-question" { (Word::WasHelpful) }
                div.page-feedback-choices {
                    (thumb("feedback-thumbs-up", "true", "thumbs-up", Word::Yes))
                    (thumb("feedback-thumbs-down", "false", "thumbs-down", Word::No))
                }
            }
            div.page-feedback-more.contextual-feedback-form id="feedback-form" {
                label.contextual-feedback-form-title for="feedback-form-input" { (Word::WhatMissing) }
                textarea.contextual-feedback-input id="feedback-form-input" name="text" rows="3" maxlength=(MAX_FEEDBACK_CHARS) {}
                div.page-feedback-buttons {
                    button.contextual-feedback-button.contextual-feedback-form-submit-button type="button" id="feedback-form-submit" data-feedback-send { (Word::Send) }
                    button.contextual-feedback-button type="button" id="feedback-form-cancel" data-feedback-cancel { (Word::Cancel) }
                }
            }
            p.page-feedback-thanks id="feedback-thanks" tabindex="-1" { (Word::Thanks) }
            p.page-feedback-failed { (Word::NotSent) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_anything_has_no_foot() {
        assert_eq!(page_foot(&PageFoot::default()).into_string(), "");
    }

    #[test]
    fn addresses_are_escaped() {
        let html = page_foot(&PageFoot {
            feedback: Some(("/_quire/feedback".into(), "/a\"><b>".into())),
            edit: Some("https://a.example/\"><script>".into()),
            ..PageFoot::default()
        })
        .into_string();
        assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
        assert!(html.contains("name=\"path\" value=\"/a&quot;"));
    }
}
