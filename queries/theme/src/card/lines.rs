//! Lines of a card: where texts are broken, and where they are cut.

use super::{Letters, Style, Weight};

/// Letter spacing of a large title, as a share of its size.
pub(super) const TIGHT: f32 = -0.022;

/// A text in lines.
pub(super) struct Lines {
    /// The lines.
    pub(super) lines: Vec<String>,
    /// Whether the end of the text is left out.
    pub(super) is_cut: bool,
    /// Whether a word was broken.
    pub(super) is_broken: bool,
}

/// A part of a text that is not broken.
struct Piece {
    text: String,
    width: f32,
    /// Whether a space is between it and the one before it.
    is_word: bool,
}

/// Returns the width of `text` in one line.
pub(super) fn width(text: &str, style: Style, letters: &dyn Letters) -> f32 {
    let tight = match style.weight {
        Weight::Semibold if style.size > 40.0 => TIGHT,
        _ => 0.0,
    };
    let widths = text.chars().map(|c| letters.width(c, style.weight) + tight);
    widths.sum::<f32>() * style.size
}

/// Returns true if a line may break before `c` without a space: scripts without spaces between
/// words.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3fffd}')
}

/// Returns true if no line may begin with `c`: closing punctuation of Chinese and Japanese.
fn closes(c: char) -> bool {
    "、。，．：；！？）」』】》〉ー々…".contains(c)
}

fn pieces(text: &str, most: f32, style: Style, letters: &dyn Letters) -> (Vec<Piece>, bool) {
    let mut pieces = Vec::new();
    let mut is_broken = false;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let mut parts: Vec<String> = Vec::new();
        let mut before = None;
        for c in word.chars() {
            let may_break = (is_ideograph(c) || before.is_some_and(is_ideograph)) && !closes(c);
            match parts.last_mut() {
                Some(last) if !may_break => last.push(c),
                _ => parts.push(c.to_string()),
            }
            before = Some(c);
        }
        let mut is_word = true;
        for part in parts {
            let whole = width(&part, style, letters);
            let broken = match whole > most {
                true => break_word(&part, most, style, letters),
                false => vec![part],
            };
            is_broken |= broken.len() > 1;
            for text in broken {
                let width = width(&text, style, letters);
                pieces.push(Piece {
                    text,
                    width,
                    is_word,
                });
                is_word = false;
            }
        }
    }
    (pieces, is_broken)
}

/// A word that is wider than a line: broken behind its signs and before its capitals, and where there are none, anywhere.
fn break_word(word: &str, most: f32, style: Style, letters: &dyn Letters) -> Vec<String> {
    let mut parts: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for c in word.chars() {
        let is_joint = "/._-:".contains(before) || (before.is_lowercase() && c.is_uppercase());
        let last = parts.last().map_or("", String::as_str);
        let is_full =
            width(last, style, letters) + letters.width(c, style.weight) * style.size > most;
        if (is_joint || is_full) && !last.is_empty() {
            parts.push(String::new());
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
        before = c;
    }
    parts
}

/// `text` in at most `most` lines, none of them wider than `measure`. What is left over is cut off with an ellipsis.
pub(super) fn wrapped(
    text: &str,
    measure: f32,
    most: usize,
    style: Style,
    letters: &dyn Letters,
) -> Lines {
    let (pieces, is_broken) = pieces(text, measure, style, letters);
    let space = width(" ", style, letters);
    let mut lines: Vec<(String, f32)> = Vec::new();
    let mut is_cut = false;
    for piece in &pieces {
        let gap = if piece.is_word { space } else { 0.0 };
        let is_last = lines.len() == most;
        match lines.last_mut() {
            Some((line, width)) if *width + gap + piece.width <= measure => {
                if piece.is_word {
                    line.push(' ');
                }
                line.push_str(&piece.text);
                *width += gap + piece.width;
            }
            Some((line, _)) if is_last => {
                is_cut = true;
                *line = shortened(line, piece, measure, style, letters);
                break;
            }
            _ => lines.push((piece.text.clone(), piece.width)),
        }
    }
    Lines {
        lines: lines.into_iter().map(|(line, _)| line).collect(),
        is_cut,
        is_broken,
    }
}

/// `line` and the beginning of `next`, with an ellipsis.
fn shortened(
    line: &str,
    next: &Piece,
    measure: f32,
    style: Style,
    letters: &dyn Letters,
) -> String {
    let mut text = line.to_owned();
    // A part of a word is shown where the word was broken anyway.
    if !next.is_word {
        text.push_str(&next.text);
    }
    let dots = width("…", style, letters);
    let whole = text.len();
    while !text.is_empty() && width(&text, style, letters) + dots > measure {
        text.pop();
    }
    // A word is shown as a whole, unless it is most of the line.
    let is_in_word = text.len() < whole && !line[text.len().min(line.len())..].starts_with(' ');
    if let Some(at) = text
        .rfind(' ')
        .filter(|at| is_in_word && *at * 2 > text.len())
    {
        text.truncate(at);
    }
    let end = |c: char| c.is_whitespace() || ",;:.-–—(".contains(c);
    format!("{}…", text.trim_end_matches(end))
}

/// `lines` of `text`, so that they are about equally wide: in the narrowest measure that needs no line more.
pub(super) fn balanced(
    text: &str,
    measure: f32,
    lines: Vec<String>,
    style: Style,
    letters: &dyn Letters,
) -> Vec<String> {
    if lines.len() < 2 {
        return lines;
    }
    let mut best = lines;
    for part in 1..12 {
        let narrower = measure * (1.0 - part as f32 * 0.04);
        let set = wrapped(text, narrower, best.len(), style, letters);
        if set.is_cut || set.is_broken || set.lines.len() != best.len() {
            break;
        }
        best = set.lines;
    }
    best
}
