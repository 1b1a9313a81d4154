//! Code with its title, language and copy button.

use std::ops::Range;
use std::sync::LazyLock;

use highlight::{ByGrammar, TokenKind};
use maud::{Markup, PreEscaped, html};

use crate::code_scheme::CodeScheme;
use crate::html::push_escaped;
use crate::icon::{icon, user_icon};
use crate::words::Word;

/// A block of code.
#[derive(Clone, Debug, Default)]
pub struct CodeBlock {
    /// Name of a file, or what the code does.
    pub title: Option<String>,
    /// Name of the language, as it is written behind the fence.
    pub language: Option<String>,
    /// Name or address of an icon.
    pub icon: Option<String>,
    /// The lines.
    pub lines: Vec<CodeLine>,
    /// Whether lines are numbered.
    pub numbered: bool,
    /// Whether long lines break.
    pub wrap: bool,
    /// Whether a long block is folded until asked for.
    pub expandable: bool,
    /// The ground it stands on, where it is not that of all blocks.
    pub scheme: Option<CodeScheme>,
}

/// One line of code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeLine {
    /// Pieces, in order.
    pub tokens: Vec<(TokenKind, String)>,
    /// Mark.
    pub mark: LineMark,
    /// Whether it is in focus: lines that are not are dimmed.
    pub focused: bool,
    /// The bytes of its text that stand out, in order, without overlap.
    pub words: Vec<Range<usize>>,
}

/// Mark of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineMark {
    /// No mark: an unchanged line.
    #[default]
    None,
    /// Highlighted.
    Highlight,
    /// Added.
    Added,
    /// Removed.
    Removed,
    /// Doubtful.
    Warning,
    /// Wrong.
    Error,
}

/// The lines of `code` in the language `name`, with their pieces. What has no lexer is left to
/// `by_grammar`.
pub fn lines(name: Option<&str>, code: &str, by_grammar: ByGrammar<'_>) -> Vec<CodeLine> {
    let lines = highlight::lines(name, code, by_grammar).into_iter();
    let lines = lines.map(|tokens| CodeLine {
        tokens,
        ..CodeLine::default()
    });
    lines.collect()
}

impl CodeBlock {
    /// A block of `code` without colors.
    pub fn plain(code: &str) -> Self {
        let lines = code
            .strip_suffix('\n')
            .unwrap_or(code)
            .split('\n')
            .map(|line| CodeLine {
                tokens: vec![(TokenKind::Plain, line.to_owned())],
                ..CodeLine::default()
            })
            .collect();
        Self {
            lines,
            ..Self::default()
        }
    }

    /// The block with `mark` on the lines with these numbers, from 1.
    pub fn with_marks(mut self, mark: LineMark, numbers: impl IntoIterator<Item = usize>) -> Self {
        for number in numbers {
            if let Some(line) = number.checked_sub(1).and_then(|at| self.lines.get_mut(at)) {
                line.mark = mark;
            }
        }
        self
    }

    /// The block with these lines in focus, by numbers from 1.
    pub fn focused(mut self, numbers: impl IntoIterator<Item = usize>) -> Self {
        for number in numbers {
            if let Some(line) = number.checked_sub(1).and_then(|at| self.lines.get_mut(at)) {
                line.focused = true;
            }
        }
        self
    }

    /// The block with `word` standing out in these lines, by numbers from 1.
    pub fn with_word(mut self, word: &str, numbers: impl IntoIterator<Item = usize>) -> Self {
        for number in numbers {
            let Some(line) = number.checked_sub(1).and_then(|at| self.lines.get_mut(at)) else {
                continue;
            };
            let text: String = line.tokens.iter().map(|(_, text)| text.as_str()).collect();
            for (at, _) in text.match_indices(word) {
                let range = at..at + word.len();
                let is_free =
                    |known: &Range<usize>| known.end <= range.start || range.end <= known.start;
                if line.words.iter().all(is_free) {
                    line.words.push(range);
                }
            }
            line.words.sort_by_key(|range| range.start);
        }
        self
    }
}

/// Renders a block.
pub fn code_block(view: &CodeBlock) -> Markup {
    html! {
        figure.code-block data-code data-scheme=[view.scheme.map(CodeScheme::name)] {
            @if let Some(title) = &view.title {
                figcaption.code-title {
                    @let drawn = user_icon(view.icon.as_deref());
                    @if !drawn.0.is_empty() { span.code-block-icon { (drawn) } }
                    span.code-name { (title) }
                    @if let Some(language) = &view.language { span.code-language { (language) } }
                }
            }
            (code_body(view))
        }
    }
}

/// Renders the code and its copy button, without a title.
pub(crate) fn code_body(view: &CodeBlock) -> Markup {
    let focused = view.lines.iter().any(|line| line.focused);
    let classes = [
        (view.wrap, "code-wrap"),
        (view.numbered, "code-numbered"),
        (focused, "code-focused"),
    ];
    let classes: Vec<&str> = (classes.iter().filter(|(is_set, _)| *is_set))
        .map(|(_, class)| *class)
        .collect();
    let classes = (!classes.is_empty()).then(|| classes.join(" "));
    let folded = view.expandable && view.lines.len() > 14;
    let size = known_size(view);
    html! {
        div.code-body data-folded[folded] {
            (copy_button())
            pre class=[classes] tabindex="0" {
                code class=[view.language.as_deref().map(language_class)] data-lines=[size.map(|size| size.0)] data-columns=[size.map(|size| size.1)] {
                    (code_lines(view))
                }
            }
            @if folded { button.code-unfold type="button" data-unfold { (Word::ShowLines.of(view.lines.len().to_string())) } }
        }
    }
}

/// Lines from which on code is worth a note of its size.
const LONG: usize = 6;

/// Size of long code in lines and columns, where that is certain before it is laid out. A browser then works out its style and
/// its lines when it comes into sight: code is most of the elements of a page.
fn known_size(view: &CodeBlock) -> Option<(usize, usize)> {
    if view.wrap || has_line_elements(view) {
        return None;
    }
    // An empty line at the end is not laid out.
    let is_empty = |line: &CodeLine| line.tokens.iter().all(|(_, text)| text.is_empty());
    let lines = view.lines.len() - usize::from(view.lines.last().is_some_and(is_empty));
    let width = |line: &CodeLine| {
        let texts = line.tokens.iter().flat_map(|(_, text)| text.chars());
        texts
            .map(|c| if c == '\t' || c >= '\u{1100}' { 2 } else { 1 })
            .sum()
    };
    (lines >= LONG).then(|| (lines, view.lines.iter().map(width).max().unwrap_or(0)))
}

/// Returns true if each line has an element of its own, because lines are numbered, marked or in
/// focus.
fn has_line_elements(view: &CodeBlock) -> bool {
    view.numbered
        || view
            .lines
            .iter()
            .any(|line| line.mark != LineMark::None || line.focused)
}

/// Renders the lines. Lines get elements of their own only where they are numbered, marked or in
/// focus.
///
/// Half of the text of a site is code, so this writes into one string what a template would put together from many.
fn code_lines(view: &CodeBlock) -> PreEscaped<String> {
    let by_line = has_line_elements(view);
    let tokens = view.lines.iter().flat_map(|line| &line.tokens);
    let mut out = String::with_capacity(tokens.map(|(_, text)| text.len() + 16).sum());
    for (i, line) in view.lines.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        if by_line {
            out.push_str("<span class=\"line\"");
            if let Some(mark) = mark_name(line.mark) {
                out.push_str(" data-mark=\"");
                out.push_str(mark);
                out.push('"');
            }
            out.push_str(if line.focused { " data-focus>" } else { ">" });
        }
        push_tokens(&mut out, line);
        if by_line {
            out.push_str("</span>");
        }
    }
    PreEscaped(out)
}

fn push_tokens(out: &mut String, line: &CodeLine) {
    let mut at = 0;
    for (kind, text) in &line.tokens {
        if let Some(class) = kind.class() {
            out.push_str("<span class=\"");
            out.push_str(class);
            out.push_str("\">");
        }
        if line.words.is_empty() {
            push_escaped(out, text);
        } else {
            for (piece, stands_out) in pieces(text, at, &line.words) {
                if stands_out {
                    out.push_str("<mark class=\"code-word\">");
                    push_escaped(out, piece);
                    out.push_str("</mark>");
                } else {
                    push_escaped(out, piece);
                }
            }
        }
        if kind.class().is_some() {
            out.push_str("</span>");
        }
        at += text.len();
    }
}

/// Splits `text`, which begins at byte `at` of its line, at the bounds of `words` (byte ranges of
/// the line). Returns each piece with whether it is within a word.
fn pieces<'a>(text: &'a str, at: usize, words: &[Range<usize>]) -> Vec<(&'a str, bool)> {
    let mut pieces = Vec::with_capacity(1);
    let mut from = 0;
    for word in words {
        let start = word.start.saturating_sub(at).clamp(from, text.len());
        let end = word.end.saturating_sub(at).clamp(start, text.len());
        pieces.push((&text[from..start], false));
        pieces.push((&text[start..end], true));
        from = end;
    }
    pieces.push((&text[from..], false));
    pieces.retain(|(text, _)| !text.is_empty());
    pieces
}

fn mark_name(mark: LineMark) -> Option<&'static str> {
    match mark {
        LineMark::None => None,
        LineMark::Highlight => Some("highlight"),
        LineMark::Added => Some("added"),
        LineMark::Removed => Some("removed"),
        LineMark::Warning => Some("warning"),
        LineMark::Error => Some("error"),
    }
}

fn language_class(language: &str) -> String {
    let name: String = language
        .chars()
        .filter(|character| character.is_alphanumeric() || "-_+#".contains(*character))
        .collect();
    format!("language-{name}")
}

/// The button that copies; the same on every block.
pub(super) fn copy_button() -> PreEscaped<&'static str> {
    static BUTTON: LazyLock<String> = LazyLock::new(|| {
        let button = html! {
            button.copy-button.code-block-copy-button type="button" data-copy aria-label=(Word::CopyCode) {
                span.copy-idle { (icon("copy").unwrap_or_default()) }
                span.copy-done { (icon("check").unwrap_or_default()) }
            }
        };
        button.into_string()
    });
    PreEscaped(&BUTTON)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_escaped_and_keeps_its_lines() {
        let html = code_block(&CodeBlock::plain("<a>\n\n&b\n")).into_string();
        assert!(html.contains("<code>&lt;a&gt;\n\n&amp;b</code>"), "{html}");
    }

    #[test]
    fn marked_lines_stand_in_elements() {
        let view = CodeBlock::plain("a\nb").with_marks(LineMark::Highlight, [2, 7, 0]);
        let html = code_block(&view).into_string();
        assert!(
            html.contains("<span class=\"line\">a</span>\n<span class=\"line\" data-mark=\"highlight\">b</span>"),
            "{html}"
        );
    }

    #[test]
    fn words_stand_out_across_tokens() {
        let mut view = CodeBlock::plain("");
        view.lines[0].tokens = vec![
            (TokenKind::Keyword, "let".into()),
            (TokenKind::Plain, " a<".into()),
        ];
        let html = code_block(&view.with_word("t a", [1])).into_string();
        let expected = "<span class=\"t-k\">le<mark class=\"code-word\">t</mark></span><mark class=\"code-word\"> a</mark>&lt;";
        assert!(html.contains(expected), "{html}");
    }

    #[test]
    fn tokens_carry_their_class() {
        let view = CodeBlock {
            language: Some("js\" x=".into()),
            lines: vec![CodeLine {
                tokens: vec![
                    (TokenKind::Keyword, "let".into()),
                    (TokenKind::Plain, " <".into()),
                ],
                ..CodeLine::default()
            }],
            ..CodeBlock::default()
        };
        let html = code_block(&view).into_string();
        assert!(
            html.contains(
                "<code class=\"language-jsx\"><span class=\"t-k\">let</span> &lt;</code>"
            ),
            "{html}"
        );
    }
}
