//! Card in place of a source that could not be rendered.

use maud::{Markup, html};

use crate::icon::icon;

/// Diagnostic shown to an author.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// Severity.
    pub severity: ProblemSeverity,
    /// The code of the diagnostic: `unclosed-tag`.
    pub code: String,
    /// Message, in one line.
    pub message: String,
    /// The file.
    pub path: String,
    /// Line from 1.
    pub line: Option<usize>,
    /// Column from 1, in characters.
    pub column: Option<usize>,
    /// Advice.
    pub hint: Option<String>,
    /// The line in question.
    pub frame: Option<CodeFrame>,
}

/// Severity of a problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProblemSeverity {
    /// The page cannot be rendered.
    #[default]
    Error,
    /// The page is rendered, perhaps not as meant.
    Warning,
}

/// A line of source with the place that matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeFrame {
    /// Line from 1.
    pub line_number: usize,
    /// The line.
    pub text: String,
    /// Column from 1, in characters.
    pub column: usize,
    /// Width in characters.
    pub width: usize,
}

/// Renders the card.
pub fn problem(view: &Problem) -> Markup {
    let (kind, word) = match view.severity {
        ProblemSeverity::Error => ("error", "Error"),
        ProblemSeverity::Warning => ("warning", "Warning"),
    };
    html! {
        section.problem data-kind=(kind) {
            p.problem-title {
                (icon("danger").unwrap_or_default())
                strong { (word) }
                @if !view.code.is_empty() { code { (view.code) } }
            }
            p.problem-message { (inline_code(&view.message)) }
            p.problem-place { (place(view)) }
            @if let Some(frame) = &view.frame { (code_frame(frame)) }
            @if let Some(hint) = &view.hint {
                p.problem-hint { (icon("lightbulb").unwrap_or_default()) span { (inline_code(hint)) } }
            }
        }
    }
}

/// Renders a line of source with carets under the place that matters.
pub fn code_frame(frame: &CodeFrame) -> Markup {
    // Tabs are copied, so that the carets stand under their text whatever a tab is worth.
    let indent: String = frame
        .text
        .chars()
        .take(frame.column.saturating_sub(1))
        .map(|character| if character == '\t' { '\t' } else { ' ' })
        .collect();
    let rest = frame
        .text
        .chars()
        .count()
        .saturating_sub(indent.chars().count());
    let carets = "^".repeat(frame.width.clamp(1, rest.max(1)));
    let number = frame.line_number.to_string();
    let margin = " ".repeat(number.len());
    html! {
        pre.code-frame tabindex="0" {
            code {
                span.code-frame-number { (number) " │ " } (frame.text) "\n"
                span.code-frame-number { (margin) " │ " } (indent) span.code-frame-caret { (carets) }
            }
        }
    }
}

/// `text` with what stands between backticks as code.
fn inline_code(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (i, part) in parts.iter().enumerate() {
            @if i % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn place(view: &Problem) -> String {
    match (view.line, view.column) {
        (Some(line), Some(column)) => format!("{}:{line}:{column}", view.path),
        (Some(line), None) => format!("{}:{line}", view.path),
        _ => view.path.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_carets(text: &str, column: usize, width: usize, expected: &str) {
        let html = code_frame(&CodeFrame {
            line_number: 3,
            text: text.into(),
            column,
            width,
        })
        .into_string();
        let last = html.rsplit(" │ </span>").next().unwrap();
        let carets = last
            .replace("<span class=\"code-frame-caret\">", "")
            .replace("</span></code></pre>", "");
        assert_eq!(carets, expected);
    }

    #[test]
    fn carets_stand_under_their_text() {
        check_carets("openapi: GET /pet", 10, 8, "         ^^^^^^^^");
        check_carets("\té <Note>", 4, 5, "\t  ^^^^^");
    }

    #[test]
    fn carets_stay_within_the_line() {
        check_carets("abc", 3, 99, "  ^");
        check_carets("", 1, 0, "^");
    }

    #[test]
    fn backticks_become_code_when_they_are_paired() {
        assert_eq!(
            inline_code("a `<b>` c").into_string(),
            "a <code>&lt;b&gt;</code> c"
        );
        assert_eq!(inline_code("a ` c").into_string(), "a ` c");
    }

    #[test]
    fn source_is_escaped() {
        let html = problem(&Problem {
            message: "<x>".into(),
            path: "a.mdx".into(),
            line: Some(1),
            column: Some(2),
            ..Problem::default()
        })
        .into_string();
        assert!(
            html.contains("&lt;x&gt;") && html.contains("a.mdx:1:2"),
            "{html}"
        );
    }
}
